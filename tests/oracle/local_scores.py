"""Local scores in plain NumPy, slow and obvious."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from oracle.datasets import Array, Sample


class GaussianBicTwin:
    """The Gaussian BIC from determinants of covariances; counts what it is asked."""

    def __init__(self, sample: Sample) -> None:
        self._covariance: Array = sample.covariance
        self._n, self._alpha = sample.n, sample.alpha
        self.asked: Counter[tuple[int, tuple[int, ...]]] = Counter()

    def local_score(self, y: int, parents: tuple[int, ...]) -> float:
        """Return ``-n/2 (1 + log var(y | parents)) - alpha/2 log n (parents + 1)``."""
        self.asked[y, parents] += 1
        log_variance = self._log_determinant((*parents, y)) - self._log_determinant(parents)
        penalty = self._alpha / 2.0 * math.log(self._n) * (len(parents) + 1)
        return -self._n / 2.0 * (1.0 + log_variance) - penalty

    def _log_determinant(self, nodes: tuple[int, ...]) -> float:
        return float(np.linalg.slogdet(self._covariance[np.ix_(nodes, nodes)])[1])


class K2:
    """The marginal likelihood of counts under uniform priors (Cooper and Herskovits 1992).

    It is not score equivalent: the weight of the prior grows with the number of parents' levels.
    """

    def __init__(self, rows: np.ndarray) -> None:
        self._rows = rows
        self._levels = rows.max(axis=0) + 1

    def local_score(self, y: int, parents: tuple[int, ...]) -> float:
        """Sum the log of ``(r - 1)! / (N + r - 1)! * prod N_k!`` over the parents' values."""
        levels = int(self._levels[y])
        total = 0.0
        for configuration in np.unique(self._rows[:, parents], axis=0):
            members = (self._rows[:, parents] == configuration).all(axis=1)
            counts = np.bincount(self._rows[members, y], minlength=levels)
            total += math.lgamma(levels) - math.lgamma(int(counts.sum()) + levels)
            total += sum(math.lgamma(int(count) + 1) for count in counts)
        return total
