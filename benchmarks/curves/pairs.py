"""Cause-effect pairs: how often the additive score tells which column is the cause.

``python benchmarks/curves/pairs.py [--pairs FILE] [--peers] [--save]``

The pairs are those of Tübingen (Mooij and others, 2016) as the package cdt 0.6.0 bundles them:
`FILE` is Tuebingen_pairs.csv of its wheel. In each, the first column is the cause. Other programs
see at most 500 rows of a pair, drawn at random, because ANM takes time with the cube of rows;
greedag is shown on the same rows, and on all.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))
from environments import ENVIRONMENTS
from greedag import GreedagError, Result, learn
from page import publish
from report import ONE_THREAD, parser, table

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]
DRIVER = Path(__file__).with_name("pairs_driver.py")
MOST_ROWS, ROUNDING = 500, 1e-6
ENVIRONMENT_OF = {
    "cdt-anm": "torch",
    "cdt-igci": "torch",
    "cdt-reci": "torch",
    "cdt-cds": "torch",
    "lingam-resit": "lingam",
}


def read_pairs(path: Path) -> Iterator[Pair]:
    """Yield the columns of each pair, cause first."""
    csv.field_size_limit(10**8)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            a, b = (np.array(row[name].split(), dtype=float) for name in "AB")
            yield a, b


def fewer(pairs: list[Pair], most: int) -> list[Pair]:
    """Return some rows of each pair, drawn at random."""
    rng = np.random.default_rng(0)
    drawn = []
    for a, b in pairs:
        rows = rng.permutation(len(a))[:most]
        drawn.append((a[rows], b[rows]))
    return drawn


def ours(pairs: list[Pair]) -> tuple[list[float], list[float], float]:
    """Return by how much the first column as the cause scores higher, what is shown, CPU seconds.

    What is shown is 1 or -1 where the result's graph has an arrow.
    """
    ahead, shown = [], []
    start = time.process_time()
    for a, b in pairs:
        try:
            result = learn(np.column_stack([a, b]), score="additive", kinds="continuous")
        except GreedagError:
            ahead.append(0.0)
            shown.append(0.0)
            continue
        graph = result.graph.to_matrix()
        shown.append(float(graph[0, 1]) - float(graph[1, 0]))
        ahead.append(difference(result) if graph.any() else 0.0)
    return ahead, shown, time.process_time() - start


def difference(result: Result) -> float:
    """Return the score of the first column as the cause, less that of the second; 0 if rounding."""
    bound = result.objective.bind(result.statistics)
    forward, backward = (
        bound.local_score(y, [1 - y]) + bound.local_score(1 - y, []) for y in (1, 0)
    )
    return forward - backward if abs(forward - backward) > ROUNDING else 0.0


def theirs(method: str, pairs: list[Pair], environments: Path) -> tuple[list[float], float]:
    """Return the directions that a method finds, and CPU seconds."""
    python = environments / f"curves-{ENVIRONMENT_OF[method]}" / "bin" / "python"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.json"
        path.write_text(json.dumps([[a.tolist(), b.tolist()] for a, b in pairs]))
        done = subprocess.run(
            [str(python), str(DRIVER), method, str(path)],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, **ONE_THREAD},
        )
    said = json.loads(done.stdout.splitlines()[-1])
    return said["found"], said["cpu"]


def row(name: str, rows: str, found: list[float], seconds: float) -> list[str]:
    """Return a row of the table: how often a method decides, and is right then."""
    right, wrong = (sum(sign * value > 0 for value in found) for sign in (1, -1))
    decided = right + wrong
    return [
        *(name, rows, f"{len(found)}", f"{decided}", f"{right}"),
        f"{right / decided:.0%} ± {(0.25 / decided) ** 0.5:.0%}" if decided else "",
        f"{seconds:.2f}",
    ]


HEADER = ["method", "rows", "pairs", "decided", "right", "share right of decided", "CPU s"]


def main() -> None:
    """Measure, and print the table."""
    options = parser(__doc__)
    options.add_argument("--pairs", type=Path, required=True, help="Tuebingen_pairs.csv of cdt")
    options.add_argument("--peers", action="store_true", help="run other programs too")
    options.add_argument("--environments", type=Path, default=ENVIRONMENTS)
    options.add_argument("--found", type=Path, help="file that keeps what other programs found")
    options.add_argument("--only", choices=("theirs",), help="run other programs only")
    chosen = options.parse_args()
    pairs = [*read_pairs(chosen.pairs)]
    some = fewer(pairs, MOST_ROWS)
    rows = []
    if chosen.only is None:
        for name, sample in (("all", pairs), (f"≤ {MOST_ROWS}", some)):
            ahead, shown, seconds = ours(sample)
            rows.append(row("greedag, whichever scores higher", name, ahead, seconds))
            rows.append(row("greedag, arrows shown", name, shown, seconds))
    if chosen.peers:
        known = chosen.found is not None and chosen.found.exists()
        kept = json.loads(chosen.found.read_text()) if known else {}
        for method in ENVIRONMENT_OF:
            if method not in kept:
                kept[method] = theirs(method, some, chosen.environments)
                if chosen.found is not None:
                    chosen.found.write_text(json.dumps(kept))
            rows.append(row(method, f"≤ {MOST_ROWS}", *kept[method]))
    publish("Cause-effect pairs", table(HEADER, rows), save=chosen.save)


if __name__ == "__main__":
    main()
