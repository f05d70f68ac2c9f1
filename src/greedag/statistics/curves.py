"""The basis of one column: how its values become several columns.

The basis of a continuous column is the column itself, standardised, curves of it, ordered from
smooth to wiggly, and steps, for effects that jump. That of a discrete column are indicators (0/1)
of its levels but the first.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from greedag.data.kinds import Kind
from greedag.data.source import ArraySource, MemorySource
from greedag.data.table import Floats
from greedag.errors import DataError, quoted
from greedag.statistics.levels import encoded_columns
from greedag.statistics.sample import REMEDIES, Labels, ValueSample
from greedag.statistics.splines import bsplines, end_slopes, full_knots, smooth_curves

# Powers of two beyond which a double has no reciprocal.
_EXPONENTS = (-1021, 1021)
# Fewer rows than these say nothing about curves.
_LEAST_ROWS = 50
_USUAL_CURVES, _MOST_CURVES = 13, 24
_MOST_COLUMNS = 1400
_FEWEST_STEPS, _MOST_STEPS = 8, 32
_MOST_COLUMNS_WITH_STEPS, _MOST_OPERATIONS = 2600, 5e10
_FEWEST_VALUES = 3
# A single row beyond so many deviations would determine every fit.
REACH = 10.0
_MOST_BEYOND = 0.05
# Part of the knots that lie at even distances.
_EVENLY = 0.4
_NONE = np.empty(0)


class Basis(ABC):
    """How the values of one column become several columns."""

    __slots__ = ()

    @property
    @abstractmethod
    def kind(self) -> Kind:
        """The kind of the column."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of columns that it makes."""

    @abstractmethod
    def columns(self, values: ArrayLike) -> Floats:
        """Return what values become, as an array of shape (n, size)."""

    @abstractmethod
    def expanded(self, numbers: NDArray[Any]) -> Floats:
        """Return what the values of a column that was read become; codes, if it is discrete."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)  # type: ignore[arg-type]
        )

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True, eq=False)
class Curves(Basis):
    """A continuous column, standardised, curves of it from smooth to wiggly, and steps.

    The curves are cubic splines: a parabola, a cubic polynomial, and then the smoothest that are
    uncorrelated with all before. On the rows that they were made from they have mean 0 and
    variance 1. Beyond these rows they go on as straight lines. A step is 0 up to some value, and 1
    above it.

    Attributes
    ----------
    mean, deviation : float
        The column is standardised by these, in units of ``2**exponent``.
    exponent : int
        For columns of any size.
    reach : float
        Rows count that are at most so many deviations from the mean.
    knots : ndarray
        Of the splines, as of :func:`greedag.statistics.splines.full_knots`; empty without curves.
    coefficients : ndarray of shape (splines, curves)
        Of the B-splines in each curve.
    steps : ndarray
        Where the steps are, in standardised units, ascending.
    """

    mean: float
    deviation: float
    exponent: int
    reach: float
    knots: Floats
    coefficients: Floats
    steps: Floats

    @property
    def kind(self) -> Kind:
        """The kind of the column."""
        return "continuous"

    @property
    def size(self) -> int:
        """Number of columns: one more than curves and steps."""
        return self.first_step + len(self.steps)

    @property
    def first_step(self) -> int:
        """Number of columns before the steps."""
        return 1 + int(self.coefficients.shape[1])

    def standardised(self, values: Floats) -> Floats:
        """Return values of the column as the first column of the basis has them."""
        scaled: Floats = values * math.ldexp(1.0, -self.exponent)
        scaled -= self.mean
        scaled /= self.deviation
        return scaled

    def columns(self, values: ArrayLike) -> Floats:
        """Return what values become, as an array of shape (n, size)."""
        return self.expanded(np.asarray(values, dtype=np.float64))

    def expanded(self, numbers: Floats) -> Floats:
        """Return what values become, as an array of shape (n, size)."""
        units = self.standardised(numbers)
        columns = np.empty((len(units), self.size), order="F")
        columns[:, 0] = units
        if self.size == 1:
            return columns
        low, high = self.knots[0], self.knots[-1]
        inside = np.clip(units, low, high)
        curves = bsplines(inside, self.knots) @ self.coefficients
        if units.min(initial=low) < low or units.max(initial=high) > high:
            slopes = end_slopes(self.coefficients, self.knots)
            beyond = units - inside
            curves += np.minimum(beyond, 0.0)[:, np.newaxis] * slopes[0]
            curves += np.maximum(beyond, 0.0)[:, np.newaxis] * slopes[1]
        columns[:, 1 : self.first_step] = curves
        for j, step in enumerate(self.steps, self.first_step):
            columns[:, j] = units > step
        return columns


@dataclass(frozen=True, slots=True, eq=False)
class Indicators(Basis):
    """Indicators (0/1) of the levels of a discrete column but the first.

    Attributes
    ----------
    labels : tuple
        The levels, ascending.
    """

    labels: Labels

    @property
    def kind(self) -> Kind:
        """The kind of the column."""
        return "discrete"

    @property
    def size(self) -> int:
        """Number of columns: one less than levels."""
        return len(self.labels) - 1

    def columns(self, values: ArrayLike) -> Floats:
        """Return what values become, as an array of shape (n, size)."""
        column = np.asarray(values)[:, np.newaxis]
        return self.expanded(self.codes(ArraySource(column, ("values",)), 0))

    def codes(self, source: MemorySource, j: int) -> NDArray[np.intp]:
        """Return for each row of a table the place of its level in a column."""
        [(codes, found)] = encoded_columns(source, [j], REMEDIES)
        place = {label: code for code, label in enumerate(self.labels)}
        unknown = [label for label in found if label not in place]
        if unknown:
            raise DataError(
                f"column {quoted(source.names[j])} has the level {quoted(unknown[0])}, which the "
                "rows do not have that its basis was made from",
                remedy="make the bases from rows with all levels",
                code="unknown-level",
                columns=(source.names[j],),
            )
        places: NDArray[np.intp] = np.array([place[label] for label in found], dtype=np.intp)[codes]
        return places

    def expanded(self, numbers: NDArray[np.intp]) -> Floats:
        """Return the indicators of levels, given by their places."""
        return np.equal(numbers[:, np.newaxis], np.arange(1, len(self.labels))).astype(np.float64)


def basis_of(sample: ValueSample | Labels, curves: int, steps: int) -> Basis:
    """Make the basis of a column from a sample of it; curves and steps if it is continuous."""
    if isinstance(sample, ValueSample):
        return curves_of(sample, curves, steps)
    return Indicators(sample)


def curves_of(sample: ValueSample, curves: int, steps: int = 0) -> Curves:
    """Make the basis of a continuous column, with so many curves and steps or fewer."""
    exponent = _exponent(sample.values)
    values, weights = sample.values * math.ldexp(1.0, -exponent), sample.weights
    mean, deviation, reach = _spread(values, weights)
    plain = Curves(mean, deviation, exponent, reach, _NONE, np.empty((0, 0)), _NONE)
    values = (values - mean) / deviation
    inside = np.abs(values) <= reach
    values, weights = values[inside], weights[inside]
    if not curves or len(values) < _FEWEST_VALUES:
        return plain
    knots = full_knots(values[0], _inner_knots(values, weights, curves), values[-1])
    # The two last ones are those of single rows at the ends.
    coefficients = smooth_curves(values, weights, knots)[:, :curves]
    places = _steps(values, weights, steps)
    return replace(plain, knots=knots, coefficients=coefficients, steps=places)


def most_curves(n: float, d: int) -> int:
    """Return how many curves each of d continuous columns of n rows may have.

    There are more of them the more rows there are: they show finer bends, such as steps. Beyond a
    usual number, more are taken only where few columns keep the covariances small.
    """
    if n < _LEAST_ROWS:
        return 0
    by_rows = max(int(2.0 * math.log(n)) - 2, int(n ** (1.0 / 3.0)))
    return min(by_rows, max(_USUAL_CURVES, _MOST_COLUMNS // d - 1), _MOST_CURVES)


def most_steps(n: float, d: int) -> int:
    """Return how many steps each of d continuous columns of n rows may have.

    There are none where they would cost too much: covariances of c columns take 8 c² bytes, and
    n c² operations.
    """
    if n < _LEAST_ROWS:
        return 0
    most_columns = min(math.sqrt(_MOST_OPERATIONS / n), _MOST_COLUMNS_WITH_STEPS)
    room = int(most_columns) // d - 1 - most_curves(n, d)
    count = min(int(math.sqrt(n)), room, _MOST_STEPS)
    return count if count >= _FEWEST_STEPS else 0


def _spread(values: Floats, weights: Floats) -> tuple[float, float, float]:
    """Return mean and standard deviation, and how many of these from the mean rows still count.

    Values beyond `REACH` are left out, again and again, unless they are many of the distinct ones,
    as are those of a rare event.
    """
    plain = _mean_and_deviation(values, weights)
    inside = np.ones(len(values), dtype=bool)
    mean, deviation = plain
    while True:
        beyond = inside & (np.abs(values - mean) > REACH * deviation)
        if not beyond.any():
            break
        inside &= ~beyond
        mean, deviation = _mean_and_deviation(values[inside], weights[inside])
    if inside.sum() < (1.0 - _MOST_BEYOND) * len(values):
        return *plain, math.inf
    return mean, deviation, REACH


def _mean_and_deviation(values: Floats, weights: Floats) -> tuple[float, float]:
    mean = float(np.average(values, weights=weights))
    return mean, math.sqrt(np.average((values - mean) ** 2, weights=weights)) or 1.0


def _exponent(values: Floats) -> int:
    """Return the power of two that spans ascending values, as far as a double has it."""
    span: int = math.frexp(values[-1] / 2.0 - values[0] / 2.0)[1] + 1
    return min(max(span, _EXPONENTS[0]), _EXPONENTS[1])


def _inner_knots(values: Floats, weights: Floats, count: int) -> Floats:
    """Return knots between the first and the last of some values, with values between them.

    Where rows are many, knots are dense; but some lie at even distances, for effects that bend
    where rows are few.
    """
    rows = np.cumsum(weights) / weights.sum()
    span = (values - values[0]) / (values[-1] - values[0])
    shares = np.arange(1, count + 1) / (count + 1)
    found = np.interp(shares, (1.0 - _EVENLY) * rows + _EVENLY * span, values)
    after, first = np.unique(np.searchsorted(values, found, side="right"), return_index=True)
    knots: Floats = found[first[(after > 0) & (after < len(values))]]
    inside: Floats = knots[knots > values[0]]
    return inside


def _steps(values: Floats, weights: Floats, count: int) -> Floats:
    """Return places of steps, with about as many rows between any two, each between two values."""
    rows = np.cumsum(weights) / weights.sum()
    shares = np.arange(1, count + 1) / (count + 1)
    after = np.unique(np.searchsorted(rows, shares, side="right"))
    after = after[(after > 0) & (after < len(values))]
    places: Floats = (values[after - 1] + values[after]) / 2.0
    return places
