"""Every search on the paper's simulation: score above the truth, SHD and seconds.

``python benchmarks/cases.py [--seeds 3] [--out benchmarks/RESULTS.md]`` prints what this run
measured, as a Markdown table, and writes it to a file if asked to.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

from greedag import Moments, _core, learn, metrics
from greedag.options import SEARCHES
from greedag.simulate import Simulation, linear_gaussian

GRID = ((10, 2), (25, 2), (25, 3), (25, 4), (50, 2), (50, 3), (50, 4), (100, 2), (100, 3), (200, 2))
ROWS, ALPHA, FIRST_SEED = 10_000, 2.0, 7_000
SLOW = 60.0
"""Seconds after which a search is stopped; its cell then says so."""


def true_score(drawn: Simulation, moments: Moments) -> float:
    """Score of the graph that the data were drawn from."""
    return _core.dag_score(moments.correlation, moments.log_variances, ROWS, ALPHA, drawn.dag)


def cell(search: str, samples: list[tuple[Simulation, Moments]]) -> str:
    """Mean score above the truth, mean SHD and median seconds of one search."""
    above, distance, seconds, stopped = [], [], [], 0
    for drawn, moments in samples:
        result = learn(moments, search=search, alpha=ALPHA, time_limit=SLOW)
        above.append(result.score - true_score(drawn, moments))
        distance.append(metrics.shd(result.cpdag, drawn.cpdag))
        seconds.append(result.timings["search"])
        stopped += bool(result.stopped)
    mean = statistics.mean
    late = f" ({stopped} stopped)" if stopped else ""
    return f"{mean(above):+.1f} / {mean(distance):.1f} / {statistics.median(seconds):.3f}{late}"


def table(seeds: int) -> list[str]:
    """Lines of the Markdown table, printed as they are measured."""
    lines: list[str] = []

    def say(*cells: str) -> None:
        lines.append("| " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)

    say("d, ρ", *SEARCHES)
    say(*["---"] * (len(SEARCHES) + 1))
    for d, rho in GRID:
        samples = []
        for seed in range(FIRST_SEED, FIRST_SEED + seeds):
            drawn = linear_gaussian(d, rho, ROWS, seed=seed)
            samples.append((drawn, Moments.from_data(drawn.data)))
        say(f"{d}, {rho}", *(cell(search, samples) for search in SEARCHES))
    return lines


def main(arguments: list[str]) -> None:
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="data sets a cell")
    parser.add_argument("--out", type=Path, help="write the table to this file")
    options = parser.parse_args(arguments)
    about = (
        f"Score above the true graph's / SHD of the CPDAG / seconds in the search; n = {ROWS}, "
        f"alpha = {ALPHA:g}, the paper's simulation, seeds {FIRST_SEED} to "
        f"{FIRST_SEED + options.seeds - 1}: means, and medians of the seconds."
    )
    print(about + "\n")
    lines = table(options.seeds)
    if options.out is not None:
        text = "\n".join(["# Results on the paper's simulation", "", about, "", *lines, ""])
        options.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
