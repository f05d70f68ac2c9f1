"""How likely rows are that a graph was not learned from."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag.data.rows import SelectedRows
from greedag.data.table import Floats
from greedag.errors import DataError, OptionError, quoted
from greedag.graph.mpdag import Matrix
from greedag.scores.additive import AdditiveBIC
from greedag.scores.base import Prepared, Score
from greedag.scores.mixed import DegenerateGaussian
from greedag.statistics.levels import Levels
from greedag.statistics.mixed import MixedTable
from greedag.statistics.moments import Moments

# Added to the count of each level, so that none that was not seen is impossible (Jeffreys).
_PRIOR = 0.5

Places = NDArray[np.intp]
Judge = Callable[[Matrix, Score], float]
"""Returns the log-likelihood of rows, from a DAG and the score that it was found with."""


def judge_of(score: Score, prepared: Prepared) -> Callable[[Any, Any], Judge]:
    """Return how to judge DAGs, from the statistics of the rows to learn from and to judge by.

    Raises
    ------
    OptionError
        If the score is not that of a model that gives rows a probability.
    """
    whole = prepared.statistics
    if isinstance(whole, Moments):
        if any(map(_has_gaps, prepared.rows)):
            raise _no_likelihood("where values are missing")
        return _judge_by_lines
    if isinstance(score, DegenerateGaussian):
        return lambda train, test: _judge_by_indicators(whole, train, test)
    if isinstance(score, AdditiveBIC):
        return _judge_by_curves
    if isinstance(whole, Levels):
        if whole.missing:
            raise _no_likelihood("where values are missing")
        return lambda train, test: lambda dag, _: discrete_log_likelihood(train, test, dag)
    if hasattr(score, "by_column"):
        raise _no_likelihood("where rows come from experiments")
    raise _no_likelihood(f"for the score {quoted(score.name)}")


def _no_likelihood(where: str) -> OptionError:
    return OptionError(
        f"held-out rows cannot be judged {where}; choose alpha by 'stars' or 'ebic'",
        code="no-likelihood",
    )


def _has_gaps(rows: SelectedRows) -> bool:
    return rows.missing == "em" and bool(rows.source.in_memory().missing_cells().any())


# ---- Gaussian models


@dataclass(frozen=True, slots=True, eq=False)
class Equations:
    """Judges linear equations with normal noise, fitted to some rows, by others.

    Attributes
    ----------
    first, second : ndarray of shape (k, k)
        Mean products of the rows that are fitted and of those that are judged, as deviations from
        the means of the former.
    units : ndarray of shape (k,)
        The powers of two that these are in.
    n : float
        Number of rows that are judged.
    names : tuple of str
    """

    first: Floats
    second: Floats
    units: NDArray[Any]
    n: float
    names: tuple[str, ...]

    @classmethod
    def of(cls, train: Moments, test: Moments) -> Equations:
        """Take the moments of the rows that are fitted, and of those that are judged."""
        units = train._exponent
        assert train.mean is not None and test.mean is not None
        # Columns that are constant in one of the two have units of their own.
        with np.errstate(over="ignore", invalid="ignore"):
            second = np.ldexp(test._scaled, _shifts(test, units))
            gap = np.ldexp(test.mean - train.mean + (test._mean_rest - train._mean_rest), -units)
            second = second + np.outer(gap, gap)
        return cls(train._scaled, second, units, float(test.n), train.names)

    def log_likelihood(self, responses: Sequence[int], predictors: Sequence[int]) -> float:
        """Return the log density of columns given others, over all rows that are judged.

        Columns that are constant in the rows that are fitted are left out: no density is known.
        """
        varies = self.first.diagonal() > 0.0
        y, x = ([j for j in each if varies[j]] for each in (responses, predictors))
        if not y:
            return 0.0
        weights = np.vstack([-_slopes(self.first, y, x), np.eye(len(y))])
        places, both = np.ix_([*x, *y], [*x, *y]), (self.first, self.second)
        noise, residual = (weights.T @ each[places] @ weights for each in both)
        sign, log_noise = np.linalg.slogdet(noise)
        if not sign > 0.0:
            raise DataError(
                f"column {quoted(self.names[y[0]])} is fitted exactly by its parents",
                remedy="choose larger alphas",
                code="exact-fit",
            )
        misfit = float(np.trace(np.linalg.solve(noise, residual)))
        constant = len(y) * math.log(2.0 * math.pi)
        scale = float(self.units[y].sum()) * math.log(2.0)
        return -self.n * (0.5 * (constant + float(log_noise) + misfit) + scale)


def _shifts(moments: Moments, units: NDArray[Any]) -> NDArray[Any]:
    """Return the powers of two that bring covariances into other units; 0 where they are 0."""
    shift = np.where(moments._scaled.diagonal() > 0.0, moments._exponent - units, 0)
    shifts: NDArray[Any] = shift[:, np.newaxis] + shift
    return shifts


def _slopes(covariance: Floats, y: Sequence[int], x: Sequence[int]) -> Floats:
    if not x:
        return np.empty((0, len(y)))
    among, between = covariance[np.ix_(x, x)], covariance[np.ix_(x, y)]
    try:
        slopes = np.linalg.solve(among, between)
    except np.linalg.LinAlgError:
        slopes = np.linalg.lstsq(among, between, rcond=None)[0]
    return slopes.astype(np.float64, copy=False)


def _judge_by_lines(train: Moments, test: Moments) -> Judge:
    equations = Equations.of(train, test)

    def judge(dag: Matrix, _: Score) -> float:
        columns = range(train.d)
        return sum(
            equations.log_likelihood([y], np.flatnonzero(dag[:, y]).tolist()) for y in columns
        )

    return judge


def _judge_by_indicators(whole: MixedTable, train: MixedTable, test: MixedTable) -> Judge:
    """Judge by linear equations in which each level but one is a 0/1 column."""
    first, starts = _relabelled(train, whole).embedded()
    second, _ = _relabelled(test, whole).embedded()
    equations = Equations.of(first, second)
    places = [list(range(a, b)) for a, b in pairwise(starts)]

    def judge(dag: Matrix, _: Score) -> float:
        total = 0.0
        for y, own in enumerate(places):
            parents = np.flatnonzero(dag[:, y])
            total += equations.log_likelihood(own, [j for p in parents for j in places[p]])
        return total

    return judge


def _relabelled(part: MixedTable, whole: MixedTable) -> MixedTable:
    """Return some rows with the levels of all rows."""
    codes = np.empty_like(part.codes)
    for j, (own, all_levels) in enumerate(zip(part.labels, whole.labels, strict=True)):
        place = {level: code for code, level in enumerate(all_levels)}
        codes[j] = np.array([place[level] for level in own], dtype=codes.dtype)[part.codes[j]]
    return replace(part, codes=codes, labels=whole.labels)


def _judge_by_curves(train: Any, test: Any) -> Judge:
    """Judge by sums of curves, as many as the score takes of each parent."""
    equations, starts = Equations.of(train.moments, test.moments), train.starts
    widths = np.diff(starts).tolist()
    kinds = zip(train.kinds, widths, strict=True)
    responses = [1 if kind == "continuous" else width for kind, width in kinds]
    # Curves have units of their own: the density is one of the values in the table.
    first = [starts[y] + k for y, count in enumerate(responses) for k in range(count)]
    factors = _log_deviations(train.embedded()[0]) - _log_deviations(train.moments)[first]
    in_units = float(test.n) * float(factors.sum())
    varying = [[*curves, *steps] for curves, steps in train.varying()]

    def judge(dag: Matrix, score: Score) -> float:
        bound: Any = score.bind(train, check=False)
        total = -in_units
        for y, count in enumerate(responses):
            parents = np.flatnonzero(dag[:, y]).tolist()
            taken = zip(parents, bound.chosen(y, parents), strict=True)
            columns = [varying[p][place] for p, places in taken for place in places]
            total += equations.log_likelihood(range(starts[y], starts[y] + count), columns)
        return total

    return judge


def _log_deviations(moments: Moments) -> Floats:
    """Return the logarithms of standard deviations, 0 for constant columns."""
    variances = moments._scaled.diagonal()
    varies = variances > 0.0
    logs = 0.5 * np.log(np.where(varies, variances, 1.0)) + moments._exponent * math.log(2.0)
    found: Floats = np.where(varies, logs, 0.0)
    return found


# ---- tables of probabilities


def discrete_log_likelihood(train: Levels, test: Levels, dag: Matrix) -> float:
    """Return the log-likelihood of rows under the tables of probabilities of other rows.

    Half a row is added to each level of each combination of the parents' levels.

    Parameters
    ----------
    train, test : Levels
        With the same labels: of the rows that are counted, and of those that are judged.
    dag : ndarray of shape (d, d)
    """
    sizes, total = train.sizes, 0.0
    for y, size in enumerate(sizes):
        parents = np.flatnonzero(dag[:, y])
        first, second, combinations = _cells(train, test, parents)
        counts = np.zeros((combinations, size))
        np.add.at(counts, (first, train.codes[y].astype(np.intp)), train.counts)
        counts += _PRIOR
        shares = np.log(counts) - np.log(counts.sum(axis=1, keepdims=True))
        total += float(shares[second, test.codes[y].astype(np.intp)] @ test.counts)
    return total


def _cells(train: Levels, test: Levels, parents: Places) -> tuple[Places, Places, int]:
    """Return the combination of levels that each row of both tables has, and how many there are."""
    rows = len(train.counts)
    cells = np.zeros(rows + len(test.counts), dtype=np.intp)
    combinations = 1
    for p in parents:
        codes = np.concatenate([train.codes[p], test.codes[p]]).astype(np.intp)
        found, cells = np.unique(cells * train.sizes[p] + codes, return_inverse=True)
        cells, combinations = cells.reshape(-1), len(found)
    return cells[:rows], cells[rows:], combinations
