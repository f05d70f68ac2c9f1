"""Why each edge of a graph has its direction; the engine derives it.

A *v-structure* is a → b ← c with a and c not adjacent. All members share all of them. Knowledge may
direct further edges, and so may *evidence*: an intervention on one end of an edge, or the curve of
its effect. Where one direction of another edge would make one more v-structure, or a cycle, the
other direction is *compelled*, by the rules of Meek (1995):

1. c → a - b with c and b not adjacent gives a → b.
2. a → c → b with a - b gives a → b.
3. c → b ← d with c and d not adjacent, and a - b, a - c, a - d, gives a → b.
4. d → c → b with d and b not adjacent, a - b, a - d and a adjacent to c, gives a → b. It is needed
   with knowledge or evidence only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from greedag.drawing.labels import amount, in_words, label, printable
from greedag.errors import DataError, quoted

# By their number in the engine, to which all that is given is knowledge.
RULES = ("v-structure", "meek-1", "meek-2", "meek-3", "meek-4", "knowledge")
# Kinds of evidence, in the order in which they direct edges.
EVIDENCE = ("intervention", "curve", "score")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What in the data directs an edge that the class leaves undirected.

    Attributes
    ----------
    tail, head : str
        The edge points from the first column to the second.
    kind : str
        ``"intervention"`` if one of the two was set from outside and the other was not; ``"curve"``
        if the fitted curves tell the direction; ``"score"`` if a custom score does.
    margin : float or None
        By how much the best DAG of the class scores above the best one with the edge the other way;
        None if it is not known.
    targets : tuple of tuple of str
        The sets of columns set together that hold one end of the edge and not the other.
    is_proven : bool
        Whether the margin is that of the best DAG with the edge the other way. If not, the true
        margin may be larger.
    """

    tail: str
    head: str
    kind: str
    margin: float | None = None
    targets: tuple[tuple[str, ...], ...] = ()
    is_proven: bool = True

    def __post_init__(self) -> None:
        if self.kind not in EVIDENCE:
            raise DataError(
                f"the kind of evidence is one of {', '.join(map(repr, EVIDENCE))}; "
                f"got {quoted(self.kind)}"
            )

    def phrase(self, name_of: Callable[[str], str] = printable) -> str:
        """Say what directs the edge, such as ``an intervention on x``; escape names as told."""
        if self.kind == "intervention":
            together = [in_words([name_of(name) for name in among]) for among in self.targets]
            sets = [
                f"on {among}{' together' * (len(names) > 1)}"
                for among, names in zip(together, self.targets, strict=True)
            ]
            one = "an intervention" if len(sets) <= 1 else "interventions"
            return f"{one} {in_words(sets)}" if sets else one
        what = "the curves" if self.kind == "curve" else "the score"
        if self.margin is None:
            return what
        least = "" if self.is_proven else "at least "
        return (
            f"{what}: the best DAG of the class with {name_of(self.head)} → "
            f"{name_of(self.tail)} scores {least}{self.margin:.6g} points lower"
        )

    def brief(self, tail: str, head: str) -> str:
        """Say the same in a few words; the names as shown."""
        if self.kind == "intervention" or self.margin is None:
            return self.phrase(label)
        what = "the curves" if self.kind == "curve" else "the score"
        return f"{what}: {head} → {tail} scores {amount(self.margin)} lower"


@dataclass(frozen=True, slots=True)
class Direction:
    """Why an edge has the direction that it has, or none.

    Attributes
    ----------
    rule : str
        ``"v-structure"``; ``"meek-1"`` to ``"meek-4"``; ``"knowledge"``; ``"intervention"``,
        ``"curve"`` or ``"score"``, the kinds of evidence; or ``"both"`` for an undirected edge, of
        which both directions occur in members.
    nodes : tuple of str
        The further columns that the rule needs; of rule 4 those of the path d → c → b, d first.
    statements : tuple of Statement
        The statements that direct it. None where the direction itself was given.
    evidence : Evidence or None
        The evidence that directs it.
    """

    rule: str
    nodes: tuple[str, ...]
    statements: tuple[Any, ...] = ()
    evidence: Evidence | None = None
