"""What must hold of every outcome, whatever the data: truth, optimum, invariances, totals."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from greedag import _core
from helpers.engine import engine_score
from helpers.properties import (
    SEARCHES,
    TOLERANCE,
    run,
    searches_above_the_optimum,
    searches_missing_the_truth,
    small_rows,
    small_sample,
)
from oracle.brute_force import local_score
from oracle.datasets import (
    Sample,
    from_covariance,
    from_rows,
    random_sample,
    wide,
)


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
