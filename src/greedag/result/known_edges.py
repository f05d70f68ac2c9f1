"""What is known beforehand about pairs of columns of a result, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from greedag import _core
from greedag.drawing.labels import in_words
from greedag.graph.bound_knowledge import BoundKnowledge
from greedag.graph.knowledge import Statement
from greedag.graph.mpdag import Matrix
from greedag.result.result import Operator, Result

_MOST_STATEMENTS = 3

Edge = tuple[int, int]


@dataclass(frozen=True, slots=True)
class KnownPair:
    """What knowledge says about two columns.

    Attributes
    ----------
    required : tuple of Statement
        Those that require the edge.
    excluded : tuple of Statement
        Those that exclude any edge between two that are not adjacent, or the other direction of a
        directed edge.
    agrees : bool
        False if the class without the edge or, if there is none, with it would score higher, but
        knowledge does not allow for it.
    """

    required: tuple[Statement, ...] = ()
    excluded: tuple[Statement, ...] = ()
    agrees: bool = True

    def on_worth(self, strength: float | None) -> str:
        """Say why an edge is there that the data alone would not have."""
        if self.required:
            against = strength is not None and strength < 0.0
            start = "The data speak against it; it is there because" if against else "It is known:"
            return f" {start} {_said(self.required)}."
        if strength is not None and strength < 0.0 and not self.agrees:
            return " No graph of the class without it agrees with what is known."
        return ""

    def on_absence(self, gain: float | None) -> str:
        """Say why an edge is absent that the data alone might have."""
        if self.excluded:
            return f" What is known excludes an edge between them: {_said(self.excluded)}."
        if gain is not None and gain > 0.0 and not self.agrees:
            return " No graph of that class agrees with what is known."
        return ""

    def on_turning(self, head: str, tail: str) -> str:
        """Say that an edge cannot be turned, if that is so."""
        return f"What is known excludes {head} → {tail}: {_said(self.excluded)}."


class KnownEdges:
    """What the knowledge of a result says about its edges, and about those that are not there."""

    def __init__(self, result: Result) -> None:
        assert result.knowledge is not None
        self._bound: BoundKnowledge = result.knowledge.bind(result.cpdag.names)
        self._cells: Matrix = result.cpdag.to_matrix()

    def turnable(self, edges: Iterable[Edge]) -> list[Edge]:
        """Return the edges, as tail and head, whose other direction is not excluded."""
        return [(i, j) for i, j in edges if not self._bound.statements_excluding(j, i)]

    def pair(self, i: int, j: int, mark: str, change: Operator | None) -> KnownPair:
        """Return what is known about two columns.

        Parameters
        ----------
        i, j : int
            The columns.
        mark : str
            The edge between them, as read from i to j.
        change : Operator or None
            What removes the edge or, if there is none, adds one.
        """
        forth, back = (self._bound.statements_excluding(*edge) for edge in ((i, j), (j, i)))
        excluded = {"→": back, "←": forth}.get(mark, ())
        if not mark and forth and back:
            excluded = tuple(dict.fromkeys(forth + back))
        required = [self._bound.required.get(edge) for edge in ((i, j), (j, i))]
        said = tuple(statement for statement in required if statement is not None)
        raises = change is not None and change.gain > 0.0
        return KnownPair(said, excluded, change is None or not raises or self._agrees(change))

    def _agrees(self, change: Operator) -> bool:
        cells = _core.apply(self._cells, change.kind, change.x, change.y, change.T)
        return _core.orient(cells, self._bound.engine) is not None


def _said(statements: Sequence[Statement]) -> str:
    return in_words([str(statement) for statement in statements], _MOST_STATEMENTS)
