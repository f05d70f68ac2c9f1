"""Effects by least squares, from moments alone.

A continuous column is itself; a discrete one of a mixed table has an indicator for each level but
the first, and effects of levels add to those of other columns.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag._options import as_real
from greedag.data.table import Floats
from greedag.errors import DataError, OptionError, listed, quoted
from greedag.result.coefficients import regression
from greedag.statistics.moments import Moments

Columns = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Fit:
    """An effect as it was fitted.

    Attributes
    ----------
    by_column : tuple of float
        What the change of each column does, those that are changed with it being the same.
    standard_error : float
        Of their sum.
    freedom : float
        Degrees of freedom of the standard error.
    left_out : float
        Share of the rows that nothing can be compared with.
    """

    by_column: tuple[float, ...]
    standard_error: float
    freedom: float = np.inf
    left_out: float = 0.0

    @property
    def value(self) -> float:
        """What all changes do together."""
        return float(sum(self.by_column))


class LinearFits:
    """Effects of columns by least squares.

    Parameters
    ----------
    moments : Moments
        Of all columns, or of their indicators.
    names : sequence of str
        The columns.
    starts : sequence of int, optional
        Where the indicators of each column begin, and where those of the last end.
    labels : mapping of int to sequence, optional
        The levels of discrete columns.
    """

    # Where no set of columns can be adjusted for, single effects still tell a joint one.
    is_recursive = True

    def __init__(
        self,
        moments: Moments,
        names: Sequence[str],
        starts: Sequence[int] | None = None,
        labels: Mapping[int, Sequence[Hashable]] | None = None,
    ) -> None:
        self.moments, self.names = moments, tuple(names)
        self._starts = range(len(self.names) + 1) if starts is None else starts
        self.labels = labels or {}

    def usual_change(self, x: int) -> Floats:
        """Return the change that is meant if none is said: by 1, or from the first level on."""
        if x not in self.labels:
            return np.ones(1)
        levels = self.labels[x]
        return self._indicators(x, levels[-1]) - self._indicators(x, levels[0])

    def change(self, x: int, start: Any, end: Any) -> Floats:
        """Return a change of a column from one value to another."""
        return self._indicators(x, end) - self._indicators(x, start)

    def change_to(self, x: int, value: Any) -> Floats:
        """Return the change of a column from its mean to a value."""
        return self._indicators(x, value) - self._means[self._columns([x])]

    def means(self, y: int) -> Floats:
        """Return the mean of a column, or the shares of its levels."""
        means = self._means[self._columns([y])]
        return np.array([1.0 - means.sum(), *means]) if y in self.labels else means

    def means_of(self, y: int, value: Any) -> Floats:
        """Return the same where the column is set to a value."""
        ones = self._indicators(y, value)
        return np.array([1.0 - ones.sum(), *ones]) if y in self.labels else ones

    def given(
        self, xs: Sequence[int], y: int, others: Sequence[int], changes: Mapping[int, Floats]
    ) -> Fit:
        """Return the effect of changes on y, adjusted for other columns."""
        head, fitted = self._response(y), self._columns([*xs, *others])
        fit = regression(self.moments, head, fitted)
        weights = np.zeros(len(fitted))
        ends = np.cumsum([len(changes[x]) for x in xs])
        parts = np.split(np.arange(ends[-1]), ends[:-1])
        for x, places in zip(xs, parts, strict=True):
            weights[places] = changes[x]
        by_column = tuple(float(weights[places] @ fit.values[places]) for places in parts)
        return Fit(by_column, fit.error_of(weights), self.moments.n - len(fitted) - 1)

    def recursive(
        self,
        xs: Sequence[int],
        y: int,
        sets: Mapping[tuple[int, int], Sequence[int] | None],
        changes: Mapping[int, Floats],
    ) -> Fit:
        """Return the joint effect of changes by the single effects of columns on each other.

        A single effect goes through the last changed column on its way: θ = (I + Θ) τ, where Θ has
        the effects of the changed columns on each other, θ those on y, and τ is the joint one
        (Nandy, Maathuis and Richardson, "Estimating the effect of joint interventions from
        observational data in sparse high-dimensional settings", Annals of Statistics 2017).

        Parameters
        ----------
        sets : mapping of pairs to columns
            For each pair of a changed column and another, or y, what to adjust for; None if there
            is no effect.
        """
        self._check_continuous([*xs, y])
        slopes = {
            pair: self._slope(*pair, others) for pair, others in sets.items() if others is not None
        }
        among = np.eye(len(xs))
        onto = np.zeros(len(xs))
        for i, x in enumerate(xs):
            onto[i] = slopes[x, y].value if (x, y) in slopes else 0.0
            for j, other in enumerate(xs):
                if (x, other) in slopes:
                    among[i, j] += slopes[x, other].value
        joint = np.linalg.solve(among, onto)
        units = self.moments.deviations
        weights = np.array([float(changes[x][0]) * units[y] / units[x] for x in xs])
        # d τ = (I + Θ)⁻¹ (d θ - d Θ τ)
        back = np.linalg.solve(among.T, weights)
        terms = []
        for i, x in enumerate(xs):
            for place, other in enumerate([*xs, y]):
                if (x, other) in slopes:
                    by = -joint[place] if place < len(xs) else 1.0
                    terms.append((back[i] * by, slopes[x, other]))
        return Fit(tuple((joint * weights).tolist()), self._error(terms))

    def _slope(self, x: int, y: int, others: Sequence[int]) -> _Slope:
        """Return a coefficient of standardised columns, with what its error depends on."""
        correlation = self.moments.correlation
        rest, fitted = list(others), [x, *others]
        left = np.zeros(len(self.names))
        left[x] = 1.0
        left[rest] = -np.linalg.solve(correlation[np.ix_(rest, rest)], correlation[rest, x])
        residual = np.zeros(len(self.names))
        slopes = np.linalg.solve(correlation[np.ix_(fitted, fitted)], correlation[fitted, y])
        residual[y] = 1.0
        residual[fitted] = -slopes
        variance = float(left @ correlation @ left)
        return _Slope(float(slopes[0]), left / variance, residual)

    def _error(self, terms: Sequence[tuple[float, _Slope]]) -> float:
        """Return the standard error of a weighted sum of slopes, of normal columns.

        A slope errs by the mean of two products, of what is left of x and of y; such means have
        the covariances of products of normal variables (Isserlis).
        """
        left = np.array([one.left for _, one in terms])
        residual = np.array([one.residual for _, one in terms])
        weights, correlation = np.array([weight for weight, _ in terms]), self.moments.correlation
        straight = (left @ correlation @ left.T) * (residual @ correlation @ residual.T)
        across = left @ correlation @ residual.T
        variance = float(weights @ (straight + across * across.T) @ weights)
        return float(np.sqrt(max(variance, 0.0) / self.moments.n))

    @property
    def _means(self) -> Floats:
        if self.moments.mean is None:
            raise DataError(
                "these moments have no means, from which columns are changed",
                remedy="pass the table, or Moments with mean=",
                code="no-means",
            )
        return self.moments.mean

    def _columns(self, places: Sequence[int]) -> Columns:
        """Return the columns of the moments that some columns have."""
        ranges = [np.arange(self._starts[p], self._starts[p + 1]) for p in places]
        return np.concatenate(ranges)

    def _response(self, y: int) -> int:
        self._check_continuous([y])
        return int(self._starts[y])

    def _check_continuous(self, places: Sequence[int]) -> None:
        for place in places:
            if place in self.labels:
                raise DataError(
                    f"column {quoted(self.names[place])} is discrete: a linear model of a mixed "
                    "table has no effects on its levels",
                    remedy="learn from discrete columns only, the others cut into levels",
                    code="no-effects",
                    columns=[self.names[place]],
                )

    def _indicators(self, x: int, value: Any) -> Floats:
        """Return a value of a column as its columns of the moments have it."""
        if x not in self.labels:
            number = as_real(value)
            if not np.isfinite(number):
                raise OptionError(
                    f"column {quoted(self.names[x])} is continuous, and cannot be set to "
                    f"{quoted(value)}"
                )
            return np.array([number])
        place = level_of(self.names[x], self.labels[x], value)
        ones: Floats = (np.arange(1, len(self.labels[x])) == place).astype(np.float64)
        return ones


@dataclass(frozen=True, slots=True)
class _Slope:
    value: float
    left: Floats
    residual: Floats


def level_of(name: str, labels: Sequence[Hashable], value: Any) -> int:
    """Return the place of a level, which may be said as text."""
    for place, label in enumerate(labels):
        if label == value or str(label) == value:
            return place
    raise OptionError(
        f"column {quoted(name)} has no level {quoted(value)}; its levels are "
        f"{listed([str(label) for label in labels])}"
    )
