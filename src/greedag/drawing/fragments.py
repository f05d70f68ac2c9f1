"""Tables and sentences for notebooks: one ``<div>`` that brings its style along.

No script runs in a notebook's output, so that what opens and closes is a ``<details>`` element.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from greedag.drawing.labels import Row, em_width, labels, printable
from greedag.drawing.svg import STYLE, escape
from greedag.drawing.text import loss_text, margin_text

# Rows shown at once, and at all.
_FEW = 12
_MOST_ROWS = 500
_NAME_EM = 18.0
_STYLE = (
    "div.greedag{color:var(--greedag-ink);background:var(--greedag-paper);"
    "font:13px/1.45 system-ui,'Segoe UI',Roboto,'Helvetica Neue','DejaVu Sans',sans-serif;"
    "padding:4px 8px}"
    "div.greedag p{margin:4px 0;max-width:80em}"
    "div.greedag .beside{display:flex;flex-wrap:wrap;gap:8px 24px;align-items:flex-start}"
    "div.greedag .graph{flex:1 1 380px;min-width:0}"
    "div.greedag .graph.wide{flex-basis:720px}"
    "div.greedag .edges{flex:1 1 400px;min-width:0;max-width:560px}"
    "div.greedag .scroll{overflow:auto;max-height:800px}"
    "div.greedag .rest .scroll{max-height:420px}"
    "div.greedag svg{display:block;max-width:100%;max-height:760px;height:auto;margin:0}"
    "div.greedag .zoom[open]~.scroll svg{max-width:none;max-height:none}"
    "div.greedag summary{cursor:pointer;padding:4px 0;color:var(--greedag-directed)}"
    "div.greedag details[open]>summary .closed,"
    "div.greedag details:not([open])>summary .open{display:none}"
    "div.greedag table{border-collapse:collapse;table-layout:fixed;width:100%;max-width:44em;"
    "margin:4px 0;color:inherit;font:inherit}"
    "div.greedag th,div.greedag td{padding:3px 10px 3px 4px;text-align:left;vertical-align:top;"
    "white-space:normal;overflow-wrap:anywhere;max-width:none;color:inherit;"
    "background:var(--greedag-paper);border:0;border-bottom:1px solid var(--greedag-rule)}"
    "div.greedag th{font-weight:600;vertical-align:bottom}"
    "div.greedag th.mark,div.greedag td.mark{width:14px;text-align:center;padding-right:6px}"
    "div.greedag th.marks,div.greedag td.marks{width:52px;text-align:center}"
    "div.greedag th.word,div.greedag td.word{width:84px;overflow-wrap:normal}"
    "div.greedag th.number,div.greedag td.number{width:68px;padding-left:0;text-align:right;"
    "overflow-wrap:normal;font-variant-numeric:tabular-nums}"
    "div.greedag th.signs,div.greedag td.signs{width:22em;white-space:nowrap}"
    "div.greedag td.signs{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
    "div.greedag th.bar,div.greedag td.bar{width:60px;padding-left:0}"
    "div.greedag td.bar svg{height:8px;margin-top:6px}"
    "div.greedag th.share,div.greedag td.share{width:40px;padding:3px 6px 3px 0;text-align:right;"
    "white-space:nowrap;overflow-wrap:normal;font-variant-numeric:tabular-nums}"
    "div.greedag td.bar rect{fill:var(--greedag-directed);opacity:.75}"
    "div.greedag td.bar .room{fill:var(--greedag-box);opacity:1}"
    "div.greedag td.bar .whole{opacity:.35}"
    "div.greedag td.directed{color:var(--greedag-directed)}"
    "div.greedag td.undirected{color:var(--greedag-undirected)}"
    "div.greedag .rest thead{display:none}"
    "div.greedag .sentences{border-left:3px solid var(--greedag-border);padding-left:12px}"
)
_MARKS = {"→": "directed", "←": "directed", "-": "undirected"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    heading : str
        What stands above it.
    kind : str
        ``"name"`` for names of columns, ``"mark"`` for the sign of an edge between two of them,
        ``"marks"`` where it has a heading, ``"number"`` for what is aligned on the right,
        ``"share"`` for what is short there, ``"bar"`` for two shares to be drawn as a bar, such as
        ``"0.9 0.5"``, ``"signs"`` for a line of arrows, ``"word"`` for what is short, else
        ``"text"``.
    """

    heading: str
    kind: str = "text"


EDGE = (Column("edge", "name"), Column("", "mark"), Column("", "name"))


def fragment(parts: Iterable[str]) -> str:
    """Return HTML as one element with its style."""
    return "\n".join(['<div class="greedag">', f"<style>{STYLE}{_STYLE}</style>", *parts, "</div>"])


def paragraph(text: str) -> str:
    """Return a sentence or more."""
    return f"<p>{escape(printable(text))}</p>"


def sentences(texts: Iterable[str]) -> str:
    """Return what belongs together, a paragraph for each text."""
    return "\n".join(['<div class="sentences">', *map(paragraph, texts), "</div>"])


def table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table: the first rows, and the others on demand.

    Parameters
    ----------
    columns : sequence of Column
        From left to right.
    rows : sequence of sequence of str
        A text for each column; names as they are, since they are shortened here.
    """
    short = _shortened(columns, rows)
    few, rest, more = rows[:_FEW], rows[_FEW:_MOST_ROWS], len(rows) - _MOST_ROWS
    lines = _table(columns, few, short)
    if rest:
        shown = f"Show all {len(rows)}" if more <= 0 else f"Show the first {_MOST_ROWS}"
        lines += [
            f'<details class="rest"><summary><span class="closed">{shown}</span>'
            '<span class="open">Show fewer</span></summary><div class="scroll">',
            *_table(columns, rest, short),
            "</div></details>",
        ]
    return lines + ([f"<p>… and {more} more</p>"] if more > 0 else [])


def edge_table_html(names: Sequence[str], listed: Sequence[Row]) -> list[str]:
    """Return the lines of a table of edges, with strengths and direction margins where known."""
    if not listed:
        return [paragraph("(no edges)")]
    columns = list(EDGE)
    if any(row.loss is not None for row in listed):
        columns.append(Column("strength", "number"))
    if any(row.margin is not None or row.knowledge or row.evidence for row in listed):
        columns.append(Column("direction margin", "number"))
    numbers = len(columns) - len(EDGE)
    return table(columns, [_edge_cells(names, row, numbers) for row in listed])


def _edge_cells(names: Sequence[str], row: Row, numbers: int) -> list[str]:
    values = [loss_text(row), margin_text(row)]
    return [names[row.tail], row.mark, names[row.head], *values[:numbers]]


def _shortened(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> dict[str, str]:
    """Return the names as shown."""
    places = [i for i, column in enumerate(columns) if column.kind == "name"]
    names = list(dict.fromkeys(row[i] for row in rows[:_MOST_ROWS] for i in places))
    return dict(zip(names, labels(names, _NAME_EM, em_width), strict=True))


def _table(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], short: dict[str, str]
) -> list[str]:
    heads = "".join(f"<th{_class(c.kind)}>{escape(c.heading)}</th>" for c in columns)
    return [
        f"<table><thead><tr>{heads}</tr></thead><tbody>",
        *(
            f"<tr>{''.join(_cell(*cell, short) for cell in zip(columns, row, strict=True))}</tr>"
            for row in rows
        ),
        "</tbody></table>",
    ]


def _cell(column: Column, text: str, short: dict[str, str]) -> str:
    if column.kind == "name":
        return _name(text, short[text])
    if column.kind == "bar":
        return f'<td class="bar">{_bar(*map(float, text.split()))}</td>'
    is_mark = column.kind.startswith("mark") and text in _MARKS
    kind = f"{column.kind} {_MARKS[text]}" if is_mark else column.kind
    return f"<td{_class(kind)}>{escape(printable(text))}</td>"


def _bar(whole: float, part: float) -> str:
    """Return a bar of which a part is stronger; 1 is its full length."""
    return (
        '<svg width="60" height="8" viewBox="0 0 100 4" preserveAspectRatio="none" '
        'aria-hidden="true"><rect class="room" width="100" height="4"/>'
        f'<rect class="whole" width="{100.0 * whole:.1f}" height="4"/>'
        f'<rect width="{100.0 * part:.1f}" height="4"/></svg>'
    )


def _name(name: str, shown: str) -> str:
    """Return the cell of a name; where that is shortened, the whole of it is shown on hover."""
    whole = f' title="{escape(printable(name))}"' if shown != printable(name) else ""
    return f"<td{whole}>{escape(shown)}</td>"


def _class(kind: str) -> str:
    return "" if kind in ("name", "text") else f' class="{kind}"'
