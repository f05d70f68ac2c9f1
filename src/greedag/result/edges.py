"""What is known about an edge of a result, as records."""

from __future__ import annotations

from dataclasses import dataclass


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
    """

    a: str
    b: str
    edge: str
    loss: float
    margin: float | None = None


@dataclass(frozen=True, slots=True)
class Direction:
    """Why an edge has the direction that it has, or none.

    Attributes
    ----------
    rule : str
        ``"v-structure"``; ``"meek-1"``, ``"meek-2"`` or ``"meek-3"``; or ``"both"`` for an
        undirected edge, of which both directions occur in members of the class.
    nodes : tuple of str
        The further columns that the rule needs.
    """

    rule: str
    nodes: tuple[str, ...]


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
