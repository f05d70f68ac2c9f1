"""Exact probabilities of edges and of directed paths, over all DAGs of few columns."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from greedag import _core
from greedag._options import (
    DataOptions,
    checked_alpha,
    checked_n_jobs,
    checked_time_limit,
    checked_whole,
)
from greedag._progress import (
    LOGGER,
    PosteriorProgress,
    ProgressCallback,
    check_time,
    progress_callback,
    seconds_left,
    time_limited,
)
from greedag.data.kinds import Kinds
from greedag.data.rows import MissingName
from greedag.data.table import Floats
from greedag.errors import DataError, Note, OptionError, TimeLimitError, columns_listed, quoted
from greedag.result.result import ReadOnlyDict
from greedag.scores.base import LocalScore, Prepared, Score
from greedag.scores.bge import BGe
from greedag.scores.gaussian import GaussianBIC
from greedag.scores.interventional import Interventional
from greedag.scores.select import ScoreName, checked_score, prepare
from greedag.uncertainty.posterior_result import Posterior

if TYPE_CHECKING:
    from greedag.data.transforms import Transform
    from greedag.graph.bound_knowledge import BoundKnowledge
    from greedag.graph.knowledge import KnowledgeLike

PriorName = Literal["orders", "uniform"]
_PRIORS = ("orders", "uniform")
# DAGs that are drawn where probabilities of paths are not computed, and the fewest that will do.
_DRAWS = 10_000
_FEWEST_DRAWS = 100


def posterior(
    data: Any,
    *,
    score: ScoreName | Score | LocalScore = "auto",
    alpha: float | None = None,
    kinds: Kinds | None = None,
    missing: MissingName = "error",
    sample_weight: ArrayLike | str | None = None,
    drop: Sequence[str] | str | None = None,
    transform: Transform | None = None,
    na: Sequence[str | float] | str | float | None = None,
    interventions: str | None = None,
    knowledge: KnowledgeLike | None = None,
    max_parents: int | None = None,
    prior: PriorName = "orders",
    time_limit: float | None = None,
    progress: bool | Callable[[PosteriorProgress], object] | None = None,
    n_jobs: int | None = None,
) -> Posterior:
    """Compute how probable each edge and each directed path is, over all DAGs of few columns.

    A DAG is weighted by e to the power of its score, times the prior. Sums over sets of columns
    [1]_ [2]_ [3]_ add up all DAGs without listing them: the probabilities are exact but for
    rounding, below 1e-9.

    Parameters
    ----------
    data : table, array_like of shape (n, d), path-like, Moments, Levels or MixedTable
        At most 20 columns; 16 with ``prior="uniform"``.
    score : str or score
        As in :func:`learn`, but ``"auto"`` takes marginal likelihoods: BGe if every column is
        continuous, BDeu if every one is discrete, else the degenerate Gaussian with
        ``alpha=1``. With `alpha`, it takes the BIC that :func:`learn` would.
    alpha : float, optional
        Weight of the BIC penalty. With 1, the BIC approximates the logarithm of the marginal
        likelihood; with 2, which scores of that name have by default, sparser DAGs are more
        probable beforehand.
    kinds, missing, sample_weight, drop, transform, na, interventions : optional
        As in :func:`learn`.
    knowledge : Knowledge, mapping or path-like, optional
        As in :func:`learn`: DAGs that do not agree have probability 0. Statements about ancestors
        (``before``, and tiers that leave out columns) are refused; they do not come down to which
        parents a column may have.
    max_parents : int, optional
        The most parents that a column may have; any number if left out.
    prior : str
        ``"orders"`` counts a DAG as often as there are orders of the columns in which parents come
        before their children, which favours sparse DAGs, and among members of a class those with
        many orders. ``"uniform"`` counts every DAG once.
    time_limit : float, optional
        Seconds from this call on, after which `TimeLimitError` is raised.
    progress : bool or callable, optional
        True shows a line on stderr. A function is called with a :class:`PosteriorProgress` at most
        ten times a second.
    n_jobs : int, optional
        Threads; -1 for one per core. None is 1. The outcome does not depend on it. Most of the
        sums of ``prior="uniform"`` take one thread.

    Returns
    -------
    Posterior

    Raises
    ------
    DataError
        If there are too many columns, or the data cannot be used.
    OptionError
        If an option is out of range, or there are too many columns for a uniform prior.
    TimeLimitError
        If the time limit runs out.

    See Also
    --------
    exact : the best class alone, for up to 25 columns.

    Notes
    -----
    Time grows with d² 2^d, and for paths, or a uniform prior, with 3^d. With more than 16 columns,
    probabilities of paths are estimated from 10,000 DAGs drawn from the posterior;
    ``ancestor_error`` holds their standard errors.

    References
    ----------
    .. [1] M. Koivisto, K. Sood: Exact Bayesian structure discovery in Bayesian networks. JMLR 5
       (2004) 549-573. M. Koivisto: Advances in exact Bayesian structure discovery in Bayesian
       networks. UAI 2006.
    .. [2] P. Parviainen, M. Koivisto: Ancestor relations in the presence of unobserved variables.
       ECML PKDD 2011.
    .. [3] J. Tian, R. He: Computing posterior probabilities of structural features in Bayesian
       networks. UAI 2009.

    Examples
    --------
    >>> import numpy as np
    >>> x, noise = np.random.default_rng(0).normal(size=(2, 200))
    >>> found = posterior({"x": x, "y": x + noise, "z": noise[::-1]})
    >>> print(found.adjacent.round(2))
    [[0.   1.   0.05]
     [1.   0.   0.03]
     [0.05 0.03 0.  ]]
    """
    _check_prior(prior)
    limit, jobs = checked_time_limit(time_limit), checked_n_jobs(n_jobs)
    most = None if max_parents is None else checked_whole("max_parents", max_parents, least=0)
    weight = None if alpha is None else checked_alpha(alpha)
    asked = checked_score(score, weight)
    table = DataOptions(kinds, missing, sample_weight, drop, transform, na, interventions)
    given: Any = progress
    with time_limited(limit), progress_callback(given) as report:
        chosen, prepared = prepare(data, asked, weight, table)
        if asked is None and weight is None:
            chosen, prepared = _marginal_likelihood(chosen, prepared)
        _check_columns(chosen, prepared.statistics, prior)
        known = None if knowledge is None else _bound(knowledge, prepared.statistics.names)
        started = time.perf_counter()
        found = _computed(chosen, prepared, known, prior, most, jobs, report)
        ancestor, error, notes = _ancestor(found)
        LOGGER.info("posterior of %s in %.3f s", chosen.name, time.perf_counter() - started)
    statistics = prepared.statistics
    return Posterior(
        names=statistics.names,
        directed=found.edges,
        ancestor=ancestor,
        ancestor_error=error,
        log_evidence=found.log_total - found.log_prior_total,
        score=chosen.name,
        options=ReadOnlyDict(chosen.options()),
        prior=prior,
        max_parents=most,
        n=statistics.n,
        notes=(_note_on_score(chosen), _note_on_prior(prior), *notes, *prepared.notes),
        _engine=found,
    )


def _check_prior(prior: str) -> None:
    if prior not in _PRIORS:
        raise OptionError(f"prior must be 'orders' or 'uniform'; got {quoted(prior)}")


def _marginal_likelihood(score: Score, prepared: Prepared) -> tuple[Score, Prepared]:
    """Return the marginal likelihood of the columns for which a search would take this score."""
    notes = tuple(note for note in prepared.notes if Note(note).code != "score-chosen")
    return _likelihood(score), replace(prepared, notes=notes)


def _likelihood(score: Score) -> Score:
    if isinstance(score, Interventional):
        return Interventional(_likelihood(score.score))
    if isinstance(score, GaussianBIC):
        return BGe(edge_penalty=0.0)
    has_alpha = any(field.name == "alpha" for field in fields(score))  # type: ignore[arg-type]
    return replace(score, alpha=1.0) if has_alpha else score  # type: ignore[type-var]


def _check_columns(score: Score, statistics: Any, prior: str) -> None:
    d = len(statistics.names)
    most = min(_core.MOST_POSTERIOR, score.most_exact(statistics)[0])
    if d > most:
        raise DataError(
            f"a posterior takes at most {most} columns, because it sums over all sets of them; "
            f"the table has {d}",
            remedy=f"choose {most} of them",
            code="too-many-columns",
        )
    if prior == "uniform" and d > _core.MOST_PAIRS_OF_SETS:
        raise OptionError(
            f"prior='uniform' takes at most {_core.MOST_PAIRS_OF_SETS} columns, because it sums "
            f"over pairs of sets of them; the table has {d}",
            remedy="choose fewer, or prior='orders'",
            code="too-many-columns",
        )


def _bound(knowledge: KnowledgeLike, names: tuple[str, ...]) -> BoundKnowledge | None:
    from greedag.graph.knowledge import coerced

    said = coerced(knowledge)
    if not said:
        return None
    known = said.bind(names)
    without = [name for name, tier in zip(names, known.tiers, strict=False) if tier < 0]
    if known.before:
        raise OptionError(
            "a posterior cannot take 'before' statements: they are about ancestors, not about "
            "which parents a column may have; give tiers of all columns, or forbidden arcs"
        )
    if without and len({*known.tiers} - {-1}) > 1:
        raise OptionError(
            f"a posterior needs a tier for every column, or none: {columns_listed(without)} "
            "have none, and could be on a path back to an earlier tier; add them to a tier, or "
            "forbid arcs instead"
        )
    return known


def _computed(
    score: Score,
    prepared: Prepared,
    known: BoundKnowledge | None,
    prior: str,
    max_parents: int | None,
    jobs: int,
    report: ProgressCallback | None,
) -> _core.Posterior:
    show: Any = report
    bound = score.bind(prepared.statistics)
    check_time("preparing the score")
    found = _core.posterior(
        bound,
        prior,
        max_parents=max_parents,
        knowledge=None if known is None else known.engine,
        jobs=jobs,
        time_limit=seconds_left(),
        progress=None if show is None else lambda *done: show(PosteriorProgress(*done)),
    )
    if found is None:
        raise _too_late("summing over all DAGs")
    if not np.isfinite(found.log_total):
        raise DataError(
            "no DAG that agrees with the knowledge and max_parents can be scored: required arcs "
            "are too many, or fit some column exactly",
            remedy="require fewer arcs, or allow more parents",
            code="required-fit",
        )
    return found


def _ancestor(found: _core.Posterior) -> tuple[Floats, Floats | None, tuple[Note, ...]]:
    """Return probabilities of paths, computed or estimated, with standard errors and a note."""
    if len(found.edges) <= _core.MOST_PAIRS_OF_SETS:
        return found.paths, None, ()
    drawn = found.sample(_DRAWS, seed=0, time_limit=seconds_left())
    if len(drawn) < _FEWEST_DRAWS:
        raise _too_late("drawing DAGs for the probabilities of paths")
    share = _ancestors(drawn).mean(axis=0)
    error = np.sqrt(share * (1.0 - share) / len(drawn))
    text = (
        f"probabilities of paths are estimated from {len(drawn):,} DAGs drawn from the posterior, "
        f"because there are more than {_core.MOST_PAIRS_OF_SETS} columns; their standard errors "
        f"are at most {error.max():.4f}"
    )
    return share, error, (Note(text, code="paths-drawn", counts={"dags": len(drawn)}),)


def _ancestors(dags: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return, for each DAG, which columns are ancestors of which; each is one of itself."""
    d = dags.shape[1]
    reached: NDArray[np.bool_] = (dags != 0) | np.eye(d, dtype=bool)
    for middle in range(d):
        reached |= reached[:, :, middle, np.newaxis] & reached[:, np.newaxis, middle, :]
    return reached


def _too_late(doing: str) -> TimeLimitError:
    return TimeLimitError(
        f"the time limit ran out while {doing}",
        remedy="allow more time with time_limit, or choose fewer columns",
        code="time-limit",
    )


def _note_on_score(score: Score) -> Note:
    alpha, penalty = (dict(score.options()).get(name) for name in ("alpha", "edge_penalty"))
    if score.name == "custom":
        text = "a DAG is weighted by e to the power of its custom score"
    elif alpha is None:
        text = f"a DAG is weighted by its marginal likelihood, {score.name}"
        if score.name == "bge" and penalty != 0.0:
            text += ", and by the prior of each edge that edge_penalty states"
    else:
        text = "a DAG is weighted by e to the power of its score, "
        text += f"{score.name} with alpha={alpha:g}"
        if alpha == 1.0:
            text += ", which approximates its marginal likelihood"
        else:
            favoured = "sparse" if float(alpha) > 1.0 else "dense"
            text += "; only alpha=1 approximates its marginal likelihood, this favours "
            text += f"{favoured} DAGs"
    return Note(text, code="score-meaning")


def _note_on_prior(prior: str) -> Note:
    text = "every DAG is equally probable beforehand"
    if prior == "orders":
        text = (
            "a DAG counts once for each order of the columns that suits it, which favours DAGs "
            "with many orders; prior='uniform' counts each DAG once"
        )
    return Note(text, code="prior-meaning")
