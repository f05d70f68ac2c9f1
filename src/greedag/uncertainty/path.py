"""Classes along the weight of the penalty: the function `path`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from greedag._options import DataOptions, LearnOptions, SearchName, checked_alpha
from greedag._progress import SearchesDone, check_time, time_limited
from greedag.data.kinds import Kinds
from greedag.data.rows import MissingName
from greedag.errors import Note, OptionError, SearchInterrupted, quoted
from greedag.scores.base import LocalScore, Score
from greedag.scores.select import ScoreName, checked_score, prepare
from greedag.uncertainty.choose import default_alphas
from greedag.uncertainty.class_path import Path, counted
from greedag.uncertainty.searches import check_alpha, searches_of, stop

if TYPE_CHECKING:
    from greedag.data.transforms import Transform
    from greedag.graph.knowledge import KnowledgeLike


def path(
    data: Any,
    *,
    alphas: Sequence[float] | None = None,
    search: SearchName = "xges",
    score: ScoreName | Score | LocalScore = "auto",
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
    clique_cap: int | None = None,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    progress: bool | Callable[[SearchesDone], object] | None = None,
) -> Path:
    """Learn a class with each of many weights of the penalty, from dense graphs to sparse ones.

    Each is searched for from the empty graph, and from the classes of the next larger and the next
    smaller alpha; what scores best is kept. Searches among DAGs and exact ones start once.

    Parameters
    ----------
    data : table, array_like of shape (n, d), path-like, Moments, Levels or MixedTable
        As in :func:`learn`. Rows are read once, and once more to choose by parts of them.
    alphas : sequence of float, optional
        Weights of the penalty. Left out, about 20 from 0.5 to 16, each 1.19 times the one before;
        from more than 0.5 where there are so many columns for the rows that chance alone would add
        an edge per column, and to more than 16 for more than some 30,000 rows.
    search, score, kinds, missing, sample_weight, drop, transform, na : optional
        As in :func:`learn`. The score must have an alpha, which is replaced; ``"auto"`` takes BDeu,
        which has none, where all columns are discrete: choose ``"discrete-bic"``.
    interventions, knowledge, effort, clique_cap : optional
        As in :func:`learn`.
    seed : int, default 0
        Random seed of the searches, and of the parts of rows that :meth:`Path.select` takes.
    n_jobs : int, optional
        Threads; -1 for one per core. The outcome is the same.
    time_limit : float, optional
        Seconds, after which the classes found so far are returned, large alphas first.
    progress : bool or callable, optional
        True shows a line on stderr. A function is called with a :class:`SearchesDone` after each
        search.

    Returns
    -------
    Path

    Raises
    ------
    OptionError
        If an option is out of range, or the score has no alpha.
    DataError
        If the data cannot be used.
    TimeLimitError
        If the `time_limit` passes before the first class is found.
    SearchInterrupted
        On Ctrl-C; its ``result`` holds the `Path` of the classes found so far.

    See Also
    --------
    learn : ``alpha="stars"``, ``"cv"`` and ``"ebic"`` choose along a path without keeping it.

    Examples
    --------
    >>> from greedag import simulate
    >>> table = simulate.linear_gaussian(5, 1.0, 1000, seed=0).data
    >>> found = path(table, alphas=[1, 2, 4])
    >>> found.select(by="ebic").cpdag.d
    5
    """
    options = LearnOptions(
        search=search,
        score=score,
        table=DataOptions(kinds, missing, sample_weight, drop, transform, na, interventions),
        knowledge=knowledge,
        effort=effort,
        seed=seed,
        time_limit=time_limit,
        clique_cap=clique_cap,
        n_jobs=n_jobs,
    )
    weights = None if alphas is None else checked_alphas(alphas)
    with time_limited(options.time_limit):
        return _path(data, weights, options, progress)


def _path(data: Any, weights: list[float] | None, options: LearnOptions, progress: Any) -> Path:
    given = checked_score(options.score, None)
    if given is not None:
        check_alpha(given)
    searches = searches_of(*prepare(data, given, None, options.table), options)
    alphas = default_alphas(searches.n, searches.d) if weights is None else weights
    total = len(alphas) + searches.starts_from_classes * 2 * (len(alphas) - 1)
    with counted(progress, total) as done:
        found, stopped = searches.swept(alphas, done)
    if not found:
        check_time("searching with the first alpha")
        stop(stopped)
    results = tuple(found[alpha] for alpha in sorted(found))
    notes = searches.prepared.notes
    if stopped:
        why = "the time limit" if stopped == "time limit" else "an interrupt"
        text = f"stopped by {why} with {len(found)} of {len(alphas)} alphas searched"
        if len(found) == len(alphas):
            text = f"stopped by {why} before each was searched from the classes beside it"
        code = "time-limit" if stopped == "time limit" else "interrupt"
        notes = (*notes, Note(text, code=code, counts={"alphas": len(found)}))
    own = replace(searches, options=replace(searches.options, time_limit=None))
    path_found = Path(results, notes, stopped, own)
    if stopped == "interrupt":
        raise SearchInterrupted("interrupted; .result holds the classes found so far", path_found)
    return path_found


def checked_alphas(alphas: Any) -> list[float]:
    """Return weights of the penalty, ascending and each once."""
    try:
        given = list(alphas)
    except TypeError:
        given = []
    if not given or isinstance(alphas, (str, bytes)):
        raise OptionError(f"alphas must be numbers above 0, one or more; got {quoted(alphas)}")
    return sorted({checked_alpha(alpha) for alpha in given})
