"""An explanation of one pair of columns: what is known about it, and how that is said."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from greedag.drawing.labels import WEAK_MARGIN, count, in_words, printable
from greedag.graph.orientation import Direction
from greedag.result.edges import TurnedClass
from greedag.result.result import Operator

if TYPE_CHECKING:
    from greedag.result.known_edges import KnownPair

_MOST_CHANGES = 3

NameOf = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that is known about one pair of columns. ``str()`` of it is a few plain sentences.

    Attributes
    ----------
    a, b : str
        The two columns.
    edge : str
        ``"→"``, ``"←"`` or ``"-"``, read from a to b; empty if they are not adjacent.
    strength : float or None
        The score that removing the edge would lose; None if there is no edge, or if that cannot
        be measured.
    delete : Operator or None
        The best valid delete of the edge.
    insert : Operator or None
        The best valid insert between the two, if they are not adjacent.
    step : int or None
        The last step of the search that made the two adjacent, counted from 1.
    origin : Operator or None
        The operator of that step.
    direction : Direction or None
        Why the edge is directed, or is not.
    alternative : Operator or None
        The best valid reversal of a directed edge.
    turned : TurnedClass or None
        The best class found in which a directed edge is turned; None if there was no time.
    steps : int
        How many steps the search made.
    names : tuple of str
        All columns, which the operators refer to by index.
    with_data : bool
        Whether the data were there. Without them no operator has a gain, so that `strength`,
        `delete`, `insert`, `alternative` and `turned` are None.
    with_score : bool
        Whether the score is known; a custom score of a result loaded from a file is not.
    by_knowledge : bool
        Whether the edge is directed because of what is known: in the class it is undirected.
    known : KnownPair or None
        What knowledge says about the two; None without knowledge. Not compared.
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
    with_score: bool = field(default=True, repr=False)
    turned: TurnedClass | None = field(default=None, repr=False)
    by_knowledge: bool = field(default=False, repr=False)
    known: KnownPair | None = field(default=None, repr=False, compare=False)

    @property
    def margin(self) -> float | None:
        """The direction margin of a directed edge: the score lost in `turned`, if known."""
        return None if self.turned is None else self.turned.margin

    def sentences(self, name_of: NameOf = printable) -> list[str]:
        """Return the explanation in plain sentences.

        Parameters
        ----------
        name_of : callable
            Escapes a column's name for where the sentences are shown; for a terminal if left out.
        """
        if not self.edge:
            return [self._on_absence(name_of)]
        said = (self._on_worth, self._on_origin, self._on_direction, self._on_turning)
        return [sentence for say in said if (sentence := say(name_of))]

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def _repr_html_(self) -> str:
        from greedag.drawing.fragments import fragment, sentences

        return fragment([sentences(self.sentences())])

    def _ends(self, name_of: NameOf) -> tuple[str, str]:
        """Return tail and head as shown."""
        a, b = name_of(self.a), name_of(self.b)
        return (b, a) if self.edge == "←" else (a, b)

    def _on_absence(self, name_of: NameOf) -> str:
        apart = f"{name_of(self.a)} and {name_of(self.b)} are not adjacent"
        gain = None if self.insert is None else self.insert.gain
        known = "" if self.known is None else self.known.on_absence(gain)
        if not self.with_data:
            return f"{apart}.{known} What an edge would cost {self._unknown}"
        if self.insert is None:
            return f"{apart}: no valid insert was found that does not fit a column exactly.{known}"
        how, would = self.insert.phrase(self.names, name_of), effect(self.insert.gain)
        return f"{apart}: the best way to add an edge, {how}, would {would}.{known}"

    def _on_worth(self, name_of: NameOf) -> str:
        known = "" if self.known is None else self.known.on_worth(self.strength)
        return f"{self._on_strength(name_of)}{known}"

    def _on_strength(self, name_of: NameOf) -> str:
        tail, head = self._ends(name_of)
        edge = f"{tail} {'-' if self.edge == '-' else '→'} {head}"
        if not self.with_data:
            return f"{edge}: its strength {self._unknown}"
        if self.strength is None:
            return f"{edge}: its strength cannot be measured: a column would be fitted exactly."
        if self.strength >= 0.0:
            return f"{edge}: removing it would lower the score by {self.strength:.6g}."
        return f"{edge}: removing it would {effect(-self.strength)}."

    def _on_origin(self, name_of: NameOf) -> str:
        if self.origin is None:
            return ""
        how = self.origin.describe(self.names, name_of) + self._since(self.origin)
        return f"Added in step {self.step} of {self.steps}: {how}."

    def _since(self, origin: Operator) -> str:
        """Say what became of the direction that the edge was added with."""
        if self.edge == "-" or self.by_knowledge:
            return "; the class leaves it undirected"
        tail = self.b if self.edge == "←" else self.a
        return "" if self.names[origin.x] == tail else "; later steps reversed it"

    def _on_direction(self, name_of: NameOf) -> str:
        if self.direction is None:
            return ""
        tail, head = self._ends(name_of)
        others = [name_of(node) for node in self.direction.nodes]
        others += [str(statement) for statement in self.direction.statements]
        rule, evidence = self.direction.rule, self.direction.evidence
        others += [] if evidence is None else [evidence.phrase(name_of)]
        said = _DIRECTIONS[rule](tail, head, *others)
        if self.by_knowledge and rule.startswith("meek-"):
            start = f"The direction follows from known ones by Meek's rule {rule[-1]}:"
            return start + said.removeprefix("The direction is compelled:")
        return said

    @property
    def _unknown(self) -> str:
        return _NEEDS_DATA if self.with_score else _NEEDS_SCORE

    def _on_turning(self, name_of: NameOf) -> str:
        tail, head = self._ends(name_of)
        if self.by_knowledge:
            return f"Without what is known, {head} → {tail} would fit the data equally well."
        if self.edge != "-" and self.known is not None and self.known.excluded:
            return self.known.on_turning(head, tail)
        if self.edge == "-" or not self.with_data:
            return ""
        if self.turned is None:
            return f"What turning it to {head} → {tail} would cost is unknown."
        margin, proven = self.turned.margin, self.turned.proven
        if margin < 0.0:
            agreeing = "" if self.known is None else " of those that agree with what is known"
            return (
                f"A class with {head} → {tail} scores {-margin:.6g} higher, so this result is not "
                f"the best class{agreeing}. Search again with a larger effort."
            )
        cost = f"{'' if proven else 'at most '}{margin:.6g}"
        weak = ", so its direction is weakly supported" if margin < WEAK_MARGIN else ""
        said = f"Turning it to {head} → {tail} would cost {cost} of the score{weak}"
        others = "; ".join(self._other_changes(self.turned, name_of))
        where = f"In the best class {'' if proven else 'found '}with it turned"
        return f"{said}. {where}, {others}." if others else f"{said}."

    def _other_changes(self, turned: TurnedClass, name_of: NameOf) -> Iterator[str]:
        """Say which edges go, come or turn together with this one."""
        gone = [(a, b) for a, b, _, after in turned.changes if not after]
        added = [(a, b) for a, b, before, _ in turned.changes if not before]
        for pairs, fate in ((gone, "gone"), (added, "added")):
            if pairs:
                edges = in_words([f"{name_of(a)} - {name_of(b)}" for a, b in pairs], _MOST_CHANGES)
                yield f"{edges} {'is' if len(pairs) == 1 else 'are'} {fate}"
        turns = sum({before, after} == {"→", "←"} for *_, before, after in turned.changes)
        itself = (self.a, self.b), (self.b, self.a)
        turns -= any((a, b) in itself and "-" not in marks for a, b, *marks in turned.changes)
        if turns:
            yield count(turns, "other edge turns", "other edges turn")


_NEEDS_DATA = (
    "is unknown because this result was loaded without its data; pass them when loading: "
    "Result.load(path, data=table)."
)
_NEEDS_SCORE = (
    "is unknown because this result was loaded from a file, which cannot hold a custom score; "
    "use the result that learn returned."
)
_DIRECTIONS: dict[str, Callable[..., str]] = {
    "both": lambda a, b: (
        f"The edge is reversible: some members of the class have {a} → {b}, others {b} → {a}, and "
        "all fit the data equally well."
    ),
    "v-structure": lambda a, b, c: (
        f"The direction is compelled: {a} → {b} ← {c} is a v-structure ({a} and {c} are not "
        "adjacent)."
    ),
    "meek-1": lambda a, b, c: (
        f"The direction is compelled: with {c} → {a}, reversing it to {b} → {a} would make "
        f"{c} → {a} ← {b} another v-structure ({c} and {b} are not adjacent)."
    ),
    "meek-2": lambda a, b, c: (
        f"The direction is compelled: with {a} → {c} → {b}, reversing it to {b} → {a} would create "
        f"a cycle via {c}."
    ),
    "meek-3": lambda a, b, c, d: (
        f"The direction is compelled: with {c} → {b} ← {d}, reversing it to {b} → {a} would force "
        f"{c} → {a} ← {d}, another v-structure ({c} and {d} are not adjacent)."
    ),
    "meek-4": lambda a, b, d, c: (
        f"The direction is compelled: with {d} → {c} → {b}, reversing it to {b} → {a} would force "
        f"{d} → {a} ← {b}, another v-structure ({d} and {b} are not adjacent)."
    ),
    "knowledge": lambda a, b, *statements: (
        f"The direction is known: {'; '.join(statements) or f'{a} → {b} was given'}."
    ),
    "intervention": lambda a, b, said: f"It is directed by {said}.",
    "curve": lambda a, b, said: f"It is directed by {said}.",
    "score": lambda a, b, said: f"It is directed by {said}.",
}


def in_brief(direction: Direction | None, a: str, b: str, *others: str) -> str:
    """Say in a few words why a → b is directed, or that it is not.

    Parameters
    ----------
    direction : Direction or None
        The reason; none for an undirected edge.
    a, b, *others : str
        Tail, head and the nodes of the reason, as shown.
    """
    match direction and direction.rule, others:
        case "v-structure", [c]:
            return f"v-structure {a} → {b} ← {c}"
        case "meek-1", [c]:
            return f"reversing it would create the v-structure {c} → {a} ← {b}"
        case "meek-2", [c]:
            return f"reversing it would create a cycle via {c}"
        case "meek-3", [c, d]:
            return f"reversing it would create a cycle, or a v-structure of {c} and {d}"
        case "meek-4", [d, _]:
            return f"reversing it would create a cycle, or the v-structure {d} → {a} ← {b}"
        case _ if direction is not None and direction.evidence:
            return direction.evidence.brief(a, b)
        case "knowledge", _ if direction is not None:
            said = in_words([str(statement) for statement in direction.statements], 1)
            return f"known: {said}" if said else "known beforehand"
    return "reversible: both directions fit"


def effect(gain: float) -> str:
    if gain == 0.0:
        return "leave the score as it is"
    return f"{'raise' if gain > 0 else 'lower'} the score by {abs(gain):.6g}"
