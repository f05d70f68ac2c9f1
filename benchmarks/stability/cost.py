"""What draws cost: CPU seconds beside the searches and the passes over rows they consist of.

``python benchmarks/stability/cost.py [--columns 50] [--rows 100000 1000000] [--draws 100]
[--save]`` prints what this run measured. With two threads, seconds are those of the clock.
"""

from __future__ import annotations

import math
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))
from greedag import Moments, Stability, learn, simulate, stability
from page import publish
from report import parser, table

SEED = 184_000
REPEATS = 3
HALVES = 30
ALPHA = 2.0


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Return the least seconds that some work took."""
    taken = []
    for _ in range(REPEATS):
        start = clock()
        work()
        taken.append(clock() - start)
    return min(taken)


def row(d: int, n: int, draws: int) -> list[str]:
    """Return a row of the table."""
    data = simulate.linear_gaussian(d, 2.0, n, seed=SEED).data
    passed = seconds(lambda: Moments.from_data(data))
    searched = sum(_search(data, seed) for seed in range(HALVES)) / HALVES
    drawn = seconds(lambda: _draws(data, draws, 1))
    one = seconds(lambda: _draws(data, draws, 1), time.perf_counter)
    two = seconds(lambda: _draws(data, draws, 2), time.perf_counter)
    return [
        *(f"{d}", f"{n:,}"),
        *(f"{passed:.3f}", f"{searched:.4f}", f"{drawn:.2f}"),
        f"{drawn / (draws * searched + 2 * passed):.2f}",
        f"{one / two:.2f}",
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}",
    ]


def _search(data: Any, seed: int) -> float:
    """Return the seconds of a search on the moments of a half, penalised as all rows are."""
    n = len(data)
    half = np.random.default_rng([SEED, seed]).permutation(n)[: n // 2]
    moments = Moments.from_data(data[half])
    alpha = ALPHA * math.log(n) / math.log(n // 2)
    return seconds(lambda: learn(moments, alpha=alpha, seed=seed))


def _draws(data: Any, draws: int, jobs: int) -> Stability:
    return stability(data, draws=draws, alpha=ALPHA, n_jobs=jobs)


HEADER = [
    *("d", "n", "pass, s", "search of a half, s", "draws, s"),
    *("draws / (searches + 2 passes)", "two threads", "memory, MB"),
]


def main() -> None:
    """Measure, and print the table."""
    options = parser(__doc__)
    options.add_argument("--columns", type=int, default=50)
    options.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    options.add_argument("--draws", type=int, default=100)
    chosen = options.parse_args()
    rows = []
    for n in chosen.rows:
        rows.append(row(chosen.columns, n, chosen.draws))
        print(*rows[-1], flush=True)
    publish("Cost", table(HEADER, rows), save=chosen.save)


if __name__ == "__main__":
    main()
