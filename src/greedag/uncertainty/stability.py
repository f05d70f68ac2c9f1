"""How stable the edges of a graph are: the searches of many halves of the rows, compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from greedag._options import (
    AS_IT_IS,
    DATA_OPTIONS,
    EXACT,
    DataOptions,
    LearnOptions,
    SearchName,
    checked_whole,
    fields_by_name,
)
from greedag._progress import DrawsDone, check_time, progress_callback, time_limited
from greedag.data.kinds import Kinds
from greedag.data.rows import MissingName
from greedag.errors import DataError, Note, SearchInterrupted, TimeLimitError, argument
from greedag.graph.knowledge import Knowledge, coerced
from greedag.scores.base import LocalScore, Prepared, Score
from greedag.scores.penalty import AlphaName
from greedag.scores.select import ScoreName
from greedag.search.build_result import settings_of
from greedag.search.checkpoint import recognised_by
from greedag.uncertainty.draws import Kind, draws_of, prepared_for_draws
from greedag.uncertainty.run_draws import DrawsFile, Learned, Work, learn_draws
from greedag.uncertainty.shares import Stability

if TYPE_CHECKING:
    from greedag.data.transforms import Transform
    from greedag.graph.knowledge import KnowledgeLike
    from greedag.io.atomic import FilePath
    from greedag.result.result import Result

_CORRECTED = (
    "{} favour edges: the penalty is half a point higher for each parameter, which makes up for "
    "part of that"
)
_FAVOURING = {
    "bootstrap": "draws with replacement",
    "parametric": "tables drawn from the moments of another",
}


def stability(
    data: Any,
    *,
    draws: int = 100,
    kind: Kind = "halves",
    seed: int = 0,
    search: SearchName = "xges",
    score: ScoreName | Score | LocalScore = "auto",
    alpha: float | AlphaName | None = None,
    kinds: Kinds | None = None,
    missing: MissingName = "error",
    sample_weight: ArrayLike | str | None = None,
    drop: Sequence[str] | str | None = None,
    transform: Transform | None = None,
    na: Sequence[str | float] | str | float | None = None,
    interventions: str | None = None,
    knowledge: KnowledgeLike | None = None,
    effort: float | None = None,
    clique_cap: int | None = None,
    n_jobs: int | None = None,
    client: Any = None,
    time_limit: float | None = None,
    progress: bool | Callable[[DrawsDone], object] | None = None,
    checkpoint: FilePath | None = None,
) -> Stability:
    """Learn from many draws of the rows, and report how often each edge is found.

    The share of draws that find an edge tells how much it depends on which rows happen to be in the
    table. It is no probability that the edge is true: a confounder that was not measured makes
    false edges that every draw finds.

    Parameters
    ----------
    data : table, array_like of shape (n, d), path-like, Levels or MixedTable
        As in :func:`learn`. Rows are read twice at most, however many draws there are, where the
        score needs moments only. Moments have no rows: see `kind`.
    draws : int, default 100
        Number of draws.
    kind : str
        ``"halves"``: pairs of halves of the rows that have none in common (Shah & Samworth 2013).
        Each half is penalised as all rows are. ``"bootstrap"``: as many rows as there are, with
        replacement. It invents edges, because a draw repeats the chance that is in the table; a
        higher penalty makes up for part of that. ``"parametric"``: normal tables drawn from the
        moments, where there are no rows; with the same penalty.
    seed : int, default 0
        Random seed of the draws and of the searches.
    search, score, alpha, kinds, missing, sample_weight, drop, transform, na : optional
        As in :func:`learn`. Rows are transformed before they are drawn. A weighted row is drawn as
        a whole; of discrete rows with a weight of 3, three are drawn one by one.
    interventions, knowledge, effort, clique_cap : optional
        As in :func:`learn`. The rows of each experiment are drawn apart from the others.
    n_jobs : int, optional
        Threads; -1 for one per core. Each takes whole draws.
    client : dask.distributed.Client, optional
        Cluster whose workers take the draws. The outcome is the same.
    time_limit : float, optional
        Seconds, after which the draws that are done are returned.
    progress : bool or callable, optional
        True shows a line on stderr. A function is called with a :class:`DrawsDone` after each draw.
    checkpoint : path-like, optional
        File that stores the draws that are done, written about once a second and at the end. If it
        exists, they are not repeated; more draws may be asked for than before.

    Returns
    -------
    Stability

    Raises
    ------
    OptionError
        If an option is out of range.
    DataError
        If the data cannot be used, have no rows, or no draw could be learned from.
    TimeLimitError
        If the `time_limit` passes before the first draw is done.
    SearchInterrupted
        On Ctrl-C; its ``result`` holds the `Stability` of the draws that are done.

    Examples
    --------
    >>> from greedag import simulate
    >>> table = simulate.linear_gaussian(5, 1.0, 1000, seed=0).data
    >>> found = stability(table, draws=20)
    >>> found.adjacent.shape
    (5, 5)
    """
    table = DataOptions(kinds, missing, sample_weight, drop, transform, na, interventions)
    options = LearnOptions(
        search=search,
        score=score,
        alpha=alpha,
        table=table,
        knowledge=knowledge,
        effort=effort,
        seed=seed,
        time_limit=time_limit,
        clique_cap=clique_cap,
        n_jobs=n_jobs,
        progress=progress,
        checkpoint=checkpoint,
    )
    count = checked_whole("draws", draws, least=2)
    with time_limited(options.time_limit), progress_callback(progress) as report:  # type: ignore[arg-type]
        return _stability(data, count, kind, options, client, report)


def _stability(
    data: Any, count: int, kind: Kind, options: LearnOptions, client: Any, report: Any
) -> Stability:
    score, prepared = prepared_for_draws(data, options)
    knowledge = None if options.knowledge is None else coerced(options.knowledge) or None
    # Refuses what cannot be used before any draw is learned from.
    score.bind(prepared.statistics)
    drawn = draws_of(prepared, kind, options.seed)
    names, n = prepared.statistics.names, prepared.statistics.n
    each = replace(
        options, table=AS_IT_IS, n_jobs=1, progress=None, checkpoint=None, knowledge=None
    )
    work = Work(drawn, score, each, knowledge, n)
    file = None
    if options.checkpoint is not None:
        settings, fingerprint = recognised_by(options, score, prepared.statistics, knowledge)
        settings |= {"kind": kind, "effort": options.effort}
        file = DrawsFile(options.checkpoint, settings, fingerprint)
    learned = learn_draws(
        work, count, n_jobs=options.n_jobs, client=client, report=report, file=file, d=len(names)
    )
    if not learned.graphs:
        _raise_nothing(learned, options)
    found = _assembled(learned, count, kind, options, score, prepared, knowledge)
    if learned.stopped == "interrupt":
        raise SearchInterrupted("interrupted; .result holds the draws that are done", found)
    return found


def _raise_nothing(learned: Learned, options: LearnOptions) -> None:
    if learned.failed:
        why = next(iter(learned.failed.values()))
        raise DataError(f"no draw could be learned from: {why}", code="no-draws")
    if learned.stopped == "interrupt":
        raise KeyboardInterrupt
    check_time("learning from the first draw")
    raise TimeLimitError(
        f"the time limit of {options.time_limit:g} s ran out while learning from the first draw",
        remedy=("allow more time with ", argument("time_limit")),
        code="time-limit",
    )


def _assembled(
    learned: Learned,
    count: int,
    kind: Kind,
    options: LearnOptions,
    score: Score,
    prepared: Prepared,
    knowledge: Knowledge | None,
) -> Stability:
    return Stability(
        names=prepared.statistics.names,
        n=prepared.statistics.n,
        kind=kind,
        search=options.search,
        settings=settings_of(options, score, prepared),
        notes=(*prepared.notes, *_notes(learned, count, kind)),
        stopped=learned.stopped,
        places=tuple(learned.graphs),
        packed=np.array([*learned.graphs.values()], dtype=np.uint8),
        knowledge=knowledge,
        statistics=prepared.statistics,
        objective=score,
    )


def _notes(learned: Learned, count: int, kind: Kind) -> list[Note]:
    notes = []
    if kind in _FAVOURING:
        notes.append(Note(_CORRECTED.format(_FAVOURING[kind]), code="corrected-penalty"))
    if learned.stopped:
        by = "the time limit" if learned.stopped == "time limit" else "an interrupt"
        notes.append(
            Note(
                f"stopped by {by} after {learned.done} of {count} draws",
                code="time-limit" if learned.stopped == "time limit" else "interrupt",
                counts={"draws": learned.done},
            )
        )
    if learned.failed:
        why = next(iter(learned.failed.values()))
        notes.append(
            Note(
                f"{len(learned.failed)} of {learned.done} draws could not be learned from, and do "
                f"not count; the first because {why}",
                code="failed-draws",
                counts={"draws": len(learned.failed)},
            )
        )
    return notes


def of_result(result: Result, data: Any, **options: Any) -> Stability:
    """Return how stable the edges of a result are; see :meth:`Result.stability`."""
    from greedag.result.serialization import as_recorded

    if result.objective is None:
        raise DataError(
            "the score of this result is not known, and cannot be used on draws",
            remedy="call greedag.stability with the score",
            code="no-score",
        )
    # Where rows come from experiments, the score of each column.
    score: Any = getattr(result.objective, "by_column", None) or result.objective
    said = {name: options.pop(name) for name in DATA_OPTIONS if name in options}
    data, about = as_recorded(result, data, DataOptions(**{"missing": None, **said}))
    settings = {name: result.settings.get(name) for name in ("effort", "seed", "clique_cap")}
    if result.search == EXACT:
        settings["effort"] = None
    known = {"search": result.search, "score": score, "knowledge": result.knowledge, **settings}
    return stability(data, **{**known, **fields_by_name(about), **options})
