"""Scores of given graphs: those of the search, of least squares, and errors that help."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from greedag import CPDAG, DataError, Moments, OptionError, learn, score_graph, simulate
from greedag._options import SEARCHES
from greedag.scores.select import SCORES
from oracle import brute_force

TABLE = simulate.linear_gaussian(10, 2.0, 500, seed=2).data
MOMENTS = Moments.from_data(TABLE)


def scratch(table: NDArray[np.float64], dag: NDArray[np.uint8], alpha: float) -> float:
    covariance = np.cov(table.T, bias=True)
    return sum(
        brute_force.local_score(
            covariance, len(table), alpha, y, np.flatnonzero(dag[:, y]).tolist()
        )
        for y in range(len(dag))
    )


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("alpha", [1.0, 2.0])
def test_the_class_that_was_learned_has_the_result_s_score(search: str, alpha: float) -> None:
    result = learn(TABLE, search=search, alpha=alpha)
    assert score_graph(TABLE, result.cpdag, alpha=alpha) == result.score
    assert score_graph(MOMENTS, result.cpdag.to_matrix(), alpha=alpha) == result.score
    assert score_graph(MOMENTS, result.cpdag.to_dag(), alpha=alpha) == result.score


def test_scores_of_any_dag_are_those_of_least_squares() -> None:
    rng = np.random.default_rng(0)
    for seed in range(30):
        order = rng.permutation(10)
        dag = np.triu(rng.random((10, 10)) < 0.4, 1).astype(np.uint8)[np.ix_(order, order)]
        expected = scratch(TABLE, dag, 1.0 + seed)
        assert score_graph(TABLE, dag, alpha=1.0 + seed) == pytest.approx(expected, rel=1e-9)


def test_columns_are_matched_by_name() -> None:
    result = learn(TABLE)
    order = np.random.default_rng(1).permutation(10)
    frame = pd.DataFrame(TABLE[:, order], columns=[f"x{i}" for i in order])
    assert score_graph(frame, result.cpdag) == pytest.approx(result.score, rel=1e-12)


def test_other_columns_are_named() -> None:
    graph = CPDAG.from_dag(np.zeros((10, 10)), names=[*(f"x{i}" for i in range(9)), "rain"])
    with pytest.raises(DataError, match=r"only one of them has 'rain' and 'x9'.*names="):
        score_graph(TABLE, graph)
    with pytest.raises(DataError, match="graph has 4 columns and the data have 10"):
        score_graph(TABLE, np.zeros((4, 4)))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([[0, 1, 0], [0, 0, 1], [1, 0, 0]], "cycle"),
        ([[0, 1, 1], [1, 0, 1], [0, 0, 0]], "not a CPDAG"),
        ([[0, 2, 0], [0, 0, 0], [0, 0, 0]], "0 or 1"),
        ([[0, 1], [0]], "not rectangular"),
        ([0, 1, 0], "square"),
        ([["a", "b", "c"]] * 3, "0 or 1"),
    ],
)
def test_what_is_no_graph_is_refused(cells: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        score_graph(TABLE[:, :3], cells)  # type: ignore[arg-type]


def test_a_column_that_its_parents_fit_exactly_is_named() -> None:
    few = TABLE[:6]
    dag = np.zeros((10, 10), dtype=np.uint8)
    dag[:5, 7] = 1
    with pytest.raises(DataError, match=r"5 parents of column 'x7'.*exactly"):
        score_graph(few, dag)
    dag[:2, 7] = 0
    assert score_graph(few, dag, alpha=2.0) == pytest.approx(scratch(few, dag, 2.0), rel=1e-9)


def test_options_and_data_are_checked_as_for_a_search() -> None:
    with pytest.raises(OptionError, match="alpha"):
        score_graph(TABLE, np.zeros((10, 10)), alpha=-1.0)
    with pytest.raises(DataError, match="constant"):
        score_graph(np.column_stack([TABLE[:, :2], np.ones(500)]), np.zeros((3, 3)))


def test_a_labelled_matrix_is_matched_with_the_data_by_name() -> None:
    pandas = pytest.importorskip("pandas")
    names = [f"n{j}" for j in range(TABLE.shape[1])]
    frame = pandas.DataFrame(TABLE, columns=names)
    result = learn(frame)
    for cells in (result.cpdag.to_matrix(), result.cpdag.to_dag()):
        labelled = pandas.DataFrame(cells, index=names, columns=names)
        turned = labelled.loc[names[::-1], names[::-1]]
        assert score_graph(frame, labelled) == score_graph(frame, turned) == result.score
        assert score_graph(frame, pandas.DataFrame(cells)) == result.score
    with pytest.raises(DataError, match="different columns"):
        score_graph(TABLE, labelled)
    with pytest.raises(DataError, match=r"row 0 .* but column 0"):
        score_graph(frame, labelled.loc[names[::-1]])


def test_numbers_as_labels_are_matched_with_columns_that_are_numbers() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(TABLE)
    result = learn(frame)
    labelled = pandas.DataFrame(result.cpdag.to_dag())
    order = list(labelled)[::-1]
    assert score_graph(frame[order], labelled) == pytest.approx(result.score, rel=1e-12)
    assert score_graph(frame, labelled.loc[order, order]) == result.score


@pytest.mark.parametrize("score", [*SCORES])
def test_the_least_number_of_rows_and_columns_is_said_at_once(score: str) -> None:
    words = pd.DataFrame({"a": ["x", "y", "y"], "b": ["u", "u", "v"]})
    table = (
        words
        if score in ("bdeu", "discrete-bic")
        else pd.DataFrame(np.random.default_rng(0).normal(size=(3, 4)))
    )
    least_n, least_d = (2, 1) if table is words or score == "bge" else (3, 2)
    # BGe calls the columns of a single row constant.
    for few in (table[:0], table[: 0 if score == "bge" else 1]):
        with pytest.raises(DataError, match=rf"sample.* a minimum of {least_n} is required"):
            learn(few, score=score)
    with pytest.raises(DataError, match=rf"0 feature.* a minimum of {least_d} is required"):
        learn(table[[]], score=score)
