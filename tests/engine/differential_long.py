"""The long form of the differential and property tests: ``make long``.

Prints what was compared and every mismatch; ends with status 1 if there was any.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from multiprocessing import get_context
from multiprocessing.pool import Pool

from helpers.differential import Comparison, compare_all
from helpers.properties import searches_above_the_optimum, searches_missing_the_truth
from oracle.datasets import large_sample, random_sample

LARGE = (50, 100)
Report = tuple[str, int, int, list[str]]
"""What was run, searches compared, operators compared, mismatches."""


def random_case(seed: int) -> Report:
    """Compare all searches on one data set of 6 to 30 nodes."""
    return report(f"seed {seed}", compare_all(random_sample(seed)))


def large_case(task: tuple[int, int]) -> Report:
    """Compare all searches on one sparse data set of 50 or 100 nodes."""
    seed, d = task
    return report(f"seed {seed}", compare_all(large_sample(seed, d)))


def report(label: str, comparisons: list[Comparison]) -> Report:
    """Sum up the comparisons of one data set."""
    wrong = [f"{c.case}: {c.difference}" for c in comparisons if c.difference]
    return label, len(comparisons), sum(c.operators for c in comparisons), wrong


def population_case(seed: int) -> Report:
    """Look for the true class in one population covariance."""
    return f"seed {seed}", 3, 0, [f"{name} missed" for name in searches_missing_the_truth(seed)]


def optimum_case(task: tuple[int, int]) -> Report:
    """Hold all searches against the exact optimum of one data set of 10 to 12 nodes."""
    above = searches_above_the_optimum(*task)
    return f"seed {task[0]} d={task[1]}", 6, 0, [f"{name} above optimum" for name in above]


def run_part(title: str, pool: Pool, case: Callable[..., Report], tasks: Iterable[object]) -> int:
    """Run one part, print its counts and mismatches, and return the number of mismatches."""
    start, sets, searches, operators, wrong = time.perf_counter(), 0, 0, 0, 0
    for label, compared, applied, mismatches in pool.imap_unordered(case, tasks):
        sets, searches, operators = sets + 1, searches + compared, operators + applied
        wrong += len(mismatches)
        for mismatch in mismatches:
            print(f"MISMATCH {title}, {label}: {mismatch}", flush=True)
    seconds = time.perf_counter() - start
    print(
        f"{title}: {sets} data sets, {searches} searches, {operators} operators compared, "
        f"{wrong} mismatches, {seconds:.0f} s",
        flush=True,
    )
    return wrong


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the counts, the first seed and the number of processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", type=int, default=2_000, help="data sets of 6-30 nodes")
    parser.add_argument("--large", type=int, default=20, help="data sets at 50 and at 100 nodes")
    parser.add_argument("--population", type=int, default=2_000, help="population covariances")
    parser.add_argument("--optimum", type=int, default=20, help="data sets at 10, 11, 12 nodes")
    parser.add_argument("--seed", type=int, default=0, help="first seed")
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Run all parts; return 1 if anything differs."""
    options = parse(arguments)

    def seeds(count: int) -> range:
        return range(options.seed, options.seed + count)

    with get_context("spawn").Pool(options.processes) as pool:
        wrong = run_part("random", pool, random_case, seeds(options.datasets))
        for d in LARGE:
            tasks = [(seed, d) for seed in seeds(options.large)]
            wrong += run_part(f"d={d}", pool, large_case, tasks)
        wrong += run_part("population", pool, population_case, seeds(options.population))
        tasks = [(seed, d) for d in (10, 11, 12) for seed in seeds(options.optimum)]
        wrong += run_part("optimum", pool, optimum_case, tasks)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
