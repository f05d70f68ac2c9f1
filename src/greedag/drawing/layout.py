"""Where boxes, curves, arrow heads and the legend of a drawing stand on the page.

Layered: every edge points down as it does in ``cpdag.to_dag()``, which gives undirected edges
their place too. Connected parts stand side by side and below each other; columns without edges
stand in rows at the end. The same class always gives the same layout.

Edges leave a box at its lower border and enter at the upper one, spread along the border in the
order of where they come from. Between two layers an edge is one S-shaped curve that stays in the
gap; through a layer it runs straight down, between boxes. So no edge passes under a box (but for
the longest ones of very dense graphs, which have no bends). SVG and matplotlib only emit this.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from greedag.drawing.labels import (
    WEAK_MARGIN,
    Edge,
    Graph,
    Matrix,
    Valued,
    em_width,
    labels,
    losses,
    margins,
    sources,
)
from greedag.drawing.layers import Layered, layered, order, place

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
# A drawing that is high and narrow may be pulled apart sideways, up to this factor.
_MOST_STRETCH = 3.0
_LEAST_ROW = 640.0

CORNER = 6.0
HEAD_LENGTH = 8.0
_MARK = 4.5
# Of marks: radius, corners, and by which share of a corner they are turned.
_SHAPES = {
    "knowledge": (_MARK, 4, 0.0),
    "intervention": (_MARK, 4, 0.5),
    "curve": (0.85 * _MARK, 16, 0.0),
    "score": (_MARK, 3, 0.25),
}
_THIN, _THICK = 1.1, 3.6
_PLAIN = 1.5
_PORT_GAP = 11.0
_CORNER_ROOM = 9.0
KEY_HEIGHT = 18.0
KEY_FONT_SIZE = 11.5
_KEY_LEFT, _KEY_LENGTH = 16.0, 34.0
_MEANING = {
    True: "directed: this direction in every member of the class",
    False: "undirected: either direction, depending on the member",
}
_FAINT = f"faint head: turning the edge would cost less than {WEAK_MARGIN:g} of the score"
_AGREEING = {
    False: "directed: this direction in every member that agrees with what is known",
    True: "directed: this direction in every member that fits",
}
SOURCES = {
    "knowledge": "diamond: directed by what is known; the data alone leave the direction open",
    "intervention": "square: directed by an intervention, or follows from such an edge",
    "curve": "dot: directed by a curve, or follows from such an edge",
    "score": "triangle: directed by the score, or follows from such an edge",
}
LIGHT = {
    "paper": "#ffffff",
    "ink": "#1b1f24",
    "box": "#f2f5f9",
    "border": "#8a97a8",
    "rule": "#dde2e9",
    "directed": "#33567f",
    "undirected": "#b35309",
}
DARK = {
    "paper": "#14171b",
    "ink": "#e8ebef",
    "box": "#252b33",
    "border": "#66758a",
    "rule": "#343c47",
    "directed": "#8fb8ea",
    "undirected": "#f0a354",
}

Floats = NDArray[np.float64]
Point = tuple[float, float]


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
    bends: dict[Edge, tuple[Point, ...]]
    width: float
    height: float


@dataclass(slots=True)
class _Part:
    """A connected part, placed from its own upper left corner."""

    nodes: list[int]
    centres: list[Point]
    bends: dict[Edge, tuple[Point, ...]]
    width: float
    height: float


def layout(graph: Graph, shape: float | None = None) -> Layout:
    """Lay out a class or a part of one; drawings stay readable up to about 100 columns.

    Parameters
    ----------
    graph : Graph
        The class.
    shape : float, optional
        Width over height of the place that the drawing is for. A drawing too narrow for it is
        pulled apart sideways.
    """
    member = graph.to_dag()
    names = labels(graph.names, _LABEL_EM, em_width)
    widths = _widths(names, member)
    groups = _components(member)
    parts = [_part(group, member, widths) for group in groups if len(group) > 1]
    parts.sort(key=lambda part: (-len(part.nodes), part.nodes))
    alone = [_single(group[0], widths) for group in groups if len(group) == 1]
    if shape is not None:
        parts = _stretched(parts, shape)
    limit = _row_limit(parts + alone)
    if shape is not None and parts:
        limit = max(limit, shape * parts[0].height)
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
    corners: list[Point],
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


def _stretched(parts: list[_Part], shape: float) -> list[_Part]:
    """Return parts whose columns stand further apart, if they are too narrow side by side."""
    height = max((part.height for part in parts), default=0.0)
    spans = sum(map(_span, parts))
    fixed = sum(part.width - _span(part) + _PART_GAP for part in parts)
    room = max(shape * height, _LEAST_ROW) - fixed
    factor = min(room / spans, _MOST_STRETCH) if spans else 1.0
    return [_pulled(part, factor) for part in parts] if factor > 1.0 else parts


def _span(part: _Part) -> float:
    """Return how far apart the outermost centres and bends are."""
    across = _across(part)
    return max(across) - min(across)


def _across(part: _Part) -> list[float]:
    return [x for points in (part.centres, *part.bends.values()) for x, _ in points]


def _pulled(part: _Part, factor: float) -> _Part:
    """Return a part with its centres moved sideways; the boxes keep their size."""
    left = min(_across(part))

    def moved(point: Point) -> Point:
        return round(left + factor * (point[0] - left), 2), point[1]

    return _Part(
        part.nodes,
        [moved(point) for point in part.centres],
        {edge: tuple(map(moved, points)) for edge, points in part.bends.items()},
        part.width + (factor - 1.0) * _span(part),
        part.height,
    )


def _row_limit(parts: list[_Part]) -> float:
    """Return the width at which a row of parts is full: the page is then about as wide as high."""
    area = sum((part.width + _PART_GAP) * (part.height + _PART_GAP) for part in parts)
    return max(_LEAST_ROW, math.sqrt(area * _SHAPE), *(part.width for part in parts))


def _shelves(
    parts: Sequence[_Part], limit: float, *, gap: float, top: float
) -> tuple[list[Point], float]:
    """Return the upper left corners of parts in rows, and where the last row ends."""
    corners: list[Point] = []
    left, height = 0.0, 0.0
    top += gap if top and parts else 0.0
    for part in parts:
        if corners and left + part.width > limit:
            left, top, height = 0.0, top + height + gap, 0.0
        corners.append((left, top))
        left, height = left + part.width + gap, max(height, part.height)
    return corners, top + height


@dataclass(frozen=True, slots=True)
class Curve:
    """One edge as drawn.

    Attributes
    ----------
    tail, head : int
        Its columns, the smaller first if undirected.
    directed : bool
        Whether it has an arrow head.
    points : tuple of points
        Start, then three points for each cubic piece: two controls and an end.
    arrow : tuple of points
        Tip and the two other corners of the arrow head; empty if undirected.
    width : float
        Of the stroke.
    loss : float or None
        The strength, if known.
    margin : float or None
        The direction margin, if known.
    source : str
        What the direction rests on if the class alone leaves it open: ``"knowledge"``,
        or a kind of evidence; else empty.
    mark : tuple of points
        At the tail of an edge with a source; else empty.
    """

    tail: int
    head: int
    directed: bool
    points: tuple[Point, ...]
    arrow: tuple[Point, ...]
    width: float
    loss: float | None
    margin: float | None = None
    source: str = ""
    mark: tuple[Point, ...] = ()

    @property
    def faint(self) -> bool:
        """Whether the direction is weakly supported, so the arrow head is drawn faint."""
        return self.margin is not None and self.margin < WEAK_MARGIN


@dataclass(frozen=True, slots=True)
class Key:
    """One line of the legend: a sample of an edge, and what it means.

    Attributes
    ----------
    points, arrow, mark : tuple of points
        As in `Curve`.
    directed : bool
        The kind of the sample.
    at : point
        Where the text starts, at half its height.
    text : str
        What it means.
    faint : bool
        Whether the arrow head is faint.
    """

    points: tuple[Point, ...]
    arrow: tuple[Point, ...]
    directed: bool
    at: Point
    text: str
    faint: bool = False
    mark: tuple[Point, ...] = ()


def curves(
    graph: Graph, layout: Layout, strengths: Iterable[Valued] | None = None
) -> tuple[Curve, ...]:
    """Return all edges as drawn, sorted by their columns.

    Parameters
    ----------
    graph : Graph
        The class.
    layout : Layout
        Of the same class.
    strengths : iterable of Strength, optional
        Strokes are wider for stronger edges, on a logarithmic scale.
    """
    cells = graph.to_matrix()
    valued = list(strengths or ())
    known, margin = losses(graph, valued), margins(graph, valued)
    given, scale = sources(graph), _Scale.of(known.values())
    leaving, entering = _ports(layout)
    drawn = []
    for upper, lower in layout.bends:
        directed = not (cells[upper, lower] and cells[lower, upper])
        loss = known.get((min(upper, lower), max(upper, lower)))
        width = scale.width(loss)
        start, end = leaving[upper, lower], entering[upper, lower]
        arrow = _arrow(end, width) if directed else ()
        stop = (end[0], end[1] - HEAD_LENGTH + 1) if directed else end
        tail, head = (upper, lower) if directed else sorted((upper, lower))
        points = _curve(start, layout.bends[upper, lower], stop)
        turned = margin.get((tail, head)) if directed else None
        source = given.get((graph.names[tail], graph.names[head]), "") if directed else ""
        mark = _mark(source, start[0], start[1] + _MARK) if source else ()
        drawn.append(Curve(tail, head, directed, points, arrow, width, loss, turned, source, mark))
    return tuple(sorted(drawn, key=lambda curve: (curve.tail, curve.head)))


def legend(edges: Iterable[Curve], top: float) -> tuple[Key, ...]:
    """Return what the kinds of edges that occur mean, one below the other from `top` on."""
    drawn = list(edges)
    wider = "; wider strokes: stronger" if len({edge.width for edge in drawn}) > 1 else ""
    kinds = [kind for kind in _MEANING if any(edge.directed == kind for edge in drawn)]
    given = [source for source in SOURCES if any(edge.source == source for edge in drawn)]
    agreeing = {True: _AGREEING[given != ["knowledge"]]} if given else {}
    meaning = _MEANING | agreeing
    lines = [(meaning[kind] + wider * (kind == kinds[-1]), kind, False, "") for kind in kinds]
    if any(edge.faint for edge in drawn):
        lines.append((_FAINT, True, True, ""))
    lines += [(SOURCES[source], True, False, source) for source in given]
    return tuple(_key(top + (row + 0.5) * KEY_HEIGHT, *line) for row, line in enumerate(lines))


def _key(y: float, text: str, directed: bool, faint: bool, source: str) -> Key:
    tip = _KEY_LEFT + _KEY_LENGTH
    stop = tip - HEAD_LENGTH + 1 if directed else tip
    points = tuple((_KEY_LEFT + (stop - _KEY_LEFT) * k / 3, y) for k in range(4))
    arrow = ((tip, y), (stop, y - 4), (stop, y + 4)) if directed else ()
    mark = _mark(source, _KEY_LEFT + _MARK, y) if source else ()
    return Key(points, arrow, directed, (tip + 9, y), text, faint, mark)


def _mark(source: str, x: float, y: float) -> tuple[Point, ...]:
    """Return the mark around a point that says what directs an edge."""
    radius, corners, turn = _SHAPES[source]
    angles = [math.tau * (k + turn) / corners for k in range(corners)]
    return tuple((x - radius * math.cos(a), y - radius * math.sin(a)) for a in angles)


def legend_size(keys: Sequence[Key]) -> Point:
    """Return the width and height that a legend needs."""
    widths = (key.at[0] + em_width(key.text) * KEY_FONT_SIZE for key in keys)
    return max(widths, default=0.0) + _KEY_LEFT, len(keys) * KEY_HEIGHT + 8.0 * bool(keys)


@dataclass(frozen=True, slots=True)
class _Scale:
    """How wide a stroke is for a strength."""

    least: float
    most: float

    @classmethod
    def of(cls, losses: Iterable[float]) -> _Scale:
        known = [math.log1p(max(loss, 0.0)) for loss in losses if math.isfinite(loss)]
        return cls(min(known, default=0.0), max(known, default=0.0))

    def width(self, loss: float | None) -> float:
        if loss is None or self.least == self.most or not math.isfinite(loss):
            return _PLAIN
        share = (math.log1p(max(loss, 0.0)) - self.least) / (self.most - self.least)
        return round(_THIN + share * (_THICK - _THIN), 2)


def _ports(layout: Layout) -> tuple[dict[Edge, Point], dict[Edge, Point]]:
    """Return where each edge leaves its upper box and enters its lower one."""
    below: dict[int, list[tuple[float, Edge]]] = defaultdict(list)
    above: dict[int, list[tuple[float, Edge]]] = defaultdict(list)
    for edge, bends in layout.bends.items():
        upper, lower = edge
        below[upper].append((bends[0][0] if bends else layout.positions[lower, 0], edge))
        above[lower].append((bends[-1][0] if bends else layout.positions[upper, 0], edge))
    return _spread(below, layout, BOX_HEIGHT / 2), _spread(above, layout, -BOX_HEIGHT / 2)


def _spread(
    sides: dict[int, list[tuple[float, Edge]]], layout: Layout, offset: float
) -> dict[Edge, Point]:
    ports = {}
    for node, meeting in sides.items():
        x, y = layout.positions[node]
        room = layout.sizes[node, 0] - 2 * _CORNER_ROOM
        gap = min(_PORT_GAP, room / max(len(meeting) - 1, 1))
        first = x - gap * (len(meeting) - 1) / 2
        for k, (_, edge) in enumerate(sorted(meeting)):
            ports[edge] = (float(first + k * gap), float(y + offset))
    return ports


def _curve(start: Point, bends: tuple[Point, ...], stop: Point) -> tuple[Point, ...]:
    points = [start]
    for x, y in bends:
        _curve_to(points, (x, y - BOX_HEIGHT / 2))
        _curve_to(points, (x, y + BOX_HEIGHT / 2))
    _curve_to(points, stop)
    return tuple(points)


def _curve_to(points: list[Point], end: Point) -> None:
    """Add a piece that starts and ends vertically, and is straight where both x are equal."""
    x, y = points[-1]
    middle = (y + end[1]) / 2
    points += [(x, middle), (end[0], middle), end]


def _arrow(tip: Point, width: float) -> tuple[Point, ...]:
    x, y = tip
    half = 3.0 + width / 2
    return (tip, (x - half, y - HEAD_LENGTH), (x + half, y - HEAD_LENGTH))
