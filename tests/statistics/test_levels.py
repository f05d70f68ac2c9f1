"""Discrete tables: reading, merging, what is refused, and the road from a table to a result."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from greedag import (
    GES,
    XGES,
    DataError,
    DataTypeError,
    GreedagWarning,
    Levels,
    Moments,
    OptionError,
    Result,
    learn,
    score_graph,
    scores,
    simulate,
)
from oracle import discrete

ROWS = discrete.random_rows(3, 5, 300)
WORDS = [[f"level {value}" for value in row] for row in ROWS]
NAMES = ["rain", "mud", "boots", "wind", "kites"]
FRAME = pd.DataFrame(WORDS, columns=NAMES)


def containers() -> dict[str, Any]:
    arrow = pa.Table.from_pandas(FRAME, preserve_index=False)
    return {
        "text": FRAME,
        "categories": FRAME.astype("category"),
        "polars": pl.DataFrame(FRAME.to_dict("list")),
        "enum": pl.DataFrame(FRAME.to_dict("list")).with_columns(pl.all().cast(pl.Categorical)),
        "lazy": pl.LazyFrame(FRAME.to_dict("list")),
        "arrow": arrow,
        "unused categories": FRAME.apply(
            lambda column: pd.Categorical(column, categories=[*sorted(set(column)), "never"])
        ),
    }


@pytest.mark.parametrize("container", containers())
def test_every_container_gives_the_same_result(container: str) -> None:
    table = containers()[container]
    assert Levels.from_data(table) == Levels.from_data(FRAME)
    result = learn(table)
    assert result == learn(FRAME)
    assert result.settings["score"] == "bdeu"
    assert result.notes[0] == "scored by BDeu, because all columns are discrete"


@pytest.mark.parametrize(
    "table",
    [np.array(WORDS), np.array(WORDS, dtype=object), WORDS, np.array(ROWS) % 2 == 0],
    ids=["text", "objects", "lists", "truth values"],
)
def test_arrays_of_text_or_truth_values_are_discrete(table: Any) -> None:
    assert learn(table).settings["score"] == "bdeu"


def test_numbers_are_discrete_only_if_the_caller_says_so() -> None:
    with pytest.warns(GreedagWarning, match="at most 10 distinct values, taken as continuous"):
        assert learn(np.array(ROWS, dtype=float)).settings["score"] == "gaussian-bic"
    base = learn(FRAME)
    for kind in (int, float, np.int8):
        numbers = pd.DataFrame(np.array(ROWS, dtype=kind), columns=NAMES)
        result = learn(numbers, score="bdeu")
        assert (result.cpdag, result.score) == (base.cpdag, base.score)


def test_pandas_columns_have_the_levels_of_their_objects() -> None:
    words = ["low", "high", "low", "mid", "high", "mid"] * 50
    frame = pd.DataFrame(
        {
            "text": words,
            "category": pd.Categorical(words, categories=["unused", "mid", "low", "high"]),
            "ordered": pd.Categorical(words, categories=["low", "mid", "high"], ordered=True),
            "numbers": pd.Categorical([30, 7, 30, 7, 7, -1] * 50),
            "whole": [3, 1, 2, 2, 1, 3] * 50,
            "nullable": pd.array([3, 1, 2, 2, 1, 3] * 50, dtype="Int64"),
            "truth": [True, False, False, True, True, False] * 50,
        }
    )
    levels, twin = Levels.from_data(frame), Levels.from_data(frame.astype(object))
    assert levels == twin
    for one, other in zip(levels.labels, twin.labels, strict=True):
        assert [*map(type, one)] == [*map(type, other)]


def test_rows_are_merged_with_their_counts() -> None:
    levels = Levels.from_data([["b", 1], ["a", 2], ["b", 1]], names=["x", "y"])
    assert levels.labels == (("a", "b"), (1, 2))
    assert levels.codes.tolist() == [[0, 1], [1, 0]]
    assert levels.counts.tolist() == [1.0, 2.0]
    assert (levels.n, levels.d, levels.sizes) == (3, 2, [2, 2])


def test_tables_of_many_columns_are_merged_exactly() -> None:
    # More cells than any key of 64 bits holds.
    rows = np.random.default_rng(0).integers(0, 9, (200, 60))
    doubled = Levels.from_data(np.concatenate([rows, rows[::-1]]))
    assert doubled.codes.shape == (60, 200)
    assert (doubled.counts == 2.0).all()
    distinct = {tuple(row) for row in rows.tolist()}
    assert {tuple(row) for row in doubled.codes.T.tolist()} == distinct


def test_parts_of_a_table_add_up_to_the_whole() -> None:
    whole = Levels.from_data(FRAME)
    rest = FRAME.iloc[100:]
    assert Levels.from_data(FRAME.iloc[:100]) + Levels.from_data(rest) == whole
    # Levels that only one part has.
    one, other = FRAME[FRAME["mud"] == "level 0"], FRAME[FRAME["mud"] != "level 0"]
    assert Levels.from_data(other) + Levels.from_data(one) == whole
    with pytest.raises(DataError, match="different columns"):
        whole + Levels.from_data(FRAME[NAMES[::-1]])


def test_weights_count_rows_and_zero_leaves_one_out() -> None:
    weights = np.arange(300) % 3
    repeated = FRAME.loc[FRAME.index.repeat(weights)]
    assert Levels.from_data(FRAME, weights=weights) == Levels.from_data(repeated)
    assert isinstance(Levels.from_data(FRAME, weights=np.full(300, 0.3)).n, float)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0] * 299, r"each of the 300 rows.*\(299,\)"),
        ([-1.0] + [1.0] * 299, "row 0 .*-1.0.*1 weight"),
        ([1.0] * 299 + [float("nan")], "row 299 .*nan.*1 weight"),
        ([0.0] * 300, "all 300 weights are zero"),
        (["heavy"] * 300, "weights must be real numbers"),
    ],
)
def test_what_is_no_weight_is_refused(weights: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Levels.from_data(FRAME, weights=weights)


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA])
def test_missing_values_are_refused_by_column_and_count(nothing: object) -> None:
    broken = FRAME.astype(object)
    broken.loc[[7, 9], "boots"] = nothing
    with pytest.raises(DataError, match=r"'boots' holds 2 missing.*row 7"):
        learn(broken, score="bdeu")
    with pytest.raises(DataError, match=r"'boots' holds 2 missing.*row 7"):
        learn(broken.astype("category"))
    numbers = np.array(ROWS, dtype=float)
    numbers[4, 1] = np.nan
    with pytest.raises(DataError, match=r"'x1' holds 1 missing.*row 4"):
        learn(numbers, score="bdeu")
    masked = np.ma.array(ROWS, mask=np.array(ROWS) < 0)
    masked[5, 2] = np.ma.masked
    with pytest.raises(DataError, match=r"'x2' holds 1 missing.*row 5"):
        learn(masked, score="discrete-bic")


def test_polars_nulls_are_missing() -> None:
    whole = pl.DataFrame({"a": [1, None, 2, 1], "b": [True, False, None, True]})
    with pytest.raises(DataError, match=r"'a' holds 1 missing.*row 1"):
        learn(whole, score="bdeu")


def test_large_integers_beside_missing_ones_keep_every_digit() -> None:
    levels: list[int | None] = [2**60 + i % 3 for i in range(30)]
    column = [None, *levels[1:]]
    other = ["a", "b"] * 15
    for table in (
        pl.DataFrame({"k": column, "b": other}),
        pd.DataFrame({"k": pd.array(column, dtype="Int64"), "b": other}),
        pa.table({"k": column, "b": other}),
    ):
        for missing in ("drop", "test-wise"):
            counted = Levels.from_data(table, missing=missing)
            assert counted.labels[0] == (2**60, 2**60 + 1, 2**60 + 2)


@pytest.mark.parametrize("unit", ["M8[D]", "m8[D]"])
def test_a_time_that_is_none_is_missing(unit: str) -> None:
    days = np.array([[1, 2], [0, 1], [1, 1], [2, 1]]).astype(unit)
    days[1, 0] = "NaT"
    for table in (days, days.astype(object)):
        if table.dtype == object:
            table[1, 0] = days[1, 0]
        with pytest.raises(DataError, match=r"'x0' holds 1 missing.*row 1 "):
            learn(table, score="bdeu")
        assert learn(table, score="bdeu", missing="drop").n == 3
        assert Levels.from_data(table, missing="test-wise").sizes == [2, 2]


@pytest.mark.parametrize("score", ["bdeu", "discrete-bic"])
def test_a_column_of_one_level_is_named(score: str) -> None:
    with pytest.raises(DataError, match=r"constant column.*'mud'.*same level"):
        learn(FRAME.assign(mud="wet"), score=score)
    with pytest.raises(DataError, match="1 sample"):
        learn(FRAME.iloc[:1], score=score)


def test_a_level_for_every_second_row_is_noted() -> None:
    result = learn(FRAME.assign(id=[f"row {i // 1.5:.0f}" for i in range(300)]))
    assert any("'id'" in note and "too many" in note for note in result.notes)


def test_values_that_are_no_levels_are_refused() -> None:
    with pytest.raises(DataTypeError, match=r"column 'a'.*cannot be levels"):
        Levels.from_data(pd.DataFrame({"a": [[1], [2]], "b": ["x", "y"]}))
    with pytest.raises(DataError, match="2-D"):
        Levels.from_data(np.array(["a", "b"]))
    with pytest.raises(DataError, match="minimum of 1"):
        Levels.from_data(FRAME.iloc[:0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": "bdue"}, "unknown score 'bdue'.*did you mean 'bdeu'"),
        ({"score": 3}, "score must be 'auto', one of gaussian-bic"),
        ({"score": scores.BDeu}, "score must be an object, such as BDeu()"),
        ({"score": scores.DiscreteBIC(), "alpha": 2.0}, r"DiscreteBIC\(alpha=2.0\)"),
        ({"score": "bdeu", "alpha": 2.0}, "bdeu has none"),
        ({"alpha": 2.0}, "columns are discrete, and BDeu has no alpha"),
        ({"score": "discrete-bic", "alpha": -1}, "alpha must be a number above 0"),
    ],
)
def test_scores_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        learn(FRAME, **options)
    options["scoring_method"] = options.pop("score", "auto")
    with pytest.raises(OptionError, match=message):
        XGES(**options).fit(FRAME)


@pytest.mark.parametrize("size", [0, -1, float("nan"), float("inf"), "10", None, True])
def test_a_prior_must_be_worth_some_rows(size: Any) -> None:
    with pytest.raises(OptionError, match="equivalent_sample_size must be a number above 0"):
        scores.BDeu(equivalent_sample_size=size)


def test_moments_have_no_levels_and_levels_no_moments() -> None:
    with pytest.raises(DataTypeError, match="Moments"):
        learn(Moments.from_data(np.array(ROWS)), score="bdeu")
    with pytest.raises(DataTypeError, match="Levels"):
        learn(Levels.from_data(FRAME), score="gaussian-bic")


def test_options_of_a_score_reach_it_and_the_result() -> None:
    few = learn(FRAME, score="discrete-bic", alpha=20.0)
    assert (few.settings["score"], few.settings["alpha"]) == ("discrete-bic", 20.0)
    assert few == learn(FRAME, score=scores.DiscreteBIC(alpha=20.0))
    assert len(few.trace) < len(learn(FRAME, score="discrete-bic", alpha=0.5).trace)
    heading = str(learn(FRAME, score=scores.BDeu(equivalent_sample_size=3))).splitlines()[0]
    assert heading.startswith("xges, bdeu, equivalent sample size 3: 5 columns, 300 rows")


def test_estimators_take_scores() -> None:
    model = GES(scoring_method=scores.BDeu(equivalent_sample_size=2)).fit(FRAME)
    assert model.result_.settings["equivalent_sample_size"] == 2.0
    assert model.feature_names_in_.tolist() == NAMES
    assert model.score_ == score_graph(FRAME, model.cpdag_, score=model.scoring_method)


def test_a_discrete_result_explains_compares_and_pickles() -> None:
    result = learn(FRAME)
    assert len(result.strengths()) == len(result.cpdag.directed) + len(result.cpdag.undirected) > 0
    strongest = result.strengths()[0]
    assert "would cost" in str(result.explain(strongest.a, strongest.b))
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert again.strengths() == result.strengths()
    other = learn(FRAME, score="discrete-bic")
    assert result.compare(other).score_difference is None
    assert result.compare(learn(FRAME, search="ges")).score_difference is not None
    assert result.moments is None
    with pytest.raises(DataError, match=r"continuous columns.*bdeu"):
        result.coefficients()


def test_a_saved_discrete_result_knows_its_data_again(tmp_path: Path) -> None:
    result = learn(FRAME, score=scores.BDeu(equivalent_sample_size=4))
    result.save(tmp_path / "r.json")
    bare = Result.load(tmp_path / "r.json")
    assert bare == result
    with pytest.raises(DataError, match="loaded without"):
        bare.strengths()
    shuffled = FRAME.sample(frac=1.0, random_state=0).astype("category")
    again = Result.load(tmp_path / "r.json", data=shuffled)
    assert again.strengths() == result.strengths()
    changed = FRAME.copy()
    changed["mud"] = changed["mud"].to_numpy()[::-1]
    with pytest.raises(DataError, match="other data"):
        Result.load(tmp_path / "r.json", data=changed)


def test_a_discrete_result_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    learn(FRAME).report(path)
    text = path.read_text(encoding="utf-8")
    assert "BDeu" in text
    assert "score=&#39;bdeu&#39;" in text
    assert "Non-linearity" not in text


def test_a_table_of_both_kinds_is_refused_by_the_gaussian_bic_with_the_column() -> None:
    mixed = pd.DataFrame(simulate.linear_gaussian(3, 1.0, 300, seed=0).data, columns=[*"abc"])
    with pytest.raises(DataTypeError, match="'rain'"):
        learn(mixed.assign(rain=FRAME["rain"]), score="gaussian-bic")


@pytest.mark.parametrize(("one", "other"), [("1", 1.0), ("1", 1), ("true", True), ("2.50", 2.5)])
def test_text_and_numbers_that_mean_the_same_are_not_merged(one: str, other: object) -> None:
    text = Levels.from_data(pd.DataFrame({"a": [one, "x"] * 3, "b": list("uv") * 3}))
    number = Levels.from_data(
        pd.DataFrame({"a": pd.Series([other, 7] * 3, dtype=object), "b": list("uv") * 3})
    )
    with pytest.raises(DataError, match="column 'a' has the level"):
        text + number
