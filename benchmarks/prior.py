"""How much BDeu's prior should count: distance from the truth by equivalent sample size.

``python benchmarks/prior.py [--networks asia child …] [--seeds 10] [--rows 10000] [--save]``.
greedag's default, XGES with effort 1, and GES search on the same tables for each size, and for the
discrete BIC beside them.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Sequence

import pandas as pd

from greedag import Levels, learn, metrics
from greedag.scores import BDeu, DiscreteBIC
from speed.networks import DISCRETE, draw
from speed.report import Section, parser, publish, table

SEARCHES = ("xges", "ges")
SIZES = (1, 2, 5, 10, 20, 50)
SCORES = {**{f"BDeu {size}": BDeu(size) for size in SIZES}, "discrete BIC": DiscreteBIC()}
FIRST_SEED = 6_000
Distances = dict[str, dict[str, list[int]]]
"""Of each data set, by score and search."""


def measure(network: str, rows: int, seeds: int) -> Distances:
    """Return how far from the truth each search ends with each score."""
    found: Distances = {name: {search: [] for search in SEARCHES} for name in SCORES}
    for seed in range(FIRST_SEED, FIRST_SEED + seeds):
        drawn = draw(network, rows, seed)
        frame = pd.DataFrame(drawn.rows, columns=drawn.names).astype(str)
        levels = Levels.from_data(frame)
        for name, score in SCORES.items():
            for search in SEARCHES:
                result = learn(levels, search=search, score=score)
                found[name][search].append(metrics.shd(result.cpdag, drawn.cpdag))
        print(f"{network}, seed {seed} done", file=sys.stderr, flush=True)
    return found


def shown(distances: dict[str, list[int]]) -> str:
    """Return the mean distances, and their mean difference with its standard error."""
    means = " / ".join(f"{statistics.mean(distances[search]):.1f}" for search in SEARCHES)
    pairs = zip(*(distances[search] for search in SEARCHES), strict=True)
    return f"{means} ({with_error([one - other for one, other in pairs])})"


def with_error(values: Sequence[float]) -> str:
    """Return a mean and its standard error."""
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return f"{statistics.mean(values):+.1f} ± {error:.1f}"


def main() -> None:
    """Measure and publish."""
    options = parser(__doc__)
    options.add_argument("--networks", nargs="+", default=list(DISCRETE), choices=DISCRETE)
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--rows", type=int, default=10_000)
    chosen = options.parse_args()
    found = {network: measure(network, chosen.rows, chosen.seeds) for network in chosen.networks}
    about = (
        "Mean SHD of the CPDAG, default (XGES, effort 1) / GES (mean difference ± its standard "
        "error), by score; BDeu with its equivalent sample size. "
        f"{chosen.rows} rows, seeds {FIRST_SEED} to {FIRST_SEED + chosen.seeds - 1}."
    )
    rows = [[network, *map(shown, by_score.values())] for network, by_score in found.items()]
    lines = [about, "", *table(["network", *SCORES], rows)]
    publish(Section("prior", "BDeu by its prior", lines, found), save=chosen.save)


if __name__ == "__main__":
    main()
