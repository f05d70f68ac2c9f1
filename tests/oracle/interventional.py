"""Interventional classes by definition (Hauser & Bühlmann 2012, Theorem 10).

Graphs are integers, as in `brute_force`. Two DAGs are equivalent if they have the same skeleton
and v-structures, and still have where the arrows into each experiment's targets are cut. Nothing
here knows which edges experiments orient.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, reduce
from itertools import combinations, product
from operator import or_

from oracle import brute_force as bf

Targets = frozenset[int]


def mutilated(d: int, dag: int, targets: Targets) -> int:
    """Return a DAG without the arrows into some columns."""
    cut = reduce(or_, (bf.bit(d, x, y) for y in targets for x in range(d)), 0)
    return dag & ~cut


@cache
def marks(d: int, dag: int, targets: Targets) -> tuple[int, frozenset[tuple[int, int, int]]]:
    """Return the skeleton and the v-structures of a DAG whose targets are cut off."""
    cut = mutilated(d, dag, targets)
    return bf.skeleton(d, cut), frozenset(bf.v_structures(d, cut))


def classes(d: int, family: Iterable[Targets]) -> list[list[int]]:
    """Return all DAGs on some nodes, grouped by what experiments can tell apart."""
    targets = [frozenset[int](), *family]
    found: dict[object, list[int]] = {}
    for dag in bf.atlas(d).class_of:
        found.setdefault(tuple(marks(d, dag, each) for each in targets), []).append(dag)
    return list(found.values())


def members(d: int, dag: int, family: Iterable[Targets]) -> list[int]:
    """Return the DAGs that experiments cannot tell from this one, of all with its skeleton."""
    targets = [frozenset[int](), *family]
    edges = [(x, y) for x, y in combinations(range(d), 2) if bf.adjacent(d, dag, x, y)]
    ends = product(*((bf.bit(d, x, y), bf.bit(d, y, x)) for x, y in edges))
    dags = [graph for graph in map(sum, ends) if bf.is_acyclic(d, graph)]
    return [
        each for each in dags if all(marks(d, each, cut) == marks(d, dag, cut) for cut in targets)
    ]


def essential_graph(members: Iterable[int]) -> int:
    """Return the union of DAGs: an edge that two of them direct differently is undirected."""
    return reduce(or_, members)
