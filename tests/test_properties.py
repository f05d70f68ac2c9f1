"""What must hold of every outcome, whatever the data: truth, optimum, invariances, totals."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

from engine import engine_score
from greedag import _core
from oracle.brute_force import local_score
from oracle.datasets import (
    Sample,
    draw_rows,
    faithful_population,
    from_covariance,
    from_rows,
    random_dag,
    random_sample,
    random_weights,
    wide,
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


def member_score(sample: Sample, adjacency: NDArray[np.uint8]) -> float:
    """Score a member DAG of a class, node by node, with least squares on the covariance."""
    dag = _core.dag_of_cpdag(adjacency)
    return sum(
        local_score(
            sample.covariance, sample.n, sample.alpha, y, np.flatnonzero(dag[:, y]).tolist()
        )
        for y in range(sample.d)
    )


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_population_covariance_gives_the_true_class(first: int) -> None:
    missed = {seed: searches_missing_the_truth(seed) for seed in range(first, first + 20)}
    assert not {seed: names for seed, names in missed.items() if names}


@pytest.mark.parametrize("d", range(2, 9))
def test_no_search_reports_more_than_the_exact_optimum(d: int) -> None:
    above = {seed: searches_above_the_optimum(seed, d) for seed in range(15)}
    assert not {seed: names for seed, names in above.items() if names}


@pytest.mark.parametrize("seed", range(40))
def test_xges_never_ends_below_xges0(seed: int) -> None:
    sample = random_sample(seed)
    least = run(sample, "xges0").score
    assert run(sample, "xges").score >= least - TOLERANCE * abs(least)


@pytest.mark.parametrize("seed", range(40))
def test_reported_score_is_the_score_of_a_member_dag_and_the_sum_of_the_gains(seed: int) -> None:
    sample = random_sample(seed)
    empty = member_score(sample, np.zeros((sample.d, sample.d), dtype=np.uint8))
    for name in SEARCHES:
        outcome = run(sample, name)
        margin = TOLERANCE * max(abs(empty), abs(outcome.score))
        assert abs(outcome.score - member_score(sample, outcome.adjacency)) <= margin
        assert abs(outcome.score - empty - sum(entry[6] for entry in outcome.trace)) <= margin


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("seed", range(20))
def test_order_of_rows_does_not_matter(seed: int, name: str) -> None:
    rng = np.random.default_rng(seed)
    rows = small_rows(rng, 10)
    plain, shuffled = (
        run(from_rows("rows", table), name) for table in (rows, rng.permutation(rows))
    )
    assert np.array_equal(plain.adjacency, shuffled.adjacency)
    assert plain.score == pytest.approx(shuffled.score, rel=TOLERANCE)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("seed", range(20))
def test_order_of_columns_does_not_matter(seed: int, name: str) -> None:
    rng = np.random.default_rng(seed)
    sample, order = small_sample(rng, 10), rng.permutation(10)
    permuted = from_covariance("permuted", sample.covariance[np.ix_(order, order)], sample.n)
    plain, moved = run(sample, name), run(permuted, name)
    assert np.array_equal(plain.adjacency[np.ix_(order, order)], moved.adjacency)
    assert plain.score == pytest.approx(moved.score, rel=TOLERANCE)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("seed", range(20))
def test_units_of_columns_shift_the_score_and_change_nothing_else(seed: int, name: str) -> None:
    rng = np.random.default_rng(seed)
    sample, units = small_sample(rng, 10), 10.0 ** rng.integers(-6, 7, 10)
    scaled = from_covariance("scaled", sample.covariance * np.outer(units, units), sample.n)
    plain, moved = run(sample, name), run(scaled, name)
    assert np.array_equal(plain.adjacency, moved.adjacency)
    shift = -sample.n * float(np.log(units).sum())
    assert moved.score == pytest.approx(plain.score + shift, rel=TOLERANCE, abs=1e-6)


@pytest.mark.parametrize("seed", range(60))
def test_xges_ends_with_no_more_rows_than_columns(seed: int) -> None:
    sample = wide(np.random.default_rng(seed))
    outcome = _core.search(engine_score(sample), "xges", time_limit=5.0)
    assert outcome.stopped == ""
