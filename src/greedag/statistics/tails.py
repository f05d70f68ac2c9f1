"""Tail probabilities of the distributions that tests compare with: χ², F, t, normal, Kolmogorov.

Both incomplete functions, of gamma and of beta, are continued fractions where these converge fast,
and their complements elsewhere. All functions take arrays.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_TINY = 1e-300
_PRECISION = 1e-13
_MOST_TERMS = 10_000
# Beyond so many degrees of freedom below the bar, F is χ² to four digits wherever it matters.
_MANY = 1e7
_log_gamma = np.frompyfunc(math.lgamma, 1, 1)
_erfc = np.frompyfunc(math.erfc, 1, 1)


def normal_two_sided(z: ArrayLike) -> Floats:
    """Return the probability that a standard normal number is further from 0 than z."""
    size = np.abs(np.atleast_1d(np.asarray(z, dtype=np.float64)))
    return np.asarray(_erfc(size / math.sqrt(2.0)), dtype=np.float64)


def chi2_tail(x: ArrayLike, freedom: ArrayLike) -> Floats:
    """Return the probability above x of a χ² distribution."""
    at, shape = _both(np.asarray(x) / 2.0, np.asarray(freedom) / 2.0)
    found = np.ones(at.shape)
    near, far = (at > 0.0) & (at < shape + 1.0), at >= shape + 1.0
    if near.any():
        found[near] = 1.0 - _gamma_series(at[near], shape[near])
    if far.any():
        found[far] = _gamma_fraction(at[far], shape[far])
    return found


def f_tail(ratio: ArrayLike, above: ArrayLike, below: ArrayLike) -> Floats:
    """Return the probability above a ratio of an F distribution with two degrees of freedom."""
    f, one = _both(ratio, above)
    f, other = _both(f, below)
    many = other > _MANY
    found = np.empty(f.shape)
    if many.any():
        found[many] = chi2_tail(f[many] * one[many], one[many])
    f, one, other = f[~many], one[~many], other[~many]
    found[~many] = _beta(other / (other + one * f), other / 2.0, one / 2.0)
    return found


def t_two_sided(t: ArrayLike, freedom: ArrayLike) -> Floats:
    """Return the probability that Student's t is further from 0 than t."""
    return f_tail(np.square(np.asarray(t, dtype=np.float64)), 1.0, freedom)


def uniformity(p_values: ArrayLike) -> tuple[float, float]:
    """Return the Kolmogorov-Smirnov distance of p-values from uniform ones, and its own p-value.

    The p-value is that of independent p-values, by Stephens' approximation.
    """
    ordered = np.sort(np.asarray(p_values, dtype=np.float64))
    n = len(ordered)
    steps = np.arange(n + 1) / n
    distance = float(max((steps[1:] - ordered).max(), (ordered - steps[:-1]).max()))
    root = math.sqrt(n)
    return distance, kolmogorov_tail((root + 0.12 + 0.11 / root) * distance)


def kolmogorov_tail(x: float) -> float:
    """Return the probability above x of Kolmogorov's distribution."""
    if x < 0.2:
        return 1.0
    terms = (2.0 * (-1.0) ** (j - 1) * math.exp(-2.0 * (j * x) ** 2) for j in range(1, 101))
    return min(max(sum(terms), 0.0), 1.0)


def _both(one: ArrayLike, other: ArrayLike) -> tuple[Floats, Floats]:
    """Return two arrays of one shape, of one dimension or more."""
    a, b = np.broadcast_arrays(np.atleast_1d(one), np.atleast_1d(other))
    return a.astype(np.float64), b.astype(np.float64)


def _gammas(x: Floats) -> Floats:
    return np.asarray(_log_gamma(x), dtype=np.float64)


def _gamma_series(x: Floats, a: Floats) -> Floats:
    """Return the lower incomplete gamma function, regularised, for x below a + 1."""
    term = 1.0 / a
    total, place = term.copy(), a.copy()
    for _ in range(_MOST_TERMS):
        place += 1.0
        term = term * x / place
        total += term
        if not (term > _PRECISION * total).any():
            break
    return np.exp(a * np.log(x) - x - _gammas(a)) * total


def _gamma_fraction(x: Floats, a: Floats) -> Floats:
    """Return the upper incomplete gamma function, regularised, for x above a + 1 (Lentz)."""
    b = x + 1.0 - a
    c, d = np.full(x.shape, 1.0 / _TINY), 1.0 / b
    found = d.copy()
    for i in range(1, _MOST_TERMS):
        numerator = -i * (i - a)
        b = b + 2.0
        d = 1.0 / _kept_off_zero(numerator * d + b)
        c = _kept_off_zero(b + numerator / c)
        found *= c * d
        if not (np.abs(c * d - 1.0) > _PRECISION).any():
            break
    return np.exp(a * np.log(x) - x - _gammas(a)) * found


def _beta(x: Floats, a: Floats, b: Floats) -> Floats:
    """Return the incomplete beta function, regularised."""
    swapped = x > (a + 1.0) / (a + b + 2.0)
    at = np.where(swapped, 1.0 - x, x)
    one, other = np.where(swapped, b, a), np.where(swapped, a, b)
    inside = at > 0.0
    part = np.zeros(at.shape)
    part[inside] = _beta_fraction(at[inside], one[inside], other[inside])
    found: Floats = np.where(swapped, 1.0 - part, part)
    return found


def _beta_fraction(x: Floats, a: Floats, b: Floats) -> Floats:
    """Return the incomplete beta function by its continued fraction (Lentz)."""
    c = np.ones(x.shape)
    d = 1.0 / _kept_off_zero(1.0 - (a + b) * x / (a + 1.0))
    found = d.copy()
    for m in range(1, _MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        for numerator in (even, odd):
            d = 1.0 / _kept_off_zero(1.0 + numerator * d)
            c = _kept_off_zero(1.0 + numerator / c)
            found *= c * d
        if not (np.abs(c * d - 1.0) > _PRECISION).any():
            break
    scale = _gammas(a + b) - _gammas(a) - _gammas(b) + a * np.log(x) + b * np.log1p(-x)
    return np.exp(scale) * found / a


def _kept_off_zero(x: Floats) -> Floats:
    kept: Floats = np.where(np.abs(x) < _TINY, _TINY, x)
    return kept
