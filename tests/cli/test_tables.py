"""Tables that the command line reads: every format, choice of columns, broken files."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from greedag import DataError, FileError, Moments, OptionError, Result, learn, simulate
from greedag._options import DataOptions
from greedag.cli import main
from greedag.cli.tables import selection_from
from greedag.io.tables import FORMATS, ColumnSelection, ReadOptions, open_files
from greedag.scores import GaussianBIC
from greedag.scores.select import loaded_for, prepare
from helpers.hostile_names import HOSTILE_NAMES

DRAWN = simulate.linear_gaussian(6, 1.5, 400, seed=3)
ALL = ColumnSelection()
NAMES = [f"x{j}" for j in range(6)]
FRAME = pd.DataFrame(DRAWN.data, columns=NAMES)


def write_json_lines(frame: pd.DataFrame, path: Path) -> None:
    rows = (dict(zip(frame.columns, row, strict=True)) for row in frame.to_numpy().tolist())
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def write_covariances(frame: pd.DataFrame, path: Path) -> None:
    rows = ("\t".join(map(repr, row)) for row in np.cov(frame.to_numpy().T).tolist())
    path.write_text("\n".join([str(len(frame)), "\t".join(frame.columns), *rows, ""]))


WRITERS: dict[str, tuple[str, Callable[[pd.DataFrame, Path], Any]]] = {
    "csv": (".csv", lambda frame, path: frame.to_csv(path, index=False)),
    "tsv": (".tsv", lambda frame, path: frame.to_csv(path, index=False, sep="\t")),
    "parquet": (".parquet", lambda frame, path: frame.to_parquet(path)),
    "jsonl": (".jsonl", write_json_lines),
    "npy": (".npy", lambda frame, path: np.save(path, frame.to_numpy())),
    "npz": (".npz", lambda frame, path: np.savez(path, **{c: frame[c] for c in frame})),
    "moments": (".bin", lambda frame, path: Moments.from_data(frame).save(path)),
    "covariance": (".txt", write_covariances),
}


def table(folder: Path, kind: str, frame: pd.DataFrame = FRAME, suffix: str | None = None) -> str:
    default, write = WRITERS[kind]
    path = folder / f"table{default}"
    write(frame, path)
    return str(path if suffix is None else path.rename(path.with_suffix(suffix)))


def read(*paths: str, kind: str | None = None, choice: ColumnSelection = ALL) -> Moments:
    loaded = loaded_for(GaussianBIC(), paths, DataOptions(), table_format=kind, columns=choice)
    moments = prepare(loaded.table, GaussianBIC())[1].statistics
    assert isinstance(moments, Moments)
    return moments


def pack(path: Path, suffix: str) -> Path:
    packed = path.with_name(path.name + suffix)
    with pa.output_stream(packed, compression="detect") as stream:
        stream.write(path.read_bytes())
    return packed


def written(folder: Path, content: str | bytes, suffix: str = ".csv") -> str:
    path = folder / f"broken{suffix}"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def assert_same(result: Result) -> None:
    expected = learn(FRAME)
    assert result.cpdag == expected.cpdag
    # Rows by columns and columns by rows are summed in another order.
    assert result.score == pytest.approx(expected.score, rel=1e-12)


def test_every_format_is_tried() -> None:
    assert set(WRITERS) == set(FORMATS)


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_gives_the_same_class(tmp_path: Path, kind: str) -> None:
    moments = read(table(tmp_path, kind))
    assert moments.names == tuple(NAMES)
    assert_same(learn(moments))


@pytest.mark.parametrize("kind", FORMATS)
def test_the_format_can_be_said_where_the_suffix_does_not_tell(tmp_path: Path, kind: str) -> None:
    path = table(tmp_path, kind, suffix=".dat")
    assert_same(learn(read(path, kind=kind)))
    if kind != "moments":  # which are known by their first bytes
        with pytest.raises(FileError, match="unknown format"):
            read(path)


@pytest.mark.parametrize("kind", FORMATS)
def test_columns_can_be_chosen_and_left_out_in_every_format(tmp_path: Path, kind: str) -> None:
    path = table(tmp_path, kind)
    chosen = read(path, choice=ColumnSelection(keep=("x4", "x0", "x2")))
    assert chosen.names == ("x4", "x0", "x2")
    assert learn(chosen).cpdag == learn(FRAME[["x4", "x0", "x2"]]).cpdag
    rest = read(path, choice=ColumnSelection(drop=("x5", "x1")))
    assert learn(rest).cpdag == learn(FRAME.drop(columns=["x1", "x5"])).cpdag
    with pytest.raises(DataError, match="there is no column 'x9'"):
        read(path, choice=ColumnSelection(drop=("x9",)))


@pytest.mark.parametrize("kind", sorted(set(FORMATS) - {"npy", "moments", "covariance"}))
def test_a_column_that_is_left_out_may_hold_text(tmp_path: Path, kind: str) -> None:
    frame = FRAME.assign(city=["Ulm, Donau"] * len(FRAME))
    if kind == "npz":
        path = str(tmp_path / "table.npz")
        np.savez(path, **{name: FRAME[name] for name in NAMES}, city=np.array(["Ulm"] * 400))
    elif kind == "jsonl":
        path = table(tmp_path, kind)
        lines = Path(path).read_text().replace("}", ', "city": "Ulm"}')
        Path(path).write_text(lines)
    else:
        path = table(tmp_path, kind, frame)
    assert_same(learn(read(path, choice=ColumnSelection(drop=("city",)))))
    with pytest.raises((FileError, DataError), match="'city'"):
        read(path)


@pytest.mark.parametrize("kind", sorted(set(FORMATS) - {"covariance"}))  # which have no means
def test_several_files_are_parts_of_one_table(tmp_path: Path, kind: str) -> None:
    parts = []
    for place, rows in enumerate((slice(0, 100), slice(100, 250), slice(250, 400))):
        folder = tmp_path / str(place)
        folder.mkdir()
        parts.append(table(folder, kind, FRAME.iloc[rows]))
    assert learn(read(*parts)).cpdag == learn(FRAME).cpdag
    assert read(*parts).n == 400


def test_parts_of_different_tables_are_refused_by_name(tmp_path: Path) -> None:
    one, other = written(tmp_path, "a,b\n1,2\n3,5\n"), written(tmp_path, "a,c\n1,2\n", ".txt")
    with pytest.raises(DataError, match=r"lacks column 'b' that") as caught:
        read(one, other)
    assert repr(other) in str(caught.value)


def test_an_npz_file_of_one_matrix_is_a_table_without_names(tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    np.savez_compressed(path, anything=DRAWN.data)
    assert_same(learn(read(str(path))))


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "jsonl", "moments"])
def test_hostile_names_come_in_unchanged(tmp_path: Path, kind: str) -> None:
    names = [name for name in HOSTILE_NAMES if name.strip() == name and name]
    names = [name for name in names if "\ud800" not in name]  # which pandas cannot hold
    frame = pd.DataFrame(np.random.default_rng(0).random((3, len(names))), columns=names)
    assert read(table(tmp_path, kind, frame)).names == tuple(names)


@pytest.mark.parametrize("name", ["*.csv", "t[1].csv", "a?b.csv", "'; drop.csv", "%s {0}.csv"])
@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_names_of_files_are_taken_literally(tmp_path: Path, kind: str, name: str) -> None:
    path = Path(table(tmp_path, kind)).rename(tmp_path / name)
    assert_same(learn(read(str(path), kind=kind)))


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (["a,b"], ("a", "b")),
        (["a", "b,c"], ("a", "b", "c")),
        (['"a,b", c'], ("a,b", "c")),
        (["say hi"], ("say hi",)),
        ([], ()),
    ],
)
def test_lists_of_columns_may_quote_commas(given: list[str], names: tuple[str, ...]) -> None:
    assert selection_from(given, []).keep == names


@pytest.mark.parametrize("given", [["a,,b"], [""], ['"a'], ["a,b", "a"], ["a,a"]])
def test_lists_of_columns_that_make_no_sense_are_refused(given: list[str]) -> None:
    with pytest.raises(OptionError, match="--drop"):
        selection_from([], given)


def test_leaving_out_every_column_is_refused() -> None:
    with pytest.raises(DataError, match="no column is left"):
        ColumnSelection(keep=("a",), drop=("a",)).chosen(["a", "b"])


@pytest.mark.parametrize("mark", [";", "\t", "|"])
@pytest.mark.parametrize("names", [NAMES, ["a,b", *NAMES[1:]], ['say "hi";|', *NAMES[1:]]])
def test_columns_may_be_parted_by_other_marks(tmp_path: Path, mark: str, names: list[str]) -> None:
    path = tmp_path / "table.csv"
    FRAME.set_axis(names, axis=1).to_csv(path, index=False, sep=mark)
    moments = read(str(path))
    assert moments.names == tuple(names)
    expected = Moments.from_data(FRAME).covariance
    np.testing.assert_allclose(moments.covariance, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("packed", [".gz", ".bz2", ".zst"])
@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
def test_text_may_be_compressed(tmp_path: Path, kind: str, packed: str) -> None:
    path = pack(Path(table(tmp_path, kind)), packed)
    assert_same(learn(read(str(path))))


@pytest.mark.parametrize("packed", [".gz", ".bz2", ".zst"])
def test_damaged_compressed_text_is_refused(tmp_path: Path, packed: str) -> None:
    whole = pack(Path(table(tmp_path, "csv")), packed).read_bytes()
    for content in (b"", b"a,b\n1,2\n", whole[: len(whole) // 2], whole[:-1], b"x" + whole[1:]):
        path = tmp_path / f"damaged.csv{packed}"
        path.write_bytes(content)
        with pytest.raises(FileError) as caught:
            read(str(path))
        assert repr(str(path)) in str(caught.value)


def test_only_the_chosen_columns_of_parquet_are_read(tmp_path: Path) -> None:
    frame = FRAME.assign(notes="text", **{"x0.y": 1.0})
    path = tmp_path / "table.parquet"
    frame.to_parquet(path)
    assert_same(learn(read(str(path), choice=ColumnSelection(drop=("notes", "x0.y")))))
    assert read(str(path), choice=ColumnSelection(keep=("x3", "x0"))).names == ("x3", "x0")


BROKEN_CSV = [
    ("", "is empty"),
    ("\n\n", "is empty"),
    ("a,b\n", "no rows"),
    ("1,2\n3,4\n", "no header: line 1 holds only numbers"),
    ("a,b,a\n1,2,3\n", "line 1: columns 1 and 3 are both 'a'"),
    ("a,,c\n1,2,3\n", "line 1: column 2 has no name"),
    ("a,b\n1,2\n3\n", "line 3 has 1 fields; the header has 2"),
    ("a,b\n1,2,3\n", "line 2 has 3 fields; the header has 2"),
    ("a,b\n1,2\n3,\n", "line 3, column 'b': the value is missing"),
    ("a,b\n1,2\n3,x y\n", "line 3, column 'b': 'x y' is not a finite number"),
    ("a,b\n1,nan\n", "line 2, column 'b': 'nan' is not a finite number"),
    ("a,b\n1,-inf\n", "line 2, column 'b': '-inf' is not a finite number"),
    ("a,b\n1,1e999\n", "line 2, column 'b': '1e999' is not a finite number"),
    ("a,b\n1,1_000\n", "line 2, column 'b': '1_000' is not a finite number"),
    ("a;b\n1,5;2\n", "line 2, column 'a': '1,5' is not a finite number; write decimals with a"),
    ("a;b\n1;2,5\n3,5;4\n", "line 2, column 'b': '2,5' is not a finite number; write decimals"),
    ("a;b\n1;2\n-3,5;4\n", "line 3, column 'a': '-3,5' is not a finite number; write decimals"),
    ('a,b\n"1,5",2\n', "line 2, column 'a': '1,5' is not a finite number; write decimals with a"),
    ("a,b\nN/A,2\n1,2\n", "'N/A' is not a finite number; correct it, leave the column out with"),
    ("a,b\n1,2\n3,\n", "--missing drop to leave out such rows, --missing em to estimate"),
    ("a,b\n1,2\n\n3,4\n", "line 3 is empty"),
    ('a,b\n1,"2\n', "is not valid CSV"),
    ('a,b\n"1\n2",3\n', r"line 3, column 'a': '1\n2' is not a finite number"),
    (b"a,b\n1,\xff\n", "is not UTF-8 text"),
    (b"\x01\x02", "no rows"),
]
BROKEN_JSON = [
    ("", "is empty"),
    ("[1, 2]\n", "line 1 is not an object"),
    ("{}\n", "line 1 is not an object"),
    ('{"a": 1}\n{"a": }\n', "line 2 is not valid JSON"),
    ('{"a": 1, "a": 2}\n', "line 1 is not valid JSON: a name occurs twice"),
    ('{"a": 1}\n\n{"a": "1"}\n', "line 3, column 'a': '1' is not a finite number"),
    ('{"a": 1}\n{"a": null}\n', "line 2, column 'a': the value is missing"),
    ('{"a": 1}\n{"a": null}\n', "pass --missing drop to leave out such rows, --missing em to"),
    ('{"a": 1}\n{"a": NaN}\n', "line 2, column 'a': 'nan' is not a finite number"),
    ('{"a": 1e400}\n', "'inf' is not a finite number"),
    (f'{{"a": 1{"0" * 400}}}\n', "is not a finite number"),
    ('{"a": [1]}\n', "'[1]' is not a finite number"),
    ('{"a": 1}\n{"b": 1}\n', "line 2 and the first line differ in 'a' and 'b'"),
    ("[" * 100_000, "is not valid JSON"),
    (b'{"a": "\xff"}', "is not UTF-8 text"),
]
BROKEN_OTHER = [
    (".npy", b"", "not a .npy file"),
    (".npy", b"\x93NUMPY\x01\x00", "not a .npy file"),
    (".npz", b"PK\x03\x04", "not a .npz file"),
    (".npz", b"nonsense", "not a .npz file"),
    (".parquet", b"", "not a Parquet file"),
    (".parquet", b"PAR1 nonsense PAR1", "not a Parquet file"),
    (".xlsx", b"PK", "--format"),
]


@pytest.mark.parametrize(
    ("suffix", "content", "message"),
    [
        *((".csv", *case) for case in BROKEN_CSV),
        *((".jsonl", *case) for case in BROKEN_JSON),
        *BROKEN_OTHER,
    ],
    ids=str,
)
def test_a_broken_table_is_refused_in_one_line_with_the_place(
    tmp_path: Path,
    suffix: str,
    content: str | bytes,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = written(tmp_path, content, suffix)
    with pytest.raises(FileError) as caught:
        read(path)
    assert message in caught.value.shown(command=True)
    assert repr(path) in str(caught.value)
    assert main(["learn", path]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("greedag: ")
    assert output.err.count("\n") == 1


def test_arrays_that_hold_objects_are_never_unpickled(tmp_path: Path) -> None:
    class Loud:
        def __reduce__(self) -> tuple[Any, ...]:
            return (print, ("unpickled",))

    for kind, save in (("npy", np.save), ("npz", np.savez)):
        path = str(tmp_path / f"table.{kind}")
        save(path, np.array([[Loud()]], dtype=object), allow_pickle=True)
        with pytest.raises(FileError, match="file of numbers"):
            read(path)


@pytest.mark.parametrize("shape", [(), (3,), (2, 2, 2), (0, 3), (3, 0)])
def test_arrays_that_are_no_table_are_refused(tmp_path: Path, shape: tuple[int, ...]) -> None:
    path = str(tmp_path / "table.npy")
    np.save(path, np.zeros(shape))
    with pytest.raises(DataError, match="table") as caught:
        read(path)
    assert repr(path) in str(caught.value)


@pytest.mark.parametrize("shapes", [[], [(3,), (4,)], [(3, 2), (3, 2)], [(3,), (3, 1)]])
def test_archives_that_are_no_table_are_refused(
    tmp_path: Path, shapes: list[tuple[int, ...]]
) -> None:
    path = str(tmp_path / "table.npz")
    np.savez(path, **{f"a{j}": np.zeros(shape) for j, shape in enumerate(shapes)})
    with pytest.raises(FileError, match="one array of rows by columns"):
        read(path)


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffa,b\n1,2\n3,4.5\n",
        "a,b\r\n1,2\r\n3,4.5\r\n",
        "a,b\n1,2\n3,4.5",
        "a,b\n1,2\n3,4.5\n\n\n",
        ' a ,"b"\n 1 , 2 \n"3",4.5\n',
        "a,b\n+1,2e0\n3.,45e-1\n",
    ],
    ids=["BOM", "CRLF", "no last newline", "blank end", "spaces and quotes", "number forms"],
)
def test_common_dialects_are_read(tmp_path: Path, content: str) -> None:
    opened = open_files(written(tmp_path, content), ReadOptions())
    (chunk,) = opened.chunks()
    assert chunk.table.to_pydict() == {"a": [1.0, 3.0], "b": [2.0, 4.5]}


def test_values_whose_sum_is_beyond_a_double_are_read(tmp_path: Path) -> None:
    opened = open_files(written(tmp_path, "a,b\n1e308,1e308\n1e308,2\n"), ReadOptions())
    (chunk,) = opened.chunks()
    assert chunk.table.to_pydict() == {"a": [1e308, 1e308], "b": [1e308, 2.0]}


@pytest.mark.parametrize("name", ["missing.csv", ".", "missing/folder.csv", "nul\0byte.csv"])
def test_a_file_that_cannot_be_opened_is_named(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", str(tmp_path / name), "--format", "csv"]) == 2
    err = capsys.readouterr().err
    assert repr(str(tmp_path / name)) in err
    assert err.count("\n") == 1


def test_without_pyarrow_a_parquet_file_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = table(tmp_path, "parquet")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    assert main(["learn", path]) == 2
    assert 'pip install "greedag[io]"' in capsys.readouterr().err


def test_the_index_of_a_pandas_frame_is_left_out_with_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.parquet"
    FRAME[FRAME.x0 > 0.0].to_parquet(path)
    assert main(["learn", str(path)]) == 0
    output = capsys.readouterr()
    assert output.out.startswith("xges, alpha 2: 6 columns, ")
    assert "greedag: warning: left out column '__index_level_0__' of " in output.err
    assert main(["learn", str(path), "--columns", "x0,x1,__index_level_0__"]) == 0
    output = capsys.readouterr()
    assert output.out.startswith("xges, alpha 2: 3 columns, ")
    assert output.err == ""


def test_a_wrong_value_early_in_a_large_file_ends_the_process_in_order(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(40_000, 8)).round(12)
    lines = [",".join(map(str, row)) for row in rows.tolist()]
    lines[1] = lines[1].replace(lines[1].partition(",")[0], "red", 1)
    path = tmp_path / "large.csv"
    path.write_text("\n".join(["a,b,c,d,e,f,g,h", *lines]), encoding="utf-8")
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-m", "greedag", "learn", str(path)], capture_output=True, text=True
        )
        assert done.returncode == 2
        assert "line 3, column 'a': 'red' is not a finite number" in done.stderr


def test_wrong_cells_of_files_are_errors_of_files_and_of_data(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n1,red\n", encoding="utf-8")
    for kind in (FileError, DataError):
        with pytest.raises(kind, match="line 3, column 'b': 'red'"):
            Moments.from_file(path)


def test_moments_are_not_added_to_a_table_with_levels(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.5, 3.0, 1.5], "b": [2.0, 1.0, 0.5, 4.0]})
    Moments.from_data(frame).save(tmp_path / "m.npz")
    frame.assign(b=["x", "y", "x", "y"]).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(DataError, match="has discrete columns"):
        learn([str(tmp_path / "m.npz"), tmp_path / "t.csv"])


def test_a_damaged_archive_is_refused_as_no_archive(tmp_path: Path) -> None:
    path = tmp_path / "t.npz"
    np.savez_compressed(path, a=np.arange(500.0), b=np.arange(500.0) ** 2)
    content = bytearray(path.read_bytes())
    content[60:120] = bytes(60)
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"not a \.npz file"):
        read(str(path))


def test_objects_of_json_need_a_name_for_every_column(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"": 1, "b": 2}\n{"": 2, "b": 5}\n', encoding="utf-8")
    with pytest.raises(DataError, match="has no name"):
        read(str(path))


def test_long_doubles_are_read_as_doubles(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(50, 3))
    np.save(tmp_path / "t.npy", values.astype(np.longdouble))
    assert read(str(tmp_path / "t.npy")).covariance == pytest.approx(
        Moments.from_data(values).covariance, rel=1e-12
    )


def test_missing_values_under_a_mixed_score_are_not_to_be_estimated(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n1,\n", encoding="utf-8")
    with pytest.raises(FileError, match="the value is missing") as caught:
        learn(path, score="degenerate-gaussian")
    assert "--missing drop" in caught.value.shown(command=True)
    assert "em" not in caught.value.shown(command=True).split("pass")[1]
