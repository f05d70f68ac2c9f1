"""Skewness and kurtosis as they are defined, from all rows at once."""

from __future__ import annotations

import math
from collections.abc import Sequence


def skewness_and_kurtosis(
    values: Sequence[float], weights: Sequence[float] | None = None
) -> tuple[float, float]:
    """Return the third and fourth central moment in units of the standard deviation."""
    weights = [1.0] * len(values) if weights is None else weights
    total = math.fsum(weights)
    mean = math.fsum(w * x for x, w in zip(values, weights, strict=True)) / total
    second, third, fourth = (
        math.fsum(w * (x - mean) ** power for x, w in zip(values, weights, strict=True)) / total
        for power in (2, 3, 4)
    )
    return third / second**1.5, fourth / second**2
