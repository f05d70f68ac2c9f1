"""A class on axes of matplotlib: the boxes and curves of the SVG.

Names are drawn as outlines, in the units of the drawing: they fit their boxes at any size of the
axes, and are never read as mathematics.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from greedag.drawing.focus import Whole, shown
from greedag.drawing.labels import Valued
from greedag.drawing.layout import (
    CORNER,
    DARK,
    FONT_SIZE,
    KEY_FONT_SIZE,
    LIGHT,
    Curve,
    Key,
    Layout,
    Point,
    curves,
    legend,
    legend_size,
)
from greedag.errors import OptionError, require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PIXELS_PER_INCH = 96.0
_POINTS_PER_INCH = 72.0
_PLAIN = 1.5


def plot(
    graph: Whole,
    ax: Axes | None = None,
    *,
    strengths: Iterable[Valued] | None = None,
    focus: str | None = None,
    distance: int = 1,
) -> Axes:
    """Draw a class on axes; see :meth:`CPDAG.plot`. Stronger edges get wider strokes."""
    require("matplotlib", "plot")
    part = shown(graph, focus, distance)
    edges = curves(part.graph, part.layout, strengths)
    keys = legend(edges, part.layout.height)
    needed = legend_size(keys)
    size = max(part.layout.width, needed[0]), part.layout.height + needed[1]
    ax = _new_axes(size) if ax is None else _checked_axes(ax)
    brush = _Brush(ax, size)
    for edge in edges:
        brush.edge(edge, edge.width)
    for i in range(len(part.graph.names)):
        brush.node(part.layout, i, strong=i == part.focus)
    for key in keys:
        brush.edge(key, _PLAIN)
        brush.text(key.text, key.at, KEY_FONT_SIZE, centred=False)
    return ax


def _checked_axes(ax: Axes) -> Axes:
    kind: Any = require("matplotlib.axes", "plot").Axes
    if not isinstance(ax, kind):
        raise OptionError(f"ax must be Axes of matplotlib, not {type(ax).__name__}")
    axes: Axes = ax
    return axes


def _new_axes(size: Point) -> Axes:
    pyplot: Any = require("matplotlib.pyplot", "plot")
    inches = [length / _PIXELS_PER_INCH for length in size]
    figure = pyplot.figure(figsize=inches)
    axes: Axes = figure.add_axes((0, 0, 1, 1))
    return axes


class _Brush:
    """Draws on axes whose data units are the pixels of the layout."""

    def __init__(self, ax: Axes, size: Point) -> None:
        self.ax: Any = ax
        self.patches: Any = require("matplotlib.patches", "plot")
        self.paths: Any = require("matplotlib.path", "plot")
        self.textpath: Any = require("matplotlib.textpath", "plot")
        self.transforms: Any = require("matplotlib.transforms", "plot")
        ax.set_xlim(0, size[0])
        ax.set_ylim(size[1], 0)
        ax.set_aspect("equal")
        ax.set_axis_off()
        window = ax.get_window_extent()
        scale = min(window.width / size[0], window.height / size[1])
        self.points_per_unit = scale * _POINTS_PER_INCH / self.ax.figure.dpi
        self.colours = DARK if self._on_dark() else LIGHT

    def edge(self, edge: Curve | Key, width: float) -> None:
        colour = self.colours["directed" if edge.directed else "undirected"]
        codes = [self.paths.Path.MOVETO] + [self.paths.Path.CURVE4] * (len(edge.points) - 1)
        line = {"lw": width * self.points_per_unit, "ls": "-" if edge.directed else (0, (4, 2.5))}
        path = self.paths.Path(edge.points, codes)
        self.ax.add_patch(self.patches.PathPatch(path, fc="none", ec=colour, zorder=1, **line))
        if edge.arrow:
            fill, border = (0.16, 0.65) if edge.faint else (1.0, 0.0)
            head = {"fc": (colour, fill), "ec": (colour, border), "lw": self.points_per_unit}
            self.ax.add_patch(self.patches.Polygon(edge.arrow, zorder=1, **head))
        if edge.mark:
            self.ax.add_patch(self.patches.Polygon(edge.mark, fc=colour, lw=0, zorder=1))

    def node(self, layout: Layout, i: int, *, strong: bool) -> None:
        (x, y), (width, height) = layout.positions[i], layout.sizes[i]
        box = self.patches.FancyBboxPatch(
            (x - width / 2, y - height / 2),
            width,
            height,
            boxstyle=f"round,pad=0,rounding_size={CORNER}",
            fc=self.colours["box"],
            ec=self.colours["ink" if strong else "border"],
            lw=(2.5 if strong else 1.0) * self.points_per_unit,
            zorder=2,
        )
        self.ax.add_patch(box)
        self.text(layout.labels[i], (x, y), FONT_SIZE, centred=True)

    def text(self, text: str, at: Point, size: float, *, centred: bool) -> None:
        with warnings.catch_warnings():
            # A sign that the font lacks is drawn as an empty box.
            warnings.simplefilter("ignore")
            outline = self.textpath.TextPath((0, 0), text.replace("$", r"\$"), size=size)
        left = -outline.get_extents().width / 2 if centred and len(outline.vertices) else 0.0
        # The middle of small letters with and without ascenders; the axes run downwards.
        move = self.transforms.Affine2D().scale(1, -1).translate(at[0] + left, at[1] + 0.36 * size)
        path = outline.transformed(move)
        patch = self.patches.PathPatch(path, fc=self.colours["ink"], ec="none", lw=0, zorder=3)
        self.ax.add_patch(patch)

    def _on_dark(self) -> bool:
        to_rgb = require("matplotlib.colors", "plot").to_rgb
        return bool(sum(to_rgb(self.ax.figure.get_facecolor())) < 1.5)
