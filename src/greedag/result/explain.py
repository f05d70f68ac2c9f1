"""What an edge of a result is worth, how it came about and why it is directed.

The *strength* of an edge is the score that the best delete of it loses: the operator that removes
the edge at the least cost, whatever else it has to direct. Where more sets than the default of the
clique cap come into question, the best is that of the sets which a search would look at.

The *direction margin* of a directed edge is the score of the class less that of the best class
with the edge turned: of which some member has it the other way. With few columns all classes are
looked at. With more, that class is searched for, and the true margin may be smaller. With
knowledge, only classes count that agree with it; an edge whose direction is known has no margin.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from greedag import _core
from greedag.drawing.labels import WEAK_MARGIN, count, in_words, printable
from greedag.errors import DataError, DataTypeError, quoted, unknown_column
from greedag.graph.cpdag import CPDAG
from greedag.graph.mpdag import MPDAG, Matrix, as_name, edge_mark, graph_of
from greedag.graph.orientation import Direction
from greedag.result.edges import Strength, Strengths, TurnedClass
from greedag.result.result import Operator, Result, engine_of, known_by
from greedag.statistics.levels import Levels
from greedag.statistics.moments import Moments

if TYPE_CHECKING:
    from greedag.result.known_edges import KnownEdges, KnownPair

# Seconds that the direction margins of a result may take for explanations.
_MARGIN_SECONDS = 10.0
# With more directed edges, the margin of one is found by itself.
_FEW_DIRECTED = 300
# Of so many columns, a result keeps the correlations for further explanations (32 MB), and with
# many directed edges the search for turned classes and its gains.
_MOST_KEPT = 2048
# All sets of so many columns are scored at once: from moments, or if they take so many rows in all.
_FEW = 12
_MOST_ROWS_OF_SETS = 3e7
_MOST_CHANGES = 3
_BOTH = Direction("both", ())
# The edges, as read from one end, that each kind of operator changes.
_CHANGED_BY = {"delete": ("→", "←", "-"), "insert": ("",), "reverse": ("→", "←")}

Edge = tuple[int, int]
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
        Columns; every edge if left out.
    """
    if result._dag is not None:
        from greedag.result import explain_dag

        return explain_dag.explanations(result, pairs)
    cpdag, graph = result.cpdag, graph_of(result)
    edges = indexed(cpdag, [*graph.directed, *graph.undirected] if pairs is None else pairs)
    matrix, of_class, known = graph.to_matrix(), cpdag.to_matrix(), known_edges(result)
    without: list[Operator | None] = [None] * len(edges)
    deletes, inserts, reversals = without, without, without
    turned: Mapping[Edge, TurnedClass] = {}
    if result.has_data:
        score = _kept_score(result)
        marks = [edge_mark(of_class, i, j) for i, j in edges]
        deletes, inserts, reversals = (
            _best_on(score, of_class, kind, edges, marks)
            for kind in ("delete", "insert", "reverse")
        )
        turned = _turned_of(result, score, edges, marks)
    origins, causes = _origins(result.trace, edges), _causes(graph, matrix, edges)
    explained = []
    for (i, j), delete, insert, reversal in zip(edges, deletes, inserts, reversals, strict=True):
        mark = edge_mark(matrix, i, j)
        place = origins.get((min(i, j), max(i, j)))
        a, b = cpdag.names[i], cpdag.names[j]
        cause = causes.get((b, a) if mark == "←" else (a, b), _BOTH)
        explained.append(
            Explanation(
                a=a,
                b=b,
                edge=mark,
                strength=None if delete is None else -delete.gain,
                delete=delete,
                insert=insert,
                step=None if place is None else place + 1,
                origin=None if place is None else result.trace[place],
                direction=cause if mark else None,
                alternative=reversal,
                steps=len(result.trace),
                names=cpdag.names,
                with_data=result.has_data,
                with_score=result.objective is not None,
                turned=turned.get((j, i) if mark == "←" else (i, j)),
                by_knowledge=mark != edge_mark(of_class, i, j),
                known=None if known is None else known.pair(i, j, mark, delete or insert),
            )
        )
    return explained


def strengths(result: Result, time_limit: float) -> Strengths:
    """Return the strength of every edge, strongest first; see :meth:`Result.strengths`."""
    if result._dag is not None:
        from greedag.result import explain_dag

        return explain_dag.strengths(result, time_limit)
    graph = graph_of(result)
    edges = [(a, "→", b) for a, b in graph.directed] + [(a, "-", b) for a, b in graph.undirected]
    pairs = indexed(result.cpdag, [(a, b) for a, _, b in edges])
    score = engine_of(result, "explaining an edge")
    deletes = _best(score, result.cpdag.to_matrix(), "delete", pairs)
    turned = _turned(result, score, time_limit)
    margins = (None if (other := turned.get(pair)) is None else other.margin for pair in pairs)
    known = known_directions(result)
    found = [
        Strength(a, b, mark, _loss(delete), margin, known.get((a, b), ""))
        for (a, mark, b), delete, margin in zip(edges, deletes, margins, strict=True)
    ]
    return Strengths(sorted(found, key=lambda strength: -strength.loss))


def known_edges(result: Result) -> KnownEdges | None:
    if result.knowledge is None:
        return None
    from greedag.result.known_edges import KnownEdges

    return KnownEdges(result)


def known_directions(result: Result) -> dict[tuple[str, str], str]:
    """Return what knowledge does to directed edges; see `Strength`."""
    known = known_edges(result)
    if known is None:
        return {}
    names, directed = result.cpdag.names, indexed(result.cpdag, result.cpdag.directed)
    fixed = set(directed) - set(known.turnable(directed))
    agreeing = {(names[i], names[j]): "agrees" for i, j in fixed}
    return agreeing | dict.fromkeys(graph_of(result).known, "directs")


def _turned_of(
    result: Result, score: _core.Score, edges: Sequence[Edge], marks: Sequence[str]
) -> Mapping[Edge, TurnedClass]:
    """Return the best class with each of some edges turned; of many, each separately."""
    pairs = zip(edges, marks, strict=True)
    directed = [(i, j) if mark == "→" else (j, i) for (i, j), mark in pairs if mark in ("→", "←")]
    known = known_edges(result)
    directed = directed if known is None else known.turnable(directed)
    if not directed:
        return {}
    is_known = hasattr(result, "_turned")
    if is_known or len(result.cpdag.directed) <= _FEW_DIRECTED or len(directed) > _FEW_DIRECTED:
        return _turned(result, score, _MARGIN_SECONDS)
    if not _keeps(result):
        return _find_turned(result, score, directed, _MARGIN_SECONDS)
    if not hasattr(result, "_turn_search"):
        search = _core.TurnSearch(score, result.cpdag.to_matrix())
        object.__setattr__(result, "_turn_search", search)
    return _find_turned(result, score, directed, _MARGIN_SECONDS, result._turn_search)


def _kept_score(result: Result) -> _core.Score:
    """Return the score of a result's data, kept for further explanations if it is small."""
    if hasattr(result, "_bound"):
        return result._bound
    score = engine_of(result, "explaining an edge")
    if _keeps(result):
        object.__setattr__(result, "_bound", score)
    return score


def _keeps(result: Result) -> bool:
    """Whether a result keeps what all of its explanations need."""
    is_small = isinstance(result.statistics, Moments) and result.cpdag.d <= _MOST_KEPT
    return is_small and result.knowledge is None


def _turned(result: Result, score: _core.Score, seconds: float) -> Mapping[Edge, TurnedClass]:
    """Return the best class with each directed edge turned, as far as found in so many seconds.

    Always of all edges together, because what is found for one may be better for another, too.
    """
    spent, known = getattr(result, "_turned", (0.0, None))
    directed = result.cpdag.directed
    if known is None or (len(known) < len(directed) and spent < seconds):
        edges, fixed = indexed(result.cpdag, directed), known_edges(result)
        edges = edges if fixed is None else fixed.turnable(edges)
        known = _find_turned(result, score, edges, seconds)
        object.__setattr__(result, "_turned", (seconds, known))
    return known


def _find_turned(
    result: Result,
    score: _core.Score,
    edges: Sequence[Edge],
    seconds: float,
    search: _core.TurnSearch | None = None,
) -> dict[Edge, TurnedClass]:
    matrix = result.cpdag.to_matrix()
    if len(edges) > 1:
        # The strongest come first, because a printed result shows those if time runs out.
        losses = dict(zip(edges, map(_loss, _best(score, matrix, "delete", edges)), strict=True))
        edges = sorted(edges, key=lambda edge: -losses[edge])
    names, proven = result.cpdag.names, _is_small(result)
    if search is not None:
        found = search.find(edges, time_limit=seconds)
    else:
        found = _core.turned_classes(
            score,
            matrix,
            edges,
            exact=proven,
            time_limit=seconds,
            knowledge=known_by(result),
        )
    known = {}
    for edge, turned in zip(edges, found, strict=True):
        if turned is not None:
            gain, changes = turned
            named = tuple((names[a], names[b], before, after) for a, b, before, after in changes)
            known[edge] = TurnedClass(-gain, named, proven)
    return known


def _is_small(result: Result) -> bool:
    """Whether the best of all classes is found at once, and all members of a class score alike."""
    statistics, d = result.statistics, result.cpdag.d
    if d > _FEW or result.settings.get("score") == "custom":
        return False
    if isinstance(statistics, Moments):
        return True
    incomplete = isinstance(statistics, Levels) and bool(statistics.missing)
    return not incomplete and d * 2 ** (d - 1) * result.n <= _MOST_ROWS_OF_SETS


def _best(
    score: _core.Score, matrix: Matrix, kind: str, edges: Sequence[Edge]
) -> list[Operator | None]:
    found = _core.best_operators(score, matrix, kind, edges)
    return [None if operator is None else Operator(*operator) for operator in found]


def _best_on(
    score: _core.Score, matrix: Matrix, kind: str, edges: Sequence[Edge], marks: Sequence[str]
) -> list[Operator | None]:
    """Return the best operators of a kind on pairs, of which only some can have one."""
    possible = [mark in _CHANGED_BY[kind] for mark in marks]
    asked = [edge for edge, is_possible in zip(edges, possible, strict=True) if is_possible]
    found = iter(_best(score, matrix, kind, asked) if asked else ())
    return [next(found) if is_possible else None for is_possible in possible]


def indexed(cpdag: CPDAG, pairs: Iterable[tuple[str, str]]) -> list[Edge]:
    places = {name: i for i, name in enumerate(cpdag.names)}
    edges = []
    for a, b in ((as_name(a), as_name(b)) for a, b in pairs):
        for name in (a, b):
            if not isinstance(name, str):
                raise DataTypeError(f"columns are given by name; got {quoted(name)}")
            if name not in places:
                raise unknown_column(name, cpdag.names)
        if a == b:
            raise DataError(f"the two columns must differ; both are {quoted(a)}")
        edges.append((places[a], places[b]))
    return edges


def _origins(trace: Sequence[Operator], edges: Sequence[Edge]) -> dict[Edge, int]:
    """Return, for each pair that is adjacent, its ends ascending, where the trace last inserts it.

    Completion directs edges but neither adds nor removes any, so the trace is enough.
    """
    wanted = {*edges, *((j, i) for i, j in edges)}
    inserted: dict[Edge, int] = {}
    for place, operator in enumerate(trace):
        if (operator.x, operator.y) not in wanted:
            continue
        pair = (min(operator.x, operator.y), max(operator.x, operator.y))
        if operator.kind == "insert":
            inserted[pair] = place
        elif operator.kind == "delete":
            inserted.pop(pair, None)
    return inserted


def _causes(
    graph: MPDAG, matrix: Matrix, edges: Sequence[Edge]
) -> Mapping[tuple[str, str], Direction]:
    """Return why edges are directed: all, or the only one that is asked for."""
    if len(edges) != 1:
        return graph.reasons()
    [(i, j)] = edges
    if matrix[i, j] == matrix[j, i]:
        return {}
    tail, head = (i, j) if matrix[i, j] else (j, i)
    ends = (graph.names[tail], graph.names[head])
    return {ends: graph.reason(*ends)}


def _loss(delete: Operator | None) -> float:
    return math.inf if delete is None else -delete.gain
