"""First columns without a name, as R and pandas write the names of rows."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from greedag import DataError, GreedagWarning, Levels, Moments, Result, learn
from greedag.cli import main
from greedag.errors import Note

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.normal(size=(40, 3)), columns=list("abc"))
FRAME["c"] += FRAME["a"]
TEXTS = [f"subject {i}" for i in range(40)]


def with_first(name: Any, values: Any) -> pd.DataFrame:
    return pd.concat([pd.DataFrame({name: values}), FRAME], axis=1)


def learned(data: Any) -> tuple[Result, list[Note]]:
    with pytest.warns(
        GreedagWarning, match="left out the first column .* numbers or names the rows"
    ) as caught:
        result = learn(data)
    assert [warning.message.code for warning in caught] == ["index-column"]  # type: ignore[union-attr]
    return result, [note for note in result.notes if note.code == "index-column"]


@pytest.mark.parametrize("values", [range(40), range(1, 41), np.arange(7.0, 47.0), TEXTS])
@pytest.mark.parametrize("name", ["", "Unnamed: 0"])
def test_a_first_column_that_numbers_or_names_the_rows_is_left_out(name: str, values: Any) -> None:
    frame = with_first(name, values)
    for table in (
        frame,
        pl.DataFrame({label: frame[label].tolist() for label in frame}),
        pa.Table.from_pandas(frame),
    ):
        result, notes = learned(table)
        assert result.cpdag == learn(FRAME).cpdag
        assert [note.columns for note in notes] == [(name,)]
        assert "to include it, rename it" in notes[0]


@pytest.mark.parametrize(
    "values",
    [
        [0, *range(39)],
        range(0, 80, 2),
        np.arange(40) + 0.5,
        [*range(39), None],
        RNG.normal(size=40),
    ],
)
def test_a_first_column_that_holds_something_else_is_kept(values: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Moments.from_data(with_first("Unnamed: 0", values).fillna(3.5)).d == 4
    with pytest.raises(DataError, match="has no name"):
        Moments.from_data(with_first("", values))


def test_other_names_places_and_the_callers_own_names_keep_it() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert learn(with_first("row", range(40))).cpdag.names == ("row", "a", "b", "c")
        behind = FRAME.assign(**{"Unnamed: 0": range(40)})
        assert learn(behind).cpdag.names == ("a", "b", "c", "Unnamed: 0")
        named = Moments.from_data(with_first("Unnamed: 0", range(40)), names=list("wxyz"))
        assert named.names == tuple("wxyz")
    with pytest.warns(GreedagWarning, match="left out"):
        assert Moments.from_data(with_first("", range(40))).names == ("a", "b", "c")


def from_r(path: Path, mark: str) -> Path:
    """Write as R's write.table does: the header is one field short."""
    header = mark.join(f'"{name}"' for name in FRAME)
    rows = [
        f'"{i}"{mark}{mark.join(map(repr, row))}' for i, row in enumerate(FRAME.values.tolist())
    ]
    path.write_text("\n".join([header, *rows, ""]))
    return path


@pytest.mark.parametrize(
    "writer", ["pandas", "pandas twice", "text", "R", "R with tabs", "parquet"]
)
def test_files_are_read_without_it(
    writer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / ("table.parquet" if writer == "parquet" else "table.csv")
    if writer == "pandas":
        FRAME.to_csv(path)
    elif writer == "pandas twice":
        with_first("Unnamed: 0", range(40)).to_csv(path, index=False)
    elif writer == "text":
        FRAME.set_index(pd.Index(TEXTS)).to_csv(path)
    elif writer == "parquet":
        with_first("Unnamed: 0", range(40)).to_parquet(path, index=False)
    else:
        from_r(path, "\t" if "tabs" in writer else ",")
    with pytest.warns(GreedagWarning, match="numbers or names the rows"):
        moments = Moments.from_file(path)
    np.testing.assert_allclose(moments.covariance, Moments.from_data(FRAME).covariance)
    assert moments.names == ("a", "b", "c")
    out = tmp_path / "graph.json"
    assert main(["learn", str(path), "--out", str(out)]) == 0
    assert "numbers or names the rows" in capsys.readouterr().out
    assert [note.code for note in Result.load(out).notes] == ["index-column"]


def test_files_of_levels_are_read_without_it(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["x", "y"] * 20, "b": ["u", "u", "v", "v"] * 10})
    frame.to_csv(tmp_path / "table.csv")
    out = tmp_path / "graph.json"
    assert main(["learn", str(tmp_path / "table.csv"), "--out", str(out), "--quiet"]) == 0
    result = Result.load(out)
    assert result.cpdag.names == ("a", "b") and "index-column" in {n.code for n in result.notes}
    with pytest.warns(GreedagWarning, match="left out"):
        assert Levels.from_file(tmp_path / "table.csv").names == ("a", "b")


def test_columns_that_are_named_are_read_from_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.csv"
    with_first("Unnamed: 0", range(40)).to_csv(path, index=False)
    assert main(["learn", str(path), "--columns", "Unnamed: 0,a,b"]) == 0
    assert main(["learn", str(path), "--columns", "Unnamed: 0,a,b", "--missing", "drop"]) == 0
    output = capsys.readouterr()
    assert "left out" not in output.out + output.err
    assert output.out.count("3 columns, 40 rows") == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (",a,b\n1,2.5,3\n1,4,5\n2,3,1\n", "line 1: column 1 has no name"),
        ("a,,b\n1,2.5,3\n2,4,5\n", "line 1: column 2 has no name"),
        ("a,b\n7,2.5,3\n7,4,5\n", "line 2 has 3 fields; the header has 2"),
        ("a,b\n1,2.5,3,4\n2,4,5,6\n", "line 2 has 4 fields; the header has 2"),
        (",a,\n1,2.5,3\n2,4,5\n", "column 2 has no name|column 3 has no name"),
    ],
)
def test_other_headers_are_refused_as_ever(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        Moments.from_file(path)
