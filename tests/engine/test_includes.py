"""Which parts of the engine include which, and what the engine leaves to others."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from pathlib import Path

from helpers.paths import ROOT

ENGINE = ROOT / "src" / "core"
FILES = sorted(ENGINE.rglob("*.?pp"))
# Lowest first: a folder may include itself and those before it.
ORDER = ("graph", "util", "scores", "gain_cache", "operators", "search")


def includes(path: Path) -> list[Path]:
    """Return the engine's headers that a file includes, relative to the engine."""
    text = path.read_text(encoding="utf-8")
    return [Path(header) for header in re.findall(r'#include "core/([\w/]+\.hpp)"', text)]


def folder_graph() -> dict[str, set[str]]:
    """Return the other folders that each folder includes from."""
    graph: dict[str, set[str]] = {}
    for path in FILES:
        folder = path.parent.relative_to(ENGINE).as_posix()
        used = {header.parent.as_posix() for header in includes(path)}
        graph.setdefault(folder, set()).update(used - {folder})
    return graph


def test_folders_include_each_other_without_a_cycle() -> None:
    TopologicalSorter(folder_graph()).prepare()


def test_headers_include_each_other_without_a_cycle() -> None:
    headers = [path for path in FILES if path.suffix == ".hpp"]
    graph = {path.relative_to(ENGINE): includes(path) for path in headers}
    TopologicalSorter(graph).prepare()


def test_folders_include_only_those_below_them() -> None:
    def place(folder: str) -> int:
        return ORDER.index(folder.split("/")[0])

    for folder, used in folder_graph().items():
        assert max(map(place, used), default=0) <= place(folder), folder


def test_the_engine_knows_nothing_of_python_and_does_no_input_or_output() -> None:
    assert FILES
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"#include <(Python\.h|nanobind|iostream|fstream|cstdio)", text)


def test_the_engine_has_few_folders_and_short_files_with_names_of_their_own() -> None:
    assert len(list(ENGINE.iterdir())) <= 8
    assert len({path.name for path in FILES}) == len(FILES)
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {name: length for name, length in lengths.items() if length > 500} == {}
