"""Every DAG and every Markov equivalence class on a handful of nodes, by enumeration.

A graph on ``d`` nodes is an integer: bit ``i * d + j`` is set when ``i -> j``; both ``i -> j`` and
``j -> i`` stand for the undirected edge ``i - j``. A class is a number, its place in
``Atlas.cpdags``. Nothing here knows of operators: classes are compared by skeleton and
v-structures, a CPDAG is the union of the members, and a neighbouring class is found by changing
one edge of a member.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations, product

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.uint8]
Reached = list[dict[tuple[int, int], set[int]]]
"""For each class and each ordered pair (x, y), the classes reached by a change of that edge."""


@dataclass(frozen=True, slots=True)
class Atlas:
    """All DAGs on ``d`` nodes, grouped into classes.

    Attributes
    ----------
    d : int
        Number of nodes.
    class_of : dict of int to int
        Class of every DAG.
    members : list of list of int
        DAGs of every class.
    cpdags : list of int
        CPDAG of every class.
    """

    d: int
    class_of: dict[int, int]
    members: list[list[int]]
    cpdags: list[int]


def bit(d: int, x: int, y: int) -> int:
    """Return the graph on ``d`` nodes whose only edge is ``x -> y``."""
    return 1 << (x * d + y)


def has(d: int, graph: int, x: int, y: int) -> bool:
    """Tell whether ``graph`` holds ``x -> y`` or ``x - y``."""
    return bool(graph & bit(d, x, y))


def adjacent(d: int, graph: int, x: int, y: int) -> bool:
    """Tell whether an edge of any kind joins ``x`` and ``y``."""
    return has(d, graph, x, y) or has(d, graph, y, x)


def parent_sets(d: int, dag: int) -> list[int]:
    """Return the parents of every node of a DAG, as bitmasks of nodes."""
    return [sum(1 << x for x in range(d) if has(d, dag, x, y)) for y in range(d)]


def is_acyclic(d: int, graph: int) -> bool:
    """Tell whether nodes without remaining parents can be taken away until none is left."""
    parents = parent_sets(d, graph)
    left = (1 << d) - 1
    while left:
        sources = [y for y in range(d) if left >> y & 1 and not parents[y] & left]
        if not sources:
            return False
        left &= ~sum(1 << y for y in sources)
    return True


def all_dags(d: int) -> list[int]:
    """Return every DAG on ``d`` nodes: each pair is unjoined, ``x -> y`` or ``y -> x``."""
    choices = [(0, bit(d, x, y), bit(d, y, x)) for x, y in combinations(range(d), 2)]
    return [g for g in map(sum, product(*choices)) if is_acyclic(d, g)]


def skeleton(d: int, graph: int) -> int:
    """Return the graph with every edge undirected."""
    return sum(bit(d, x, y) for x, y in permutations(range(d), 2) if adjacent(d, graph, x, y))


def v_structures(d: int, dag: int) -> frozenset[tuple[int, int, int]]:
    """Return every ``(a, c, b)`` with ``a -> c <- b``, ``a < b`` and no edge between a and b."""
    return frozenset(
        (a, c, b)
        for c in range(d)
        for a, b in combinations([x for x in range(d) if has(d, dag, x, c)], 2)
        if not adjacent(d, dag, a, b)
    )


def pattern(d: int, dag: int) -> int:
    """Return the skeleton of a DAG with only the edges of v-structures directed."""
    graph = skeleton(d, dag)
    for a, c, b in v_structures(d, dag):
        graph &= ~(bit(d, c, a) | bit(d, c, b))
    return graph


@cache
def atlas(d: int) -> Atlas:
    """Enumerate the DAGs on ``d`` nodes and their classes."""
    groups: dict[tuple[int, frozenset[tuple[int, int, int]]], list[int]] = {}
    for dag in all_dags(d):
        groups.setdefault((skeleton(d, dag), v_structures(d, dag)), []).append(dag)
    members = list(groups.values())
    class_of = {dag: number for number, dags in enumerate(members) for dag in dags}
    return Atlas(d, class_of, members, [union(dags) for dags in members])


def union(dags: list[int]) -> int:
    """Return the CPDAG of a class: an edge that turns between members holds both directions."""
    graph = 0
    for dag in dags:
        graph |= dag
    return graph


def ancestry(d: int, dag: int) -> int:
    """Return the graph with ``x -> y`` wherever a directed path leads from x to y."""
    for via, x, y in product(range(d), repeat=3):
        if has(d, dag, x, via) and has(d, dag, via, y):
            dag |= bit(d, x, y)
    return dag


def reached(space: Atlas, change: Callable[[int, int, int, int], int | None]) -> Reached:
    """Collect the classes that a change of one edge of one member leads to.

    ``change(dag, cpdag, x, y)`` returns the changed graph, or None where it does not apply; a
    graph with a cycle is in no class and is left out.
    """
    found: Reached = []
    for dags, cpdag in zip(space.members, space.cpdags, strict=True):
        pairs: dict[tuple[int, int], set[int]] = {}
        for dag, (x, y) in product(dags, permutations(range(space.d), 2)):
            changed = change(dag, cpdag, x, y)
            if changed is not None and changed in space.class_of:
                pairs.setdefault((x, y), set()).add(space.class_of[changed])
        found.append(pairs)
    return found


def reached_by_adding(space: Atlas) -> Reached:
    """Return the classes reached by adding ``x -> y`` to a member."""
    d = space.d
    return reached(
        space, lambda dag, _, x, y: None if adjacent(d, dag, x, y) else dag | bit(d, x, y)
    )


def reached_by_removing(space: Atlas) -> Reached:
    """Return the classes reached by removing ``x -> y`` from a member."""
    d = space.d
    return reached(space, lambda dag, _, x, y: dag ^ bit(d, x, y) if has(d, dag, x, y) else None)


def reached_by_turning(space: Atlas) -> Reached:
    """Return the classes reached by turning a compelled ``y -> x`` into ``x -> y`` in a member."""
    d = space.d

    def turn(dag: int, cpdag: int, x: int, y: int) -> int | None:
        compelled = has(d, cpdag, y, x) and not has(d, cpdag, x, y)
        return dag ^ bit(d, y, x) ^ bit(d, x, y) if compelled else None

    return reached(space, turn)


def local_scores(covariance: NDArray[np.float64], n: int, alpha: float) -> list[dict[int, float]]:
    """Return the Gaussian BIC of every node with every parent set (a bitmask of nodes)."""
    d = len(covariance)
    return [
        {
            mask: local_score(covariance, n, alpha, y, [x for x in range(d) if mask >> x & 1])
            for mask in range(1 << d)
            if not mask >> y & 1
        }
        for y in range(d)
    ]


def local_score(
    covariance: NDArray[np.float64], n: int, alpha: float, y: int, parents: list[int]
) -> float:
    """Return ``-n/2 (1 + log var(y | parents)) - alpha/2 log n (|parents| + 1)``."""
    cross = covariance[parents, y]
    explained = cross @ np.linalg.solve(covariance[np.ix_(parents, parents)], cross)
    variance = float(covariance[y, y] - explained)
    return float(-0.5 * n * (1.0 + np.log(variance)) - 0.5 * alpha * np.log(n) * (len(parents) + 1))


def dag_score(d: int, dag: int, local: list[dict[int, float]]) -> float:
    """Return the score of a DAG as the sum of its local scores."""
    return sum(local[y][parents] for y, parents in enumerate(parent_sets(d, dag)))


def to_matrix(d: int, graph: int) -> Matrix:
    """Return the adjacency matrix of a graph."""
    cells = [[has(d, graph, x, y) for y in range(d)] for x in range(d)]
    return np.array(cells, dtype=np.uint8).reshape(d, d)


def from_matrix(matrix: Matrix) -> int:
    """Return the graph of an adjacency matrix."""
    d = len(matrix)
    return sum(bit(d, int(x), int(y)) for x, y in np.argwhere(matrix))
