"""Ancestors and descendants that hold in every member of a class."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from greedag import CPDAG, simulate
from greedag.graph.mpdag import Matrix
from oracle import brute_force as bf


def check(graph: CPDAG, certain: Matrix) -> None:
    """Compare with the matrix whose entry [x, y] is one where x is an ancestor of y."""
    for i, name in enumerate(graph.names):
        below, above = np.flatnonzero(certain[i]), np.flatnonzero(certain[:, i])
        assert graph.descendants(name) == tuple(graph.names[j] for j in below)
        assert graph.ancestors(name) == tuple(graph.names[j] for j in above)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5])
def test_ancestors_and_descendants_match_brute_force_on_every_class(d: int) -> None:
    space = bf.atlas(d)
    for cpdag, members in zip(space.cpdags, space.members, strict=True):
        shared = functools.reduce(int.__and__, (bf.ancestry(d, dag) for dag in members))
        check(CPDAG.from_matrix(bf.to_matrix(d, cpdag)), bf.to_matrix(d, shared))


@given(st.integers(6, 11), st.floats(0.5, 2.0), st.integers(0, 10**6))
@settings(deadline=None, max_examples=150)
def test_ancestors_and_descendants_are_those_of_all_members(d: int, rho: float, seed: int) -> None:
    graph = simulate.linear_gaussian(d, rho, 1, seed=seed).cpdag
    assume(graph.size() < 200)
    certain = np.ones((d, d), dtype=np.uint8)
    for dag in graph.dags():
        steps = np.linalg.inv(np.eye(d) - 0.5 * dag) - np.eye(d)
        certain &= steps > 1e-9
    check(graph, certain)


def test_a_column_is_an_ancestor_without_a_directed_path_when_one_of_two_ways_must_open() -> None:
    dag = np.zeros((4, 4))
    dag[0, [1, 2]] = 1
    dag[[1, 2], 3] = 1
    graph = CPDAG.from_dag(dag, ["x", "a", "b", "y"])
    assert graph.undirected == (("x", "a"), ("x", "b"))
    assert graph.ancestors("y") == ("x", "a", "b")
    assert graph.descendants("x") == ("y",)
    assert graph.descendants("a") == ("y",)
    assert graph.ancestors("x") == ()


def test_one_possible_way_alone_makes_no_ancestor() -> None:
    graph = CPDAG.from_dag([[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    assert all(graph.ancestors(name) == graph.descendants(name) == () for name in graph.names)
