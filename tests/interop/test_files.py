"""Graphs in files: the suffix chooses the format, and broken files are refused by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from greedag import CPDAG, DataError, FileError, OptionError, Result, interop, learn, simulate
from helpers.hostile_names import HOSTILE_NAMES

DRAWN = simulate.linear_gaussian(15, 1.5, 200, seed=5)
GRAPH = DRAWN.cpdag


@pytest.mark.parametrize("suffix", [*interop.SUFFIXES, ".JSON"])
def test_what_is_written_is_read_back(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"graph{suffix}"
    interop.write(path, GRAPH)
    assert interop.read(path) == GRAPH
    assert interop.read(str(path)) == GRAPH


@pytest.mark.parametrize("suffix", interop.SUFFIXES)
def test_of_a_result_the_class_is_read(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"graph{suffix}"
    result = learn(DRAWN.data)
    interop.write(path, result)
    assert interop.read(path) == result.cpdag


def test_json_keeps_the_whole_result(tmp_path: Path) -> None:
    result = learn(DRAWN.data)
    interop.write(tmp_path / "graph.json", result)
    assert Result.load(tmp_path / "graph.json") == result


@pytest.mark.parametrize("suffix", interop.SUFFIXES)
def test_files_keep_hostile_names_or_are_not_written(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"graph{suffix}"
    for name in HOSTILE_NAMES:
        graph = CPDAG.from_dag([[0, 1], [0, 0]], names=["first", name])
        try:
            interop.write(path, graph)
        except DataError as error:
            assert "rename the column" in str(error)
            assert not path.exists()
            continue
        assert interop.read(path) == graph
        path.unlink()


@pytest.mark.parametrize("name", ["graph", "graph.xml", "graph.npy", "json", ""])
def test_unknown_suffixes_are_refused_with_the_known_ones(name: str, tmp_path: Path) -> None:
    for call in (lambda: interop.read(name), lambda: interop.write(name, GRAPH)):
        with pytest.raises(OptionError, match=r"choose one of \.json, \.dot, \.gv, \.graphml"):
            call()


def test_only_graphs_are_written(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="not ndarray"):
        interop.write(tmp_path / "graph.json", np.eye(2))  # type: ignore[arg-type]


@pytest.mark.parametrize("suffix", interop.SUFFIXES)
def test_missing_empty_and_foreign_files_are_refused_by_name(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"graph{suffix}"
    with pytest.raises(FileError, match=f"no file .*graph{suffix}"):
        interop.read(path)
    for content in (b"", b"\0" * 100, b"\xff\xfe\xfa", "Zürich;5\n".encode() * 10):
        path.write_bytes(content)
        with pytest.raises(FileError, match=f"graph{suffix}'"):
            interop.read(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(FileError, match="check that it is a file"):
        interop.read(path)
    with pytest.raises(FileError, match="folder"):
        interop.write(path, GRAPH)


def test_errors_name_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "graph.dot"
    path.write_text("digraph {\n  a -> b;\n  b => c;\n}\n")
    with pytest.raises(
        FileError, match=r"graph\.dot': line 3: found '=' where|line 3: cannot read"
    ):
        interop.read(path)
    path.write_bytes(b"digraph {\n a -> \xff }")
    with pytest.raises(FileError, match=r"graph\.dot': line 2: not UTF-8 text"):
        interop.read(path)


def test_files_that_are_too_large_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "graph.csv"
    interop.write(path, GRAPH)
    monkeypatch.setattr("greedag.interop.formats.MAX_BYTES", 10)
    with pytest.raises(FileError, match="more than the limit of 10"):
        interop.read(path)


def test_a_file_with_a_dag_is_read_as_its_class_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "model.dagitty"
    path.write_text("dag { x -> y -> z }")
    with pytest.raises(FileError, match=r"model\.dagitty': the edges form a DAG.*as_dag=True"):
        interop.read(path)
    assert interop.read(path, as_dag=True).undirected == (("x", "y"), ("y", "z"))


def test_byte_order_marks_and_line_ends_of_windows_are_read(tmp_path: Path) -> None:
    for suffix in (".dot", ".csv", ".txt", ".dagitty", ".graphml"):
        path = tmp_path / f"graph{suffix}"
        interop.write(path, GRAPH)
        content = path.read_bytes()
        path.write_bytes(b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"))
        assert interop.read(path) == GRAPH


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "graph.txt"
    interop.write(path, GRAPH)
    with pytest.raises(DataError, match="Tetrad"):
        interop.write(path, CPDAG.from_dag([[0]], names=["two words"]))
    assert interop.read(path) == GRAPH
    assert [entry.name for entry in tmp_path.iterdir()] == ["graph.txt"]
