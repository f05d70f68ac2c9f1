"""Estimators with scikit-learn's protocol, around what `learn` does."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from greedag._options import DataOptions, LearnOptions, SearchName, checked_flag
from greedag._progress import ProgressCallback
from greedag.data.kinds import Kinds
from greedag.data.rows import MissingName
from greedag.errors import OptionError
from greedag.result.result import Result
from greedag.scores.base import LocalScore, Score
from greedag.scores.penalty import AlphaName
from greedag.scores.select import ScoreName
from greedag.search.learn import run

if TYPE_CHECKING:
    from greedag.data.transforms import Transform
    from greedag.graph.knowledge import KnowledgeLike

Own = TypeVar("Own", bound="_Parameters")
Fitted = TypeVar("Fitted", bound="_Estimator")


class _Parameters:
    """What an estimator does with the options of its own ``__init__``."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the options by name; `deep` is accepted because scikit-learn passes it."""
        names = inspect.signature(type(self)).parameters
        return {name: getattr(self, name) for name in sorted(names)}

    def set_params(self: Own, **params: Any) -> Own:
        """Set options by name and return self; they are checked when fitting."""
        valid = self.get_params()
        for name, value in params.items():
            if name not in valid:
                raise OptionError(
                    f"{type(self).__name__} has no option {name!r}; it has {', '.join(valid)}"
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        given = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(given)})"

    def __sklearn_tags__(self) -> Any:
        # Only scikit-learn calls this, so it is installed and loaded by then.
        utils = importlib.import_module("sklearn.utils")
        return utils.Tags(estimator_type=None, target_tags=utils.TargetTags(required=False))


class _Estimator(_Parameters):
    """What the estimators share: scikit-learn's protocol around `learn`."""

    def __init__(
        self,
        *,
        scoring_method: ScoreName | Score | LocalScore = "auto",
        alpha: float | AlphaName | None = None,
        kinds: Kinds | None = None,
        missing: MissingName = "error",
        drop: Sequence[str] | str | None = None,
        transformation: Transform | None = None,
        na: Sequence[str | float] | str | float | None = None,
        interventions: str | None = None,
        knowledge: KnowledgeLike | None = None,
        time_limit: float | None = None,
        clique_cap: int | None = None,
        hold_out: float | None = None,
        n_jobs: int | None = None,
        progress: bool | ProgressCallback | None = None,
    ) -> None:
        # Not "score": scikit-learn takes that for a method.
        self.scoring_method = scoring_method
        self.alpha = alpha
        self.kinds = kinds
        self.missing = missing
        self.drop = drop
        # Nor "transform".
        self.transformation = transformation
        self.na = na
        self.interventions = interventions
        self.knowledge = knowledge
        self.time_limit = time_limit
        self.clique_cap = clique_cap
        self.hold_out = hold_out
        self.n_jobs = n_jobs
        self.progress = progress

    def _search(self) -> SearchName:
        raise NotImplementedError

    def fit(
        self: Fitted, X: Any, y: object = None, sample_weight: ArrayLike | str | None = None
    ) -> Fitted:
        """Learn the class of a table.

        Parameters
        ----------
        X : table, array_like of shape (n, d), path-like, Moments, Levels or MixedTable
            The data; see :func:`learn`.
        y : ignored
            Accepted because pipelines pass it.
        sample_weight : array_like of shape (n,), or str, optional
            How many rows each row stands for, or the column that says so; see :func:`learn`.

        Returns
        -------
        self
            With ``cpdag_``, ``graph_``, ``score_``, ``result_``, ``adjacency_matrix_``,
            ``n_features_in_`` and, for tables with column names, ``feature_names_in_``.
        """
        return self._fitted(X, sample_weight, None)

    def partial_fit(
        self: Fitted, X: Any, y: object = None, sample_weight: ArrayLike | str | None = None
    ) -> Fitted:
        """Learn from further rows: statistics add up, and the search starts from the last class.

        After a first batch, or :meth:`fit`, each batch has the same columns. The first must
        suffice to learn from. A search that starts from a class may end in another local optimum
        than one from the empty graph; `fit` on ``result_.statistics`` is that from the empty graph.

        Parameters
        ----------
        X : table, array_like of shape (n, d), path-like, Moments, Levels or MixedTable
            The batch.
        y : ignored
            Accepted because pipelines pass it.
        sample_weight : array_like of shape (n,), optional
            As in :meth:`fit`.

        Returns
        -------
        self
            As :meth:`fit` leaves it, for all rows so far.
        """
        return self._fitted(X, sample_weight, getattr(self, "result_", None))

    def _fitted(
        self: Fitted, X: Any, sample_weight: ArrayLike | str | None, earlier: Result | None
    ) -> Fitted:
        options = LearnOptions(
            search=self._search(),
            score=self.scoring_method,
            alpha=self.alpha,
            table=DataOptions(
                self.kinds,
                self.missing,
                sample_weight,
                self.drop,
                self.transformation,
                self.na,
                self.interventions,
            ),
            knowledge=self.knowledge,
            effort=getattr(self, "effort", 0.0),
            seed=getattr(self, "seed", 0),
            time_limit=self.time_limit,
            clique_cap=self.clique_cap,
            hold_out=self.hold_out,
            n_jobs=self.n_jobs,
            progress=self.progress,
        )
        result, has_own_names = run(X, options, earlier)
        self.result_ = result
        self.cpdag_ = result.cpdag
        self.graph_ = result.graph
        self.score_ = result.score
        self.adjacency_matrix_ = result.graph.to_matrix()
        self.n_features_in_ = result.cpdag.d
        # scikit-learn reads the presence of this attribute as "fitted on a table with names".
        if has_own_names:
            self.feature_names_in_ = np.array(result.cpdag.names, dtype=object)
        else:
            vars(self).pop("feature_names_in_", None)
        return self


class XGES(_Estimator):
    """Extremely greedy equivalence search.

    Parameters
    ----------
    scoring_method : str or score
        What to maximise: the `score` of :func:`learn`.
    alpha : float, optional
        Weight of the BIC penalty; larger gives fewer edges. See :func:`learn`.
    kinds : mapping of str to str, or str, optional
        Which columns are continuous and which discrete. See :func:`learn`.
    extended : bool
        Continue with trial deletes after XGES-0. False runs XGES-0 alone: faster, less accurate.
    effort : float, optional
        How much work to spend on refining the class; 0 is the paper's XGES. Left out, it is 1,
        and 0 for XGES-0. See :func:`learn`.
    seed : int, default 0
        Random seed of the refinement, and of `hold_out`.
    missing : str
        ``"error"``, ``"drop"``, ``"em"`` or ``"test-wise"``. See :func:`learn`.
    drop : sequence of str, or str, optional
        Columns to leave out, by name.
    transformation : mapping of str to str, or str, optional
        ``"log"``, ``"log1p"`` or ``"normal-scores"`` by column, or one word for all continuous
        columns: the `transform` of :func:`learn`.
    na : sequence of str or number, optional
        Values that stand for missing ones. See :func:`learn`.
    interventions : str, optional
        The column that names which columns an experiment set in each row. See :func:`learn`.
    knowledge : Knowledge, mapping or path-like, optional
        What is known about causes and effects. See :func:`learn`.
    time_limit : float, optional
        Seconds from the call on, after which the search stops with the best class so far.
    clique_cap : int, optional
        Cliques enumerated around one column; 0 for no limit. See :func:`learn`.
    hold_out : float, optional
        Share of the rows to hold out of learning, to estimate effects on. See :func:`learn`;
        :meth:`partial_fit` of a further batch refuses it.
    n_jobs : int, optional
        Threads; -1 for one per core. None is 1. Unless the search is stopped, the outcome does not
        depend on it.
    progress : bool or callable, optional
        True shows a line on stderr; a function is called with a :class:`Progress`. See
        :func:`learn`.

    Attributes
    ----------
    cpdag_ : CPDAG
        The class found.
    graph_ : MPDAG
        Its members that agree with the knowledge; ``cpdag_`` itself without any.
    score_ : float
        Its score.
    result_ : Result
        Everything known about the run.
    adjacency_matrix_ : ndarray of shape (d, d)
        That of ``graph_``: ``A[i, j] = 1, A[j, i] = 0`` is i → j; both 1 is i - j.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Column names, if the data were a table whose names are all text.

    Examples
    --------
    >>> from greedag import simulate
    >>> XGES(alpha=4.0).fit(simulate.linear_gaussian(5, 1.0, 1000, seed=0).data)
    XGES(alpha=4.0)
    """

    def __init__(
        self,
        *,
        scoring_method: ScoreName | Score | LocalScore = "auto",
        alpha: float | AlphaName | None = None,
        kinds: Kinds | None = None,
        extended: bool = True,
        effort: float | None = None,
        seed: int = 0,
        missing: MissingName = "error",
        drop: Sequence[str] | str | None = None,
        transformation: Transform | None = None,
        na: Sequence[str | float] | str | float | None = None,
        interventions: str | None = None,
        knowledge: KnowledgeLike | None = None,
        time_limit: float | None = None,
        clique_cap: int | None = None,
        hold_out: float | None = None,
        n_jobs: int | None = None,
        progress: bool | ProgressCallback | None = None,
    ) -> None:
        super().__init__(
            scoring_method=scoring_method,
            alpha=alpha,
            kinds=kinds,
            missing=missing,
            drop=drop,
            transformation=transformation,
            na=na,
            interventions=interventions,
            knowledge=knowledge,
            time_limit=time_limit,
            clique_cap=clique_cap,
            hold_out=hold_out,
            n_jobs=n_jobs,
            progress=progress,
        )
        self.extended = extended
        self.effort = effort
        self.seed = seed

    def _search(self) -> SearchName:
        return "xges" if checked_flag("extended", self.extended) else "xges0"


class GES(_Estimator):
    """Greedy equivalence search: inserts, then deletes. Attributes as in :class:`XGES`.

    Parameters
    ----------
    reversals : bool
        Add a phase of reversals and repeat the three phases while they gain (GES-r).
    scoring_method, alpha, kinds, missing, drop, transformation, na, knowledge : optional
        As in :class:`XGES`.
    time_limit, clique_cap, hold_out, n_jobs, progress : optional
        As in :class:`XGES`.
    """

    def __init__(
        self,
        *,
        scoring_method: ScoreName | Score | LocalScore = "auto",
        alpha: float | AlphaName | None = None,
        kinds: Kinds | None = None,
        reversals: bool = False,
        missing: MissingName = "error",
        drop: Sequence[str] | str | None = None,
        transformation: Transform | None = None,
        na: Sequence[str | float] | str | float | None = None,
        interventions: str | None = None,
        knowledge: KnowledgeLike | None = None,
        time_limit: float | None = None,
        clique_cap: int | None = None,
        hold_out: float | None = None,
        n_jobs: int | None = None,
        progress: bool | ProgressCallback | None = None,
    ) -> None:
        super().__init__(
            scoring_method=scoring_method,
            alpha=alpha,
            kinds=kinds,
            missing=missing,
            drop=drop,
            transformation=transformation,
            na=na,
            interventions=interventions,
            knowledge=knowledge,
            time_limit=time_limit,
            clique_cap=clique_cap,
            hold_out=hold_out,
            n_jobs=n_jobs,
            progress=progress,
        )
        self.reversals = reversals

    def _search(self) -> SearchName:
        return "ges-r" if checked_flag("reversals", self.reversals) else "ges"


class OPS(_Estimator):
    """At every step the best operator of any kind. Attributes as in :class:`XGES`.

    Parameters
    ----------
    scoring_method, alpha, kinds, missing, drop, transformation, na, knowledge : optional
        As in :class:`XGES`.
    time_limit, clique_cap, hold_out, n_jobs, progress : optional
        As in :class:`XGES`.
    """

    def _search(self) -> SearchName:
        return "ops"


class FGES(_Estimator):
    """Fast GES with its flaw: one set T per pair, valid or not. Attributes as in :class:`XGES`.

    A baseline to compare with, not to rely on.

    Parameters
    ----------
    scoring_method, alpha, kinds, missing, drop, transformation, na, knowledge : optional
        As in :class:`XGES`.
    time_limit, clique_cap, hold_out, n_jobs, progress : optional
        As in :class:`XGES`.
    """

    def _search(self) -> SearchName:
        return "fges"
