"""The engine's stub lists what the engine has."""

from __future__ import annotations

import ast

from greedag import _core
from helpers.paths import ROOT

STUB = ROOT / "src" / "greedag" / "_core.pyi"


def test_the_stub_lists_what_the_engine_has() -> None:
    stub = ast.parse(STUB.read_text(encoding="utf-8"))
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
