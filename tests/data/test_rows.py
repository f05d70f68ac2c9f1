"""Weights and missing values: what they mean, and what is refused."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from greedag import GES, Levels, MixedTable, Moments, learn, score_graph
from greedag._options import DataOptions
from greedag.data.rows import select_rows
from greedag.data.source import open_table
from greedag.errors import DataError, DataTypeError, OptionError
from greedag.scores import GaussianBIC
from greedag.scores.select import prepare


def table(n: int = 200, d: int = 4, seed: int = 0) -> np.ndarray[Any, np.dtype[np.float64]]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 1e6


def assert_close(one: Moments, other: Moments) -> None:
    assert (one.n, type(one.n), one.names) == (other.n, type(other.n), other.names)
    np.testing.assert_allclose(one.covariance, other.covariance, rtol=1e-10)
    np.testing.assert_allclose(one.mean, other.mean, rtol=1e-14)


# ---- weights


@pytest.mark.parametrize("seed", range(3))
def test_a_weight_of_k_is_the_row_k_times(seed: int) -> None:
    rows = table(seed=seed)
    weights = np.random.default_rng(seed).integers(0, 4, len(rows))
    repeated = Moments.from_data(np.repeat(rows, weights, axis=0))
    assert_close(Moments.from_data(rows, weights=weights), repeated)


def test_weights_of_one_change_nothing() -> None:
    rows = table()
    assert_close(Moments.from_data(rows, weights=np.ones(200)), Moments.from_data(rows))


def test_a_row_of_weight_zero_is_absent_whatever_it_holds() -> None:
    rows, weights = table(), np.ones(200)
    rows[5], rows[9, 1], weights[[5, 9]] = np.nan, np.inf, 0.0
    found = Moments.from_data(rows, weights=weights)
    assert_close(found, Moments.from_data(np.delete(rows, [5, 9], axis=0)))


@pytest.mark.parametrize("container", [pd.DataFrame, pl.DataFrame, pa.table])
def test_weights_fit_every_container(container: Any) -> None:
    columns = {name: column for name, column in zip("abcd", table().T, strict=True)}
    weights = np.arange(200) % 3
    found = Moments.from_data(container(columns), weights=pd.Series(weights))
    rows = np.repeat(table(), weights, axis=0)
    assert_close(found, Moments.from_data(rows, names=["a", "b", "c", "d"]))


def test_weighted_blocks_merge_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, weights = table(), np.random.default_rng(0).uniform(0.1, 3.0, 200)
    whole = Moments.from_data(rows, weights=weights)
    monkeypatch.setattr("greedag.statistics.scatter._LEAST_BLOCK_ROWS", 7)
    monkeypatch.setattr("greedag.statistics.scatter._BLOCK_VALUES", 1)
    assert_close(Moments.from_data(rows, weights=weights), whole)
    parts = [Moments.from_data(rows[i::3], weights=weights[i::3]) for i in range(3)]
    merged = parts[0] + parts[1] + parts[2]
    assert merged.n == pytest.approx(weights.sum())
    np.testing.assert_allclose(merged.covariance, whole.covariance, rtol=1e-10)


@pytest.mark.parametrize("name", ["m.moments", "m.npz"])
def test_a_fraction_of_rows_survives_a_file(tmp_path: Path, name: str) -> None:
    moments = Moments.from_data(table(), weights=[*[0.25] * 199, 0.5])
    assert isinstance(moments.n, float)
    moments.save(tmp_path / name)
    assert Moments.load(tmp_path / name) == moments
    assert repr(moments).startswith("Moments(n=50.25, ")


def test_whole_sums_of_weights_are_whole_numbers() -> None:
    assert isinstance(Moments.from_data(table(), weights=np.full(200, 0.5)).n, int)
    part = Moments.from_data(table(), weights=[*[0.25] * 198, 0.5, 0.5])
    assert (part.n, (part + part).n) == (50.5, 101)
    assert isinstance((part + part).n, int)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0] * 199, r"one number for each of the 200 rows.*\(199,\)"),
        (np.ones((200, 1)), r"\(200, 1\)"),
        (1.0, r"got the shape \(\)"),
        ([1.0] * 7 + [-0.5] + [1.0] * 192, r"weight of row 7 \(counting from 0\) is '-0\.5'"),
        ([1.0] * 3 + [np.nan] * 2 + [1.0] * 195, r"row 3 .* is 'nan', and 2 weight\(s\)"),
        ([np.inf] + [1.0] * 199, r"row 0 .* is 'inf'"),
        ([0.0] * 200, "all 200 weights are zero"),
        ([1e300] * 200, r"add up to 2e\+302 rows, above the limit of 2\*\*53"),
    ],
)
def test_weights_that_are_none_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Moments.from_data(table(), weights=weights)


@pytest.mark.parametrize("weights", [["a"] * 200, [None] * 199 + ["x"], [1j] * 200])
def test_weights_of_no_numbers_are_refused(weights: Any) -> None:
    with pytest.raises(DataTypeError, match="weights must be real numbers"):
        Moments.from_data(table(), weights=weights)


def test_moments_have_no_rows_to_weigh() -> None:
    with pytest.raises(DataError, match="no rows to weigh"):
        learn(Moments.from_data(table()), sample_weight=[1.0])


@pytest.mark.parametrize("score", ["gaussian-bic", "bdeu", "degenerate-gaussian"])
def test_weights_that_add_up_to_one_are_to_be_scaled(score: str) -> None:
    rows = np.round(table(), 1)
    message = "weights of 200 rows add up to 1, .*minimum of [23] .*scale the weights"
    with pytest.raises(DataError, match=message):
        learn(rows, sample_weight=np.full(200, 1 / 200), score=score)
    with pytest.raises(DataError, match=message):
        score_graph(rows, np.zeros((4, 4)), score=score, sample_weight=np.full(200, 1 / 200))
    model = GES(scoring_method=score).fit(rows)
    assert model.partial_fit(rows, sample_weight=np.full(200, 1 / 200)).result_.n == pytest.approx(
        201
    )


@pytest.mark.parametrize("container", [list, np.array, pd.Series, lambda w: np.array(w, object)])
def test_weights_that_are_text_or_beyond_doubles_are_refused(container: Any) -> None:
    for weights in (["2"] * 200, [10**400] * 200):
        with pytest.raises(DataTypeError, match="weights must be real numbers"):
            learn(table(), sample_weight=container(weights))


# ---- missing values


@pytest.mark.parametrize("container", [pd.DataFrame, pl.DataFrame, pa.table])
def test_rows_with_missing_values_are_dropped_and_counted(container: Any) -> None:
    rows = table()
    columns: dict[str, Any] = {name: rows[:, j].tolist() for j, name in enumerate("abcd")}
    columns["a"][3] = None
    columns["b"][5] = float("nan")
    columns["c"][3] = None
    _, counted = prepare(container(columns), GaussianBIC(), None, DataOptions(missing="drop"))
    whole = np.delete(rows, [3, 5], axis=0)
    assert_close(counted.statistics, Moments.from_data(whole, names=["a", "b", "c", "d"]))
    assert counted.notes == ("2 of 200 rows were dropped because they have missing values",)
    assert counted.has_own_names


def test_masked_and_object_values_are_dropped_too() -> None:
    rows = table()
    masked = np.ma.masked_array(rows, mask=np.zeros(rows.shape, dtype=bool))
    masked[4, 2] = np.ma.masked
    kept = Moments.from_data(np.delete(rows, 4, axis=0))
    assert_close(Moments.from_data(masked, missing="drop"), kept)
    objects = rows.astype(object)
    objects[4, 2] = None
    assert_close(Moments.from_data(objects, missing="drop"), kept)


def test_weights_go_with_their_rows() -> None:
    rows, weights = table(), np.arange(200.0) % 3
    rows[4, 1] = rows[6, 2] = np.nan
    found = Moments.from_data(rows, weights=weights, missing="drop")
    kept = np.delete(np.arange(200), [4, 6])
    assert_close(found, Moments.from_data(rows[kept], weights=weights[kept]))


def test_complete_tables_are_not_touched() -> None:
    rows = table()
    _, counted = prepare(rows, GaussianBIC(), None, DataOptions(missing="drop"))
    assert (counted.statistics, counted.notes) == (Moments.from_data(rows), ())
    source = open_table(rows)
    assert select_rows(source, missing="drop").source is source


def test_too_few_complete_rows_are_refused_with_the_emptiest_columns() -> None:
    rows = table()
    rows[:199, 2] = rows[100:, 0] = np.nan
    message = r"only 0 of 200 rows .* missing in 'x2' \(199\) and 'x0' \(100\); .*missing='em'"
    with pytest.raises(DataError, match=message):
        Moments.from_data(rows, missing="drop")


@pytest.mark.parametrize("missing", ["ignore", None, True, 3])
def test_other_ways_to_treat_missing_values_are_refused(missing: Any) -> None:
    with pytest.raises(OptionError, match="missing must be 'error', 'drop', 'em' or 'test-wise'"):
        Moments.from_data(table(), missing=missing)


@pytest.mark.parametrize("container", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_the_error_lists_every_column_with_missing_values(container: Any) -> None:
    rows = table(d=9)
    rows[[3, 8], 1] = rows[2, 4] = np.nan
    rows[5, 6] = np.inf
    with pytest.raises(DataError, match="3 columns hold such values: ") as caught:
        Moments.from_data(container(rows))
    for count in ("(2)", "(1)"):
        assert count in str(caught.value)
    rows[0, :8] = np.nan
    with pytest.raises(DataError, match=r"8 columns hold such values: .*\(3\).* and 2 more; drop"):
        Moments.from_data(container(rows))
    assert "row 3 (counting from 0)" in str(caught.value)


# ---- rows in errors are those of the table, whichever were left out before


def refused(rows: Any, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        learn(rows, **options)
    return str(caught.value)


@pytest.mark.parametrize("container", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_infinite_values_are_named_by_their_row_after_others_were_dropped(container: Any) -> None:
    rows = table()
    rows[:2, 0], rows[10, 1] = np.nan, np.inf
    weights = np.ones(200)
    weights[:5] = 0.0
    data = container(rows)
    for options in (
        {"missing": "drop"},
        {"missing": "em"},
        {"sample_weight": weights},
        {"sample_weight": weights, "missing": "drop"},
        {"sample_weight": weights, "missing": "em"},
    ):
        message = refused(data, **options)
        assert "the first in row 10 (counting from 0): 'inf'" in message
        assert "missing= does not help" in message and "missing='" not in message
    for count in (Moments.from_data, MixedTable.from_data):
        with pytest.raises(DataError, match="the first in row 10 "):
            count(data, weights=weights)
    both = refused(data)
    assert "missing='drop' leaves out" in both and "infinite, in" in both


def test_words_and_missing_levels_are_named_by_their_row_after_others_were_dropped() -> None:
    rows = table().astype(object)
    rows[:2, 0], rows[10, 1] = None, "tall"
    weights = np.ones(200)
    weights[:5] = 0.0
    assert "'x1', row 10 (counting from 0) holds 'tall'" in refused(rows, missing="drop")
    assert "'x1', row 10 (counting from 0) holds 'tall'" in refused(rows, sample_weight=weights)
    levels = np.array([["a", "b"], ["b", "a"]] * 20, dtype=object)
    levels[[1, 7], 1] = None
    few = np.ones(40)
    few[:5] = 0.0
    assert "'x1' holds 1 missing value, the first in row 7 " in refused(
        levels, sample_weight=few, score="bdeu"
    )
    with pytest.raises(DataError, match="the first in row 7 "):
        Levels.from_data(levels, weights=few)


def test_an_error_with_a_row_can_be_pickled() -> None:
    rows = table()
    rows[7, 1] = np.nan
    with pytest.raises(DataError) as caught:
        Moments.from_data(rows)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


# ---- missing levels


def test_missing_levels_are_counted_by_column_with_the_ways_that_there_are() -> None:
    frame = pd.DataFrame({"a": ["x", "y"] * 10, "b": ["u", "v"] * 10, "c": np.arange(20.0)})
    frame.loc[[3, 4], "a"] = None
    frame.loc[[2], "b"] = None
    discrete = refused(frame[["b", "a"]])
    assert "'b' holds 1 missing value, the first in row 2 " in discrete
    assert "2 columns hold such values: 'b' (1) and 'a' (2)" in discrete
    assert "missing='drop'" in discrete and "missing='test-wise'" in discrete
    frame.loc[[0, 1, 2], "c"] = np.nan
    mixed = refused(frame)
    assert "3 columns hold such values: 'a' (2), 'b' (1) and 'c' (3)" in mixed
    assert "missing='drop'" in mixed
    assert "test-wise" not in mixed and "missing='em'" not in mixed


def test_weights_of_dropped_rows_do_not_count() -> None:
    rows = np.random.default_rng(0).normal(size=(100, 3))
    rows[2:, 0] = np.nan
    with pytest.raises(DataError, match="found a table with 2 sample"):
        learn(rows, sample_weight=np.ones(100), missing="drop")
