"""The second engine: searching among DAGs, for scores that tell the members of a class apart.

Curves and experiments say more than which class fits: some of its members fit better than others.
So the search is for the best DAG. What the result directs beyond its class is what the data speak
clearly for: each edge that experiments orient, and each whose other direction costs the score more
than chance would.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from greedag import _core
from greedag._options import EXACT, ORDERS, LearnOptions
from greedag._progress import seconds_left
from greedag.errors import OptionError, quoted
from greedag.graph.bound_knowledge import BoundKnowledge
from greedag.graph.cpdag import CPDAG
from greedag.graph.mpdag import MPDAG, Matrix
from greedag.graph.orientation import Evidence
from greedag.scores.base import Score

# Seconds that the margins of directions take at most, and what they are given after a time limit.
_MOST_SECONDS, _LEAST_SECONDS = 10.0, 0.05
# A share of what lines explain.
_MUCH = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class FoundDag:
    """The best DAG, the class that it belongs to, and what directs edges beyond that class."""

    dag: Matrix
    cpdag: CPDAG
    score: float
    evidence: tuple[Evidence, ...] = ()


def among_dags(options: LearnOptions, score: Score) -> tuple[LearnOptions, str]:
    """Return the options of a search among DAGs, and what the engine calls it.

    Raises
    ------
    OptionError
        If the caller asks for a search over classes.
    """
    if options.search == EXACT:
        return options, "exact-dag"
    if options.search in (ORDERS, "xges"):
        return replace(options, search=ORDERS), ORDERS
    raise OptionError(
        f"search must be 'orders' or 'exact', or left out: the score {score.name} tells the "
        f"members of a class apart, and {options.search} goes from class to class; "
        f"got {quoted(options.search)}"
    )


def first_dag(
    score: Score,
    bound: _core.Score,
    statistics: Any,
    known: BoundKnowledge | None,
    options: LearnOptions,
) -> Matrix | None:
    """Return a DAG to start from: a member of the class that a score of lines finds, if any.

    Where curves add much to what lines explain, a better class of lines would be no better start.
    """
    linear = score.linear(statistics)
    if linear is None:
        return None
    dag = _linear_dag(linear, "xges0", statistics.names, known, options)
    if dag is None or options.effort == 0.0:
        return dag
    by_lines = linear.of_dag(dag) - linear.of_dag(np.zeros_like(dag))
    if bound.of_dag(dag) - linear.of_dag(dag) > _MUCH * by_lines:
        return dag
    return _linear_dag(linear, "xges", statistics.names, known, options)


def _linear_dag(
    linear: _core.Score,
    search: str,
    names: tuple[str, ...],
    known: BoundKnowledge | None,
    options: LearnOptions,
) -> Matrix | None:
    outcome = _core.search(
        linear,
        search,
        effort=0.0 if search == "xges0" else options.effort,
        seed=options.seed,
        time_limit=None if options.time_limit is None else seconds_left(),
        jobs=options.n_jobs,
        knowledge=None if known is None else known.engine,
    )
    if not math.isfinite(outcome.score):
        return None
    cells: Matrix = np.asarray(outcome.adjacency, dtype=np.uint8)
    if known is None:
        return MPDAG(names, cells.tobytes()).to_dag()
    oriented = _core.orient(cells, known.engine)
    if oriented is None:
        return None
    return MPDAG(names, np.asarray(oriented[0], dtype=np.uint8).tobytes()).to_dag()


def found_dag(
    outcome: _core.SearchOutcome,
    score: Score,
    bound: _core.Score,
    statistics: Any,
    known: BoundKnowledge | None,
    options: LearnOptions,
) -> FoundDag:
    """Return the best DAG that was found, and what the data speak clearly for beyond its class."""
    dag, names = np.asarray(outcome.adjacency, dtype=np.uint8), statistics.names
    if score.is_equivalent:
        return FoundDag(dag, CPDAG.from_dag(dag, names), outcome.score)
    by_experiment = _experiments(dag, statistics)
    least = score.least_margin(statistics)
    left = seconds_left() if options.time_limit is not None else None
    seconds = _MOST_SECONDS if left is None else min(max(left, _LEAST_SECONDS), _MOST_SECONDS)
    best, margins = _core.open_margins(
        bound,
        dag,
        knowledge=None if known is None else known.engine,
        arcs=[(tail, head) for tail, head, _ in by_experiment],
        least=least,
        time_limit=seconds,
    )
    member = np.asarray(best, dtype=np.uint8)
    strength = _strengths(bound, member, [(tail, head) for tail, head, *_ in margins])
    by_target = (
        Evidence(names[tail], names[head], "intervention", targets=_named(sets, names))
        for tail, head, sets in by_experiment
    )
    by_margin = (
        Evidence(names[tail], names[head], score.directs_by, margin, is_proven=is_proven)
        for tail, head, margin, is_proven in margins
        if margin > least and margin > score.least_share * strength[tail, head]
    )
    evidence = (*by_target, *by_margin)
    return FoundDag(member, CPDAG.from_dag(member, names), bound.of_dag(member), evidence)


def _strengths(
    bound: _core.Score, dag: Matrix, arcs: list[tuple[int, int]]
) -> dict[tuple[int, int], float]:
    """Return what removing each of some arcs loses."""
    gains = _core.removed_arcs(bound, dag, arcs)
    return {arc: -gain for arc, gain in zip(arcs, gains, strict=True)}


def _experiments(dag: Matrix, statistics: Any) -> list[Any]:
    targets = getattr(statistics, "targets", ())
    if not targets:
        return []
    from greedag.graph.interventional import interventional_arcs

    return interventional_arcs(dag, targets)


def _named(
    sets: tuple[tuple[int, ...], ...], names: tuple[str, ...]
) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(names[i] for i in targets) for targets in sets)
