"""A class in a notebook: the drawing, and below it the table of edges."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from greedag.drawing.focus import Whole, shown
from greedag.drawing.labels import Graph, Row, Valued, label, printable, rows
from greedag.drawing.svg import STYLE, draw, escape
from greedag.drawing.text import edge_table
from greedag.errors import OptionError, quoted_path
from greedag.io.atomic import FilePath, write_text_atomic

_MOST_ROWS = 500
_NAME_CHARACTERS = 120
_STYLE = (
    "div.greedag{color:var(--greedag-ink);background:var(--greedag-paper);"
    "font:13px system-ui,'Segoe UI',Roboto,'Helvetica Neue','DejaVu Sans',sans-serif;"
    "padding:4px 8px}"
    "div.greedag p{margin:4px 0}"
    "div.greedag .scroll{overflow:auto;max-height:800px}"
    "div.greedag .scroll.rows{max-height:300px;width:max-content;max-width:100%}"
    "div.greedag svg{display:block;max-width:none}"
    "div.greedag table{border-collapse:collapse;margin:4px 0;color:inherit;font:inherit}"
    "div.greedag th,div.greedag td{padding:2px 10px 2px 4px;text-align:left;color:inherit;"
    "background:var(--greedag-paper);border:0;border-bottom:1px solid var(--greedag-box)}"
    "div.greedag th{position:sticky;top:0;font-weight:600}"
    "div.greedag td.number{text-align:right;font-variant-numeric:tabular-nums}"
    "div.greedag td.directed{color:var(--greedag-directed)}"
    "div.greedag td.undirected{color:var(--greedag-undirected)}"
)


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
                f"cannot tell the format of {quoted_path(path)}; end it in .svg or .html"
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
    lines = [
        '<div class="greedag">',
        f"<style>{STYLE}{_STYLE}</style>",
        *(f"<p>{escape(printable(text))}</p>" for text in sentences),
        f'<div class="scroll">{svg}</div>',
        *_table(part.graph, rows(part.graph, known)),
        *(f"<p>note: {escape(printable(note))}</p>" for note in notes),
        "</div>",
    ]
    text = [
        *sentences,
        edge_table(part.graph, known),
        *(f"note: {printable(note)}" for note in notes),
    ]
    return View(svg, "\n".join(lines), "\n".join(text))


def _table(graph: Graph, listed: list[Row]) -> list[str]:
    if not listed:
        return ["<p>(no edges)</p>"]
    valued = any(row.loss is not None for row in listed)
    strength = "<th>strength</th>" if valued else ""
    more = len(listed) - _MOST_ROWS
    return [
        '<div class="scroll rows"><table>',
        f'<thead><tr><th colspan="3">edge</th>{strength}</tr></thead><tbody>',
        *(_row(graph, row, valued) for row in listed[:_MOST_ROWS]),
        "</tbody></table></div>",
        *([f"<p>… and {more} more</p>"] if more > 0 else []),
    ]


def _row(graph: Graph, row: Row, valued: bool) -> str:
    kind = "directed" if row.directed else "undirected"
    loss = "" if row.loss is None else f"{row.loss:.1f}"
    number = f'<td class="number">{loss}</td>' if valued else ""
    tail, head = (_name(graph.names[i]) for i in (row.tail, row.head))
    return f'<tr>{tail}<td class="{kind}">{row.mark}</td>{head}{number}</tr>'


def _name(name: str) -> str:
    text = label(name)
    if len(text) > _NAME_CHARACTERS:
        half = _NAME_CHARACTERS // 2
        text = f"{text[:half]}…{text[-half:]}"
    return f"<td>{escape(text)}</td>"
