"""What the contracts in pyproject.toml cannot say of imports; `make check` holds those."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from helpers.paths import ROOT, TESTS

PACKAGE = ROOT / "src" / "greedag"
# These stand above all that the package itself offers.
ABOVE = ("__main__.py", "app", "cli", "report")
BELOW = sorted(
    path
    for path in PACKAGE.rglob("*.py")
    if path != PACKAGE / "__init__.py" and path.relative_to(PACKAGE).parts[0] not in ABOVE
)
MODULES = {"_core", *(path.stem for path in PACKAGE.iterdir())}


def imports(path: Path) -> set[tuple[str, str]]:
    """Return the modules a file imports, each with the names taken from it, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {(alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {("." * node.level + (node.module or ""), alias.name) for alias in node.names}
    return found


@pytest.mark.parametrize("path", BELOW, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_modules_import_each_other_and_not_the_package_that_gathers_them(path: Path) -> None:
    assert {name for module, name in imports(path) if module == "greedag"} <= MODULES


@pytest.mark.parametrize(
    "path", sorted((TESTS / "oracle").glob("*.py")), ids=lambda path: path.stem
)
def test_a_twin_imports_nothing_of_what_it_is_compared_with(path: Path) -> None:
    assert not {module for module, _ in imports(path) if module.split(".")[0] == "greedag"}


def test_a_compiled_twin_includes_nothing_of_what_it_is_compared_with() -> None:
    sources = sorted((TESTS / "oracle").glob("*.?pp"))
    assert sources
    assert not [path.name for path in sources if '"core/' in path.read_text(encoding="utf-8")]
