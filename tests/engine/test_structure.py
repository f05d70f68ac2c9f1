"""Who may use whom, and that the engine's stub says what the engine has."""

from __future__ import annotations

import ast
import re

import pytest

from greedag import _core
from helpers.paths import ROOT

PACKAGE = ROOT / "src" / "greedag"
ENGINE = ROOT / "src" / "core"

CPP = {
    "node_set": set(),
    "observer": set(),
    "best_target": {"node_set"},
    "watch_table": {"node_set"},
    "candidate_list": {"node_set"},
    "pdag": {"node_set"},
    "paths": {"pdag"},
    "completion": {"footprint", "pdag"},
    "operators": {"pdag"},
    "score": {"pdag"},
    "callback_score": {"score", "set_map"},
    "local_scores": {"bge", "callback_score", "observer", "score", "set_score", "testwise_score"},
    "exact": {"local_scores"},
    "dependence": {"gaussian_bic"},
    "gaussian_bic": {"score"},
    "sweep": {"gaussian_bic"},
    "gaussian_gains": {"sweep"},
    "set_map": {"node_set"},
    "bge": {"sweep"},
    "log_det": {"score"},
    "set_score": {"score", "set_map"},
    "degenerate_gaussian": {"gaussian_bic", "log_det", "set_score"},
    "cells": set(),
    "conditional_gaussian": {"cells", "gaussian_bic", "log_det", "set_score"},
    "level_table": {"node_set"},
    "cell_counter": {"level_table"},
    "cell_terms": {"level_table", "score"},
    "discrete_score": {"cell_counter", "cell_terms", "set_score"},
    "testwise_score": {"cell_terms", "cells", "score", "set_map"},
    "shared_lists": {"set_map"},
    "gain_book": {"shared_lists"},
    "known_gains": {"gain_book", "score", "tally"},
    "tally": {"node_set"},
    "team": set(),
    "footprint": {"node_set"},
    "failed_trials": {"footprint", "operators", "set_map"},
    "updates": {"operators", "pdag"},
    "enumerate": {
        "candidate_list",
        "completion",
        "known_gains",
        "observer",
        "operators",
    },
    "candidates": {
        "best_target",
        "enumerate",
        "footprint",
        "paths",
        "team",
        "updates",
        "watch_table",
    },
    "random": {"node_set"},
    "search_state": {"candidates", "completion", "random"},
    "order_search": {"known_gains", "observer", "random"},
    "xges": {"failed_trials", "search_state", "team"},
    "refine": {"order_search", "team", "xges"},
    "search": {"exact", "refine"},
    "pair_operators": {"enumerate", "paths"},
}


@pytest.mark.parametrize("unit", CPP)
def test_engine_units_include_only_what_stands_before_them(unit: str) -> None:
    for path in ENGINE.glob(f"{unit}.*"):
        included = set(re.findall(r'#include "core/(\w+)\.hpp"', path.read_text(encoding="utf-8")))
        assert included - {unit} <= CPP[unit]


def test_the_engine_knows_nothing_of_python_and_does_no_input_or_output() -> None:
    for path in ENGINE.iterdir():
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"#include <(Python\.h|nanobind|iostream|fstream|cstdio)", text)


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
