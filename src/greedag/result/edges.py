"""What is known about an edge of a result, as records."""

from __future__ import annotations

from dataclasses import dataclass

from greedag.drawing.labels import Row


@dataclass(frozen=True, slots=True)
class Strength:
    """The strength of one edge.

    Attributes
    ----------
    a, b : str
        Its two columns.
    edge : str
        ``"→"`` for a → b, ``"-"`` for a - b.
    loss : float
        The score that removing it would lose; infinite where that cannot be measured, because a
        column would be fitted exactly.
    margin : float or None
        The direction margin: the score that the best class found with the edge turned loses. None
        for an undirected edge, and where none was found in time.
    knowledge : str
        What is known beforehand about its direction: ``"directs"`` if that directs an edge which
        the class leaves undirected, ``"agrees"`` if it excludes the other direction of one that
        the class directs, too. Either way there is no margin. Else empty.
    evidence : str
        The kind of evidence that directs an edge which class and knowledge leave undirected, itself
        or by Meek's rules: ``"intervention"``, ``"curve"`` or ``"score"``. Else empty.
    """

    a: str
    b: str
    edge: str
    loss: float
    margin: float | None = None
    knowledge: str = ""
    evidence: str = ""


class Strengths(tuple[Strength, ...]):
    """The strengths of all edges, strongest first: a tuple that is shown as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        from greedag.drawing.text import row_table

        return row_table(*self._table())

    def _repr_html_(self) -> str:
        from greedag.drawing.fragments import edge_table_html, fragment

        return fragment(edge_table_html(*self._table()))

    def _table(self) -> tuple[list[str], list[Row]]:
        """Return the names that occur, and the edges by their places among these."""
        names = list(dict.fromkeys(name for edge in self for name in (edge.a, edge.b)))
        place = {name: i for i, name in enumerate(names)}
        return names, [
            Row(
                place[edge.a],
                place[edge.b],
                edge.edge == "→",
                edge.loss,
                edge.margin,
                edge.knowledge,
                edge.evidence,
            )
            for edge in self
        ]


@dataclass(frozen=True, slots=True)
class TurnedClass:
    """The best class found in which an edge is turned.

    Attributes
    ----------
    margin : float
        The score that it loses; negative if it scores higher than the result.
    changes : tuple of (str, str, str, str)
        Every pair of columns whose edge differs: a, b, the edge in the result and in that class,
        each ``"→"``, ``"←"``, ``"-"`` or empty.
    proven : bool
        Whether no such class is better. If not, the true margin may be smaller.
    """

    margin: float
    changes: tuple[tuple[str, str, str, str], ...]
    proven: bool
