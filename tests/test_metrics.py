"""SHD, precision, recall and F1 against hand counts and their defining properties."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greedag import CPDAG, DataError, DataTypeError, learn, simulate
from greedag.metrics import (
    adjacency_precision_recall,
    arrowhead_precision_recall,
    precision_recall_f1,
    shd,
)
from oracle import brute_force as bf

EMPTY = CPDAG.from_dag(np.zeros((3, 3)))
CHAIN = CPDAG.from_dag([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
COLLIDER = CPDAG.from_dag([[0, 1, 0], [0, 0, 0], [0, 1, 0]])
COMPLETE = CPDAG.from_dag([[0, 1, 1], [0, 0, 1], [0, 0, 0]])


METRICS = (shd, precision_recall_f1, adjacency_precision_recall, arrowhead_precision_recall)


def random_class(seed: int) -> CPDAG:
    return simulate.linear_gaussian(6, 1.5, 1, seed=seed).cpdag


seeds = st.integers(0, 2**32)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (EMPTY, EMPTY, 0),
        (EMPTY, CHAIN, 2),
        (CHAIN, COLLIDER, 2),
        (COLLIDER, COMPLETE, 3),
        (CHAIN, COMPLETE, 1),
    ],
)
def test_shd_counts_each_differing_pair_once(a: CPDAG, b: CPDAG, expected: int) -> None:
    assert shd(a, b) == expected


def test_a_turned_edge_counts_once() -> None:
    def fan_in(a: int, b: int, child: int) -> CPDAG:
        dag = np.zeros((4, 4))
        dag[[a, b], child] = 1
        return CPDAG.from_dag(dag)

    # 0 → 2 ← 1 against 2 → 0 ← 3: the pair (0, 2) is turned, (1, 2) and (0, 3) differ.
    assert shd(fan_in(0, 1, 2), fan_in(2, 3, 0)) == 3


@given(seeds, seeds)
def test_shd_is_symmetric_and_zero_only_for_equal_classes(first: int, second: int) -> None:
    a, b = random_class(first), random_class(second)
    assert shd(a, b) == shd(b, a)
    assert (shd(a, b) == 0) == (a == b)
    assert shd(a, a) == 0


@given(seeds, seeds, seeds)
def test_shd_obeys_the_triangle_inequality(first: int, second: int, third: int) -> None:
    a, b, c = random_class(first), random_class(second), random_class(third)
    assert shd(a, c) <= shd(a, b) + shd(b, c)


def test_undirected_edge_stands_for_both_ordered_pairs() -> None:
    # Found: (0,1) (1,0) (1,2) (2,1); true: (0,1) (2,1). Two of four right, both found.
    assert precision_recall_f1(CHAIN, COLLIDER) == (0.5, 1.0, pytest.approx(2 / 3))
    assert precision_recall_f1(COLLIDER, CHAIN) == (1.0, 0.5, pytest.approx(2 / 3))


@given(seeds, seeds)
def test_swapping_the_arguments_swaps_precision_and_recall(first: int, second: int) -> None:
    a, b = random_class(first), random_class(second)
    there, back = precision_recall_f1(a, b), precision_recall_f1(b, a)
    assert (there.precision, there.recall, there.f1) == (back.recall, back.precision, back.f1)


@given(seeds, seeds)
def test_f1_is_the_harmonic_mean(first: int, second: int) -> None:
    precision, recall, f1 = precision_recall_f1(random_class(first), random_class(second))
    if precision + recall > 0:
        assert f1 == pytest.approx(2 * precision * recall / (precision + recall))
    else:
        assert f1 == 0.0


def test_empty_classes_make_no_false_claim_and_miss_everything() -> None:
    assert precision_recall_f1(EMPTY, EMPTY) == (1.0, 1.0, 1.0)
    assert precision_recall_f1(EMPTY, CHAIN) == (1.0, 0.0, 0.0)
    assert precision_recall_f1(CHAIN, EMPTY) == (0.0, 1.0, 0.0)


@given(seeds, st.permutations(range(6)))
def test_columns_are_matched_by_name(seed: int, order: list[int]) -> None:
    a = random_class(seed)
    shuffled = CPDAG.from_matrix(a.to_matrix()[np.ix_(order, order)], [a.names[i] for i in order])
    assert shd(a, shuffled) == 0
    assert precision_recall_f1(a, shuffled).f1 == 1.0


def test_different_columns_are_refused_and_named() -> None:
    other = CPDAG.from_dag(np.zeros((3, 3)), ["x0", "x1", "y"])
    for metric in METRICS:
        with pytest.raises(DataError, match="'x2' and 'y'"):
            metric(EMPTY, other)


def test_bare_matrices_are_refused_with_the_remedy() -> None:
    for metric in METRICS:
        with pytest.raises(DataTypeError, match=r"ndarray.*CPDAG\.from_matrix"):
            metric(EMPTY.to_matrix(), EMPTY)  # type: ignore[arg-type]


def shares(guess: set[object], truth: set[object]) -> tuple[float, float]:
    hits = len(guess & truth)
    return hits / len(guess) if guess else math.nan, hits / len(truth) if truth else math.nan


def adjacencies(graph: CPDAG) -> set[object]:
    return {frozenset((a, b)) for a in graph.names for b in graph.adjacent(a)}


def arrowheads(graph: CPDAG) -> set[object]:
    return {(a, b) for a in graph.names for b in graph.names if a != b and graph.edge(a, b) == "→"}


@pytest.mark.parametrize(
    ("metric", "features"),
    [(adjacency_precision_recall, adjacencies), (arrowhead_precision_recall, arrowheads)],
)
def test_adjacencies_and_arrowheads_are_counted_as_in_every_pair_of_classes(
    metric: Callable[..., tuple[float, float]], features: Callable[[CPDAG], set[object]]
) -> None:
    classes = [CPDAG.from_matrix(bf.to_matrix(3, cpdag)) for cpdag in bf.atlas(3).cpdags]
    classes += [
        CPDAG.from_matrix(graph.to_matrix()[::-1, ::-1], ["x2", "x1", "x0"]) for graph in classes
    ]
    for found, true in itertools.product(classes, repeat=2):
        expected = shares(features(found), features(true))
        assert metric(found, true) == pytest.approx(expected, nan_ok=True)


@given(seeds, seeds)
def test_adjacencies_and_arrowheads_are_counted_in_random_classes(first: int, second: int) -> None:
    found, true = random_class(first), random_class(second)
    for metric, features in (
        (adjacency_precision_recall, adjacencies),
        (arrowhead_precision_recall, arrowheads),
    ):
        expected = shares(features(found), features(true))
        assert metric(found, true) == pytest.approx(expected, nan_ok=True)


def test_a_share_of_no_adjacency_or_arrowhead_is_not_a_number() -> None:
    assert math.isnan(adjacency_precision_recall(EMPTY, CHAIN).precision)
    assert adjacency_precision_recall(EMPTY, CHAIN).recall == 0.0
    assert arrowhead_precision_recall(COLLIDER, CHAIN).precision == 0.0
    assert math.isnan(arrowhead_precision_recall(COLLIDER, CHAIN).recall)
    assert adjacency_precision_recall(COLLIDER, CHAIN) == (1.0, 1.0)


def test_a_result_stands_for_its_class() -> None:
    drawn = simulate.linear_gaussian(6, 1.5, 500, seed=1)
    result = learn(drawn.data)
    for metric in METRICS:
        assert metric(result, drawn.cpdag) == metric(result.cpdag, drawn.cpdag)
        assert metric(drawn.cpdag, result) == metric(drawn.cpdag, result.cpdag)


def test_whatever_holds_a_class_is_judged_as_that_class() -> None:
    graph = CPDAG.from_dag([[0, 1], [0, 0]])
    assert shd(SimpleNamespace(cpdag=graph), graph) == 0
    with pytest.raises(DataTypeError, match="an MPDAG or a Result, got SimpleNamespace"):
        shd(SimpleNamespace(cpdag=1), graph)
