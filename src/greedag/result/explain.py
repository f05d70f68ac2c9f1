"""What an edge of a result is worth, how it came about and why it is directed.

The *strength* of an edge is the score that the best delete of it loses: the operator that removes
the edge at the least cost, whatever else it has to direct. Where more sets than the default of the
clique cap come into question, the best is that of the sets which a search would look at.

A *v-structure* is a → b ← c with a and c not adjacent. Members of a class share all of them. Where
one direction of another edge would make one more, or a cycle, the other direction is *compelled*:
rules 1 to 3 of Meek (1995). Rule 4 is not needed without background knowledge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from greedag import _core
from greedag.drawing.labels import Row, printable
from greedag.errors import DataError, DataTypeError, quoted, unknown_column
from greedag.graph.cpdag import CPDAG, as_name, edge_mark
from greedag.result.result import Operator, Result, engine_of

Edge = tuple[int, int]
NameOf = Callable[[str], str]


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
        for an undirected edge, and where it was not computed.
    """

    a: str
    b: str
    edge: str
    loss: float
    margin: float | None = None


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
            Row(place[edge.a], place[edge.b], edge.edge == "→", edge.loss, edge.margin)
            for edge in self
        ]


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
    steps : int
        How many steps the search made.
    names : tuple of str
        All columns, which the operators refer to by index.
    with_data : bool
        Whether the data were there. Without them no operator has a gain, so that `strength`,
        `delete`, `insert` and `alternative` are None.
    with_score : bool
        Whether the score is known; not if it is your own and the result was loaded from a file.
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

    def sentences(self, name_of: NameOf = printable) -> list[str]:
        """Return the explanation in plain sentences.

        Parameters
        ----------
        name_of : callable
            Escapes a column's name for where the sentences are shown; for a terminal if left out.
        """
        if not self.edge:
            return [self._on_absence(name_of)]
        said = (self._on_worth, self._on_origin, self._on_direction, self._on_reversal)
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
        if not self.with_data:
            return f"{apart}. What an edge would cost {self._unknown}"
        if self.insert is None:
            return f"{apart}: no valid insert was found that does not fit a column exactly."
        how = self.insert.phrase(self.names, name_of)
        return f"{apart}: the best way to add an edge, {how}, would {_effect(self.insert.gain)}."

    def _on_worth(self, name_of: NameOf) -> str:
        tail, head = self._ends(name_of)
        edge = f"{tail} {'-' if self.edge == '-' else '→'} {head}"
        if not self.with_data:
            return f"{edge}: its strength {self._unknown}"
        if self.strength is None:
            return f"{edge}: its strength cannot be measured: a column would be fitted exactly."
        if self.strength >= 0.0:
            return f"{edge}: removing the edge would cost {self.strength:.6g} of the score."
        return f"{edge}: removing the edge would {_effect(-self.strength)}."

    def _on_origin(self, name_of: NameOf) -> str:
        if self.origin is None:
            return ""
        how = self.origin.describe(self.names, name_of) + self._since(self.origin)
        return f"It was added in step {self.step} of {self.steps}, by {how}."

    def _since(self, origin: Operator) -> str:
        """Say what became of the direction that the edge was added with."""
        if self.edge == "-":
            return "; the class leaves it undirected"
        tail = self.b if self.edge == "←" else self.a
        return "" if self.names[origin.x] == tail else "; later steps reversed it"

    def _on_direction(self, name_of: NameOf) -> str:
        if self.direction is None:
            return ""
        tail, head = self._ends(name_of)
        others = [name_of(node) for node in self.direction.nodes]
        return _DIRECTIONS[self.direction.rule](tail, head, *others)

    @property
    def _unknown(self) -> str:
        return _NEEDS_DATA if self.with_score else _NEEDS_SCORE

    def _on_reversal(self, name_of: NameOf) -> str:
        if self.edge == "-" or not self.with_data:
            return ""
        if self.alternative is None:
            return "No valid reversal was found."
        # Asked from either end, a reversal is of the edge as it is drawn.
        x, y = (name_of(self.names[i]) for i in (self.alternative.x, self.alternative.y))
        return f"Reversing it to {x} → {y} would {_effect(self.alternative.gain)}."


_NEEDS_DATA = (
    "is not known, because this result was loaded without its data; pass them when loading: "
    "Result.load(path, data=table)."
)
_NEEDS_SCORE = (
    "is not known, because this result was loaded from a file, which cannot hold your own score; "
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
        f"The direction is compelled: with {a} → {c} → {b}, reversing it to {b} → {a} would close "
        "a cycle."
    ),
    "meek-3": lambda a, b, c, d: (
        f"The direction is compelled: with {c} → {b} ← {d}, reversing it to {b} → {a} would force "
        f"{c} → {a} ← {d}, another v-structure ({c} and {d} are not adjacent)."
    ),
}


def _effect(gain: float) -> str:
    if gain == 0.0:
        return "leave the score as it is"
    return f"{'raise' if gain > 0 else 'lower'} the score by {abs(gain):.6g}"


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
        Without its data, strengths are not known.
    pairs : iterable of (str, str), optional
        Columns; every edge of the class if left out.
    """
    cpdag = result.cpdag
    edges = _indexed(cpdag, [*cpdag.directed, *cpdag.undirected] if pairs is None else pairs)
    without: list[Operator | None] = [None] * len(edges)
    deletes, inserts, reversals = (
        without if not result.has_data else _best(result, kind, edges)
        for kind in ("delete", "insert", "reverse")
    )
    origins, causes, matrix = _origins(result.trace), reasons(cpdag), cpdag.to_matrix()
    explained = []
    for (i, j), delete, insert, reversal in zip(edges, deletes, inserts, reversals, strict=True):
        mark = edge_mark(matrix, i, j)
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
                alternative=reversal,
                steps=len(result.trace),
                names=cpdag.names,
                with_data=result.has_data,
                with_score=result.objective is not None,
            )
        )
    return explained


def strengths(result: Result) -> Strengths:
    """Return the strength of every edge, strongest first; see :meth:`Result.strengths`."""
    cpdag = result.cpdag
    edges = [(a, "→", b) for a, b in cpdag.directed] + [(a, "-", b) for a, b in cpdag.undirected]
    pairs = _indexed(cpdag, [(a, b) for a, _, b in edges])
    deletes = _best(result, "delete", pairs)
    margins = _margins(result, pairs)
    found = [
        Strength(a, b, mark, _loss(delete), margin)
        for (a, mark, b), delete, margin in zip(edges, deletes, margins, strict=True)
    ]
    return Strengths(sorted(found, key=lambda strength: -strength.loss))


def _margins(result: Result, edges: Sequence[Edge]) -> list[float | None]:
    """Return the direction margin of each edge; None for undirected ones."""
    reversals = _best(result, "reverse", edges)
    return [None if reversal is None else -reversal.gain for reversal in reversals]


def _best(result: Result, kind: str, edges: Sequence[Edge]) -> list[Operator | None]:
    score = engine_of(result, "explaining an edge")
    found = _core.best_operators(score, result.cpdag.to_matrix(), kind, edges)
    return [None if operator is None else Operator(*operator) for operator in found]


def _indexed(cpdag: CPDAG, pairs: Iterable[tuple[str, str]]) -> list[Edge]:
    places = {name: i for i, name in enumerate(cpdag.names)}
    edges = []
    for a, b in ((as_name(a), as_name(b)) for a, b in pairs):
        for name in (a, b):
            if not isinstance(name, str):
                raise DataTypeError(f"columns are given by name; got {quoted(name)}")
            if name not in places:
                raise unknown_column(name, cpdag.names)
        if a == b:
            raise DataError(f"a pair has two different columns; both are {quoted(a)}")
        edges.append((places[a], places[b]))
    return edges


def _origins(trace: Sequence[Operator]) -> dict[frozenset[int], int]:
    """Return, for each adjacent pair, the place in the trace of its last insert.

    Completion directs edges but neither adds nor removes any, so the trace is enough.
    """
    inserted: dict[frozenset[int], int] = {}
    for place, operator in enumerate(trace):
        pair = frozenset((operator.x, operator.y))
        if operator.kind == "insert":
            inserted[pair] = place
        elif operator.kind == "delete":
            inserted.pop(pair, None)
    return inserted


def _direction(mark: str, reason: Reason | None, names: Sequence[str]) -> Direction | None:
    if not mark:
        return None
    if reason is None:
        return Direction("both", ())
    return Direction(reason.rule, tuple(names[node] for node in reason.nodes))


def _loss(delete: Operator | None) -> float:
    return math.inf if delete is None else -delete.gain


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a → b is directed: a rule, and the nodes that it needs beside a and b."""

    rule: str
    nodes: tuple[int, ...]


def reasons(cpdag: CPDAG) -> dict[Edge, Reason]:
    """Derive every directed edge of a class from its skeleton and v-structures.

    Each edge has the reason by which it follows first, in rounds: an edge that rests on another
    one comes in a later round, so that no two edges are each other's reason.

    Parameters
    ----------
    cpdag : CPDAG
        The class.

    Returns
    -------
    dict
        For each directed edge (tail, head), by column index, its reason.
    """
    pattern = _Pattern(cpdag)
    found = pattern.v_structures()
    fresh = dict(found)
    while fresh:
        pattern.direct(fresh)
        fresh = pattern.consequences(fresh)
        found |= fresh
    return found


class _Pattern:
    """The skeleton of a class, directed as far as it has been derived."""

    def __init__(self, cpdag: CPDAG) -> None:
        matrix = cpdag.to_matrix()
        self.adjacent: list[set[int]] = [set() for _ in range(cpdag.d)]
        self.parents: list[set[int]] = [set() for _ in range(cpdag.d)]
        self.children: list[set[int]] = [set() for _ in range(cpdag.d)]
        for i, j in np.argwhere(matrix | matrix.T).tolist():
            self.adjacent[i].add(j)
        self.neighbors = [set(nodes) for nodes in self.adjacent]
        self._arrows: list[Edge] = [(i, j) for i, j in np.argwhere(matrix & ~matrix.T & 1).tolist()]

    def v_structures(self) -> dict[Edge, Reason]:
        """Return the edges a → b for which some c → b has c not adjacent to a."""
        heads: dict[int, set[int]] = {}
        for a, b in self._arrows:
            heads.setdefault(b, set()).add(a)
        apart = ((a, b, heads[b] - self.adjacent[a] - {a}) for a, b in self._arrows)
        return {(a, b): Reason("v-structure", (min(others),)) for a, b, others in apart if others}

    def direct(self, edges: Iterable[Edge]) -> None:
        for a, b in edges:
            self.parents[b].add(a)
            self.children[a].add(b)
            self.neighbors[a].discard(b)
            self.neighbors[b].discard(a)

    def consequences(self, fresh: Iterable[Edge]) -> dict[Edge, Reason]:
        """Return what follows by one rule. Only edges that touch a fresh one can follow anew."""
        touched = {node for edge in fresh for node in edge}
        found = {}
        for a in sorted(touched):
            for b in sorted(self.neighbors[a]):
                for edge in ((a, b), (b, a)):
                    reason = self._reason(*edge)
                    if reason:
                        found[edge] = reason
        return found

    def _reason(self, a: int, b: int) -> Reason | None:
        """Return why a - b must be a → b, if a rule says so."""
        first = self.parents[a] - self.adjacent[b]
        if first:
            return Reason("meek-1", (min(first),))
        between = self.children[a] & self.parents[b]
        if between:
            return Reason("meek-2", (min(between),))
        beside = sorted(self.neighbors[a] & self.parents[b])
        for c in beside:
            for d in beside:
                if c < d and d not in self.adjacent[c]:
                    return Reason("meek-3", (c, d))
        return None
