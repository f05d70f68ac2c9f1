"""Tables driven by common factors: the best class is nearly complete, and the search still ends."""

from __future__ import annotations

import numpy as np
import pytest

from greedag import GES, XGES, Moments, learn
from greedag.simulate import linear_gaussian


def factor_table(d: int, factors: int, seed: int = 0, n: int = 10_000) -> Moments:
    rng = np.random.default_rng(seed)
    loadings = rng.uniform(0.5, 1.5, (factors, d))
    rows = rng.normal(size=(n, factors)) @ loadings + rng.normal(size=(n, d))
    return Moments.from_data(rows)


@pytest.mark.clock
@pytest.mark.parametrize(("d", "factors", "seconds"), [(10, 1, 2.0), (20, 1, 5.0), (30, 3, 5.0)])
def test_xges_ends_in_bounded_time_on_factor_data(d: int, factors: int, seconds: float) -> None:
    result = learn(factor_table(d, factors), time_limit=seconds)
    assert result.stopped == ""


def dense_notes(moments: Moments, **options: float) -> list[str]:
    return [note for note in learn(moments, alpha=2.0, **options).notes if note.code == "dense"]


@pytest.mark.parametrize(("d", "factors"), [(20, 1), (25, 2), (30, 3)])
def test_dense_tables_go_through_orders_and_end_no_lower_than_xges(d: int, factors: int) -> None:
    moments = factor_table(d, factors)
    result = learn(moments, alpha=2.0)
    assert result.counts["trials"] == 0
    assert result.counts["rounds"] > 0
    assert result.score >= learn(moments, alpha=2.0, effort=0).score
    assert result == learn(moments, alpha=2.0, n_jobs=2)


def test_dense_tables_are_said_to_be_so_where_trials_were_left_out() -> None:
    assert len(dense_notes(factor_table(20, 1))) == 1
    assert not dense_notes(factor_table(20, 1), effort=0)
    assert not dense_notes(Moments.from_data(linear_gaussian(20, 3.0, 1000, seed=0).data))


def test_a_met_cap_is_said_with_the_columns_concerned() -> None:
    result = learn(factor_table(12, 1), search="xges0")
    (note,) = (note for note in result.notes if "clique cap of 64" in note)
    assert "x0" in note


def test_without_a_cap_nothing_is_said() -> None:
    result = learn(factor_table(8, 1), search="xges0", clique_cap=0)
    assert not [note for note in result.notes if "cap" in note]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("d", "rho"), [(10, 2.0), (25, 3.0), (50, 2.0)])
def test_the_cap_changes_nothing_on_sparse_graphs(d: int, rho: float, seed: int) -> None:
    moments = Moments.from_data(linear_gaussian(d, rho, 10_000, seed=seed).data)
    capped, free = learn(moments, effort=0), learn(moments, effort=0, clique_cap=0)
    assert capped.trace == free.trace
    assert not capped.notes


def test_a_capped_search_ends_at_least_as_high_as_ges() -> None:
    moments = factor_table(15, 1, seed=3)
    assert XGES().fit(moments).score_ >= GES().fit(moments).score_


@pytest.mark.parametrize("size", [1e-160, 1e-30, 1e30, 1e150])
def test_units_of_any_size_give_the_same_class(size: float) -> None:
    rows = linear_gaussian(8, 1.5, 500, seed=1).data
    assert learn(rows * size).cpdag == learn(rows).cpdag


@pytest.mark.parametrize("noise", [1e-3, 1e-4, 1e-5])
def test_nearly_collinear_columns_end_in_bounded_time(noise: float) -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(2_000, 12))
    for j in range(6, 12):
        rows[:, j] = rows[:, :6] @ rng.normal(size=6) + noise * rng.normal(size=2_000)
    for search in ("xges", "ges-r", "ops"):
        assert learn(rows, search=search, time_limit=20.0).stopped == ""


def chain_table() -> np.ndarray:
    """Each column is the one before it and very little of something else."""
    rng = np.random.default_rng(623)
    rows = rng.normal(size=(31, 21))
    for j in range(1, 21):
        rows[:, j] = rows[:, j - 1] + 1e-5 * rows[:, j]
    return rows


def wide_table() -> np.ndarray:
    """Twelve rows of 25 columns that are nearly the same."""
    rng = np.random.default_rng(156)
    noise = rng.normal(size=(12, 25))
    return rng.normal(size=(12, 1)) + 1e-4 * noise


def large_sample_table() -> Moments:
    """Many rows, and columns that are combinations of others to a few parts in 100,000."""
    rng = np.random.default_rng(2514)
    rows = rng.normal(size=(5_000, 14))
    for j in range(7, 14):
        weights = rng.normal(size=7) * (rng.random(7) < 0.5)
        rows[:, j] = rows[:, :7] @ weights + 3.5e-5 * rows[:, j]
    return Moments(n=31_000_000, covariance=np.cov(rows.T, bias=True))


@pytest.mark.parametrize("search", ["xges", "xges0", "ges-r", "ops"])
@pytest.mark.parametrize("table", [chain_table, wide_table, large_sample_table])
def test_nearly_singular_tables_end_where_their_gains_add_up(table, search: str) -> None:  # type: ignore[no-untyped-def]
    given = table()
    moments = given if isinstance(given, Moments) else Moments.from_data(given)
    result = learn(moments, search=search, alpha=2.0, time_limit=20.0)
    likelihood = -0.5 * moments.n * (moments.d + moments.log_variances.sum())
    empty = likelihood - np.log(moments.n) * moments.d
    gained = sum(operator.gain for operator in result.trace)
    assert result.stopped == ""
    assert abs(result.score - empty - gained) <= 1e-4 * abs(result.score - empty)
