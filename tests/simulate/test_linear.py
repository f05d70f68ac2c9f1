"""The simulation follows the paper's procedure and its own seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greedag import CPDAG, OptionError
from greedag.simulate import linear_gaussian


def test_same_seed_gives_the_same_table_and_another_seed_another() -> None:
    first, again = (linear_gaussian(8, 2.0, 50, seed=3) for _ in range(2))
    assert np.array_equal(first.data, again.data)
    assert np.array_equal(first.dag, again.dag)
    assert not np.array_equal(first.data, linear_gaussian(8, 2.0, 50, seed=4).data)


def test_shapes_types_and_names_are_as_documented() -> None:
    drawn = linear_gaussian(7, 1.5, 30, seed=0)
    assert drawn.data.shape == (30, 7)
    assert drawn.data.dtype == np.float64
    assert drawn.dag.dtype == np.uint8
    assert drawn.weights.shape == (7, 7)
    assert drawn.noise_sd.shape == (7,)
    assert drawn.names == drawn.cpdag.names
    assert drawn.cpdag == CPDAG.from_dag(drawn.dag, drawn.names)
    assert repr(drawn) == f"<Simulation: 30 rows, 7 columns, {drawn.dag.sum()} edges>"


@given(st.integers(2, 12), st.floats(0.0, 6.0), st.booleans(), st.integers(0, 2**32))
def test_weights_stand_on_edges_and_sum_to_one_by_column(
    d: int, rho: float, negative: bool, seed: int
) -> None:
    drawn = linear_gaussian(d, rho, 1, seed=seed, negative=negative)
    assert np.array_equal(drawn.weights != 0, drawn.dag == 1)
    totals = np.abs(drawn.weights).sum(axis=0)
    assert np.allclose(totals[drawn.dag.any(axis=0)], 1.0)
    # Drawn from [1, 3], so no weight is more than three times another of the same column.
    for column in np.abs(drawn.weights).T:
        kept = column[column > 0]
        assert not len(kept) or kept.max() <= 3.0 * kept.min() * (1 + 1e-12)
    assert negative or (drawn.weights >= 0).all()


def test_negative_turns_about_half_of_the_columns_as_a_whole() -> None:
    # Pooled over seeds: about 1,700 columns, so the bounds are four standard deviations away.
    drawn = [linear_gaussian(100, 3.0, 1, seed=seed, negative=True) for seed in range(20)]
    columns = [w[w != 0] for one in drawn for w in one.weights.T if w.any()]
    assert all((w > 0).all() or (w < 0).all() for w in columns)
    assert 0.45 < np.mean([w[0] < 0 for w in columns]) < 0.55


def test_mean_number_of_parents_is_rho() -> None:
    edges = [linear_gaussian(50, 3.0, 1, seed=seed).dag.sum() for seed in range(40)]
    assert np.mean(edges) / 50 == pytest.approx(3.0, rel=0.05)


def test_density_beyond_the_complete_graph_joins_every_pair() -> None:
    assert linear_gaussian(6, 100.0, 1, seed=0).dag.sum() == 15


def test_labels_carry_no_order() -> None:
    above = sum(np.triu(linear_gaussian(30, 3.0, 1, seed=seed).dag).sum() for seed in range(20))
    total = sum(linear_gaussian(30, 3.0, 1, seed=seed).dag.sum() for seed in range(20))
    assert 0.4 < above / total < 0.6


def test_noise_bound_is_a_standard_deviation() -> None:
    drawn = linear_gaussian(300, 0.0, 4000, seed=1, noise_max=2.0)
    assert (drawn.noise_sd > 0).all()
    assert (drawn.noise_sd <= 2.0).all()
    assert drawn.noise_sd.mean() == pytest.approx(1.0, rel=0.1)
    assert np.allclose(drawn.data.std(axis=0) / drawn.noise_sd, 1.0, atol=0.06)


def test_rows_obey_the_structural_equations() -> None:
    drawn = linear_gaussian(8, 2.0, 20_000, seed=5)
    noise = drawn.data - drawn.data @ drawn.weights
    assert np.allclose(np.cov(noise.T), np.diag(drawn.noise_sd**2), atol=0.01)


def test_population_covariance_is_what_many_rows_tend_to() -> None:
    drawn = linear_gaussian(6, 2.0, 200_000, seed=2, negative=True)
    assert np.allclose(np.cov(drawn.data.T), drawn.population_covariance, atol=5e-3)


def test_weight_range_is_obeyed() -> None:
    weights = linear_gaussian(10, 3.0, 1, seed=0, weight_range=(2.0, 2.0)).weights
    for column in weights.T:
        assert np.ptp(column[column > 0]) < 1e-15 if column.any() else True


def test_one_column_and_one_row_are_enough() -> None:
    drawn = linear_gaussian(1, 0.0, 1, seed=0)
    assert drawn.data.shape == (1, 1)
    assert drawn.cpdag.directed == drawn.cpdag.undirected == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"d": 0}, "d must be"),
        ({"d": 2.0}, "d must be"),
        ({"d": True}, "d must be"),
        ({"n": 0}, "n must be"),
        ({"n": "10"}, "n must be"),
        ({"seed": -1}, "seed must be"),
        ({"seed": None}, "seed must be"),
        ({"seed": 1.5}, "seed must be"),
        ({"rho": -1.0}, "rho must be"),
        ({"rho": float("nan")}, "rho must be"),
        ({"rho": "2"}, "rho must be"),
        ({"noise_max": 0.0}, "noise_max must be"),
        ({"noise_max": float("inf")}, "noise_max must be"),
        ({"negative": "yes"}, "negative must be"),
        ({"weight_range": (3.0, 1.0)}, "weight_range must be"),
        ({"weight_range": (0.0, 1.0)}, "weight_range must be"),
        ({"weight_range": 2.0}, "weight_range must be"),
        ({"weight_range": (1.0, 2.0, 3.0)}, "weight_range must be"),
        ({"weight_range": (1.0, float("nan"))}, "weight_range must be"),
    ],
)
def test_bad_options_are_refused_by_name(options: dict[str, Any], message: str) -> None:
    arguments = {"d": 5, "rho": 1.0, "n": 10, "seed": 0} | options
    with pytest.raises(OptionError, match=message):
        linear_gaussian(**arguments)


def test_moments_have_the_law_of_the_covariance_of_rows() -> None:
    model = linear_gaussian(4, 2.0, 1, seed=7)
    truth = model.population_covariance
    # Fewer rows than columns, as many degrees of freedom as columns, and more.
    for n in (3, 5, 12):
        drawn = np.array([model.moments(n, seed=seed).covariance for seed in range(6000)])
        mean = (n - 1) / n * truth
        variance = (n - 1) / n**2 * (truth**2 + np.outer(np.diag(truth), np.diag(truth)))
        # Five standard errors of the mean; the variance to a tenth.
        assert (np.abs(drawn.mean(axis=0) - mean) < 5 * np.sqrt(variance / 6000)).all()
        assert np.allclose(drawn.var(axis=0), variance, rtol=0.15)


def test_moments_and_rows_give_the_same_distribution_of_generalised_variances() -> None:
    n, draws = 8, 4000
    model = linear_gaussian(3, 1.0, 1, seed=1)
    exact = np.array([np.linalg.det(model.moments(n, seed=s).covariance) for s in range(draws)])
    rng = np.random.default_rng(0)
    rows = rng.multivariate_normal(np.zeros(3), model.population_covariance, size=(draws, n))
    centred = rows - rows.mean(axis=1, keepdims=True)
    counted = np.linalg.det(np.swapaxes(centred, 1, 2) @ centred / n)
    everything = np.sort(np.concatenate([exact, counted]))
    ranks = [
        np.searchsorted(np.sort(x), everything, side="right") / draws for x in (exact, counted)
    ]
    # Kolmogorov and Smirnov: beyond 1.95 √(2/draws) once in a thousand times.
    assert np.abs(ranks[0] - ranks[1]).max() < 1.95 * np.sqrt(2 / draws)


def test_moments_depend_on_their_seed_alone_and_tend_to_the_population() -> None:
    model = linear_gaussian(10, 2.0, 1, seed=0)
    first, again = (model.moments(10**8, seed=3) for _ in range(2))
    assert (first.n, first.names) == (10**8, model.names)
    assert np.array_equal(first.covariance, again.covariance)
    assert not np.array_equal(first.covariance, model.moments(10**8, seed=4).covariance)
    # Entries have standard deviations of at most 6e-5.
    assert np.abs(first.covariance - model.population_covariance).max() < 3e-4
    with pytest.raises(OptionError, match="n must be"):
        model.moments(1, seed=0)
    with pytest.raises(OptionError, match="seed must be"):
        model.moments(10, seed=-1)
