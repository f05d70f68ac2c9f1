"""EM for a normal table with missing values, as in the textbooks: row by row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def em_moments(
    table: Floats, weights: Floats | None = None, iterations: int = 2000
) -> tuple[Floats, Floats]:
    """Return mean and covariance after very many iterations; NaN marks what is missing."""
    n, d = table.shape
    w = np.ones(n) if weights is None else weights
    mean, covariance = np.nanmean(table, axis=0), np.diag(np.nanvar(table, axis=0))
    for _ in range(iterations):
        expected, spread = np.zeros((n, d)), np.zeros((d, d))
        for i, row in enumerate(table):
            m, o = np.flatnonzero(np.isnan(row)), np.flatnonzero(~np.isnan(row))
            slopes = covariance[np.ix_(m, o)] @ np.linalg.inv(covariance[np.ix_(o, o)])
            expected[i, o] = row[o]
            expected[i, m] = mean[m] + slopes @ (row[o] - mean[o])
            left = covariance[np.ix_(m, m)] - slopes @ covariance[np.ix_(o, m)]
            spread[np.ix_(m, m)] += w[i] * left
        before = covariance
        mean = w @ expected / w.sum()
        deviations = expected - mean
        covariance = ((w[:, None] * deviations).T @ deviations + spread) / w.sum()
        if np.abs(covariance - before).max() < 1e-13:
            break
    return mean, covariance
