"""Direction margins: how often the search for them misses the best class, and what they take.

``python benchmarks/direction_margins.py [--sets 200] [--cases folder]`` draws tables of five
columns and compares what the search finds for each directed edge with the best of all classes. For
each covariance (.npz with ``covariance`` and ``n``) in a folder, it prints the seconds of the
margins beside those of the search.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from greedag import Moments, Result, _core, learn, simulate

D = 5
ROWS = (50, 100, 200, 500, 1000)
DENSITIES = (1.0, 1.5, 2.0)


def margins(result: Result, *, exact: bool) -> list[float]:
    """Return the margin of each directed edge; with `exact`, the best of all classes'."""
    assert result.objective is not None and result.statistics is not None
    score = result.objective.bind(result.statistics)
    names = {name: i for i, name in enumerate(result.cpdag.names)}
    edges = [(names[a], names[b]) for a, b in result.cpdag.directed]
    found = _core.turned_classes(score, result.cpdag.to_matrix(), edges, exact=exact)
    return [float("nan") if turned is None else -turned[0] for turned in found]


def gaussian(seed: int) -> Result:
    """Return a result on continuous columns."""
    drawn = simulate.linear_gaussian(D, DENSITIES[seed % 3], ROWS[seed % 5], seed=10_000 + seed)
    return learn(drawn.data)


def discrete(seed: int) -> Result:
    """Return a result on columns of three levels: continuous ones, cut at their terciles."""
    drawn = simulate.linear_gaussian(D, DENSITIES[seed % 3], ROWS[seed % 5], seed=20_000 + seed)
    cuts = np.quantile(drawn.data, [1 / 3, 2 / 3], axis=0)
    levels = (drawn.data[:, None, :] > cuts).sum(axis=1)
    return learn(levels.astype(str), score="discrete-bic")


def compare(draw: Callable[[int], Result], sets: int) -> None:
    """Print how often, and by how much, the search misses the best class."""
    excess = []
    for result in map(draw, range(sets)):
        found, best = (np.array(margins(result, exact=exact)) for exact in (False, True))
        excess.extend((found - best).tolist())
    above = [value for value in excess if value > 1e-6]
    print(
        f"{sets} {draw.__name__} tables of {D} columns, {len(excess)} directed edges: "
        f"{1.0 - len(above) / max(len(excess), 1):.1%} equal to the best, "
        f"{sum(value < -1e-6 for value in excess)} below, "
        f"{sum(map(np.isnan, excess))} not found, {len(above)} above"
        + (f" by {np.median(above):.2f} (median), {max(above):.2f} (most)" if above else "")
    )


def measure(folder: Path) -> None:
    """Print the seconds of CPU of search and margins, a line per case."""
    for path in sorted(folder.glob("*.npz"), key=lambda path: path.stat().st_size):
        with np.load(path) as case:
            moments = Moments(covariance=case["covariance"], n=int(case["n"]))
        start = time.process_time()
        result = learn(moments)
        searched = time.process_time()
        found = margins(result, exact=False)
        print(
            f"{path.stem}: search {searched - start:.2f} s, {len(found)} margins "
            f"{time.process_time() - searched:.2f} s, median margin {np.median(found):.1f}",
            flush=True,
        )


def main(arguments: list[str]) -> None:
    """Compare and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--cases", type=Path)
    options = parser.parse_args(arguments)
    compare(gaussian, options.sets)
    compare(discrete, options.sets)
    if options.cases:
        measure(options.cases)


if __name__ == "__main__":
    main(sys.argv[1:])
