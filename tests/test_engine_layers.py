"""Which folder of the engine may include which, and what the engine leaves to others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ENGINE = Path(__file__).parent.parent / "src" / "core"
FILES = sorted(ENGINE.rglob("*.?pp"))

# Each folder may include itself and those listed, never one that stands below it here.
FOLDERS = {
    "graph": set(),
    "util": {"graph"},
    "scores": {"graph", "util"},
    "scores/gaussian": {"scores"},
    "scores/discrete": {"graph", "scores"},
    "scores/mixed": {"scores", "scores/discrete", "scores/gaussian"},
    "gain_cache": {"graph", "scores", "util"},
    "operators": {"gain_cache", "graph", "scores", "util"},
    "search": {
        "gain_cache",
        "graph",
        "operators",
        "scores",
        "scores/discrete",
        "scores/gaussian",
        "util",
    },
}


def folder_of(path: Path) -> str:
    return path.parent.relative_to(ENGINE).as_posix()


def included(path: Path) -> list[str]:
    """Return the engine's headers that a file includes, relative to the engine."""
    return re.findall(r'#include "core/([\w/]+\.hpp)"', path.read_text(encoding="utf-8"))


def test_every_file_lies_in_a_known_folder() -> None:
    assert {folder_of(path) for path in FILES} == set(FOLDERS)
    assert len(list(ENGINE.iterdir())) <= 8


@pytest.mark.parametrize("folder", FOLDERS)
def test_folders_include_only_what_stands_above_them(folder: str) -> None:
    used = {
        Path(header).parent.as_posix()
        for path in FILES
        if folder_of(path) == folder
        for header in included(path)
    }
    assert used <= FOLDERS[folder] | {folder}


def test_headers_do_not_include_each_other_in_a_cycle() -> None:
    waiting = {path.relative_to(ENGINE).as_posix(): set(included(path)) for path in FILES}
    headers = {name: needed for name, needed in waiting.items() if name.endswith(".hpp")}
    while ready := {name for name, needed in headers.items() if not needed & set(headers)}:
        headers = {name: needed for name, needed in headers.items() if name not in ready}
    assert not headers


def test_file_names_are_unique_so_that_pages_can_name_a_file_alone() -> None:
    assert len({path.name for path in FILES}) == len(FILES)


def test_the_engine_knows_nothing_of_python_and_does_no_input_or_output() -> None:
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"#include <(Python\.h|nanobind|iostream|fstream|cstdio)", text)


def test_no_file_of_the_engine_is_longer_than_500_lines() -> None:
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {name: length for name, length in lengths.items() if length > 500} == {}
