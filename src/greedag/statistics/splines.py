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
    place = np.searchsorted(knots[DEGREE + 1 : count], values, side="right") + DEGREE
    splines = np.zeros((len(values), count))
    rows = np.arange(len(values)) * count + (place - DEGREE)
    for offset, part in enumerate(_nonzero(values, knots, place)):
        splines.reshape(-1)[rows + offset] = part
    return splines


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
    splines = bsplines(values, knots)
    splines *= np.sqrt(weights / weights.sum())[:, np.newaxis]
    powers = power_coefficients(knots)[:, : len(values)]
    orthogonal, triangle = np.linalg.qr(splines @ powers)
    polynomials = np.linalg.solve(triangle.T, powers.T).T
    free = np.eye(len(powers)) - polynomials @ (orthogonal.T @ splines)
    others = _smoothest(splines @ free, free, knots)
    curves = np.hstack([polynomials[:, 2:], others])
    # Neither factors nor eigenvectors have signs of their own: all curves end above 0.
    curves *= np.where(curves[-1] < 0.0, -1.0, 1.0)
    return curves


def _smoothest(rows: Floats, coefficients: Floats, knots: Floats) -> Floats:
    """Return the combinations of some splines that are uncorrelated, the smoothest first."""
    variances, axes = np.linalg.eigh(rows.T @ rows)
    kept = variances > _NO_VARIANCE
    axes = coefficients @ (axes[:, kept] / np.sqrt(variances[kept]))
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
