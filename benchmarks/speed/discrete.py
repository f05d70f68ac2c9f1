"""BDeu on bundled discrete networks: distance from the truth, and seconds, beside pgmpy.

``python benchmarks/speed/discrete.py [--networks asia child …] [--peers ges hill-climbing]
[--seeds 5] [--rows 10000] [--timeout 300] [--prior 1] [--save]``. A search of pgmpy that passes the
timeout on one table of a network is not tried on the network's others. What a run leaves out stays
in the table as an earlier run on the same tables found it.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from greedag import CPDAG, learn, metrics
from greedag.scores import BDeu
from networks import DISCRETE, Drawn, draw
from report import STORED, Section, parser, publish, table

OURS: dict[str, dict[str, Any]] = {
    "default": {},
    **{
        f"{search}, effort 0": {"search": search, "effort": 0}
        for search in ("xges", "xges0", "ges")
    },
}
PEERS = ("ges", "hill-climbing")
FIRST_SEED = 5_000
Cell = list[tuple[int, float]] | float
"""Distance and seconds, by data set; if it was stopped, the seconds that it had."""


def run_ours(drawn: Drawn, name: str, prior: float) -> tuple[int, float]:
    """Return distance and seconds of one of our searches, from the frame on."""
    frame = pd.DataFrame(drawn.rows, columns=drawn.names).astype(str).astype("category")
    started = time.perf_counter()
    result = learn(frame, **OURS[name], score=BDeu(prior))
    return metrics.shd(result.cpdag, drawn.cpdag), time.perf_counter() - started


def run_peer(drawn: Drawn, search: str, prior: float, timeout: float) -> tuple[int, float] | None:
    """Return distance and seconds of a search of pgmpy; none if it takes too long."""
    driver = Path(__file__).with_name("pgmpy_driver.py")
    with tempfile.TemporaryDirectory() as folder:
        rows, matrix = Path(folder) / "table.npz", Path(folder) / "matrix.npy"
        np.savez(rows, names=np.array(drawn.names), rows=drawn.rows)
        command = [sys.executable, str(driver), search, str(prior), str(rows), str(matrix)]
        try:
            done = subprocess.run(
                command, check=True, capture_output=True, text=True, timeout=timeout
            )
        except subprocess.TimeoutExpired:
            return None
        found = np.load(matrix)
    cpdag = class_of(found, drawn.names)
    return metrics.shd(cpdag, drawn.cpdag), float(done.stdout.splitlines()[-1])


def class_of(matrix: Any, names: tuple[str, ...]) -> CPDAG:
    """Return the class of what pgmpy found: a DAG, or a graph with undirected edges."""
    if np.any(matrix & matrix.T):
        return CPDAG.from_matrix(matrix, names)
    return CPDAG.from_dag(matrix, names)


def measure(network: str, chosen: Namespace) -> dict[str, Cell]:
    """Return what each search reached on the data sets of one network."""
    cells: dict[str, Cell] = {search: [] for search in OURS}
    cells |= {f"pgmpy {search}": [] for search in chosen.peers}
    for seed in range(FIRST_SEED, FIRST_SEED + chosen.seeds):
        drawn = draw(network, chosen.rows, seed)
        for name, cell in cells.items():
            if isinstance(cell, float):
                continue
            peer = name.removeprefix("pgmpy ")
            if name in OURS:
                run = run_ours(drawn, name, chosen.prior)
            else:
                run = run_peer(drawn, peer, chosen.prior, chosen.timeout)
            if run is None:
                cells[name] = chosen.timeout
            else:
                cell.append(run)
        print(f"{network}, seed {seed} done", file=sys.stderr, flush=True)
    return cells


def earlier(tables: dict[str, float]) -> dict[str, dict[str, Cell]]:
    """Return what an earlier run found on the same tables, by network."""
    stored = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    data = stored.get("discrete", {}).get("data", {})
    return data.get("found", {}) if data.get("tables") == tables else {}


def shown(cell: Cell | None) -> str:
    """Return mean distance and median seconds."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"> {cell:g} s"
    distances, seconds = zip(*cell, strict=True)
    return f"{statistics.mean(distances):.1f} / {statistics.median(seconds):.3f}"


def main() -> None:
    """Measure and publish."""
    options = parser(__doc__)
    options.add_argument("--networks", nargs="+", default=list(DISCRETE), choices=DISCRETE)
    options.add_argument("--peers", nargs="*", default=list(PEERS), choices=PEERS)
    options.add_argument("--seeds", type=int, default=5)
    options.add_argument("--rows", type=int, default=10_000)
    options.add_argument("--timeout", type=float, default=300.0, help="seconds, for pgmpy")
    options.add_argument("--prior", type=float, default=1.0, help="equivalent sample size")
    chosen = options.parse_args()
    tables = {"rows": chosen.rows, "seeds": chosen.seeds, "prior": chosen.prior}
    found = earlier(tables)
    for network in chosen.networks:
        found[network] = found.get(network, {}) | measure(network, chosen)
    about = (
        f"SHD of the CPDAG / seconds from the data frame on; {chosen.rows} rows, seeds "
        f"{FIRST_SEED} to {FIRST_SEED + chosen.seeds - 1}, BDeu with equivalent sample size "
        f"{chosen.prior:g}, the default being XGES with effort 1: means of SHD and medians of "
        "seconds. One thread."
    )
    if set(chosen.peers) != set(PEERS):
        about += " What pgmpy did not run now is of an earlier run on the same tables."
    names = [*OURS, *(f"pgmpy {search}" for search in PEERS)]
    rows = [
        [network, *(shown(found[network].get(name)) for name in names)]
        for network in DISCRETE
        if network in found
    ]
    data = {"tables": tables, "found": found}
    lines = [about, "", *table(["network", *names], rows)]
    publish(Section("discrete", "On discrete networks", lines, data), save=chosen.save)


if __name__ == "__main__":
    main()
