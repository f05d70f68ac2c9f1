"""The best total score of any DAG, by dynamic programming over sets of nodes.

Every DAG has a sink, so the best DAG on a set is the best choice of a sink and of its parents
within the rest, beside the best DAG on the rest. Time and memory O(d 2^d): up to 12 nodes or so.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def log_determinants(covariance: NDArray[np.float64]) -> Vector:
    """Return the log-determinant of the covariance of every set of nodes (a bitmask)."""
    d = len(covariance)
    logs = np.zeros(1 << d)
    for mask in range(1, 1 << d):
        nodes = [v for v in range(d) if mask >> v & 1]
        logs[mask] = np.linalg.slogdet(covariance[np.ix_(nodes, nodes)])[1]
    return logs


def set_sizes(d: int) -> NDArray[np.int64]:
    """Return the number of nodes of every set."""
    return np.array([mask.bit_count() for mask in range(1 << d)])


def best_within(scores: Vector, d: int) -> Vector:
    """Replace the value of every set by the largest value among its subsets."""
    best = scores.copy()
    for v in range(d):
        halves = best.reshape(-1, 2, 1 << v)
        np.maximum(halves[:, 1], halves[:, 0], out=halves[:, 1])
    return best


def best_parent_scores(covariance: NDArray[np.float64], n: int, alpha: float) -> list[Vector]:
    """Return, for every node and set, the best local score with parents within that set."""
    d = len(covariance)
    logs = log_determinants(covariance)
    penalty = 0.5 * alpha * np.log(n) * (set_sizes(d) + 1)
    masks = np.arange(1 << d)
    best = []
    for y in range(d):
        local = -0.5 * n * (1.0 + logs[masks | 1 << y] - logs) - penalty
        local[(masks >> y & 1).astype(bool)] = -np.inf
        best.append(best_within(local, d))
    return best


def best_total(parents: list[Vector]) -> float:
    """Return the best total of any DAG, given the best local scores by node and set."""
    d = len(parents)
    total = np.zeros(1 << d)
    for mask in range(1, 1 << d):
        total[mask] = max(
            total[mask ^ 1 << sink] + parents[sink][mask ^ 1 << sink]
            for sink in range(d)
            if mask >> sink & 1
        )
    return float(total[-1])


def optimum(covariance: NDArray[np.float64], n: int, alpha: float) -> float:
    """Return the highest Gaussian BIC of any DAG on the variables of ``covariance``."""
    return best_total(best_parent_scores(covariance, n, alpha))


def optimum_by(local_score: Callable[[int, tuple[int, ...]], float], d: int) -> float:
    """Return the highest total of any DAG on ``d`` nodes, by any function of node and parents."""
    best = []
    for y in range(d):
        local = np.full(1 << d, -np.inf)
        for mask in range(1 << d):
            if not mask >> y & 1:
                local[mask] = local_score(y, tuple(v for v in range(d) if mask >> v & 1))
        best.append(best_within(local, d))
    return best_total(best)
