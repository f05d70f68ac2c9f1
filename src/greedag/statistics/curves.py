"""The basis of one column: how its values become several columns.

The basis of a continuous column is the column itself, standardised, and curves of it, ordered from
smooth to wiggly. That of a discrete column are indicators (0/1) of its levels but the first.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields

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
_FEWEST_INNER, _MOST_INNER = 3, 12


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
    """A continuous column, standardised, and curves of it, ordered from smooth to wiggly.

    The curves are cubic splines: a parabola, a cubic polynomial, and then the smoothest that are
    uncorrelated with all before. On the rows that they were made from they have mean 0 and
    variance 1. Beyond these rows they go on as straight lines.

    Attributes
    ----------
    mean, deviation : float
        The column is standardised by these, in units of ``2**exponent``.
    exponent : int
        For columns of any size.
    knots : ndarray
        Of the splines, as of :func:`greedag.statistics.splines.full_knots`; empty without curves.
    coefficients : ndarray of shape (splines, curves)
        Of the B-splines in each curve.
    """

    mean: float
    deviation: float
    exponent: int
    knots: Floats
    coefficients: Floats

    @property
    def kind(self) -> Kind:
        """The kind of the column."""
        return "continuous"

    @property
    def size(self) -> int:
        """Number of columns: one more than curves."""
        return 1 + int(self.coefficients.shape[1])

    def standardised(self, values: Floats) -> Floats:
        """Return values of the column as the first column of the basis has them."""
        scaled: Floats = values * math.ldexp(1.0, -self.exponent)
        scaled -= self.mean
        scaled /= self.deviation
        return scaled

    def columns(self, values: ArrayLike) -> Floats:
        """Return what values become, as an array of shape (n, size)."""
        units = self.standardised(np.asarray(values, dtype=np.float64))
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
        columns[:, 1:] = curves
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
        return self.of_codes(self.codes(ArraySource(column, ("values",)), 0))

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

    def of_codes(self, codes: NDArray[np.intp]) -> Floats:
        """Return the indicators of levels, given by their places."""
        return np.equal(codes[:, np.newaxis], np.arange(1, len(self.labels))).astype(np.float64)


def basis_of(sample: ValueSample | Labels, n: float) -> Basis:
    """Make the basis of a column of n rows from a sample of it."""
    return curves_of(sample, n) if isinstance(sample, ValueSample) else Indicators(sample)


def curves_of(sample: ValueSample, n: float) -> Curves:
    """Make the basis of a continuous column, with more curves the more rows there are.

    Knots lie at quantiles, the outermost ones at the smallest and the largest value.
    """
    exponent = _exponent(sample.low, sample.high)
    values = sample.values * math.ldexp(1.0, -exponent)
    mean = float(np.average(values, weights=sample.weights))
    values -= mean
    deviation = math.sqrt(np.average(values**2, weights=sample.weights)) or 1.0
    plain = Curves(mean, deviation, exponent, np.empty(0), np.empty((0, 0)))
    inner = inner_knots(n)
    if not inner or len(values) < 3:
        return plain
    values /= deviation
    low, high = plain.standardised(np.array([sample.low, sample.high])).tolist()
    knots = full_knots(low, _quantiles(values, sample.weights, inner), high)
    coefficients = smooth_curves(values, sample.weights, knots)
    return Curves(mean, deviation, exponent, knots, coefficients)


def inner_knots(n: float) -> int:
    """Return how many inner knots the curves of a column of n rows have; 0 if there are none."""
    if n < _LEAST_ROWS:
        return 0
    return min(max(int(2.0 * n**0.2), _FEWEST_INNER), _MOST_INNER)


def _exponent(low: float, high: float) -> int:
    """Return the power of two that spans a column, as far as a double has it."""
    span: int = math.frexp(high / 2.0 - low / 2.0)[1] + 1
    return min(max(span, _EXPONENTS[0]), _EXPONENTS[1])


def _quantiles(values: Floats, weights: Floats, count: int) -> Floats:
    """Return distinct values between the first and the last, with as many rows between them."""
    below = np.cumsum(weights) / weights.sum()
    shares = np.arange(1, count + 1) / (count + 1)
    found: Floats = np.unique(values[np.searchsorted(below, shares - 1e-12)])
    inside: Floats = found[(found > values[0]) & (found < values[-1])]
    return inside
