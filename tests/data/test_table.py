"""Reading tables: every container, type and layout gives the same numbers, without copies."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from greedag.data.source import open_table
from greedag.data.table import Table, read_table
from greedag.errors import DataError, GreedagWarning, MissingExtraError
from greedag.statistics.moments import Moments

VALUES = np.random.default_rng(1).integers(-50, 50, size=(40, 3)).astype(np.float64)
NAMES = ("a", "b", "c")
COLUMNS = {name: VALUES[:, j] for j, name in enumerate(NAMES)}


class OnlyArrayProtocol:
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return VALUES if dtype is None else VALUES.astype(dtype)


def every_second(array: np.ndarray) -> np.ndarray:
    spread = np.full((2 * array.shape[0], 2 * array.shape[1]), np.nan)
    spread[::2, ::2] = array
    return spread[::2, ::2]


def backwards(array: np.ndarray) -> np.ndarray:
    return array[::-1, ::-1].copy()[::-1, ::-1]


def read_only(array: np.ndarray) -> np.ndarray:
    locked = array.copy()
    locked.setflags(write=False)
    return locked


def units(table: Table) -> np.ndarray:
    out = np.empty((table.n, table.d))
    table.write_units(0, table.n, out)
    return out


def numbers(table: Table) -> np.ndarray:
    return units(table) * 2.0**table.exponent + table.low


NAMED: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas from one array": lambda: pd.DataFrame(VALUES, columns=list(NAMES)),
    "pandas nullable": lambda: pd.DataFrame(COLUMNS).astype("Int64"),
    "pandas on Arrow": lambda: pd.DataFrame(COLUMNS).astype("double[pyarrow]"),
    "pandas of objects": lambda: pd.DataFrame(COLUMNS).astype(object),
    "pandas with odd index": lambda: pd.DataFrame(COLUMNS, index=[7] * len(VALUES)),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars in chunks": lambda: pl.concat(
        [pl.DataFrame(COLUMNS)[:15], pl.DataFrame(COLUMNS)[15:]], rechunk=False
    ),
    "polars lazy": lambda: pl.LazyFrame(COLUMNS),
    "Arrow": lambda: pa.table(COLUMNS),
    "Arrow in chunks": lambda: pa.concat_tables(
        [pa.table(COLUMNS).slice(0, 15), pa.table(COLUMNS).slice(15)]
    ),
    "DuckDB": lambda: duckdb.from_arrow(pa.table(COLUMNS)),
    "narwhals": lambda: nw.from_native(pl.DataFrame(COLUMNS)),
}
UNNAMED: dict[str, Callable[[], Any]] = {
    "array": lambda: VALUES,
    "list of lists": VALUES.tolist,
    "tuple of tuples": lambda: tuple(map(tuple, VALUES.tolist())),
    "list of arrays": lambda: list(VALUES),
    "matrix": lambda: VALUES.view(np.matrix),
    "unmasked masked array": lambda: np.ma.masked_invalid(VALUES),
    "array of objects": lambda: VALUES.astype(object),
    "array protocol": OnlyArrayProtocol,
    "Fortran order": lambda: np.asfortranarray(VALUES),
    "every second": lambda: every_second(VALUES),
    "negative strides": lambda: backwards(VALUES),
    "read-only": lambda: read_only(VALUES),
    "big-endian": lambda: VALUES.astype(">f8"),
    "big-endian integers": lambda: VALUES.astype(">i8"),
    **{
        kind: lambda kind=kind: VALUES.astype(kind)
        for kind in ("f2", "f4", "g", "i1", "i2", "i4", "i8")
    },
}


@pytest.mark.parametrize("container", NAMED)
def test_tables_keep_numbers_and_names(container: str) -> None:
    table = read_table(NAMED[container]())
    assert table.names == NAMES
    assert open_table(NAMED[container]()).has_own_names
    assert np.array_equal(numbers(table), VALUES)


@pytest.mark.parametrize("container", UNNAMED)
def test_arrays_keep_numbers_and_get_names(container: str) -> None:
    table = read_table(UNNAMED[container]())
    assert table.names == ("x0", "x1", "x2")
    assert not open_table(UNNAMED[container]()).has_own_names
    assert np.array_equal(numbers(table), VALUES)


@pytest.mark.parametrize("container", [*NAMED, *UNNAMED])
def test_moments_do_not_depend_on_the_container(container: str) -> None:
    reference = Moments.from_data(np.asfortranarray(VALUES))
    found = Moments.from_data({**NAMED, **UNNAMED}[container]())
    assert np.allclose(found.covariance, reference.covariance, rtol=1e-14, atol=1e-12)
    assert np.allclose(found.mean, reference.mean, rtol=1e-14)


def test_memory_mapped_files_are_read_in_place(tmp_path: Path) -> None:
    np.save(tmp_path / "table.npy", VALUES)
    mapped = np.load(tmp_path / "table.npy", mmap_mode="r")
    table = read_table(mapped)
    assert np.shares_memory(table.blocks[0].values, mapped)
    assert np.array_equal(numbers(table), VALUES)


@pytest.mark.parametrize("kind", [bool, np.uint8, np.uint16, np.uint32, np.uint64])
def test_unsigned_and_boolean_columns_are_numbers(kind: type) -> None:
    values = np.array([[0, 1], [1, 1], [1, 0], [0, 0], [1, 1]], dtype=kind)
    assert np.array_equal(numbers(read_table(values)), values.astype(float))
    frame = pl.DataFrame({"a": values[:, 0], "b": values[:, 1]})
    assert np.array_equal(numbers(read_table(frame)), values.astype(float))


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int64, np.uint64])
def test_integer_extremes_do_not_wrap_around(kind: type) -> None:
    info = np.iinfo(kind)
    column = np.array([info.min, info.max, 0, info.max, 5], dtype=kind)
    table = read_table(np.stack([column, column[::-1]], axis=1))
    exact = [(Fraction(int(v)) - info.min) / 2 ** int(table.exponent[0]) for v in column]
    assert np.allclose(units(table)[:, 0], [float(v) for v in exact], rtol=1e-15, atol=0)


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_whole_numbers_beyond_doubles_keep_their_last_digits(kind: type) -> None:
    column = np.array([3, 1, 4, 1, 5], dtype=kind)
    table = read_table(np.stack([column + kind(2**62), column], axis=1))
    assert np.array_equal(units(table)[:, 0], units(table)[:, 1])


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="long double is a double here")
def test_long_doubles_keep_digits_that_doubles_lack() -> None:
    column = np.array([3, 1, 4, 1, 5], dtype=np.longdouble)
    table = read_table(np.stack([column + np.longdouble(2) ** 58, column], axis=1))
    assert np.array_equal(units(table)[:, 0], units(table)[:, 1])


@pytest.mark.parametrize("size", [1.7e308, 1e200, 1.0, 1e-200, 1e-308, 5e-324])
def test_units_fill_the_unit_interval_at_every_scale(size: float) -> None:
    column = np.array([-size, size, 0.0, size])
    found = units(read_table(np.stack([column, column], axis=1)))
    assert found.min() == 0.0
    assert 0.0 < found.max() <= 1.0
    assert np.array_equal(found[:, 0] / found.max(), [0.0, 1.0, 0.5, 1.0])


def test_object_columns_of_real_numbers_are_numbers() -> None:
    mixed = [[1, 2.5], [True, Fraction(1, 2)], [np.float32(3), np.int8(4)], [10**30, -1]]
    expected = np.array([[1, 2.5], [1, 0.5], [3, 4], [1e30, -1]])
    assert np.array_equal(numbers(read_table(np.array(mixed, dtype=object))), expected)
    assert np.array_equal(numbers(read_table(mixed)), expected)


def test_columns_of_a_frame_may_be_of_different_types() -> None:
    frame = pl.DataFrame(
        {
            "flag": [True, False, True],
            "small": pl.Series([1, 255, 3], dtype=pl.UInt8),
            "single": pl.Series([0.5, 0.25, 8.0], dtype=pl.Float32),
            "wide": [2**60, 2**60 + 2**20, 2**60 + 2**21],
        }
    )
    assert np.array_equal(numbers(read_table(frame)), frame.to_numpy().astype(float))


@pytest.mark.parametrize("container", ["pandas", "polars", "Arrow", "pandas from one array"])
def test_frames_are_not_copied(container: str) -> None:
    frame = NAMED[container]()
    again = read_table(nw.from_native(frame))
    for block, other in zip(read_table(frame).blocks, again.blocks, strict=True):
        assert np.shares_memory(block.values, other.values)


BLOCK = pd.DataFrame(VALUES, columns=list(NAMES))
BLOCKS: dict[str, tuple[pd.DataFrame, int]] = {
    "one block": (BLOCK, 1),
    "columns reversed": (BLOCK[["c", "b", "a"]], 1),
    "rows skipped": (BLOCK.iloc[1::3], 1),
    "uneven columns": (pd.DataFrame(np.hstack([VALUES] * 3)).iloc[:, [0, 1, 2, 5, 8, 7]], 3),
    "one column": (BLOCK[["b"]], 1),
    "the same column twice": (pd.DataFrame({"a": BLOCK["a"], "b": BLOCK["a"]}, copy=False), 1),
    "types apart": (BLOCK.astype({"b": "f4"}), 3),
    "types in runs": (pd.DataFrame(np.hstack([VALUES] * 2)).astype({0: "i8", 5: "i8"}), 3),
    "inserted": (BLOCK.assign(d=BLOCK["a"] + 1.0), 2),
}


@pytest.mark.parametrize("case", BLOCKS)
def test_evenly_spaced_columns_of_a_frame_are_read_together(case: str) -> None:
    frame, most = BLOCKS[case]
    table = read_table(frame)
    assert np.array_equal(numbers(table), frame.to_numpy().astype(float))
    assert len(table.blocks) <= most


@pytest.mark.parametrize("columns", [(0, 1, 3), (0, 2, 3), (2, 0, 1), (1, 1, 3), (0, 2, 4)])
def test_unevenly_spaced_columns_of_one_array_keep_their_numbers(columns: tuple[int, ...]) -> None:
    whole = np.random.default_rng(0).normal(size=(40, 5))
    views = {name: whole[:, j] for name, j in zip(NAMES, columns, strict=True)}
    table = read_table(pd.DataFrame(views, copy=False))
    assert np.shares_memory(table.blocks[0].values, whole)
    assert np.array_equal(units(table), units(read_table(whole[:, columns])))


def test_columns_of_one_array_in_other_types_or_steps_keep_their_numbers() -> None:
    whole = np.arange(100, 200)
    views = {"a": whole[:40], "b": whole[40:80].view(np.float64), "c": whole[20:100:2]}
    table = read_table(pd.DataFrame(views, copy=False))
    expected = [numbers(read_table(view[:, np.newaxis])) for view in views.values()]
    assert np.array_equal(numbers(table), np.hstack(expected))
    steps = read_table(pd.DataFrame({"a": whole[:40], "c": whole[20:100:2]}, copy=False))
    assert np.array_equal(numbers(steps), np.hstack([expected[0], expected[2]]))


def test_columns_of_arrays_apart_are_not_read_together() -> None:
    # Side by side in memory, but no array holds them all.
    whole = VALUES.T.tobytes()
    size = len(whole) // 3
    apart = {
        name: np.frombuffer(whole, count=len(VALUES), offset=j * size)
        for j, name in enumerate(NAMES)
    }
    table = read_table(pd.DataFrame(apart, copy=False))
    assert len(table.blocks) == 3
    assert np.array_equal(numbers(table), VALUES)


def test_columns_read_together_outlive_their_frame() -> None:
    frame = pd.DataFrame(np.hstack([VALUES] * 200))
    table = read_table(frame)
    del frame
    gc.collect()
    np.full((200, VALUES.size), np.nan)
    assert np.array_equal(numbers(table), np.hstack([VALUES] * 200))


@pytest.mark.parametrize("layout", ["array", "Fortran order", "every second", "f4", "i8"])
def test_arrays_are_not_copied_and_not_changed(layout: str) -> None:
    data = UNNAMED[layout]()
    before = data.copy()
    table = read_table(data)
    Moments.from_data(data)
    assert np.shares_memory(table.blocks[0].values, data)
    assert np.array_equal(data, before)


def test_a_table_that_was_opened_is_not_opened_again() -> None:
    source = open_table(VALUES)
    assert open_table(source) is source


def test_labels_that_are_not_text_become_text_and_are_not_names_of_features() -> None:
    frame = pd.DataFrame(VALUES, columns=[0, "b", 2.5])
    table = read_table(frame)
    assert table.names == ("0", "b", "2.5")
    assert not open_table(frame).has_own_names


@pytest.mark.parametrize(
    "name",
    ["new\nline", "nul\0", "😀", "x" * 10_000, "<script>", "a,b", "'", " a"],
    ids=["newline", "NUL", "emoji", "10 kB", "tag", "comma", "quote", "space"],
)
def test_hostile_names_are_kept_as_they_are(name: str) -> None:
    assert read_table(pd.DataFrame(VALUES, columns=["a", name, "c"])).names == ("a", name, "c")


def test_the_index_of_a_pandas_frame_is_no_column_of_its_arrow_table() -> None:
    frame = pd.DataFrame(COLUMNS)
    plain = pa.Table.from_pandas(frame)
    assert read_table(plain).names == NAMES
    shuffled = pa.Table.from_pandas(frame.sample(frac=1.0, random_state=0))
    with pytest.warns(GreedagWarning, match="'__index_level_0__' .*index of a pandas frame"):
        assert read_table(shuffled).names == NAMES
    table = read_table(pa.Table.from_pandas(frame.set_index("b")))
    assert table.names == ("a", "c", "b")
    kept = read_table(shuffled.replace_schema_metadata())
    assert kept.names == (*NAMES, "__index_level_0__")
    for odd in (b"no JSON", b"[]", b"{}"):
        assert read_table(plain.replace_schema_metadata({"pandas": odd})).names == NAMES


@pytest.mark.parametrize("container", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_names_of_the_caller_must_fit(container: Any) -> None:
    data = container(VALUES)
    assert read_table(data, names=["u", "v", "w"]).names == ("u", "v", "w")
    for names, message in (
        (["u"], "there are 1 names for 3 columns"),
        (["u", "v", "w", "x"], "there are 4 names for 3 columns"),
        (["u", "v", "u"], "several columns are called 'u'"),
        ("uvw", "names must be a list of 3 names"),
    ):
        with pytest.raises(DataError, match=message):
            read_table(data, names=names)


def test_duckdb_without_pyarrow_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    relation = duckdb.from_arrow(pa.table(COLUMNS))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r'pip install "greedag\[io\]"'):
        read_table(relation)
