"""The default penalty by bisection, from its definition."""

from __future__ import annotations

import math


def expected_false_edges(n: float, d: int, alpha: float) -> float:
    """Edges that raise the BIC by chance, expected among d independent columns of n rows."""
    # A χ² variable of one degree of freedom exceeds x with probability erfc(√(x/2)).
    return d * (d - 1) / 2 * math.erfc(math.sqrt(alpha * math.log(n) / 2))


def default_alpha(n: float, d: int) -> float:
    """The least alpha from 2 on that allows one such edge per 50 columns, and four in all."""
    low, high = 2.0, 1_000.0
    allowed = min(d / 50, 4)
    if expected_false_edges(n, d, low) <= allowed:
        return low
    while high - low > 1e-9:
        middle = (low + high) / 2
        if expected_false_edges(n, d, middle) > allowed:
            low = middle
        else:
            high = middle
    return high
