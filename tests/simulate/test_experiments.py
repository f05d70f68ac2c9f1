"""Rows under interventions: targets are cut off from their parents, all else is as it was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from greedag import OptionError
from greedag.simulate import Simulation, additive, interventions, linear_gaussian

LINEAR = linear_gaussian(6, 1.5, 1, seed=2)
CURVED = additive(6, 1.5, 4000, seed=2, curve="tanh")


def ancestors(dag: Any, column: int) -> set[int]:
    found, left = set(), [column]
    while left:
        above = {*np.flatnonzero(dag[:, left.pop()]).tolist()} - found
        found |= above
        left += above
    return found


def table_of(simulation: Any, targets: Any, **options: Any) -> Any:
    ((table, _),) = interventions(simulation, [targets], 20_000, seed=1, **options).environments
    return table


@pytest.mark.parametrize("simulation", [LINEAR, CURVED], ids=["linear", "additive"])
def test_targets_follow_the_noise_asked_for_and_not_their_ancestors(simulation: Any) -> None:
    dag = simulation.dag
    target = max(range(6), key=lambda column: len(ancestors(dag, column)))
    table = table_of(simulation, [target], shift=2.0, spread=0.5)
    if isinstance(simulation, Simulation):
        mean, sd = 0.0, np.sqrt(simulation.population_covariance[target, target])
    else:
        mean, sd = simulation.data[:, target].mean(), simulation.data[:, target].std()
    assert table[:, target].mean() == pytest.approx(mean + 2.0 * sd, abs=0.02 * sd)
    assert table[:, target].std() == pytest.approx(0.5 * sd, rel=0.03)
    above = sorted(ancestors(dag, target))
    correlations = np.corrcoef(table[:, [target, *above]].T)[0, 1:]
    assert np.abs(correlations).max() < 0.035


@pytest.mark.parametrize("simulation", [LINEAR, CURVED], ids=["linear", "additive"])
def test_columns_that_are_no_descendants_keep_their_distribution(simulation: Any) -> None:
    dag = simulation.dag
    target = min(range(6), key=lambda column: len(ancestors(dag, column)))
    plain, forced = table_of(simulation, []), table_of(simulation, [target], shift=5.0)
    for column in range(6):
        if column != target and target not in ancestors(dag, column):
            assert forced[:, column].mean() == pytest.approx(plain[:, column].mean(), abs=0.05)
            assert forced[:, column].std() == pytest.approx(plain[:, column].std(), rel=0.05)


def test_other_columns_obey_the_structural_equations() -> None:
    table = table_of(LINEAR, ["x1", "x4"], shift=1.0)
    kept = [0, 2, 3, 5]
    noise = (table - table @ LINEAR.weights)[:, kept]
    assert np.allclose(np.cov(noise.T), np.diag(LINEAR.noise_sd[kept] ** 2), atol=0.01)
    assert np.abs(np.corrcoef(noise.T, table[:, [1, 4]].T)[:4, 4:]).max() < 0.035


def test_observational_rows_have_the_covariance_of_the_model() -> None:
    assert np.allclose(np.cov(table_of(LINEAR, []).T), LINEAR.population_covariance, atol=0.03)
    same = np.abs(np.corrcoef(table_of(CURVED, []).T) - np.corrcoef(np.array(CURVED.data).T))
    assert same.max() < 0.06


def test_discrete_targets_get_each_level_alike_and_their_children_feel_it() -> None:
    drawn = additive(6, 1.5, 500, seed=3, curve="linear", discrete=6, levels_by="draw")
    target = max(drawn.discrete, key=lambda name: drawn.dag[:, drawn.names.index(name)].sum())
    counts = np.unique(table_of(drawn, [target])[target], return_counts=True)[1]
    assert np.ptp(counts) < 0.05 * counts.mean() + 200


def test_pooled_rows_name_their_targets() -> None:
    experiments = interventions(LINEAR, [[], ["x4", 1], (2,)], 3, seed=0)
    assert [targets for _, targets in experiments.environments] == [(), ("x1", "x4"), ("x2",)]
    pooled = experiments.pooled
    assert list(pooled) == [*LINEAR.names, "target"]
    assert pooled["target"].tolist() == [""] * 3 + ["x1,x4"] * 3 + ["x2"] * 3
    tables: list[Any] = [table for table, _ in experiments.environments]
    assert np.array_equal(pooled["x3"], np.concatenate(tables)[:, 3])
    assert repr(experiments) == "<Experiments: 3 environments, 9 rows>"


def test_interventional_class_directs_every_edge_at_one_end_of_which_is_a_target() -> None:
    drawn = linear_gaussian(8, 1.0, 1, seed=5)
    assert drawn.cpdag.undirected
    observed = interventions(drawn, [[]], 2, seed=0).interventional_class
    assert np.array_equal(observed.to_matrix(), drawn.cpdag.to_matrix())
    for a, b in drawn.cpdag.undirected:
        told = interventions(drawn, [[], [a]], 2, seed=0).interventional_class
        arrow = (a, b) if drawn.dag[drawn.names.index(a), drawn.names.index(b)] else (b, a)
        assert arrow in told.directed
    each = interventions(drawn, [[name] for name in drawn.names], 2, seed=0)
    assert np.array_equal(each.interventional_class.to_matrix(), drawn.dag)


def test_rows_depend_on_the_seed_and_the_place_of_the_environment_alone() -> None:
    first = interventions(CURVED, [[], ["x1"]], 5, seed=7).environments
    again = interventions(CURVED, [[], ["x1"], ["x2"]], 5, seed=7).environments
    other = interventions(CURVED, [[], ["x1"]], 5, seed=8).environments
    for place in range(2):
        assert np.array_equal(first[place][0], again[place][0])
        assert not np.array_equal(first[place][0], other[place][0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"targets": "x1"}, "targets must be a list of lists"),
        ({"targets": 3}, "targets must be a list of lists"),
        ({"targets": []}, "targets must name one environment or more"),
        ({"targets": ["x1"]}, "the targets of an environment must be a list"),
        ({"targets": [["x9"]]}, "target 'x9' is no column; columns are 'x0' to 'x5'"),
        ({"targets": [[6]]}, "target '6' is no column"),
        ({"targets": [[-1]]}, "target '-1' is no column"),
        ({"targets": [[True]]}, "target 'True' is no column"),
        ({"n": 0}, "n must be"),
        ({"seed": -1}, "seed must be"),
        ({"shift": float("nan")}, "shift must be"),
        ({"spread": 0.0}, "spread must be"),
    ],
)
def test_bad_options_are_refused_by_name(options: dict[str, Any], message: str) -> None:
    arguments = {"simulation": LINEAR, "targets": [[]], "n": 5, "seed": 0} | options
    with pytest.raises(OptionError, match=message):
        interventions(**arguments)
