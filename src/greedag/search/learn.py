"""From a table to a class: the function `learn`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from greedag import _core
from greedag._options import (
    check_few_columns,
    check_search,
    checked_clique_cap,
    checked_effort,
    checked_n_jobs,
    checked_seed,
    checked_time_limit,
)
from greedag._progress import Progress, ProgressCallback, progress_callback
from greedag.data.kinds import Kinds
from greedag.errors import OptionError, SearchInterrupted
from greedag.io.atomic import FilePath
from greedag.result.result import Result, Settings
from greedag.scores.base import LocalScore, Objective, Option, Statistics
from greedag.scores.select import checked_score, counted
from greedag.search.build_result import result_of
from greedag.search.partial_fit import continued, with_earlier
from greedag.statistics.levels import Levels

if TYPE_CHECKING:
    from greedag.search.checkpoint import Checkpoint


def learn(
    data: Any,
    *,
    search: str = "xges",
    score: str | Objective | LocalScore = "auto",
    alpha: float | None = None,
    kinds: Kinds | None = None,
    missing: str = "error",
    sample_weight: ArrayLike | None = None,
    effort: float | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    clique_cap: int | None = None,
    n_jobs: int | None = None,
    progress: bool | ProgressCallback | None = None,
    checkpoint: FilePath | None = None,
) -> Result:
    """Learn the equivalence class that scores best on a table.

    Parameters
    ----------
    data : table, array_like of shape (n, d), Moments, Levels or MixedTable
        pandas, polars, Arrow, DuckDB or Dask table, NumPy array, or moments, levels or rows read
        elsewhere.
    search : str
        ``"xges"``, ``"xges0"``, ``"ges"``, ``"ges-r"``, ``"ops"`` or ``"fges"``; ``"exact"`` is
        :func:`exact`.
    score : str or score
        What to maximise: ``"gaussian-bic"``, ``"extended-bic"``, ``"bge"``, ``"discrete-bic"``,
        ``"bdeu"``, ``"degenerate-gaussian"``, ``"conditional-gaussian"``, or an object of
        :mod:`greedag.scores` with options of its own. ``"auto"`` takes the Gaussian BIC if every
        column is continuous, BDeu if every one is discrete, else the degenerate Gaussian, as for
        every MixedTable. A discrete score takes every column as discrete. An object with a method
        ``local_score(y, parents)`` is a score of your own, which needs only the names of the
        data's columns: see :mod:`greedag.scores.custom`.
    alpha : float, optional
        Weight of the BIC penalty; larger gives fewer edges. Left out, it is 2 for the Gaussian
        BIC and the degenerate Gaussian, and 1 for the others.
    kinds : mapping of str to str, or str, optional
        ``"continuous"`` or ``"discrete"`` by name of the column, or one word for all. Columns left
        out are judged by their type: numbers are continuous; categories, text and truth values
        discrete.
    missing : str
        What to do about missing values. ``"error"`` names the columns. ``"drop"`` leaves out rows
        with any, and notes how many. ``"em"``, for continuous columns, estimates the moments of a
        normal table from the values that are there, which is right if values are missing at
        random; the score then counts as many rows as, on average, have both of two columns.
        ``"test-wise"``, for discrete columns, counts each gain on the rows that have all of its
        columns: see :class:`greedag.scores.BDeu`.
    sample_weight : array_like of shape (n,), optional
        How many rows each row stands for: 2 is the same as the row twice, 0 as the row left out.
        ``n`` becomes their sum.
    effort : float, optional
        How much work to spend on refining the class that the search finds, as a multiple of the
        search's own. A refinement kicks the class, climbs through orders of the columns, and keeps
        what scores higher. With at most 12 columns and a score of moments (Gaussian BIC, extended
        BIC, BGe, degenerate Gaussian), the best class of all is computed instead; not so for
        scores that look at rows. 0 is the search alone, infinity goes on until the `time_limit`.
        Left out, it is 1 for ``"xges"`` and 0 for other searches.
    seed : int, default 0
        Of the refinement's kicks. The same data, options and seed give the same class.
    time_limit : float, optional
        Seconds after which the search stops with the best class so far. Reading the data comes
        on top.
    clique_cap : int, optional
        How many cliques around one column are enumerated before a smaller family of them is
        taken instead; 0 for no limit, on these and on the deletes that XGES tries. The default
        is not met on sparse graphs.
    n_jobs : int, optional
        Threads; -1 for one a core. None is 1. Unless the search is stopped, the outcome does not
        depend on it.
    progress : bool or callable, optional
        True shows a line on stderr. A function is called with a :class:`Progress` at most ten
        times a second, on the calling thread, and once at the end. What it raises ends the search
        and is raised here; a KeyboardInterrupt does what Ctrl-C does. The outcome does not depend
        on it.
    checkpoint : path-like, optional
        File that keeps where a refinement stands, written about once a second and at the end. If it
        exists, the search goes on from there, with the effort that is asked for now, and ends as
        one that was never interrupted. It must be of the same data, score, search and seed. Nothing
        is written where the best class is computed (see `effort`), nor for a score of your own,
        which is refused.

    Returns
    -------
    Result

    Raises
    ------
    OptionError
        If an option is out of range.
    DataError
        If the data cannot be used: missing values, constant or collinear columns, …
    SearchInterrupted
        On Ctrl-C; its ``result`` holds the best class so far. Python tells the main thread only:
        give searches in other threads a `time_limit`.

    Examples
    --------
    >>> from greedag import simulate
    >>> learn(simulate.linear_gaussian(5, 1.0, 1000, seed=0).data).cpdag.d
    5
    """
    with progress_callback(progress) as tell:
        result, _ = run(
            data,
            search=search,
            score=score,
            alpha=alpha,
            kinds=kinds,
            missing=missing,
            sample_weight=sample_weight,
            effort=effort,
            seed=seed,
            time_limit=time_limit,
            clique_cap=clique_cap,
            n_jobs=n_jobs,
            tell=tell,
            checkpoint=checkpoint,
        )
    return result


def run(
    data: Any,
    *,
    search: str,
    score: str | Objective | LocalScore,
    alpha: float | None,
    kinds: Kinds | None,
    missing: str,
    sample_weight: ArrayLike | None,
    effort: float | None,
    seed: int,
    time_limit: float | None,
    clique_cap: int | None,
    n_jobs: int | None,
    tell: ProgressCallback | None,
    checkpoint: FilePath | None = None,
    earlier: Result | None = None,
) -> tuple[Result, bool]:
    """Return the result, and whether its names are a table's own.

    With a result of earlier rows, the data are further rows, and the search starts from its class.
    """
    check_search(search)
    asked = checked_score(score, alpha)
    time_limit = checked_time_limit(time_limit)
    effort = checked_effort(effort, search, time_limit)
    seed = checked_seed(seed)
    cap = checked_clique_cap(clique_cap)
    jobs = checked_n_jobs(n_jobs)
    started = time.perf_counter()
    objective, counts = counted(
        data,
        asked,
        alpha,
        kinds,
        missing=missing,
        weights=sample_weight,
        is_batch=earlier is not None,
    )
    counts = counts if earlier is None else with_earlier(earlier, counts)
    statistics = counts.statistics
    holes = isinstance(statistics, Levels) and bool(statistics.missing)
    check_few_columns(search, statistics.names, objective.name, holes=holes)
    engine = objective.engine(statistics)
    settings: dict[str, Option] = {"effort": effort, "seed": seed}
    settings |= {"time_limit": time_limit, "clique_cap": cap}
    keeper = _keeper(checkpoint, search, objective, settings, statistics)
    seconds = time.perf_counter() - started
    outcome = _core.search(
        engine,
        search,
        time_limit=time_limit,
        clique_cap=cap,
        trial_cap=_core.DEFAULT_TRIAL_CAP if cap else 0,
        jobs=jobs,
        progress=None if tell is None else lambda *standing: tell(Progress(*standing)),
        start=None if earlier is None else earlier.cpdag.to_matrix(),
        effort=effort,
        seed=seed,
        resume=None if keeper is None else keeper.load(effort),
        checkpoint=None if keeper is None else keeper.save,
    )
    if keeper is not None and outcome.refinement is not None:
        keeper.save(outcome.refinement)
    result = result_of(
        outcome,
        search=search,
        settings=settings,
        seconds=seconds,
        statistics=statistics,
        objective=objective,
        notes=counts.notes,
    )
    if earlier is not None and not outcome.has_leapt:
        result = continued(earlier, result)
    _tell_end(result, tell)
    return result, counts.named


def _keeper(
    path: FilePath | None,
    search: str,
    objective: Objective,
    settings: Settings,
    statistics: Statistics,
) -> Checkpoint | None:
    if path is None:
        return None
    from greedag.search.checkpoint import Checkpoint
    from greedag.statistics.fingerprint import fingerprint_of

    if settings["effort"] == 0.0:
        raise OptionError(
            "a checkpoint keeps where a refinement stands, and effort 0 has none; give an effort "
            "above 0, or leave the checkpoint out"
        )
    fingerprint = fingerprint_of(statistics)
    if fingerprint is None:
        raise OptionError(
            "a score of your own cannot be checkpointed, because its data are not known again; "
            "leave the checkpoint out, or choose a score of greedag.scores"
        )
    same = {name: settings[name] for name in ("seed", "clique_cap")}
    return Checkpoint(
        path,
        {"search": search, "score": objective.name, **objective.options(), **same},
        fingerprint,
    )


def _tell_end(result: Result, tell: ProgressCallback | None) -> None:
    if result.stopped == "interrupt":
        raise SearchInterrupted("interrupted; .result holds the best class so far", result)
    if tell is None:
        return
    try:
        tell(_standing(result))
    except KeyboardInterrupt as interrupt:
        raise SearchInterrupted("interrupted; .result holds the class found", result) from interrupt


def _standing(result: Result) -> Progress:
    edges = len(result.cpdag.directed) + len(result.cpdag.undirected)
    trials = result.counts["trials"]
    return Progress(result.timings["search"], result.score, edges, len(result.trace), trials)
