"""Learning from experiments, end to end."""

from __future__ import annotations

import copy
import pickle
from datetime import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from greedag import (
    XGES,
    DataError,
    Knowledge,
    OptionError,
    Result,
    exact,
    learn,
    score_graph,
)
from greedag.cli.main import main
from greedag.graph.interventional import interventional_class
from greedag.report.summary import settings_part
from helpers.experiments import frame, linear_rows, random_dag
from oracle import interventional_scores as twin

TARGETS = [[], [0], [1], [2, 3]]


def drawn(seed: int, d: int = 5, n: int = 400) -> tuple[np.ndarray, list[np.ndarray]]:
    rng = np.random.default_rng(seed)
    dag = random_dag(d, 1.2, rng)
    return dag, linear_rows(dag, TARGETS, n, rng)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return frame(drawn(2)[1], TARGETS)


@pytest.fixture(scope="module")
def result(table: pd.DataFrame) -> Result:
    return learn(table, interventions="set")


@pytest.mark.parametrize("seed", range(4))
def test_the_interventional_class_of_the_truth_is_found(seed: int) -> None:
    dag, tables = drawn(seed, n=2000)
    found = learn(frame(tables, TARGETS), interventions="set")
    assert np.array_equal(found.graph.to_matrix(), interventional_class(dag, TARGETS).to_matrix())


def test_a_column_and_a_list_of_tables_say_the_same(result: Result) -> None:
    names = ("x0", "x1", "x2", "x3", "x4")
    targets = [None, "x0", ["x1"], ("x3", "x2")]
    tables = [pd.DataFrame(part, columns=names) for part in drawn(2)[1]]
    found = learn(list(zip(tables, targets, strict=True)))
    assert (found.graph, found.score) == (result.graph, result.score)
    assert found.settings["interventions"] == ((), ("x0",), ("x1",), ("x2", "x3"))
    unnamed = learn([(part, columns) for part, columns in zip(drawn(2)[1], TARGETS, strict=True)])
    assert (unnamed.graph, unnamed.score) == (result.graph, result.score)


def test_the_graph_is_the_interventional_class_of_the_best_dag(result: Result) -> None:
    right = interventional_class(result.best_dag, TARGETS, result.cpdag.names)
    assert result.graph == right
    assert {found.kind for found in result.evidence} == {"intervention"}
    for edge, why in right.reasons().items():
        assert result.graph.reason(*edge) == why


def test_the_score_is_the_sum_of_the_twins(result: Result, table: pd.DataFrame) -> None:
    tables, dag = drawn(2)[1], result.best_dag
    local = [
        twin.gaussian_bic(y, np.flatnonzero(dag[:, y]), tables, TARGETS, alpha=2.0)
        for y in range(5)
    ]
    assert np.isclose(result.score, sum(local), rtol=1e-10)
    assert score_graph(table, result, interventions="set") == pytest.approx(result.score)
    assert score_graph(table, result.best_dag, interventions="set") == pytest.approx(result.score)


def test_exact_search_finds_no_better_dag(result: Result, table: pd.DataFrame) -> None:
    best = exact(table, interventions="set")
    assert best.graph == result.graph
    assert result.gap == 0.0


def test_threads_do_not_change_the_outcome() -> None:
    rng = np.random.default_rng(3)
    targets = [[], *([j] for j in range(0, 16, 2))]
    rows = frame(linear_rows(random_dag(16, 2.0, rng), targets, 60, rng), targets)
    one, two = (learn(rows, interventions="set", n_jobs=k, effort=2.0) for k in (1, 2))
    assert (one.graph, one.score, one.evidence) == (two.graph, two.score, two.evidence)


def test_experiments_on_discrete_columns_tell_directions() -> None:
    rng = np.random.default_rng(4)

    def rows(n: int, where: str) -> pd.DataFrame:
        a = rng.integers(0, 2, n)
        b = rng.integers(0, 3, n) if where == "b" else (a + (rng.random(n) < 0.2)) % 3
        c = (b + (rng.random(n) < 0.2)) % 3
        return pd.DataFrame({"a": a, "b": b, "c": c, "set": where}).astype(str)

    whole = pd.concat([rows(600, ""), rows(300, "b")])
    found = learn(whole, interventions="set")
    assert found.settings["score"] == "bdeu"
    assert found.graph.directed == (("a", "b"), ("b", "c"))
    assert learn(whole, interventions="set", score="discrete-bic").graph == found.graph


def test_experiments_and_curves_go_together() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=600)
    y = np.tanh(2.0 * x) + 0.3 * rng.normal(size=600)
    z = 0.8 * y + 0.5 * rng.normal(size=600)
    was_set = np.where(np.arange(600) < 400, "", "z")
    z[400:] = rng.normal(1.0, 1.0, 200)
    found = learn({"x": x, "y": y, "z": z, "set": was_set}, interventions="set", score="additive")
    assert found.best_dag.tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    assert found.graph.reason("y", "z").rule == "intervention"


def test_a_result_is_saved_and_loaded_with_and_without_data(
    result: Result, table: pd.DataFrame, tmp_path: Path
) -> None:
    path = tmp_path / "result.json"
    result.save(path)
    bare = Result.load(path)
    assert bare == result
    assert (bare.graph, bare.evidence) == (result.graph, result.evidence)
    full = Result.load(path, data=table)
    assert full.strengths() == result.strengths()
    other = table.assign(set=np.where(table["set"] == "x0", "", table["set"]))
    with pytest.raises(DataError, match="learned from other data"):
        Result.load(path, data=other)
    assert pickle.loads(pickle.dumps(result)) == result == copy.copy(result)


def test_a_result_of_tables_is_loaded_with_tables(tmp_path: Path) -> None:
    pairs = [(part, columns) for part, columns in zip(drawn(2)[1], TARGETS, strict=True)]
    found, path = learn(pairs), tmp_path / "result.json"
    found.save(path)
    assert Result.load(path) == found
    assert Result.load(path, data=pairs).coefficients() == found.coefficients()


def test_a_checkpoint_resumes_the_same_search(table: pd.DataFrame, tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    targets = [[], [0], [5]]
    rows = frame(linear_rows(random_dag(16, 2.0, rng), targets, 60, rng), targets)
    path = tmp_path / "state"
    learn(rows, interventions="set", effort=1.0, checkpoint=path)
    resumed = learn(rows, interventions="set", effort=3.0, checkpoint=path)
    whole = learn(rows, interventions="set", effort=3.0)
    assert (resumed.graph, resumed.score) == (whole.graph, whole.score)
    with pytest.raises(DataError, match="other data"):
        other = rows.assign(set=rows["set"].replace("x5", "x4"))
        learn(other, interventions="set", effort=3.0, checkpoint=path)


def test_coefficients_are_those_of_rows_in_which_the_child_was_not_set(result: Result) -> None:
    tables = drawn(2)[1]
    for edge in result.coefficients():
        y = int(edge.child[1:])
        parents = np.flatnonzero(result.graph.to_dag()[:, y])
        rows = twin.not_set(y, tables, TARGETS)
        design = np.column_stack([np.ones(len(rows)), rows[:, parents]])
        slopes = np.linalg.lstsq(design, rows[:, y], rcond=None)[0][1:]
        assert edge.value == pytest.approx(slopes[[*parents].index(int(edge.parent[1:]))])


def test_knowledge_comes_before_experiments(table: pd.DataFrame, result: Result) -> None:
    tail, head = result.evidence[0].tail, result.evidence[0].head
    found = learn(table, interventions="set", knowledge=Knowledge(required=[(head, tail)]))
    assert found.graph.reason(head, tail).rule == "knowledge"
    assert found.score < result.score


def test_estimators_take_experiments(table: pd.DataFrame, result: Result) -> None:
    assert XGES(interventions="set").fit(table).graph_ == result.graph
    pairs = [(part, columns) for part, columns in zip(drawn(2)[1], TARGETS, strict=True)]
    assert XGES().fit(pairs).graph_ == result.graph


def test_searches_from_class_to_class_are_refused(table: pd.DataFrame) -> None:
    with pytest.raises(OptionError, match="orders"):
        learn(table, interventions="set", search="ges")


def test_the_command_learns_from_experiments(
    table: pd.DataFrame, result: Result, tmp_path: Path
) -> None:
    path, out = tmp_path / "rows.csv", tmp_path / "out.json"
    table.to_csv(path, index=False)
    words = ["learn", str(path), "--interventions", "set", "--out", str(out), "--quiet"]
    assert main(words) == 0
    assert Result.load(out).graph == result.graph
    assert Result.load(out, data=path).has_data


def test_reports_say_what_experiments_did(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    result.report(path)
    text = path.read_text(encoding="utf-8")
    directed = len(result.graph.by_evidence)
    assert "Experiments set x0, x1, x2 and x3 in 1200 of 1600 rows" in text
    assert f"{directed} edges owe their direction to that" in text
    again = settings_part(result, datetime(2026, 1, 1), "1")
    assert "interventions='set'" in again["python"]
    assert "--interventions set" in again["shell"]


def test_tables_are_named_where_a_report_repeats_the_search() -> None:
    pairs = [(part, columns) for part, columns in zip(drawn(2)[1], TARGETS, strict=True)]
    again = settings_part(learn(pairs), datetime(2026, 1, 1), "1")
    assert "[(table1, None), (table2, ['x0'])" in again["python"]
    assert again["shell"].startswith("# The command has no option for lists of tables")
