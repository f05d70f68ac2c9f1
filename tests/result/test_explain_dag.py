"""Explanations where members of a class score differently: against scores of whole DAGs."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from greedag import CPDAG, Evidence, Knowledge, Result, learn, score_graph


@cache
def table() -> pd.DataFrame:
    rng = np.random.default_rng(8)
    noise = rng.normal(size=(5, 800))
    a = noise[0]
    b = np.sin(2.0 * a) + 0.5 * noise[1]
    c = b**2 + 0.5 * noise[2]
    d = 0.9 * c + 0.5 * noise[3]
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d, "e": noise[4]})


@cache
def found() -> Result:
    return learn(table(), score="additive")


def score_of(dag: np.ndarray) -> float:
    return score_graph(table(), dag, score="additive")


def test_a_strength_is_what_the_best_dag_loses_without_the_edge() -> None:
    result, names = found(), found().cpdag.names
    assert len(result.strengths()) == 3
    for edge in result.strengths():
        less = result.best_dag
        less[names.index(edge.a), names.index(edge.b)] = 0
        assert edge.loss == pytest.approx(result.score - score_of(less), rel=1e-9)
        assert result.explain(edge.a, edge.b).strength == pytest.approx(edge.loss, rel=1e-9)


def test_a_margin_is_at_most_that_of_any_member_with_the_edge_turned() -> None:
    result, names = found(), found().cpdag.names
    told = {(each.tail, each.head): each.margin for each in result.evidence}
    for edge in result.strengths():
        i, j = names.index(edge.a), names.index(edge.b)
        turned = [score_of(dag) for dag in result.cpdag.dags() if dag[j, i]]
        of_class = result.score - max(turned)
        assert told[edge.a, edge.b] == pytest.approx(of_class, rel=1e-9)
        assert edge.margin is not None
        assert 0.0 < edge.margin <= of_class * (1 + 1e-9)
        assert edge.evidence == "curve"
        assert result.explain(edge.a, edge.b).margin == edge.margin


def test_sentences_say_the_form_and_what_directs() -> None:
    said = str(found().explain("a", "b"))
    assert "The effect of a on b bends (" in said
    assert "It is directed by the curves: the best DAG of the class with b → a scores" in said
    assert "is a line: a curve would not score higher" in str(found().explain("c", "d"))
    for word in ("Added in step", "equally well", "member"):
        assert word not in said


def test_an_absent_edge_says_what_the_better_arc_would_change() -> None:
    result, names = found(), found().cpdag.names
    gains = {}
    for tail, head in (("a", "e"), ("e", "a")):
        more = result.best_dag
        more[names.index(tail), names.index(head)] = 1
        gains[f"adding {tail} → {head} "] = score_of(more) - result.score
    start, gain = max(gains.items(), key=lambda item: item[1])
    explained = result.explain("a", "e")
    assert start in str(explained)
    assert f"lower the score by {-gain:.6g}" in str(explained)
    assert explained.strength is None
    # d is a descendant of a, so that only a → d makes no cycle.
    assert "adding a → d to the best DAG" in str(result.explain("d", "a"))


def test_what_is_left_open_known_or_follows_is_said_so() -> None:
    open_ones = replace(found(), evidence=())
    said = str(open_ones.explain("b", "a"))
    assert said.startswith("b - a: removing it")
    assert "left open: the best DAG has a → b, but DAGs of the class with b → a score" in said
    known = replace(found(), evidence=(), knowledge=Knowledge(required=[("a", "b")]))
    assert "The direction is known: " in str(known.explain("a", "b"))
    assert "Without what is known, the class leaves its direction open" in str(
        known.explain("a", "b")
    )
    assert {edge.knowledge for edge in known.strengths()} == {"directs"}
    follows = replace(found(), evidence=(Evidence("a", "b", "score", 3.0, is_proven=False),))
    assert "follows from those that the score tells by Meek's rule 1: with a → b" in str(
        follows.explain("b", "c")
    )
    assert "the score: the best DAG of the class with b → a scores at least 3 points" in str(
        follows.explain("a", "b")
    )


def test_without_data_form_and_worth_are_not_known() -> None:
    lone = replace(found(), statistics=None)
    said = str(lone.explain("a", "b"))
    assert "its strength is unknown" in said
    assert "directed by the curves" in said
    assert "bends" not in said
    assert "What an edge would cost is unknown" in str(lone.explain("a", "e"))


def test_printed_results_name_the_evidence() -> None:
    lines = str(found()).splitlines()
    assert any(line.startswith("a → b") and "curve " in line for line in lines)
    assert "directed by a curve" in found().view().svg
    assert "dot: directed by a curve" in found().view().svg


def test_the_cost_of_knowledge_is_that_of_the_best_dag_without_it() -> None:
    wrong = learn(table(), score="additive", knowledge={"forbidden": [("a", "b")]})
    cost = wrong.knowledge_cost()
    assert cost.total == pytest.approx(found().score - wrong.score, rel=1e-9)
    [statement] = cost.statements
    assert statement.cost == pytest.approx(cost.total)
    assert ("a", "b", "←", "→") in statement.changes
    right = learn(table(), score="additive", knowledge={"required": [("a", "b")]})
    assert right.knowledge_cost().total == 0.0


def test_the_gap_is_that_to_the_best_dag() -> None:
    assert found().gap == 0.0
    worse = CPDAG.from_dag(np.zeros((5, 5), dtype=np.uint8), found().cpdag.names)
    empty = np.zeros((5, 5), dtype=np.uint8)
    left = replace(found(), cpdag=worse, evidence=(), _dag=empty.tobytes(), score=score_of(empty))
    assert left.gap == pytest.approx(found().score - left.score, rel=1e-9)
    assert learn(table(), score="additive", search="exact").gap == 0.0


def test_coefficients_of_curves_are_refused_and_say_where_the_effects_are() -> None:
    with pytest.raises(ValueError, match=r"may bend; result\.curve\(parent, child\)"):
        found().coefficients()
