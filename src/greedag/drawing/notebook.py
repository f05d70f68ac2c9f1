"""A class in a notebook: the drawing, and beside it the table of edges."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from greedag.drawing.focus import Shown, Whole, shown
from greedag.drawing.fragments import edge_table_html, fragment, paragraph
from greedag.drawing.labels import Edge, Valued, printable, rows
from greedag.drawing.svg import draw
from greedag.drawing.text import edge_table
from greedag.errors import OptionError, quoted_path
from greedag.io.atomic import FilePath, write_text_atomic

# Of a drawing, in pixels: wider than what fits beside a table, and than what can be read there.
_WIDE, _TOO_WIDE = 480.0, 800.0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class View:
    """A drawing of a class, or of a part of it, that a notebook shows.

    Attributes
    ----------
    svg : str
        The drawing: one ``<svg>`` element.
    html : str
        The drawing and the table of edges: one ``<div>`` element.
    text : str
        The table of edges for a terminal.
    """

    svg: str
    html: str
    text: str

    def save(self, path: FilePath) -> None:
        """Write the drawing to an ``.svg`` file, or drawing and table to an ``.html`` file.

        Raises
        ------
        OptionError
            If the name ends in neither.
        FileError
            If the file cannot be written.
        """
        is_path = isinstance(path, (str, os.PathLike))
        suffix = str(os.path.splitext(os.fspath(path))[1]).lower() if is_path else ""
        if suffix == ".svg":
            content = f'<?xml version="1.0" encoding="UTF-8"?>\n{self.svg}\n'
        elif suffix in (".html", ".htm"):
            head = '<meta charset="utf-8"><title>greedag</title>'
            content = f"<!DOCTYPE html>\n<html><head>{head}</head><body>{self.html}</body></html>\n"
        else:
            raise OptionError(
                f"cannot infer the format of {quoted_path(path)}; use the suffix .svg or .html"
            )
        write_text_atomic(path, content)

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": self.text, "text/html": self.html}


def view(
    graph: Whole,
    *,
    strengths: Iterable[Valued] | None = None,
    heading: str = "",
    notes: Sequence[str] = (),
    focus: str | None = None,
    distance: int = 1,
) -> View:
    """Draw a class; see :meth:`CPDAG.view`.

    `heading` stands above the drawing, `notes` below the table; `strengths` are those of
    ``result.strengths()``.
    """
    part = shown(graph, focus, distance)
    known = None if strengths is None else list(strengths)
    svg = draw(part.graph, part.layout, strengths=known, title=heading, focus=part.focus)
    sentences = [text for text in (heading, part.sentence) if text]
    said = [f"note: {note}" for note in notes]
    html = fragment(
        [
            *map(paragraph, sentences),
            '<div class="beside">',
            *_drawing(part, svg),
            '<div class="edges">',
            *edge_table_html(part.graph.names, rows(part.graph, known)),
            "</div></div>",
            *map(paragraph, said),
        ]
    )
    text = [*sentences, edge_table(part.graph, known), *map(printable, said)]
    return View(svg, html, "\n".join(text))


def view_of_shares(
    graph: Whole,
    shares: Mapping[Edge, float],
    *,
    heading: str,
    caption: str,
    table: Sequence[str],
    notes: Sequence[str] = (),
) -> str:
    """Return a graph whose edges are paler the smaller their shares, beside a table of these.

    Parameters
    ----------
    graph : MPDAG
        The graph.
    shares : mapping of (int, int) to float
        By columns, the smaller first.
    heading, caption : str
        Above both, and above the drawing.
    table : sequence of str
        Lines of HTML.
    notes : sequence of str
        Below both.
    """
    part = shown(graph, None, 1)
    place = {name: i for i, name in enumerate(graph.names)}
    whole = [place[name] for name in part.graph.names]
    there = {
        (i, j): shares.get((min(a, b), max(a, b)), 0.0)
        for i, a in enumerate(whole)
        for j, b in enumerate(whole[i + 1 :], i + 1)
    }
    svg = draw(part.graph, part.layout, title=heading, shares=there)
    # Shares have no view of their own, but the graph does.
    where = part.sentence.replace(".view(", ".medoid().view(")
    sentences = [text for text in (heading, caption, where) if text]
    return fragment(
        [
            *map(paragraph, sentences),
            '<div class="beside">',
            *_drawing(part, svg),
            '<div class="edges">',
            *table,
            "</div></div>",
            *(paragraph(f"note: {note}") for note in notes),
        ]
    )


def _drawing(part: Shown, svg: str) -> list[str]:
    """Return the drawing, shrunk to the place it has; if it is wide, full size on demand."""
    zoom = (
        '<details class="zoom"><summary><span class="closed">Full size</span>'
        '<span class="open">Fit</span></summary></details>'
    )
    return [
        f'<div class="graph{" wide" if part.layout.width > _TOO_WIDE else ""}">',
        *([zoom] if part.layout.width > _WIDE else []),
        f'<div class="scroll">{svg}</div></div>',
    ]
