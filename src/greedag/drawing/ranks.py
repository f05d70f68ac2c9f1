"""A connected DAG in layers: every edge points down, and long edges pass through bends.

Terms: the *rank* of a node is the number of its layer, 0 at the top. A *bend* is a vertex that
stands for an edge where it crosses a layer; vertices are nodes and bends together. After bends
are put in, every edge is a *chain* of vertices, each one layer below the one before. The number of
bends is bounded: in dense graphs the longest edges stay *loose*, without bends.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from greedag.drawing.edges import Edge

_ROUNDS = 50
_MOST_BENDS = 2500


@dataclass(frozen=True, slots=True)
class Layered:
    """Vertices in layers.

    Attributes
    ----------
    nodes : int
        Vertices below this number are nodes, the others bends.
    layers : list of list of int
        The vertices of each layer, from the top, each from left to right.
    up, down : list of list of int
        For each vertex, its neighbours one layer above and one below; loose edges not counted.
    chains : dict
        For each edge (tail, head), its vertices from tail to head.
    """

    nodes: int
    layers: list[list[int]]
    up: list[list[int]]
    down: list[list[int]]
    chains: dict[Edge, list[int]]


def layered(nodes: int, edges: Sequence[Edge]) -> Layered:
    """Put the nodes 0, 1, … of an acyclic graph into layers, with bends in long edges."""
    ranks = _ranks(nodes, edges)
    layers: list[list[int]] = [[] for _ in range(max(ranks) + 1)]
    for node, rank in enumerate(ranks):
        layers[rank].append(node)
    up: list[list[int]] = [[] for _ in range(nodes)]
    down: list[list[int]] = [[] for _ in range(nodes)]
    chains = {}
    for tail, head in sorted(edges, key=lambda edge: (ranks[edge[1]] - ranks[edge[0]], edge)):
        between = range(ranks[tail] + 1, ranks[head])
        if len(up) + len(between) > nodes + _MOST_BENDS:
            chains[tail, head] = [tail, head]
            continue
        bends = list(range(len(up), len(up) + len(between)))
        for bend, rank in zip(bends, between, strict=True):
            layers[rank].append(bend)
        up += [[] for _ in bends]
        down += [[] for _ in bends]
        chains[tail, head] = [tail, *bends, head]
        for above, below in itertools.pairwise(chains[tail, head]):
            down[above].append(below)
            up[below].append(above)
    return Layered(nodes, layers, up, down, chains)


def _ranks(nodes: int, edges: Sequence[Edge]) -> list[int]:
    parents: list[list[int]] = [[] for _ in range(nodes)]
    children: list[list[int]] = [[] for _ in range(nodes)]
    for tail, head in edges:
        parents[head].append(tail)
        children[tail].append(head)
    order = _topological(parents, children)
    ranks = [0] * nodes
    for node in order:
        ranks[node] = max((ranks[parent] + 1 for parent in parents[node]), default=0)
    _shorten(ranks, order, parents, children)
    lowest = min(ranks)
    return [rank - lowest for rank in ranks]


def _topological(parents: list[list[int]], children: list[list[int]]) -> list[int]:
    missing = [len(above) for above in parents]
    order = [node for node, count in enumerate(missing) if count == 0]
    for node in order:
        for child in children[node]:
            missing[child] -= 1
            if missing[child] == 0:
                order.append(child)
    return order


def _shorten(
    ranks: list[int], order: list[int], parents: list[list[int]], children: list[list[int]]
) -> None:
    """Move single nodes up or down while that shortens edges; fill sparse layers on ties."""
    last = max(ranks)
    crowd = [ranks.count(rank) for rank in range(last + 1)]
    for _ in range(_ROUNDS):
        before = list(ranks)
        for node in reversed(order):
            highest = max((ranks[parent] + 1 for parent in parents[node]), default=0)
            lowest = min((ranks[child] - 1 for child in children[node]), default=last)
            pull = len(children[node]) - len(parents[node])
            crowd[ranks[node]] -= 1
            if pull > 0:
                ranks[node] = lowest
            elif pull < 0:
                ranks[node] = highest
            else:
                choices = range(highest, lowest + 1)
                ranks[node] = min(choices, key=lambda rank: (crowd[rank], rank))
            crowd[ranks[node]] += 1
        if ranks == before:
            return
