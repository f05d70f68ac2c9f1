"""What full true tiers cost a search: its time and its instructions, to those without knowledge.

``python benchmarks/knowledge/cost.py [--rounds 7] [--seeds 3] [--instructions D …]``

Times are CPU seconds of the search alone, from moments of 10,000 rows; searches with and without
tiers in turn in one process, medians of the rounds; means and ranges over tables. Instructions, on
the first table, are those of a Python process under valgrind's callgrind that searches, minus those
of one that does all but that.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))
from tiered import ALPHA, Case

from greedag import _core
from report import parser, table

ROWS, FIRST_SEED = 10_000, 163_000
SIZES, TIER_COUNTS = (100, 200, 500, 1_000), (2, 5, 20)
EFFORTS = {"default": 1.0, "effort=0": 0.0}


def seconds(case: Case, effort: float, knowledge: _core.Knowledge | None) -> float:
    """CPU seconds of one search."""
    start = time.process_time()
    _core.search(case.score, "xges", effort=effort, knowledge=knowledge)
    return time.process_time() - start


def medians(cases: list[Case], effort: float, rounds: int) -> list[float]:
    """Median seconds without tiers, then with those of each case, all of them in turn."""
    searches = [None, *(case.knowledge for case in cases)]
    for knowledge in searches:
        seconds(cases[0], effort, knowledge)
    taken: list[list[float]] = [[] for _ in searches]
    for _ in range(rounds):
        for place, knowledge in enumerate(searches):
            taken[place].append(seconds(cases[0], effort, knowledge))
    return [statistics.median(times) for times in taken]


def time_rows(rounds: int, seeds: int) -> Iterator[list[str]]:
    """Yield seconds without tiers by size and effort, and the ratios with them."""
    for d in SIZES:
        for name, effort in EFFORTS.items():
            ratios, bases = [], []
            for seed in range(FIRST_SEED, FIRST_SEED + seeds):
                cases = [Case(d, ROWS, tier_count, seed) for tier_count in TIER_COUNTS]
                base, *taken = medians(cases, effort, rounds)
                bases.append(base)
                ratios.append([value / base for value in taken])
            yield [
                f"{d:,}",
                name,
                f"{statistics.mean(bases):.4f}",
                *(spread([row[place] for row in ratios]) for place in range(len(TIER_COUNTS))),
            ]


def spread(values: list[float]) -> str:
    """Mean and range."""
    return f"{statistics.mean(values):.2f} ({min(values):.2f} to {max(values):.2f})"


PROGRAM = """
import sys
import numpy as np
from greedag import _core

stored = np.load(sys.argv[1])
score = _core.GaussianBic(stored["correlation"], stored["log_variances"], {rows}, {alpha})
knowledge = _core.Knowledge(score.size, tiers=stored["tiers"].tolist())
"""
SEARCH = "_core.search(score, 'xges', effort={effort}, knowledge={knowledge})\n"


def instructions(case: Case, search: str = "") -> int:
    """Return the instructions of a process that reads a case, and then may search."""
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    program = PROGRAM.format(rows=ROWS, alpha=ALPHA) + search
    with tempfile.NamedTemporaryFile(suffix=".npz") as file:
        moments = case.moments
        np.savez(
            file,
            correlation=moments.correlation,
            log_variances=moments.log_variances,
            tiers=case.tiers,
        )
        file.flush()
        done = subprocess.run(
            [*tool, sys.executable, "-c", program, file.name],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": "0"},
        )
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if collected is None:
        raise RuntimeError(done.stderr[-500:])
    return int(collected[1])


def instruction_rows(sizes: list[int]) -> Iterator[list[str]]:
    """Yield millions of instructions without tiers, and the ratios with them."""
    for d in sizes:
        cases = [Case(d, ROWS, count, FIRST_SEED) for count in TIER_COUNTS]
        idle = instructions(cases[0])
        for name, effort in EFFORTS.items():
            base = instructions(cases[0], SEARCH.format(effort=effort, knowledge=None)) - idle
            search = SEARCH.format(effort=effort, knowledge="knowledge")
            ratios = ((instructions(case, search) - idle) / base for case in cases)
            yield [f"{d:,}", name, f"{base / 1e6:,.0f}", *(f"{ratio:.2f}" for ratio in ratios)]


def main() -> None:
    """Print the tables."""
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=7, help="searches of each kind")
    options.add_argument("--seeds", type=int, default=3, help="tables a size")
    options.add_argument(
        "--instructions", type=int, nargs="*", default=[], metavar="D", help="count them too"
    )
    chosen = options.parse_args()
    tiers = [f"{count} tiers" for count in TIER_COUNTS]
    if chosen.rounds:
        header = ["d", "search", "without, s", *tiers]
        print("\n".join(table(header, time_rows(chosen.rounds, chosen.seeds))), flush=True)
    if chosen.instructions:
        header = ["d", "search", "without, millions", *tiers]
        print("\n".join(["", *table(header, instruction_rows(chosen.instructions))]))


if __name__ == "__main__":
    main()
