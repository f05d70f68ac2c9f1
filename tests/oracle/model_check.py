"""A model checked from its rows, one regression after the other. Slow and obvious."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy import stats

Floats = Any


def left_over(rows: Floats, y: Floats, columns: Sequence[Floats]) -> Floats:
    """Return the residuals of a regression with intercept."""
    design = np.column_stack([np.ones(len(rows)), *columns])
    return y - design @ np.linalg.lstsq(design, y, rcond=None)[0]


def order(dag: Floats) -> list[int]:
    """Return the columns, parents first; of those that could come next the first."""
    found: list[int] = []
    while len(found) < len(dag):
        found.append(
            min(
                y
                for y in range(len(dag))
                if y not in found and all(x in found for x in np.flatnonzero(dag[:, y]))
            )
        )
    return found


def markov(rows: Floats, dag: Floats) -> dict[tuple[int, int], float]:
    """Return the p-value of each column and each earlier one that is not its parent."""
    found = {}
    columns = order(dag)
    for place, y in enumerate(columns):
        parents = [rows[:, p] for p in np.flatnonzero(dag[:, y])]
        for x in columns[:place]:
            if not dag[x, y]:
                a, b = (left_over(rows, rows[:, j], parents) for j in (x, y))
                r = (a @ b) / np.sqrt((a @ a) * (b @ b))
                freedom = len(rows) - 2 - len(parents)
                t = r * np.sqrt(freedom / (1 - r * r))
                found[y, x] = float(2 * stats.t.sf(abs(t), freedom))
    return found


def deviance(rows: Floats, dag: Floats, y: int) -> tuple[float, int, float]:
    """Return the deviance of a column, its degrees of freedom and its p-value."""
    columns = order(dag)
    before = columns[: columns.index(y)]
    parents = np.flatnonzero(dag[:, y])
    few = left_over(rows, rows[:, y], [rows[:, p] for p in parents])
    many = left_over(rows, rows[:, y], [rows[:, p] for p in before])
    freedom, rest = len(before) - len(parents), len(rows) - 1 - len(before)
    ratio = (few @ few) / (many @ many)
    value = (rest + freedom / 2 - 1) * np.log(ratio)
    return value, freedom, float(stats.f.sf((ratio - 1) * rest / freedom, freedom, rest))


def curve(rows: Floats, dag: Floats, x: int, y: int) -> float:
    """Return the p-value that y depends on x by a straight line only, given its parents."""
    lines = [rows[:, p] for p in {*np.flatnonzero(dag[:, y]).tolist(), x}]
    ranks = 2 * (stats.rankdata(rows[:, x]) - 0.5) / len(rows) - 1
    bends = [np.polynomial.legendre.legval(ranks, [0] * k + [1]) for k in (2, 3, 4, 5)]
    few = left_over(rows, rows[:, y], lines)
    many = left_over(rows, rows[:, y], [*lines, *bends])
    rest = len(rows) - 1 - len(lines) - 4
    return float(stats.f.sf((few @ few / (many @ many) - 1) * rest / 4, 4, rest))


def shape(rows: Floats, dag: Floats, y: int) -> tuple[float, float]:
    """Return the p-values of skewness and kurtosis of what the parents leave of a column."""
    parents = [rows[:, p] for p in np.flatnonzero(dag[:, y])]
    design = np.column_stack([np.ones(len(rows)), *parents])
    hat = design @ np.linalg.inv(design.T @ design) @ design.T
    left = (rows[:, y] - hat @ rows[:, y]) / np.sqrt(1 - hat.diagonal())
    return float(stats.skewtest(left).pvalue), float(stats.kurtosistest(left).pvalue)


def independence(rows: Floats, y: int, x: int, given: Sequence[int]) -> float:
    """Return the p-value that discrete columns are independent, by Pearson's statistic."""
    statistic, freedom = 0.0, 0
    for levels in product(*(np.unique(rows[:, g]) for g in given)):
        among = rows[np.all(rows[:, list(given)] == levels, axis=1)] if given else rows
        if not len(among):
            continue
        table = np.array(
            [
                [np.sum((among[:, y] == a) & (among[:, x] == b)) for b in np.unique(among[:, x])]
                for a in np.unique(among[:, y])
            ]
        )
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
        statistic += float(((table - expected) ** 2 / expected).sum())
        freedom += (table.shape[0] - 1) * (table.shape[1] - 1)
    return float(stats.chi2.sf(statistic, freedom))


def tetrads(covariance: Floats, n: int, draws: int, seed: int) -> float:
    """Return the p-value that tetrads vanish, their covariance found by drawing."""

    def both(s: Floats) -> Floats:
        first = s[..., 0, 1] * s[..., 2, 3]
        return np.stack(
            [
                first - s[..., 0, 2] * s[..., 1, 3],
                first - s[..., 0, 3] * s[..., 1, 2],
            ],
            axis=-1,
        )

    drawn = stats.wishart(n, covariance / n, seed=seed).rvs(draws)
    spread = np.cov(both(drawn).T)
    at = both(covariance)
    return float(stats.chi2.sf(at @ np.linalg.solve(spread, at), 2))
