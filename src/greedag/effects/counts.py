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
        self.names, self.labels = levels.names, levels.labels
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
        counts = np.bincount(self._codes[y], self._counts, minlength=len(self.labels[y]))
        return counts / counts.sum()

    def given(
        self, xs: Sequence[int], y: int, others: Sequence[int], changes: Mapping[int, Change]
    ) -> Fit:
        """Return the effect of changes on y, adjusted for other columns."""
        strata, hit = self._strata(others), self._codes[y] == self.of(y)
        start, end = (self._under(xs, strata, hit, changes, side) for side in (0, 1))
        weights = strata.rows / strata.rows.sum()
        differences = end.share - start.share
        value = float(weights @ differences)
        # Of the shares of levels within strata, and of the strata themselves.
        variance = weights**2 @ (end.variance + start.variance)
        variance += weights @ (differences - value) ** 2 / self.n
        return Fit((value,), float(np.sqrt(variance)))

    def distribution(
        self, xs: Sequence[int], y: int, others: Sequence[int], changes: Mapping[int, Change]
    ) -> Floats:
        """Return the probabilities of the levels of y where columns are set to levels."""
        strata = self._strata(others)
        weights = strata.rows / strata.rows.sum()
        levels = range(len(self.labels[y]))
        found = [self._under(xs, strata, self._codes[y] == k, changes, 1).share for k in levels]
        return np.array([weights @ share for share in found])

    def _strata(self, others: Sequence[int]) -> _Strata:
        key = np.zeros(len(self._counts), dtype=np.int64)
        for other in others:
            key = key * len(self.labels[other]) + self._codes[other]
            key = np.unique(key, return_inverse=True)[1].reshape(-1)
        return _Strata(key, np.bincount(key, self._counts), tuple(others))

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
        rows = np.bincount(strata.key[among], self._counts[among], minlength=size)
        if not rows.all():
            raise self._no_rows(xs, changes, side, strata, rows)
        both = among & hit
        share = np.bincount(strata.key[both], self._counts[both], minlength=size) / rows
        return _Shares(share, share * (1.0 - share) / rows)

    def _no_rows(
        self,
        xs: Sequence[int],
        changes: Mapping[int, Change],
        side: int,
        strata: _Strata,
        rows: Floats,
    ) -> DataError:
        said = [f"{quoted(self.names[x])} = {self.labels[x][changes[x][side]]}" for x in xs]
        empty = int(np.count_nonzero(rows == 0))
        among = [self.names[other] for other in strata.others]
        return DataError(
            f"no row with {' and '.join(said)} in {empty:,} of {len(rows):,} combinations of "
            f"levels of {listed(among)}, for which must be adjusted"
            if among
            else f"no row with {' and '.join(said)}",
            remedy="merge levels, choose other ones, or use more rows",
            code="empty-strata",
            columns=among,
        )

    def _level(self, column: int, value: Any) -> int:
        return level_of(self.names[column], self.labels[column], value)


class _Strata(NamedTuple):
    """The rows by their levels of some columns."""

    key: NDArray[np.int64]
    rows: Floats
    others: tuple[int, ...]


class _Shares(NamedTuple):
    share: Floats
    variance: Floats
