"""Kinds of columns: by type, by word of the caller, and asked about where they could be either."""

from __future__ import annotations

import warnings
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from greedag.data import kinds as module
from greedag.data.kinds import Kind, Kinds
from greedag.data.source import open_table
from greedag.errors import DataError, GreedagWarning, OptionError

N = 40
COLUMNS: dict[str, Any] = {
    "size": np.linspace(0.0, 1.0, N).tolist(),
    "count": list(range(N)),
    "word": ["red", "green"] * (N // 2),
    "flag": [True, False] * (N // 2),
}
EXPECTED = ("continuous", "continuous", "discrete", "discrete")


def kinds_of(table: object, kinds: Kinds | None = None) -> tuple[Kind, ...]:
    """Judge the columns of a table."""
    return module.kinds_of(open_table(table), kinds)


@pytest.mark.parametrize(
    "container",
    [pd.DataFrame, pl.DataFrame, pa.table, lambda columns: pl.DataFrame(columns).lazy()],
    ids=["pandas", "polars", "arrow", "lazy"],
)
def test_types_of_columns_decide_in_every_container(container: Any) -> None:
    assert kinds_of(container(COLUMNS)) == EXPECTED


def test_categories_and_enums_are_discrete() -> None:
    frame = pd.DataFrame({"a": pd.Categorical([1, 2, 1]), "b": pd.Categorical(["x", "y", None])})
    assert kinds_of(frame) == ("discrete", "discrete")
    enum = pl.Series("c", ["u", "v", "u"], dtype=pl.Enum(["u", "v"]))
    assert kinds_of(enum.to_frame()) == ("discrete",)


def test_arrays_are_judged_by_their_type() -> None:
    assert kinds_of(np.zeros((3, 2))) == ("continuous", "continuous")
    assert kinds_of(np.zeros((3, 1), dtype=bool)) == ("discrete",)
    assert kinds_of(np.array([["a"], ["b"]])) == ("discrete",)
    assert kinds_of([[0.5, "a"], [1.5, "b"]]) == ("continuous", "discrete")


def test_objects_are_judged_by_their_values() -> None:
    frame = pd.DataFrame(
        {
            "word": pd.Series(["a", None, "b"], dtype=object),
            "amount": pd.Series([Decimal(1), Decimal(2), None], dtype=object),
        }
    )
    assert kinds_of(frame) == ("discrete", "continuous")


@pytest.mark.parametrize(
    "nothing", [None, pd.NA, pd.NaT, np.nan, np.float32("nan"), Decimal("nan")]
)
def test_missing_values_say_nothing_about_the_kind(nothing: Any) -> None:
    columns = {"word": ["a", nothing, "b"], "amount": [1.5, nothing, 2.5]}
    assert kinds_of(pd.DataFrame(columns, dtype=object)) == ("discrete", "continuous")


@pytest.mark.parametrize("container", [pd.DataFrame, pl.DataFrame, pa.table])
def test_whole_numbers_with_few_values_are_asked_about_once_by_name(container: Any) -> None:
    few = {"grade": [1, 2, 3, None] * 10, "other": [0, 1] * 20, "wide": list(range(40))}
    frame = container(few if container is not pd.DataFrame else _nullable(few))
    with pytest.warns(GreedagWarning) as caught:
        assert kinds_of(frame) == ("continuous",) * 3
    assert len(caught) == 1
    message = str(caught[0].message)
    assert "'grade' and 'other'" in message
    assert "kinds={'grade': 'discrete'}" in message


def _nullable(columns: dict[str, Any]) -> dict[str, Any]:
    return {name: pd.array(values, dtype="Int64") for name, values in columns.items()}


def test_values_that_come_late_are_counted_too() -> None:
    late = np.zeros((10_000, 1), dtype=np.int64)
    late[5_000:, 0] = np.arange(5_000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kinds_of(late) == ("continuous",)
        assert kinds_of(pd.DataFrame(late, columns=["a"])) == ("continuous",)


def test_a_word_of_the_caller_ends_the_question() -> None:
    table = np.tile([[0, 1], [1, 0]], (20, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kinds_of(table, "discrete") == ("discrete", "discrete")
        told = kinds_of(table, {"x0": "continuous", "x1": "discrete"})
    assert told == ("continuous", "discrete")


def test_columns_left_out_are_judged_by_type() -> None:
    frame = pd.DataFrame(COLUMNS)
    assert kinds_of(frame, {"count": "discrete"}) == (
        "continuous",
        "discrete",
        "discrete",
        "discrete",
    )


@pytest.mark.parametrize("kinds", ["nominal", ["discrete"], 3, {"size": "level"}, {"size": None}])
def test_kinds_that_mean_nothing_are_refused(kinds: Any) -> None:
    with pytest.raises(OptionError, match="kinds must be"):
        kinds_of(pd.DataFrame(COLUMNS), kinds)


def test_an_unknown_column_is_named_with_the_nearest() -> None:
    with pytest.raises(DataError, match=r"no column 'sise' \(did you mean 'size'\?\)"):
        kinds_of(pd.DataFrame(COLUMNS), {"sise": "discrete"})
