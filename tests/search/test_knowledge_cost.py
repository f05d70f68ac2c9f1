"""What knowledge costs, held against all DAGs that agree with less of it."""

from __future__ import annotations

import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from greedag import DataError, Knowledge, KnowledgeCost, OptionError, Result, learn, simulate
from greedag.result.result import engine_of
from helpers.knowledge import said_by
from oracle import discrete
from oracle.knowledge import NO_TIER, Statements, best_admissible, dag_totals, space
from oracle.random_knowledge import MIXTURE, consistent_statements


def without_each(known: Statements) -> dict[str, Statements]:
    """Return all that is left without each statement, by the statement's text."""
    left = {}
    for kind, said in (("required", "→ {1} is required"), ("forbidden", "→ {1} is forbidden")):
        for arc in getattr(known, kind):
            names = [f"x{v}" for v in arc]
            fewer = tuple(other for other in getattr(known, kind) if other != arc)
            left[f"{names[0]} {said.format(*names)}"] = replace(known, **{kind: fewer})
    for pair in known.before:
        fewer = tuple(other for other in known.before if other != pair)
        left[f"x{pair[0]} comes before x{pair[1]}"] = replace(known, before=fewer)
    if any(tier != NO_TIER for tier in known.tiers):
        left["tiers"] = replace(known, tiers=())
    return left


def table(kind: str, seed: int, d: int) -> tuple[Any, dict[str, Any]]:
    if kind == "bdeu":
        rows = pd.DataFrame(discrete.random_rows(seed, d, 120)).add_prefix("x")
        return rows, {"score": "bdeu"}
    data = simulate.linear_gaussian(d, 1.5, 150, seed=seed).data
    rows = pd.DataFrame(data).add_prefix("x")
    rng = np.random.default_rng(seed)
    if kind == "weights":
        return rows, {"sample_weight": rng.integers(0, 4, len(rows)), "search": "ges"}
    if kind == "missing":
        return rows.mask(rng.random(rows.shape) < 0.05), {"missing": "em", "search": "exact"}
    return rows, {}


@pytest.mark.parametrize("kind", ["gaussian", "bdeu", "weights", "missing"])
@pytest.mark.parametrize("seed", range(12))
def test_costs_are_those_of_brute_force(kind: str, seed: int) -> None:
    d = 4
    known = consistent_statements(seed, d, MIXTURE if seed % 2 else None)[1]
    knowledge = said_by(known)
    if not knowledge:
        pytest.skip("nothing is said")
    rows, options = table(kind, seed, d)
    result = learn(rows, knowledge=knowledge, **options)
    score = engine_of(result, "this test")
    totals = dag_totals(space(d), lambda y, parents: score.local_score(y, list(parents)))

    def cost_without(fewer: Statements) -> float:
        return float(best_admissible(space(d), fewer, totals)[0]) - result.score

    found = result.knowledge_cost()
    near = pytest.approx(cost_without(Statements(d)), rel=1e-9, abs=1e-6)
    assert found.total == near if options.get("search") != "ges" else found.total >= 0.0
    expected = without_each(known)
    assert len(found.statements) == len(expected)
    for one in found.statements:
        key = "tiers" if one.statement.kind == "tiers" else str(one.statement)
        best = cost_without(expected[key])
        if options.get("search") == "ges":  # Which may miss the best class.
            assert 0.0 <= one.cost <= best + 1e-6
        else:
            assert one.cost == pytest.approx(best, rel=1e-9, abs=1e-6), key
    costs = [one.cost for one in found.statements]
    assert costs == sorted(costs, reverse=True)
    assert min(costs) >= 0.0 and max(costs) <= found.total + 1e-9


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    a, c = rng.normal(size=(2, 500))
    b = a + rng.normal(size=500)
    d = b + c + rng.normal(size=500)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d})


@pytest.fixture(scope="module")
def known() -> Knowledge:
    return Knowledge(required=[("a", "b"), ("a", "c")], tiers="a < b, c < d")


@pytest.fixture(scope="module")
def result(rows: pd.DataFrame, known: Knowledge) -> Result:
    return learn(rows, knowledge=known)


def test_the_false_statement_comes_first_and_is_said_in_words(result: Result) -> None:
    cost = result.knowledge_cost()
    first, *others = cost.statements
    assert str(first.statement) == "a → c is required" and first.cost > 1.0
    assert ("a", "c", "→", "") in first.changes
    assert [one.cost for one in others] == [0.0, 0.0]
    lines = str(cost).splitlines()
    assert lines[0].split() == ["statement", "cost"]
    assert lines[1].split("  ")[0] == "a → c is required"
    assert any(
        line.startswith('Without "a → c is required" the score rises by') and "a → c goes" in line
        for line in lines
    )
    assert lines[-1] == "The data say nothing against the rest."
    assert repr(cost) == str(cost)
    html = cost._repr_html_()
    assert html.count("<td>a → c is required</td>") == 1 and "nothing against the rest" in html


def test_true_knowledge_costs_nothing(rows: pd.DataFrame) -> None:
    cost = learn(rows, knowledge={"tiers": "a < b < d", "exogenous": ["c"]}).knowledge_cost()
    assert cost.total == 0.0 and [one.cost for one in cost.statements] == [0.0, 0.0]
    # Without its tiers, the data leave an edge undirected.
    assert {one.statement.kind: one.changes for one in cost.statements}["tiers"] == (
        ("a", "b", "→", "-"),
    )
    assert cost.sentences() == [
        "Without any knowledge no higher score was found.",
        "The data say nothing against it.",
    ]


def test_statements_that_cost_only_together_are_said_to(rows: pd.DataFrame) -> None:
    known = {"forbidden": [("a", "b"), ("b", "a")], "not_adjacent": [("a", "b")]}
    cost = learn(rows, knowledge=known).knowledge_cost()
    assert cost.total > 10.0 and {one.cost for one in cost.statements} == {0.0}
    assert cost.sentences()[-1].endswith("any statement alone, only against several together.")


def test_a_statement_said_twice_is_left_out_twice(rows: pd.DataFrame) -> None:
    known = Knowledge(not_adjacent=[("a", "b"), ("b", "a")], exogenous=["c"])
    cost = learn(rows, knowledge=known).knowledge_cost()
    assert [one.cost > 10.0 for one in cost.statements] == [True, False]


def test_loaded_results_have_the_same_cost(
    result: Result, rows: pd.DataFrame, tmp_path: Path
) -> None:
    result.save(tmp_path / "graph.json")
    loaded = Result.load(tmp_path / "graph.json", rows)
    cost, again = result.knowledge_cost(), loaded.knowledge_cost(n_jobs=2)
    assert isinstance(cost, KnowledgeCost)
    assert again.total == pytest.approx(cost.total, rel=1e-6)
    assert [one.changes for one in again.statements] == [one.changes for one in cost.statements]
    with pytest.raises(DataError, match="the cost of knowledge needs the data"):
        Result.load(tmp_path / "graph.json").knowledge_cost()


def test_without_knowledge_there_is_nothing_to_cost(rows: pd.DataFrame) -> None:
    with pytest.raises(DataError, match="learned without knowledge"):
        learn(rows).knowledge_cost()


def test_what_there_is_no_time_for_is_unknown(result: Result) -> None:
    cost = result.knowledge_cost(time_limit=0)
    assert cost.stopped and cost.total == 0.0
    assert "Time ran out during the search: costs may be larger." in cost.sentences()
    with pytest.raises(OptionError, match="time_limit"):
        result.knowledge_cost(time_limit=-1)


def test_an_interrupt_ends_it() -> None:
    rows = simulate.linear_gaussian(25, 2.0, 500, seed=0).data
    result = learn(rows, knowledge={"required": [("x0", "x1")]}, effort=0)
    endless = replace(result, settings={**result.settings, "effort": 1e9})

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            endless.knowledge_cost()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
