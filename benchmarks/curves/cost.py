"""What a search with the additive score costs: CPU seconds with reading, and memory.

``python benchmarks/curves/cost.py [--columns 30 100 300] [--rows 2000 10000] [--save]``

Each table is a CSV file that a process of its own reads and learns from; its seconds are those of
the whole process less those of one that only imports, its memory is the most that was resident.
``--plot FILE.svg`` draws seconds by columns.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))
from judged import mean
from tables import Cell, table_of

from page import publish
from report import parser, table

PROGRAM = """
import resource, sys, time
import greedag, greedag.search.learn, numpy
from greedag import learn
base = time.process_time()
with_base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
result = learn(sys.argv[1], score=sys.argv[2], n_jobs=1)
print(time.process_time() - base, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, with_base)
"""


def measure(cell: Cell, seed: int, score: str) -> tuple[float, float, float]:
    """Return CPU seconds, most memory, and memory after importing, in MB."""
    drawn = table_of(cell, seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        header = ",".join(drawn.names)
        np.savetxt(path, drawn.data, delimiter=",", header=header, comments="", fmt="%.10g")
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(path), score],
            check=True,
            capture_output=True,
            text=True,
            env=dict(os.environ),
        )
    seconds, most, base = map(float, done.stdout.split())
    return seconds, most / 1024, base / 1024


def row(cell: Cell, seeds: int) -> list[str]:
    """Return a row of the table."""
    curved = [measure(cell, seed, "additive") for seed in range(seeds)]
    linear = [measure(cell, seed, "gaussian-bic") for seed in range(seeds)]
    cells = [
        *(cell.curve, f"{cell.d}", f"{cell.n:,}"),
        f"{mean(run[0] for run in curved):.2f}",
        f"{max(run[0] for run in curved):.2f}",
        f"{max(run[1] for run in curved):.0f}",
        f"{mean(run[0] for run in linear):.2f}",
        f"{max(run[1] for run in linear):.0f}",
    ]
    print(*cells, flush=True)
    return cells


def plot(rows: list[list[str]], path: Path) -> None:
    """Draw seconds by columns, a line for each curve and number of rows."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4))
    for curve, n in sorted({(row[0], row[2]) for row in rows}):
        points = [(int(row[1]), float(row[3])) for row in rows if (row[0], row[2]) == (curve, n)]
        axes.loglog(*zip(*sorted(points), strict=True), marker="o", label=f"{curve}, n = {n}")
    axes.set(xlabel="columns", ylabel="CPU seconds with reading")
    axes.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")


REMARK = (
    "Seconds and memory are those of a process that reads a CSV file and learns, on one thread. "
    "Growth: [cost.svg](cost.svg)."
)
HEADER = [
    *("curve", "d", "n", "additive, CPU s", "longest", "memory, MB"),
    *("Gaussian BIC, CPU s", "memory, MB"),
]


def main() -> None:
    """Measure, and print the table."""
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=2, help="tables a cell")
    options.add_argument("--curves", nargs="+", default=["tanh", "mixture"])
    options.add_argument("--columns", type=int, nargs="+", default=[30, 100, 300])
    options.add_argument("--rows", type=int, nargs="+", default=[2_000, 10_000])
    options.add_argument("--plot", type=Path, help="draw growth to this SVG file")
    chosen = options.parse_args()
    rows = [
        row(Cell(curve, "gaussian", d, n), chosen.seeds)
        for curve in chosen.curves
        for n in chosen.rows
        for d in chosen.columns
    ]
    if chosen.plot:
        plot(rows, chosen.plot)
    publish("Cost", [*table(HEADER, rows), "", REMARK], save=chosen.save)


if __name__ == "__main__":
    main()
