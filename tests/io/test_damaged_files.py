"""Damaged files, checksums made to fit, are read or refused by an error of greedag."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from greedag import DataError, FileError, Levels, Moments
from greedag.graph.cpdag import CPDAG
from greedag.interop.matrices import from_npz, to_npz
from greedag.io.arrays import load_npz, save_npz
from helpers.mutations import DamagedFiles, failures

SEEDS = range(60)


@pytest.mark.filterwarnings("ignore")
def test_damaged_files_end_in_an_error_of_greedag(tmp_path: Path) -> None:
    wrong = [
        f"{name}, seed {seed}: {error!r}"
        for name, seed, error in failures(DamagedFiles(tmp_path), SEEDS)
    ]
    assert wrong == []


def changed_moments(path: Path, **changes: Any) -> Path:
    random = np.random.default_rng(0)
    Moments.from_data(random.normal(size=(50, 4))).save(path)
    stored = load_npz(path, "moments", 1)
    meta = {**stored.meta, **changes.pop("meta", {})}
    save_npz(path, "moments", 1, {**stored.arrays, **changes}, meta)
    return path


def test_moments_of_no_data_are_refused(tmp_path: Path) -> None:
    scaled = np.full((4, 4), -0.9) + 1.8 * np.eye(4)
    np.fill_diagonal(scaled, 0.9)
    path = changed_moments(tmp_path / "indefinite", scaled=scaled)
    with pytest.raises(FileError, match="negative variance"):
        Moments.load(path)
    scaled = 0.5 * np.eye(4)
    scaled[0, 0], scaled[0, 1], scaled[1, 0] = 0.0, 0.1, 0.1
    exponent = np.zeros(4, dtype=np.int32)
    for far in (np.inf, np.nan):
        endless = 0.5 * np.eye(4)
        endless[2, 3] = endless[3, 2] = far
        path = changed_moments(tmp_path / "endless", scaled=endless)
        with pytest.raises(FileError, match="not finite"):
            Moments.load(path)
    path = changed_moments(tmp_path / "constant", scaled=scaled, exponent=exponent)
    with pytest.raises(FileError, match="does not vary has covariances"):
        Moments.load(path)


@pytest.mark.parametrize("distinct", [-1, 0, 1.5, "many", True, None])
def test_moments_of_no_number_of_rows_are_refused(tmp_path: Path, distinct: object) -> None:
    path = changed_moments(tmp_path / "rows", meta={"distinct": distinct})
    with pytest.raises(FileError, match="number of distinct rows"):
        Moments.load(path)


def test_moments_of_an_earlier_version_have_as_many_distinct_rows_as_rows(tmp_path: Path) -> None:
    Moments.from_data(np.random.default_rng(0).normal(size=(3, 4))).save(tmp_path / "moments")
    stored = load_npz(tmp_path / "moments", "moments", 1)
    del stored.meta["distinct"]
    save_npz(tmp_path / "moments", "moments", 1, stored.arrays, stored.meta)
    assert Moments.load(tmp_path / "moments").rank == 2


@pytest.mark.parametrize("order", ["<", ">"])
def test_strings_that_are_no_text_are_refused(tmp_path: Path, order: str) -> None:
    names = np.array(["ab", "cd"], dtype=f"{order}U2")
    names.view(f"{order}u4")[1] = 0x110000
    path = tmp_path / "graph.npz"
    np.savez(path, adjacency=np.zeros((2, 2), dtype=np.uint8), names=names)
    with pytest.raises(DataError, match="invalid character"):
        from_npz(path.read_bytes())
    table = tmp_path / "table.npz"
    np.savez(table, a=names, b=np.arange(2))
    with pytest.raises(DataError, match="invalid character"):
        Levels.from_file(table)
    graph = CPDAG.from_matrix(np.zeros((2, 2)), ["a\U0010ffff", "b"])
    assert from_npz(to_npz(graph)) == graph


@pytest.mark.parametrize("line", [r'{"a": "\ud800", "b": "x"}', r'{"a\udfff": "y", "b": "x"}'])
def test_half_a_character_in_json_lines_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "table.jsonl"
    path.write_text(f"{line}\n{line.replace('x', 'z')}\n")
    with pytest.raises(FileError, match=r"line 1 has an unpaired surrogate"):
        Levels.from_file(path)
    path.write_text('{"a": "\\ud83d\\ude00", "b": "x"}\n{"a": "y", "b": "z"}\n')
    assert Levels.from_file(path).names == ("a", "b")
