"""Edges whose direction is known beforehand: how they are printed, explained and drawn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from greedag import DataError, Knowledge, Result, learn, simulate
from greedag.result.result import engine_of
from helpers.knowledge import said_by
from oracle.knowledge import (
    admissible_dags,
    best_admissible,
    dag_totals,
    space,
)
from oracle.random_knowledge import consistent_statements

KNOWN = Knowledge(
    required=[("c", "e")], tiers="a < b < d", not_adjacent=[("b", "d")], forbidden=[("e", "d")]
)


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    a, c, e = rng.normal(size=(3, 500))
    b = a + rng.normal(size=500)
    d = b + c + rng.normal(size=500)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d, "e": e})


@pytest.fixture(scope="module")
def result(rows: pd.DataFrame) -> Result:
    return learn(rows, knowledge=KNOWN)


@pytest.mark.parametrize("seed", range(40))
def test_statements_exclude_an_edge_exactly_where_no_admissible_dag_has_it(seed: int) -> None:
    d = 4
    known = consistent_statements(seed, d)[1]
    bound = said_by(known).bind([f"x{v}" for v in range(d)])
    for x, y in ((x, y) for x in range(d) for y in range(d) if x != y):
        with_edge = replace(known, required=tuple({*known.required, (x, y)}))
        found = bound.statements_excluding(x, y)
        assert bool(found) != bool(admissible_dags(space(d), with_edge).any()), (x, y, found)
        assert set(found) <= set(bound.knowledge.statements)


@pytest.mark.parametrize("seed", range(12))
def test_margins_are_those_of_the_best_admissible_dag_with_the_edge_turned(seed: int) -> None:
    d = 4
    known = consistent_statements(seed, d)[1]
    rows = simulate.linear_gaussian(d, 2.0, 150, seed=seed).data
    result = learn(rows, knowledge=said_by(known))
    score = engine_of(result, "this test")
    totals = dag_totals(space(d), lambda y, parents: score.local_score(y, list(parents)))
    of_class = set(result.cpdag.directed)
    for edge in result.strengths():
        if edge.edge == "-":
            assert edge.margin is None and edge.knowledge == ""
        elif (edge.a, edge.b) not in of_class:
            assert edge.margin is None and edge.knowledge == "directs"
        else:
            turned = (result.cpdag.index(edge.b), result.cpdag.index(edge.a))
            with_edge = replace(known, required=tuple({*known.required, turned}))
            if not admissible_dags(space(d), with_edge).any():
                assert edge.margin is None and edge.knowledge == "agrees"
            else:
                best = float(best_admissible(space(d), with_edge, totals)[0])
                assert edge.knowledge == ""
                assert edge.margin == pytest.approx(result.score - best, rel=1e-9, abs=1e-6)


def test_a_printed_result_shows_the_graph_and_what_is_known(result: Result) -> None:
    lines = [line.split() for line in str(result).splitlines()]
    assert ["a", "→", "b"] in [line[:3] for line in lines]
    by_edge = {tuple(line[:3]): line[-1] for line in lines}
    assert by_edge["a", "→", "b"] == "known"
    assert str(result).splitlines()[-1] == "note: 4 statements about what is known were respected"
    assert result.notes[-1].code == "knowledge"
    assert repr(result).startswith("<Result of xges: <MPDAG: 5 columns")


def test_a_result_without_data_marks_known_arrows_too(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "graph.json")
    loaded = Result.load(tmp_path / "graph.json")
    for shown in (result, loaded):
        svg = shown.view().svg
        assert svg.count("directed by what is known</title>") == len(result.graph.known) > 0
        assert svg.count("diamond: directed by what is known") == 1
    plain = replace(result, knowledge=None)
    assert "diamond" not in plain.view().svg and "known" not in str(plain).partition("note")[0]


def test_a_plot_marks_known_arrows(result: Result) -> None:
    pytest.importorskip("matplotlib").use("agg")
    marked, plain = result.plot(), replace(result, knowledge=None).plot()
    corners = [patch.get_xy() for patch in marked.patches if hasattr(patch, "get_closed")]
    assert sum(len(points) == 5 for points in corners) == len(result.graph.known) + 1
    assert not any(
        len(patch.get_xy()) == 5 for patch in plain.patches if hasattr(patch, "get_closed")
    )


def test_explanations_say_what_is_known(result: Result) -> None:
    text = str(result.explain("c", "e"))
    assert "The data speak against it; it is there because c → e is required." in text
    assert "removing it would raise the score by" in text
    text = str(result.explain("b", "d"))
    assert "What is known excludes an edge between them: b and d are not adjacent" in text
    assert "would raise the score by" in text
    assert str(result.explain("a", "b")).splitlines()[-2:] == [
        "The direction is known: tiers: a < b < d.",
        "Without what is known, b → a would fit the data equally well.",
    ]


def test_where_knowledge_agrees_with_the_data_there_is_no_margin(rows: pd.DataFrame) -> None:
    result = learn(rows, knowledge={"tiers": "b < d"})
    assert ("b", "d") in result.cpdag.directed
    by_edge = {tuple(line.split()[:3]): line.split()[-1] for line in str(result).splitlines()}
    assert by_edge["b", "→", "d"] == "–" and float(by_edge["c", "→", "d"]) > 0.0
    assert str(result.explain("d", "b")).splitlines()[-1] == (
        "What is known excludes d → b: tiers: b < d."
    )


def test_what_follows_from_known_arrows_is_said_to(rows: pd.DataFrame) -> None:
    result = learn(rows[["a", "b", "d"]], knowledge={"required": [("a", "b")]})
    assert result.graph.directed == (("a", "b"), ("b", "d"))
    assert any(
        line.startswith("The direction follows from known ones by Meek's rule 1: with a → b")
        for line in result.explain("b", "d").sentences()
    )


def test_coefficients_are_those_of_a_member_that_agrees(result: Result) -> None:
    found = result.coefficients()
    assert {(edge.parent, edge.child) for edge in found} >= set(result.graph.directed)
    assert all(edge.edge == "→" for edge in found if (edge.parent, edge.child) == ("a", "b"))
    others = [dag for dag in result.cpdag.dags() if dag[1, 0]]
    with pytest.raises(DataError, match=r"not of the graph, in which all have 'a' → 'b'"):
        result.coefficients(others[0])


def test_results_are_compared_by_their_graphs(result: Result, rows: pd.DataFrame) -> None:
    other = replace(result, knowledge=None)
    compared = result.compare(other)
    assert {(pair.a, pair.b) for pair in compared.directed} == set(result.graph.known)
    assert compared.score_difference == 0.0
