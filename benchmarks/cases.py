"""The default and every search alone on the paper's simulation: score, SHD and seconds.

``python benchmarks/cases.py [--seeds 5] [--effects] [--save]`` prints what this run measured, as a
Markdown table; with ``--effects``, SHD and the effects that come out wrong.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterator
from typing import Any

from greedag import Moments, _core, learn, metrics
from greedag._options import SEARCHES
from greedag.simulate import Simulation, linear_gaussian
from speed.report import Section, parser, publish, table

GRID = ((10, 2), (25, 2), (25, 3), (25, 4), (50, 2), (50, 3), (50, 4), (100, 2), (100, 3), (200, 2))
ROWS, ALPHA, FIRST_SEED = 10_000, 2.0, 7_000
# Beside the default, the searches without refinement.
METHODS: dict[str, dict[str, Any]] = {
    "default": {},
    **{f"{search}, effort 0": {"search": search, "effort": 0} for search in SEARCHES},
}
SLOW = 60.0
"""Seconds after which a search is stopped; its cell then says so."""


def true_score(drawn: Simulation, moments: Moments) -> float:
    """Score of the graph that the data were drawn from."""
    score = _core.GaussianBic(moments.correlation, moments.log_variances, ROWS, ALPHA)
    return score.of_dag(drawn.dag)


Samples = list[tuple[Simulation, Moments]]


def cell(method: str, samples: Samples) -> str:
    """Mean score above the truth, mean SHD and median seconds of one method."""
    above, distance, seconds, stopped = [], [], [], 0
    for drawn, moments in samples:
        result = learn(moments, **METHODS[method], alpha=ALPHA, time_limit=SLOW)
        above.append(result.score - true_score(drawn, moments))
        distance.append(metrics.shd(result.cpdag, drawn.cpdag))
        seconds.append(result.timings["search"])
        stopped += bool(result.stopped)
    mean = statistics.mean
    late = f" ({stopped} stopped)" if stopped else ""
    return f"{mean(above):+.1f} / {mean(distance):.1f} / {statistics.median(seconds):.3f}{late}"


def wrong_effects(method: str, samples: Samples) -> str:
    """Mean SHD, and the mean share of ordered pairs of columns whose effect comes out wrong."""
    distance, shares = [], []
    for drawn, moments in samples:
        found = learn(moments, **METHODS[method], alpha=ALPHA, time_limit=SLOW).cpdag
        distance.append(metrics.shd(found, drawn.cpdag))
        shares.append(100.0 * metrics.aid(drawn.cpdag, found) / (found.d * (found.d - 1)))
    return f"{statistics.mean(distance):.1f} / {statistics.mean(shares):.2f}"


def measured(seeds: int, measure: Callable[[str, Samples], str] = cell) -> Iterator[list[str]]:
    """Rows of the table, a size each."""
    for d, rho in GRID:
        samples = []
        for seed in range(FIRST_SEED, FIRST_SEED + seeds):
            drawn = linear_gaussian(d, rho, ROWS, seed=seed)
            samples.append((drawn, Moments.from_data(drawn.data)))
        yield [f"{d}, {rho}", *(measure(method, samples) for method in METHODS)]
        print(f"d = {d}, rho = {rho} done", file=sys.stderr, flush=True)


def main() -> None:
    """Measure and publish."""
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=5, help="data sets a cell")
    options.add_argument("--effects", action="store_true", help="effects that come out wrong")
    chosen = options.parse_args()
    data = (
        f"n = {ROWS}, alpha = {ALPHA:g}, the paper's simulation, seeds {FIRST_SEED} to "
        f"{FIRST_SEED + chosen.seeds - 1}, the default being XGES with effort 1: means"
    )
    if chosen.effects:
        key, title, measure = "effects", "Effects that come out wrong", wrong_effects
        about = (
            "SHD of the CPDAG / ancestor adjustment identification distance, in % of the ordered "
            f"pairs of columns; {data}."
        )
    else:
        key, title, measure = "cases", "On the paper's simulation", cell
        about = (
            f"Score above the true graph's / SHD of the CPDAG / seconds in the search; {data}, and "
            "medians of the seconds."
        )
    rows = list(measured(chosen.seeds, measure))
    lines = [about, "", *table(["d, ρ", *METHODS], rows)]
    publish(Section(key, title, lines, rows), save=chosen.save)


if __name__ == "__main__":
    main()
