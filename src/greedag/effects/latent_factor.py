"""A hidden common cause fitted beside a graph, from moments.

The cause, of variance 1, is a parent of some columns beside those that the graph has. Its effects
are estimated by EM: what the columns say of it, then a regression of each column on its parents and
on it. Where that explains what fails by fewer parameters than edges would take, it is the better
explanation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from greedag.graph.mpdag import Matrix

Floats = NDArray[np.float64]
Missing = Mapping[int, Sequence[int]]

_MOST_COLUMNS = 40
_FEWEST_COLUMNS = 3
_ROUNDS, _SLOW = 400, 1e-8
_LEAST_VARIANCE = 1e-6
_SMALL = 0.1
# Of members, those that fit best with a cause of all columns.
_MOST_ENDED = 6


class Factor:
    """A hidden cause of some columns of a graph, fitted.

    Attributes
    ----------
    columns : list of int
        The columns that it acts on.
    loadings : ndarray
        Its effect on each, in standard deviations.
    likelihood : float
        Logarithm of the likelihood of these columns, given their parents, a row.
    """

    def __init__(self, correlation: Floats, dag: Matrix, columns: Sequence[int]) -> None:
        self._correlation, self.columns = correlation, list(columns)
        self._parents = [np.flatnonzero(dag[:, y]) for y in columns]
        self._residual = np.zeros((len(self.columns), len(correlation)))
        self._noise = np.ones(len(self.columns))
        self.loadings = np.zeros(len(self.columns))
        self._regress(np.zeros(len(correlation)), 1.0)
        self._start()
        self.likelihood = self._fit()

    def _start(self) -> None:
        """Take the loadings from what the columns' regressions leave in common."""
        left = self._residual @ self._correlation @ self._residual.T
        shared = left - np.diag(left.diagonal())
        values, vectors = np.linalg.eigh(shared)
        self.loadings = vectors[:, -1] * math.sqrt(max(values[-1], 1e-4))
        limit = 0.9 * np.sqrt(self._noise)
        self.loadings = np.clip(self.loadings, -limit, limit)
        self._noise = self._noise - self.loadings**2

    def _fit(self) -> float:
        before = -math.inf
        for _ in range(_ROUNDS):
            known, variance, likelihood = self._said()
            if likelihood - before < _SLOW:
                break
            before = likelihood
            towards = self._correlation @ known
            self._regress(towards, variance + float(known @ towards))
        return likelihood

    def _said(self) -> tuple[Floats, float, float]:
        """Return what rows say of the cause: weights of columns, variance left; the likelihood."""
        scaled = self.loadings / self._noise
        variance = 1.0 / (1.0 + float(scaled @ self.loadings))
        known = scaled @ self._residual
        left = np.einsum("ij,jk,ik->i", self._residual, self._correlation, self._residual)
        squares = float((left / self._noise).sum()) - variance * float(
            known @ self._correlation @ known
        )
        logs = float(np.log(self._noise).sum()) - math.log(variance)
        return variance * known, variance, -0.5 * (logs + squares)

    def _regress(self, towards: Floats, square: float) -> None:
        """Regress each column on its parents and on the cause, of which moments are known."""
        for place, (y, parents) in enumerate(zip(self.columns, self._parents, strict=True)):
            size = len(parents)
            matrix = np.empty((size + 1, size + 1))
            matrix[:size, :size] = self._correlation[np.ix_(parents, parents)]
            matrix[size, :size] = matrix[:size, size] = towards[parents]
            matrix[size, size] = square
            right = np.append(self._correlation[parents, y], towards[y])
            slopes = np.linalg.solve(matrix, right)
            self.loadings[place] = slopes[size]
            self._noise[place] = max(1.0 - float(slopes @ right), _LEAST_VARIANCE)
            self._residual[place] = 0.0
            self._residual[place, y] = 1.0
            self._residual[place, parents] = -slopes[:size]


def one_cause(
    correlation: Floats, n: float, members: Sequence[tuple[Matrix, Missing]]
) -> tuple[int, ...]:
    """Return the columns that one hidden cause acts on, if it explains more than edges would.

    Parameters
    ----------
    correlation : ndarray of shape (d, d)
    n : float
        Number of rows.
    members : sequence of (ndarray of shape (d, d), mapping of int to list of int)
        DAGs of the class, which differ once something is added to them, and for each column of
        them the parents that it lacks.

    Returns
    -------
    tuple of int
        Empty if edges are the better explanation.
    """
    fewest = min(sum(map(len, missing.values())) for _, missing in members)
    if fewest < 2 or len(correlation) < _FEWEST_COLUMNS:
        return ()
    with_edges = max(_with_edges(correlation, n, *member) for member in members)
    tried = [_Tried(correlation, n, dag) for dag, _ in members]
    started = [
        (*each.fitted(_candidates(len(correlation), missing)), each)
        for each, (_, missing) in zip(tried, members, strict=True)
    ]
    started.sort(key=lambda one: -one[0])
    ended = [each.without_weak(score, factor) for score, factor, each in started[:_MOST_ENDED]]
    score, factor = max(ended, key=lambda one: one[0])
    return tuple(factor.columns) if score > with_edges else ()


def _with_edges(correlation: Floats, n: float, dag: Matrix, missing: Missing) -> float:
    """Return the penalised likelihood of a DAG to which the edges are added that it lacks."""
    parts = [_likelihood(correlation, dag, y, missing.get(y, ())) for y in range(len(correlation))]
    return n * sum(parts) - 0.5 * math.log(n) * sum(map(len, missing.values()))


def _candidates(d: int, missing: Missing) -> list[int]:
    """Return the columns that a hidden cause may act on; of many, those whose tests failed."""
    if d <= _MOST_COLUMNS:
        return list(range(d))
    failing = sorted({*missing, *(x for added in missing.values() for x in added)})
    return failing[:_MOST_COLUMNS]


class _Tried:
    """A DAG beside which hidden causes are fitted."""

    def __init__(self, correlation: Floats, n: float, dag: Matrix) -> None:
        self._correlation, self._n, self._dag = correlation, n, dag
        self._alone = [_likelihood(correlation, dag, y, ()) for y in range(len(correlation))]

    def fitted(self, columns: Sequence[int]) -> tuple[float, Factor]:
        """Fit a cause of some columns, and return its penalised likelihood with it."""
        factor = Factor(self._correlation, self._dag, columns)
        rest = sum(value for y, value in enumerate(self._alone) if y not in factor.columns)
        price = 0.5 * math.log(self._n) * len(factor.columns)
        return self._n * (factor.likelihood + rest) - price, factor

    def without_weak(self, score: float, factor: Factor) -> tuple[float, Factor]:
        """Leave out columns that a cause hardly acts on, while that pays."""
        while len(factor.columns) > _FEWEST_COLUMNS:
            sizes = np.abs(factor.loadings)
            # Many at a time, while they are small beside the largest.
            few = sizes >= min(_SMALL * sizes.max(), np.sort(sizes)[-_FEWEST_COLUMNS])
            if few.all():
                few[sizes.argmin()] = False
            kept = [y for y, is_kept in zip(factor.columns, few, strict=True) if is_kept]
            fewer, smaller = self.fitted(kept)
            if fewer < score:
                break
            score, factor = fewer, smaller
        return score, factor


def _likelihood(correlation: Floats, dag: Matrix, y: int, added: Sequence[int]) -> float:
    """Return the logarithm of the likelihood of a column given its parents and others, a row."""
    parents = [*np.flatnonzero(dag[:, y]), *added]
    towards = correlation[parents, y]
    explained = towards @ np.linalg.solve(correlation[np.ix_(parents, parents)], towards)
    return -0.5 * (math.log(max(1.0 - float(explained), _LEAST_VARIANCE)) + 1.0)
