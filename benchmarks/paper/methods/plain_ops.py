"""OPS of inserts and deletes only, as the paper describes it; the package's has reversals too.

Step by step with the operators of the engine, every pair looked at anew: slow and plain.
"""

from __future__ import annotations

import time
from itertools import permutations
from typing import Any

import numpy as np

from greedag import CPDAG, Moments, _core
from greedag.graph.mpdag import Matrix
from paper.methods.base import Found, too_slow

METHODS = ("OPS, no reversals",)
LEAST_GAIN = 1e-7
GAIN = -1
"""Where an operator has its gain."""


def find(moments: Moments, alpha: float, limit: float) -> Found:
    """Apply the best operator until none gains."""
    score = _core.GaussianBic(moments.correlation, moments.log_variances, moments.n, alpha)
    matrix = np.zeros((moments.d, moments.d), dtype=np.uint8)
    start = time.perf_counter()
    while (best := _best(score, matrix)) is not None:
        kind, x, y, T = best[:4]
        matrix = np.ascontiguousarray(_core.apply(matrix, kind, x, y, T))
        if time.perf_counter() - start > limit:
            raise too_slow(limit)
    return Found(CPDAG.from_matrix(matrix, moments.names), time.perf_counter() - start)


def _best(score: _core.Score, matrix: Matrix) -> Any:
    """Return the insert or delete that gains most, none if nothing gains."""
    pairs = list(permutations(range(len(matrix)), 2))
    joined = [(x, y) for x, y in pairs if matrix[x, y]]
    apart = [(x, y) for x, y in pairs if not matrix[x, y] and not matrix[y, x]]
    found = _core.best_operators(score, matrix, "delete", joined)
    found += _core.best_operators(score, matrix, "insert", apart)
    gaining = [one for one in found if one is not None and one[GAIN] > LEAST_GAIN]
    return max(gaining, key=lambda one: one[GAIN], default=None)
