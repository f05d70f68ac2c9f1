"""From a table to a class: the functions `learn` and `exact`."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from greedag import _core
from greedag._options import EXACT, ORDERS, DataOptions, LearnOptions, SearchName
from greedag._progress import (
    LOGGER,
    Progress,
    ProgressCallback,
    check_time,
    logged_progress,
    progress_callback,
    seconds_left,
    time_limited,
)
from greedag.data.kinds import Kinds
from greedag.data.rows import MissingName
from greedag.errors import DataError, SearchInterrupted
from greedag.graph.mpdag import Matrix
from greedag.result.result import Result
from greedag.scores.base import LocalScore, Prepared, Score
from greedag.scores.penalty import ALONG_PATH, AlphaName
from greedag.scores.select import ScoreName, checked_score, prepare, with_alpha
from greedag.search.build_result import (
    build_result,
    last_progress,
    log_data,
    log_result,
    raise_unscored,
)

if TYPE_CHECKING:
    from greedag.data.transforms import Transform
    from greedag.graph.bound_knowledge import BoundKnowledge
    from greedag.graph.knowledge import KnowledgeLike
    from greedag.io.atomic import FilePath
    from greedag.search.checkpoint import Checkpoint


def learn(
    data: Any,
    *,
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
    seed: int = 0,
    time_limit: float | None = None,
    clique_cap: int | None = None,
    hold_out: float | None = None,
    n_jobs: int | None = None,
    progress: bool | ProgressCallback | None = None,
    checkpoint: FilePath | None = None,
) -> Result:
    """Learn the equivalence class that scores best on a table.

    Parameters
    ----------
    data : table, array_like of shape (n, d), path-like, Moments, Levels or MixedTable
        pandas, polars, Arrow, DuckDB or Dask table, NumPy array, mapping of names to columns;
        the name of a file, a pattern or a list of files (CSV, TSV, Parquet, JSON lines, .npy, .npz,
        saved moments); or moments, levels or rows read elsewhere. A list of (table, targets) holds
        the rows of experiments: see `interventions`.
    search : str
        ``"xges"``, ``"xges0"``, ``"ges"``, ``"ges-r"``, ``"ops"`` or ``"fges"``; ``"exact"`` is
        :func:`exact`. Where members of a class score differently, as with the additive score or
        interventions, the search is ``"orders"``, among DAGs, which takes any score.
    score : str or score
        What to maximise: ``"gaussian-bic"``, ``"extended-bic"``, ``"bge"``, ``"discrete-bic"``,
        ``"bdeu"``, ``"degenerate-gaussian"``, ``"conditional-gaussian"``, ``"additive"``, or an
        object of :mod:`greedag.scores` with options of its own. ``"auto"`` takes the Gaussian BIC
        if every column is continuous, BDeu if every one is discrete, else the degenerate Gaussian,
        as for every MixedTable. A discrete score takes every column as discrete. An object with a
        method ``local_score(y, parents)`` is a custom score, which needs only the names of the
        data's columns: see :mod:`greedag.scores.custom`.
    alpha : float or str, optional
        Weight of the BIC penalty; larger gives fewer edges. Left out or ``"auto"``, it is 1 for
        most scores; for the Gaussian BIC, the degenerate Gaussian and the additive BIC it is 2, or
        more where rows are few or columns many, so that chance adds at most one edge per 50 columns
        and four in all: 2.72 for 100 rows of 100 columns. ``"stars"``, ``"cv"`` and ``"ebic"``
        compare searches with many weights, as ``Path.select`` does, which takes as long as some
        tens to hundreds of searches. ``result.settings`` has the number, and a note says how it was
        chosen if it was not 2. A score with options has its own alpha.
    kinds : mapping of str to str, or str, optional
        ``"continuous"`` or ``"discrete"`` by name of the column, or one word for all. Columns left
        out are classified by their type: numbers are continuous; categories, text and booleans
        discrete.
    missing : str
        What to do about missing values. ``"error"`` names the columns. ``"drop"`` leaves out rows
        with any, and notes how many. ``"em"``, for continuous columns, estimates the moments of a
        normal table from the observed values, which is right if values are missing at
        random; the score then counts as many rows as, on average, have both of two columns.
        ``"test-wise"``, for discrete columns, counts each gain on the rows that have all of its
        columns: see :class:`greedag.scores.BDeu`.
    sample_weight : array_like of shape (n,), or str, optional
        How many rows each row stands for: 2 is the same as the row twice, 0 as the row left out.
        ``n`` becomes their sum. A name is that of a column, which is then not learned from.
    drop : sequence of str, or str, optional
        Columns to leave out, by name.
    transform : mapping of str to str, or str, optional
        How to transform continuous columns before learning: ``"log"``, ``"log1p"``, the
        logarithm of 1 + x, or ``"normal-scores"``, the normal quantiles of ranks, by name of the
        column, or one word for all continuous columns. Strengths, coefficients and scores are those
        of the transformed columns. Missing values stay missing. Ranks are those among the rows that
        count, a row of weight w as w rows; they need all rows in memory.
    na : sequence of str or number, optional
        Values that stand for missing ones, such as ``["*", "?", -999]``, in any column. A column of
        text that holds only numbers besides them becomes one of numbers. `missing` says what is
        done about the missing values.
    interventions : str, optional
        The column that names, for each row, the columns that an experiment set in it: one name,
        several separated by commas, semicolons or bars, a list of names; empty or missing where
        nothing was set. It is not learned from. Instead, `data` may be a list of
        ``(table, targets)``, with None, a name or a list of names as targets. Each column is then
        scored on the rows in which it was not set, and ``result.graph`` shows the directions that
        the experiments tell, those of the interventional class.
    knowledge : Knowledge, mapping or path-like, optional
        What is known about causes and effects: required and forbidden arcs, tiers, and more; see
        :class:`Knowledge`. A mapping holds its arguments, a path names a file. Only classes with
        members that agree with all of it are searched, and ``result.graph`` shows what these
        members have in common.
    effort : float, optional
        How much work to spend on refining the class that the search finds. A refinement climbs
        through orders of the columns, perturbs the class, and keeps what scores higher. With at
        most 12 columns, 15 with `knowledge`, and a score of moments (Gaussian BIC, extended BIC,
        BGe, degenerate Gaussian), the best class of all is computed instead; not so for scores
        that look at rows. 0 is the search alone, infinity continues until the `time_limit`. Left
        out, it is 1 for ``"xges"`` and 0 for other searches.
    seed : int, default 0
        Random seed of the refinement, and of `hold_out`. The same data, options and seed give the
        same class.
    time_limit : float, optional
        Seconds from this call on, after which the search stops with the best class so far. If they
        pass while the data are still being read and counted, there is no class yet, and
        `TimeLimitError` is raised. The limit is kept to within a quarter of a second.
    clique_cap : int, optional
        How many cliques around one column are enumerated before a smaller family of them is
        taken instead; 0 for no limit, on these and on the deletes that XGES tries. Sparse graphs
        never reach the default.
    hold_out : float, optional
        Share of the rows, such as 0.5, that the graph is not learned from. They are drawn at
        random, by the `seed`, and kept in ``result.held_out``, so that ``result.effect`` estimates
        on rows that did not choose the graph, and its intervals are as wide as they should be. A
        table larger than memory is read twice. Where rows come from experiments, those of each are
        split on their own. Statistics without rows, such as Moments, are refused.
    n_jobs : int, optional
        Threads; -1 for one per core. None is 1. Unless the search is stopped, the outcome does not
        depend on it.
    progress : bool or callable, optional
        True shows a line on stderr. A function is called with a :class:`Progress` at most ten
        times a second, on the calling thread, and once at the end. What it raises ends the search
        and is raised here; a KeyboardInterrupt does what Ctrl-C does. The outcome does not depend
        on it.
    checkpoint : path-like, optional
        File that stores the refinement state, written about once a second and at the end. If it
        exists, the search resumes from there, with the effort given now, and ends as
        one that was never interrupted. It must be of the same data, score, search and seed. Nothing
        is written where the best class is computed (see `effort`), nor for a custom score,
        which is refused.

    Returns
    -------
    Result

    Raises
    ------
    OptionError
        If an option is out of range.
    KnowledgeError
        If statements contradict each other, or name columns that are not there.
    DataError
        If the data cannot be used: missing values, constant or collinear columns, …
    FileError
        If the data are in a file that cannot be read.
    TimeLimitError
        If the `time_limit` passes before the search begins.
    SearchInterrupted
        On Ctrl-C; its ``result`` holds the best class so far. Before the search begins, Ctrl-C
        raises a plain KeyboardInterrupt. Python interrupts the main thread only: give searches in
        other threads a `time_limit`.

    Examples
    --------
    >>> from greedag import simulate
    >>> learn(simulate.linear_gaussian(5, 1.0, 1000, seed=0).data).cpdag.d
    5
    """
    options = LearnOptions(
        search=search,
        score=score,
        alpha=alpha,
        table=DataOptions(kinds, missing, sample_weight, drop, transform, na, interventions),
        knowledge=knowledge,
        effort=effort,
        seed=seed,
        time_limit=time_limit,
        clique_cap=clique_cap,
        hold_out=hold_out,
        n_jobs=n_jobs,
        progress=progress,
        checkpoint=checkpoint,
    )
    return run(data, options)[0]


def exact(
    data: Any,
    *,
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
    time_limit: float | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Result:
    """Learn the equivalence class with the highest score of all, by dynamic programming.

    Time and memory more than double with each column: by the Gaussian BIC, 15 columns take
    hundredths of a second, 20 a second and 30 MB, 25 half a minute and 0.8 GB. Discrete and mixed
    scores look at the rows for each of the 2^d sets of columns, a custom score is called
    d 2^(d - 1) times. Parent sets that would fit exactly are excluded, as in all searches.

    Parameters
    ----------
    data : table, array_like of shape (n, d), path-like, Moments, Levels or MixedTable
        At most 25 columns; 20 with a custom score, or with missing values.
    score, alpha, kinds, missing, sample_weight, drop, transform, na : optional
        As in :func:`learn`.
    interventions, knowledge, progress : optional
        As in :func:`learn`. With knowledge, it is the best class of those that agree with it.
    time_limit : float, optional
        Seconds from this call on, after which it stops with the class that XGES-0 finds, and says
        so in ``result.stopped`` and ``result.notes``; as in :func:`learn`.

    Returns
    -------
    Result
        With an empty ``trace``; ``gap`` is 0, unless it was stopped.

    Raises
    ------
    DataError
        If there are too many columns, or the data cannot be used.
    SearchInterrupted
        On Ctrl-C; its ``result`` holds the class that XGES-0 finds.

    See Also
    --------
    learn : searches for many columns; ``exact`` is its ``search="exact"``.

    Examples
    --------
    >>> from greedag import learn, simulate
    >>> table = simulate.linear_gaussian(8, 2.0, 1000, seed=0).data
    >>> bool(exact(table).score >= learn(table).score)
    True
    """
    return learn(
        data,
        search=EXACT,
        score=score,
        alpha=alpha,
        kinds=kinds,
        missing=missing,
        sample_weight=sample_weight,
        drop=drop,
        transform=transform,
        na=na,
        interventions=interventions,
        knowledge=knowledge,
        time_limit=time_limit,
        progress=progress,
    )


def run(
    data: Any,
    options: LearnOptions,
    earlier: Result | None = None,
) -> tuple[Result, bool]:
    """Return the result, and whether its names are a table's own.

    With a result of earlier rows, the data are further rows, and the search starts from its class.
    """
    is_logged = LOGGER.isEnabledFor(logging.DEBUG)
    if options.progress is None and options.time_limit is None and not is_logged:
        return _run(data, options, earlier, None)
    with time_limited(options.time_limit), progress_callback(options.progress) as report:
        report = logged_progress(report) if is_logged else report
        return _run(data, options, earlier, report)


def _run(
    data: Any,
    options: LearnOptions,
    earlier: Result | None,
    report: ProgressCallback | None,
) -> tuple[Result, bool]:
    started = time.perf_counter()
    score, prepared = prepare(
        data,
        checked_score(options.score, options.alpha),
        options.alpha,
        options.table,
        is_batch=earlier is not None,
    )
    if earlier is not None:
        from greedag.search.partial_fit import with_earlier

        prepared = with_earlier(earlier, prepared, options)
        prepared = replace(prepared, rows=())  # of the batch alone
    elif options.hold_out is not None:
        from greedag.scores.hold_out import with_held_out

        prepared = with_held_out(score, prepared, options.hold_out, options.seed)
    score, prepared = with_chosen_alpha(score, prepared, options)
    read = time.perf_counter()
    is_logged = LOGGER.isEnabledFor(logging.INFO)
    if is_logged:
        log_data(prepared.statistics, read - started)
    if options.search == EXACT:
        score.check_few_columns(prepared.statistics)
    known = bound_knowledge(options.knowledge, prepared.statistics.names)
    is_dag = is_among_dags(score, options)
    start = None if earlier is None or is_dag else _start(earlier, known)
    result, has_jumped = search_prepared(score, prepared, options, known, start, report, started)
    if is_logged:
        log_result(result)
    if earlier is not None and start is not None and not has_jumped:
        from greedag.search.partial_fit import continued

        result = continued(earlier, result)
    _report_end(result, report)
    return result, prepared.has_own_names


def with_chosen_alpha(
    score: Score, prepared: Prepared, options: LearnOptions
) -> tuple[Score, Prepared]:
    """Return a score whose alpha is a number, and its statistics with a note on the choice."""
    if options.alpha in ALONG_PATH:
        # By name: the package lies above this one.
        choose = import_module("greedag.uncertainty.choose")
        found: tuple[Score, Prepared] = choose.with_alpha_along_path(score, prepared, options)
        return found
    is_named = isinstance(options.score, str)
    return with_alpha(score, prepared, options.alpha, is_named=is_named)


def search_prepared(
    score: Score,
    prepared: Prepared,
    options: LearnOptions,
    known: BoundKnowledge | None,
    start: Matrix | None = None,
    report: ProgressCallback | None = None,
    started: float | None = None,
    *,
    check: bool = True,
) -> tuple[Result, bool]:
    """Search with the statistics of a table.

    Parameters
    ----------
    score : score
    prepared : Prepared
    options : LearnOptions
    known : BoundKnowledge, optional
    start : ndarray, optional
        A class to start from; a search among DAGs finds its own.
    report : callable, optional
        Called with the progress.
    started : float, optional
        When the work on the data began, by :func:`time.perf_counter`.
    check : bool
        Whether to refuse data that cannot be told apart from collinear ones.

    Returns
    -------
    result : Result
    has_jumped : bool
        Whether a refinement went on from another class than the trace leads to.
    """
    read = time.perf_counter()
    started = read if started is None else started
    statistics = prepared.statistics
    is_dag = is_among_dags(score, options)
    engine_search: str = options.search
    if is_dag:
        from greedag.search import orders

        options, engine_search = orders.among_dags(options)
    bound = _bound(score, prepared, check)
    checkpoint = _checkpoint(options, score, statistics, known)
    seconds = time.perf_counter() - started
    LOGGER.info("bound the score %s in %.3f s", score.name, started + seconds - read)
    if options.time_limit is not None:
        check_time("preparing the score")
    if is_dag:
        start = orders.first_dag(score, bound, statistics, known, options)
    outcome = _core.search(
        bound,
        engine_search,
        time_limit=None if options.time_limit is None else seconds_left(),
        clique_cap=options.clique_cap,
        trial_cap=_core.DEFAULT_TRIAL_CAP if options.clique_cap else 0,
        jobs=options.n_jobs,
        progress=None if report is None else lambda *snapshot: report(Progress(*snapshot)),
        start=start,
        effort=options.effort,
        seed=options.seed,
        resume=None if checkpoint is None else checkpoint.load(options.effort),
        checkpoint=None if checkpoint is None else checkpoint.save,
        knowledge=None if known is None else known.engine,
    )
    if not math.isfinite(outcome.score):
        raise_unscored(outcome, known)
    if checkpoint is not None and outcome.refinement is not None:
        checkpoint.save(outcome.refinement)
    found = orders.found_dag(outcome, score, bound, statistics, known, options) if is_dag else None
    result = build_result(outcome, options, score, prepared, seconds, known, found)
    return result, outcome.has_jumped


def _bound(score: Score, prepared: Prepared, check: bool) -> _core.Score:
    try:
        return score.bind(prepared.statistics, check=check)
    except DataError as error:
        if prepared.held_out is None:
            raise
        raise error.within("in the rows that are not held out: ") from None


def is_among_dags(score: Score, options: LearnOptions) -> bool:
    """Whether the search is among DAGs, not classes."""
    return options.search == ORDERS or not score.is_equivalent


def bound_knowledge(
    knowledge: KnowledgeLike | None, names: tuple[str, ...]
) -> BoundKnowledge | None:
    """Return what is known about the columns of a table, None if that is nothing."""
    if knowledge is None:
        return None
    from greedag.graph.knowledge import coerced

    known = coerced(knowledge)
    return known.bind(names) if known else None


def _start(earlier: Result, known: BoundKnowledge | None) -> Matrix | None:
    """Return the class to go on from; none if it does not agree with what is known by now."""
    start = earlier.cpdag.to_matrix()
    return start if known is None or _core.orient(start, known.engine) else None


def _checkpoint(
    options: LearnOptions, score: Score, statistics: Any, known: BoundKnowledge | None
) -> Checkpoint | None:
    if options.checkpoint is None:
        return None
    from greedag.search.checkpoint import open_checkpoint

    return open_checkpoint(options, score, statistics, None if known is None else known.knowledge)


def _report_end(result: Result, report: ProgressCallback | None) -> None:
    if result.stopped == "interrupt":
        raise SearchInterrupted("interrupted; .result holds the best class so far", result)
    if report is None:
        return
    try:
        report(last_progress(result))
    except KeyboardInterrupt as interrupt:
        raise SearchInterrupted("interrupted; .result holds the class found", result) from interrupt
