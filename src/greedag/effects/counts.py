"""Effects among discrete columns, from counts.

Adjusted for a set Z, P(y | do(x)) = Σ_z P(z) P(y | x, z). An effect is by how much the probability
of one level of y changes when x is changed from one level to another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from greedag.data.table import Floats
from greedag.effects.linear import Fit, level_of
from greedag.errors import DataError, listed, quoted
from greedag.statistics.levels import Levels

# Of rows in strata that lack a level: with more of them, an effect says little of the whole table.
_MOST_LEFT_OUT = 0.5

# Of a column: from which level to which, by their places.
Change = tuple[int, int]


class CountedFits:
    """Effects of levels on levels.

    Parameters
    ----------
    levels : Levels
        The distinct rows with counts.
    of : hashable, optional
        The level whose probability changes; the last one if left out.
    """

    # Several columns at once need a set to adjust for.
    is_recursive = False

    def __init__(self, levels: Levels, of: Any = None) -> None:
        complete = (levels.codes < np.array(levels.sizes)[:, np.newaxis]).all(axis=0)
        self.names, self.labels = levels.names, dict(enumerate(levels.labels))
        self._codes = levels.codes[:, complete].astype(np.int64)
        self._counts = levels.counts[complete]
        self._of = of
        if not complete.any():
            raise DataError("no row has a value in every column", code="no-rows")

    @property
    def n(self) -> float:
        """Number of rows."""
        return float(self._counts.sum())

    def usual_change(self, x: int) -> Change:
        """Return the change from the first level to the last."""
        return 0, len(self.labels[x]) - 1

    def change(self, x: int, start: Any, end: Any) -> Change:
        """Return a change of a column from one level to another."""
        return self._level(x, start), self._level(x, end)

    def change_to(self, x: int, value: Any) -> Change:
        """Return the change of a column to a level, from wherever it is."""
        place = self._level(x, value)
        return place, place

    def of(self, y: int) -> int:
        """Return the level of y that is looked at."""
        return len(self.labels[y]) - 1 if self._of is None else self._level(y, self._of)

    def means(self, y: int) -> Floats:
        """Return the shares of the levels of a column."""
        counts = self._sums(self._codes[y], len(self.labels[y]))
        shares: Floats = counts / counts.sum()
        return shares

    def means_of(self, y: int, value: Any) -> Floats:
        """Return the same where the column is set to a level."""
        ones: Floats = (np.arange(len(self.labels[y])) == self._level(y, value)).astype(np.float64)
        return ones

    def given(
        self, xs: Sequence[int], y: int, others: Sequence[int], changes: Mapping[int, Change]
    ) -> Fit:
        """Return the effect of changes on y, adjusted for other columns."""
        strata, hit = self._strata(others), self._codes[y] == self.of(y)
        start, end = (self._under(xs, strata, hit, changes, side) for side in (0, 1))
        weights, left_out = self._weights(strata, start.rows * end.rows > 0.0, xs, changes)
        differences = end.share - start.share
        value = float(weights @ differences)
        # Of the shares of levels within strata, and of the strata themselves.
        variance = weights**2 @ (end.variance + start.variance)
        variance += weights @ (differences - value) ** 2 / self.n
        return Fit((value,), float(np.sqrt(variance)), left_out=left_out)

    def distribution(
        self, xs: Sequence[int], y: int, others: Sequence[int], changes: Mapping[int, Change]
    ) -> Floats:
        """Return the probabilities of the levels of y where columns are set to levels."""
        strata = self._strata(others)
        levels = range(len(self.labels[y]))
        found = [self._under(xs, strata, self._codes[y] == k, changes, 1) for k in levels]
        weights, _ = self._weights(strata, found[0].rows > 0.0, xs, changes)
        return np.array([weights @ one.share for one in found])

    def _strata(self, others: Sequence[int]) -> _Strata:
        key = np.zeros(len(self._counts), dtype=np.int64)
        for other in others:
            key = key * len(self.labels[other]) + self._codes[other]
            key = np.unique(key, return_inverse=True)[1].reshape(-1)
        return _Strata(key, self._sums(key, int(key.max()) + 1), tuple(others))

    def _under(
        self,
        xs: Sequence[int],
        strata: _Strata,
        hit: NDArray[np.bool_],
        changes: Mapping[int, Change],
        side: int,
    ) -> _Shares:
        """Return the share of a level of y, and its variance, in each stratum of some levels."""
        among = np.ones(len(hit), dtype=bool)
        for x in xs:
            among &= self._codes[x] == changes[x][side]
        size = len(strata.rows)
        rows, hits = self._sums(strata.key, size, among), self._sums(strata.key, size, among & hit)
        share = hits / np.maximum(rows, np.finfo(float).tiny)
        return _Shares(rows, share, share * (1.0 - share) / np.maximum(rows, 1.0))

    def _weights(
        self,
        strata: _Strata,
        is_filled: NDArray[np.bool_],
        xs: Sequence[int],
        changes: Mapping[int, Change],
    ) -> tuple[Floats, float]:
        """Return the shares of strata that have rows with all levels, and that of the others."""
        rows = strata.rows * is_filled
        left_out = 1.0 - rows.sum() / strata.rows.sum()
        if left_out > _MOST_LEFT_OUT:
            raise self._no_rows(strata, left_out, xs, changes)
        return rows / rows.sum(), float(left_out)

    def _no_rows(
        self, strata: _Strata, left_out: float, xs: Sequence[int], changes: Mapping[int, Change]
    ) -> DataError:
        said = [
            f"{quoted(self.names[x])} = {listed([str(self.labels[x][k]) for k in changes[x]])}"
            for x in xs
        ]
        among = [self.names[other] for other in strata.others]
        where = f" with the same levels of {listed(among)}" if among else ""
        return DataError(
            f"{100.0 * left_out:.3g} % of the rows cannot be compared: no other row{where} has "
            f"{' and '.join(said)}",
            remedy="merge levels, choose other ones, or use more rows",
            code="empty-strata",
            columns=among,
        )

    def _sums(
        self, key: NDArray[np.int64], size: int, among: NDArray[np.bool_] | None = None
    ) -> Floats:
        """Return the numbers of rows by key, of all rows or some."""
        counts = self._counts if among is None else self._counts * among
        sums: Floats = np.bincount(key, counts, minlength=size).astype(np.float64)
        return sums

    def _level(self, column: int, value: Any) -> int:
        return level_of(self.names[column], self.labels[column], value)


class _Strata(NamedTuple):
    """The rows by their levels of some columns."""

    key: NDArray[np.int64]
    rows: Floats
    others: tuple[int, ...]


class _Shares(NamedTuple):
    rows: Floats
    share: Floats
    variance: Floats
