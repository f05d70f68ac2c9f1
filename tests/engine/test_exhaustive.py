"""Every DAG and every class of up to five nodes, the engine beside brute force."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from greedag import _core
from helpers.engine import engine_score
from oracle import brute_force as bf
from oracle.datasets import from_rows

SIZES = (1, 2, 3, 4, 5)
DAGS = {1: 1, 2: 3, 3: 25, 4: 543, 5: 29_281}
CLASSES = {1: 1, 2: 2, 3: 11, 4: 185, 5: 8_782}
INSERTIONS = {1: 0, 2: 1, 3: 21, 4: 756, 5: 59_130}
REACHED = {
    "insert": bf.reached_by_adding,
    "delete": bf.reached_by_removing,
    "reverse": bf.reached_by_turning,
}

Operator = tuple[str, int, int, tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""Kind, x, y, T, E, F."""


@dataclass(frozen=True, slots=True)
class Move:
    """A valid operator of a class and the class that the engine says it leads to."""

    operator: Operator
    source: int
    target: int


@cache
def matrices(d: int) -> list[bf.Matrix]:
    """CPDAG of every class, as the engine takes it."""
    return [bf.to_matrix(d, cpdag) for cpdag in bf.atlas(d).cpdags]


@cache
def operators(d: int) -> list[list[Operator]]:
    """Every operator that the engine holds valid, by class."""
    return [
        [
            (kind, x, y, tuple(T), tuple(E), tuple(F))
            for kind in REACHED
            for x, y, T, E, F in _core.valid_operators(matrix, kind)
        ]
        for matrix in matrices(d)
    ]


@cache
def moves(d: int) -> list[Move]:
    """Apply every valid operator of every class; a graph that is no CPDAG raises KeyError."""
    number = {matrix.tobytes(): place for place, matrix in enumerate(matrices(d))}
    return [
        Move(operator, source, number[_core.apply(matrix, *operator[:4]).tobytes()])
        for source, matrix in enumerate(matrices(d))
        for operator in operators(d)[source]
    ]


@pytest.mark.parametrize("d", SIZES)
def test_enumeration_finds_the_known_numbers_of_dags_classes_and_insertions(d: int) -> None:
    space = bf.atlas(d)
    insertions = sum(len(set().union(*pairs.values())) for pairs in bf.reached_by_adding(space))
    assert (len(space.class_of), len(space.members)) == (DAGS[d], CLASSES[d])
    assert insertions == INSERTIONS[d]


@pytest.mark.parametrize("d", SIZES)
def test_cpdag_of_every_dag_is_the_union_over_its_class(d: int) -> None:
    expected = matrices(d)
    wrong = [
        dag
        for dag, place in bf.atlas(d).class_of.items()
        if not np.array_equal(_core.cpdag_of_dag(bf.to_matrix(d, dag)), expected[place])
    ]
    print(f"d={d}: {DAGS[d]} DAGs, {len(wrong)} wrong CPDAGs")
    assert not wrong


@pytest.mark.parametrize("d", SIZES)
def test_completing_the_pattern_of_every_dag_gives_the_union_over_its_class(d: int) -> None:
    expected = matrices(d)
    wrong = [
        dag
        for dag, place in bf.atlas(d).class_of.items()
        if not np.array_equal(_core.complete(bf.to_matrix(d, bf.pattern(d, dag))), expected[place])
    ]
    print(f"d={d}: {DAGS[d]} patterns, {len(wrong)} wrong completions")
    assert not wrong


@pytest.mark.parametrize("d", SIZES)
def test_every_member_dag_offered_for_a_class_is_in_it(d: int) -> None:
    space = bf.atlas(d)
    for place, matrix in enumerate(matrices(d)):
        assert space.class_of[bf.from_matrix(_core.dag_of_cpdag(matrix))] == place


@pytest.mark.parametrize("kind", REACHED)
@pytest.mark.parametrize("d", SIZES)
def test_valid_operators_reach_exactly_the_classes_one_edge_of_a_member_away(
    d: int, kind: str
) -> None:
    expected = REACHED[kind](bf.atlas(d))
    found: bf.Reached = [{} for _ in expected]
    for move in moves(d):
        if move.operator[0] == kind:
            found[move.source].setdefault(move.operator[1:3], set()).add(move.target)
    wrong = [place for place, pairs in enumerate(expected) if pairs != found[place]]
    pairs = sum(len(set().union(*by_edge.values())) for by_edge in found)
    print(f"d={d}: {pairs} class-to-class moves by {kind}, {len(wrong)} classes wrong")
    assert not wrong


@pytest.mark.parametrize("d", SIZES)
def test_the_gain_of_every_valid_operator_is_the_difference_of_class_scores(d: int) -> None:
    rng = np.random.default_rng(d)
    sample = from_rows("random", rng.normal(size=(200, d)) @ rng.normal(size=(d, d)))
    local = bf.local_scores(sample.covariance, sample.n, sample.alpha)
    scores = [bf.dag_score(d, dags[0], local) for dags in bf.atlas(d).members]
    score = engine_score(sample)
    wrong = []
    for move in moves(d):
        kind, x, y, _, E, F = move.operator
        difference = scores[move.target] - scores[move.source]
        if abs(_core.gain(score, kind, x, y, E, F) - difference) > 1e-9 * abs(scores[0]):
            wrong.append(move)
    print(f"d={d}: {len(moves(d))} operators, {len(wrong)} wrong gains")
    assert not wrong


@pytest.mark.parametrize("d", SIZES)
def test_candidates_kept_after_every_valid_operator_are_the_operators_valid_then(d: int) -> None:
    valid = [frozenset(by_class) for by_class in operators(d)]
    wrong = []
    for move in moves(d):
        kept = _core.kept_after(matrices(d)[move.source], *move.operator[:4])
        held = {(k, x, y, tuple(T), tuple(E), tuple(F)) for k, x, y, T, E, F in kept}
        if held != valid[move.target]:
            wrong.append(move)
    print(f"d={d}: {len(moves(d))} updates, {len(wrong)} with other candidates")
    assert not wrong
