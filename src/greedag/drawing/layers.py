"""The steps of a layered drawing of a connected DAG: ranks, few crossings, places.

Terms: the *rank* of a node is the number of its layer, 0 at the top. A *bend* is a vertex that
stands for an edge where it crosses a layer; vertices are nodes and bends together. After bends
are put in, every edge is a *chain* of vertices, each one layer below the one before. The number of
bends is bounded: in dense graphs the longest edges stay *loose*, without bends.

:func:`layered` ranks the nodes so that every edge points down. :func:`order` sorts each layer so
that few edges cross: sweeps down and up sort by the mean position of the neighbours in the layer
before, and between sweeps, neighbours in a layer are swapped while that removes crossings. The best
order is kept, and ties are broken by position, so that the same graph always gives the same
drawing. :func:`place` minimises the weighted sum of squared horizontal distances along edges, one
layer at a time, with each layer's order and distances kept. Each step is exact, so that the sum
only falls; parts of long edges weigh more, so that these run straight down.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from greedag.drawing.labels import Edge

_RANK_ROUNDS, _PLACE_ROUNDS = 50, 30
_MOST_BENDS = 2500
_PATIENCE = 6
_SWEEPS = 40
# Large graphs get fewer sweeps, so that the time stays in seconds.
_MOST_VISITS = 20_000


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
    for _ in range(_RANK_ROUNDS):
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


def order(graph: Layered) -> None:
    """Sort the layers of a graph in place."""
    best: list[list[int]] = []
    fewest = -1
    for start in (_walk(graph, graph.down, graph.up), _walk(graph, graph.up, graph.down)):
        graph.layers[:] = start
        crossings = _uncross(graph)
        if fewest < 0 or crossings < fewest:
            fewest, best = crossings, [list(layer) for layer in graph.layers]
    graph.layers[:] = best


def crossings(graph: Layered) -> int:
    """Count the pairs of edges that cross."""
    place = _places(graph.layers)
    return sum(_between(layer, graph.down, place) for layer in graph.layers)


def _uncross(graph: Layered) -> int:
    """Sweep until nothing gets better for a while; leave the best order and its crossings."""
    place = _places(graph.layers)
    best = [list(layer) for layer in graph.layers]
    fewest, waited = crossings(graph), 0
    for sweep in range(min(_SWEEPS, _MOST_VISITS // len(graph.up) + 2)):
        if waited == _PATIENCE or fewest == 0:
            break
        _sweep(graph, place, downwards=sweep % 2 == 0)
        _swap(graph, place)
        count, waited = crossings(graph), waited + 1
        if count < fewest:
            fewest, waited = count, 0
            best = [list(layer) for layer in graph.layers]
    graph.layers[:] = best
    return fewest


def _walk(graph: Layered, first: list[list[int]], second: list[list[int]]) -> list[list[int]]:
    """Return a first order: that in which a depth-first walk meets the vertices."""
    rank = {v: r for r, layer in enumerate(graph.layers) for v in layer}
    layers: list[list[int]] = [[] for _ in graph.layers]
    seen: set[int] = set()
    for root in (v for layer in graph.layers for v in layer):
        stack = [root]
        while stack:
            vertex = stack.pop()
            if vertex not in seen:
                seen.add(vertex)
                layers[rank[vertex]].append(vertex)
                stack += [*reversed(second[vertex]), *reversed(first[vertex])]
    return layers


def _sweep(graph: Layered, place: dict[int, int], *, downwards: bool) -> None:
    layers = graph.layers if downwards else graph.layers[::-1]
    before = graph.up if downwards else graph.down
    for layer in layers[1:]:
        wish = {v: _mean((place[u] for u in before[v]), place[v]) for v in layer}
        layer.sort(key=lambda v: (wish[v], place[v]))
        place.update((v, i) for i, v in enumerate(layer))


def _swap(graph: Layered, place: dict[int, int]) -> None:
    """Swap neighbours within layers while that removes crossings."""
    for layer in graph.layers:
        sides = [
            {v: sorted(place[u] for u in near[v]) for v in layer} for near in (graph.up, graph.down)
        ]
        better = True
        while better:
            better = False
            for i in range(len(layer) - 1):
                left, right = layer[i], layer[i + 1]
                gain = sum(_gain(side[left], side[right]) for side in sides)
                if gain > 0:
                    layer[i], layer[i + 1] = right, left
                    better = True
        place.update((v, i) for i, v in enumerate(layer))


def _gain(left: list[int], right: list[int]) -> int:
    """Return how many crossings go when left and right, with these neighbours, change places."""
    crossing = sum(bisect_left(right, u) for u in left)
    after = sum(len(right) - bisect_right(right, u) for u in left)
    return crossing - after


def _between(layer: list[int], down: list[list[int]], place: dict[int, int]) -> int:
    seen: list[int] = []
    count = 0
    for vertex in layer:
        ends = sorted(place[v] for v in down[vertex])
        for end in ends:
            count += len(seen) - bisect_right(seen, end)
        for end in ends:
            insort(seen, end)
    return count


def _places(layers: list[list[int]]) -> dict[int, int]:
    return {v: i for layer in layers for i, v in enumerate(layer)}


def _mean(places: Iterable[int], default: int) -> float:
    known = list(places)
    return sum(known) / len(known) if known else default


def place(graph: Layered, widths: Sequence[float], *, between: float) -> list[float]:
    """Return the horizontal centre of every vertex.

    Parameters
    ----------
    graph : Layered
        With layers in their final order.
    widths : sequence of float
        Width of every vertex.
    between : float
        Free room between two neighbours in a layer.
    """
    centres = [0.0] * len(graph.up)
    offsets = [_offsets([widths[v] for v in layer], between) for layer in graph.layers]
    for layer, offset in zip(graph.layers, offsets, strict=True):
        for v, x in zip(layer, offset, strict=True):
            centres[v] = x - offset[-1] / 2
    near = _weighted_neighbours(graph)
    rows = list(zip(graph.layers, offsets, strict=True))
    for _ in range(_PLACE_ROUNDS):
        for layer, offset in rows + rows[::-1]:
            _move(layer, offset, near, centres)
    return centres


def _offsets(widths: list[float], between: float) -> list[float]:
    """Return the centres of a layer packed as closely as it may be, from its first one on."""
    offsets = [0.0]
    for left, right in itertools.pairwise(widths):
        offsets.append(offsets[-1] + (left + right) / 2 + between)
    return offsets


def _weighted_neighbours(graph: Layered) -> list[list[tuple[int, float]]]:
    def weight(u: int, v: int) -> float:
        return (1.0, 2.0, 8.0)[(u >= graph.nodes) + (v >= graph.nodes)]

    return [[(u, weight(u, v)) for u in graph.up[v] + graph.down[v]] for v in range(len(graph.up))]


def _move(
    layer: list[int],
    offset: list[float],
    near: list[list[tuple[int, float]]],
    centres: list[float],
) -> None:
    """Move a layer to its best place, all others fixed: isotonic regression by pooling."""
    pools: list[tuple[float, float, int]] = []  # mean, weight, members
    for v, packed in zip(layer, offset, strict=True):
        pulls = near[v] or [(v, 1.0)]
        total = sum(weight for _, weight in pulls)
        mean = sum(weight * centres[u] for u, weight in pulls) / total - packed
        pool = (mean, total, 1)
        while pools and pools[-1][0] >= pool[0]:
            pool = _pooled(pools.pop(), pool)
        pools.append(pool)
    shifts = (mean for mean, _, members in pools for _ in range(members))
    for v, packed, shift in zip(layer, offset, shifts, strict=True):
        centres[v] = packed + shift


def _pooled(
    one: tuple[float, float, int], other: tuple[float, float, int]
) -> tuple[float, float, int]:
    weight = one[1] + other[1]
    mean = (one[0] * one[1] + other[0] * other[1]) / weight
    return mean, weight, one[2] + other[2]
