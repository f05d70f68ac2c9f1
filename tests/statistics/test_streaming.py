"""Moments of files and of queries: those of the whole table, and errors that say where."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from greedag import Levels, Moments, learn
from greedag._progress import RowsRead
from greedag.errors import (
    DataError,
    DataTypeError,
    FileError,
    GreedagError,
    GreedagWarning,
    MissingExtraError,
    OptionError,
)
from greedag.io import sql, tables
from greedag.io.chunks import merged
from greedag.io.tables import ReadOptions, open_files
from greedag.io.text import NOTHING, delimiter_in
from greedag.io.whole import whole_table
from greedag.statistics import levels as levels_module

N, NAMES = 5000, ["a", "b", "c"]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a few thousand rows many chunks."""
    monkeypatch.setattr(tables, "_CHUNK_VALUES", 1)
    monkeypatch.setattr(tables, "_LEAST_CHUNK_ROWS", 300)
    monkeypatch.setattr(sql, "_QUERY_ROWS", 2048)


@pytest.fixture
def frame() -> pd.DataFrame:
    """Return a table far from 0, its columns of very different scales, rows in order of one."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(N, 3)) @ rng.normal(size=(3, 3)) * [1.0, 1e-3, 1e6]
    values = values[np.argsort(values[:, 0])] + [1e8, 0.0, 1e9]
    return pd.DataFrame(values, columns=NAMES)


def write(frame: pd.DataFrame, path: Path) -> Path:
    """Write a table in the way that the name of the file says."""
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, row_group_size=700)
    else:
        frame.to_csv(path, index=False, sep="\t" if ".tsv" in path.name else ",")
    return path


def assert_same(one: Moments, other: Moments, tolerance: float = 1e-12) -> None:
    assert (one.n, one.names) == (other.n, other.names)
    assert one.mean is not None and other.mean is not None
    assert (
        np.abs(one.mean - other.mean) <= 1e-13 * other.deviations + np.spacing(other.mean)
    ).all()
    scale = np.sqrt(np.outer(other.variances, other.variances))
    assert np.abs((one.covariance - other.covariance) / scale).max() <= tolerance


@pytest.mark.parametrize("name", ["t.parquet", "t.csv", "t.tsv", "t.csv.gz"])
def test_a_file_counts_as_its_table_does(tmp_path: Path, frame: pd.DataFrame, name: str) -> None:
    assert_same(Moments.from_file(write(frame, tmp_path / name)), Moments.from_data(frame))


@pytest.mark.parametrize("cuts", [[1], [4999], [2500], [10, 11, 12, 4000], range(100, N, 100)])
def test_any_split_into_files_counts_as_the_whole(
    tmp_path: Path, frame: pd.DataFrame, cuts: Any
) -> None:
    for place, part in enumerate(np.split(np.arange(N), list(cuts))):
        write(frame.iloc[part], tmp_path / f"part-{place:03}.parquet")
    assert_same(Moments.from_file(str(tmp_path / "*.parquet")), Moments.from_data(frame))


def test_parts_merge_two_by_two_into_the_whole_in_any_number(frame: pd.DataFrame) -> None:
    whole = Moments.from_data(frame)
    assert merged(iter([])) is None
    for count in (1, 2, 3, 7, 16, 33):
        parts = [frame.iloc[rows] for rows in np.array_split(np.arange(N), count)]
        together = merged(Moments.from_data(part) for part in parts)
        assert together is not None
        assert_same(together, whole)


def test_several_files_of_several_kinds_with_columns_in_any_order(
    tmp_path: Path, frame: pd.DataFrame
) -> None:
    first = write(frame.iloc[:2000], tmp_path / "one.csv")
    second = write(frame.iloc[2000:][["c", "a", "b"]], tmp_path / "two.parquet")
    assert_same(Moments.from_file([first, second]), Moments.from_data(frame))


def test_only_the_columns_asked_for_are_read(tmp_path: Path, frame: pd.DataFrame) -> None:
    for name in ("t.csv", "t.parquet"):
        path = write(frame.assign(word="x"), tmp_path / name)
        found = Moments.from_file(path, columns=["c", "a"])
        assert_same(found, Moments.from_data(frame[["c", "a"]]))


def test_text_whose_first_rows_are_whole_numbers_is_read_as_numbers(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    values = [*range(200_000), 0.5]
    path.write_text("a;b\n" + "".join(f"{v};{2 * v + v % 7}\n" for v in values), encoding="utf-8")
    table = pd.DataFrame({"a": values, "b": [2 * v + v % 7 for v in values]}, dtype=float)
    assert_same(Moments.from_file(path), Moments.from_data(table))


def test_a_file_whose_own_name_looks_like_a_pattern_is_meant_by_it(
    tmp_path: Path, frame: pd.DataFrame
) -> None:
    path = write(frame, tmp_path / "t[1]*.parquet")
    write(frame.iloc[:10], tmp_path / "t1.parquet")
    assert Moments.from_file(path).n == N


def test_rows_with_weights_count_as_often_as_they_say(tmp_path: Path, frame: pd.DataFrame) -> None:
    weights = np.arange(N) % 3
    weights[1000:2000] = 0
    path = write(frame.assign(w=weights), tmp_path / "t.parquet")
    repeated = frame.loc[frame.index.repeat(weights)]
    assert_same(Moments.from_file(path, weights="w"), Moments.from_data(repeated), 1e-11)
    some = Moments.from_file(path, weights="w", columns=["b"])
    assert_same(some, Moments.from_data(repeated[["b"]]), 1e-11)


def test_progress_is_told_to_the_last_row(
    tmp_path: Path, frame: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[RowsRead] = []
    path = write(frame, tmp_path / "t.parquet")
    Moments.from_file(path, progress=told.append)
    assert len(told) > 5
    assert (told[-1].rows, told[-1].total) == (N, N)
    assert [t.rows for t in told] == sorted(t.rows for t in told)
    Moments.from_file(path, progress=True)
    assert "5,000 of 5,000 rows counted" in capsys.readouterr().err
    with pytest.raises(ZeroDivisionError):
        Moments.from_file(path, progress=lambda read: 1 // 0)


def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    def peak(n: int) -> int:
        path = tmp_path / f"{n}.parquet"
        write(pd.DataFrame(np.random.default_rng(0).normal(size=(n, 5))).add_prefix("x"), path)
        Moments.from_file(path)
        tracemalloc.start()
        pool = pa.default_memory_pool()
        before = pool.bytes_allocated()
        most = 0

        def look(read: RowsRead) -> None:
            nonlocal most
            most = max(most, pool.bytes_allocated() - before)

        Moments.from_file(path, progress=look)
        most += tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(200_000) < 1.5 * peak(10_000) + 2**18


# ---- queries


def test_a_query_counts_as_its_table_does(tmp_path: Path, frame: pd.DataFrame) -> None:
    write(frame, tmp_path / "t.parquet")
    connection = duckdb.connect()
    connection.register("given", frame)
    whole = Moments.from_data(frame)
    path = str(tmp_path / "t.parquet").replace("'", "''")
    assert_same(Moments.from_sql(f"SELECT * FROM '{path}'"), whole)
    assert_same(Moments.from_sql("SELECT a, b, c FROM given", connection), whole)
    assert_same(Moments.from_sql(connection.table("given")), whole)
    some = Moments.from_sql("SELECT b, a FROM given WHERE a > 1e8", connection)
    assert_same(some, Moments.from_data(frame[frame.a > 1e8][["b", "a"]]))


def test_a_query_may_name_its_weights(frame: pd.DataFrame) -> None:
    connection = duckdb.connect()
    connection.register("given", frame.assign(w=2.0))
    twice = Moments.from_data(pd.concat([frame, frame]))
    assert_same(Moments.from_sql("FROM given", connection, weights="w"), twice, 1e-11)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELEC 1", r"query failed: Parser Error: .*SELEC"),
        ("SELECT * FROM nothing_there", "query failed: Catalog Error"),
        ("SELECT error('late') FROM range(1000)", "query failed: .*late"),
        ("SELECT 'x' AS word", "column 'word' is of type"),
        ("SELECT 1.5::DOUBLE AS a WHERE false", "no rows to count"),
        ("SELECT CASE WHEN i > 900 THEN NULL ELSE i END AS a FROM range(1000) t(i)", "'a' holds"),
        ("SELECT 1 AS a, 2 AS a", "several columns are called 'a'"),
    ],
)
def test_queries_that_fail_say_why_on_one_line(query: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        Moments.from_sql(query)
    assert "\n" not in str(caught.value)


def test_what_is_no_query_is_refused(frame: pd.DataFrame) -> None:
    with pytest.raises(DataTypeError, match="query as text or a DuckDB relation, got DataFrame"):
        Moments.from_sql(frame)
    relation = duckdb.connect().sql("SELECT 1.0 AS a")
    with pytest.raises(OptionError, match="leave out connection="):
        Moments.from_sql(relation, duckdb.connect())
    for wrong in (3, "data.duckdb", frame):
        with pytest.raises(DataTypeError, match=r"one that duckdb\.connect\(\) made; got"):
            Moments.from_sql("SELECT 1.0 AS a", connection=wrong)


# ---- bad files


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"there is no file .*gone\.parquet"):
        Moments.from_file(tmp_path / "gone.parquet")
    with pytest.raises(FileError, match=r"no file matches .*\*\.parquet"):
        Moments.from_file(str(tmp_path / "*.parquet"))
    with pytest.raises(FileError, match=r"is a folder; name its files, for example"):
        Moments.from_file(tmp_path)
    with pytest.raises(FileError, match="no files were given"):
        Moments.from_file([])
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    with pytest.raises(FileError, match=r"t\.xlsx' has an unknown format"):
        Moments.from_file(tmp_path / "t.xlsx")
    for wrong in (3, None, "", "a\0b", [None], b"t.csv"):
        with pytest.raises(FileError, match="is not the name of a file"):
            Moments.from_file(wrong)  # type: ignore[arg-type]


def test_parquet_cut_or_changed_anywhere_never_gives_moments_silently(
    tmp_path: Path, frame: pd.DataFrame
) -> None:
    path = write(frame.iloc[:1000], tmp_path / "t.parquet")
    content = path.read_bytes()
    for length in [0, 1, 4, 100, len(content) // 2, len(content) - 9, len(content) - 1]:
        path.write_bytes(content[:length])
        with pytest.raises(FileError, match=r"t\.parquet' (is damaged|cannot be read)") as caught:
            Moments.from_file(path)
        assert "\n" not in str(caught.value)


def test_a_parquet_file_whose_pages_are_damaged_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    values = np.arange(20_000) % 50
    pq.write_table(pa.table({"a": values.astype(float)}), path, compression="zstd")
    content = bytearray(path.read_bytes())
    content[40:120] = bytes(80)
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"t\.parquet'"):
        Moments.from_file(path)


def test_text_that_is_no_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for text, message in [
        ("", r"t\.csv' is empty; the first line must hold the column names"),
        ("a,b\n1,2\n3\n", r"t\.csv', line 3 has 1 fields; the header has 2"),
        ("a,b\n1,2\n3,red\n", r"line 3, column 'b': 'red' is not a .* with columns=\[…\]$"),
        ("a,b\n1,2\n3,\n", r"in rows 0 to 1 of .*t\.csv': column 'b' holds 1 value"),
        ("a,b\n1,2\n3,inf\n", r"line 3, column 'b': 'inf' is not a finite number"),
        ("a,b\n", r"t\.csv' has a header but no rows"),
        ("1.5,2\n3,4\n", r"t\.csv' has no header: line 1 holds only numbers, '1\.5' and '2'"),
        ("2019,2020\n3,4\n", r"line 1 holds only numbers, .* such as 2020 to y2020"),
        ("a;b\n1;2\n3,5;4\n", r"column 'a': '3,5' is not a .*; write decimals with a point$"),
        ("a,a\n1,2\n", r"t\.csv', line 1: columns 1 and 2 are both 'a'"),
    ]:
        path.write_text(text, encoding="utf-8")
        with pytest.raises(GreedagError, match=message):
            Moments.from_file(path)
    path.write_text("a, a\n1,2\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"t\.csv', line 1: columns 1 and 2 are both 'a'"):
        Moments.from_file(path, columns=["a"])


@pytest.mark.parametrize("content", [b"h\xf6he,b\n1,2\n", b"a,b\n1,\xf6\n"])
def test_text_in_another_encoding_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"t\.csv' is not UTF-8 text .*; save it as UTF-8"):
        Levels.from_file(path)
    with pytest.raises(GreedagError, match=r"t\.csv'"):
        Moments.from_file(path)


def test_blanks_and_words_for_nothing_are_read_as_on_the_command_line(tmp_path: Path) -> None:
    words = [*NOTHING, *(word.upper() for word in NOTHING), "N/a", "Nan", " NA", " "]
    rows = ["1,2,3.5", "2, 1 ,0.5", "1,4,2", *(f"1,{word},2" for word in words)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["\ufeffa, b ,c", *rows, ""]), encoding="utf-8")
    whole = pd.DataFrame({"a": [1.0, 2, 1], "b": [2.0, 1, 4], "c": [3.5, 0.5, 2]})
    for columns in (None, ["c", "b"]):
        found = Moments.from_file(path, columns=columns, missing="drop")
        assert_same(found, Moments.from_data(whole[columns or NAMES]))
    levels = Levels.from_file(path, columns=["b"], missing="drop")
    assert levels == Levels.from_data(pd.DataFrame({"b": ["2", "1", "4"]}))
    options = ReadOptions(allow_missing=True)
    read = whole_table(open_files(path, options)).to_pandas()
    assert list(read) == NAMES
    assert read["b"].isna().sum() == len(words)


def test_a_truncated_compressed_file_is_refused(tmp_path: Path, frame: pd.DataFrame) -> None:
    path = tmp_path / "t.csv.gz"
    packed = gzip.compress(frame.to_csv(index=False).encode())
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(FileError, match=r"t\.csv\.gz'"):
        Moments.from_file(path)


def test_values_that_are_missing_are_named_with_file_and_rows(
    tmp_path: Path, frame: pd.DataFrame
) -> None:
    frame.loc[4321, "b"] = np.nan
    write(frame.iloc[:3000], tmp_path / "one.parquet")
    write(frame.iloc[3000:], tmp_path / "two.parquet")
    with pytest.raises(
        DataError, match=r"in rows 1200 to 1499 of .*two\.parquet': column 'b'"
    ) as caught:
        Moments.from_file(str(tmp_path / "*.parquet"))
    assert "missing='drop'" in str(caught.value)
    assert "missing='em'" not in str(caught.value)


def test_columns_that_are_not_there_or_differ_are_named(
    tmp_path: Path, frame: pd.DataFrame
) -> None:
    first = write(frame, tmp_path / "one.parquet")
    lacking = write(frame[["a", "b"]], tmp_path / "two.parquet")
    more = write(frame.assign(d=1.0), tmp_path / "three.csv")
    with pytest.raises(DataError, match="no column 'aa'"):
        Moments.from_file(first, columns=["aa", "b"])
    with pytest.raises(DataError, match=r"two\.parquet' lacks column 'c' that"):
        Moments.from_file([first, lacking])
    with pytest.raises(DataError, match=r"three\.csv' has column 'd' that"):
        Moments.from_file([first, more])
    assert Moments.from_file([first, lacking, more], columns=["a", "b"]).n == 3 * N
    with pytest.raises(OptionError, match="columns must be a list"):
        Moments.from_file(first, columns="ab")
    with pytest.raises(DataError, match="no column 'w'"):
        Moments.from_file(first, weights="w")


def test_columns_of_words_are_named(tmp_path: Path, frame: pd.DataFrame) -> None:
    path = write(frame.assign(word="x"), tmp_path / "t.parquet")
    with pytest.raises(DataTypeError, match="column 'word' is of type 'String'"):
        Moments.from_file(path)


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_weights_in_files_that_are_none_are_named(
    tmp_path: Path, frame: pd.DataFrame, bad: float
) -> None:
    path = write(frame.assign(w=[*[1.0] * 4000, bad, *[1.0] * 999]), tmp_path / "t.parquet")
    with pytest.raises(DataError, match=r"in rows 3\d\d\d to 4\d\d\d of .*t\.parquet': "):
        Moments.from_file(path, weights="w")
    path = write(frame.assign(w=0), tmp_path / "t.parquet")
    with pytest.raises(DataError, match="no rows whose weight 'w' is above 0"):
        Moments.from_file(path, weights="w")


@pytest.mark.parametrize("absent", ["pyarrow", "duckdb"])
def test_the_extra_is_named_where_a_package_is_absent(
    absent: str, tmp_path: Path, frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(frame, tmp_path / "t.parquet")
    monkeypatch.setitem(__import__("sys").modules, absent, None)
    with pytest.raises(MissingExtraError, match=r"greedag\[io\]"):
        Moments.from_sql("SELECT 1.0 AS a")
    if absent == "pyarrow":
        with pytest.raises(MissingExtraError, match=r"greedag\[io\]"):
            Moments.from_file(path)


# ---- missing values


@pytest.mark.parametrize("name", ["t.parquet", "t.csv"])
def test_rows_with_missing_values_can_be_dropped(
    tmp_path: Path, frame: pd.DataFrame, name: str
) -> None:
    frame.loc[[7, 4321], "b"] = np.nan
    frame.loc[1000:2000, "c"] = np.nan
    path = write(frame, tmp_path / name)
    whole = Moments.from_data(frame.dropna())
    assert_same(Moments.from_file(path, missing="drop"), whole)
    connection = duckdb.connect()
    connection.register("given", frame)
    query = "SELECT nullif(a, 'nan') AS a, nullif(b, 'nan') AS b, c FROM given"
    assert_same(Moments.from_sql(query, connection, missing="drop"), whole)
    weighted = write(frame.assign(w=2.0), tmp_path / f"w-{name}")
    twice = Moments.from_data(pd.concat([frame.dropna()] * 2))
    assert_same(Moments.from_file(weighted, missing="drop", weights="w"), twice, 1e-11)


def test_what_needs_all_rows_at_once_is_refused(tmp_path: Path, frame: pd.DataFrame) -> None:
    path = write(frame, tmp_path / "t.parquet")
    with pytest.raises(
        OptionError, match=r"missing must be 'error' or 'drop' \(EM passes over the rows"
    ):
        Moments.from_file(path, missing="em")
    with pytest.raises(OptionError, match=r"missing must be 'error', 'drop' or 'test-wise'"):
        Levels.from_file(path, missing="em")
    path = write(frame.assign(a=np.nan), tmp_path / "t.parquet")
    with pytest.raises(DataError, match=r"no complete rows to count in '.*t\.parquet'"):
        Moments.from_file(path, missing="drop")


# ---- levels


@pytest.fixture
def words() -> pd.DataFrame:
    """Return a table of text, whose later rows have levels that the first have not."""
    rng = np.random.default_rng(1)
    a = np.sort(rng.integers(0, 5, N))
    b = np.where(rng.random(N) < 0.8, a % 3, rng.integers(0, 3, N))
    codes = np.column_stack([a, b, rng.integers(0, 2, N)])
    return pd.DataFrame(codes, columns=NAMES).map(lambda code: f"level {code}")


@pytest.mark.parametrize("name", ["t.parquet", "t.csv", "t.tsv", "t.csv.gz"])
def test_levels_of_files_are_those_of_the_table(
    tmp_path: Path, words: pd.DataFrame, name: str
) -> None:
    whole = Levels.from_data(words)
    assert Levels.from_file(write(words, tmp_path / name)) == whole
    first = write(words[:1234], tmp_path / f"part-1-{name}")
    second = write(words[1234:][["c", "a", "b"]], tmp_path / f"part-2-{name}")
    assert Levels.from_file([first, second]) == whole
    assert Levels.from_file(str(tmp_path / "part-*")) == whole
    some = Levels.from_file(first, columns=["b", "a"])
    assert some == Levels.from_data(words[:1234][["b", "a"]])
    told: list[RowsRead] = []
    Levels.from_file(first, progress=told.append)
    assert told[-1].rows == 1234
    assert learn(Levels.from_file([first, second])) == learn(words)


def test_levels_of_queries_are_those_of_the_table(words: pd.DataFrame) -> None:
    connection = duckdb.connect()
    connection.register("given", words.assign(w=1 + np.arange(N) % 3))
    repeated = words.loc[words.index.repeat(1 + np.arange(N) % 3)]
    found = Levels.from_sql("FROM given", connection, weights="w")
    assert found == Levels.from_data(repeated)
    assert Levels.from_sql("SELECT a, b, c FROM given", connection) == Levels.from_data(words)
    numbers = Levels.from_sql("SELECT i % 3 AS a, i % 2 = 0 AS b FROM range(10) t(i)")
    assert numbers.labels == ((0, 1, 2), (False, True))


@pytest.mark.parametrize("name", ["t.parquet", "t.csv"])
def test_missing_levels_in_files_are_named_dropped_or_kept(
    tmp_path: Path, words: pd.DataFrame, name: str
) -> None:
    holes = words.mask(np.random.default_rng(2).random(words.shape) < 0.1, None)
    path = write(holes, tmp_path / name)
    with pytest.raises(DataError, match=r"in rows 0 to 299 of .*: column 'a' holds \d+ missing"):
        Levels.from_file(path)
    assert Levels.from_file(path, missing="drop") == Levels.from_data(holes.dropna())
    kept = Levels.from_file(path, missing="test-wise")
    assert kept == Levels.from_data(holes, missing="test-wise")
    assert learn(kept) == learn(holes, missing="test-wise")


def test_too_many_distinct_rows_are_counted_in_the_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(levels_module, "_MOST_CODES", 3000)
    table = pd.DataFrame({name: np.arange(N) for name in NAMES})
    with pytest.raises(
        DataError, match=r"more than 1,000 distinct rows in 3 columns \(1,200 so far\)"
    ):
        Levels.from_file(write(table, tmp_path / "t.parquet"))
    few = Levels.from_file(write(table % 7, tmp_path / "u.parquet"))
    assert len(few.counts) == 7


def test_the_index_of_a_pandas_frame_is_no_column_unless_it_is_named(tmp_path: Path) -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 2)), columns=["a", "b"])
    for part, name in ((frame[:20], "one"), (frame[frame.a > 0.0], "two")):
        part.to_parquet(tmp_path / f"{name}.parquet")
    two = tmp_path / "two.parquet"
    with pytest.warns(GreedagWarning, match=r"'__index_level_0__' of .* the index of a pandas"):
        assert Moments.from_file(two).names == ("a", "b")
    with pytest.warns(GreedagWarning, match="index of a pandas"):
        assert Levels.from_file(two).names == ("a", "b")
    assert Moments.from_file(tmp_path / "*.parquet").n == 20 + (frame.a > 0.0).sum()
    named = Moments.from_file(two, columns=["b", "__index_level_0__"])
    assert named.names == ("b", "__index_level_0__")


def test_errors_name_the_row_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(9000, 300)).round(3))
    frame.columns = [f"c{j}" for j in range(300)]
    frame.iloc[8500, 7] = np.nan
    frame.to_csv(path, index=False)
    with pytest.raises(DataError, match=r"the first in row 8500 \(counting from 0\)"):
        Moments.from_file(path)
    frame.iloc[8500, 7] = np.inf
    frame.iloc[8400:8450, 1] = np.nan
    frame.to_csv(path, index=False)
    with pytest.raises(FileError, match=r"t\.csv', line 8502, column 'c7': 'inf' is not a finite"):
        Moments.from_file(path, missing="drop")
    frame.to_parquet(path.with_suffix(".parquet"))
    with pytest.raises(DataError, match=r"the first in row 8500 \(counting from 0\)"):
        Moments.from_file(path.with_suffix(".parquet"), missing="drop")


def test_names_with_marks_in_them_do_not_part_columns(tmp_path: Path) -> None:
    path = tmp_path / "taxa.csv"
    names = [f"k__Bacteria;p__Firmicutes;{j:0100d}" for j in range(1000)]
    rows = np.random.default_rng(0).normal(size=(20, 1000)).round(3)
    pd.DataFrame(rows, columns=names).to_csv(path, index=False)
    assert Moments.from_file(path).names == tuple(names)
    assert open_files(path, ReadOptions()).names == names


@pytest.mark.parametrize(
    ("lines", "mark"),
    [
        (["a,b", "1,2"], ","),
        (["a;b", "1;2"], ";"),
        (["a;b,c", "1;2,5"], ";"),
        (["a;b,c", "1,5"], ","),
        (["weight [kg;m]", "1"], ","),
        (["a|b"], "|"),
        (["a,b", "1;2"], ","),
        (['"a;b",c', '"x;y",2'], ","),
        (["a,b;c", "red;2"], ";"),
        ([], ","),
    ],
)
def test_what_parts_columns_is_told_by_names_and_values(lines: list[str], mark: str) -> None:
    assert delimiter_in(lines, ",") == mark


def test_wrong_weights_are_named_by_their_row(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(9000, 300))
    frame = pd.DataFrame(rows, columns=[f"c{j}" for j in range(300)]).assign(w=1.0)
    frame.loc[8500, "w"] = -1.0
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataError, match=r"the weight of row 8500 \(counting from 0\)"):
        Moments.from_file(tmp_path / "t.parquet", weights="w")
