"""Checks of models: against regressions row by row, their false alarms, and what they find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from greedag import CPDAG, DataError, Levels, Moments, OptionError, Result, learn, simulate
from greedag.effects.check_records import ModelCheck
from greedag.effects.discrete_check import independence
from greedag.effects.hidden_causes import tetrad_test
from greedag.effects.latent_factor import Factor
from greedag.effects.model_check import check
from greedag.statistics.tails import uniformity
from oracle import model_check as twin

Floats = Any
# A pair of roots, a collider, and a chain behind it.
ARCS = ((0, 2), (1, 2), (2, 3), (3, 4), (1, 5), (4, 5))
D = 7


def dag_of(arcs: Any = ARCS, d: int = D) -> Floats:
    dag = np.zeros((d, d), dtype=np.uint8)
    for x, y in arcs:
        dag[x, y] = 1
    return dag


def rows_of(
    n: int, seed: int, *, noise: Floats = None, bend: Callable[[Floats], Floats] | None = None
) -> Floats:
    rng = np.random.default_rng([77, seed])
    rows = rng.normal(size=(n, D)) if noise is None else noise
    for x, y in sorted(ARCS, key=lambda arc: arc[1]):
        effect = 0.7 * rows[:, x]
        if bend is not None and (x, y) == (2, 3):
            effect = bend(rows[:, x])
        rows[:, y] = rows[:, y] + effect
    return rows


@cache
def result_of(arcs: Any = ARCS) -> Result:
    """Return a result whose graph is the class of a DAG."""
    return replace(learn(rows_of(200, 999)), cpdag=CPDAG.from_dag(dag_of(arcs)))


def found_in(found: ModelCheck, kind: str) -> list[set[str]]:
    return [set(one.columns) for one in found.misfits if one.kind == kind]


@pytest.mark.parametrize("n", [80, 700])
def test_every_test_is_that_of_a_regression_on_the_rows(n: int) -> None:
    result, rows = result_of(), rows_of(n, 1)
    found, dag, names = result.check(rows), result.best_dag, result.cpdag.names
    assert found.names == tuple(names[y] for y in twin.order(dag))
    place = {name: j for j, name in enumerate(names)}
    known = twin.markov(rows, dag)
    tested = {(place[t.column], place[t.other]): t.p_value for t in found.tests}
    assert tested == pytest.approx(known, rel=1e-6)
    assert len(tested) == D * (D - 1) // 2 - len(ARCS)
    total = 0.0
    for column in found.columns:
        y = place[column.column]
        if column.tests:
            value, freedom, p_value = twin.deviance(rows, dag, y)
            total += value
            assert (column.deviance, column.p_value) == pytest.approx((value, p_value), rel=1e-6)
            assert column.freedom == freedom
        shapes = twin.shape(rows, dag, y)
        assert column.normality == pytest.approx(min(1.0, 2.0 * min(shapes)), rel=1e-6)
    assert found.deviance == pytest.approx(total)
    for test in found.curves:
        p_value = twin.curve(rows, dag, place[test.parent], place[test.child])
        assert test.p_value == pytest.approx(p_value, rel=1e-6)


def test_moments_give_the_same_markov_tests_and_say_what_was_not_tested() -> None:
    rows = rows_of(300, 2)
    found, by_moments = (result_of().check(data) for data in (rows, Moments.from_data(rows)))
    assert [t.p_value for t in found.tests] == pytest.approx([t.p_value for t in by_moments.tests])
    assert by_moments.curves == () and "pass the table" in str(by_moments)
    assert {kind.name for kind in by_moments.kinds} == {"markov", "deviance"}
    assert len(found.kinds) == 5


def test_levels_are_tested_by_pearsons_statistic() -> None:
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 3, size=(900, 4))
    rows[:, 2] = (rows[:, 0] + (rng.random(900) < 0.4)) % 3
    levels = Levels.from_data(rows)
    for y, x in combinations(range(4), 2):
        for given in ([], [j for j in range(4) if j not in (x, y)][:1]):
            known = twin.independence(rows, y, x, given)
            assert independence(levels, y, x, given) == pytest.approx(known, abs=1e-12)
    assert independence(Levels.from_data(rows[:30]), 0, 1, [2, 3]) is None


def test_tetrads_have_the_variance_that_draws_have() -> None:
    loadings = np.array([0.8, 0.6, 0.7, 0.5])
    covariance = np.outer(loadings, loadings) + np.diag(1.0 - loadings**2)
    covariance[0, 1] = covariance[1, 0] = covariance[0, 1] + 0.03
    known = twin.tetrads(covariance, 800, 20_000, seed=1)
    assert tetrad_test(covariance, 800) == pytest.approx(known, abs=0.03)


def test_a_factor_finds_the_effects_of_a_hidden_cause() -> None:
    loadings = np.array([0.9, -0.7, 0.5, 0.8, 0.0])
    covariance = np.outer(loadings, loadings) + np.eye(5)
    unit = covariance / np.sqrt(np.outer(covariance.diagonal(), covariance.diagonal()))
    factor = Factor(unit, dag_of((), 5), range(5))
    expected = loadings / np.sqrt(1.0 + loadings**2)
    assert np.abs(factor.loadings * np.sign(factor.loadings[0])) == pytest.approx(
        np.abs(expected), abs=0.02
    )


def test_true_models_pass_and_their_p_values_are_uniform() -> None:
    sets = 200
    found = [result_of().check(rows_of(250, 1000 + seed)) for seed in range(sets)]
    # More have a probability below 1e-6 if true models fail in 5 %, and each kind in 1 %.
    assert sum(not one.passed for one in found) <= 27
    place = np.random.default_rng(0).integers(0, len(found[0].tests), sets)
    one_each = [one.tests[j].p_value for one, j in zip(found, place, strict=True)]
    assert uniformity(one_each)[1] > 1e-6
    assert uniformity([one.p_value for one in found])[1] > 1e-6
    for kind in range(5):
        assert sum(not one.kinds[kind].passed for one in found) <= 12


def power(drawn: Callable[[int], Floats], arcs: Any, kind: str, columns: set[str]) -> int:
    """Return in how many of eight tables of 5,000 rows a misfit is named."""
    checks = (result_of(arcs).check(drawn(seed)) for seed in range(8))
    return sum(columns in found_in(one, kind) and not one.passed for one in checks)


def test_a_missing_edge_is_named() -> None:
    fewer = tuple(arc for arc in ARCS if arc != (3, 4))
    assert power(lambda seed: rows_of(5000, seed), fewer, "missing edge", {"x3", "x4"}) >= 7


def test_a_curve_is_named() -> None:
    def drawn(seed: int) -> Floats:
        return rows_of(5000, seed, bend=lambda x: 0.6 * x + 0.15 * x**2)

    assert power(drawn, ARCS, "curve", {"x2", "x3"}) >= 7


def test_heavy_tails_are_named() -> None:
    def drawn(seed: int) -> Floats:
        rng = np.random.default_rng([78, seed])
        noise = rng.normal(size=(5000, D))
        noise[:, 3] = rng.standard_t(5, 5000)
        return rows_of(5000, seed, noise=noise)

    assert power(drawn, ARCS, "heavy tails", {"x3"}) >= 7


def test_a_hidden_cause_is_named() -> None:
    def drawn(seed: int) -> Floats:
        rng = np.random.default_rng([79, seed])
        noise = rng.normal(size=(5000, D))
        noise[:, [0, 3, 5, 6]] += 0.8 * rng.normal(size=(5000, 1))
        return rows_of(5000, seed, noise=noise)

    assert power(drawn, ARCS, "hidden cause", {"x0", "x3", "x5", "x6"}) >= 7


def test_changing_spread_is_named() -> None:
    def drawn(seed: int) -> Floats:
        rows = rows_of(5000, seed)
        left = rows[:, 4] - 0.7 * rows[:, 3]
        rows[:, 4] += left * (np.exp(0.4 * rows[:, 3]) - 1.0)
        return rows

    assert power(drawn, ARCS, "changing spread", {"x3", "x4"}) >= 7


def test_adjacent_columns_with_one_factor_are_a_sign_and_no_failure() -> None:
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(4000, 4)) + 0.9 * rng.normal(size=(4000, 1))
    result = learn(rows[:2000])
    found = result.check(rows[2000:])
    assert found.passed
    assert found_in(found, "hidden cause") == [set(result.cpdag.names)]
    assert not found.misfits[0].is_failure and "tetrads vanish" in str(found)


def test_the_same_rows_are_recognised() -> None:
    rows = rows_of(300, 4)
    result = learn(rows)
    assert not result.check(rows).is_held_out and not result.check().is_held_out
    assert result.check(rows_of(300, 5)).is_held_out
    assert "learned from" in str(result.check(rows))
    assert result.check(rows).curves


def test_rows_of_experiments_are_tested_where_a_column_was_not_set() -> None:
    model = simulate.linear_gaussian(5, 1.5, 1, seed=0)
    rows = [
        simulate.interventions(model, [[], ["x0"], ["x1"]], 300, seed=seed).pooled
        for seed in (0, 1)
    ]
    result = learn(rows[0], interventions="target")
    assert not result.check().is_held_out
    found = result.check(rows[1])
    assert found.is_held_out and "experiments" in found.not_done
    assert {kind.name for kind in found.kinds} == {"markov", "deviance"}
    set_rows = np.asarray(rows[1]["target"]) == "x1"
    place = {name: j for j, name in enumerate(result.cpdag.names)}
    numbers = np.column_stack([rows[1][name] for name in place])
    known = twin.markov(numbers[~set_rows], result.best_dag)
    for test in found.tests:
        if test.column == "x1":
            key = place[test.column], place[test.other]
            assert test.p_value == pytest.approx(known[key], rel=1e-6)


def test_a_check_shows_itself_and_ranks_columns() -> None:
    fewer = tuple(arc for arc in ARCS if arc != (3, 4))
    found = result_of(fewer).check(rows_of(2000, 6))
    assert "x4" in found.table()[0].column or "x5" in found.table()[0].column
    assert repr(found.table()).splitlines()[0].startswith("column")
    assert "does not fit" in str(found) and "Learn from more rows" in str(found)
    assert "<svg" in found._repr_html_() and repr(found).startswith("<ModelCheck: failed")
    pytest.importorskip("matplotlib").use("agg")
    assert found.plot().get_xlabel()
    assert all(set(one.columns) <= set(found.names) for one in found.misfits)


def test_complete_graphs_have_nothing_to_test_but_shapes() -> None:
    every = tuple(combinations(range(D), 2))
    found = result_of(every).check(Moments.from_data(rows_of(300, 7)))
    assert found.passed and found.tests == () and found.kinds == ()
    with pytest.raises(DataError, match="no Markov tests"):
        found.plot()


def test_what_cannot_be_checked_is_refused() -> None:
    rows = rows_of(300, 8)
    with pytest.raises(DataError, match="scored by additive") as error:
        learn(rows, score="additive").check()
    assert error.value.code == "no-check" and error.value.remedy
    with pytest.raises(OptionError, match="level must be"):
        result_of().check(rows, level=2.0)
    with pytest.raises(DataError, match="too many for a test"):
        result_of().check(rows[:5])
    holes = rows.copy()
    holes[3, 2] = np.nan
    estimated = learn(holes, missing="em")
    with pytest.raises(DataError, match="complete rows"):
        estimated.check()
    assert estimated.check(holes).n == 299
    few = result_of().check(rows[:40])
    assert "50 rows" in few.not_done and check(result_of(), rows[:40]) == few
