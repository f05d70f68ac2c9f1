"""Cubic B-splines, and curves made of them, from smooth to wiggly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from greedag.data.table import Floats

DEGREE = 3
# Of combinations of splines, which are at most 1: less is rounding.
_NO_VARIANCE = 1e-12


def full_knots(low: float, inner: Floats, high: float) -> Floats:
    """Return the knots of cubic B-splines between two ends, which count four times each."""
    ends = np.ones(DEGREE + 1)
    return np.concatenate([low * ends, inner, high * ends])


def bsplines(values: Floats, knots: Floats) -> Floats:
    """Return the cubic B-splines at values between the ends, a column each.

    By the recursion of Cox and de Boor, for the four splines alone that are not 0 at a value.
    """
    count = len(knots) - DEGREE - 1
    place = _places(values, knots)
    splines = np.zeros((len(values), count))
    rows = np.arange(len(values)) * count + (place - DEGREE)
    for offset, part in enumerate(_nonzero(values, knots, place)):
        splines.reshape(-1)[rows + offset] = part
    return splines


def _places(values: Floats, knots: Floats) -> NDArray[np.intp]:
    """Return which knots begin the intervals that values lie in; the upper end is in the last."""
    inner = knots[DEGREE + 1 : -DEGREE - 1]
    return np.searchsorted(inner, values, side="right") + DEGREE


def _nonzero(values: Floats, knots: Floats, place: NDArray[np.intp]) -> list[Floats]:
    """Return the splines that are not 0 at values in the intervals that begin at some knots."""
    right = [knots[place + step] - values for step in range(1, DEGREE + 1)]
    left = [values - knots[place + 1 - step] for step in range(1, DEGREE + 1)]
    splines = [np.ones(len(values))]
    for degree in range(1, DEGREE + 1):
        carried = np.zeros(len(values))
        for j in range(degree):
            part = splines[j] / (right[j] + left[degree - 1 - j])
            splines[j] = carried + right[j] * part
            carried = left[degree - 1 - j] * part
        splines.append(carried)
    return splines


def smooth_curves(values: Floats, weights: Floats, knots: Floats) -> Floats:
    """Return curves in the space of the cubic B-splines with these knots.

    They have mean 0 and variance 1, and are uncorrelated with each other and with the values
    themselves. The first two are a parabola and a cubic polynomial. Of the others, the first is the
    smoothest that is uncorrelated with all before, and so on, as in the basis of Demmler & Reinsch
    (1975); smooth is what has a small integral of the squared second derivative.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Distinct values between the ends, about 0.
    weights : ndarray of shape (n,)
        How often each occurs.
    knots : ndarray
        As of :func:`full_knots`.

    Returns
    -------
    ndarray of shape (splines, curves)
        Coefficients of the B-splines.
    """
    products = _mean_products(values, weights / weights.sum(), knots)
    powers = power_coefficients(knots)[:, : len(values)]
    triangle = np.linalg.cholesky(powers.T @ products @ powers)
    polynomials = np.linalg.solve(triangle, powers.T).T
    free = np.eye(len(powers)) - polynomials @ (polynomials.T @ products)
    curves = np.hstack([polynomials[:, 2:], _smoothest(products, free, knots)])
    # Neither factors nor eigenvectors have signs of their own: all curves end above 0.
    curves *= np.where(curves[-1] < 0.0, -1.0, 1.0)
    return curves


def _mean_products(values: Floats, shares: Floats, knots: Floats) -> Floats:
    """Return the weighted means of products of the B-splines, most of which are 0."""
    count = len(knots) - DEGREE - 1
    place = _places(values, knots)
    splines = _nonzero(values, knots, place)
    total = np.zeros((count, count))
    for i, one in enumerate(splines):
        weighted = shares * one
        for j in range(i, DEGREE + 1):
            sums = np.bincount(place - DEGREE + i, weighted * splines[j], minlength=count)
            first = np.arange(count - (j - i))
            total[first, first + (j - i)] += sums[first]
    return total + np.triu(total, 1).T


def _smoothest(products: Floats, free: Floats, knots: Floats) -> Floats:
    """Return the combinations of some splines that are uncorrelated, the smoothest first."""
    variances, axes = np.linalg.eigh(free.T @ products @ free)
    kept = variances > _NO_VARIANCE
    axes = free @ (axes[:, kept] / np.sqrt(variances[kept]))
    curves: Floats = axes @ np.linalg.eigh(axes.T @ roughness_matrix(knots) @ axes)[1]
    return curves


def power_coefficients(knots: Floats) -> Floats:
    """Return the coefficients of the powers 0 to 3, a column each.

    Each is the polar form of the power, at the inner knots of the spline.
    """
    a, b, c = np.lib.stride_tricks.sliding_window_view(knots[1:-1], DEGREE).T
    return np.column_stack(
        [np.ones(len(a)), (a + b + c) / 3.0, (a * b + a * c + b * c) / 3.0, a * b * c]
    )


def roughness_matrix(knots: Floats) -> Floats:
    """Return the integrals of products of second derivatives of the B-splines."""
    bends = _derivative(DEGREE - 1, knots[1:-1]) @ _derivative(DEGREE, knots)
    # Second derivatives are straight between knots, so that Simpson's rule is exact.
    widths = np.diff(knots[DEGREE:-DEGREE])[:, np.newaxis]
    left, right = bends[:-1], bends[1:]
    middle = (left + right) / 2.0
    total = np.zeros((bends.shape[1], bends.shape[1]))
    for part, weight in ((left, 1.0), (middle, 4.0), (right, 1.0)):
        total += part.T @ (part * (widths * (weight / 6.0)))
    return total


def _derivative(degree: int, knots: Floats) -> Floats:
    """Return the matrix that gives the coefficients of a derivative, of B-splines of one less."""
    count = len(knots) - degree - 1
    widths = knots[degree + 1 : -1] - knots[1:count]
    return np.diff(np.eye(count), axis=0) * (degree / widths)[:, np.newaxis]


def end_slopes(curves: Floats, knots: Floats) -> Floats:
    """Return the slopes of curves at the lower and the upper end, a row each."""
    slopes: Floats = _derivative(DEGREE, knots)[[0, -1]] @ curves
    return slopes
