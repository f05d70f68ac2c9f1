"""Background knowledge in the engine beside brute force; ``knowledge_long.py`` runs many more sets.

Sets of statements are of every kind and mixed. The engine orients every class of four nodes; the
searches are replayed class by class, and the exact search is held against all admissible DAGs.
"""

from __future__ import annotations

import numpy as np
import pytest

from greedag import _core
from helpers import knowledge as checks
from helpers.knowledge_steps import wrong_ends, wrong_steps
from oracle import brute_force as bf
from oracle import knowledge as twin
from oracle.knowledge import Statements
from oracle.random_knowledge import KINDS, MIXTURE, consistent_statements, random_statements

EVERY_KIND = [*KINDS, MIXTURE]


def matrix(d: int, arcs: list[tuple[int, int]], undirected: list[tuple[int, int]]) -> bf.Matrix:
    """Return the adjacency matrix of a graph from its edges."""
    both = [*undirected, *((y, x) for x, y in undirected)]
    return bf.to_matrix(d, twin.graph_of(d, [*arcs, *both]))


# ---- orienting


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_orienting_a_class_gives_what_its_admissible_members_share(kind: str) -> None:
    for seed in range(60):
        assert checks.wrong_orientations(random_statements(seed, 4, kind)[1]) == []


def test_orienting_classes_of_five_nodes_gives_what_their_admissible_members_share() -> None:
    for seed in range(4):
        assert checks.wrong_orientations(random_statements(seed, 5)[1]) == []


@pytest.mark.parametrize("d", [6, 7])
def test_orienting_a_larger_class_gives_what_its_admissible_members_share(d: int) -> None:
    for seed in range(20):
        assert checks.wrong_large_orientation(seed, d) == []


@pytest.mark.parametrize("d", [3, 4])
def test_closing_under_meek_gives_the_members_that_hold_the_arcs(d: int) -> None:
    for seed in range(30):
        assert checks.wrong_closures(seed, d) == []


def test_an_arc_that_the_class_has_not_is_a_conflict() -> None:
    chain = matrix(3, [], [(0, 1), (1, 2)])
    assert _core.close_under_meek(chain, [(0, 2)]) is None
    assert _core.close_under_meek(chain, [(0, 1), (2, 1)]) is None


def test_before_directs_the_edge_of_a_chain_into_the_later_column_and_says_why() -> None:
    b, m, a = 0, 1, 2
    knowledge = checks.engine_knowledge(Statements(3, before=((a, b),)))
    found = _core.orient(matrix(3, [], [(b, m), (m, a)]), knowledge)
    assert found is not None
    assert np.array_equal(found[0], matrix(3, [(m, b)], [(m, a)]))
    assert found[1] == [(m, b, a, b)]


def test_the_fourth_rule_of_meek_fires() -> None:
    a, b, c, d = range(4)
    class_ = matrix(4, [], [(a, b), (a, c), (a, d), (b, c), (c, d)])
    found = _core.orient(class_, checks.engine_knowledge(Statements(4, required=((d, c),))))
    assert found is not None
    assert np.array_equal(found[0], matrix(4, [(d, c), (c, b), (a, b)], [(a, c), (a, d)]))


# ---- searching


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_the_operator_taken_is_the_best_that_leads_to_an_admissible_class(kind: str) -> None:
    for seed in range(3):
        known = consistent_statements(seed, 4, kind)[1]
        assert checks.wrong_choices(known, share=0.02, seed=seed) == []


@pytest.mark.parametrize("score", checks.SCORES)
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_searches_go_from_one_admissible_class_to_the_next_and_the_exact_one_to_the_best(
    kind: str, score: str
) -> None:
    for seed in range(3):
        case = checks.make_case(seed, 4, score, kind)
        assert checks.wrong_paths(case) + checks.wrong_optima(case) == []


@pytest.mark.parametrize("score", checks.SCORES)
def test_the_exact_search_finds_the_best_admissible_dag_of_five_nodes(score: str) -> None:
    for seed in range(3):
        assert checks.wrong_optima(checks.make_case(seed, 5, score)) == []


@pytest.mark.parametrize("d", [7, 9, 13])
def test_no_search_violates_what_is_known_or_beats_the_exact_one(d: int) -> None:
    for seed in range(5):
        assert checks.wrong_beyond_enumeration(seed, d) == []


@pytest.mark.parametrize("d", [7, 13])
def test_each_step_is_the_best_admissible_one_and_none_is_left(d: int) -> None:
    for seed in range(10):
        assert wrong_steps(seed, d) + wrong_ends(seed, d) == []


@pytest.mark.parametrize("score", checks.SCORES)
def test_runs_with_knowledge_are_the_same_on_any_number_of_threads(score: str) -> None:
    for seed in range(4):
        assert checks.runs_that_differ(seed, 8 if score == "gaussian-bic" else 5, score) == []


def test_a_refinement_through_orders_is_the_same_on_two_threads() -> None:
    for seed in range(2):
        assert checks.runs_that_differ(seed, 14, "gaussian-bic") == []
