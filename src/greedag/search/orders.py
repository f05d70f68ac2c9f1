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
_MUCH = 0.02

_Margin = tuple[int, int, float, bool]


@dataclass(frozen=True, slots=True, eq=False)
class FoundDag:
    """The best DAG, the class that it belongs to, and what directs edges beyond that class."""

    dag: Matrix
    cpdag: CPDAG
    score: float
    evidence: tuple[Evidence, ...] = ()


def among_dags(options: LearnOptions) -> tuple[LearnOptions, str]:
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
        "search must be 'orders' or 'exact', or left out: members of a class score differently "
        f"here, and {options.search} goes from class to class; got {quoted(options.search)}"
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

    Raises
    ------
    KeyboardInterrupt
        If it is interrupted before the search itself begins.
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
        effort=0.0 if search == "xges0" else min(options.effort, 1.0),
        seed=options.seed,
        time_limit=None if options.time_limit is None else seconds_left(),
        jobs=options.n_jobs,
        knowledge=None if known is None else known.engine,
    )
    if outcome.stopped == "interrupt":
        raise KeyboardInterrupt
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
    dag = np.asarray(outcome.adjacency, dtype=np.uint8)
    if score.is_equivalent:
        return FoundDag(dag, CPDAG.from_dag(dag, statistics.names), outcome.score)
    seconds = _seconds_for_margins(outcome, options)
    return best_member(dag, score, bound, statistics, known, seconds)


def best_member(
    dag: Matrix,
    score: Score,
    bound: _core.Score,
    statistics: Any,
    known: BoundKnowledge | None,
    seconds: float = _MOST_SECONDS,
) -> FoundDag:
    """Return the best DAG of a DAG's class, and what the data speak clearly for beyond the class.

    For scores that tell the members of a class apart. After so many seconds, fewer directions are
    known.
    """
    names = statistics.names
    by_target = _by_target(dag, statistics)
    places = {name: place for place, name in enumerate(names)}
    least = score.least_margin(statistics)
    best, margins = _core.open_margins(
        bound,
        dag,
        knowledge=None if known is None else known.engine,
        arcs=[(places[found.tail], places[found.head]) for found in by_target],
        least=least,
        time_limit=seconds,
    )
    member = np.asarray(best, dtype=np.uint8)
    told = [found for found in margins if found[2] > least]
    if score.least_share > 0.0:
        told = _strongly_told(told, score.least_share, bound, member)
    by_margin = (
        Evidence(names[tail], names[head], score.directs_by, _known(margin), is_proven=is_proven)
        for tail, head, margin, is_proven in told
    )
    evidence = (*by_target, *by_margin)
    return FoundDag(member, CPDAG.from_dag(member, names), bound.of_dag(member), evidence)


def _seconds_for_margins(outcome: _core.SearchOutcome, options: LearnOptions) -> float:
    """Return how long the margins may take: nothing more is looked at after an interrupt."""
    if outcome.stopped == "interrupt":
        return 0.0
    left = None if options.time_limit is None else seconds_left()
    return _MOST_SECONDS if left is None else min(max(left, _LEAST_SECONDS), _MOST_SECONDS)


def _strongly_told(
    margins: list[_Margin], share: float, bound: _core.Score, dag: Matrix
) -> list[_Margin]:
    """Return those margins that are more than a share of what removing their arc loses."""
    losses = _core.removed_arcs(bound, dag, [(tail, head) for tail, head, *_ in margins])
    return [found for found, gain in zip(margins, losses, strict=True) if found[2] > -share * gain]


def _known(margin: float) -> float | None:
    """Return a margin; None if no DAG with the edge the other way can be scored."""
    return margin if math.isfinite(margin) else None


def _by_target(dag: Matrix, statistics: Any) -> tuple[Evidence, ...]:
    """Return what experiments direct, if the data are of any."""
    targets = getattr(statistics, "targets", ())
    if not targets:
        return ()
    from greedag.graph.interventional import interventional_evidence

    return interventional_evidence(dag, targets, statistics.names)
