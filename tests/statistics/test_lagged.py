"""Tables of time series: the past beside the present, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greedag import DataError, Knowledge, Lagged, OptionError, lagged, learn
from oracle.lagged import lagged as slowly_lagged

Columns = dict[str, list[Any]]
CONTAINERS: dict[str, Callable[[Columns], Any]] = {
    "pandas": pd.DataFrame,
    "pandas with an index": lambda columns: pd.DataFrame(columns).sample(frac=1, random_state=3),
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "arrow": pa.table,
    "dict": dict,
}


def columns(n: int, units: int, seed: int) -> Columns:
    rng = np.random.default_rng(seed)
    return {
        "ward": rng.integers(0, units, n).tolist(),
        "x": rng.normal(size=n).tolist(),
        "day": rng.permutation(n).tolist(),
        "level": rng.choice(["low", "high"], n).tolist(),
        "bed": rng.choice(["a", "b"], n).tolist(),
    }


def rows_of(table: Any) -> list[dict[str, Any]]:
    """Return the rows of a table of any kind, its values as those of Python."""
    if isinstance(table, pl.LazyFrame):
        table = table.collect()
    if isinstance(table, pd.DataFrame):
        return table.to_dict("records")
    if isinstance(table, dict):
        table = {name: np.asarray(values).tolist() for name, values in table.items()}
        return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return table.to_dicts() if isinstance(table, pl.DataFrame) else table.to_pylist()


@pytest.mark.parametrize("container", CONTAINERS)
@given(
    n=st.integers(8, 40),
    units=st.integers(1, 4),
    lags=st.integers(1, 3),
    by=st.sampled_from([[], ["ward"], ["bed", "ward"]]),
    time=st.sampled_from([None, "day"]),
    seed=st.integers(0, 10**6),
)
@settings(deadline=None, max_examples=15)
def test_every_row_gets_its_own_past(
    container: str, n: int, units: int, lags: int, by: list[str], time: str | None, seed: int
) -> None:
    table = CONTAINERS[container](columns(n, units, seed))
    expected, dropped = slowly_lagged(rows_of(table), lags, by, time)
    if not expected:
        with pytest.raises(DataError, match="more than"):
            lagged(table, lags, by=by, time=time)
        return
    found = lagged(table, lags, by=by or None, time=time)
    assert rows_of(found.data) == expected and found.rows_dropped == dropped
    assert list(rows_of(found.data)[0]) == list(expected[0])


@pytest.mark.parametrize("container", ["pandas", "polars", "arrow", "dict"])
def test_a_table_stays_of_its_kind_and_its_columns_of_their_type(container: str) -> None:
    table = CONTAINERS[container]({"n": [1, 2, 3, 4], "word": ["a", "b", "a", "b"]})
    found = lagged(table, lags=1).data
    assert type(found) is type(table)
    assert [row["n_lag1"] for row in rows_of(found)] == [1, 2, 3]
    assert all(isinstance(row["n_lag1"], int) for row in rows_of(found))
    kinds = pd.DataFrame({"level": pd.Categorical(["a", "b", "a"], ordered=True)})
    assert str(lagged(kinds, lags=1).data.dtypes["level_lag1"]) == "category"


def test_arrays_become_columns_of_their_default_names() -> None:
    array = np.arange(12.0).reshape(6, 2)
    found = lagged(array, lags=2)
    assert list(found.data) == ["x0", "x1", "x0_lag1", "x1_lag1", "x0_lag2", "x1_lag2"]
    np.testing.assert_array_equal(found.data["x1_lag2"], [1.0, 3.0, 5.0, 7.0])


def test_numbers_may_name_columns() -> None:
    frame = pd.DataFrame({0: [1, 1, 1, 2, 2], 1: [1.0, 2.0, 4.0, 8.0, 16.0]})
    found = lagged(frame, lags=1, by=0)  # type: ignore[arg-type]
    assert found.data.to_dict("list") == {"1": [2.0, 4.0, 16.0], "1_lag1": [1.0, 2.0, 8.0]}


def test_knowledge_says_what_comes_first_and_that_the_past_is_not_modelled() -> None:
    found = lagged({"x": range(9), "y": range(9)}, lags=2)
    assert found.knowledge == Knowledge(
        tiers="x_lag2, y_lag2 < x_lag1, y_lag1 < x, y",
        forbidden_within=[["x_lag1", "y_lag1", "x_lag2", "y_lag2"]],
    )
    assert repr(found) == "<Lagged: 2 columns at lags 0 to 2, 2 rows dropped>"
    bound = found.knowledge.bind(list(found.data))
    names = bound.names
    for i, tail in enumerate(names):
        for j, head in enumerate(names):
            assert i == j or bound.forbids(i, j) == ("_lag" in head), (tail, head)


def test_knowledge_of_a_single_column_in_the_past_can_be_bound() -> None:
    found = lagged({"x": range(9)}, lags=1)
    assert found.knowledge == Knowledge(tiers="x_lag1 < x")
    assert found.knowledge.bind(list(found.data)).forbids(0, 1)


def test_missing_values_are_those_of_the_table() -> None:
    table = pd.DataFrame({"x": [1.0, np.nan, 3.0, 4.0], "y": [1.0, 2.0, 3.0, 4.0]})
    data = lagged(table, lags=1).data
    assert data.isna().sum().to_dict() == {"x": 1, "y": 0, "x_lag1": 1, "y_lag1": 0}


def test_a_lagged_table_can_be_learned_from() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=400)
    y = np.concatenate([[0.0], x[:-1]]) + 0.5 * rng.normal(size=400)
    found = lagged(pl.DataFrame({"x": x, "y": y}), lags=1)
    assert isinstance(found, Lagged)
    assert learn(found.data).cpdag.adjacent("y") == ("x_lag1",)


WRONG: dict[str, tuple[dict[str, Any], dict[str, Any], type[Exception], str]] = {
    "no lags": ({"x": [1, 2]}, {"lags": 0}, OptionError, "lags must be a whole number, 1 or more"),
    "a truth value": ({"x": [1, 2]}, {"lags": True}, OptionError, "lags must be a whole number"),
    "no such unit": ({"ward": [1, 1]}, {"by": "wards"}, DataError, "did you mean 'ward'"),
    "no such time": ({"x": [1, 2]}, {"time": "day"}, DataError, "there is no column 'day'"),
    "too few rows": ({"x": [1, 2]}, {}, DataError, "the table has not more than 2 rows"),
    "too few of each": (
        {"x": [1, 2, 3, 4], "u": list("abab")},
        {"by": "u"},
        DataError,
        "no unit has more than 2 rows, .*the most are 2; look back fewer rows",
    ),
    "a unit missing": (
        {"x": [1, 2, 3], "u": [1.0, float("nan"), 1.0]},
        {"by": "u"},
        DataError,
        r"column 'u', row 1 \(counting from 0\) is missing",
    ),
    "equal times": (
        {"x": [1, 2, 3], "t": [4, 7, 4]},
        {"time": "t"},
        DataError,
        r"row 0 .* and row 2 .* have the same time and unit",
    ),
    "numbers as text": (
        {"x": [1, 2, 3], "t": ["1", "10", "2"]},
        {"time": "t"},
        DataError,
        "are numbers written as text",
    ),
    "nothing to learn from": ({"t": [1, 2, 3]}, {"time": "t"}, DataError, "no column is left"),
    "a name that is taken": (
        {"x": [1, 2, 3], "x_lag1": [1, 2, 3]},
        {"lags": 1},
        DataError,
        "already has column 'x_lag1'; rename or drop",
    ),
}


@pytest.mark.parametrize(("table", "options", "kind", "message"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_lagged_is_refused(
    table: Columns, options: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        lagged(pd.DataFrame(table), **options)
    with pytest.raises(kind, match=message):
        lagged(table, **options)


def test_times_that_cannot_be_sorted_are_refused() -> None:
    with pytest.raises(DataError, match="cannot be sorted"):
        lagged({"x": [1.0, 2.0, 3.0], "t": [1, "b", 2.5]}, lags=1, time="t")


def test_dates_sort_rows() -> None:
    days = ["2020-03-01", "2020-01-01", "2020-02-01"]
    for times in (days, pd.to_datetime(days), pd.to_datetime(days, utc=True)):
        frame = pd.DataFrame({"x": [3.0, 1.0, 2.0], "day": times})
        assert lagged(frame, lags=1, time="day").data["x"].tolist() == [2.0, 3.0]
