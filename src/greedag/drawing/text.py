"""A class in a terminal: one aligned line for each edge, strongest first, a bounded number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from greedag.drawing.labels import Graph, Row, Valued, cell_width, labels, padded, rows

MOST_LINES = 40
_NAME_CELLS = 32
# In place of a margin, by what knowledge does.
_KNOWN = {"directs": "known", "agrees": "–"}


def edge_table(
    graph: Graph, strengths: Iterable[Valued] | None = None, *, most: int = MOST_LINES
) -> str:
    """Return the edges of a class as lines of text.

    Parameters
    ----------
    graph : Graph
        The class.
    strengths : iterable of Strength, optional
        From ``result.strengths()``: shown beside the edges, which are then sorted by them; with
        them the direction margins.
    most : int, default 40
        The most edges shown; the last line says how many more there are.
    """
    return row_table(graph.names, rows(graph, strengths), most=most)


def row_table(names: Sequence[str], listed: Sequence[Row], *, most: int = MOST_LINES) -> str:
    """Return edges as lines of text; options as in :func:`edge_table`."""
    if not listed:
        return "(no edges)"
    shown = listed[:most]
    columns = sorted({i for row in shown for i in (row.tail, row.head)})
    short = labels([names[i] for i in columns], _NAME_CELLS, cell_width)
    lines = _aligned(shown, dict(zip(columns, short, strict=True)))
    if len(listed) > most:
        lines.append(f"… and {len(listed) - most} more")
    return "\n".join(lines)


def _aligned(shown: Sequence[Row], name: dict[int, str]) -> list[str]:
    left = max(cell_width(name[row.tail]) for row in shown)
    lines = [f"{padded(name[row.tail], left)} {row.mark} {name[row.head]}" for row in shown]
    if all(row.loss is None for row in shown):
        return lines
    columns = [["edge", *lines], _aligned_right("strength", [loss_text(row) for row in shown])]
    if any(row.margin is not None or row.knowledge or row.evidence for row in shown):
        columns.append(_aligned_right("margin", [margin_text(row) for row in shown]))
    wide = max(cell_width(line) for line in columns[0])
    return [
        "  ".join([padded(edge, wide), *numbers]).rstrip()
        for edge, *numbers in zip(*columns, strict=True)
    ]


def loss_text(row: Row) -> str:
    """Return the strength as shown."""
    return _number(row.loss)


def margin_text(row: Row) -> str:
    """Return the direction margin as shown; a question mark where a directed edge has none.

    Where the direction is known beforehand, there is none to be found. Where evidence directs the
    edge, its kind is named.
    """
    if row.knowledge:
        return _KNOWN[row.knowledge]
    if row.evidence:
        return f"{row.evidence} {_number(row.margin)}".rstrip()
    return "?" if row.directed and row.margin is None else _number(row.margin)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def _aligned_right(heading: str, texts: list[str]) -> list[str]:
    """Return a column below its heading."""
    right = max(map(len, (heading, *texts)))
    return [text.rjust(right) for text in (heading, *texts)]
