"""Tests of what a regression leaves out: columns that are missing in it, and curves.

All come from one matrix of correlations, of the columns and of curves of them. A curve of a column
is a polynomial of its ranks, which is bounded, so that no single row decides. Given the values of
the explaining columns, and normal noise, the F tests here are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from greedag.statistics.tails import f_tail

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

CURVES = 4
"""Curves of each column: polynomials of degrees 2 to 5 of its ranks."""
# Of a standardised column: what is left is rounding.
_NOTHING = 1e-10
_ROWS_AT_ONCE = 4096


class Tests(NamedTuple):
    """Tests of what may be added to a regression, one for each column.

    Attributes
    ----------
    columns : ndarray
        Which column is added.
    p_values : ndarray
        That it explains so much by chance; 1 where nothing is left of it.
    gains : ndarray
        Of the log-likelihood, less a penalty of log n for each column or curve.
    correlations : ndarray
        Partial correlation, with its sign where a single column is added.
    """

    columns: Places
    p_values: Floats
    gains: Floats
    correlations: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Regressions:
    """Regressions of columns on others, and on curves of them.

    Attributes
    ----------
    n : float
        Number of rows.
    d : int
        Number of columns.
    correlation : ndarray
        Of the columns and, where there are rows, of `CURVES` curves of each behind them.
    """

    n: float
    d: int
    correlation: Floats

    @property
    def has_curves(self) -> bool:
        """Whether there are curves."""
        return len(self.correlation) > self.d

    def curves_of(self, column: int) -> list[int]:
        """Return the places of the curves of a column."""
        first = self.d + CURVES * column
        return list(range(first, first + CURVES))

    def left(self, y: int, given: Sequence[int]) -> _Left:
        """Return what a regression of y on given places leaves of all others."""
        matrix, places = self.correlation, list(given)
        factor = np.linalg.cholesky(matrix[np.ix_(places, places)])
        explained = np.linalg.solve(factor, matrix[places])
        row = matrix[y] - explained[:, y] @ explained
        return _Left(explained, row, np.clip(1.0 - np.square(explained).sum(axis=0), 0.0, 1.0))

    def columns_missing(self, y: int, given: Sequence[int], among: Places) -> Tests:
        """Test whether columns would add to the regression of y."""
        left = self.left(y, given)
        room = left.variances[among] * left.variances[y]
        squares = np.where(room > _NOTHING**2, left.row[among] ** 2 / np.maximum(room, 1e-300), 0.0)
        squares = np.minimum(squares, 1.0 - 1e-15)
        freedom = self.n - 2.0 - len(given)
        p_values = f_tail(squares / (1.0 - squares) * freedom, 1.0, freedom)
        gains = -0.5 * self.n * np.log1p(-squares) - np.log(self.n)
        return Tests(among, p_values, gains, np.sign(left.row[among]) * np.sqrt(squares))

    def curves_missing(self, y: int, given: Sequence[int], among: Places) -> Tests:
        """Test whether curves of columns would add to the regression of y on these and others."""
        left, inside = self.left(y, given), set(given)
        squares, sizes = np.zeros(len(among)), np.zeros(len(among))
        is_new = np.array([x not in inside for x in among.tolist()], dtype=bool)
        for place, x in enumerate(among.tolist()):
            squares[place], sizes[place] = self._by_curves(left, y, x, bool(is_new[place]))
        freedom = self.n - 1.0 - len(given) - is_new - sizes
        squares = np.where(freedom >= 1.0, np.minimum(squares, 1.0 - 1e-15), 0.0)
        freedom, above = np.maximum(freedom, 1.0), np.maximum(sizes, 1.0)
        p_values = f_tail(squares / (1.0 - squares) * freedom / above, above, freedom)
        gains = -0.5 * self.n * np.log1p(-squares) - np.log(self.n) * sizes
        return Tests(among, p_values, gains, np.sqrt(squares))

    def _by_curves(self, left: _Left, y: int, x: int, is_new: bool) -> tuple[float, int]:
        """Return the share of what is left of y that curves of x explain, and their number."""
        places = self.curves_of(x)
        part = left.explained[:, places]
        block = self.correlation[np.ix_(places, places)] - part.T @ part
        towards, room = left.row[places], left.variances[y]
        if is_new and left.variances[x] > _NOTHING:
            # The line comes first, so that only what bends is tested.
            line = (self.correlation[x, places] - left.explained[:, x] @ part) / left.variances[x]
            block = block - np.outer(line, line) * left.variances[x]
            towards = towards - left.row[x] * line
            room -= left.row[x] ** 2 / left.variances[x]
        values, vectors = np.linalg.eigh(block)
        kept = values > 1e-8
        if room <= _NOTHING or not kept.any():
            return 0.0, 0
        parts = (towards @ vectors)[kept] ** 2 / values[kept]
        return float(parts.sum() / room), int(kept.sum())


class _Left(NamedTuple):
    """What a regression leaves: the part that it explains, and what is left of y and of all."""

    explained: Floats
    row: Floats
    variances: Floats


def ranks_of(values: Floats) -> Floats:
    """Return the ranks of each column, spread over -1 to 1; equal values share one."""
    n = len(values)
    found = np.empty(values.shape)
    for j, column in enumerate(values.T):
        _, place, counts = np.unique(column, return_inverse=True, return_counts=True)
        middle = np.cumsum(counts) - 0.5 * counts
        found[:, j] = 2.0 * middle[place.reshape(-1)] / n - 1.0
    return found


def curves(ranks: Floats) -> Floats:
    """Return the curves of columns, side by side: Legendre polynomials of their ranks."""
    found = np.empty((len(ranks), ranks.shape[1] * CURVES))
    before, last = np.ones_like(ranks), ranks
    for k in range(2, CURVES + 2):
        before, last = last, ((2 * k - 1) * ranks * last - (k - 1) * before) / k
        found[:, k - 2 :: CURVES] = last
    return found


def correlations_with_curves(values: Floats, ranks: Floats, correlation: Floats) -> Floats:
    """Return the correlations of columns, which are known, and of their curves."""
    n, d = values.shape
    size = d * (1 + CURVES)
    sums, products = np.zeros(size), np.zeros((size, size))
    mean = values.mean(axis=0)
    for start in range(0, n, _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        block = np.hstack([values[rows] - mean, curves(ranks[rows])])
        sums += block.sum(axis=0)
        products += block.T @ block
    products -= np.outer(sums, sums) / n
    scale = np.sqrt(np.maximum(products.diagonal(), 0.0))
    products /= np.outer(*(np.where(scale > 0.0, scale, 1.0),) * 2)
    products[:d, :d] = correlation
    return products
