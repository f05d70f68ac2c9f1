"""The edges of a result as the page lists them: strongest first, each with its reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite, log1p

import numpy as np

from greedag.drawing.labels import amount
from greedag.errors import DataError
from greedag.report.columns import overfitted
from greedag.result.explain import Strength, explanations, reasons
from greedag.result.result import Result

# Each edge brings about a kilobyte of explanation and a row of the table.
MOST_EDGES = 2000


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """One edge as listed.

    Attributes
    ----------
    tail, head : int
        Its columns, the smaller first if undirected.
    directed : bool
        Whether it has a direction.
    a, b : str
        Names as shown.
    strength : float or None
        The score that is lost without it, if known.
    share : float
        Length of its bar, of 100.
    coefficient : tuple of float or None
        How much b rises with a, and its standard error, where all members agree on it.
    because : str
        In short, why it is directed or not.
    reasons : tuple of str
        The explanation, sentence by sentence.
    overfitted : bool
        Whether one of its columns has nearly as many parents as there are rows, so that its
        strength means nothing.
    """

    tail: int
    head: int
    directed: bool
    a: str
    b: str
    strength: float | None
    share: float
    coefficient: tuple[float, float] | None
    because: str
    reasons: tuple[str, ...]
    overfitted: bool

    @property
    def key(self) -> str:
        """The edge as the drawing and the script name it."""
        return f"{self.tail}-{self.head}"

    @property
    def kind(self) -> str:
        """The word for its kind."""
        return "directed" if self.directed else "undirected"

    @property
    def mark(self) -> str:
        """The sign between the names."""
        return "→" if self.directed else "-"

    @property
    def text(self) -> str:
        """The edge in one piece, which a line does not break."""
        return unbroken(self.a, self.mark, self.b)

    @property
    def amount(self) -> str:
        """The strength as shown."""
        if self.strength is None:
            return ""
        text = amount(self.strength) if isfinite(self.strength) else "not measurable"
        return f"{text} (too few rows)" if self.overfitted else text

    @property
    def effect(self) -> str:
        """The coefficient as shown."""
        if self.coefficient is None:
            return ""
        value, error = self.coefficient
        return f"{amount(value)} ± {amount(error, 2)}"

    @property
    def value(self) -> str:
        """The strength as a script reads it."""
        if self.strength is None:
            return ""
        return repr(self.strength) if isfinite(self.strength) else "Infinity"


def unbroken(a: str, mark: str, b: str) -> str:
    """Return an edge as text that no line break parts at the mark."""
    # After a hyphen, a line may be broken even at a no-break space.
    bound = mark.replace("-", "-\N{WORD JOINER}")
    return f"{a}\N{NO-BREAK SPACE}{bound}\N{NO-BREAK SPACE}{b}"


def edge_rows(
    result: Result, shown: tuple[str, ...], strengths: Sequence[Strength] | None
) -> Iterator[EdgeRow]:
    """Yield the strongest edges of a result, at most `MOST_EDGES`.

    Without data they have no strength and no reasons, and come in the order of the columns.

    Parameters
    ----------
    result : Result
        The result.
    shown : tuple of str
        The names as shown, in the order of the columns.
    strengths : sequence of Strength or None
        Those of the result, None without data.
    """
    place = {name: i for i, name in enumerate(result.cpdag.names)}
    compelled = reasons(result.cpdag)
    listed = _listed(result, strengths)
    said = _said(result, listed)
    fitted = set(overfitted(result.n, result.cpdag.to_dag()))
    effects = _effects(result, fitted)
    sizes = [log1p(max(loss, 0.0)) for *_, loss in listed if loss is not None and isfinite(loss)]
    most = max(sizes, default=0.0) or 1.0
    for (a, b, loss), sentences in zip(listed, said, strict=True):
        tail, head = place[a], place[b]
        reason = compelled.get((tail, head))
        others = [] if reason is None else [shown[i] for i in reason.nodes]
        yield EdgeRow(
            tail=tail,
            head=head,
            directed=reason is not None,
            a=shown[tail],
            b=shown[head],
            strength=loss,
            share=round(100.0 * min(log1p(max(loss or 0.0, 0.0)) / most, 1.0), 1),
            coefficient=effects.get((tail, head)),
            because=_because(reason.rule if reason else "both", shown[tail], shown[head], *others),
            reasons=sentences,
            overfitted=head in fitted or (reason is None and tail in fitted),
        )


def _listed(
    result: Result, strengths: Sequence[Strength] | None
) -> list[tuple[str, str, float | None]]:
    if strengths is None:
        pairs = result.cpdag.directed + result.cpdag.undirected
        return [(a, b, None) for a, b in pairs[:MOST_EDGES]]
    return [(edge.a, edge.b, edge.loss) for edge in strengths[:MOST_EDGES]]


def _said(result: Result, listed: list[tuple[str, str, float | None]]) -> list[tuple[str, ...]]:
    """Return the sentences on each edge."""
    if not result.has_data:
        return [()] * len(listed)
    explained = explanations(result, [(a, b) for a, b, _ in listed])
    return [tuple(explanation.sentences()) for explanation in explained]


def _effects(result: Result, fitted: set[int]) -> dict[tuple[int, int], tuple[float, float]]:
    """Return the coefficients that are the same in every member, with their standard errors.

    These are the edges into columns without undirected edges, which have the same parents in every
    member; of them, not those of columns with nearly as many parents as rows.
    """
    if result.moments is None:
        return {}
    place = {name: i for i, name in enumerate(result.moments.names)}
    cells = result.cpdag.to_matrix()
    varying = set(np.flatnonzero((cells & cells.T).sum(axis=0)).tolist()) | fitted
    try:
        found = result.coefficients()
    except DataError:  # Too few rows, so that a column is fitted exactly, or units too extreme.
        return {}
    return {
        (place[edge.parent], place[edge.child]): (edge.value, edge.standard_error)
        for edge in found
        if place[edge.child] not in varying
    }


def _because(rule: str, a: str, b: str, *others: str) -> str:
    """Say in a few words why an edge is directed or not."""
    match rule, others:
        case "v-structure", [c]:
            return f"v-structure {a} → {b} ← {c}"
        case "meek-1", [c]:
            return f"else a v-structure {c} → {a} ← {b}"
        case "meek-2", [c]:
            return f"else a cycle through {c}"
        case "meek-3", [c, d]:
            return f"else a cycle, or a v-structure with {c} and {d}"
    return "reversible: both ways fit"
