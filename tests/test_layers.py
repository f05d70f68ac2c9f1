"""Who may use whom, and that the engine's stub says what the engine has."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import greedag
from greedag import _core

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "greedag"

# Each module may use those before it on its own road, never one behind it.
PYTHON = {
    "errors": set(),
    "options": {"_core", "errors"},
    "progress": {"errors"},
    "storage": {"errors"},
    "npz": {"errors", "storage"},
    "documents": {"errors", "storage"},
    "missing": set(),
    "names": {"errors"},
    "data": {"errors", "missing", "names"},
    "kinds": {"data", "errors", "missing", "names"},
    "square": {"data"},
    "covariance": {"data", "errors", "square", "names"},
    "scatter": {"data", "square"},
    "weights": {"data", "errors"},
    "em": {"data", "missing"},
    "moments": {"covariance", "data", "errors", "npz", "scatter", "square", "storage", "names"},
    "rows": {"data", "errors", "levels", "missing", "mixed", "moments", "weights", "names"},
    "holes": {"data", "em", "errors", "missing", "moments", "rows", "names"},
    "files": {"errors", "names"},
    "streaming": {
        "data",
        "errors",
        "files",
        "levels",
        "missing",
        "moments",
        "names",
        "progress",
        "weights",
    },
    "cluster": {"data", "errors", "names"},
    "collinear": {"_core", "data", "errors", "moments", "square"},
    "levels": {"data", "errors", "missing", "names", "weights"},
    "mixed": {"data", "errors", "kinds", "levels", "moments", "names"},
    "node_sets": set(),
    "ancestry": {"node_sets"},
    "cliques": {"node_sets"},
    "clique_picking": {"cliques", "node_sets"},
    "members": {"clique_picking", "cliques", "node_sets"},
    "graph": {"_core", "ancestry", "errors", "members", "names", "options"},
    "result": {"base", "errors", "graph", "moments", "options"},
    "outcome": {"_core", "base", "errors", "graph", "result"},
    "directions": {"graph"},
    "explanation": {"graph", "result"},
    "explain": {"_core", "directions", "errors", "explanation", "graph", "result"},
    "gap": {
        "_core",
        "explain",
        "extended",
        "gaussian",
        "graph",
        "levels",
        "mixed",
        "moments",
        "options",
        "result",
    },
    "parameters": {"errors"},
    "batches": {"errors", "result"},
    "checkpoint": {"_core", "errors", "fingerprint", "storage"},
    "estimators": {"base", "kinds", "learning", "options", "parameters", "progress", "result"},
    "learning": {
        "_core",
        "batches",
        "checkpoint",
        "fingerprint",
        "storage",
        "rows",
        "base",
        "choice",
        "data",
        "errors",
        "kinds",
        "levels",
        "mixed",
        "moments",
        "options",
        "outcome",
        "progress",
        "result",
    },
    "optimum": {"base", "kinds", "learning", "options", "progress", "result"},
    "metrics": {"errors", "graph", "result"},
    "graph_score": {
        "_core",
        "base",
        "bge",
        "choice",
        "data",
        "errors",
        "graph",
        "kinds",
        "moments",
        "names",
        "result",
    },
    "coefficients": {"data", "errors", "explain", "graph", "graph_score", "moments", "result"},
    "fingerprint": {"data", "errors", "levels", "mixed", "moments"},
    "records": {
        "base",
        "choice",
        "documents",
        "errors",
        "fingerprint",
        "graph",
        "kinds",
        "options",
        "result",
        "storage",
    },
    "compare": {"errors", "fingerprint", "graph", "metrics", "options", "records", "result"},
    "simulate": {"errors", "graph", "moments", "options"},
}
# Scores stand on the statistics that they need; the choice sees all of them.
SCORES = {
    "base": {"_core", "data"},
    "gaussian": {"_core", "base", "collinear", "data", "moments", "options", "rows"},
    "discrete": {"_core", "base", "data", "errors", "levels", "options"},
    "extended": {"_core", "base", "collinear", "data", "errors", "gaussian", "moments", "options"},
    "bge": {"_core", "base", "data", "errors", "gaussian", "moments", "options"},
    "mixed": {
        "_core",
        "base",
        "collinear",
        "data",
        "errors",
        "kinds",
        "mixed",
        "moments",
        "options",
    },
    "custom": {"_core", "base", "data", "errors", "names"},
    "equivalence": {"_core", "base", "choice", "custom", "data", "errors", "options", "names"},
    "choice": {
        "base",
        "bge",
        "custom",
        "data",
        "discrete",
        "errors",
        "extended",
        "gaussian",
        "kinds",
        "levels",
        "mixed",
        "moments",
        "options",
        "rows",
        "weights",
    },
}
# Each format stands alone on what they share; files see all of them.
INTEROP = {
    "draft": {"errors", "graph", "names"},
    "statements": {"errors"},
    "networkx": {"errors", "graph", "draft", "names", "result"},
    "pgmpy": {"errors", "graph", "networkx", "draft", "result"},
    "causal_learn": {"errors", "graph", "draft", "result"},
    "dowhy": {"errors", "graph", "draft", "result"},
    "dot": {"errors", "graph", "draft", "statements", "result"},
    "dagitty": {"errors", "graph", "draft", "statements", "result"},
    "tetrad": {"errors", "graph", "draft", "result"},
    "graphml": {"errors", "graph", "draft", "result"},
    "edge_list": {"errors", "graph", "draft", "result"},
    "json_document": {"documents", "errors", "graph", "draft", "records", "result"},
    "matrices": {"errors", "graph", "draft", "names", "npz", "result"},
    "files": {
        "errors",
        "graph",
        "result",
        "storage",
        "dot",
        "dagitty",
        "tetrad",
        "graphml",
        "edge_list",
        "json_document",
        "matrices",
    },
}
# How things look, in the order of the work.
VIEW = {
    "__init__": set(),
    "colours": set(),
    "edges": {"graph"},
    "labels": {"graph"},
    "layers": {"edges"},
    "ordering": {"layers"},
    "placing": {"layers"},
    "layout": {"edges", "graph", "labels", "layers", "ordering", "placing"},
    "geometry": {"edges", "graph", "labels", "layout"},
    "focus": {"errors", "graph", "layout", "options"},
    "svg": {"colours", "edges", "geometry", "graph", "layout"},
    "text": {"edges", "graph", "labels"},
    "notebook": {"edges", "errors", "focus", "graph", "labels", "storage", "svg", "text"},
    "plot": {"colours", "edges", "errors", "focus", "geometry", "graph", "layout"},
}
# The report gathers from all that says something about a result; only Result.report uses it.
REPORT = {
    "embed": set(),
    "numbers": set(),
    "trace_plot": {"graph", "numbers", "result"},
    "columns": {"data", "graph", "moments", "numbers"},
    "column_table": {"columns", "graph", "numbers"},
    "edges": {"columns", "directions", "errors", "explain", "numbers", "result"},
    "words": {"edges", "graph", "numbers", "result"},
    "settings": {"numbers", "options", "records", "result"},
    "contents": {
        "column_table",
        "columns",
        "edges",
        "explain",
        "graph",
        "labels",
        "levels",
        "numbers",
        "report",
        "result",
        "svg",
        "trace_plot",
    },
    "page": {"__version__", "contents", "errors", "report", "result", "storage", "svg"},
    "__init__": {"page"},
}
# What the command line may use beside the public names.
CLI = {
    "choice",
    "compare",
    "errors",
    "files",
    "graph",
    "interop",
    "kinds",
    "names",
    "options",
    "records",
    "rows",
    "storage",
    "text",
}


def imported(path: Path) -> set[str]:
    """Return the modules of the package that a module imports when it is imported itself.

    What a method imports when it is called, and what only a type checker reads, may stand behind.
    """
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module == "greedag":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("greedag."):
            first, *rest = str(node.module).split(".")[1:]
            found.add(rest[0] if rest else first)
    return found


@pytest.mark.parametrize("module", PYTHON)
def test_python_modules_import_only_what_stands_before_them(module: str) -> None:
    assert imported(PACKAGE / f"{module}.py") <= PYTHON[module]


@pytest.mark.parametrize("module", SCORES)
def test_scores_import_only_what_they_need_of_the_data(module: str) -> None:
    assert imported(PACKAGE / "scores" / f"{module}.py") <= SCORES[module]


@pytest.mark.parametrize("module", INTEROP)
def test_formats_import_only_what_they_share(module: str) -> None:
    assert imported(PACKAGE / "interop" / f"{module}.py") <= INTEROP[module]


@pytest.mark.parametrize("module", VIEW)
def test_views_import_only_what_they_show(module: str) -> None:
    assert imported(PACKAGE / "view" / f"{module}.py") <= VIEW[module]


@pytest.mark.parametrize("module", REPORT)
def test_the_report_imports_only_what_it_reports(module: str) -> None:
    assert imported(PACKAGE / "report" / f"{module}.py") <= REPORT[module]


@pytest.mark.parametrize("path", sorted((PACKAGE / "cli").glob("*.py")), ids=lambda path: path.stem)
def test_the_command_line_uses_public_names_and_few_modules(path: Path) -> None:
    own = {other.stem for other in path.parent.glob("*.py")}
    assert imported(path) - set(greedag.__all__) <= CLI | own


def test_every_module_has_its_place() -> None:
    front = {"__init__", "__main__"}
    assert {path.stem for path in PACKAGE.glob("*.py")} == set(PYTHON) | front
    assert {path.stem for path in (PACKAGE / "scores").glob("*.py")} == {"__init__", *SCORES}
    assert {path.stem for path in (PACKAGE / "interop").glob("*.py")} == {"__init__", *INTEROP}
    assert {path.stem for path in (PACKAGE / "view").glob("*.py")} == set(VIEW)
    assert {path.stem for path in (PACKAGE / "report").glob("*.py")} == set(REPORT)


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
