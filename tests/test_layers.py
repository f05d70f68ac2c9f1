"""Who may use whom, and that the engine's stub says what the engine has."""

from __future__ import annotations

import ast
from pathlib import Path

from greedag import _core

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "greedag"


def test_the_stub_lists_what_the_engine_has() -> None:
    stub = ast.parse((PACKAGE / "_core.pyi").read_text(encoding="utf-8"))
    listed = {
        getattr(node, "name", None) or node.target.id  # type: ignore[attr-defined]
        for node in stub.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AnnAssign))
    }
    assert listed == {name for name in vars(_core) if not name.startswith("_")}
    for stubbed in (node for node in stub.body if isinstance(node, ast.ClassDef)):
        attributes = {node.name for node in stubbed.body if isinstance(node, ast.FunctionDef)}
        present = vars(getattr(_core, stubbed.name))
        assert attributes - {"__init__"} == {name for name in present if not name.startswith("_")}
