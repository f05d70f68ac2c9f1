"""What a drawing is made of: boxes, curves, arrow heads. The SVG and matplotlib only emit it.

Edges leave a box at its lower border and enter at the upper one, spread along the border in the
order of where they come from. Between two layers an edge is one S-shaped curve that stays in the
gap; through a layer it runs straight down, between boxes. So no edge passes under a box (but for
the longest ones of very dense graphs, which have no bends).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from greedag.drawing.edges import Edge, Valued, losses
from greedag.drawing.labels import em_width
from greedag.drawing.layout import BOX_HEIGHT, Layout
from greedag.graph.cpdag import CPDAG

Point = tuple[float, float]
CORNER = 6.0
HEAD_LENGTH = 8.0
_THIN, _THICK = 1.1, 3.6
_PLAIN = 1.5
_PORT_GAP = 11.0
_CORNER_ROOM = 9.0
KEY_HEIGHT = 18.0
KEY_FONT_SIZE = 11.5
_KEY_LEFT, _KEY_LENGTH = 16.0, 34.0
_MEANING = {
    True: "directed: this way in every member of the class",
    False: "undirected: one way in some members, the other way in others",
}


@dataclass(frozen=True, slots=True)
class Curve:
    """One edge as drawn.

    Attributes
    ----------
    tail, head : int
        Columns that it joins; the smaller first if undirected.
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
    """

    tail: int
    head: int
    directed: bool
    points: tuple[Point, ...]
    arrow: tuple[Point, ...]
    width: float
    loss: float | None


@dataclass(frozen=True, slots=True)
class Key:
    """One line of the legend: a sample of an edge, and what it means.

    Attributes
    ----------
    points, arrow : tuple of points
        As in `Curve`.
    directed : bool
        The kind of the sample.
    at : point
        Where the text starts, at half its height.
    text : str
        What it means.
    """

    points: tuple[Point, ...]
    arrow: tuple[Point, ...]
    directed: bool
    at: Point
    text: str


def curves(
    cpdag: CPDAG, layout: Layout, strengths: Iterable[Valued] | None = None
) -> tuple[Curve, ...]:
    """Return all edges as drawn, sorted by their columns.

    Parameters
    ----------
    cpdag : CPDAG
        The class.
    layout : Layout
        Of the same class.
    strengths : iterable of Strength, optional
        Strokes are wider for stronger edges, on a logarithmic scale.
    """
    cells = cpdag.to_matrix()
    known = losses(cpdag, strengths)
    scale = _Scale.of(known.values())
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
        points = _path(start, layout.bends[upper, lower], stop)
        drawn.append(Curve(tail, head, directed, points, arrow, width, loss))
    return tuple(sorted(drawn, key=lambda curve: (curve.tail, curve.head)))


def legend(edges: Iterable[Curve], top: float) -> tuple[Key, ...]:
    """Return what the kinds of edges that occur mean, one below the other from `top` on."""
    drawn = list(edges)
    wider = "; wider strokes: stronger" if len({edge.width for edge in drawn}) > 1 else ""
    kinds = [kind for kind in _MEANING if any(edge.directed == kind for edge in drawn)]
    keys = []
    for row, directed in enumerate(kinds):
        y = top + (row + 0.5) * KEY_HEIGHT
        tip = _KEY_LEFT + _KEY_LENGTH
        stop = tip - HEAD_LENGTH + 1 if directed else tip
        points = tuple((_KEY_LEFT + (stop - _KEY_LEFT) * k / 3, y) for k in range(4))
        arrow = ((tip, y), (stop, y - 4), (stop, y + 4)) if directed else ()
        text = _MEANING[directed] + wider * (row == len(kinds) - 1)
        keys.append(Key(points, arrow, directed, (tip + 9, y), text))
    return tuple(keys)


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


def _path(start: Point, bends: tuple[Point, ...], stop: Point) -> tuple[Point, ...]:
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
