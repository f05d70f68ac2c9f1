"""Curves of a column straight from their definition, one spline and one value at a time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
DEGREE = 3


def bspline(i: int, degree: int, knots: Sequence[float], x: float) -> float:
    """Return the i-th B-spline at x, by the recursion of Cox and de Boor."""
    if degree == 0:
        last = knots[i] < knots[i + 1] == knots[-1]
        return float(knots[i] <= x < knots[i + 1] or (last and x == knots[-1]))
    total = 0.0
    if knots[i + degree] > knots[i]:
        rise = (x - knots[i]) / (knots[i + degree] - knots[i])
        total += rise * bspline(i, degree - 1, knots, x)
    if knots[i + degree + 1] > knots[i + 1]:
        fall = (knots[i + degree + 1] - x) / (knots[i + degree + 1] - knots[i + 1])
        total += fall * bspline(i + 1, degree - 1, knots, x)
    return total


def splines(values: Sequence[float], knots: Sequence[float]) -> Floats:
    """Return all cubic B-splines at some values, a row for each value."""
    count = len(knots) - DEGREE - 1
    return np.array([[bspline(i, DEGREE, knots, x) for i in range(count)] for x in values])


def roughness(knots: Sequence[float]) -> Floats:
    """Return the integrals of products of second derivatives, interval by interval."""
    count = len(knots) - DEGREE - 1
    total = np.zeros((count, count))
    for low, high in pairwise(sorted(set(knots))):
        inside = np.linspace(low, high, 6)[1:5]
        bends = [np.polyder(np.polyfit(inside, part, 3), 2) for part in splines(inside, knots).T]
        for i, one in enumerate(bends):
            for j, other in enumerate(bends):
                area = np.polyint(np.polymul(one, other))
                total[i, j] += np.polyval(area, high) - np.polyval(area, low)
    return total


def curves(values: Floats, weights: Floats, knots: Sequence[float]) -> Floats:
    """Return a parabola, a cubic polynomial and the smoothest curves after them, at the values.

    Each has mean 0 and variance 1, no correlation with the values and those before, and ends above
    0.
    """
    shares = weights / weights.sum()
    made: list[Floats] = []
    for power in range(4):
        column = values**power
        for _ in range(2):
            for earlier in made:
                column = column - earlier * (shares @ (earlier * column))
        made.append(column / np.sqrt(shares @ column**2))
    design = splines(values.tolist(), knots)
    correlated = np.array([(shares * column) @ design for column in made])
    free = np.linalg.svd(correlated)[2][len(made) :].T
    gram = free.T @ (design.T @ (shares[:, np.newaxis] * design)) @ free
    factor = np.linalg.inv(np.linalg.cholesky(gram))
    rough = factor @ (free.T @ roughness(knots) @ free) @ factor.T
    others = design @ free @ factor.T @ np.linalg.eigh(rough)[1]
    found = np.column_stack([*made[2:], others])
    return np.asarray(found * np.sign(found[np.argmax(values)]))
