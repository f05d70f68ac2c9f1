"""The engine's own functions refuse what they cannot work with, instead of reading beyond it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from greedag import _core
from greedag.result.coefficients import FITTED_EXACTLY
from greedag.statistics.collinearity import _DEPENDENT
from helpers.engine import everything

SCORE = _core.GaussianBic(np.eye(3), np.zeros(3), 100.0, 2.0)
EMPTY = np.zeros((3, 3), np.uint8)
# 0 - 1, and 2 apart.
EDGE = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], np.uint8)
CYCLE = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], np.uint8)
NO_CLASS = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]], np.uint8)
KINDS = ("insert", "delete", "reverse")
OUTSIDE = (-1, 3, 2**31 - 1, -(2**31))

HOOKS: dict[str, Callable[[Any], object]] = {
    "apply x": lambda v: [_core.apply(EDGE, kind, v, 0, []) for kind in KINDS],
    "apply y": lambda v: [_core.apply(EDGE, kind, 0, v, []) for kind in KINDS],
    "apply T": lambda v: [_core.apply(EDGE, kind, 2, 0, [v]) for kind in KINDS],
    "kept_after x": lambda v: _core.kept_after(EDGE, "insert", v, 0, []),
    "kept_after y": lambda v: _core.kept_after(EDGE, "delete", 0, v, []),
    "kept_after T": lambda v: _core.kept_after(EDGE, "insert", 2, 0, [v]),
    "gain x": lambda v: [_core.gain(SCORE, kind, v, 0, [], []) for kind in KINDS],
    "gain y": lambda v: [_core.gain(SCORE, kind, 0, v, [], []) for kind in KINDS],
    "gain E": lambda v: [_core.gain(SCORE, kind, 0, 1, [v], []) for kind in KINDS],
    "gain F": lambda v: [_core.gain(SCORE, kind, 0, 1, [], [v]) for kind in KINDS],
    "local_score y": lambda v: SCORE.local_score(v, []),
    "local_score parents": lambda v: SCORE.local_score(0, [1, v]),
    "best_operators": lambda v: _core.best_operators(SCORE, EMPTY, "insert", [(0, v)]),
    "turned_classes": lambda v: _core.turned_classes(SCORE, EMPTY, [(0, v)]),
    "TurnSearch": lambda v: _core.TurnSearch(SCORE, EMPTY).find([(0, v)]),
    "least_dependences": lambda v: _core.least_dependences(
        np.eye(3), np.eye(3), 100.0, [(v, 1)], [1.0]
    ),
}
MATRIX_HOOKS: dict[str, Callable[[Any], object]] = {
    "cpdag_of_dag": _core.cpdag_of_dag,
    "dag_of_cpdag": _core.dag_of_cpdag,
    "complete": _core.complete,
    "valid_operators": lambda matrix: _core.valid_operators(matrix, "insert"),
    "apply": lambda matrix: _core.apply(matrix, "insert", 0, 1, []),
    "kept_after": lambda matrix: _core.kept_after(matrix, "insert", 0, 1, []),
    "of_dag": SCORE.of_dag,
    "best_operators": lambda matrix: _core.best_operators(SCORE, matrix, "insert", []),
    "turned_classes": lambda matrix: _core.turned_classes(SCORE, matrix, []),
    "TurnSearch": lambda matrix: _core.TurnSearch(SCORE, matrix),
    "search": lambda matrix: _core.search(SCORE, "xges", start=matrix),
    "refinement": lambda matrix: _core.Refinement(
        adjacency=matrix,
        score=0.0,
        effort=1.0,
        evaluations=1.0,
        work=0.0,
        round=0,
        kept=0,
        rounds_without_gain=0,
        climbed=0,
        needs_xges=False,
    ),
}


@pytest.mark.parametrize("node", OUTSIDE)
@pytest.mark.parametrize("hook", HOOKS)
def test_a_node_that_is_not_there_is_named_in_an_index_error(hook: str, node: int) -> None:
    with pytest.raises(IndexError, match=f"node {node} is not one of 0 to 2"):
        HOOKS[hook](node)


@pytest.mark.parametrize("node", [2**31, 2**80, 0.5, "0", None])
@pytest.mark.parametrize("hook", HOOKS)
def test_what_is_no_node_is_a_type_error(hook: str, node: object) -> None:
    with pytest.raises(TypeError):
        HOOKS[hook](node)


@pytest.mark.parametrize("hook", MATRIX_HOOKS)
def test_a_matrix_that_is_no_graph_is_refused(hook: str) -> None:
    for shape in [(2, 3), (3, 2), (0, 1)]:
        with pytest.raises(ValueError, match="not square"):
            MATRIX_HOOKS[hook](np.zeros(shape, np.uint8))
    with pytest.raises(ValueError, match="edge to itself"):
        MATRIX_HOOKS[hook](np.eye(3, dtype=np.uint8))
    with pytest.raises(TypeError):
        MATRIX_HOOKS[hook](np.zeros(3, np.uint8))


@pytest.mark.parametrize("hook", sorted(set(MATRIX_HOOKS) - {"cpdag_of_dag", "complete", "of_dag"}))
def test_a_cycle_is_no_class(hook: str) -> None:
    with pytest.raises(ValueError, match=r"no DAG|not the CPDAG of any class"):
        MATRIX_HOOKS[hook](CYCLE)


@pytest.mark.parametrize("hook", ["valid_operators", "apply", "kept_after", "search", "refinement"])
def test_a_dag_that_is_not_complete_is_no_class(hook: str) -> None:
    with pytest.raises(ValueError, match="not the CPDAG of any class"):
        MATRIX_HOOKS[hook](NO_CLASS)


@pytest.mark.parametrize("hook", ["cpdag_of_dag", "of_dag"])
def test_what_must_be_a_dag_has_neither_cycles_nor_undirected_edges(hook: str) -> None:
    with pytest.raises(ValueError, match="form a cycle"):
        MATRIX_HOOKS[hook](CYCLE)
    with pytest.raises(ValueError, match="no undirected edge"):
        MATRIX_HOOKS[hook](EDGE)


@pytest.mark.parametrize(
    "hook", ["of_dag", "best_operators", "turned_classes", "TurnSearch", "search"]
)
def test_a_graph_of_another_size_does_not_fit_the_score(hook: str) -> None:
    for d in (0, 2, 4):
        with pytest.raises(ValueError, match="does not fit the score"):
            MATRIX_HOOKS[hook](np.zeros((d, d), np.uint8))


@pytest.mark.parametrize(
    ("graph", "operator"),
    [
        (EDGE, ("insert", 0, 1, [])),
        (EDGE, ("insert", 2, 0, [0])),
        (EDGE, ("insert", 2, 0, [2])),
        (EMPTY, ("insert", 2, 0, [1])),
        (EMPTY, ("delete", 0, 1, [])),
        (EDGE, ("delete", 0, 1, [2])),
        (EDGE, ("reverse", 0, 1, [])),
    ],
)
def test_an_operator_that_is_not_valid_is_not_applied(graph: Any, operator: Any) -> None:
    for hook in (_core.apply, _core.kept_after):
        with pytest.raises(ValueError, match=f"the {operator[0]} is not valid on this graph"):
            hook(graph, *operator)


def test_a_node_that_occurs_twice_is_named() -> None:
    for call in [
        lambda: _core.apply(EDGE, "insert", 1, 1, []),
        lambda: _core.gain(SCORE, "insert", 1, 1, [], []),
        lambda: _core.gain(SCORE, "delete", 1, 0, [1], []),
        lambda: _core.gain(SCORE, "insert", 0, 1, [2, 1], []),
        lambda: _core.gain(SCORE, "reverse", 1, 0, [], [1]),
        lambda: SCORE.local_score(1, [0, 1]),
    ]:
        with pytest.raises(ValueError, match="node 1 occurs twice"):
            call()
    with pytest.raises(IndexError, match="two nodes"):
        _core.best_operators(SCORE, EMPTY, "insert", [(1, 1)])


def test_only_directed_edges_are_turned_and_exactly_only_among_few_nodes() -> None:
    for graph, edge in ((EMPTY, (0, 1)), (EDGE, (0, 1)), (EMPTY, (1, 1))):
        with pytest.raises(ValueError, match="only directed edges"):
            _core.turned_classes(SCORE, graph, [edge])
    d = _core.MOST_EXACT + 1
    many = _core.GaussianBic(np.eye(d), np.zeros(d), 100, 2.0)
    with pytest.raises(ValueError, match="too many nodes"):
        _core.turned_classes(many, np.zeros((d, d), np.uint8), [], exact=True)


def test_a_kind_that_does_not_exist_is_named() -> None:
    for call in [
        lambda: _core.valid_operators(EMPTY, "turn"),
        lambda: _core.apply(EMPTY, "turn", 0, 1, []),
        lambda: _core.kept_after(EMPTY, "turn", 0, 1, []),
        lambda: _core.gain(SCORE, "turn", 0, 1, [], []),
        lambda: _core.best_operators(SCORE, EMPTY, "turn", []),
    ]:
        with pytest.raises(ValueError, match="turn"):
            call()


def test_scores_refuse_arrays_that_do_not_fit_each_other() -> None:
    codes = np.zeros((2, 4), np.uint32)
    signed = np.zeros((1, 4), np.int32)
    ones = np.ones(4)
    no_codes = np.zeros((0, 4), np.uint32)
    bge = {"alpha_mu": 1.0, "alpha_w": 5.0, "t": 1.0, "edge_penalty": 0.0, "least_residual": 0.1}
    wrong: list[Callable[[], object]] = [
        lambda: _core.GaussianBic(np.eye(2), np.zeros(3), 10.0, 1.0),
        lambda: _core.GaussianBic(np.zeros((2, 3)), np.zeros(2), 10.0, 1.0),
        lambda: _core.GaussianBic(np.zeros((0, 0)), np.zeros(0), 10.0, 1.0),
        lambda: _core.Bge(np.eye(2), np.zeros(3), 10.0, **bge),
        lambda: _core.Bge(np.zeros((0, 0)), np.zeros(0), 10.0, **bge),
        lambda: _core.DegenerateGaussian(np.eye(2), np.zeros(2), [0, 3], 10.0, 1.0),
        lambda: _core.DegenerateGaussian(np.eye(2), np.zeros(2), [0, 0, 2], 10.0, 1.0),
        lambda: _core.DegenerateGaussian(np.eye(2), np.zeros(2), [0], 10.0, 1.0),
        lambda: _core.ConditionalGaussian(np.zeros((1, 4)), signed, [0, 2, 2], np.zeros(1), 1.0),
        lambda: _core.ConditionalGaussian(np.zeros((1, 3)), signed, [0, 2], np.zeros(1), 1.0),
        lambda: _core.ConditionalGaussian(np.zeros((1, 4)), signed - 1, [0, 2], np.zeros(1), 1.0),
        lambda: _core.ConditionalGaussian(
            np.zeros((1, 0)), np.zeros((1, 0), np.int32), [0, 2], np.zeros(1), 1.0
        ),
        lambda: _core.CustomScore(lambda *_: 0.0, lambda *_: None, 0, 0.0),
        lambda: _core.CustomScore(lambda *_: 0.0, lambda *_: None, -1, 0.0),
        lambda: _core.least_dependences(np.eye(3), np.eye(2), 10.0, [], []),
        lambda: _core.least_dependences(np.eye(3), np.eye(3), 10.0, [(0, 1)], []),
    ]
    for make in (_core.DiscreteBic, _core.BDeu, _core.testwise_bic, _core.testwise_bdeu):
        wrong += [
            lambda make=make: make(codes, [1], ones, 1.0),
            lambda make=make: make(codes, [1, 1], ones[:3], 1.0),
            lambda make=make: make(codes + 2, [1, 1], ones, 1.0),
            lambda make=make: make(codes, [1, 0], ones, 1.0),
            lambda make=make: make(codes, [1, 1], 0 * ones, 1.0),
            lambda make=make: make(no_codes, [], ones, 1.0),
        ]
    for make_wrong in wrong:
        with pytest.raises(ValueError):
            make_wrong()


def test_limits_are_written_once_and_shared_with_python() -> None:
    assert _core.ZERO_VARIANCE == FITTED_EXACTLY == _DEPENDENT == 1e-12
    for n in (1.0, 1e6, 1e7, 3e9):
        assert _core.min_gain(n) == max(1e-7, 1e-13 * n)
    r2_at = math.sqrt(1.0 - 0.9 * _core.ZERO_VARIANCE)
    almost = _core.GaussianBic(np.array([[1.0, r2_at], [r2_at, 1.0]]), np.zeros(2), 100.0, 2.0)
    assert _core.gain(almost, "insert", 0, 1, [], []) == -math.inf


@pytest.mark.parametrize("seed", range(3))
def test_threads_start_from_the_whole_state_that_a_refinement_has_reached(seed: int) -> None:
    # Nearly collinear columns make searches cycle, and refinements run XGES again on a state that
    # has already jumped, stepped and been checked.
    random = np.random.default_rng(seed)
    rows = random.normal(size=(60, 14))
    rows[:, 7:] = rows[:, :7] @ random.normal(size=(7, 7)) + 1e-5 * random.normal(size=(60, 7))
    correlation = np.corrcoef(rows.T)
    np.fill_diagonal(correlation, 1.0)
    score = _core.GaussianBic(correlation, np.zeros(14), 60.0, 1.0)
    alone = everything(_core.search(score, "xges", effort=1.0, seed=seed))
    for jobs in (2, 3):
        assert everything(_core.search(score, "xges", effort=1.0, seed=seed, jobs=jobs)) == alone
