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
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from greedag import _core
from greedag.errors import DataError, DataTypeError, quoted, unknown_column
from greedag.graph.cpdag import CPDAG
from greedag.graph.mpdag import MPDAG, Matrix, as_name, edge_mark, graph_of
from greedag.graph.orientation import Direction
from greedag.result.edges import Strength, Strengths, TurnedClass
from greedag.result.explanation import Explanation
from greedag.result.result import Operator, Result, engine_of, known_by
from greedag.statistics.levels import Levels
from greedag.statistics.moments import Moments

if TYPE_CHECKING:
    from greedag.result.known_edges import KnownEdges

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
_BOTH = Direction("both", ())
# The edges, as read from one end, that each kind of operator changes.
_CHANGED_BY = {"delete": ("→", "←", "-"), "insert": ("",), "reverse": ("→", "←")}

Edge = tuple[int, int]


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
