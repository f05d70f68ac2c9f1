"""What a report shows where members of a class score differently: effects, and what directs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from greedag.drawing.effects import Spark
from greedag.drawing.labels import amount, count, in_words, whole
from greedag.errors import DataError
from greedag.report import tables
from greedag.report.levels import frequencies, levels_part
from greedag.report.tables import Cell, ColumnRow
from greedag.result.curve import Effects
from greedag.result.result import Result
from greedag.statistics.basis import BasisMoments
from greedag.statistics.curves import Indicators
from greedag.statistics.environments import Environments
from greedag.statistics.levels import Levels
from greedag.statistics.mixed import MixedTable
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


# What experiments direct is said where they are.
_SUBJECTS = {"curve": "curves direct", "score": "the score directs"}


def members_left(result: Result, members: int | None) -> str:
    """Say what directs edges beyond the class, and how many DAGs are left."""
    found = Counter(result.graph.by_evidence.values())
    said = [f"{_SUBJECTS[kind]} {count(found[kind], 'edge')}" for kind in _SUBJECTS if found[kind]]
    known = len(result.graph.known)
    said += [f"what is known directs {count(known, 'edge')}"] if known else []
    beyond = f"Beyond what the class itself directs, {in_words(said)}. " if said else ""
    if members == 1:
        return f"{beyond}Every edge is directed: one DAG is left."
    number = "Many" if members is None else whole(members)
    return (
        f"{beyond}{number} DAGs of the class are left, which differ only in the direction of the "
        "undirected edges; their scores are too close to tell."
    )


def data_part(result: Result, shown: tuple[str, ...]) -> dict[str, Any]:
    """Return the values of the section on the data, those of all rows and without curves."""
    statistics: Any = result.statistics
    if isinstance(statistics, Environments):
        statistics = statistics.whole()
    if isinstance(statistics, BasisMoments):
        if "discrete" in statistics.kinds:
            return _mixed_part(result, statistics, shown)
        statistics = statistics.embedded()[0]
    has_levels = isinstance(statistics, (Levels, MixedTable))
    listed = levels_part if has_levels else tables.data_part
    return listed(replace(result, statistics=statistics), shown)


def _mixed_part(result: Result, counted: BasisMoments, shown: tuple[str, ...]) -> dict[str, Any]:
    moments, starts = counted.embedded()
    assert moments.mean is not None
    rows = []
    for i, degrees in enumerate(tables.degrees_of(result.graph)[: tables.MOST_LISTED]):
        means, basis = moments.mean[starts[i] : starts[i + 1]], counted.bases[i]
        if isinstance(basis, Indicators):
            shares = np.concatenate([[1.0 - means.sum()], means])
            known = frequencies(basis.labels, np.maximum(shares, 0.0) * counted.n)
        else:
            spread = float(moments.deviations[starts[i]])
            values = {"mean": float(means[0]), "spread": spread}
            known = {name: Cell(amount(value), repr(value)) for name, value in values.items()}
        rows.append(ColumnRow(name=shown[i], degrees=degrees, kind=basis.kind, **known))
    continuous = counted.kinds.count("continuous")
    discrete = count(counted.d - continuous, "discrete column")
    said = f"{count(counted.n, 'row')} of {continuous:,} continuous and {discrete}."
    return {"warnings": [], "data_notes": [said], "columns": rows}
