"""Additive tables: what their columns are made of, and how they are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from greedag import CPDAG, DataError, OptionError, learn
from greedag.simulate import AdditiveSimulation, additive, interventions, linear_gaussian
from greedag.simulate.curves import CURVES, NOISES

Z = np.array([-2.0, -0.5, 0.0, 0.4, 1.0])


def column(drawn: AdditiveSimulation, name: str) -> Any:
    if isinstance(drawn.data, dict):
        return drawn.data[name]
    return drawn.data[:, drawn.names.index(name)]


def standardised(values: Any) -> Any:
    return (values - values.mean()) / values.std()


def noise_left(drawn: AdditiveSimulation) -> Any:
    """Return what is left of each column when the curves of its parents are taken away."""
    left = np.array(drawn.data)
    for (parent, child), curve in drawn.curves.items():
        effect = CURVES[curve](standardised(column(drawn, parent)))
        left[:, drawn.names.index(child)] -= effect
    return left


def test_same_seed_gives_the_same_table_and_another_seed_another() -> None:
    first, again = (additive(8, 2.0, 50, seed=3) for _ in range(2))
    assert np.array_equal(first.data, again.data)
    assert first.curves == again.curves
    assert not np.array_equal(first.data, additive(8, 2.0, 50, seed=4).data)


def test_graph_is_that_of_the_linear_model_with_the_same_seed() -> None:
    drawn = additive(9, 1.5, 20, seed=6, graph="scale-free")
    assert np.array_equal(drawn.dag, linear_gaussian(9, 1.5, 1, seed=6, graph="scale-free").dag)
    assert drawn.cpdag == CPDAG.from_dag(drawn.dag, drawn.names)
    edges = {(drawn.names[i], drawn.names[j]) for i, j in np.argwhere(drawn.dag)}
    assert set(drawn.curves) == edges


@pytest.mark.parametrize(
    ("curve", "values"),
    [
        ("linear", Z),
        ("tanh", np.tanh(2 * Z)),
        ("sin", np.sin(3 * Z)),
        ("square", Z * Z),
        ("cube", Z * Z * Z),
        ("exp", np.exp(Z)),
        ("abs", [2.0, 0.5, 0.0, 0.4, 1.0]),
        ("steps", [-1.0, -1.0, 0.0, 0.0, 1.0]),
    ],
)
def test_curves_are_those_documented(curve: str, values: Any) -> None:
    assert np.allclose(CURVES[curve](Z), values)
    assert {*additive(6, 2.0, 10, seed=0, curve=curve).curves.values()} == {curve}


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("curve", ["square", "steps", "mixture"])
def test_columns_are_sums_of_curves_plus_independent_noise(curve: str, noise: str) -> None:
    drawn = additive(8, 1.5, 20_000, seed=4, curve=curve, noise=noise, noise_sd=0.3)
    left = noise_left(drawn)
    # Covariances of 20,000 rows have standard deviations of at most 0.002 here.
    assert np.allclose(np.cov(left.T), 0.09 * np.eye(8), atol=0.01)
    fourth = {"gaussian": 3.0, "uniform": 1.8, "laplace": 6.0}[noise]
    kurtosis = (left**4).mean() / (left**2).mean() ** 2
    assert kurtosis == pytest.approx(fourth, rel=0.05)


def test_mixtures_draw_every_curve_and_sequences_only_theirs() -> None:
    assert {*additive(60, 3.0, 2, seed=0, limit=3.0).curves.values()} == {*CURVES}
    some = additive(30, 3.0, 2, seed=0, curve=("abs", "sin")).curves.values()
    assert {*some} == {"abs", "sin"}


def test_density_is_that_asked_for() -> None:
    edges = [additive(30, 1.5, 2, seed=seed, curve="tanh").dag.sum() for seed in range(40)]
    assert np.mean(edges) == pytest.approx(45, rel=0.07)


def test_limit_bounds_what_curves_see() -> None:
    drawn = additive(2, 1.0, 5000, seed=0, curve="cube", limit=1.0)
    ((parent, child),) = drawn.curves
    z = np.tanh(standardised(column(drawn, parent)))
    assert np.std(column(drawn, child) - z**3) == pytest.approx(0.5, rel=0.05)
    assert np.abs(column(drawn, parent)).max() > 1.0


def test_discrete_columns_are_counted_or_a_share_and_have_two_to_four_levels() -> None:
    drawn = additive(40, 1.5, 500, seed=1, curve="tanh", discrete=0.5)
    assert len(drawn.discrete) == 20
    assert len(additive(10, 1.5, 50, seed=1, discrete=3).discrete) == 3
    assert isinstance(drawn.data, dict)
    assert {*map(len, map(np.unique, map(drawn.data.get, drawn.discrete)))} == {2, 3, 4}
    numeric = [name for name in drawn.names if name not in drawn.discrete]
    assert all(drawn.data[name].dtype == np.float64 for name in numeric)
    assert repr(drawn) == f"<AdditiveSimulation: 500 rows, 40 columns, {drawn.dag.sum()} edges>"


def test_cut_levels_are_equally_frequent_and_discrete_parents_act_by_level() -> None:
    drawn = additive(12, 1.5, 6000, seed=2, curve="tanh", discrete=6)
    by_level = [pair for pair, curve in drawn.curves.items() if curve == "levels"]
    assert {parent for parent, _ in by_level} <= {*drawn.discrete}
    for name in drawn.discrete:
        counts = np.unique(column(drawn, name), return_counts=True)[1]
        assert np.ptp(counts) <= 1
    only = [p for p in by_level if p[1] not in drawn.discrete and parents(drawn, p[1]) == {p[0]}]
    assert only
    for parent, child in only:
        levels = column(drawn, parent)
        groups = [column(drawn, child)[levels == level] for level in np.unique(levels)]
        assert np.std([group.mean() for group in groups]) == pytest.approx(1.0, abs=0.05)
        assert all(group.std() == pytest.approx(0.5, rel=0.1) for group in groups)


def parents(drawn: AdditiveSimulation, child: str) -> set[str]:
    return {parent for parent, other in drawn.curves if other == child}


def test_drawn_levels_depend_on_parents_and_roots_have_equal_chances() -> None:
    drawn = additive(10, 1.5, 8000, seed=5, curve="linear", discrete=1.0, levels_by="draw")
    for name in drawn.names:
        values, counts = np.unique(column(drawn, name), return_counts=True)
        above = parents(drawn, name)
        if not above:
            assert np.allclose(counts / 8000, 1 / len(values), atol=0.02)
    (parent, child) = next(iter(drawn.curves))
    table = [
        np.mean(column(drawn, child)[column(drawn, parent) == level] == "a")
        for level in np.unique(column(drawn, parent))
    ]
    assert np.ptp(table) > 0.05


def test_mixed_tables_can_be_learned_from() -> None:
    drawn = additive(6, 1.0, 300, seed=0, curve="tanh", discrete=2)
    result = learn(drawn.data)
    assert result.cpdag.names == drawn.names
    assert result.settings["score"] == "degenerate-gaussian"


def test_tails_beyond_numbers_are_refused_with_a_remedy() -> None:
    with pytest.raises(DataError, match=r"too large for a number; bound .* limit='5'"):
        interventions(additive(20, 6.0, 500, seed=0, curve="exp"), [["x0"]], 500, seed=0, shift=9.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"d": 0}, "d must be"),
        ({"n": 1}, "n must be a whole number, 2 or more"),
        ({"seed": -1}, "seed must be"),
        ({"rho": -1.0}, "rho must be"),
        ({"curve": "tan"}, r"curve must be one of .*did you mean 'tanh'"),
        ({"curve": ["sin", "cos"]}, "curve must be one of"),
        ({"curve": []}, "curve must be one of"),
        ({"curve": 3}, "curve must be one of"),
        ({"noise": "normal"}, "noise must be one of gaussian, uniform, laplace"),
        ({"noise_sd": 0.0}, "noise_sd must be"),
        ({"noise_sd": "1"}, "noise_sd must be"),
        ({"limit": 0.0}, "limit must be"),
        ({"limit": float("nan")}, "limit must be"),
        ({"discrete": 6}, "discrete must be a number of columns from 0 to 5"),
        ({"discrete": 1.5}, "discrete must be"),
        ({"discrete": True}, "discrete must be"),
        ({"levels_by": "split"}, "levels_by must be"),
        ({"graph": "ring"}, "graph must be"),
    ],
)
def test_bad_options_are_refused_by_name(options: dict[str, Any], message: str) -> None:
    arguments = {"d": 5, "rho": 1.0, "n": 10, "seed": 0} | options
    with pytest.raises(OptionError, match=message):
        additive(**arguments)
