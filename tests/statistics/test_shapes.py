"""Skewness and kurtosis are counted with the moments, merged, and noted on every road."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from greedag import GreedagWarning, Moments, Result, learn
from greedag.cli import main
from greedag.statistics import scatter
from greedag.statistics.shapes import notes_of_shapes, shapes_of, unusual_shapes
from oracle.shapes import skewness_and_kurtosis

RNG = np.random.default_rng(5)
SCALES = [0.2, 0.8, 1.2]
ROWS = np.exp(RNG.normal(size=(900, 3)) * SCALES) * [1.0, 1e-8, 1e6] + [0.0, 0.0, 3e7]
NORMAL = RNG.normal(size=(900, 3))
TABLE = np.hstack([ROWS, NORMAL])


def expected(rows: Any, weights: Any = None) -> np.ndarray:
    listed = None if weights is None else list(weights)
    return np.array([skewness_and_kurtosis(list(x), listed) for x in rows.T]).T


def counted(moments: Moments) -> np.ndarray:
    assert moments.skewness is not None
    assert moments.kurtosis is not None
    return np.array([moments.skewness, moments.kurtosis])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("block_values", [2**20, 2**9])
def test_shapes_are_those_of_the_definition(
    order: Any, block_values: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scatter, "_BLOCK_VALUES", block_values)
    monkeypatch.setattr(scatter, "_LEAST_BLOCK_ROWS", 16)
    table = np.array(TABLE, order=order)
    np.testing.assert_allclose(counted(Moments.from_data(table)), expected(TABLE), rtol=1e-6)
    weights = RNG.integers(1, 4, len(TABLE))
    weighted = Moments.from_data(table, weights=weights)
    np.testing.assert_allclose(counted(weighted), expected(TABLE, weights), rtol=1e-6)


@pytest.mark.parametrize("cuts", [(1, 2, 500), (450,), (300, 600, 899)])
def test_merged_shapes_are_those_of_all_rows(cuts: tuple[int, ...]) -> None:
    parts = [Moments.from_data(part) for part in np.split(TABLE, cuts)]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part
    np.testing.assert_allclose(counted(whole), expected(TABLE), rtol=1e-6)


def test_shapes_survive_files_and_pickles_and_are_unknown_where_only_covariances_are(
    tmp_path: Path,
) -> None:
    moments = Moments.from_data(TABLE)
    moments.save(tmp_path / "m.npz")
    for again in (Moments.load(tmp_path / "m.npz"), pickle.loads(pickle.dumps(moments))):
        np.testing.assert_array_equal(counted(again), counted(moments))
    assert Moments(n=9, covariance=np.eye(2)).skewness is None
    holes = np.where(RNG.random(TABLE.shape) < 0.1, np.nan, TABLE)
    assert Moments.from_data(holes, missing="em").skewness is None
    assert "skewed" not in {note.code for note in learn(holes, missing="em").notes}


def test_extreme_scales_and_constants_give_finite_shapes() -> None:
    table = np.stack([ROWS[:, 0] * 1e307, ROWS[:, 0] * 1e-307, np.full(900, 7.0)], axis=1)
    shapes = counted(Moments.from_data(table))
    np.testing.assert_allclose(shapes[:, 0], expected(ROWS)[:, 0], rtol=1e-6)
    np.testing.assert_allclose(shapes[:, 1], expected(ROWS)[:, 0], rtol=1e-6)
    assert shapes[:, 2].tolist() == [0.0, 0.0]
    assert shapes_of(table.T)[:, 2].tolist() == [0.0, 0.0]


def test_of_many_rows_evenly_spaced_ones_are_counted() -> None:
    table = np.exp(np.random.default_rng(0).normal(size=(50_000, 2)) * 0.5)
    every = -(-len(table) // scatter.SHAPE_ROWS)
    shapes = counted(Moments.from_data(table))
    np.testing.assert_allclose(shapes, expected(table[::every]), rtol=0.05)


def roads(folder: Path) -> dict[str, Any]:
    frame = pd.DataFrame(TABLE, columns=list("abcxyz"))
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_parquet(folder / "t.parquet")
    half = Moments.from_data(frame[:400]), Moments.from_data(frame[400:])
    return {
        "frame": lambda: learn(frame),
        "polars": lambda: learn(pl.from_pandas(frame)),
        "arrow": lambda: learn(pa.Table.from_pandas(frame)),
        "file": lambda: learn(str(folder / "t.csv")),
        "counted file": lambda: learn(Moments.from_file(folder / "t.parquet")),
        "sum of moments": lambda: learn(half[0] + half[1]),
        "weights": lambda: learn(frame, sample_weight=np.ones(900)),
        "bge": lambda: learn(frame, score="bge"),
        "extended": lambda: learn(frame, score="extended-bic"),
        "mixed": lambda: learn(frame.assign(g=np.arange(900) % 7 == 0)),
        "conditional": lambda: learn(
            frame.assign(g=np.arange(900) % 7 == 0), score="conditional-gaussian"
        ),
    }


ROADS = (
    *("frame", "polars", "arrow", "file", "counted file", "sum of moments", "weights"),
    *("bge", "extended", "mixed", "conditional"),
)


@pytest.mark.parametrize("road", ROADS)
def test_skewed_columns_are_noted_on_every_road(road: str, tmp_path: Path) -> None:
    result = roads(tmp_path)[road]()
    (note,) = [note for note in result.notes if note.code == "skewed"]
    assert note.columns == ("b", "c")
    assert "transform" in note


def test_dask_tables_get_the_note() -> None:
    dd = pytest.importorskip("dask.dataframe")
    frame = dd.from_pandas(pd.DataFrame(TABLE, columns=list("abcxyz")), npartitions=3)
    assert "skewed" in {note.code for note in learn(frame).notes}


def test_discrete_scores_get_no_note() -> None:
    levels = pd.DataFrame({"a": ["x"] * 95 + ["y"] * 5, "b": ["u", "v"] * 50})
    assert not {"skewed", "heavy-tails"} & {note.code for note in learn(levels).notes}


def test_the_command_line_and_the_report_show_the_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    roads(tmp_path)
    report = tmp_path / "r.html"
    assert main(["learn", str(tmp_path / "t.csv"), "--report", str(report)]) == 0
    assert "skewed columns: 'b' and 'c'" in capsys.readouterr().out
    assert "Skewed columns" in report.read_text()


def test_heavy_tails_are_noted_apart() -> None:
    table = np.random.default_rng(3).standard_t(3, size=(4000, 2))
    table[:, 1] = np.random.default_rng(1).normal(size=4000)
    shapes = np.array([[0.1, 0.0], [40.0, 3.0]])
    (note,) = notes_of_shapes(["x", "y"], shapes, 4000)
    assert (note.code, note.columns) == ("heavy-tails", ("x",))


@pytest.mark.parametrize(("n", "d"), [(20, 5), (30, 30), (100, 10)])
def test_normal_tables_get_no_note(n: int, d: int) -> None:
    rng = np.random.default_rng(n)
    alarms = 0
    for _ in range(400):
        found = unusual_shapes(shapes_of(rng.normal(size=(d, n))), n)
        alarms += bool(np.any(found))
    assert alarms <= 8


def test_every_skewed_column_is_named() -> None:
    table = np.exp(RNG.normal(size=(300, 12)) * 1.5)
    (note,) = [note for note in learn(table).notes if note.code == "skewed"]
    assert len(note.columns) == 12
    assert all(f"'x{j}'" in note for j in range(12))


def test_few_values_are_asked_about_of_floats_and_noted_by_every_name(tmp_path: Path) -> None:
    codes = pd.DataFrame(RNG.integers(0, 3, size=(200, 9)).astype(float))
    codes.columns = [f"q{j}" for j in range(9)]
    frame = codes.assign(size=RNG.normal(size=200))
    path = tmp_path / "codes.csv"
    frame.to_csv(path, index=False)
    for table in (frame, frame.to_numpy(), pl.from_pandas(frame), str(path)):
        with pytest.warns(GreedagWarning, match="numbers with at most 10") as caught:
            result: Result = learn(table)
        (note,) = [note for note in result.notes if note.code == "few-values"]
        assert str(caught[0].message) == note
        assert len(note.columns) == 9
        assert "more" not in note
        assert all(f"'{name}'" in note for name in note.columns)
