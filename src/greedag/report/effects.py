"""What a report shows where members of a class score differently: effects, and what directs."""

from __future__ import annotations

from greedag.drawing.effects import Spark
from greedag.errors import DataError
from greedag.result.curve import Effects
from greedag.result.result import Result
from greedag.statistics.moments import Moments

EVIDENCE_NOTES = {
    "curve": (
        "Edges with a dot are directed by curves: the class leaves them undirected, but fitted "
        "curves score higher this way round. That assumes noise that is about normal and adds up."
    ),
    "intervention": (
        "Edges with a square are directed by interventions: one end was set from outside in rows "
        "in which the other was not."
    ),
    "score": (
        "Edges with a triangle are directed by the score, which tells members of the class apart."
    ),
}


def sparks(result: Result) -> dict[tuple[int, int], Spark]:
    """Return the effects in the best DAG as small lines, by tail and head.

    Where the graph leaves an edge undirected, it stands under both orders of its ends. There are
    none of discrete columns, nor without curves.
    """
    effects = Effects(result)
    found = {}
    for y in range(result.cpdag.d):
        if isinstance(effects.counted(y), Moments):
            return {}
        try:
            curves = effects.curves(y)
        except DataError:  # A discrete column, or too few rows.
            continue
        for x, curve in curves.items():
            found[x, y] = found[y, x] = curve.spark()
    return found
