"""Mixed tables: the mixed scores beside discretising everything and taking all as continuous.

``python benchmarks/mixed.py [--seeds 20] [--save]`` prints what this run measured, as a Markdown
table. XGES searches in every case, so that only the treatment of the columns differs.

Each table is drawn from a random DAG, half of whose columns, picked at random, are discrete with 2
to 4 levels. A continuous column is, for each combination of its discrete parents' levels, a linear
Gaussian of its continuous parents with an intercept, weights and a noise of its own. The signs of
the weights are those of the edges, or differ between combinations too, so that an edge may have no
effect on average. A discrete column is multinomial: its logits are a table over the combinations of
its discrete parents' levels plus a linear function of its continuous parents; it is drawn until
every level has 2 % of the rows.

Hence neither mixed score has the true model of every column: the degenerate Gaussian leaves out
interactions of levels and unequal noise, and the conditional Gaussian has no logistic dependence of
levels on continuous columns.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from greedag import CPDAG, learn, metrics
from greedag.result.result import Result
from greedag.scores import BDeu, ConditionalGaussian, DegenerateGaussian, DiscreteBIC
from greedag.statistics.levels import Levels
from greedag.statistics.mixed import MixedTable
from speed.report import Section, parser, publish, table

GRID = tuple((d, rho, turned) for turned in (False, True) for d in (10, 20) for rho in (1, 2))
ROWS, FIRST_SEED = 2_000, 9_000
RAREST = 0.02
"""The least share of rows that a level has; columns with a rarer one are drawn again."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A mixed table and the class that it was drawn from."""

    columns: list[NDArray]
    discrete: list[bool]
    cpdag: CPDAG

    @property
    def names(self) -> tuple[str, ...]:
        """Column names."""
        return self.cpdag.names


def draw(d: int, rho: float, n: int, *, turned: bool, seed: int) -> Drawn:
    """Draw a model and rows from it; rho is the mean number of parents.

    If `turned`, weights have signs of their own for each combination of levels.
    """
    rng = np.random.default_rng(seed)
    dag = np.triu(rng.random((d, d)) < min(1.0, 2.0 * rho / (d - 1)), k=1)
    discrete = np.zeros(d, dtype=bool)
    discrete[rng.permutation(d)[: d // 2]] = True
    columns: list[NDArray] = []
    for y in range(d):
        parents = np.flatnonzero(dag[:, y])
        cell, cells = _combinations([columns[p] for p in parents[discrete[parents]]], n)
        real = np.array([columns[p] / columns[p].std() for p in parents[~discrete[parents]]])
        real = real.reshape(-1, n)
        columns.append(
            _discrete_column(rng, cell, cells, real)
            if discrete[y]
            else _continuous_column(rng, cell, cells, real, turned=turned)
        )
    order = rng.permutation(d)
    return Drawn(
        [columns[j] for j in order],
        [bool(discrete[j]) for j in order],
        CPDAG.from_dag(dag[np.ix_(order, order)].astype(np.uint8)),
    )


def _combinations(levels: list[NDArray], n: int) -> tuple[NDArray, int]:
    """Return which combination of levels each row has, and how many there are."""
    cell, cells = np.zeros(n, dtype=np.int64), 1
    for column in levels:
        size = int(column.max()) + 1
        cell, cells = cell * size + column, cells * size
    return cell, cells


def _discrete_column(rng: np.random.Generator, cell: NDArray, cells: int, real: NDArray) -> NDArray:
    levels = int(rng.integers(2, 5))
    while True:
        logits = rng.normal(0.0, 1.0, (cells, levels))[cell]
        logits += real.T @ rng.normal(0.0, 1.5, (len(real), levels))
        drawn = np.argmax(logits + rng.gumbel(size=logits.shape), axis=1)
        if np.bincount(drawn, minlength=levels).min() >= RAREST * len(drawn):
            return drawn


def _continuous_column(
    rng: np.random.Generator, cell: NDArray, cells: int, real: NDArray, *, turned: bool
) -> NDArray:
    shape = (cells, len(real))
    signs = rng.choice([-1.0, 1.0], shape if turned else shape[1:])
    weights = rng.uniform(0.5, 1.5, shape) * signs
    intercepts, noise = rng.normal(0.0, 1.0, cells), rng.uniform(0.5, 1.0, cells)
    mean = intercepts[cell] + (weights[cell] * real.T).sum(axis=1)
    return mean + noise[cell] * rng.normal(size=len(cell))


def mixed_table(drawn: Drawn) -> MixedTable:
    """Return the table with each column as what it is."""
    kinds = {
        name: "discrete" if cut else "continuous"
        for name, cut in zip(drawn.names, drawn.discrete, strict=True)
    }
    return MixedTable.from_data(np.column_stack(drawn.columns), kinds=kinds)


def discretised(drawn: Drawn, bins: int) -> Levels:
    """Return the table with each continuous column cut into bins of equal frequency."""
    cuts = np.arange(1, bins) / bins
    coded = [
        column if cut else np.searchsorted(np.quantile(column, cuts), column)
        for column, cut in zip(drawn.columns, drawn.discrete, strict=True)
    ]
    return Levels.from_data(np.column_stack(coded))


METHODS: dict[str, Callable[[Drawn], Result]] = {
    "degenerate Gaussian": lambda drawn: learn(mixed_table(drawn), score=DegenerateGaussian()),
    "conditional Gaussian": lambda drawn: learn(mixed_table(drawn), score=ConditionalGaussian()),
    "2 bins, BDeu": lambda drawn: learn(discretised(drawn, 2), score=BDeu()),
    "3 bins, BDeu": lambda drawn: learn(discretised(drawn, 3), score=BDeu()),
    "5 bins, BDeu": lambda drawn: learn(discretised(drawn, 5), score=BDeu()),
    "3 bins, discrete BIC": lambda drawn: learn(discretised(drawn, 3), score=DiscreteBIC()),
    "all continuous, Gaussian BIC": lambda drawn: learn(
        np.column_stack(drawn.columns).astype(np.float64), score="gaussian-bic"
    ),
}


def measured(seeds: int) -> Iterator[list[str]]:
    """Rows of the table, a size each."""
    for d, rho, turned in GRID:
        drawn_from = range(FIRST_SEED, FIRST_SEED + seeds)
        tables = [draw(d, rho, ROWS, turned=turned, seed=seed) for seed in drawn_from]
        cells = []
        for method in METHODS.values():
            results = [method(drawn) for drawn in tables]
            distances = [
                metrics.shd(result.cpdag, drawn.cpdag)
                for result, drawn in zip(results, tables, strict=True)
            ]
            seconds = statistics.median(sum(result.timings.values()) for result in results)
            error = statistics.stdev(distances) / len(distances) ** 0.5
            cells.append(f"{statistics.mean(distances):.1f} ± {error:.1f} / {seconds:.2f}")
        print(f"d = {d}, rho = {rho}, {turned}: {cells}", file=sys.stderr, flush=True)
        yield [f"{d}, {rho}, {'combination' if turned else 'edge'}", *cells]


def main() -> None:
    """Measure and publish."""
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=20, help="tables a cell")
    chosen = options.parse_args()
    about = (
        "Mean SHD of the CPDAG ± standard error / median seconds, statistics included. Half of the "
        "columns are discrete, with 2 to 4 levels; continuous columns are linear Gaussians for "
        "each combination of their parents' levels, with signs of the weights by edge or by "
        "combination; discrete ones are multinomial logits. XGES with the default options of each "
        "score: on the columns as they are, on continuous ones cut into bins of equal frequency, "
        f"or on all taken as numbers. n = {ROWS}, seeds {FIRST_SEED} to "
        f"{FIRST_SEED + chosen.seeds - 1}."
    )
    rows = list(measured(chosen.seeds))
    lines = [about, "", *table(["d, ρ, signs by", *METHODS], rows)]
    publish(Section("mixed", "On mixed tables", lines, rows), save=chosen.save)


if __name__ == "__main__":
    main()
