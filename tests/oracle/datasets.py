"""Seeded random data sets and population covariances for the tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Array = NDArray[np.float64]
Matrix = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Sample:
    """What a search sees of a table: n, the biased variances and the correlations.

    Attributes
    ----------
    name : str
        How the table was made, for messages.
    n : int
        Number of rows.
    alpha : float
        Weight of the penalty.
    correlation : ndarray of shape (d, d)
        Correlations, exactly symmetric with a diagonal of exact ones.
    variances : ndarray of shape (d,)
        Variances.
    """

    name: str
    n: int
    alpha: float
    correlation: Array
    variances: Array

    @property
    def d(self) -> int:
        """Number of variables."""
        return len(self.variances)

    @property
    def log_variances(self) -> Array:
        """Logarithms of the variances."""
        logs: Array = np.log(self.variances)
        return logs

    @property
    def covariance(self) -> Array:
        """Covariances."""
        deviations = np.sqrt(self.variances)
        covariance: Array = self.correlation * np.outer(deviations, deviations)
        return covariance


def from_covariance(name: str, covariance: Array, n: int, alpha: float = 2.0) -> Sample:
    """Split a covariance matrix into correlations and variances."""
    variances = np.diag(covariance).copy()
    deviations = np.sqrt(variances)
    ratio = covariance / np.outer(deviations, deviations)
    correlation = np.ascontiguousarray((ratio + ratio.T) / 2.0)
    np.fill_diagonal(correlation, 1.0)
    return Sample(name, n, alpha, correlation, variances)


def from_rows(name: str, rows: Array, alpha: float = 2.0) -> Sample:
    """Summarise a table of n rows and d columns."""
    centred = rows - rows.mean(axis=0)
    return from_covariance(name, centred.T @ centred / len(rows), len(rows), alpha)


def random_dag(rng: Generator, d: int, rho: float) -> Matrix:
    """Draw a DAG with ``rho`` edges a node on average, its nodes in random order."""
    probability = min(1.0, 2.0 * rho / max(1, d - 1))
    upper = np.triu(rng.random((d, d)) < probability, k=1)
    order = rng.permutation(d)
    dag = np.zeros((d, d), dtype=np.uint8)
    dag[np.ix_(order, order)] = upper
    return dag


def random_weights(rng: Generator, dag: Matrix, low: float, high: float, negative: float) -> Array:
    """Draw a weight for each edge, of size in [low, high], negative with that probability."""
    signs = np.where(rng.random(dag.shape) < negative, -1.0, 1.0)
    weights: Array = dag * signs * rng.uniform(low, high, dag.shape)
    return weights


def implied_covariance(weights: Array, noise: Array) -> Array:
    """Return the covariance of ``x_j = sum_i weights[i, j] x_i + e_j``, ``var e_j = noise[j]``."""
    inverse = np.linalg.inv(np.eye(len(noise)) - weights)
    return np.ascontiguousarray(inverse.T @ np.diag(noise) @ inverse, dtype=np.float64)


def draw_rows(rng: Generator, weights: Array, deviations: Array, n: int) -> Array:
    """Draw n rows of the linear model with independent Gaussian noise."""
    noise = rng.normal(size=(n, len(deviations))) * deviations
    rows = np.linalg.solve((np.eye(len(deviations)) - weights).T, noise.T).T
    return np.ascontiguousarray(rows, dtype=np.float64)


def log_uniform_integer(rng: Generator, low: int, high: int) -> int:
    """Draw an integer between low and high, every order of magnitude alike."""
    return round(float(np.exp(rng.uniform(np.log(low), np.log(high)))))


def normalised(rng: Generator) -> Sample:
    """Weights of size 1 to 3, L1-normalised by node, and noise of any scale below one half."""
    d, rho = int(rng.integers(6, 31)), float(rng.choice([0.5, 1.0, 2.0, 3.0, 4.0]))
    negative = float(rng.choice([0.0, 0.5]))
    weights = random_weights(rng, random_dag(rng, d, rho), 1.0, 3.0, negative)
    weights /= np.maximum(np.abs(weights).sum(axis=0), 1e-300)
    deviations = rng.uniform(0.0, 0.5, d)
    n = log_uniform_integer(rng, 50, 10_000)
    return from_rows(f"normalised d={d} rho={rho}", draw_rows(rng, weights, deviations, n))


def equal_variance(rng: Generator) -> Sample:
    """Weights of either sign and noise of variance one."""
    d, rho = int(rng.integers(6, 31)), float(rng.uniform(0.5, 3.0))
    weights = random_weights(rng, random_dag(rng, d, rho), 0.3, 1.5, 0.5)
    n = log_uniform_integer(rng, 50, 10_000)
    alpha = float(rng.choice([1.0, 2.0, 4.0]))
    return from_rows(
        f"equal-variance d={d} rho={rho:.1f}", draw_rows(rng, weights, np.ones(d), n), alpha
    )


def dense(rng: Generator) -> Sample:
    """Few nodes, more than half of the pairs joined, weak and strong weights."""
    d = int(rng.integers(6, 10))
    weights = random_weights(rng, random_dag(rng, d, rng.uniform(0.25, 0.45) * d), 0.05, 1.0, 0.5)
    n = log_uniform_integer(rng, 50, 10_000)
    return from_rows(f"dense d={d}", draw_rows(rng, weights, rng.uniform(0.3, 1.5, d), n))


def factor(rng: Generator) -> Sample:
    """A hidden common cause or two: the best class is nearly complete."""
    d, factors = int(rng.integers(6, 8)), int(rng.integers(1, 3))
    n = log_uniform_integer(rng, 50, 2_000)
    loadings = rng.uniform(0.4, 1.2, (factors, d)) * rng.choice([-1.0, 1.0], (factors, d))
    rows = rng.normal(size=(n, factors)) @ loadings + rng.normal(size=(n, d))
    return from_rows(f"factor d={d} factors={factors}", rows)


def wide(rng: Generator) -> Sample:
    """No more rows than columns, so that some parent sets would fit exactly."""
    d = int(rng.integers(8, 13))
    n = int(rng.integers(6, d + 1))
    weights = random_weights(rng, random_dag(rng, d, 0.8), 0.5, 1.5, 0.5)
    return from_rows(f"wide d={d}", draw_rows(rng, weights, np.ones(d), n), 4.0)


def tied(rng: Generator) -> Sample:
    """Correlations from a handful of values, so that many gains are equal to the last bit."""
    d, groups = int(rng.integers(6, 9)), int(rng.integers(1, 4))
    member = rng.integers(0, groups, d)
    between, within = rng.choice([0.0, 0.125, 0.25]), rng.choice([0.25, 0.5])
    correlation = np.where(member[:, None] == member[None, :], within, between).astype(np.float64)
    np.fill_diagonal(correlation, 1.0)
    n = log_uniform_integer(rng, 30, 3_000)
    return Sample(f"tied d={d} groups={groups}", n, 2.0, correlation, np.ones(d))


FAMILIES: tuple[tuple[Callable[[Generator], Sample], int], ...] = (
    (normalised, 8),
    (equal_variance, 8),
    (dense, 5),
    (factor, 2),
    (wide, 1),
    (tied, 2),
)
"""The families of data sets and how often each is drawn."""


def random_sample(seed: int) -> Sample:
    """Draw a data set of a random family."""
    rng = np.random.default_rng(seed)
    shares = np.array([share for _, share in FAMILIES], dtype=np.float64)
    family, _ = FAMILIES[int(rng.choice(len(FAMILIES), p=shares / shares.sum()))]
    return family(rng)


def large_sample(seed: int, d: int) -> Sample:
    """Draw a sparse data set on many nodes."""
    rng = np.random.default_rng(seed)
    rho, n = float(rng.choice([0.5, 1.0, 2.0])), log_uniform_integer(rng, 500, 10_000)
    weights = random_weights(rng, random_dag(rng, d, rho), 0.5, 1.5, 0.5)
    rows = draw_rows(rng, weights, rng.uniform(0.5, 1.5, d), n)
    return from_rows(f"large d={d} rho={rho}", rows)


def faithful_population(seed: int) -> tuple[Matrix, Sample]:
    """Draw a DAG on 2 to 20 nodes and the covariance it implies, faithful to it by a wide margin.

    With n = 10**14 an edge pays from a partial correlation of 8e-7 on, and rounding stays below
    1e-9. Weights and densities are such that a partial correlation between the two, which no
    score could tell from zero or from an edge, is not met by the searches.
    """
    rng = np.random.default_rng(seed)
    d, rho = int(rng.integers(2, 21)), float(rng.uniform(0.25, 1.5))
    dag = random_dag(rng, d, rho)
    weights = random_weights(rng, dag, 0.5, 1.0, 0.5)
    covariance = implied_covariance(weights, rng.uniform(0.5, 2.0, d))
    return dag, from_covariance(f"population d={d} rho={rho:.1f}", covariance, 10**14)
