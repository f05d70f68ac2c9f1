"""The summary in words: what was learned, what was not.

Names come in as they are shown; escaping them for HTML is the template's part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from greedag.graph.cpdag import Matrix, printable
from greedag.report.edges import EdgeRow, joined
from greedag.report.numbers import amount, count, whole
from greedag.result.result import Result

_FEW = 3
_MOST_NAMED = 8


def learned(result: Result, edges: Sequence[EdgeRow], members: int) -> Iterator[str]:
    """Yield what the data settle, first of all whether the search came to its end."""
    if result.stopped:
        yield (
            f"The search was stopped ({result.stopped}) before it ended by itself. This is the "
            "best class found until then; a longer search may find a better one."
        )
    directed, undirected = len(result.cpdag.directed), len(result.cpdag.undirected)
    found = directed + undirected
    start = f"From {count(result.n, 'row')} of {count(result.cpdag.d, 'column')}, the search found "
    if not found:
        yield start + _no_edge(result)
        return
    yield (
        f"{start}{count(found, 'edge')}: {directed:,} with a direction that the data settle, "
        f"{undirected:,} without."
    )
    yield _members(members)
    ranked = [edge for edge in edges if edge.strength is not None and not edge.overfitted]
    # Of few edges, strongest and weakest would overlap.
    if len(ranked) >= 2 * _FEW:
        yield f"The strongest edges are {_with_strengths(ranked[:_FEW])}."
    elif ranked:
        yield f"From strong to weak: {_with_strengths(ranked)}."


def not_learned(
    result: Result, edges: Sequence[EdgeRow], shown: Sequence[str], left_out: int
) -> Iterator[str]:
    """Yield what stays open, and what limits the result."""
    yield from _open_directions(result, shown)
    yield from _unjoined(result.cpdag.to_matrix(), shown)
    ranked = [edge for edge in edges if edge.strength is not None]
    if len(ranked) >= 2 * _FEW and not left_out:
        weakest = ranked[-_FEW:][::-1]
        yield f"The weakest edges, the first to doubt, are {_with_strengths(weakest)}."
    for note in result.notes:
        if not (result.stopped and note.startswith(("stopped", "interrupted"))):
            yield printable(note[:1].upper() + note[1:]) + "."
    yield "Causes outside the table, cycles and non-linear effects were not looked for."


def named(items: Sequence[str], most: int = _MOST_NAMED) -> str:
    """Return a list in words: ``a, b and c``; long lists are shortened."""
    parts = list(items[:most])
    if len(items) > most:
        parts.append(f"{len(items) - most:,} more")
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else "".join(parts)


def _no_edge(result: Result) -> str:
    if result.stopped:
        return "no edge until it was stopped. This says nothing about the columns."
    return "no edge that would be worth its penalty. Weaker relations may be there all the same."


def _members(members: int) -> str:
    if members == 1:
        return "Every direction is settled: the class has a single member."
    return (
        f"The class has {whole(members)} members: directed graphs that fit the data equally well "
        "and differ only in the edges whose direction stays open."
    )


def _with_strengths(edges: Sequence[EdgeRow]) -> str:
    return named([f"{edge.text} ({amount(edge.strength or 0.0)})" for edge in edges])


def _open_directions(result: Result, shown: Sequence[str]) -> Iterator[str]:
    place = {name: i for i, name in enumerate(result.cpdag.names)}
    pairs = [joined(shown[place[a]], "-", shown[place[b]]) for a, b in result.cpdag.undirected]
    if pairs:
        what = (
            "The direction of one edge stays"
            if len(pairs) == 1
            else (f"The directions of {len(pairs):,} edges stay")
        )
        yield f"{what} open: {named(pairs)}."


def _unjoined(cells: Matrix, shown: Sequence[str]) -> Iterator[str]:
    alone = np.flatnonzero(~(cells.any(axis=0) | cells.any(axis=1))).tolist()
    if 0 < len(alone) < len(cells):
        are = "column is" if len(alone) == 1 else "columns are"
        yield f"{len(alone):,} {are} joined to nothing: {named([shown[i] for i in alone])}."
