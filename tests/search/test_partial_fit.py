"""Weights, missing values and further rows on the whole road: from a table to a result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from greedag import (
    FGES,
    GES,
    OPS,
    XGES,
    MixedTable,
    Moments,
    Result,
    _core,
    learn,
    metrics,
    simulate,
)
from greedag._progress import Progress
from greedag.errors import DataError, DataTypeError, OptionError
from greedag.statistics.collinearity import check_collinear

ESTIMATORS = [XGES(), XGES(extended=False), GES(), GES(reversals=True), OPS(), FGES()]


def drawn(n: int = 2000, d: int = 12, seed: int = 1) -> pd.DataFrame:
    sample = simulate.linear_gaussian(d, 2.0, n, seed=seed)
    return pd.DataFrame(sample.data, columns=sample.cpdag.names)


def engine_of(table: pd.DataFrame) -> _core.Score:
    moments = Moments.from_data(table)
    return _core.GaussianBic(check_collinear(moments), moments.log_variances, moments.n, 2.0)


# ---- weights


def test_weights_are_repeated_rows_to_the_result() -> None:
    table = drawn()
    weights = np.arange(len(table)) % 3
    weighted = learn(table, sample_weight=weights)
    repeated = learn(table.loc[table.index.repeat(weights)])
    assert weighted.cpdag == repeated.cpdag
    assert (weighted.n, type(weighted.n)) == (repeated.n, int)
    assert weighted.score == pytest.approx(repeated.score, rel=1e-10)
    assert XGES().fit(table, sample_weight=weights).result_ == weighted


def test_a_fraction_of_rows_is_told_saved_and_explained(tmp_path: Path) -> None:
    table = drawn()
    weights = np.full(len(table), 0.31)
    weights[0] = 0.355
    result = learn(table, sample_weight=weights)
    assert result.n == pytest.approx(620.045)
    assert "620.045 rows" in str(result)
    path = tmp_path / "result.json"
    result.save(path)
    again = Result.load(path, data=Moments.from_data(table, weights=weights))
    assert again == result
    a, b = [*result.cpdag.directed, *result.cpdag.undirected][0]
    assert str(again.explain(a, b)) == str(result.explain(a, b))
    assert result.coefficients()
    with pytest.raises(DataError, match=r"620\.045 rows in one and 2000"):
        Result.load(path, data=table)


def test_weights_that_hardly_count_are_refused() -> None:
    with pytest.raises(DataError, match=r"weights of 2000 rows add up to 1, .*scale the weights"):
        learn(drawn(), sample_weight=np.full(2000, 1.0 / 2000))


def test_fewer_weighted_rows_than_columns_are_searched_and_noted() -> None:
    table = drawn(n=100, d=8)
    result = learn(table, sample_weight=np.full(100, 0.0755))
    assert any("7.55 rows for 8 columns" in note for note in result.notes)


def test_weights_for_discrete_columns_are_repeated_rows() -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 400)
    b = np.where(rng.random(400) < 0.8, a, rng.integers(0, 3, 400))
    table = pd.DataFrame({"a": a, "b": b}).astype(str)
    weights = rng.integers(0, 4, 400)
    weighted = learn(table, sample_weight=weights)
    repeated = learn(table.loc[table.index.repeat(weights)])
    assert (weighted.cpdag, weighted.n) == (repeated.cpdag, repeated.n)
    assert weighted.score == pytest.approx(repeated.score, rel=1e-12)


# ---- missing values


def test_dropping_learns_from_complete_rows_and_notes_it() -> None:
    table = drawn()
    holes = table.copy()
    holes.iloc[::10, 2] = np.nan
    result = learn(holes, missing="drop")
    assert "200 of 2000 rows were dropped because they have missing values" in result.notes
    kept = learn(holes.dropna())
    assert (result.cpdag, result.score, result.n) == (kept.cpdag, kept.score, 1800)


def test_em_learns_more_than_dropping_where_much_is_missing() -> None:
    distances: dict[str, list[int]] = {"em": [], "drop": []}
    for seed in range(5):
        sample = simulate.linear_gaussian(12, 2.0, 3000, seed=seed)
        holes = np.array(sample.data)
        holes[np.random.default_rng(seed).random(holes.shape) < 0.2] = np.nan
        for way, found in distances.items():
            found.append(metrics.shd(learn(holes, missing=way).cpdag, sample.cpdag))
    assert sum(distances["em"]) < sum(distances["drop"])


def test_em_notes_what_it_did_and_counts_effective_rows() -> None:
    holes = drawn().to_numpy(copy=True)
    holes[np.random.default_rng(0).random(holes.shape) < 0.1] = np.nan
    model = XGES(missing="em").fit(holes)
    assert 0.79 < model.result_.n / 2000 < 0.83
    assert any("moments estimated by EM in" in note for note in model.result_.notes)


def test_missing_values_of_discrete_columns_are_dropped_but_not_estimated() -> None:
    table = pd.DataFrame({"a": ["x", "y"] * 50, "b": ["u", "v", "w", None] * 25})
    assert learn(table, missing="drop").n == 75
    with pytest.raises(OptionError, match="EM is for continuous columns"):
        learn(table, missing="em")


@pytest.mark.parametrize("model", ESTIMATORS, ids=repr)
def test_every_estimator_treats_missing_values(model: Any) -> None:
    holes = drawn().to_numpy(copy=True)
    holes[::7, 3] = np.nan
    with pytest.raises(DataError, match="missing='drop'"):
        model.fit(holes)
    assert type(model)(missing="drop").fit(holes).result_.n == 1714


# ---- a start other than the empty graph


@pytest.mark.parametrize("search", ["xges", "xges0", "ges-r", "ops"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_search_that_starts_at_its_own_end_stays_there(search: str, jobs: int) -> None:
    score = engine_of(drawn())
    cold = _core.search(score, search)
    warm = _core.search(score, search, start=cold.adjacency, jobs=jobs)
    assert np.array_equal(warm.adjacency, cold.adjacency)
    assert (warm.trace, warm.score) == ([], cold.score)


@pytest.mark.parametrize("search", ["xges", "xges0", "ges", "ges-r", "ops", "fges"])
def test_gains_from_the_start_add_up_to_the_score(search: str) -> None:
    table = drawn(d=15)
    score = engine_of(table)
    start = learn(table.iloc[:60]).cpdag
    outcome = _core.search(score, search, start=start.to_matrix())
    gains = sum(applied[-1] for applied in outcome.trace)
    assert score.of_dag(start.to_dag()) + gains == pytest.approx(outcome.score, rel=1e-12)
    threads = _core.search(score, search, start=start.to_matrix(), jobs=3)
    assert (threads.trace, threads.score) == (outcome.trace, outcome.score)


def test_a_start_that_is_no_class_or_of_another_size_is_refused() -> None:
    score = engine_of(drawn(d=3))
    wrong = np.zeros((3, 3), dtype=np.uint8)
    wrong[0, 1] = 1
    with pytest.raises(ValueError, match="not the CPDAG of any class"):
        _core.search(score, "xges", start=wrong)
    with pytest.raises(ValueError, match="does not fit"):
        _core.search(score, "xges", start=np.zeros((2, 2), dtype=np.uint8))


def test_progress_counts_the_edges_of_the_start() -> None:
    table = drawn(n=3000, d=80)
    told: list[Progress] = []
    model = XGES(progress=told.append).partial_fit(table.iloc[:2900])
    edges = told[-1].edges
    told.clear()
    model.partial_fit(table.iloc[2900:])
    assert edges > 50
    assert all(abs(progress.edges - edges) < 50 for progress in told)


# ---- further rows


@pytest.mark.parametrize("model", ESTIMATORS, ids=repr)
def test_batches_add_up_to_the_whole_table(model: Any) -> None:
    table = drawn(n=3000)
    for start in range(0, 3000, 1000):
        model.partial_fit(table.iloc[start : start + 1000])
    whole = Moments.from_data(table)
    found = model.result_.moments
    assert (found.n, found.names) == (whole.n, whole.names)
    np.testing.assert_allclose(found.correlation, whole.correlation, atol=1e-13)
    assert model.score_ == pytest.approx(learn(table, search=model._search()).score, rel=1e-3)
    assert list(model.feature_names_in_) == list(table.columns)
    assert "the search started from the class of 2000 earlier rows" in model.result_.notes[-1]


def test_the_trace_leads_from_the_empty_graph_through_all_batches() -> None:
    table = drawn(n=3000)
    model = XGES().partial_fit(table.iloc[:40]).partial_fit(table.iloc[40:])
    result = model.result_
    joined: set[frozenset[int]] = set()
    for operator in result.trace:
        pair = frozenset((operator.x, operator.y))
        if operator.kind == "insert":
            assert pair not in joined
            joined.add(pair)
        elif operator.kind == "delete":
            joined.remove(pair)
    places = {name: i for i, name in enumerate(result.cpdag.names)}
    edges = [*result.cpdag.directed, *result.cpdag.undirected]
    assert joined == {frozenset((places[a], places[b])) for a, b in edges}
    assert "step" in str(result.explain(*edges[0]))


def test_fit_begins_anew_and_batches_go_on_from_it() -> None:
    table = drawn()
    model = XGES().partial_fit(table.iloc[:500])
    assert model.fit(table.iloc[:1000]).result_ == learn(table.iloc[:1000])
    assert model.partial_fit(table.iloc[1000:]).result_.n == 2000


def test_batches_may_have_weights_and_be_discrete() -> None:
    table = drawn()
    model = XGES().partial_fit(table.iloc[:1000], sample_weight=np.full(1000, 2))
    assert model.partial_fit(table.iloc[1000:]).result_.n == 3000
    words = pd.DataFrame({"a": ["x", "y"] * 40, "b": ["u", "v", "v", "u"] * 20})
    more = pd.DataFrame({"a": ["x", "z"] * 40, "b": ["u", "v", "v", "u"] * 20})
    assert XGES().partial_fit(words).partial_fit(more).result_.n == 160


def test_notes_tell_of_missing_values_in_all_batches() -> None:
    holes = drawn(n=400)
    holes.iloc[:60:3, 2] = np.nan
    parts = [holes.iloc[:60], holes.iloc[60:200], holes.iloc[200:]]
    dropped = XGES(missing="drop").partial_fit(parts[0])
    for part in parts[1:]:
        dropped.partial_fit(part)
        assert [note for note in dropped.result_.notes if "dropped" in note] == [
            "20 rows of all batches were dropped because they have missing values"
        ]
    dropped.partial_fit(parts[0])
    assert dropped.result_.notes[0].startswith("40 rows of all batches were dropped")
    estimated = XGES(missing="em")
    for part in parts:
        estimated.partial_fit(part)
    assert [note for note in estimated.result_.notes if "estimated by EM" in note] == [
        "20 values of all batches are missing: moments were estimated by EM for each batch "
        "separately"
    ]


def test_notes_on_levels_are_those_of_all_batches() -> None:
    words = pd.DataFrame({"a": ["x", "y"] * 50, "b": ["u", "v", "v", "u"] * 25})
    holes = words.copy()
    holes.loc[:21, "a"] = None
    model = XGES(missing="test-wise").partial_fit(holes)
    for _ in range(2):
        model.partial_fit(words)
    notes = [note for note in model.result_.notes if "are missing" in note]
    assert len(notes) == 1
    assert "together on 278 of 300 rows" in notes[0]


def test_batches_whose_levels_are_text_in_one_and_numbers_in_the_other_are_refused() -> None:
    words = pd.DataFrame({"a": ["0", "1"] * 20, "b": ["u", "v", "v", "u"] * 10})
    numbers = words.assign(a=[0, 1] * 20)
    model = XGES(scoring_method="bdeu").partial_fit(words)
    with pytest.raises(DataError, match=r"'a' has the level '0' as str .* as int in the other"):
        model.partial_fit(numbers)
    kinds = {"a": "discrete", "c": "continuous"}
    mixed = [
        MixedTable.from_data(t.assign(c=np.arange(40.0)), kinds=kinds) for t in (words, numbers)
    ]
    with pytest.raises(DataError, match="'a' has the level"):
        mixed[0] + mixed[1]


def test_batches_with_other_columns_or_kinds_are_refused() -> None:
    table = drawn()
    model = XGES().partial_fit(table)
    before = model.result_
    with pytest.raises(DataError, match="only one of the two has 'x11' and 'new'"):
        model.partial_fit(table.rename(columns={"x11": "new"}))
    with pytest.raises(DataError, match=r"0 sample.* minimum of 1 "):
        model.partial_fit(table[:0])
    with pytest.raises(DataError, match="only one of the two has 'x11'"):
        model.partial_fit(table.drop(columns="x11"))
    with pytest.raises(DataError, match="column 0 is 'x0' in one and 'x1' in the other"):
        model.partial_fit(table[["x1", "x0", *table.columns[2:]]])
    with pytest.raises(DataTypeError, match="counted as Levels, the rows before it as Moments"):
        model.partial_fit(table.astype(str))
    assert model.result_ is before
