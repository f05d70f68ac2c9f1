"""Interventional classes, against their definition."""

from __future__ import annotations

import random
from itertools import chain, combinations

import numpy as np
import pytest

from greedag.errors import DataError
from greedag.graph.cpdag import CPDAG
from greedag.graph.interventional import interventional_arcs, interventional_class
from oracle import brute_force as bf
from oracle import interventional as twin


def subsets(d: int) -> list[frozenset[int]]:
    sizes = range(1, d + 1)
    return [*map(frozenset, chain.from_iterable(combinations(range(d), k) for k in sizes))]


def mismatches(d: int, family: tuple[frozenset[int], ...]) -> int:
    found = 0
    for members in twin.classes(d, family):
        right = bf.to_matrix(d, twin.essential_graph(members))
        for dag in members:
            graph = interventional_class(bf.to_matrix(d, dag), family)
            found += not np.array_equal(graph.to_matrix(), right)
    return found


def test_the_class_is_that_of_the_definition_for_every_four_node_dag_and_one_experiment() -> None:
    families = [(one,) for one in subsets(4) if 3 in one]
    assert sum(mismatches(4, family) for family in families) == 0


def test_the_class_is_that_of_the_definition_for_many_experiments_on_four_nodes() -> None:
    rng = random.Random(0)
    families = [tuple(rng.sample(subsets(4), k)) for k in (2, 3, 4)]
    assert sum(mismatches(4, family) for family in families) == 0


def test_the_class_is_that_of_the_definition_for_random_experiments_on_five_nodes() -> None:
    rng = random.Random(1)
    for _ in range(60):
        order = rng.sample(range(5), 5)
        arcs = [bf.bit(5, x, y) for x, y in combinations(order, 2) if rng.random() < 0.6]
        family = tuple(rng.sample(subsets(5), rng.randint(1, 3)))
        members = twin.members(5, sum(arcs), family)
        right = bf.to_matrix(5, twin.essential_graph(members))
        graph = interventional_class(bf.to_matrix(5, sum(arcs)), family)
        assert np.array_equal(graph.to_matrix(), right)


def test_arcs_name_the_target_sets_that_hold_one_end() -> None:
    chain_of_three = [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    found = interventional_arcs(chain_of_three, [[], [1], [0, 1], [1], {2, 0, 1}])
    assert found == [(0, 1, ((1,),)), (1, 2, ((0, 1), (1,)))]
    assert interventional_arcs(chain_of_three, [[], [0, 1, 2]]) == []


def test_arcs_that_the_class_compels_are_left_to_it() -> None:
    collider = [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    assert interventional_arcs(collider, [[2]]) == []
    assert interventional_class(collider, [[2]]) == CPDAG.from_dag(collider)


def test_experiments_direct_further_edges_by_meeks_rules() -> None:
    graph = interventional_class([[0, 1, 0], [0, 0, 1], [0, 0, 0]], [[0]], names=["a", "b", "c"])
    assert graph.directed == (("a", "b"), ("b", "c"))
    assert graph.reason("b", "c").rule == "meek-1"
    why = graph.reason("a", "b")
    assert (why.rule, why.evidence.targets) == ("intervention", (("a",),))
    assert graph.by_intervention == (("a", "b"), ("b", "c"))


def test_without_experiments_it_is_the_class() -> None:
    dag = [[0, 1], [0, 0]]
    assert interventional_class(dag, []) == CPDAG.from_dag(dag) == interventional_class(dag, [[]])


def test_a_cycle_is_refused() -> None:
    with pytest.raises(DataError, match="cycle"):
        interventional_class([[0, 1], [1, 0]], [[0]])
