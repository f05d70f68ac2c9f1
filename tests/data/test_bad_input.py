"""Bad tables, names and covariances end in our own exception, naming the place and the remedy."""

from __future__ import annotations

import datetime
import pickle
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from greedag.data.table import read_table
from greedag.errors import (
    CollinearError,
    DataError,
    DataTypeError,
    GreedagError,
    MissingExtraError,
    OptionError,
    SearchInterrupted,
    listed,
    quoted,
    require,
)
from greedag.search.learn import learn
from greedag.statistics.collinearity import check_collinear
from greedag.statistics.moments import Moments

GOOD = np.random.default_rng(0).normal(size=(30, 4))
NAMES = ["p", "q", "r", "s"]
DAY = datetime.datetime(2020, 1, 1)


def put(value: Any, row: int = 7, column: int = 2, kind: Any = np.float64) -> np.ndarray:
    data = GOOD.astype(kind)
    data[row, column] = value
    return data


def column(values: Any) -> np.ndarray:
    data = GOOD.copy()
    data[:, 2] = values
    return data


def frame(values: Any) -> pd.DataFrame:
    return pd.DataFrame(GOOD, columns=NAMES).assign(r=values)


def polars_frame(values: Any, kind: Any = None) -> pl.DataFrame:
    plain = pl.DataFrame(GOOD, schema=NAMES)
    return plain.with_columns(pl.Series("r", values, dtype=kind, strict=False))


def check(data: object) -> None:
    check_collinear(Moments.from_data(data))


class Sparse:
    """What scipy's and others' sparse arrays have in common."""

    nnz = 3

    def toarray(self) -> np.ndarray:
        return GOOD


class Unconvertible:
    def __array__(self, *_: object) -> np.ndarray:
        raise RuntimeError("needs a gradient")


UNREADABLE: dict[str, tuple[Callable[[], Any], str]] = {
    "no rows": (lambda: GOOD[:0], r"0 sample\(s\) .*minimum of [13] is required.*more rows"),
    "no columns": (lambda: GOOD[:, :0], r"0 feature\(s\) \(shape=\(30, 0\)\) while a minimum"),
    "no rows in a frame": (lambda: frame(0)[:0], r"0 sample\(s\)"),
    "no columns in a frame": (lambda: frame(0)[[]], r"0 feature\(s\)"),
    "empty list": (list, r"0 feature\(s\)"),
    "list of empty rows": (lambda: [[], []], r"0 feature\(s\)"),
    "1-D": (lambda: GOOD[0], r"got 1-D data.*Reshape your data"),
    "1-D list": (lambda: [1.0, 2.0], "got 1-D data.*Reshape your data"),
    "series": (lambda: pd.Series([1.0, 2.0]), "got 1-D data.*Reshape your data"),
    "polars series": (lambda: pl.Series([1.0, 2.0]), "got 1-D data.*Reshape your data"),
    "0-D": (lambda: np.array(1.0), "got 0-D data.*Reshape your data"),
    "3-D": (lambda: np.zeros((2, 3, 4)), r"got 3-D data \(shape=\(2, 3, 4\)\).*Reshape"),
    "ragged": (lambda: [[1, 2], [3, 4], [5]], "differ in length: row 2 .*1 values.*pad or drop"),
    "ragged deep": (lambda: [[1, [2]], [3, [4, 5]]], "'x1', row 0.*of type list.*encode"),
    "NaN": (lambda: put(np.nan), "'x2' holds 1 value.*NaN.*row 7 .*nan.*drop these rows or impute"),
    "inf": (lambda: put(np.inf), "'x2' holds 1 value.*inf.*row 7 .*inf.*drop these rows or impute"),
    "-inf": (lambda: put(-np.inf), "'x2' holds 1 value.*row 7 .*-inf.*drop these rows or impute"),
    "NaN in the first row": (lambda: put(np.nan, row=0), "'x2'.*row 0 "),
    "NaN in the last row": (lambda: put(np.nan, row=29), "'x2'.*row 29 "),
    "many NaN": (lambda: column([np.nan, 1, np.inf] * 10), "'x2' holds 20 value.*row 0 "),
    "NaN in single precision": (lambda: put(np.nan, kind=np.float32), "'x2'.*row 7.*impute"),
    "NaN in half precision": (lambda: put(np.nan, kind=np.float16), "'x2'.*row 7.*impute"),
    "NaN in long double": (lambda: put(np.nan, kind=np.longdouble), "'x2'.*row 7.*impute"),
    "NaN in big-endian": (lambda: put(np.nan, kind=">f8"), "'x2'.*row 7.*impute"),
    "NaN in columns": (lambda: np.asfortranarray(put(np.nan)), "'x2'.*row 7.*impute"),
    "None": (lambda: put(None, kind=object), "'x2' holds 1 value.*None.*row 7.*impute"),
    "NA": (lambda: put(pd.NA, kind=object), "'x2'.*row 7.*<NA>.*impute"),
    "NaT": (lambda: put(pd.NaT, kind=object), "'x2'.*row 7.*NaT.*impute"),
    "NaN object": (lambda: put(float("nan"), kind=object), "'x2'.*row 7.*impute"),
    "decimal NaN": (lambda: put(Decimal("nan"), kind=object), "'x2'.*row 7.*impute"),
    "None in a list": (lambda: [[1.0, 2.0], [3.0, None]], "'x1'.*row 1.*None.*impute"),
    "masked": (
        lambda: np.ma.array(GOOD, mask=np.arange(120).reshape(30, 4) == 30),
        "'x2' holds 1 value.*masked.*row 7.*impute",
    ),
    "pandas NaN": (lambda: frame(put(np.nan)[:, 2]), "'r' holds 1.*row 7.*impute"),
    "pandas inf": (lambda: frame(put(np.inf)[:, 2]), "'r' holds 1.*row 7.*inf.*impute"),
    "pandas NA": (lambda: frame(pd.array([1, None] * 15, dtype="Int64")), "'r' holds 15.*row 1 "),
    "polars null": (lambda: polars_frame([1.0, None] * 15), "'r' holds 15.*row 1 .*impute"),
    "polars NaN": (lambda: polars_frame([1.0, float("nan")] * 15), "'r' holds 15.*row 1 "),
    "polars all null": (lambda: polars_frame([None] * 30), "'r' holds 30.*row 0 "),
    "pandas nullable float": (
        lambda: frame(pd.array([1.5, None] * 15, dtype="Float64")),
        "'r' holds 15.*row 1 .*impute",
    ),
    "pandas float on Arrow": (
        lambda: frame(pd.array([1.5, None] * 15, dtype="double[pyarrow]")),
        "'r' holds 15.*row 1 .*impute",
    ),
    "Arrow null float": (
        lambda: pa.table({"a": [1.0, 2], "b": [3.0, None]}),
        "'b' holds 1.*row 1 ",
    ),
    "Arrow null": (lambda: pa.table({"a": [1, 2], "b": [3, None]}), "'b' holds 1.*row 1 "),
    "DuckDB null": (
        lambda: duckdb.sql("SELECT * FROM (VALUES (1, 2), (3, NULL)) t(a, b) ORDER BY a"),
        "'b' holds 1.*row 1 ",
    ),
    "beyond double": (
        lambda: put(np.longdouble("1e400"), kind=np.longdouble),
        "'x2' holds values beyond 1.8e308.*divide",
    ),
    "whole number beyond double": (
        lambda: put(10**400, kind=object),
        "'x2' holds values beyond 1.8e308.*divide",
    ),
    "duplicate names": (
        lambda: pd.DataFrame(GOOD, columns=["a", "b", "a", "c"]),
        "several columns are called 'a'; rename or drop",
    ),
    "duplicate names in Arrow": (
        lambda: pa.table([[1, 2], [2, 3]], names=["a", "a"]),
        "several columns are called 'a'; rename or drop",
    ),
    "duplicate names in DuckDB": (
        lambda: duckdb.sql("SELECT 1 AS a, 2 AS a"),
        "several columns are called 'a'; rename or drop",
    ),
    "names equal as text": (
        lambda: pd.DataFrame(GOOD, columns=[1, "1", "a", "b"]),
        "several columns are called '1'; rename or drop",
    ),
    "empty name": (
        lambda: pd.DataFrame(GOOD, columns=["a", "", "b", "c"]),
        "column 1 .*has no name.*give every column a name",
    ),
    "blank name": (lambda: pl.DataFrame({"a": [1.0], " ": [2.0]}), "column 1 .*has no name"),
    "no name": (
        lambda: pd.DataFrame(GOOD, columns=pd.Index(["a", None, "b", "c"], dtype=object)),
        "column 1 .*has no name",
    ),
    "names of levels": (
        lambda: pd.DataFrame(GOOD, columns=pd.MultiIndex.from_product([["a", "b"], ["c", "d"]])),
        r"column 0 .*multi-level name.*; flatten",
    ),
}


@pytest.mark.filterwarnings("ignore:column 'r' holds numbers with at most")
@pytest.mark.parametrize("case", UNREADABLE)
def test_values_shapes_and_names_that_cannot_be_read(case: str) -> None:
    make, message = UNREADABLE[case]
    for read in (check, learn):
        with pytest.raises(DataError, match=f"(?s){message}"):
            read(make())


NOT_NUMBERS: dict[str, tuple[Callable[[], Any], str]] = {
    "text": (lambda: GOOD.astype(str), "'x0', 'x1', 'x2' and 'x3' are of type '<U.*encode"),
    "bytes": (lambda: GOOD.astype("S"), "'x3' are of type .*encode"),
    "complex": (lambda: GOOD + 1j, "complex128.*Complex data not supported.*two columns"),
    "datetimes": (lambda: GOOD.astype("i8").astype("M8[s]"), "datetime64.*days since"),
    "durations": (lambda: GOOD.astype("i8").astype("m8[s]"), "timedelta64.*days since"),
    "structured": (
        lambda: np.zeros(5, dtype=[("a", "f8"), ("b", "f8")]),
        "structured.*'a' and 'b'.*columns of a data frame",
    ),
    "dict as value": (
        lambda: put({"foo": "bar"}, kind=object),
        "'x2', row 7 .*of type dict: .*argument must be .*string.*number; encode",
    ),
    "text as value": (lambda: put("1.5", kind=object), "'x2', row 7 .*'1.5' of type str.*encode"),
    "Decimal as value": (lambda: put(Decimal(1), kind=object), "'x2', row 7.*Decimal.*float"),
    "complex as value": (lambda: put(1j, kind=object), "'x2', row 7.*complex.*encode"),
    "date as value": (lambda: put(DAY, kind=object), "'x2', row 7.*datetime.*encode"),
    "text in a list": (lambda: [[1, 2], [3, "four"]], "'x1', row 1 .*'four' of type str.*encode"),
    "pandas text": (lambda: frame("text"), "'r' is of type 'String'.*encode.*or drop"),
    "pandas objects": (lambda: frame([object()] * 30), "'r', row 0.*of type object.*or drop"),
    "pandas Decimal": (lambda: frame([Decimal(1)] * 30), "'r', row 0.*Decimal.*to float"),
    "pandas category": (
        lambda: frame(pd.Categorical([1, 2] * 15)),
        "'r' .*Categorical.*0/1 indicator col",
    ),
    "pandas date": (lambda: frame(pd.Timestamp(DAY)), "'r' is of type .Datetime.*days since"),
    "pandas period": (
        lambda: frame(pd.period_range("2020", periods=30, freq="D")),
        "'r' is of type 'period.*days since",
    ),
    "pandas complex": (lambda: frame(1j), "'r' .*Complex data not supported.*two columns"),
    "pandas sparse": (
        lambda: frame(pd.arrays.SparseArray([0.0, 1.0] * 15)),
        r"'r' .*[Ss]parse.*\.to_dense\(\)",
    ),
    "polars text": (lambda: polars_frame(["a"] * 30), "'r' is of type 'String'.*encode"),
    "polars Decimal": (lambda: polars_frame([Decimal(1)] * 30), "'r' .*Decimal.*to float"),
    "polars 128 bits": (lambda: polars_frame([1] * 30, pl.Int128), "'r' .*Int128.*to float"),
    "polars date": (lambda: polars_frame([DAY.date()] * 30), "'r' .*Date.*days since"),
    "polars category": (
        lambda: polars_frame(["a"] * 30, pl.Categorical),
        "'r' .*0/1 indicator col",
    ),
    "polars enum": (lambda: polars_frame(["a"] * 30, pl.Enum(["a"])), "'r' .*0/1 indicator col"),
    "polars list": (lambda: polars_frame([[1]] * 30), "'r' is of type 'List.*encode"),
    "polars struct": (lambda: polars_frame([{"a": 1}] * 30), "'r' is of type .Struct.*encode"),
    "polars objects": (lambda: polars_frame([object()] * 30, pl.Object), "'r', row 0.*object"),
    "Arrow dictionary": (
        lambda: pa.table({"a": [1], "b": pa.array(["x"]).dictionary_encode()}),
        "'b' is of type 'Categorical.*0/1 indicator col",
    ),
    "DuckDB Decimal": (lambda: duckdb.sql("SELECT 1.5 AS a, 2 AS b"), "'a' .*Decimal.*to float"),
    "sparse": (Sparse, r"sparse data are not supported.*\.toarray\(\)"),
    "path": (lambda: "data.csv", "cannot read a table from str; pass a NumPy array"),
    "dict of dicts": (lambda: {"a": {0: 1, 1: 2}}, "column 'a' is of type dict; pass a list"),
    "None": (lambda: None, "cannot read a table from NoneType; pass"),
    "number": (lambda: 3.0, "cannot read a table from float; pass"),
    "generator": (lambda: iter([[1, 2]]), "cannot read a table from list_iterator; pass"),
    "record batch": (lambda: pa.RecordBatch.from_pydict({"a": [1]}), "from RecordBatch; pass"),
    "array protocol that fails": (Unconvertible, "Unconvertible .needs a gradient.; pass"),
}


NO_CELLS: dict[str, Any] = {
    "arrays": np.zeros(2),
    "lists": [1, 2],
    "dicts": {"foo": 1},
    "objects": object(),
}


@pytest.mark.parametrize("case", NO_CELLS)
def test_cells_that_are_neither_numbers_nor_text_are_named(case: str) -> None:
    cells = pd.Series([1.0, *[NO_CELLS[case]] * 29], dtype=object)
    kind = type(NO_CELLS[case]).__name__
    plain, mixed = frame(cells), frame(cells).assign(p=["a", "b"] * 15)
    for table in (plain, mixed, mixed.to_numpy(), mixed.to_numpy().tolist()):
        name = "r" if isinstance(table, pd.DataFrame) else "x2"
        with pytest.raises(DataTypeError, match=f"'{name}', row 1 .*of type {kind}.*encode"):
            learn(table)


@pytest.mark.parametrize("case", ["arrays", "lists", "dicts"])
def test_cells_that_cannot_be_levels_are_named(case: str) -> None:
    cells = pd.Series(["a", *[NO_CELLS[case]] * 29], dtype=object)
    kind = type(NO_CELLS[case]).__name__
    with pytest.raises(DataTypeError, match=f"'r' holds .*of type {kind}.*text or numbers"):
        learn(frame(cells), score="bdeu")


@pytest.mark.parametrize("case", NOT_NUMBERS)
def test_columns_and_containers_that_hold_no_numbers(case: str) -> None:
    make, message = NOT_NUMBERS[case]
    with pytest.raises(DataTypeError, match=f"(?s){message}"):
        read_table(make())


def test_scipy_sparse_arrays_are_recognised() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    for kind in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array, sparse.dok_matrix):
        with pytest.raises(DataTypeError, match=r"sparse.*\.toarray\(\)"):
            read_table(kind(GOOD))


UNFIT: dict[str, tuple[Callable[[], Any], str]] = {
    "one row": (lambda: GOOD[:1], r"1 sample\(s\).*minimum of 3 .*more rows"),
    "two rows": (lambda: GOOD[:2], r"2 sample\(s\).*minimum of 3 .*more rows"),
    "one column": (lambda: GOOD[:, :1], r"1 feature\(s\).*minimum of 2 .*more columns"),
    "constant": (lambda: column(0.1), "constant column.*'x2'.*drop"),
    "constant zero": (lambda: column(0.0), "constant column.*'x2'.*drop"),
    "constant 1e308": (lambda: column(1e308), "constant column.*'x2'.*drop"),
    "constant integers": (lambda: np.full((9, 2), 2**63 - 1), "column.*'x0' and 'x1'.*drop"),
    "constant flags": (lambda: frame(True), "constant column.*'r'.*drop"),
    "equal beside large": (
        lambda: column(1e8 + 1e-9 * GOOD[:, 0]),
        "constant column.*'x2'.*drop",
    ),
    "nearly constant": (
        lambda: column(1.0 + 1e-15 * np.sign(GOOD[:, 0])),
        "'x2' is nearly constant.*near 1; drop it, or subtract its mean",
    ),
    "rounding around a constant": (
        lambda: column([0.3, 0.1 + 0.2] * 15),
        "'x2' is nearly constant.*near 0.3; drop",
    ),
}


@pytest.mark.parametrize("case", UNFIT)
def test_tables_from_which_nothing_can_be_learned(case: str) -> None:
    make, message = UNFIT[case]
    with pytest.raises(DataError, match=message):
        check(make())


def test_small_variation_of_large_values_is_not_taken_for_rounding() -> None:
    check(column(1.7e9 + GOOD[:, 0] ** 2))
    check(column(1e-200 * GOOD[:, 0] ** 2))
    rare = np.zeros(30)
    rare[3] = 1.0
    check(column(rare))


def test_columns_without_spread_have_no_correlations() -> None:
    found = Moments.from_data(column(0.5))
    for name in ("correlation", "log_variances"):
        with pytest.raises(DataError, match=r"constant column.*'x2'"):
            getattr(found, name)


EYE = np.eye(3)


def changed(i: int, j: int, value: float) -> np.ndarray:
    matrix = EYE.copy()
    matrix[i, j] = value
    return matrix


COVARIANCES: dict[str, tuple[Any, type[DataError], str]] = {
    "not square": (np.ones((2, 3)), DataError, r"square.*\(2, 3\); for a table of rows use"),
    "1-D": (np.ones(3), DataError, r"square.*\(3,\)"),
    "3-D": (np.ones((2, 2, 2)), DataError, r"square.*\(2, 2, 2\)"),
    "empty": (np.ones((0, 0)), DataError, r"square.*\(0, 0\)"),
    "a number": (1.0, DataError, r"square.*\(\)"),
    "ragged": ([[1.0, 0.0], [1.0]], DataError, "not a matrix.*pass a d × d array"),
    "text": ([["a", "b"], ["c", "d"]], DataTypeError, "real numbers.*convert"),
    "complex": (EYE + 0j, DataTypeError, "real numbers.*complex128.*convert"),
    "None": (None, DataTypeError, "real numbers"),
    "not symmetric": (changed(0, 2, 0.5), DataError, "not symmetric: .*'a' and 'c'.*transpose"),
    "negative diagonal": (changed(1, 1, -2.0), DataError, "variance of column 'b' is -2.*drop"),
    "zero diagonal": (changed(1, 1, 0.0), DataError, "variance of column 'b' is 0.*constant"),
    "NaN": (changed(0, 1, np.nan), DataError, "'a' and 'b' is nan.*NaN or inf.*impute"),
    "NaN on the diagonal": (changed(2, 2, np.nan), DataError, "'c' and 'c' is nan.*impute"),
    "inf": (changed(1, 2, np.inf), DataError, "'b' and 'c' is inf.*impute"),
    "correlation above 1": (
        [[1, 2, 0], [2, 1, 0], [0, 0, 1]],
        DataError,
        "semi-definite.*'a' and 'b' .*negative variance.*same complete rows",
    ),
    "indefinite": (
        [[1, 0.9, 0.9], [0.9, 1, -0.9], [0.9, -0.9, 1]],
        DataError,
        "semi-definite.*'a', 'b' and 'c' .*eigenvalue -0.8.*same complete rows",
    ),
}


@pytest.mark.parametrize("case", COVARIANCES)
def test_covariances_of_no_data_are_refused(case: str) -> None:
    covariance, kind, message = COVARIANCES[case]
    with pytest.raises(kind, match=message):
        Moments(n=100, covariance=covariance, names=["a", "b", "c"])


def test_scale_does_not_hide_an_indefinite_covariance() -> None:
    scale = np.array([1e-150, 1.0, 1e150])
    matrix = np.array([[1, 0.9, 0.9], [0.9, 1, -0.9], [0.9, -0.9, 1]]) * np.outer(scale, scale)
    with pytest.raises(DataError, match="semi-definite"):
        Moments(n=100, covariance=matrix)


@pytest.mark.parametrize(
    ("n", "kind", "message"),
    [
        (None, DataTypeError, "n is missing: pass the number of rows"),
        (True, DataTypeError, "n must be a number of rows, got 'True'"),
        (1.5, DataError, r"from 2 to 2\*\*53, got '1.5'"),
        (float("nan"), DataError, r"from 2 to 2\*\*53, got 'nan'"),
        (np.float64("inf"), DataError, r"from 2 to 2\*\*53, got 'inf'"),
        ("100", DataTypeError, "n must be a number of rows, got '100'"),
        (np.array([100]), DataTypeError, "n must be a number of rows"),
        (0, DataError, r"from 2 to 2\*\*53, got '0'"),
        (1, DataError, r"from 2 to 2\*\*53, got '1'"),
        (-5, DataError, r"from 2 to 2\*\*53, got '-5'"),
        (2**53 + 1, DataError, "from 2 to"),
        (10**400, DataError, "from 2 to"),
    ],
)
def test_numbers_of_rows_that_are_none_are_refused(
    n: Any, kind: type[DataError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        Moments(n=n, covariance=EYE)


def test_a_missing_number_of_rows_is_our_own_error() -> None:
    with pytest.raises(DataTypeError, match="n is missing"):
        Moments(covariance=EYE)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b"], "2 names for 3 columns"),
        (["a", "b", "b"], "several columns are called 'b'"),
        (["a", "", "b"], "column 1 .*has no name"),
        (["a", None, "b"], "column 1 .*has no name"),
        ("abc", "list of 3 names, got 'abc'"),
        (5, "list of 3 names"),
        ({"a", "b", "c"}, "list of 3 names"),
        ({"a": 1, "b": 2, "c": 3}, "list of 3 names"),
    ],
)
def test_names_that_do_not_fit_a_covariance_are_refused(names: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Moments(n=10, covariance=EYE, names=names)


@pytest.mark.parametrize(
    ("mean", "message"),
    [
        ([1, 2], r"shape \(3,\), got \(2,\)"),
        (1.0, r"shape \(3,\), got \(\)"),
        ([1, np.nan, 2], "mean of column 'x1' is nan"),
        (["a", "b", "c"], "3 real numbers"),
        ([1j, 0, 0], "3 real numbers"),
    ],
)
def test_means_that_do_not_fit_a_covariance_are_refused(mean: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Moments(n=10, covariance=EYE, mean=mean)


def test_long_and_hostile_names_stay_short_and_escaped_in_messages() -> None:
    name = "x" * 10_000
    with pytest.raises(DataError) as caught:
        check(pd.DataFrame(column(0.0), columns=["a", "b", name, "c"]))
    assert len(str(caught.value)) < 300
    assert quoted("a\n\x1b[31m\0") == r"'a\n\x1b[31m\x00'"
    assert listed([]) == ""
    assert listed(["a"]) == "'a'"
    assert listed(list("abc")) == "'a', 'b' and 'c'"
    assert listed(list("abcdefghi")) == "'a', 'b', 'c', 'd', 'e', 'f' and 3 more"


def test_errors_belong_to_the_families_that_callers_catch() -> None:
    assert issubclass(DataError, (GreedagError, ValueError))
    for kind, family in (
        (DataError, ValueError),
        (DataTypeError, TypeError),
        (DataTypeError, ValueError),
        (CollinearError, DataError),
        (OptionError, ValueError),
        (MissingExtraError, ImportError),
        (SearchInterrupted, KeyboardInterrupt),
    ):
        assert issubclass(kind, family)
    assert not issubclass(SearchInterrupted, Exception)


def test_errors_cross_process_borders_whole() -> None:
    collinear = pickle.loads(pickle.dumps(CollinearError("message", columns=["a", "b"])))
    assert (str(collinear), collinear.columns) == ("message", ("a", "b"))
    interrupted = pickle.loads(pickle.dumps(SearchInterrupted("message", "result")))
    assert (str(interrupted), interrupted.result) == ("message", "result")


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    assert require("json", "cli") is sys.modules["json"]
    monkeypatch.setitem(sys.modules, "click", None)
    with pytest.raises(MissingExtraError, match=r"'click'.*pip install \"greedag\[cli\]\""):
        require("click", "cli")


def test_structured_arrays_are_told_as_such_whatever_the_score() -> None:
    records = frame(0).to_records(index=False)
    for score in ("auto", "gaussian-bic", "bdeu", "degenerate-gaussian"):
        with pytest.raises(DataTypeError, match="structured arrays are not supported"):
            learn(records, score=score)
