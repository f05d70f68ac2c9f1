"""MPDAGs by enumeration: the members of a graph are DAGs, looked at one by one.

Graphs are integers, as in `brute_force`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, reduce
from itertools import combinations, permutations

from oracle import brute_force as bf

Arc = tuple[int, int]


def having(d: int, dags: Iterable[int], arcs: Sequence[Arc]) -> list[int]:
    """Return the DAGs that have all of some arcs."""
    return [dag for dag in dags if all(bf.has(d, dag, x, y) for x, y in arcs)]


def arrows(d: int, graph: int) -> list[Arc]:
    """Return the directed edges of a graph."""
    pairs = permutations(range(d), 2)
    return [(x, y) for x, y in pairs if bf.has(d, graph, x, y) and not bf.has(d, graph, y, x)]


def members(d: int, graph: int) -> list[int]:
    """Return the DAGs with the skeleton, the v-structures and the directed edges of a graph."""
    directed = arrows(d, graph)
    colliders = {
        (a, c, b)
        for c in range(d)
        for a, b in combinations([x for x, y in directed if y == c], 2)
        if not bf.adjacent(d, graph, a, b)
    }
    same = by_skeleton(d).get(bf.skeleton(d, graph), [])
    return [dag for dag in having(d, same, directed) if bf.v_structures(d, dag) == colliders]


@cache
def by_skeleton(d: int) -> dict[int, list[int]]:
    """Return the DAGs with each skeleton."""
    found: dict[int, list[int]] = {}
    for dag in bf.atlas(d).class_of:
        found.setdefault(bf.skeleton(d, dag), []).append(dag)
    return found


def shared_ancestry(d: int, dags: Iterable[int]) -> int:
    """Return the graph with ``x -> y`` where x is an ancestor of y in every DAG."""
    return reduce(int.__and__, (bf.ancestry(d, dag) for dag in dags))


def possible_ancestry(d: int, dags: Iterable[int]) -> int:
    """Return the graph with ``x -> y`` where x is an ancestor of y in some DAG."""
    return reduce(int.__or__, (bf.ancestry(d, dag) for dag in dags))
