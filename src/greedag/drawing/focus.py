"""The part of a class that is shown: all of it, or a node and its neighbourhood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from greedag._options import checked_whole
from greedag.drawing.layout import Layout, arranged
from greedag.errors import quoted
from greedag.graph.cpdag import CPDAG, Matrix

MOST_NODES = 100


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What is shown of a class.

    Attributes
    ----------
    graph : CPDAG
        The columns shown, and the edges between them as they are in the whole class.
    layout : Layout
        Of `graph`.
    focus : int or None
        The node in the middle, by its index in `graph`; None if the whole class is shown.
    sentence : str
        What is shown and what is not; empty if the whole class is.
    """

    graph: CPDAG
    layout: Layout
    focus: int | None
    sentence: str


def shown(cpdag: CPDAG, focus: str | None = None, distance: int = 1) -> Shown:
    """Choose what to show.

    Parameters
    ----------
    cpdag : CPDAG
        The class.
    focus : str, optional
        A column to show with its neighbourhood. When left out, the whole class is shown if it has
        at most 100 columns, else the neighbourhood of the best connected one.
    distance : int, default 1
        How many edges the neighbourhood reaches.

    Raises
    ------
    DataError
        If there is no column of that name.
    OptionError
        If the distance is not a whole number of at least 1.
    """
    distance = checked_whole("distance", distance, least=1)
    cells, member = cpdag.to_matrix(), cpdag.to_dag()
    if focus is None and cpdag.d <= MOST_NODES:
        return Shown(cpdag, arranged(cpdag.names, member), None, "")
    near = (cells | cells.T).astype(bool)
    middle = int(near.sum(axis=0).argmax()) if focus is None else cpdag.index(focus)
    reached = _neighbourhood(near, middle, distance)
    kept = sorted(reached[:MOST_NODES])
    graph = _part(cpdag, cells, kept)
    layout = arranged(graph.names, member[np.ix_(kept, kept)])
    said = _sentence(cpdag, middle, distance, len(reached), chosen=focus is not None)
    return Shown(graph, layout, kept.index(middle), said)


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


def _part(cpdag: CPDAG, cells: Matrix, kept: list[int]) -> CPDAG:
    # Only to be drawn: alone, the part need not be the completion of anything.
    names = tuple(cpdag.names[i] for i in kept)
    return CPDAG(names, cells[np.ix_(kept, kept)].tobytes())


def _sentence(cpdag: CPDAG, middle: int, distance: int, reached: int, *, chosen: bool) -> str:
    name = quoted(cpdag.names[middle])
    within = f"within {distance} edge{'s' if distance > 1 else ''} of it"
    nearest = f"the nearest {MOST_NODES - 1} of " if reached > MOST_NODES else ""
    others = "1 column" if reached == 2 else f"{reached - 1} columns"
    what = name if chosen else f"{name}, the best connected column,"
    return (
        f"Shown: {what} and {nearest}the {others} {within}, out of {cpdag.d}. "
        'For another part: .view(focus="name", distance=1).'
    )
