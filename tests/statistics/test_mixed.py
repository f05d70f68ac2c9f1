"""Mixed tables, from any container to a class."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import greedag
from greedag import (
    XGES,
    CollinearError,
    DataError,
    Levels,
    MixedTable,
    Moments,
    OptionError,
    Result,
    learn,
    score_graph,
)
from greedag.data.kinds import Kind
from greedag.scores import ConditionalGaussian

SCORES = ["degenerate-gaussian", "conditional-gaussian"]


def frame(n: int = 400, seed: int = 0) -> pd.DataFrame:
    """Return a → b, a → size, size → weight, of which a and b are levels."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 3, n)
    b = np.where(rng.random(n) < 0.85, a > 0, rng.random(n) < 0.5)
    size = np.array([0.0, 2.0, -1.0])[a] + rng.normal(size=n)
    weight = 0.8 * size + rng.normal(size=n)
    labels = pd.Categorical(np.array(["low", "mid", "high"])[a])
    return pd.DataFrame({"a": labels, "size": size, "b": b, "weight": weight})


def test_a_table_knows_kinds_codes_and_labels() -> None:
    table = MixedTable.from_data(frame())
    assert table.names == ("a", "size", "b", "weight")
    assert table.kinds == ("discrete", "continuous", "discrete", "continuous")
    assert table.labels == (("high", "low", "mid"), (False, True))
    assert table.sizes == [3, 0, 2, 0]
    assert (table.n, table.d) == (400, 4)
    assert [table.labels[0][code] for code in table.codes[0]] == list(frame()["a"])
    np.testing.assert_array_equal(table.values, frame()[["size", "weight"]].to_numpy().T)


@pytest.mark.parametrize("score", SCORES)
def test_the_container_makes_no_difference(score: str) -> None:
    pandas_frame = frame()
    made = learn(pandas_frame, score=score)
    texts = pandas_frame.assign(a=pandas_frame["a"].astype(str))
    coded = np.column_stack(
        [
            texts["a"].map({"high": 0, "low": 1, "mid": 2}),
            texts["size"],
            texts["b"],
            texts["weight"],
        ]
    ).astype(np.float64)
    kinds = {"x0": "discrete", "x2": "discrete"}
    for other in (
        learn(pl.from_pandas(texts), score=score),
        learn(pl.from_pandas(texts).lazy(), score=score),
        learn(MixedTable.from_data(texts), score=score),
        learn(coded, score=score, kinds=kinds),
    ):
        assert other.score == made.score
        np.testing.assert_array_equal(other.cpdag.to_matrix(), made.cpdag.to_matrix())


@pytest.mark.parametrize("score", SCORES)
def test_the_edges_of_a_small_mixed_table_are_found(score: str) -> None:
    cpdag = learn(frame(2000), score=score).cpdag
    edges = {frozenset(pair) for pair in (*cpdag.directed, *cpdag.undirected)}
    assert edges == {frozenset(p) for p in (("a", "b"), ("a", "size"), ("size", "weight"))}


def test_auto_takes_the_degenerate_gaussian_for_mixed_columns_and_says_so() -> None:
    result = learn(frame())
    assert result.settings["score"] == "degenerate-gaussian"
    assert result.settings["alpha"] == 2.0
    assert "scored by the degenerate Gaussian, because some columns are discrete" in result.notes
    assert learn(frame(), alpha=1.0).settings["alpha"] == 1.0


@pytest.mark.parametrize("kind", ["continuous", "discrete"])
def test_auto_takes_a_mixed_score_for_a_mixed_table_whatever_its_columns(kind: Kind) -> None:
    cells = np.random.default_rng(0).integers(0, 3, (50, 3))
    result = learn(MixedTable.from_data(cells, kinds=kind))
    assert result.settings["score"] == "degenerate-gaussian"
    assert any("MixedTable" in note for note in result.notes)


COUNTED = {
    "Moments": Moments.from_data(np.random.default_rng(0).normal(size=(50, 3))),
    "Levels": Levels.from_data(np.random.default_rng(0).integers(0, 3, (50, 3))),
    "MixedTable": MixedTable.from_data(frame()),
}
NEEDED = {
    "gaussian-bic": "Moments",
    "extended-bic": "Moments",
    "bge": "Moments",
    "bdeu": "Levels",
    "discrete-bic": "Levels",
    "degenerate-gaussian": "MixedTable",
    "conditional-gaussian": "MixedTable",
}


@pytest.mark.parametrize("given", COUNTED)
@pytest.mark.parametrize("score", NEEDED)
def test_a_score_says_what_it_needs_if_it_is_given_other_statistics(score: str, given: str) -> None:
    needed = NEEDED[score]
    if given == needed:
        assert learn(COUNTED[given], score=score).settings["score"] == score
        return
    message = rf"{score} needs a table or {needed}, got {given}; .*{needed}\.from_data\(table\)"
    with pytest.raises(DataError, match=message):
        learn(COUNTED[given], score=score)
    with pytest.raises(DataError, match=message):
        score_graph(COUNTED[given], np.zeros((3, 3)), score=score)


def test_auto_follows_kinds() -> None:
    numbers = frame()[["size", "weight"]].round(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert learn(numbers).settings["score"] == "gaussian-bic"
        assert learn(numbers, kinds="discrete").settings["score"] == "bdeu"
        mixed = learn(numbers, kinds={"size": "discrete"})
    assert mixed.settings["score"] == "degenerate-gaussian"


def test_few_whole_numbers_are_asked_about_once() -> None:
    table = frame().assign(grade=np.arange(400) % 4)
    with pytest.warns(greedag.GreedagWarning, match="'grade'") as told:
        learn(table)
    assert len(told) == 1


@pytest.mark.parametrize(("score", "kind"), [("bdeu", "discrete"), ("bge", "continuous")])
def test_nothing_is_asked_where_the_score_takes_all_columns_alike(score: str, kind: Kind) -> None:
    whole = pd.DataFrame(np.random.default_rng(0).integers(0, 3, (50, 3)), columns=list("abc"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learn(whole, score=score, kinds={"a": kind})
    with pytest.raises(DataError, match="no column 'd'"):
        learn(whole, score=score, kinds={"d": kind})
    with pytest.raises(OptionError, match="kinds must be"):
        learn(whole, score=score, kinds={"a": "nominal"})  # type: ignore[dict-item]


@pytest.mark.parametrize("ask", [learn, XGES().fit, MixedTable.from_data])
def test_a_warning_points_at_the_line_of_the_caller(ask: Callable[[object], object]) -> None:
    with pytest.warns(greedag.GreedagWarning, match="'grade'") as told:
        ask(frame().assign(grade=np.arange(400) % 4))
    assert told[0].filename == __file__


def test_the_estimator_takes_kinds() -> None:
    model = XGES(kinds={"b": "discrete"}).fit(frame())
    assert model.result_.settings["score"] == "degenerate-gaussian"
    assert list(model.feature_names_in_) == ["a", "size", "b", "weight"]


@pytest.mark.parametrize("score", ["gaussian-bic", "extended-bic", "bge", "bdeu", "discrete-bic"])
def test_kinds_that_a_score_does_not_share_are_refused(score: str) -> None:
    other = "continuous" if score in ("bdeu", "discrete-bic") else "discrete"
    with pytest.raises(OptionError, match=f"'size': {score} treats every column"):
        learn(frame()[["size", "weight"]], score=score, kinds={"size": other})


@pytest.mark.parametrize("data", [Moments.from_data(np.eye(5)), MixedTable.from_data(frame())])
def test_kinds_of_what_was_counted_already_are_refused(data: object) -> None:
    with pytest.raises(OptionError, match="kinds must be left out"):
        learn(data, kinds="continuous")


@pytest.mark.parametrize("score", SCORES)
def test_a_one_level_column_is_refused_by_name(score: str) -> None:
    with pytest.raises(DataError, match="constant column 'only'"):
        learn(frame().assign(only="yes"), score=score)


@pytest.mark.parametrize("score", SCORES)
def test_a_constant_number_is_refused_by_name(score: str) -> None:
    with pytest.raises(DataError, match="constant column 'flat'"):
        learn(frame().assign(flat=1.5), score=score)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("column", ["a", "size"])
def test_missing_values_are_refused_by_name(score: str, column: str) -> None:
    table = frame()
    table.loc[7, column] = None
    with pytest.raises(DataError, match=rf"column '{column}' holds 1 .*row 7"):
        learn(table, score=score)


@pytest.mark.parametrize("score", SCORES)
def test_columns_that_cannot_be_read_have_their_place_in_the_whole_table(score: str) -> None:
    rows = frame()[["a", "b", "size", "weight"]].astype(object).to_numpy()
    for value, message in ((np.nan, "'x3' holds 1 value"), ([1], "'x3', row 5 .*of type list")):
        rows[5, 3] = value
        with pytest.raises(DataError, match=message):
            learn(rows, score=score)
        with pytest.raises(DataError, match=message.replace("x3", "weight")):
            MixedTable.from_data(rows, names=["a", "b", "size", "weight"])


@pytest.mark.parametrize("score", SCORES)
def test_only_remedies_that_mixed_scores_have_are_recommended(score: str) -> None:
    holes = frame()
    holes.loc[3, "size"] = np.nan
    with pytest.raises(DataError, match="missing='drop'") as caught:
        learn(holes, score=score)
    assert "'em'" not in str(caught.value)
    assert learn(holes, score=score, missing="drop").n == 399


@pytest.mark.parametrize("score", SCORES)
def test_a_column_with_a_level_for_most_rows_is_noted(score: str) -> None:
    table = frame(60).assign(id=[f"p{row % 40}" for row in range(60)])[["size", "weight", "id"]]
    for data in (table, MixedTable.from_data(table)):
        (note,) = (note for note in learn(data, score=score).notes if "too many levels" in note)
        assert "'id'" in note


@pytest.mark.parametrize("weighted", [False, True])
def test_one_hot_columns_are_counted_in_blocks_of_rows(
    weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 500) if weighted else None
    table = MixedTable.from_data(frame(500), weights=weights)
    whole, starts = table.embedded()
    monkeypatch.setattr("greedag.statistics.mixed._MOST_CELLS", 400)
    in_blocks, same = table.embedded()
    assert (in_blocks.names, same) == (whole.names, starts)
    assert in_blocks.n == pytest.approx(whole.n)
    np.testing.assert_allclose(in_blocks.covariance, whole.covariance, rtol=1e-12, atol=1e-15)


def test_levels_are_refused_where_their_one_hot_columns_would_fill_the_memory() -> None:
    n = 50_000
    table = frame(n).assign(id=[f"p{row % 24_000}" for row in range(n)])
    message = r"4\.29 GiB, more than the limit of 4 GiB; column 'id' .*24000 levels in 50000.*drop"
    with pytest.raises(DataError, match=message):
        learn(table)
    assert learn(table.drop(columns="id"), effort=0).n == n


def test_levels_that_determine_each_other_are_refused_by_the_degenerate_gaussian() -> None:
    with pytest.raises(CollinearError) as error:
        learn(frame().assign(again=lambda t: t["b"]), score="degenerate-gaussian")
    assert error.value.columns == ("b", "again")
    assert "'b = True' and 'again = True'" in str(error.value)


def test_levels_that_determine_each_other_are_joined_by_the_conditional_gaussian() -> None:
    result = learn(frame().assign(again=lambda t: t["b"]), score="conditional-gaussian")
    assert result.cpdag.edge("b", "again")


@pytest.mark.parametrize("scale", [1e-150, 1e150])
@pytest.mark.parametrize("score", SCORES)
def test_units_make_no_difference(score: str, scale: float) -> None:
    scaled = frame().assign(size=lambda t: scale * t["size"])
    assert learn(scaled, score=score).cpdag == learn(frame(), score=score).cpdag


@pytest.mark.parametrize("score", SCORES)
def test_more_columns_than_rows_end(score: str) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(12, 20)), columns=[f"c{j}" for j in range(20)])
    table = table.assign(**{f"d{j}": np.arange(12) % (2 + j) > 0 for j in range(4)})
    result = learn(table, score=score, time_limit=20.0)
    assert np.isfinite(result.score)


def test_score_graph_gives_the_score_of_the_search() -> None:
    for score in (*SCORES, "auto"):
        result = learn(frame(), score=score)
        assert score_graph(frame(), result.cpdag, score=score) == result.score


@pytest.mark.parametrize("score", SCORES)
def test_a_saved_result_knows_its_data_again(score: str, tmp_path: Path) -> None:
    result = learn(frame(), score=score)
    result.save(tmp_path / "result.json")
    assert Result.load(tmp_path / "result.json", data=frame()).strengths() == result.strengths()
    with pytest.raises(DataError):
        Result.load(tmp_path / "result.json", data=frame(seed=1))


def test_strengths_are_what_removing_an_edge_costs() -> None:
    result = learn(frame(), score=ConditionalGaussian())
    engine = ConditionalGaussian().bind(MixedTable.from_data(frame()))
    strength = {frozenset((s.a, s.b)): s.loss for s in result.strengths()}
    names = list(frame())
    size, weight = names.index("size"), names.index("weight")
    parents = [names.index(p) for p in result.cpdag.names if p == "size"]
    loss = engine.local_score(weight, parents) - engine.local_score(weight, [])
    assert strength[frozenset(("size", "weight"))] == pytest.approx(loss)
    assert parents == [size]


@pytest.mark.parametrize("score", SCORES)
def test_a_mixed_result_is_reported_with_its_score(score: str, tmp_path: Path) -> None:
    learn(frame(), score=score).report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert score.replace("-", " ").replace("gaussian", "Gaussian")[1:] in text


@pytest.mark.parametrize("score", SCORES)
def test_weights_count_as_so_many_rows(score: str) -> None:
    weights = np.random.default_rng(1).integers(0, 4, 400)
    weighted = learn(frame(), score=score, sample_weight=weights)
    repeated = learn(frame().loc[lambda t: t.index.repeat(weights)], score=score)
    assert weighted.n == weights.sum()
    assert weighted.cpdag == repeated.cpdag
    assert weighted.score == pytest.approx(repeated.score, rel=1e-12)
    assert weighted.strengths()[0].loss == pytest.approx(repeated.strengths()[0].loss, rel=1e-9)
    table = MixedTable.from_data(frame(), weights=weights)
    assert table.rows == np.count_nonzero(weights)
    assert learn(table, score=score).score == weighted.score
    parts = learn(frame(), score=score, sample_weight=np.full(400, 0.3))
    assert parts.n == pytest.approx(120.0)


@pytest.mark.parametrize("score", SCORES)
def test_rows_with_missing_values_are_dropped(score: str) -> None:
    table = frame().astype({"a": object, "b": object})
    table.loc[3, "a"] = table.loc[5, "b"] = None
    table.loc[9, "size"] = np.nan
    whole = frame().drop(index=[3, 5, 9])
    result = learn(table, score=score, missing="drop")
    assert (result.cpdag, result.n) == (learn(whole, score=score).cpdag, 397)
    dropped = MixedTable.from_data(table, missing="drop")
    assert learn(dropped, score=score).score == learn(whole, score=score).score
    with pytest.raises(OptionError, match="missing must be 'error' or 'drop'"):
        MixedTable.from_data(table, missing="em")


@pytest.mark.parametrize("score", SCORES)
def test_parts_add_up_to_the_whole(score: str) -> None:
    whole, parts = frame(), (frame()[:50], frame()[50:51], frame()[51:])
    first, second, third = map(MixedTable.from_data, parts)
    assert second.sizes[0] == 1
    together = first + second + third
    assert (together.n, together.labels) == (400, MixedTable.from_data(whole).labels)
    assert learn(together, score=score).score == learn(whole, score=score).score
    model = XGES(scoring_method=score).partial_fit(parts[0])
    model.partial_fit(parts[2], sample_weight=np.full(349, 2.0))
    assert model.result_.n == 50 + 2 * 349
    rows = pd.concat([parts[0], parts[2], parts[2]])
    assert model.score_ == pytest.approx(score_graph(rows, model.cpdag_, score=score), rel=1e-12)


def test_parts_that_do_not_fit_are_refused() -> None:
    one = MixedTable.from_data(frame())
    other = MixedTable.from_data(frame(), kinds={"b": "continuous"})
    with pytest.raises(
        DataError, match="discrete in one table and continuous in the other: column 'b'"
    ):
        one + other
    with pytest.raises(DataError, match="column 0 is 'a' in one and 'size' in the other"):
        one + MixedTable.from_data(frame()[["size", "a", "b", "weight"]])
    with pytest.raises(TypeError):
        one + 3


def test_collinear_levels_are_told_by_the_columns_of_the_table() -> None:
    rng = np.random.default_rng(0)
    word = rng.choice(["x", "y", "z"], 200)
    frame = pd.DataFrame({"k": word, "m": np.char.upper(word), "a": rng.standard_normal(200)})
    with pytest.raises(CollinearError, match=r"'k = y' and 'm = Y' are .*'k' and 'm'") as caught:
        learn(frame)
    assert caught.value.columns == ("k", "m")


def test_names_of_the_caller_are_those_that_kinds_are_given_by() -> None:
    rows = np.array([[0.0, 0.5], [1.0, 1.5], [0.0, 2.5]])
    for data in (rows, pd.DataFrame(rows, columns=["u", "v"])):
        table = MixedTable.from_data(data, names=["a", "b"], kinds={"a": "discrete"})
        assert (table.names, table.kinds) == (("a", "b"), ("discrete", "continuous"))
    with pytest.raises(DataError, match="no column 'x0'"):
        MixedTable.from_data(rows, names=["a", "b"], kinds={"x0": "discrete"})
