"""Quantiles of Student's t distribution."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np

# Beyond, quantiles are those of the normal distribution to four digits.
_MANY = 20_000.0
_STEPS = 60
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(80)


@lru_cache(maxsize=256)
def two_sided(level: float, freedom: float) -> float:
    """Return the t with a probability of `level` between -t and t.

    Parameters
    ----------
    level : float
        Above 0 and below 1.
    freedom : float
        Degrees of freedom.
    """
    if freedom > _MANY:
        return NormalDist().inv_cdf(0.5 + level / 2.0)
    # With t = √ν tan θ the density is in proportion to cos^(ν-1) θ, and θ below π/2.
    low, high = 0.0, math.pi / 2.0
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        if _within(middle, freedom) < level:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom) * math.tan(low)


def _within(angle: float, freedom: float) -> float:
    """Return the probability between -θ and θ."""
    places = 0.5 * angle * (_NODES + 1.0)
    integral = 0.5 * angle * float(_WEIGHTS @ np.cos(places) ** (freedom - 1.0))
    whole = math.lgamma((freedom + 1.0) / 2.0) - math.lgamma(freedom / 2.0)
    return 2.0 * integral * math.exp(whole) / math.sqrt(math.pi)
