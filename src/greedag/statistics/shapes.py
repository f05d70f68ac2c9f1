"""Notes on columns that are far from normal: skewed, or with heavy tails."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from greedag.data.table import Exponents, Floats
from greedag.errors import Note, all_listed, quoted
from greedag.statistics.scatter import SHAPE_ROWS, powers_of_two, standardised_shapes

if TYPE_CHECKING:
    from greedag.statistics.moments import Moments

# Beyond these, covariance methods suffer (West, Finch & Curran, 1995).
MOST_SKEWNESS, MOST_KURTOSIS = 2.0, 10.0
# With fewer rows, shapes say nothing.
_LEAST_ROWS = 20
# How often a normal table gets a note.
_FALSE_ALARMS = 0.005

Mask = NDArray[np.bool_]


def notes_of_shapes(names: Sequence[str], shapes: Floats, n: float) -> Iterator[Note]:
    """Give notes on the columns whose skewness or kurtosis is not that of normal ones.

    Parameters
    ----------
    names : sequence of str
        The columns.
    shapes : ndarray of shape (2, d)
        Their skewness and kurtosis.
    n : float
        Number of rows.
    """
    skewed, heavy = unusual_shapes(shapes, n)
    why = (
        "scores for normal columns miss non-linear effects and may reverse edges; transform such "
        "columns, for example to logarithms or normal scores (option transform)"
    )
    if skewed.any():
        columns, worst, value = _named(names, skewed, shapes[0])
        yield Note(
            f"skewed columns: {all_listed(columns)} (largest skewness: {value:.3g}, of "
            f"{quoted(worst)}); {why}",
            code="skewed",
            columns=columns,
            counts={worst: round(value, 3)},
        )
    if heavy.any():
        columns, worst, value = _named(names, heavy, shapes[1])
        yield Note(
            f"heavy-tailed columns: {all_listed(columns)} (largest kurtosis: {value:.3g}, of "
            f"{quoted(worst)}; 3 if normal); a few rows determine their covariances; check for "
            "outliers, or use normal scores (option transform)",
            code="heavy-tails",
            columns=columns,
            counts={worst: round(value, 3)},
        )


def unusual_shapes(
    shapes: Floats,
    n: float,
    *,
    most_skewness: float = MOST_SKEWNESS,
    most_kurtosis: float = MOST_KURTOSIS,
) -> tuple[Mask, Mask]:
    """Return which columns are skewed, and which others have heavy tails.

    More than chance makes them in any table of so many normal columns and rows.
    """
    skewness, kurtosis = shapes
    if n < _LEAST_ROWS:
        return np.zeros(len(skewness), dtype=bool), np.zeros(len(skewness), dtype=bool)
    # Loading it takes as long as loading a third of this package.
    from statistics import NormalDist

    chance = NormalDist().inv_cdf(1.0 - _FALSE_ALARMS / (4.0 * len(skewness)))
    skewed = np.abs(skewness) > max(most_skewness, chance_skewness(n, chance))
    heavy = kurtosis > max(most_kurtosis, chance_kurtosis(n, chance))
    return skewed, heavy & ~skewed


def shapes_of(values: Floats, weights: Floats | None = None) -> Floats:
    """Return skewness and kurtosis of columns, a row of `values` each, of evenly spaced rows."""
    every = -(-values.shape[1] // SHAPE_ROWS)
    counts = None if weights is None else weights[::every]
    # Halves, so that the span of a column stays within range, and units of that span.
    sample = values[:, ::every] * 0.5
    low, high = sample.min(axis=1, keepdims=True), sample.max(axis=1, keepdims=True)
    units = (sample - low) / np.where(high > low, high - low, 1.0)
    units -= np.average(units, axis=1, weights=counts)[:, np.newaxis]
    powers = [np.average(units**power, axis=1, weights=counts) for power in (2, 3, 4)]
    return standardised_shapes(*powers)


def chance_skewness(n: float, quantile: float) -> float:
    """Return the skewness of n normal values at a quantile of the normal (D'Agostino, 1970)."""
    moment = 3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3)
    moment /= (n - 2) * (n + 5) * (n + 7) * (n + 9)
    square = math.sqrt(2.0 * (moment - 1.0)) - 1.0
    width = math.sqrt(2.0 / (square - 1.0))
    deviation = math.sqrt(6.0 * (n - 2) / ((n + 1) * (n + 3)))
    return deviation * width * math.sinh(quantile * math.sqrt(0.5 * math.log(square)))


def chance_kurtosis(n: float, quantile: float) -> float:
    """Return the kurtosis of n normal values at a quantile (Anscombe & Glynn, 1983)."""
    mean = 3.0 * (n - 1) / (n + 1)
    variance = 24.0 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    skewness = 6.0 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9))
    skewness *= math.sqrt(6.0 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    freedom = 2.0 / skewness + math.sqrt(1.0 + 4.0 / skewness**2)
    freedom = 6.0 + 8.0 / skewness * freedom
    root = 1.0 - 2.0 / (9.0 * freedom) - quantile * math.sqrt(2.0 / (9.0 * freedom))
    if root <= 0.0:
        return math.inf
    slope = math.sqrt(2.0 / (freedom - 4.0))
    return mean + math.sqrt(variance) * ((1.0 - 2.0 / freedom) / root**3 - 1.0) / slope


def _named(names: Sequence[str], found: Mask, values: Floats) -> tuple[list[str], str, float]:
    """Return the columns found, and the one with the largest value."""
    places = np.flatnonzero(found)
    worst = int(places[np.argmax(np.abs(values[places]))])
    return [names[j] for j in places.tolist()], names[worst], float(values[worst])


def merged_shapes(
    one: Moments, other: Moments, gap: Floats, variance: Floats, exponent: Exponents
) -> Floats | None:
    """Return the shapes of both tables' rows together, by the formulas of Pébay (2008).

    The `gap` of the means and the common `variance` are scaled by ``2**-exponent``.
    """
    if one._shapes is None or other._shapes is None:
        return None
    n = one.n + other.n
    third, fourth = np.zeros((2, one.d))
    with np.errstate(all="ignore"):
        for part, shapes, away in (
            (one, one._shapes, -gap * (other.n / n)),
            (other, other._shapes, gap * (one.n / n)),
        ):
            factor = powers_of_two(part._exponent - exponent)
            own = part._scaled.diagonal() * factor**2
            skew, flat = shapes[0] * own**1.5, shapes[1] * own**2
            third += part.n / n * (skew + away * (3.0 * own + away**2))
            fourth += part.n / n * (flat + away * (4.0 * skew + away * (6.0 * own + away**2)))
    return standardised_shapes(variance, third, fourth)
