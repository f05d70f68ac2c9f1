"""The order of vertices within layers, chosen so that few edges cross.

Sweeps down and up sort each layer by the mean position of the neighbours in the layer before;
between sweeps, neighbours in a layer are swapped while that removes crossings. The best order
seen is kept. Ties are broken by position, so that the same graph always gives the same drawing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable

from greedag.drawing.ranks import Layered

_PATIENCE = 6
_SWEEPS = 40
# Large graphs get fewer sweeps, so that the time stays in seconds.
_MOST_VISITS = 20_000


def order(graph: Layered) -> None:
    """Sort the layers of a graph in place."""
    best: list[list[int]] = []
    fewest = -1
    for start in (_walk(graph, graph.down, graph.up), _walk(graph, graph.up, graph.down)):
        graph.layers[:] = start
        crossings = _settle(graph)
        if fewest < 0 or crossings < fewest:
            fewest, best = crossings, [list(layer) for layer in graph.layers]
    graph.layers[:] = best


def crossings(graph: Layered) -> int:
    """Count the pairs of edges that cross."""
    place = _places(graph.layers)
    return sum(_between(layer, graph.down, place) for layer in graph.layers)


def _settle(graph: Layered) -> int:
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
