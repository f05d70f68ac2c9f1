"""The long form of the tests of background knowledge: ``make long``.

Prints what was compared and every mismatch; ends with status 1 if there was any.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.pool import Pool

from helpers.knowledge import (
    SCORES,
    choice_case,
    closure_case,
    difference_case,
    large_orientation_case,
    larger_case,
    optimum_case,
    orientation_case,
    path_case,
)
from helpers.knowledge_steps import step_case

SHOWN = 5
"""Mismatches of one part that are printed in full."""


def run_part(
    title: str, pool: Pool, case: Callable[..., list[str]], tasks: Sequence[object]
) -> int:
    """Run one part, print its counts and first mismatches, and return their number."""
    start, wrong = time.perf_counter(), 0
    for mismatches in pool.imap_unordered(case, tasks, chunksize=max(1, len(tasks) // 200)):
        for mismatch in mismatches[: max(0, SHOWN - wrong)]:
            print(f"MISMATCH {title}: {mismatch}", flush=True)
        wrong += len(mismatches)
    seconds = time.perf_counter() - start
    print(f"{title}: {len(tasks)} sets, {wrong} mismatches, {seconds:.0f} s", flush=True)
    return wrong


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the counts, the first seed and the number of processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--four", type=int, default=20_000, help="sets oriented on 4 nodes")
    parser.add_argument("--five", type=int, default=2_000, help="sets oriented on 5 nodes")
    parser.add_argument("--operators", type=int, default=1_000, help="sets that choose operators")
    parser.add_argument("--paths", type=int, default=1_000, help="sets searched with, a score")
    parser.add_argument("--optima", type=int, default=2_000, help="exact searches, a score")
    parser.add_argument("--larger", type=int, default=100, help="sets at each of 6 to 14 nodes")
    parser.add_argument("--seed", type=int, default=0, help="first seed")
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Run all parts; return 1 if anything differs."""
    options = parse(arguments)

    def tasks(count: int, *rest: Sequence[object]) -> list[tuple[object, ...]]:
        seeds = range(options.seed, options.seed + count)
        return list(itertools.product(seeds, *rest))

    five, larger = options.five, options.larger
    with get_context("spawn").Pool(options.processes) as pool:
        wrong = run_part("185 classes oriented", pool, orientation_case, tasks(options.four, [4]))
        wrong += run_part("8,782 classes oriented", pool, orientation_case, tasks(five, [5]))
        wrong += run_part("closed under Meek's rules", pool, closure_case, tasks(five, [4]))
        wrong += run_part(
            "oriented, d=6 to 8", pool, large_orientation_case, tasks(five, [6, 7, 8])
        )
        wrong += run_part("operators, d=4", pool, choice_case, tasks(options.operators, [4], [0.1]))
        wrong += run_part("searches, d=4", pool, path_case, tasks(options.paths, [4], SCORES))
        wrong += run_part("searches, d=5", pool, path_case, tasks(options.paths // 4, [5], SCORES))
        wrong += run_part("optima, d=4", pool, optimum_case, tasks(options.optima, [4], SCORES))
        wrong += run_part(
            "optima, d=5", pool, optimum_case, tasks(options.optima // 4, [5], SCORES)
        )
        wrong += run_part("more columns", pool, larger_case, tasks(larger, [6, 7, 8, 9, 11, 14]))
        wrong += run_part("steps", pool, step_case, tasks(5 * larger, [6, 8, 10, 13]))
        sizes = tasks(larger // 4, [5, 8, 14], SCORES[:1])
        wrong += run_part("threads", pool, difference_case, sizes)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
