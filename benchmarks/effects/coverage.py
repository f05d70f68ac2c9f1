"""What intervals of effects cover: of the rows that chose the graph, and of other rows.

``python benchmarks/effects/coverage.py [--sets 1000] [--rows 500 5000] [--plot FILE] [--save]``
prints what this run measured.

Linear Gaussian tables of 10 columns, one parent each on average. The graph is learned from n rows;
every effect that it says is identified and not zero is estimated from these rows and from n others,
and compared with the true one. An effect that the true graph does not have is 0.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))
from greedag import Moments, Result, learn, simulate
from page import publish
from report import parser, table

FIRST_SEED = 190_000
COLUMNS = 10
ESTIMATED_FROM = ("the same rows", "other rows")


class Covered(NamedTuple):
    """Intervals of one table: how many there are, and how many cover the true effect."""

    is_true_class: bool
    intervals: int
    covering: tuple[int, int]


def judge(seed: int, n: int) -> Covered:
    """Return what intervals cover on one table."""
    drawn = simulate.linear_gaussian(COLUMNS, 1.0, 2 * n, seed=FIRST_SEED + seed)
    true = np.linalg.inv(np.eye(COLUMNS) - np.asarray(drawn.weights))
    result = learn(drawn.data[:n])
    rows = [Moments.from_data(part) for part in (drawn.data[:n], drawn.data[n:])]
    found = [_covering(result, part, true) for part in rows]
    return Covered(result.cpdag == drawn.cpdag, found[0][0], (found[0][1], found[1][1]))


def _covering(result: Result, rows: Moments, true: np.ndarray) -> tuple[int, int]:
    intervals = covering = 0
    for y, name in enumerate(result.cpdag.names):
        for effect in result.effects(on=name, data=rows):
            if effect.is_identified and effect.possible[0].has_effect:
                low, high = effect.interval or (0.0, 0.0)
                intervals += 1
                covering += low <= true[result.cpdag.index(effect.x), y] <= high
    return intervals, covering


def _share(runs: list[Covered], place: int) -> tuple[float, float]:
    """Return the share of intervals that cover, and its standard error between tables."""
    counts = np.array([(run.intervals, run.covering[place]) for run in runs], dtype=float)
    total, hits = counts.sum(axis=0)
    left = counts[:, 1] - hits / total * counts[:, 0]
    return hits / total, float(np.sqrt(np.square(left).sum())) / total


def _plot(path: str, bars: list[tuple[str, float, float]]) -> None:
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
    for place, (_, share, error) in enumerate(bars):
        colour = "C0" if place % 2 else "C1"
        ax.errorbar([share], [place], xerr=[2.0 * error], fmt="o", color=colour, capsize=3)
    ax.axvline(0.95, color="0.6", linewidth=1.0)
    ax.set_yticks(range(len(bars)), [name for name, _, _ in bars])
    ax.invert_yaxis()
    ax.set_xlabel("share of 95 % intervals that cover the true effect")
    figure.savefig(path)


def main() -> None:
    """Measure, and print the table."""
    options = parser(__doc__)
    options.add_argument("--sets", type=int, default=1000)
    options.add_argument("--rows", type=int, nargs="+", default=[500, 5000])
    options.add_argument("--plot", metavar="FILE")
    chosen = options.parse_args()
    rows, bars = [], []
    for n in chosen.rows:
        runs = [judge(seed, n) for seed in range(chosen.sets)]
        right = [run for run in runs if run.is_true_class]
        for among, part in (("all", runs), ("true class found", right)):
            for place, source in enumerate(ESTIMATED_FROM):
                share, error = _share(part, place)
                intervals = sum(run.intervals for run in part)
                shown = f"{100 * share:.1f} ± {100 * error:.1f} %"
                rows.append([f"{n:,}", among, f"{len(part)}", source, f"{intervals:,}", shown])
                bars.append((f"n = {n:,}, {among}: {source}", share, error))
    header = ["n", "tables", "number", "estimated from", "intervals", "cover the effect"]
    publish("Coverage", table(header, rows), save=chosen.save)
    if chosen.plot:
        _plot(chosen.plot, bars)


if __name__ == "__main__":
    main()
