"""Discrete networks with missing values: test-wise deletion beside dropping rows.

``python benchmarks/missing.py [--networks asia child …] [--seeds 5] [--rows 10000] [--share 0.1]
[--save]``. Values are missing completely at random. A table with too few complete rows, or with a
column that is constant on them, cannot be learned from by dropping rows.
"""

from __future__ import annotations

import statistics
import sys
import time
from typing import Any

import numpy as np
import pandas as pd

from greedag import learn, metrics
from greedag.errors import DataError
from speed.networks import DISCRETE, Drawn, draw
from speed.report import Section, parser, publish, table

WAYS = ("complete", "drop", "test-wise")
SEARCHES = {"xges": "default", "ges": "ges"}
SCORES = ("bdeu", "discrete-bic")
FIRST_SEED = 7_000
Cell = list[tuple[int, float] | None]
"""Distance and seconds, by data set; none if nothing could be learned."""


def with_holes(frame: pd.DataFrame, share: float, seed: int) -> pd.DataFrame:
    """Return a table in which a share of the values is missing."""
    lacks = np.random.default_rng([seed, FIRST_SEED]).random(frame.shape) < share
    return frame.mask(lacks, None)


def run(drawn: Drawn, frame: pd.DataFrame, **options: Any) -> tuple[int, float] | None:
    """Return distance and seconds of one search."""
    started = time.perf_counter()
    try:
        result = learn(frame, **options)
    except DataError:
        return None
    return metrics.shd(result.cpdag, drawn.cpdag), time.perf_counter() - started


def measure(network: str, rows: int, seeds: int, share: float) -> dict[str, Cell]:
    """Return what was reached on each data set, by score, search and way."""
    cells: dict[str, Cell] = {}
    for seed in range(FIRST_SEED, FIRST_SEED + seeds):
        drawn = draw(network, rows, seed)
        whole = pd.DataFrame(drawn.rows, columns=drawn.names).astype(str).astype(object)
        holes = with_holes(whole, share, seed)
        for score in SCORES:
            for search in SEARCHES:
                for way in WAYS:
                    frame, missing = (whole, "error") if way == "complete" else (holes, way)
                    found = run(drawn, frame, score=score, search=search, missing=missing)
                    cells.setdefault(f"{score} {search} {way}", []).append(found)
        print(f"{network}, seed {seed} done", file=sys.stderr, flush=True)
    return cells


def shown(cell: Cell) -> str:
    """Return mean distance, median seconds, and how many data sets were too much."""
    done = [run for run in cell if run is not None]
    refused = f" ({len(cell) - len(done)} of {len(cell)} refused)" if len(done) < len(cell) else ""
    if not done:
        return "refused"
    distances, seconds = zip(*done, strict=True)
    return f"{statistics.mean(distances):.1f} / {statistics.median(seconds):.2f}{refused}"


def main() -> None:
    """Measure and publish."""
    options = parser(__doc__)
    options.add_argument("--networks", nargs="+", default=DISCRETE[:4], choices=DISCRETE)
    options.add_argument("--seeds", type=int, default=5)
    options.add_argument("--rows", type=int, default=10_000)
    options.add_argument("--share", type=float, default=0.1, help="of values that are missing")
    chosen = options.parse_args()
    found = {
        network: measure(network, chosen.rows, chosen.seeds, chosen.share)
        for network in chosen.networks
    }
    about = (
        f"Mean SHD of the CPDAG / median seconds; {chosen.rows} rows, seeds {FIRST_SEED} to "
        f"{FIRST_SEED + chosen.seeds - 1}, {100 * chosen.share:g} % of the values missing "
        'completely at random: before they went missing ("complete"), with rows dropped, and by '
        "test-wise deletion. The default is XGES with effort 1."
    )
    rows = [
        [
            network,
            score,
            SEARCHES[search],
            *(shown(cells[f"{score} {search} {way}"]) for way in WAYS),
        ]
        for network, cells in found.items()
        for score in SCORES
        for search in SEARCHES
    ]
    lines = [about, "", *table(["network", "score", "search", *WAYS], rows)]
    publish(Section("missing", "Discrete values missing", lines, found), save=chosen.save)


if __name__ == "__main__":
    main()
