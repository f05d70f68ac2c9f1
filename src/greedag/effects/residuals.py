"""Tests of what regressions leave of each row: whether it is normal, and evenly spread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from greedag.effects.regressions import ranks_of
from greedag.statistics.tails import f_tail, normal_two_sided

Floats = NDArray[np.float64]

LEAST_ROWS = 50
"""With fewer rows, the approximations of tests of normality are too rough."""


class Shape(NamedTuple):
    """Skewness and kurtosis of what is left of a column, 0 and 3 if normal, with p-values."""

    skewness: float
    kurtosis: float
    skewness_p: float
    kurtosis_p: float


def residuals(y: Floats, columns: Floats) -> Floats:
    """Return what a regression leaves of y, each row divided by how far it could deviate."""
    design = np.column_stack([np.ones(len(y)), columns])
    basis, _ = np.linalg.qr(design)
    left = y - basis @ (basis.T @ y)
    room = 1.0 - np.square(basis).sum(axis=1)
    found: Floats = left / np.sqrt(np.maximum(room, 1e-8))
    return found


def shape_of(left: Floats) -> Shape:
    """Test skewness and kurtosis, by the transformations of D'Agostino and of Anscombe & Glynn."""
    n = float(len(left))
    unit = left - left.mean()
    unit /= unit.std() or 1.0
    skewness, kurtosis = float(np.mean(unit**3)), float(np.mean(unit**4))
    z = [_skewness_z(skewness, n), _kurtosis_z(kurtosis, n)]
    p_values = normal_two_sided(z).tolist()
    return Shape(skewness, kurtosis, *p_values)


def _skewness_z(skewness: float, n: float) -> float:
    y = skewness * math.sqrt((n + 1) * (n + 3) / (6.0 * (n - 2)))
    beta = 3.0 * (n * n + 27 * n - 70) * (n + 1) * (n + 3)
    beta /= (n - 2) * (n + 5) * (n + 7) * (n + 9)
    w2 = math.sqrt(2.0 * (beta - 1.0)) - 1.0
    return math.asinh(y / math.sqrt(2.0 / (w2 - 1.0))) / math.sqrt(0.5 * math.log(w2))


def _kurtosis_z(kurtosis: float, n: float) -> float:
    mean = 3.0 * (n - 1) / (n + 1)
    variance = 24.0 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    x = (kurtosis - mean) / math.sqrt(variance)
    skew = 6.0 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9))
    skew *= math.sqrt(6.0 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    a = 6.0 + 8.0 / skew * (2.0 / skew + math.sqrt(1.0 + 4.0 / skew**2))
    inner = (1.0 - 2.0 / a) / (1.0 + x * math.sqrt(2.0 / (a - 4.0)))
    if inner == 0.0:
        return math.inf
    root = math.copysign(abs(inner) ** (1.0 / 3.0), inner)
    return (1.0 - 2.0 / (9.0 * a) - root) / math.sqrt(2.0 / (9.0 * a))


def spread_test(left: Floats, ranks: Floats) -> float:
    """Return the p-value that the size of what is left does not depend on some columns.

    Ranks of sizes are regressed on a line and a parabola of the ranks of each column, so that heavy
    tails do no harm.
    """
    size = ranks_of(np.abs(left)[:, np.newaxis])[:, 0]
    columns = np.column_stack([np.ones(len(left)), ranks, 1.5 * ranks**2 - 0.5])
    basis, triangle = np.linalg.qr(columns)
    kept = np.abs(triangle.diagonal()) > 1e-8 * math.sqrt(len(left))
    parts = (basis.T @ size)[kept] ** 2
    above, below = int(kept.sum()) - 1, len(left) - int(kept.sum())
    explained, whole = float(parts[1:].sum()), float(size @ size - parts[0])
    if above < 1 or below < 1 or whole <= explained:
        return 1.0
    return float(f_tail(explained / above / ((whole - explained) / below), above, below)[0])


def spread_by(left: Floats, ranks: Floats, columns: Sequence[int]) -> int:
    """Return the column that the size of what is left depends on most."""
    return min(columns, key=lambda x: spread_test(left, ranks[:, [x]]))
