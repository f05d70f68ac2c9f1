"""ARCHITECTURE.md and the design pages name files that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helpers.paths import ROOT

PAGES = [ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs" / "design").glob("*.md"))]
PACKAGE, ENGINE = ROOT / "src" / "greedag", ROOT / "src" / "core"
# Where a page may start its paths.
STARTS = (ROOT, PACKAGE, ENGINE, ENGINE.parent)
NAME = re.compile(r"`([\w/]+\.(?:py|cpp|hpp|html|md))`")


def is_there(name: str) -> bool:
    """Whether a file is there, by its path or, without folders, by its name alone."""
    if any((start / name).exists() for start in STARTS):
        return True
    return "/" not in name and any(
        any(start.rglob(name)) for start in (ROOT / "src", ROOT / "docs")
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_that_a_page_names_are_there(page: Path) -> None:
    names = set(NAME.findall(page.read_text(encoding="utf-8")))
    assert sorted(name for name in names if not is_there(name)) == []


def test_the_page_lists_every_package_and_module_at_the_top() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    tops = [path for path in PACKAGE.iterdir() if not path.name.startswith("__")]
    names = [
        f"{p.name}/" if p.is_dir() else p.name for p in tops if p.is_dir() or p.suffix == ".py"
    ]
    assert [name for name in names if f"`{name}`" not in page] == []
    # Room is left for those of three packages that are to come.
    to_come = {"app", "effects", "uncertainty"} - {path.name for path in tops}
    kept = [
        path for path in PACKAGE.iterdir() if path.suffix != ".so" and path.name != "__pycache__"
    ]
    assert len(kept) <= 24 - len(to_come)
    assert {path.name for path in ENGINE.iterdir() if f"`{path.name}/`" not in page} == set()
