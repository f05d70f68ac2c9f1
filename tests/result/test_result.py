"""What a result says agrees with the graph, the engine and itself, for every search."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import replace

import numpy as np
import pytest

import greedag
from greedag import CPDAG, Moments, Operator, Result, _core, learn, simulate
from greedag._options import SEARCHES
from greedag.errors import Note

DRAWN = simulate.linear_gaussian(12, 2.5, 2000, seed=7)
MOMENTS = Moments.from_data(DRAWN.data)
ALPHA = 1.5


@pytest.fixture(params=SEARCHES)
def result(request: pytest.FixtureRequest) -> Result:
    return learn(MOMENTS, search=request.param, alpha=ALPHA)


def score_of(dag: np.ndarray) -> float:
    score = _core.GaussianBic(MOMENTS.correlation, MOMENTS.log_variances, MOMENTS.n, ALPHA)
    return score.of_dag(dag)


def factor_table(n: int, d: int, *, noise: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, 1)) + noise * rng.standard_normal((n, d))


def test_score_is_that_of_a_member_dag(result: Result) -> None:
    assert result.score == pytest.approx(score_of(result.cpdag.to_dag()), rel=1e-9)


def test_score_follows_the_formula_of_the_bic(result: Result) -> None:
    covariance, n = np.cov(DRAWN.data.T, bias=True), len(DRAWN.data)
    total, dag = 0.0, result.cpdag.to_dag()
    for y in range(12):
        parents = np.flatnonzero(dag[:, y])
        block = covariance[np.ix_(parents, parents)]
        shared = covariance[parents, y]
        variance = covariance[y, y] - shared @ np.linalg.solve(block, shared)
        total -= n / 2 * (1 + np.log(variance)) + ALPHA / 2 * np.log(n) * (len(parents) + 1)
    assert result.score == pytest.approx(total, rel=1e-9)


def test_gains_of_the_trace_add_up_from_the_empty_graph(result: Result) -> None:
    empty = score_of(np.zeros((12, 12), dtype=np.uint8))
    assert empty + sum(step.gain for step in result.trace) == pytest.approx(result.score, rel=1e-9)


def test_trace_replayed_from_the_empty_graph_gives_the_class(result: Result) -> None:
    graph = np.zeros((12, 12), dtype=np.uint8)
    for step in result.trace:
        graph = _core.apply(graph, step.kind, step.x, step.y, step.T)
    assert np.array_equal(graph, result.cpdag.to_matrix())


def test_cpdag_of_a_result_is_a_completed_graph(result: Result) -> None:
    assert CPDAG.from_matrix(result.cpdag.to_matrix(), result.cpdag.names) == result.cpdag


def test_settings_counts_and_timings_are_filled(result: Result) -> None:
    assert result.settings == {
        "score": "gaussian-bic",
        "alpha": ALPHA,
        "effort": 1.0 if result.search == "xges" else 0.0,
        "seed": 0,
        "time_limit": None,
        "clique_cap": _core.DEFAULT_CLIQUE_CAP,
        "hold_out": None,
        "kinds": None,
        "missing": "error",
        "sample_weight": None,
        "drop": None,
        "transform": None,
        "na": None,
        "interventions": None,
    }
    assert set(result.counts) == {
        "score_evaluations",
        "sweeps",
        "trials",
        "accepted_trials",
        "rounds",
        "kept_rounds",
    }
    assert result.counts["score_evaluations"] > 0
    assert (result.counts["trials"] > 0) == (result.search == "xges")
    assert set(result.timings) == {"moments", "search"}
    assert all(seconds >= 0 for seconds in result.timings.values())
    assert (result.n, result.stopped) == (2000, "")
    refined = (
        "a refinement step improved the result; the trace lists an equivalent edge-by-edge "
        "construction",
    )
    assert result.notes == (refined if result.search == "xges" else ())


def test_same_data_give_an_equal_result_and_hash(result: Result) -> None:
    again = learn(MOMENTS, search=result.search, alpha=ALPHA)
    assert again == result
    assert hash(again) == hash(result)
    assert pickle.loads(pickle.dumps(result)) == result


def test_text_of_a_result_names_search_score_edges_and_notes() -> None:
    graph = CPDAG.from_dag([[0, 1], [0, 0]], ["a", "b"])
    result = Result(
        graph, -1.5, "ges", {"alpha": 2.0}, 10, (), {}, {}, (Note("beware"),), "time limit"
    )
    assert str(result) == (
        "ges, alpha 2: 2 columns, 10 rows, 1 edge, score -1.5\na - b\nnote: beware"
    )
    assert repr(result) == (
        "<Result of ges: <CPDAG: 2 columns, 0 directed and 1 undirected edges>, "
        "score -1.5, stopped: time limit>"
    )


@pytest.mark.parametrize(
    ("operator", "text"),
    [
        (Operator("insert", 0, 1, (), (), (), 2.5), "insert a → b (gain 2.5)"),
        (Operator("insert", 0, 1, (2,), (2,), (), 2.5), "insert a → b with T = {c} (gain 2.5)"),
        (Operator("delete", 2, 1, (0,), (0,), (), -1.0), "delete c → b with C = {a} (gain -1)"),
        (Operator("reverse", 1, 0, (), (), (0,), 3.0), "reverse b → a (gain 3)"),
    ],
)
def test_operators_describe_themselves_with_names(operator: Operator, text: str) -> None:
    assert operator.describe(["a", "b", "c"]) == text


def test_operator_description_escapes_hostile_names() -> None:
    operator = Operator("insert", 0, 1, (2,), (2,), (), 1.0)
    text = operator.describe(["a\n", "\x1b[31m", "\u202e"])
    assert text == r"insert a\n → \x1b[31m with T = {\u202e} (gain 1)"


def test_meeting_the_clique_cap_is_noted_with_the_columns() -> None:
    result = learn(factor_table(2000, 10), search="xges0", clique_cap=2)
    note = next(note for note in result.notes if "clique cap" in note)
    assert "the clique cap of 2 was reached at 'x" in note


def test_the_clique_cap_is_not_met_on_sparse_data(result: Result) -> None:
    free = learn(MOMENTS, search=result.search, alpha=ALPHA, clique_cap=0)
    assert free.cpdag == result.cpdag
    assert not any("clique cap" in note for note in result.notes)


def test_fewer_rows_than_columns_work_and_are_noted() -> None:
    drawn = simulate.linear_gaussian(30, 1.0, 20, seed=3)
    result = learn(drawn.data, search="xges0", alpha=4.0)
    assert np.isfinite(result.score)
    assert any(note.startswith("20 rows for 30 columns") for note in result.notes)


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("time_limit", [0, 0.001, 0.02, 0.1])
def test_a_search_stopped_early_still_returns_a_sound_class(search: str, time_limit: float) -> None:
    loadings = np.random.default_rng(0).uniform(0.5, 1.5, 60)
    moments = Moments(n=10**6, covariance=np.outer(loadings, loadings) + np.eye(60))
    result = learn(moments, search=search, time_limit=time_limit, clique_cap=0)
    assert result.stopped == "time limit"
    said = f"stopped by the time limit of {time_limit:g} s; this is the best class found so far"
    assert said in result.notes
    assert CPDAG.from_matrix(result.cpdag.to_matrix()) == result.cpdag
    arguments = (moments.correlation, moments.log_variances, moments.n, 2.0)
    recomputed = _core.GaussianBic(*arguments).of_dag(result.cpdag.to_dag())
    empty = _core.GaussianBic(*arguments).of_dag(np.zeros((60, 60), dtype=np.uint8))
    assert result.score == pytest.approx(recomputed, rel=1e-9)
    assert empty + sum(s.gain for s in result.trace) == pytest.approx(recomputed, rel=1e-9)


def test_text_of_a_result_escapes_what_a_file_may_have_brought(result: Result) -> None:
    odd = replace(result, search="\x1b[31mxges", notes=("first\nsecond\x07",), stopped="\x1b]0;")
    for text in (str(odd), repr(odd), repr(odd.view())):
        assert "\x1b" not in text and "\x07" not in text
    assert "note: first\\nsecond\\x07" in str(odd)


def test_records_that_methods_return_have_public_names(result: Result) -> None:
    assert type(result.view()) is greedag.View
    assert all(type(pair) is greedag.Pair for pair in result.compare(result).shared)


def test_options_that_were_left_out_are_not_in_the_heading() -> None:
    table = np.random.default_rng(0).normal(size=(50, 3))
    heading, *_ = str(learn(table, score="bge")).split("\n")
    assert heading.startswith("xges, bge, alpha mu 1, standard units: 3 columns, 50 rows, ")


def test_a_result_is_scored_as_its_class() -> None:
    table = np.random.default_rng(0).normal(size=(50, 3))
    result = learn(table)
    assert greedag.score_graph(table, result) == result.score


def test_settings_counts_and_timings_are_read_only_also_after_copies(result: Result) -> None:
    for again in (result, pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert again == result and again.timings == result.timings
        for mapping in (again.settings, again.counts, again.timings):
            with pytest.raises(TypeError, match="read-only"):
                mapping["score"] = 1  # type: ignore[index]
            with pytest.raises(TypeError, match="read-only"):
                mapping.update(score=1)  # type: ignore[attr-defined]
            with pytest.raises(TypeError, match="read-only"):
                mapping.clear()  # type: ignore[attr-defined]
        editable = dict(again.settings)
        editable["alpha"] = 0.5
        assert json.loads(json.dumps(again.settings)) == result.settings
        with pytest.raises(ValueError, match="read-only"):
            again.cpdag._view()[0, 1] = 1


def test_notes_keep_their_fields_in_copies(result: Result) -> None:
    note = Note("two of three", code="some", columns=["a"], counts={"a": 2})
    noted = replace(result, notes=(Note("plain"), note))
    for again in (noted, pickle.loads(pickle.dumps(noted)), copy.deepcopy(noted)):
        plain, kept = again.notes
        assert (plain, plain.code, plain.columns, plain.counts) == ("plain", "", (), {})
        assert (kept, kept.code, kept.columns) == (note, "some", ("a",))
        assert kept.counts == {"a": 2}
