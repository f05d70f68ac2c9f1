"""Where everything of a class stands on the page: boxes of nodes, and the bends of edges.

Layered: every edge points down as it does in ``cpdag.to_dag()``, which gives undirected edges
their place too. Connected parts stand side by side and below each other; columns without edges
stand in rows at the end. The same class always gives the same layout.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from greedag.drawing.coordinates import place
from greedag.drawing.crossings import order
from greedag.drawing.edges import Edge
from greedag.drawing.labels import em_width, labels
from greedag.drawing.ranks import Layered, layered
from greedag.graph.cpdag import CPDAG, Matrix

FONT_SIZE = 13.0
BOX_HEIGHT = 26.0
_LABEL_EM = 13.0
_PADDING = 9.0
_LEAST_WIDTH = 34.0
_ARROW_ROOM = 9.0
_BETWEEN = 14.0
_BEND = 4.0
_MARGIN = 16.0
_PART_GAP = 34.0
# Layers stand further apart where edges run far sideways, so that these do not lie flat.
_LAYER_GAPS = (34.0, 110.0)
_SLOPE = 0.12
_SHAPE = 1.7
_LEAST_ROW = 640.0

Floats = NDArray[np.float64]
Bend = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The plan of a drawing, in pixels, from the upper left corner.

    Attributes
    ----------
    positions : array of shape (d, 2)
        Centres of the boxes.
    sizes : array of shape (d, 2)
        Widths and heights of the boxes.
    labels : tuple of str
        Names as written in the boxes: on one line, long ones shortened.
    bends : dict
        For each edge (upper, lower), by column index, the points (x, y) that it passes through
        between other boxes: at each it runs straight down for the height of a box.
    width, height : float
        Size of the drawing.
    """

    positions: Floats
    sizes: Floats
    labels: tuple[str, ...]
    bends: dict[Edge, tuple[Bend, ...]]
    width: float
    height: float


@dataclass(slots=True)
class _Part:
    """A connected part, placed from its own upper left corner."""

    nodes: list[int]
    centres: list[Bend]
    bends: dict[Edge, tuple[Bend, ...]]
    width: float
    height: float


def layout(cpdag: CPDAG) -> Layout:
    """Lay out a class.

    Parameters
    ----------
    cpdag : CPDAG
        The class; drawings stay readable up to about 100 columns.
    """
    return arranged(cpdag.names, cpdag.to_dag())


def arranged(columns: Sequence[str], member: Matrix) -> Layout:
    """Lay out the nodes of a DAG, such as a part of a member of a class."""
    names = labels(columns, _LABEL_EM, em_width)
    widths = _widths(names, member)
    groups = _components(member)
    parts = [_part(group, member, widths) for group in groups if len(group) > 1]
    parts.sort(key=lambda part: (-len(part.nodes), part.nodes))
    alone = [_single(group[0], widths) for group in groups if len(group) == 1]
    limit = _row_limit(parts + alone)
    corners, below = _shelves(parts, limit, gap=_PART_GAP, top=0.0)
    single_corners, below = _shelves(alone, limit, gap=_BETWEEN, top=below)
    return _assembled(parts + alone, corners + single_corners, names, widths, below)


def _widths(names: tuple[str, ...], member: Matrix) -> list[float]:
    """Return the widths of the boxes: room for the name, and for the arrows that come and go."""
    arrows = np.maximum(member.sum(axis=0, dtype=int), member.sum(axis=1, dtype=int))
    return [
        max(em_width(name) * FONT_SIZE + 2 * _PADDING, _LEAST_WIDTH, _ARROW_ROOM * (count + 1))
        for name, count in zip(names, arrows.tolist(), strict=True)
    ]


def _assembled(
    parts: list[_Part],
    corners: list[Bend],
    names: tuple[str, ...],
    widths: list[float],
    below: float,
) -> Layout:
    positions = np.zeros((len(names), 2))
    bends = {}
    for part, (left, top) in zip(parts, corners, strict=True):
        left, top = left + _MARGIN, top + _MARGIN
        for node, (x, y) in zip(part.nodes, part.centres, strict=True):
            positions[node] = (left + x, top + y)
        for edge, points in part.bends.items():
            bends[edge] = tuple((left + x, top + y) for x, y in points)
    right = max(left + part.width for part, (left, _) in zip(parts, corners, strict=True))
    sizes = np.column_stack([widths, np.full(len(names), BOX_HEIGHT)])
    width, height = (float(math.ceil(size + 2 * _MARGIN)) for size in (right, below))
    return Layout(positions, sizes, names, bends, width, height)


def _components(member: Matrix) -> list[list[int]]:
    near = (member | member.T).astype(bool)
    unseen = np.ones(len(near), dtype=bool)
    groups = []
    for root in range(len(near)):
        stack, group = [root] if unseen[root] else [], []
        while stack:
            node = stack.pop()
            if unseen[node]:
                unseen[node] = False
                group.append(node)
                stack += np.flatnonzero(near[node] & unseen).tolist()
        if group:
            groups.append(sorted(group))
    return groups


def _part(nodes: list[int], member: Matrix, widths: list[float]) -> _Part:
    edges = [(int(i), int(j)) for i, j in np.argwhere(member[np.ix_(nodes, nodes)])]
    graph = layered(len(nodes), edges)
    order(graph)
    bends = len(graph.up) - len(nodes)
    sizes = [widths[node] for node in nodes] + [_BEND] * bends
    centres = place(graph, sizes, between=_BETWEEN)
    left = min(x - size / 2 for x, size in zip(centres, sizes, strict=True))
    right = max(x + size / 2 for x, size in zip(centres, sizes, strict=True))
    heights = _heights(graph, centres)
    points = [(round(x - left, 2), y) for x, y in zip(centres, heights, strict=True)]
    return _Part(
        nodes,
        points[: len(nodes)],
        {
            (nodes[i], nodes[j]): tuple(points[v] for v in chain[1:-1])
            for (i, j), chain in graph.chains.items()
        },
        right - left,
        max(heights) + BOX_HEIGHT / 2,
    )


def _heights(graph: Layered, centres: list[float]) -> list[float]:
    """Return the vertical centre of every vertex."""
    heights = [0.0] * len(centres)
    y = BOX_HEIGHT / 2
    for layer in graph.layers:
        for v in layer:
            heights[v] = round(y, 2)
        widest = max(
            (abs(centres[u] - centres[v]) for v in layer for u in graph.down[v]), default=0
        )
        y += BOX_HEIGHT + min(max(_LAYER_GAPS[0] + _SLOPE * widest, _LAYER_GAPS[0]), _LAYER_GAPS[1])
    return heights


def _single(node: int, widths: list[float]) -> _Part:
    size = widths[node]
    return _Part([node], [(size / 2, BOX_HEIGHT / 2)], {}, size, BOX_HEIGHT)


def _row_limit(parts: list[_Part]) -> float:
    """Return the width at which a row of parts is full: the page is then about as wide as high."""
    area = sum((part.width + _PART_GAP) * (part.height + _PART_GAP) for part in parts)
    return max(_LEAST_ROW, math.sqrt(area * _SHAPE), *(part.width for part in parts))


def _shelves(
    parts: Sequence[_Part], limit: float, *, gap: float, top: float
) -> tuple[list[Bend], float]:
    """Return the upper left corners of parts in rows, and where the last row ends."""
    corners: list[Bend] = []
    left, height = 0.0, 0.0
    top += gap if top and parts else 0.0
    for part in parts:
        if corners and left + part.width > limit:
            left, top, height = 0.0, top + height + gap, 0.0
        corners.append((left, top))
        left, height = left + part.width + gap, max(height, part.height)
    return corners, top + height
