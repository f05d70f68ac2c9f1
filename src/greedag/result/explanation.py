"""What there is to say about a pair of columns: records, and the words for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from greedag.graph.cpdag import printable
from greedag.result.result import Operator

NameOf = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Strength:
    """What one edge is worth.

    Attributes
    ----------
    a, b : str
        The columns that it joins.
    edge : str
        ``"→"`` for a → b, ``"-"`` for a - b.
    loss : float
        The score that removing it would lose; infinite where that cannot be measured, because a
        column would be fitted exactly.
    """

    a: str
    b: str
    edge: str
    loss: float


@dataclass(frozen=True, slots=True)
class Direction:
    """Why an edge has the direction that it has, or none.

    Attributes
    ----------
    rule : str
        ``"v-structure"``; ``"meek-1"``, ``"meek-2"`` or ``"meek-3"``; or ``"both"`` for an
        undirected edge, of which both directions occur in members of the class.
    nodes : tuple of str
        The columns that the rule needs beside the edge's own.
    """

    rule: str
    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that is known about one pair of columns. ``str()`` of it is a few plain sentences.

    Attributes
    ----------
    a, b : str
        The two columns.
    edge : str
        ``"→"``, ``"←"`` or ``"-"``, read from a to b; empty if they are not joined.
    strength : float or None
        The score that removing the edge would lose; None if there is no edge, or if that cannot
        be measured.
    delete : Operator or None
        The best valid delete of the edge.
    insert : Operator or None
        The best valid insert that would join the two, if they are not joined.
    step : int or None
        The step of the search that joined the two for the last time, counted from 1.
    origin : Operator or None
        The operator of that step.
    direction : Direction or None
        Why the edge is directed, or is not.
    alternative : Operator or None
        The best valid reversal of a directed edge.
    steps : int
        How many steps the search made.
    names : tuple of str
        All columns, which the operators refer to by index.
    with_data : bool
        Whether the data were there. Without them no operator has a gain, so that `strength`,
        `delete`, `insert` and `alternative` are None.
    """

    a: str
    b: str
    edge: str
    strength: float | None
    delete: Operator | None
    insert: Operator | None
    step: int | None
    origin: Operator | None
    direction: Direction | None
    alternative: Operator | None
    steps: int = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    with_data: bool = field(default=True, repr=False)

    def sentences(self, name_of: NameOf = printable) -> list[str]:
        """Say it in plain sentences.

        Parameters
        ----------
        name_of : callable
            Escapes a column's name for the place where the sentences will stand; fit for a
            terminal if left out.
        """
        if not self.edge:
            return [self._on_joining(name_of)]
        said = (self._on_worth, self._on_origin, self._on_direction, self._on_turning)
        return [sentence for say in said if (sentence := say(name_of))]

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def _ends(self, name_of: NameOf) -> tuple[str, str]:
        """Return tail and head as shown."""
        a, b = name_of(self.a), name_of(self.b)
        return (b, a) if self.edge == "←" else (a, b)

    def _on_joining(self, name_of: NameOf) -> str:
        apart = f"{name_of(self.a)} and {name_of(self.b)} are not joined"
        if not self.with_data:
            return f"{apart}. What joining them would cost {_NEEDS_DATA}"
        if self.insert is None:
            return f"{apart}: no valid way was found that would not fit a column exactly."
        how = self.insert.phrase(self.names, name_of)
        return f"{apart}: the best way to join them, {how}, would {_effect(self.insert.gain)}."

    def _on_worth(self, name_of: NameOf) -> str:
        tail, head = self._ends(name_of)
        edge = f"{tail} {'-' if self.edge == '-' else '→'} {head}"
        if not self.with_data:
            return f"{edge}: what it is worth {_NEEDS_DATA}"
        if self.strength is None:
            return f"{edge}: what it is worth cannot be measured, as a column would fit exactly."
        if self.strength >= 0.0:
            return f"{edge}: removing the edge would cost {self.strength:.6g} of the score."
        return f"{edge}: removing the edge would {_effect(-self.strength)}."

    def _on_origin(self, name_of: NameOf) -> str:
        if self.origin is None:
            return ""
        how = self.origin.describe(self.names, name_of)
        return f"It came as step {self.step} of {self.steps}, by {how}{self._since(self.origin)}."

    def _since(self, origin: Operator) -> str:
        """Say what became of the direction that the edge came with."""
        if self.edge == "-":
            return "; the class leaves its direction open"
        tail = self.b if self.edge == "←" else self.a
        return "" if self.names[origin.x] == tail else "; later steps turned it"

    def _on_direction(self, name_of: NameOf) -> str:
        if self.direction is None:
            return ""
        tail, head = self._ends(name_of)
        others = [name_of(node) for node in self.direction.nodes]
        return _DIRECTIONS[self.direction.rule](tail, head, *others)

    def _on_turning(self, name_of: NameOf) -> str:
        if self.edge == "-" or not self.with_data:
            return ""
        if self.alternative is None:
            return "No valid way to turn it was found."
        # Asked from either end, a reversal is of the edge as it is drawn.
        x, y = (name_of(self.names[i]) for i in (self.alternative.x, self.alternative.y))
        return f"Turning it to {x} → {y} would {_effect(self.alternative.gain)}."


_NEEDS_DATA = (
    "takes the data, which this result was loaded without; pass them when loading: "
    "Result.load(path, data=table)."
)
_DIRECTIONS: dict[str, Callable[..., str]] = {
    "both": lambda a, b: (
        f"The direction is open: members of the class have {a} → {b} as well as {b} → {a}, and "
        "fit the data equally well."
    ),
    "v-structure": lambda a, b, c: (
        f"The direction is settled: {a} → {b} ← {c} is a v-structure ({a} and {c} are not joined)."
    ),
    "meek-1": lambda a, b, c: (
        f"The direction is settled: with {c} → {a}, turning it to {b} → {a} would make "
        f"{c} → {a} ← {b} another v-structure ({c} and {b} are not joined)."
    ),
    "meek-2": lambda a, b, c: (
        f"The direction is settled: with {a} → {c} → {b}, turning it to {b} → {a} would close a "
        "circle."
    ),
    "meek-3": lambda a, b, c, d: (
        f"The direction is settled: with {c} → {b} ← {d}, turning it to {b} → {a} would force "
        f"{c} → {a} ← {d}, another v-structure ({c} and {d} are not joined)."
    ),
}


def _effect(gain: float) -> str:
    if gain == 0.0:
        return "leave the score as it is"
    return f"{'raise' if gain > 0 else 'lower'} the score by {abs(gain):.6g}"
