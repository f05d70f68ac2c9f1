"""From what the engine hands back to a result."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from greedag import _core
from greedag.errors import counted_rows, listed
from greedag.graph.cpdag import CPDAG
from greedag.result.result import Operator, Result, Settings, as_notes, distance
from greedag.scores.base import Objective, Statistics

_REFUSING = ("gaussian-bic", "extended-bic", "degenerate-gaussian")


def result_of(
    outcome: _core.SearchOutcome,
    *,
    search: str,
    settings: Settings,
    seconds: float,
    statistics: Statistics,
    objective: Objective,
    notes: tuple[str, ...] = (),
) -> Result:
    """Turn what the engine hands back into a `Result`."""
    names, n = statistics.names, statistics.n
    told = {"score": objective.name, **objective.options(), **settings}
    refined = outcome.refinement
    result = Result(
        cpdag=CPDAG(names, np.asarray(outcome.adjacency, dtype=np.uint8).tobytes()),
        score=outcome.score,
        search=search,
        settings=told,
        n=n,
        trace=tuple(Operator(*applied) for applied in outcome.trace),
        timings={"moments": seconds, "search": outcome.seconds},
        counts={
            "score_evaluations": outcome.score_evaluations,
            "sweeps": outcome.sweeps,
            "trials": outcome.trials,
            "accepted_trials": outcome.accepted_trials,
            "rounds": 0 if refined is None else refined.round,
            "kept_rounds": 0 if refined is None else refined.kept,
        },
        notes=as_notes(
            *notes,
            *_notes(outcome, names, n, told),
            *_exact_notes(outcome, search, objective),
        ),
        stopped=outcome.stopped,
        statistics=statistics,
        objective=objective,
    )
    if math.isfinite(outcome.bound):
        object.__setattr__(result, "_gap", distance(outcome.bound, outcome.score))
    return result


def _exact_notes(outcome: _core.SearchOutcome, search: str, objective: Objective) -> Iterator[str]:
    if search == "exact" and outcome.stopped:
        yield "this class is that of XGES-0: other graphs may score higher"
    elif math.isfinite(outcome.bound) and distance(outcome.bound, outcome.score) > 0.0:
        is_own = objective.name == "custom"
        why = "; test it with greedag.check_score" if is_own else " where values are missing"
        yield (
            f"some DAG scores {outcome.bound - outcome.score:.6g} more than this class: the score "
            f"is not the same for all DAGs of a class{why}"
        )


def _notes(
    outcome: _core.SearchOutcome, names: tuple[str, ...], n: float, settings: Settings
) -> Iterator[str]:
    if outcome.stopped == "time limit":
        yield f"stopped by the time limit of {settings['time_limit']:g} s: best class so far"
    if outcome.stopped == "interrupt":
        yield "interrupted: best class so far"
    if outcome.has_leapt:
        yield "found by refining what the search ended with: the trace builds it edge by edge"
    if outcome.capped_targets:
        around = listed([names[y] for y in outcome.capped_targets])
        yield (
            f"the clique cap of {settings['clique_cap']} was met around {around}: "
            "not every set T or C was looked at there"
        )
    if outcome.capped_trials:
        yield (
            f"for {outcome.capped_trials} ordered pairs of columns only the best delete was tried"
        )
    if n <= len(names) and settings["score"] in _REFUSING:
        yield (
            f"{counted_rows(n)} rows for {len(names)} columns: "
            "parent sets that would fit exactly are refused"
        )
    is_own = settings.get("score") == "custom"
    if outcome.circles and is_own:
        yield (
            f"the search was led in circles, which were cut {outcome.circles} times: the score may "
            "not be the same for all DAGs of a class; test it with greedag.check_score"
        )
    elif outcome.circles:
        yield (
            "some columns are so nearly collinear that rounding led the search in circles, which "
            f"were cut {outcome.circles} times; drop one of such columns"
        )
    if outcome.refused_singular:
        cause = "some parents score -inf" if is_own else "a column would be fitted exactly"
        yield f"{outcome.refused_singular} operators were refused because {cause}"
