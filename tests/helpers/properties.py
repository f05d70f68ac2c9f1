"""Searches held against the truth and the optimum of random data sets."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from greedag import _core
from helpers.engine import engine_score
from oracle.datasets import (
    Sample,
    draw_rows,
    faithful_population,
    from_rows,
    random_dag,
    random_weights,
)
from oracle.exact import optimum

SEARCHES = ("xges0", "xges", "ges", "ges-r", "ops", "fges")
CONSISTENT = ("ges", "xges0", "xges")
TOLERANCE = 1e-9


def run(sample: Sample, name: str) -> _core.SearchOutcome:
    """Run a search of the engine as a user would, with its default caps."""
    return _core.search(engine_score(sample), name)


def searches_missing_the_truth(seed: int) -> list[str]:
    """Return the searches that do not find the true class from a population covariance."""
    dag, sample = faithful_population(seed)
    truth = _core.cpdag_of_dag(dag)
    return [name for name in CONSISTENT if not np.array_equal(run(sample, name).adjacency, truth)]


def searches_above_the_optimum(seed: int, d: int) -> list[str]:
    """Return the searches that report more than the exact optimum of a random data set."""
    sample = small_sample(np.random.default_rng([seed, d]), d)
    best = optimum(sample.covariance, sample.n, sample.alpha)
    margin = TOLERANCE * abs(best)
    return [name for name in SEARCHES if run(sample, name).score > best + margin]


def small_rows(rng: Generator, d: int) -> NDArray[np.float64]:
    """Draw a table with d columns, sparse or dense."""
    weights = random_weights(rng, random_dag(rng, d, rng.uniform(0.5, 0.4 * d)), 0.2, 1.2, 0.5)
    return draw_rows(rng, weights, rng.uniform(0.3, 1.5, d), int(rng.integers(50, 2_000)))


def small_sample(rng: Generator, d: int) -> Sample:
    """Draw a data set with d columns, sparse or dense."""
    return from_rows(f"small d={d}", small_rows(rng, d))
