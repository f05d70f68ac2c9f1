"""From what the engine returns to a result, and what is logged of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from greedag import _core
from greedag._options import EXACT, ORDERS, LearnOptions
from greedag._progress import LOGGER, Progress
from greedag.errors import DataError, Note, TimeLimitError, argument, counted_rows, listed
from greedag.graph.cpdag import CPDAG
from greedag.result.result import Operator, ReadOnlyDict, Result, distance
from greedag.scores.base import Prepared, Score, Statistics
from greedag.statistics.moments import Moments

if TYPE_CHECKING:
    from greedag.graph.bound_knowledge import BoundKnowledge
    from greedag.search.orders import FoundDag


def build_result(
    outcome: _core.SearchOutcome,
    options: LearnOptions,
    score: Score,
    prepared: Prepared,
    seconds: float,
    known: BoundKnowledge | None,
    found: FoundDag | None = None,
) -> Result:
    """Turn what the engine returns into a `Result`; `seconds` went into preparing the data.

    After a search among DAGs, `found` is the best one.
    """
    statistics = prepared.statistics
    refined = outcome.refinement
    cells = np.asarray(outcome.adjacency, dtype=np.uint8)
    result = Result(
        cpdag=CPDAG(statistics.names, cells.tobytes()) if found is None else found.cpdag,
        score=outcome.score if found is None else found.score,
        search=options.search,
        settings=settings_of(options, score, prepared),
        n=statistics.n,
        trace=tuple(Operator(*applied) for applied in outcome.trace),
        timings=ReadOnlyDict(moments=seconds, search=outcome.seconds),
        counts=ReadOnlyDict(
            score_evaluations=outcome.score_evaluations,
            sweeps=outcome.sweeps,
            trials=outcome.trials,
            accepted_trials=outcome.accepted_trials,
            rounds=0 if refined is None else refined.round,
            kept_rounds=0 if refined is None else refined.kept,
        ),
        notes=(
            *prepared.notes,
            *_notes(outcome, options, score, prepared),
            *_notes_on_knowledge(known),
        ),
        stopped=outcome.stopped,
        statistics=statistics,
        held_out=prepared.held_out,
        objective=score,
        files=prepared.files,
        knowledge=None if known is None else known.knowledge,
        evidence=() if found is None else found.evidence,
        _dag=None if found is None else found.dag.tobytes(),
    )
    if math.isfinite(outcome.bound):
        object.__setattr__(result, "_gap", _rise(outcome))
    return result


def raise_unscored(outcome: _core.SearchOutcome, known: BoundKnowledge | None) -> NoReturn:
    """Raise the reason why a search has no class to return."""
    if known is not None and not math.isnan(outcome.score):
        raise DataError(
            "the required arcs cannot be scored: some column would be fitted exactly",
            remedy="require fewer arcs, or drop columns that are nearly the same",
            code="required-fit",
        )
    if outcome.stopped == "interrupt":
        raise KeyboardInterrupt
    raise TimeLimitError(
        "the time limit ran out while scoring the graph that the search starts from",
        remedy=("allow more time with ", argument("time_limit")),
        code="time-limit",
    )


def settings_of(options: LearnOptions, score: Score, prepared: Prepared) -> ReadOnlyDict[Any]:
    """Return the options that a search runs with, as results list them."""
    said = prepared.settings.items()
    about_data = {name: ReadOnlyDict(v) if isinstance(v, dict) else v for name, v in said}
    return ReadOnlyDict(score=score.name, **score.options(), **options.settings(), **about_data)


def _rise(outcome: _core.SearchOutcome) -> float:
    """Return how far the best DAG scores above the class, 0 where that is rounding."""
    return distance(outcome.bound, outcome.score) if outcome.bound > outcome.score else 0.0


def _notes(
    outcome: _core.SearchOutcome, options: LearnOptions, score: Score, prepared: Prepared
) -> Iterator[Note]:
    names = prepared.statistics.names
    if options.search == ORDERS and not score.is_equivalent:
        yield Note(
            "searched among DAGs, because the score tells the members of a class apart",
            code="orders",
        )
    yield from _notes_on_the_end(outcome, options)
    yield from _notes_on_caps(outcome, options, names)
    if score.refuses_exact_fits:
        yield from _notes_on_few_rows(prepared.statistics)
    yield from _notes_on_the_score(outcome, is_own=score.name == "custom")
    yield from _notes_on_the_optimum(outcome, options, score)


def _notes_on_knowledge(known: BoundKnowledge | None) -> Iterator[Note]:
    if known is not None:
        said = len(known.knowledge.statements)
        what = "1 statement" if said == 1 else f"{said} statements"
        yield Note(
            f"{what} about what is known {'was' if said == 1 else 'were'} respected",
            code="knowledge",
            counts={"statements": said},
        )


def _notes_on_few_rows(statistics: Statistics) -> Iterator[Note]:
    n, d = statistics.n, len(statistics.names)
    rank = statistics.rank if isinstance(statistics, Moments) else None
    if n > d and rank is None:
        return
    distinct = n if rank is None else rank + 1
    rows = f"{distinct} distinct" if distinct < n else counted_rows(n)
    yield Note(
        f"{rows} rows for {d} columns: parent sets that would fit exactly are excluded",
        code="few-rows",
    )


def _notes_on_the_end(outcome: _core.SearchOutcome, options: LearnOptions) -> Iterator[Note]:
    if outcome.stopped == "time limit":
        yield Note(
            f"stopped by the time limit of {options.time_limit:g} s; this is the best class "
            "found so far",
            code="time-limit",
        )
    if outcome.stopped == "interrupt":
        yield Note("interrupted; this is the best class found so far", code="interrupt")
    if outcome.has_jumped:
        yield Note(
            "a refinement step improved the result; the trace lists an equivalent edge-by-edge "
            "construction",
            code="refined",
        )


def _notes_on_caps(
    outcome: _core.SearchOutcome, options: LearnOptions, names: tuple[str, ...]
) -> Iterator[Note]:
    if outcome.capped_targets:
        around = [names[y] for y in outcome.capped_targets]
        yield Note(
            f"the clique cap of {options.clique_cap} was reached at {listed(around)}: "
            "not every set T or C was examined there",
            code="clique-cap",
            columns=around,
        )
    refined = outcome.refinement if options.search == "xges" else None
    if refined is not None and refined.is_dense and outcome.trials == 0:
        yield Note(
            "the table is dense: after XGES-0 the search went through orders of the columns, and "
            "no deletes were tried",
            code="dense",
        )
    if outcome.capped_trials:
        yield Note(
            f"for {outcome.capped_trials} ordered pairs of columns only the best delete was tried",
            code="trial-cap",
            counts={"pairs": outcome.capped_trials},
        )


def _notes_on_the_score(outcome: _core.SearchOutcome, *, is_own: bool) -> Iterator[Note]:
    cycles, refused = outcome.cycles, outcome.refused_singular
    if cycles and is_own:
        yield Note(
            f"the search went in cycles, {cycles} of which were broken: the score may "
            "differ between DAGs of a class; test it with greedag.check_score, and if it does, set "
            "is_equivalent = False on it",
            code="cycles",
            counts={"cycles": cycles},
        )
    elif cycles:
        yield Note(
            "some columns are so nearly collinear that rounding made the search go in cycles, "
            f"{cycles} of which were broken; drop one of these columns",
            code="cycles",
            counts={"cycles": cycles},
        )
    if refused:
        cause = "some parents score -inf" if is_own else "a column would be fitted exactly"
        yield Note(
            f"{refused} operators were refused because {cause}",
            code="refused",
            counts={"operators": refused},
        )


def _notes_on_the_optimum(
    outcome: _core.SearchOutcome, options: LearnOptions, score: Score
) -> Iterator[Note]:
    if options.search == EXACT and outcome.stopped:
        by = "XGES-0" if score.is_equivalent else "a search through orders"
        yield Note(
            f"this is the class found by {by}; other graphs may score higher", code="not-proven"
        )
    elif math.isfinite(outcome.bound) and _rise(outcome) > 0.0:
        is_own = score.name == "custom"
        own = "; to search among DAGs, set is_equivalent = False on it, or pass search='orders'"
        why = own if is_own else " where values are missing"
        yield Note(
            f"some DAG scores {outcome.bound - outcome.score:.6g} more than this class: the score "
            f"is not the same for all DAGs of a class{why}",
            code="unequal-members",
        )


def last_progress(result: Result) -> Progress:
    """Return what a search reports at its end."""
    edges = len(result.cpdag.directed) + len(result.cpdag.undirected)
    trials = result.counts["trials"]
    return Progress(result.timings["search"], result.score, edges, len(result.trace), trials)


def log_data(statistics: Any, seconds: float) -> None:
    """Log how much was read, and in how many seconds."""
    rows, columns = statistics.n, len(statistics.names)
    LOGGER.info("read %.10g rows of %d columns in %.3f s", rows, columns, seconds)


def log_result(result: Result) -> None:
    """Log how a search ended."""
    LOGGER.debug("settings %s", dict(result.settings))
    LOGGER.debug("counts %s", dict(result.counts))
    rounds, kept = result.counts["rounds"], result.counts["kept_rounds"]
    if rounds:
        LOGGER.info("refined in %d rounds, %d of which improved the score", rounds, kept)
    state = f"stopped by {result.stopped}" if result.stopped else "completed"
    seconds, (_, _, found) = result.timings["search"], str(last_progress(result)).partition(": ")
    LOGGER.info("%s %s in %.3f s: %s", result.search, state, seconds, found)
    for note in result.notes:
        LOGGER.info("note: %s", note)
