"""The part of a class that is shown: all of it, or a node and its neighbourhood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from greedag._options import checked_whole
from greedag.drawing.labels import Graph, Matrix
from greedag.drawing.layout import Layout, layout
from greedag.errors import quoted

MOST_NODES = 100


class Whole(Graph, Protocol):
    """A graph that finds its columns by name."""

    def index(self, name: str) -> int: ...


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some columns of a class and the edges between them; alone, they need not be a class.

    `cells` and `member` are the blocks of the matrices of the class and of its member.
    """

    names: tuple[str, ...]
    cells: Matrix
    member: Matrix
    known: tuple[tuple[str, str], ...] = ()
    by_evidence: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def to_matrix(self) -> Matrix:
        return self.cells

    def to_dag(self) -> Matrix:
        return self.member


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What is shown of a class.

    Attributes
    ----------
    graph : Graph
        The columns shown, and the edges between them as they are in the whole class.
    layout : Layout
        Of `graph`.
    focus : int or None
        The node in the middle, by its index in `graph`; None if the whole class is shown.
    sentence : str
        What is shown and what is not; empty if the whole class is.
    """

    graph: Graph
    layout: Layout
    focus: int | None
    sentence: str


def shown(graph: Whole, focus: str | None = None, distance: int = 1) -> Shown:
    """Choose what to show of a class; options as in :meth:`CPDAG.view`."""
    distance = checked_whole("distance", distance, least=1)
    if focus is None and len(graph.names) <= MOST_NODES:
        return Shown(graph, layout(graph), None, "")
    cells = graph.to_matrix()
    near = (cells | cells.T).astype(bool)
    middle = int(near.sum(axis=0).argmax()) if focus is None else graph.index(focus)
    reached = _neighbourhood(near, middle, distance)
    kept = sorted(reached[:MOST_NODES])
    block = np.ix_(kept, kept)
    names = tuple(graph.names[i] for i in kept)
    directed = graph.known, graph.by_evidence
    part = Part(names, cells[block], graph.to_dag()[block], *directed)
    said = _sentence(graph.names, middle, distance, len(reached), by_name=focus is not None)
    return Shown(part, layout(part), kept.index(middle), said)


def _neighbourhood(near: NDArray[np.bool_], middle: int, distance: int) -> list[int]:
    """Return the nodes within a distance, nearest first."""
    reached, border = [middle], [middle]
    unseen = np.ones(len(near), dtype=bool)
    unseen[middle] = False
    for _ in range(distance):
        border = np.flatnonzero(near[border].any(axis=0) & unseen).tolist()
        if not border:
            break
        unseen[border] = False
        reached += border
    return reached


def _sentence(
    names: tuple[str, ...], middle: int, distance: int, reached: int, *, by_name: bool
) -> str:
    name = quoted(names[middle])
    within = f"within {distance} edge{'s' if distance > 1 else ''} of it"
    nearest = f"the nearest {MOST_NODES - 1} of " if reached > MOST_NODES else ""
    others = "1 column" if reached == 2 else f"{reached - 1} columns"
    what = name if by_name else f"{name}, the column with the most edges,"
    return (
        f"Shown: {what} and {nearest}the {others} {within}, out of {len(names)}. "
        'To see another part: .view(focus="name", distance=1).'
    )
