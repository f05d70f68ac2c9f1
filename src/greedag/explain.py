"""What an edge of a result is worth, how it came and why it is directed, in numbers and in words.

The *strength* of an edge is the score that the best delete of it loses: the operator that removes
the edge at the least cost, whatever else it has to direct. Where more sets than the default of the
clique cap come into question, the best is that of the sets which a search would look at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from greedag import _core
from greedag.directions import Edge, Reason, reasons
from greedag.errors import DataError, DataTypeError, quoted
from greedag.graph import CPDAG, printable
from greedag.moments import Moments
from greedag.result import Operator, Result

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
        if self.insert is None:
            return f"{apart}, and no valid way to join them was found."
        how = self.insert.phrase(self.names, name_of)
        return f"{apart}: the best way to join them, {how}, would {_effect(self.insert.gain)}."

    def _on_worth(self, name_of: NameOf) -> str:
        tail, head = self._ends(name_of)
        edge = f"{tail} {'-' if self.edge == '-' else '→'} {head}"
        if self.strength is None:
            return f"{edge}: what it is worth cannot be measured, as a column would fit exactly."
        if self.strength >= 0.0:
            return f"{edge}: removing the edge would cost {self.strength:.6g} of the score."
        return f"{edge}: removing the edge would {_effect(-self.strength)}."

    def _on_origin(self, name_of: NameOf) -> str:
        if self.origin is None:
            return ""
        how = self.origin.describe(self.names, name_of)
        return f"It came as step {self.step} of {self.steps}, by {how}."

    def _on_direction(self, name_of: NameOf) -> str:
        if self.direction is None:
            return ""
        tail, head = self._ends(name_of)
        others = [name_of(node) for node in self.direction.nodes]
        return _DIRECTIONS[self.direction.rule](tail, head, *others)

    def _on_turning(self, name_of: NameOf) -> str:
        if self.alternative is None:
            return ""
        how = self.alternative.phrase(self.names, name_of)
        return f"Turning it, by {how}, would {_effect(self.alternative.gain)}."


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


def explain(result: Result, a: str, b: str) -> Explanation:
    """Explain one pair of columns; see :meth:`Result.explain`."""
    return explanations(result, [(a, b)])[0]


def explanations(
    result: Result, pairs: Iterable[tuple[str, str]] | None = None
) -> list[Explanation]:
    """Explain many pairs at once, which is much faster than one by one.

    Parameters
    ----------
    result : Result
        A result that has its moments.
    pairs : iterable of (str, str), optional
        Columns; every edge of the class if left out.
    """
    cpdag = result.cpdag
    edges = _indexed(cpdag, [*cpdag.directed, *cpdag.undirected] if pairs is None else pairs)
    deletes, inserts, reversals = (
        _best(result, kind, edges) for kind in ("delete", "insert", "reverse")
    )
    origins, causes, matrix = _origins(result.trace), reasons(cpdag), cpdag.to_matrix()
    explained = []
    for (i, j), delete, insert, turned in zip(edges, deletes, inserts, reversals, strict=True):
        mark = _MARKS[int(matrix[i, j]), int(matrix[j, i])]
        place = origins.get(frozenset((i, j)))
        cause = causes.get((j, i) if mark == "←" else (i, j))
        explained.append(
            Explanation(
                a=cpdag.names[i],
                b=cpdag.names[j],
                edge=mark,
                strength=None if delete is None else -delete.gain,
                delete=delete,
                insert=insert,
                step=None if place is None else place + 1,
                origin=None if place is None else result.trace[place],
                direction=_direction(mark, cause, cpdag.names),
                alternative=turned,
                steps=len(result.trace),
                names=cpdag.names,
            )
        )
    return explained


def strengths(result: Result) -> tuple[Strength, ...]:
    """Say what every edge is worth, strongest first; see :meth:`Result.strengths`."""
    cpdag = result.cpdag
    edges = [(a, "→", b) for a, b in cpdag.directed] + [(a, "-", b) for a, b in cpdag.undirected]
    deletes = _best(result, "delete", _indexed(cpdag, [(a, b) for a, _, b in edges]))
    found = [
        Strength(a, b, mark, _loss(delete))
        for (a, mark, b), delete in zip(edges, deletes, strict=True)
    ]
    return tuple(sorted(found, key=lambda strength: -strength.loss))


_MARKS = {(1, 1): "-", (1, 0): "→", (0, 1): "←", (0, 0): ""}


def moments_of(result: Result, purpose: str) -> Moments:
    """Return the moments of a result, or say how to attach them."""
    if result.moments is None:
        raise DataError(
            f"{purpose} needs the data, which this result was loaded without; pass the table or "
            "its Moments when loading: Result.load(path, data=table)"
        )
    return result.moments


def _best(result: Result, kind: str, edges: Sequence[Edge]) -> list[Operator | None]:
    moments = moments_of(result, "explaining an edge")
    found = _core.best_operators(
        moments.correlation,
        moments.log_variances,
        moments.n,
        float(result.settings["alpha"] or 0.0),
        result.cpdag.to_matrix(),
        kind,
        edges,
    )
    return [None if operator is None else Operator(*operator) for operator in found]


def _indexed(cpdag: CPDAG, pairs: Iterable[tuple[str, str]]) -> list[Edge]:
    places = {name: i for i, name in enumerate(cpdag.names)}
    edges = []
    for a, b in pairs:
        for name in (a, b):
            if not isinstance(name, str):
                raise DataTypeError(f"columns are given by name; got {quoted(name)}")
            if name not in places:
                raise DataError(f"there is no column {quoted(name)}")
        if a == b:
            raise DataError(f"a pair is of two columns; both are {quoted(a)}")
        edges.append((places[a], places[b]))
    return edges


def _origins(trace: Sequence[Operator]) -> dict[frozenset[int], int]:
    """Return, for each joined pair, the place in the trace of the insert that joined it last.

    Completion directs edges but never joins or parts two columns, so the trace alone tells.
    """
    joined: dict[frozenset[int], int] = {}
    for place, operator in enumerate(trace):
        pair = frozenset((operator.x, operator.y))
        if operator.kind == "insert":
            joined[pair] = place
        elif operator.kind == "delete":
            joined.pop(pair, None)
    return joined


def _direction(mark: str, reason: Reason | None, names: Sequence[str]) -> Direction | None:
    if not mark:
        return None
    if reason is None:
        return Direction("both", ())
    return Direction(reason.rule, tuple(names[node] for node in reason.nodes))


def _loss(delete: Operator | None) -> float:
    return math.inf if delete is None else -delete.gain


def _effect(gain: float) -> str:
    if gain == 0.0:
        return "leave the score as it is"
    return f"{'raise' if gain > 0 else 'lower'} the score by {abs(gain):.6g}"
