"""Pivoted Cholesky as in a textbook: one pivot at a time, on the whole matrix."""

from __future__ import annotations

import numpy as np


def residual_variances(correlation: np.ndarray, most: int) -> list[float]:
    """Return the largest variance that is left before each pivot, for at most `most` pivots."""
    residual = np.array(correlation, dtype=np.float64)
    found = []
    for _ in range(min(most, len(residual))):
        pivot = int(np.argmax(np.diagonal(residual)))
        own = float(residual[pivot, pivot])
        found.append(own)
        if own <= 0.0:
            break
        residual -= np.outer(residual[:, pivot], residual[pivot]) / own
        residual[pivot, :] = residual[:, pivot] = 0.0
    return found


def rank(correlation: np.ndarray, limit: float, most: int) -> int:
    """Return how many pivots keep a variance above `limit`."""
    return sum(own > limit for own in residual_variances(correlation, most))
