"""A class in a terminal: one aligned line for each edge, strongest first, a bounded number."""

from __future__ import annotations

from collections.abc import Iterable

from greedag.drawing.labels import Graph, Row, Valued, cell_width, labels, padded, rows

MOST_LINES = 40
_NAME_CELLS = 32


def edge_table(
    graph: Graph, strengths: Iterable[Valued] | None = None, *, most: int = MOST_LINES
) -> str:
    """Return the edges of a class as lines of text.

    Parameters
    ----------
    graph : Graph
        The class.
    strengths : iterable of Strength, optional
        From ``result.strengths()``: shown beside the edges, which are then sorted by them.
    most : int, default 40
        The most edges shown; the last line says how many more there are.
    """
    listed = rows(graph, strengths)
    if not listed:
        return "(no edges)"
    shown = listed[:most]
    columns = sorted({i for row in shown for i in (row.tail, row.head)})
    short = labels([graph.names[i] for i in columns], _NAME_CELLS, cell_width)
    lines = _aligned(shown, dict(zip(columns, short, strict=True)))
    if len(listed) > most:
        lines.append(f"… and {len(listed) - most} more")
    return "\n".join(lines)


def _aligned(shown: list[Row], name: dict[int, str]) -> list[str]:
    left = max(cell_width(name[row.tail]) for row in shown)
    lines = [f"{padded(name[row.tail], left)} {row.mark} {name[row.head]}" for row in shown]
    if all(row.loss is None for row in shown):
        return lines
    losses = ["" if row.loss is None else f"{row.loss:.1f}" for row in shown]
    wide = max(cell_width(line) for line in lines)
    right = max(len(text) for text in ("strength", *losses))
    table = zip(["edge", *lines], ["strength", *losses], strict=True)
    return [f"{padded(line, wide)}  {loss:>{right}}".rstrip() for line, loss in table]
