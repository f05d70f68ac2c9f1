"""Where the vertices of an ordered layered graph stand from left to right.

Minimises the weighted sum of squared horizontal distances along edges, one layer at a time, with
each layer's order and distances kept. Each step is exact, so that the sum only falls. Parts of
long edges weigh more, so that these run straight down.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from greedag.drawing.ranks import Layered

_ROUNDS = 30


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
    for _ in range(_ROUNDS):
        for layer, offset in rows + rows[::-1]:
            _settle(layer, offset, near, centres)
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


def _settle(
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
