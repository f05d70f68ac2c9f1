"""How often the search through orders reaches the best DAG, which an exact search finds.

``python benchmarks/curves/optimum.py [--sets 200] [--columns 13 14] [--save]`` prints what this run
measured.
"""

from __future__ import annotations

import math
import sys
import time
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))
from judged import mean
from tables import CURVES, LIMITS

from greedag import learn
from greedag.simulate import additive
from page import publish
from report import parser, table

SIZES, ROWS, FIRST_SEED, ROUNDING = [*range(8, 13)], (200, 500, 2_000), 172_000, 1e-6

REMARK = "Up to 12 columns the search through orders ends with a proof; beyond, it has none."


def measure(seed: int, sizes: list[int]) -> tuple[int, float, float, float]:
    """Return columns, by how much orders end below the optimum, and CPU seconds of both."""
    d = sizes[seed % len(sizes)]
    n = ROWS[seed // len(sizes) % len(ROWS)]
    curve = (*CURVES, "linear")[seed % (len(CURVES) + 1)]
    limit = LIMITS.get(curve, math.inf)
    density = 1.5 + seed % 2
    rows = additive(d, density, n, seed=FIRST_SEED + seed, curve=curve, limit=limit).data
    start = time.process_time()
    by_orders = learn(rows, score="additive", search="orders")
    middle = time.process_time()
    best = learn(rows, score="additive", search="exact")
    end = time.process_time()
    return d, best.score - by_orders.score, middle - start, end - middle


def row(name: str, runs: list[tuple[float, float, float]]) -> list[str]:
    """Return a row of the table."""
    reached = sum(below <= ROUNDING for below, _, _ in runs)
    return [
        *(name, f"{len(runs)}", f"{reached} ({reached / len(runs):.1%})"),
        f"{max(below for below, _, _ in runs):.2f}",
        f"{mean(orders for _, orders, _ in runs):.3f}",
        f"{mean(exact for _, _, exact in runs):.3f}",
    ]


def main() -> None:
    """Measure, and print the table."""
    options = parser(__doc__)
    options.add_argument("--sets", type=int, default=200)
    options.add_argument("--columns", type=int, nargs="+", default=SIZES)
    options.add_argument("--title", default="The optimum", help="of the section")
    chosen = options.parse_args()
    found = defaultdict(list)
    for seed in range(chosen.sets):
        d, below, orders, exact = measure(seed, chosen.columns)
        found[d].append((below, orders, exact))
        if below > ROUNDING * 1e3 or below < -ROUNDING * 1e3:
            print(f"seed {seed}, d = {d}: {below:.4f} below the optimum", flush=True)
    everything = [run for runs in found.values() for run in runs]
    rows = [row(f"{d}", runs) for d, runs in sorted(found.items())] + [row("all", everything)]
    header = ["d", "sets", "optimum reached", "furthest below", "orders, CPU s", "exact, CPU s"]
    publish(chosen.title, [*table(header, rows), "", REMARK], save=chosen.save)


if __name__ == "__main__":
    main()
