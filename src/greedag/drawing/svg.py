"""A class as one `<svg>` element, for a notebook, a page or a file of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from greedag.drawing.labels import Graph, Valued, printable
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
from greedag.drawing.layout import layout as laid_out

_DIRECTED_BY = {
    "": "",
    "knowledge": ", directed by what is known",
    "intervention": ", directed by an intervention",
    "curve": ", directed by a curve",
    "score": ", directed by the score",
}
_PALEST = 0.15
_FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
_ESCAPES |= {c: f"&#{ord(c)};" for c in "\t\n\r"}


def _variables(scheme: str, colours: dict[str, str]) -> str:
    named = (f"--greedag-{name}:{value}" for name, value in colours.items())
    return ";".join([f"color-scheme:{scheme}", *named])


_LIGHT, _DARK = _variables("light", LIGHT), _variables("dark", DARK)
# Notebooks choose their theme themselves, whatever the system prefers: JupyterLab, VS Code, and
# Colab and Sphinx by an attribute of the page.
_IN_LIGHT = ('[data-jp-theme-light="true"]', ".vscode-light", '[data-theme="light"]')
_IN_DARK = (
    '[data-jp-theme-light="false"]',
    ".vscode-dark",
    ".vscode-high-contrast",
    '[data-theme="dark"]',
    '[theme="dark"]',
)


def _within(places: tuple[str, ...]) -> str:
    return ",".join(f"{place} .greedag" for place in places)


STYLE = (
    f".greedag{{{_LIGHT}}}"
    f"@media(prefers-color-scheme:dark){{.greedag{{{_DARK}}}}}"
    f"{_within(_IN_LIGHT)}{{{_LIGHT}}}"
    f"{_within(_IN_DARK)}{{{_DARK}}}"
    "svg.greedag{background:var(--greedag-paper)}"
    f"svg.greedag text{{font:{FONT_SIZE:g}px system-ui,'Segoe UI',Roboto,'Helvetica Neue',"
    "'DejaVu Sans',sans-serif;fill:var(--greedag-ink)}"
    "svg.greedag .node text{text-anchor:middle;dominant-baseline:central}"
    "svg.greedag .node rect{fill:var(--greedag-box);stroke:var(--greedag-border)}"
    "svg.greedag .focus rect{stroke:var(--greedag-ink);stroke-width:2.5px}"
    "svg.greedag .focus text{font-weight:600}"
    "svg.greedag path{fill:none}"
    "svg.greedag .edge .hit{stroke:transparent;stroke-width:11px}"
    "svg.greedag .directed .line{stroke:var(--greedag-directed)}"
    "svg.greedag .directed polygon{fill:var(--greedag-directed)}"
    "svg.greedag .directed .faint{fill-opacity:.16;stroke:var(--greedag-directed);"
    "stroke-opacity:.65}"
    "svg.greedag .undirected .line{stroke:var(--greedag-undirected);stroke-dasharray:6 4}"
    "svg.greedag .edge:hover .line{stroke:var(--greedag-ink)}"
    "svg.greedag .edge:hover polygon{fill:var(--greedag-ink)}"
    f"svg.greedag .legend text{{font-size:{KEY_FONT_SIZE:g}px;dominant-baseline:central}}"
)


def draw(
    graph: Graph,
    layout: Layout | None = None,
    *,
    strengths: Iterable[Valued] | None = None,
    title: str = "",
    focus: int | None = None,
    shares: Mapping[tuple[int, int], float] | None = None,
) -> str:
    """Draw a class.

    Each node is a ``<g class="node" data-node="INDEX">``, each edge a ``<g class="edge directed"
    data-edge="I-J" data-strength="…">`` (``undirected``: I < J). Colours are CSS variables
    (``--greedag-…``) with values for light and dark.

    Parameters
    ----------
    graph : CPDAG or the like
        The class.
    layout : Layout, optional
        Of the same class, if there is one already.
    strengths : iterable of Strength, optional
        From ``result.strengths()``: stronger edges get wider strokes.
    title : str, default ""
        Read by screen readers and shown on hover.
    focus : int, optional
        A node to draw with a strong border (class ``focus``).
    shares : mapping of (int, int) to float, optional
        By columns, the smaller first: how often an edge is found. Others are drawn paler.

    Returns
    -------
    str
        A whole ``<svg>`` element.
    """
    layout = laid_out(graph) if layout is None else layout
    edges = curves(graph, layout, strengths)
    keys = legend(edges, layout.height)
    below = legend_size(keys)
    width, height = max(layout.width, below[0]), layout.height + below[1]
    said = escape(printable(title) or f"graph of {len(graph.names)} columns and {len(edges)} edges")
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="greedag" role="img" aria-label="{said}" '
        f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}">',
        f"<style>{STYLE}</style>",
        *([f"<title>{said}</title>"] if title else []),
        *(_edge(curve, graph, shares) for curve in edges),
        *(_node(i, graph, layout, i == focus) for i in range(len(graph.names))),
        *map(_key, keys),
        "</svg>",
    ]
    return "\n".join(lines)


def escape(text: str) -> str:
    """Escape text for XML content and attributes; characters that XML forbids become U+FFFD."""
    allowed = _FORBIDDEN.sub("\ufffd", text)
    return "".join(_ESCAPES.get(character, character) for character in allowed)


def _node(i: int, graph: Graph, layout: Layout, strong: bool) -> str:
    (x, y), (width, height) = layout.positions[i], layout.sizes[i]
    box = (
        f'x="{x - width / 2:.2f}" y="{y - height / 2:.2f}" width="{width:.2f}" height="{height:g}"'
    )
    return (
        f'<g class="node{" focus" * strong}" data-node="{i}" tabindex="0">'
        f"<title>{escape(printable(graph.names[i]))}</title>"
        f'<rect {box} rx="{CORNER:g}"/>'
        f'<text x="{x:.2f}" y="{y:.2f}">{escape(layout.labels[i])}</text></g>'
    )


def opacity(share: float) -> float:
    """Return how strongly an edge of this share is drawn: never so pale that it cannot be seen."""
    return round(_PALEST + (1.0 - _PALEST) * share, 3)


def _edge(curve: Curve, graph: Graph, shares: Mapping[tuple[int, int], float] | None) -> str:
    kind = "directed" if curve.directed else "undirected"
    strength = "" if curve.loss is None else f' data-strength="{curve.loss:.6g}"'
    path = _path(curve.points)
    ends = min(curve.tail, curve.head), max(curve.tail, curve.head)
    share = None if shares is None else shares.get(ends, 0.0)
    pale = "" if share is None else f' opacity="{opacity(share):g}"'
    found = "" if share is None else f", found in {100.0 * share:.0f} % of the draws"
    head = _polygon(curve.arrow, pale, faint=curve.faint) + _polygon(curve.mark, pale)
    return (
        f'<g class="edge {kind}" data-edge="{curve.tail}-{curve.head}"{strength}>'
        f"<title>{escape(_said(curve, graph) + found)}</title>"
        f'<path class="hit" d="{path}"/>'
        f'<path class="line" stroke-width="{curve.width:g}"{pale} d="{path}"/>{head}</g>'
    )


def _said(curve: Curve, graph: Graph) -> str:
    a, b = printable(graph.names[curve.tail]), printable(graph.names[curve.head])
    worth = "" if curve.loss is None else f", strength {curve.loss:.4g}"
    margin = "" if curve.margin is None else f", direction margin {curve.margin:.4g}"
    return f"{a} {'→' if curve.directed else '-'} {b}{worth}{margin}{_DIRECTED_BY[curve.source]}"


def _polygon(points: tuple[Point, ...], pale: str = "", *, faint: bool = False) -> str:
    kind = ' class="faint"' if faint else ""
    return f'<polygon{kind}{pale} points="{_corners(points)}"/>' if points else ""


def _key(key: Key) -> str:
    kind = "directed" if key.directed else "undirected"
    head = _polygon(key.arrow, faint=key.faint) + _polygon(key.mark)
    x, y = key.at
    return (
        f'<g class="legend {kind}"><path class="line" stroke-width="1.5" d="{_path(key.points)}"/>'
        f'{head}<text x="{x:.2f}" y="{y:.2f}">{escape(key.text)}</text></g>'
    )


def _path(points: tuple[Point, ...]) -> str:
    start, *rest = points
    pieces = zip(rest[::3], rest[1::3], rest[2::3], strict=True)
    return f"M{_point(start)}" + "".join(
        f"C{_point(a)} {_point(b)} {_point(c)}" for a, b, c in pieces
    )


def _corners(points: Iterable[Point]) -> str:
    return " ".join(_point(point) for point in points)


def _point(point: Point) -> str:
    return f"{point[0]:.2f},{point[1]:.2f}"
