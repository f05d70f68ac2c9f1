"""What an edge of a result is worth, how it came and why it is directed.

The *strength* of an edge is the score that the best delete of it loses: the operator that removes
the edge at the least cost, whatever else it has to direct. Where more sets than the default of the
clique cap come into question, the best is that of the sets which a search would look at.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from greedag import _core
from greedag.errors import DataError, DataTypeError, quoted, unknown_column
from greedag.graph.cpdag import CPDAG, as_name, edge_mark
from greedag.result.explanation import Direction, Explanation, Strength
from greedag.result.orientation import Edge, Reason, reasons
from greedag.result.result import Operator, Result

__all__ = ["Direction", "Explanation", "Strength", "explain", "explanations", "strengths"]


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
        Without its data, nothing is said of what edges are worth.
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
    for (i, j), delete, insert, turned in zip(edges, deletes, inserts, reversals, strict=True):
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
                alternative=turned,
                steps=len(result.trace),
                names=cpdag.names,
                with_data=result.has_data,
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


def engine_of(result: Result, purpose: str) -> _core.Score:
    """Return the score of a result's data, or say how to attach them."""
    if result.statistics is None or result.objective is None:
        raise no_data(result, purpose)
    return result.objective.bind(result.statistics, check=False)


def no_data(result: Result, purpose: str) -> DataError:
    """Return the error for a result without its data."""
    if result.objective is None:
        return DataError(
            f"{purpose} needs a score of your own, which no file holds; ask the result that learn "
            "returned"
        )
    return DataError(
        f"{purpose} needs the data, which this result was loaded without; pass the table or "
        "its Moments when loading: Result.load(path, data=table)"
    )


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
