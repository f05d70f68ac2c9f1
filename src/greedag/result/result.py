"""What a search returns: the class it found, its score, and how it got there."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from greedag import _core
from greedag._options import RUN_OPTIONS, DataOptions
from greedag.drawing.labels import printable
from greedag.errors import DataError, Note, counted_rows
from greedag.graph.cpdag import CPDAG
from greedag.graph.mpdag import MPDAG, Matrix
from greedag.scores.base import Score, Statistics
from greedag.statistics.fingerprint import Fingerprint
from greedag.statistics.moments import Moments

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from greedag.data.kinds import Kinds
    from greedag.data.rows import MissingName
    from greedag.data.transforms import Transform
    from greedag.drawing.notebook import View
    from greedag.effects.check_records import ModelCheck
    from greedag.effects.effect import Effect
    from greedag.effects.effect_tables import Effects, EffectsMatrix, Prediction
    from greedag.graph.knowledge import Knowledge
    from greedag.graph.orientation import Evidence
    from greedag.result.coefficients import Coefficients
    from greedag.result.compare import Comparison
    from greedag.result.curve import Curve
    from greedag.result.edges import Strengths, TurnedClass
    from greedag.result.explain import Explanation
    from greedag.search.knowledge_cost import KnowledgeCost
    from greedag.uncertainty.shares import Stability

# Strengths take a d × d matrix: beyond this many columns, too much for printing a result.
_MOST_VALUED = 2000
# Seconds that the direction margins may take in a printed or drawn result.
_MARGIN_SECONDS = 2.0
# Methods that packages above this one provide, by name: importing them here would close a cycle,
# and a search without a report need not load what writes one.
_EXTENSIONS = {
    "report": "greedag.report:write_report",
    "knowledge_cost": "greedag.search.knowledge_cost:knowledge_cost",
    "stability": "greedag.uncertainty.stability:of_result",
    "effect": "greedag.effects.ask:effect",
    "effects": "greedag.effects.ask:effects",
    "effects_matrix": "greedag.effects.ask:effects_matrix",
    "do": "greedag.effects.do:do",
    "check": "greedag.effects.model_check:check",
}

Settings = Mapping[str, Any]
V = TypeVar("V")


class ReadOnlyDict(dict[str, V]):
    """A dict that refuses to be changed; ``dict(...)`` of it is a copy to work with."""

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("this mapping belongs to a result and is read-only; change a copy: dict(…)")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[ReadOnlyDict[V]], tuple[dict[str, V]]]:
        return type(self), (dict(self),)


@dataclass(frozen=True, slots=True)
class Operator:
    """One applied operator, in the paper's letters. Columns are given by index.

    Attributes
    ----------
    kind : str
        ``"insert"``, ``"delete"`` or ``"reverse"``.
    x, y : int
        The edge concerned: x → y is inserted or deleted, or y → x is reversed to x → y.
    T : tuple of int
        The paper's T of an insert or a reversal, its C of a delete.
    E : tuple of int
        The set that y's local score is conditioned on.
    F : tuple of int
        The set that x's local score is conditioned on (reversals only).
    gain : float
        By how much the operator changed the total score.
    """

    kind: str
    x: int
    y: int
    T: tuple[int, ...]
    E: tuple[int, ...]
    F: tuple[int, ...]
    gain: float

    def phrase(self, names: Sequence[str], name_of: Callable[[str], str] = printable) -> str:
        """Describe the operator in words, without its gain; options as in :meth:`describe`."""
        x, y = name_of(names[self.x]), name_of(names[self.y])
        nodes = ", ".join(name_of(names[t]) for t in self.T)
        with_set = f" with {'C' if self.kind == 'delete' else 'T'} = {{{nodes}}}" if nodes else ""
        return f"{self.kind} {x} → {y}{with_set}"

    def describe(self, names: Sequence[str], name_of: Callable[[str], str] = printable) -> str:
        """Describe the operator in words, with column names.

        Parameters
        ----------
        names : sequence of str
            All columns.
        name_of : callable
            Escapes a name for where the words are shown; for a terminal if left out.

        Examples
        --------
        >>> Operator("insert", 0, 1, (), (), (), 12.5).describe(["rain", "mud"])
        'insert rain → mud (gain 12.5)'
        """
        return f"{self.phrase(names, name_of)} (gain {self.gain:.6g})"


class _Kept:
    """Slots beside the fields of a frozen record, for what is computed from them once."""

    __slots__ = ("_bound", "_gap", "_graph", "_turn_search", "_turned")
    _bound: _core.Score
    _gap: float
    _graph: MPDAG
    _turn_search: _core.TurnSearch
    _turned: tuple[float, Mapping[tuple[int, int], TurnedClass]]


@dataclass(frozen=True, slots=True, repr=False)
class Result(_Kept):
    """The outcome of one search.

    Attributes
    ----------
    cpdag : CPDAG
        The equivalence class found; `graph` has the directions that knowledge and evidence add.
    score : float
        Its total score; higher is better. Where members of a class score differently, that of
        `best_dag`.
    search : str
        Name of the search.
    settings : mapping
        The options that it ran with: ``score`` and its options, such as ``alpha``;
        ``effort``, ``seed``, ``time_limit``, ``clique_cap``, ``hold_out``; and what was said about
        the table:
        ``kinds`` (of every column, where the score takes both kinds), ``missing``,
        ``sample_weight`` (True, or the name of a column), ``drop``, ``transform``, ``na`` and
        ``interventions`` (the name of a column, or the targets of each table), each None if it was
        left out. Read-only, as are `timings` and `counts`.
    n : int or float
        Number of rows; the sum of the weights of weighted rows, the effective number where
        values are missing.
    trace : tuple of Operator
        Every operator that leads from the empty graph to `cpdag`, in order; none for ``exact``.
    timings : mapping
        Seconds spent: ``moments`` (reading the data and computing statistics) and ``search``.
    counts : mapping
        ``score_evaluations``, ``sweeps``, ``trials``, ``accepted_trials``, and of a refinement
        ``rounds`` and ``kept_rounds``.
    notes : tuple of Note
        What a reader of the result should know: limits met, parent sets refused. Each is text,
        with ``code``, ``columns`` and ``counts`` beside it.
    stopped : str
        Empty if the search ran to its end, else ``"time limit"`` or ``"interrupt"``.
    statistics : Moments, Levels or None
        What the score needs of the data, and explanations too; None if the result was loaded
        from a file without its data. Not compared and not shown.
    held_out : Moments, Levels or None
        The same of the rows that were held out (``learn(…, hold_out=0.5)``), on which effects are
        estimated. Not compared and not shown.
    objective : score or None
        The score with its options. Not compared and not shown.
    fingerprint : Fingerprint or None
        Identifies the data of a loaded result. Not compared and not shown.
    files : tuple of str
        The files that the table was read from, as they were named; none if it came otherwise. Not
        compared and not shown.
    knowledge : Knowledge or None
        What was known beforehand, which all members of `graph` agree with.
    evidence : tuple of Evidence
        What directs edges that the class leaves undirected: interventions, and the curves of
        effects. All members of `graph` agree with it.
    """

    cpdag: CPDAG
    score: float
    search: str
    settings: Settings = field(hash=False)
    n: float
    trace: tuple[Operator, ...]
    timings: Mapping[str, float] = field(compare=False)
    counts: Mapping[str, int] = field(hash=False)
    notes: tuple[Note, ...] = ()
    stopped: str = ""
    statistics: Statistics | None = field(default=None, compare=False)
    objective: Score | None = field(default=None, compare=False)
    fingerprint: Fingerprint | None = field(default=None, compare=False)
    files: tuple[str, ...] = field(default=(), compare=False)
    knowledge: Knowledge | None = None
    evidence: tuple[Evidence, ...] = ()
    held_out: Statistics | None = field(default=None, compare=False)
    # The matrix of the member that scores best, if they differ: bytes, as in `MPDAG`.
    _dag: bytes | None = None

    @property
    def graph(self) -> MPDAG:
        """The members of the class that agree with knowledge and evidence: what they share.

        Without either, it is `cpdag`.
        """
        if self.knowledge is None and not self.evidence:
            return self.cpdag
        if not hasattr(self, "_graph"):
            graph = MPDAG.from_cpdag(self.cpdag, knowledge=self.knowledge, evidence=self.evidence)
            object.__setattr__(self, "_graph", graph)
        return self._graph

    @property
    def best_dag(self) -> Matrix:
        """The matrix of the member of `graph` that scores best; of one if all score the same."""
        if self._dag is None:
            return self.graph.to_dag()
        return np.frombuffer(self._dag, np.uint8).reshape(self.cpdag.d, -1).copy()

    @property
    def moments(self) -> Moments | None:
        """The moments of the data; None for scores of other statistics, and without data."""
        return self.statistics if isinstance(self.statistics, Moments) else None

    @property
    def has_data(self) -> bool:
        """Whether strengths are known; not if it was loaded from a file without its data."""
        return self.statistics is not None and self.objective is not None

    @property
    def gap(self) -> float:
        """An upper bound on how far any graph can score above ``score``; 0 if none does.

        With knowledge, any graph that agrees with it. Computed on first use. With few columns it
        is the distance to the best score of all: up to 20 where the score takes moments, 12 and, of
        at most 10,000 rows, more where it takes rows, 12 for a custom score. With more columns it
        is a bound for the Gaussian BIC, the extended BIC and the degenerate Gaussian, at a cost
        that grows with d³, and infinity for other scores. The bound is well above the true
        distance: by about half a point for each two columns that are not adjacent, and up to the
        penalty of each edge.

        Raises
        ------
        DataError
            If the result has no data.
        """
        if not hasattr(self, "_gap"):
            from greedag.result.optimality_gap import gap

            object.__setattr__(self, "_gap", gap(self))
        return self._gap

    def explain(self, a: str, b: str) -> Explanation:
        """Explain the edge between two columns, or why there is none.

        Parameters
        ----------
        a, b : str
            Two columns.

        Returns
        -------
        Explanation
            Print it for a few sentences: the strength of the edge, when it was added, why it is
            directed; or what an edge would cost. Where members of the class score differently, a
            `DagExplanation`, about the best DAG. Without data no strength is known; the rest is.

        Raises
        ------
        DataError
            If there is no such column.
        """
        from greedag.result.explain import explain

        return explain(self, a, b)

    def strengths(self, *, time_limit: float = 10.0) -> Strengths:
        """Return the strength of each edge, the score lost by removing it, strongest first.

        With it comes the direction margin of each directed edge, the score lost by turning it,
        unless its direction is known beforehand. Where members of the class score differently, both
        are those of the best DAG.

        Parameters
        ----------
        time_limit : float, default 10
            Seconds that the direction margins may take, which are computed once; those not found
            in time are None.

        Raises
        ------
        DataError
            If the result has no data.
        """
        from greedag.result.explain import strengths

        return strengths(self, time_limit)

    def coefficients(self, dag: ArrayLike | None = None) -> Coefficients:
        """Estimate the coefficient of each edge of one member of `graph`.

        They are in the data's own units; where columns were transformed, in those of
        ``Coefficients.units``, such as per unit of log(x).

        Parameters
        ----------
        dag : array_like of shape (d, d), optional
            The matrix of a member of `graph`, its columns labelled or in the order of the
            class; `best_dag` if left out. Coefficients depend on the member: those of an
            undirected edge are only as good as the reason to choose its direction.

        Returns
        -------
        Coefficients
            Coefficients with standard errors, and noise variances, by least squares of each
            column on its parents. Undirected edges are marked.

        Raises
        ------
        DataError
            If the DAG is not a member, there are too few rows, or the result has no
            moments.
        """
        from greedag.result.coefficients import coefficients

        return coefficients(self, dag)

    def curve(self, parent: str, child: str) -> Curve:
        """Return the effect of one column on another, as the score fitted it.

        Parameters
        ----------
        parent, child : str
            An edge of `best_dag`.

        Returns
        -------
        Curve
            With a band; print it for a sentence, or ``plot()`` it. By the additive score a curve or
            a line, whichever scored higher; from moments a line; one value for each level of a
            discrete parent.

        Raises
        ------
        DataError
            If there is no such edge, or the result has neither curves nor moments.
        """
        from greedag.result.curve import curve

        return curve(self, parent, child)

    def compare(self, other: Result | MPDAG) -> Comparison:
        """Compare with another result or class, edge by edge.

        Parameters
        ----------
        other : Result, CPDAG or MPDAG
            Over the same columns, in any order.

        Returns
        -------
        Comparison
            Print it for a table.
        """
        from greedag.result.compare import compare

        return compare(self, other)

    def knowledge_cost(
        self, *, time_limit: float | None = None, n_jobs: int | None = None
    ) -> KnowledgeCost:
        """Return what the data say against the knowledge that the result agrees with.

        The search is repeated without any knowledge and without each statement in turn, with the
        options of the result, from no edges and from its class.

        Parameters
        ----------
        time_limit : float, optional
            Seconds, after which costs are those of the best classes found so far.
        n_jobs : int, optional
            Threads, as in :func:`learn`.

        Raises
        ------
        DataError
            If the result has no data, or was learned without knowledge.
        """
        cost: KnowledgeCost = _extension("knowledge_cost")(
            self, time_limit=time_limit, n_jobs=n_jobs
        )
        return cost

    def stability(self, data: Any, *, draws: int = 100, **options: Any) -> Stability:
        """Learn from many draws of the rows, with the options of this result.

        Parameters
        ----------
        data : table, array_like of shape (n, d), path-like, Moments, Levels or MixedTable
            The data that the result was learned from: it holds no rows.
        draws : int, default 100
            Number of draws.
        **options
            Of :func:`greedag.stability`, in place of those of this result.

        Returns
        -------
        Stability
        """
        found: Stability = _extension("stability")(self, data, draws=draws, **options)
        return found

    def effect(
        self,
        x: str | Sequence[str],
        y: str,
        *,
        data: Any = None,
        level: float = 0.95,
        change: Any = None,
        of: Hashable | None = None,
    ) -> Effect:
        """Estimate by how much one column changes if another is changed.

        The effect is that of an intervention, direct and through other columns. Where the members
        of the graph disagree on it, each value that it may have comes with the share of members
        that have it.

        Parameters
        ----------
        x : str or sequence of str
            The column that is changed, or several that are changed at once.
        y : str
            The column that is looked at.
        data : table, array_like of shape (n, d), path-like, Moments or Levels, optional
            Other rows to estimate from. The rows that the graph was learned from make intervals
            too narrow. Left out, it is estimated on those that ``learn(…, hold_out=0.5)`` held out,
            if any.
        level : float, default 0.95
            Of the interval.
        change : pair, or mapping of columns to pairs, optional
            From what x is changed to what. A continuous column is raised by 1 if it is left out, a
            discrete one is changed from its first level to its last.
        of : hashable, optional
            Of a discrete y, the level whose probability is looked at; the last if it is left out.

        Returns
        -------
        Effect

        Raises
        ------
        DataError
            If the score of the result has no such effects, as with curves, or all rows come from
            experiments and no `data` are given.
        """
        found: Effect = _extension("effect")(
            self, x, y, data=data, level=level, change=change, of=of
        )
        return found

    def effects(self, on: str, *, data: Any = None, level: float = 0.95) -> Effects:
        """Estimate what each of the other columns does to one, as :meth:`effect` does.

        Returns
        -------
        Effects
            A tuple of effects, shown as a table: those of which the least possible size is largest
            first.
        """
        found: Effects = _extension("effects")(self, on, data=data, level=level)
        return found

    def effects_matrix(self, *, data: Any = None) -> EffectsMatrix:
        """Estimate the effects of all columns on all others, as :meth:`effect` does.

        Returns
        -------
        EffectsMatrix
        """
        found: EffectsMatrix = _extension("effects_matrix")(self, data=data)
        return found

    def do(self, values: Mapping[str, Any], *, data: Any = None) -> Prediction:
        """Predict the means of all columns if some are set to values.

        Parameters
        ----------
        values : mapping of str to value
            The columns that are set, and to what: ``{"x": 1.5}``.
        data : table, array_like of shape (n, d), path-like, Moments or Levels, optional
            Other rows to estimate from.

        Returns
        -------
        Prediction
            For each column its mean in the data and then, or the probabilities of its levels; where
            members of the graph disagree, each possible value.
        """
        found: Prediction = _extension("do")(self, values, data=data)
        return found

    def check(self, data: Any = None, *, level: float = 0.05) -> ModelCheck:
        """Check whether the graph and its model fit the data, and say what does not.

        In the order of the best DAG, each column is tested against each earlier one that is not its
        parent, given its parents; all together, by their likelihood. Where there are rows, effects
        are tested for curves, and noise for being normal and evenly spread. Of discrete columns,
        independence alone is tested.

        Parameters
        ----------
        data : table, array_like of shape (n, d), path-like, Moments or Levels, optional
            Other rows to check it on. The rows that it was learned from fit better than others, and
            a result holds no rows to test curves and noise on. Left out, those that were held out
            (``learn(…, hold_out=0.5)``), if any.
        level : float, default 0.05
            How often a true model may fail on rows that it was not learned from.

        Returns
        -------
        ModelCheck

        Raises
        ------
        DataError
            If there are no data, or columns are mixed, or the score fits curves.
        """
        found: ModelCheck = _extension("check")(self, data, level=level)
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result to a JSON file, in one step: whole or not at all.

        The file holds everything but the data, and a fingerprint of these, by which :meth:`load`
        recognises them.

        Parameters
        ----------
        path : path-like
            The file; one that exists is replaced.

        Raises
        ------
        FileError
            If the file cannot be written.
        """
        from greedag.result.serialization import save_result

        save_result(path, self)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        data: Any = None,
        *,
        kinds: Kinds | None = None,
        missing: MissingName | None = None,
        sample_weight: ArrayLike | str | None = None,
        drop: Sequence[str] | str | None = None,
        transform: Transform | None = None,
        na: Sequence[str | float] | str | float | None = None,
        interventions: str | None = None,
    ) -> Result:
        """Read a result that :meth:`save` wrote.

        Parameters
        ----------
        path : path-like
            The file.
        data : table, array_like of shape (n, d), path-like, Moments, Levels or MixedTable, optional
            The data that the result was learned from, which explanations need.
        kinds, missing, sample_weight, drop, transform, na, interventions : optional
            As in :func:`learn`. What is left out is taken from the result's settings; they hold no
            weights, unless these were a column of the table.

        Raises
        ------
        FileError
            If the file is missing, damaged, of a newer version, or holds no result.
        DataError
            If the data are not those that the result was learned from.
        """
        from greedag.result.serialization import load_result

        said = DataOptions(kinds, missing, sample_weight, drop, transform, na, interventions)
        return load_result(path, data, said)

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        title: str = "",
        stability: Stability | None = None,
        effects: bool = True,
        check: ModelCheck | None = None,
    ) -> None:
        """Write a report: one HTML file that can be read offline and passed on.

        If the result was loaded without its data, the strengths of edges and the summary of the
        data are missing, and the report says so.

        Parameters
        ----------
        path : path-like
            The file; one that exists is replaced, whole or not at all.
        title : str, default ""
            Its heading; empty for one that gives the number of columns.
        stability : Stability, optional
            How often draws of the same data find each edge: see :meth:`stability`. The report then
            has these shares, and a section on what they mean.
        effects : bool, default True
            Whether there is a section on what changing one column does to another. It is left out
            with more than 40 columns, and where effects cannot be estimated.
        check : ModelCheck, optional
            Whether the model fits: see :meth:`check`. The report then has a section on it.

        Raises
        ------
        DataError
            If `stability` or `check` has other columns than the result.
        MissingExtraError
            If jinja2 is not installed.
        FileError
            If the file cannot be written.
        """
        _extension("report")(
            self, path, title=title, stability=stability, effects=effects, check=check
        )

    def __repr__(self) -> str:
        state = f", stopped: {printable(self.stopped)}" if self.stopped else ""
        search = printable(self.search)
        return f"<Result of {search}: {self.graph!r}, score {self.score:.10g}{state}>"

    def __str__(self) -> str:
        from greedag.drawing.text import edge_table

        table = edge_table(self.graph, self._known_strengths())
        return "\n".join(
            [self._heading(), table, *(f"note: {printable(note)}" for note in self.notes)]
        )

    def view(self, *, focus: str | None = None, distance: int = 1) -> View:
        """Draw the graph with the strengths of its edges; options as in :meth:`CPDAG.view`."""
        from greedag.drawing.notebook import view

        return view(
            self.graph,
            strengths=self._known_strengths(),
            heading=self._heading(),
            notes=self.notes,
            focus=focus,
            distance=distance,
        )

    def plot(self, ax: Axes | None = None, *, focus: str | None = None, distance: int = 1) -> Axes:
        """Draw the graph with matplotlib; options as in :meth:`CPDAG.plot`."""
        from greedag.drawing.plot import plot

        strengths = self._known_strengths()
        return plot(self.graph, ax, strengths=strengths, focus=focus, distance=distance)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return self.view()._repr_mimebundle_() | {"text/plain": str(self)}

    def _heading(self) -> str:
        edges = len(self.cpdag.directed) + len(self.cpdag.undirected)
        return (
            f"{printable(self.search)}, {score_phrase(self.settings)}: {self.cpdag.d} columns, "
            f"{counted_rows(self.n)} rows, {edges} edge{'' if edges == 1 else 's'}, "
            f"score {self.score:.10g}"
        )

    def _known_strengths(self) -> Strengths | None:
        known = self.has_data and self.cpdag.d <= _MOST_VALUED
        return self.strengths(time_limit=_MARGIN_SECONDS) if known else None


def distance(bound: float, score: float) -> float:
    """Return how far a bound is above a score, 0 where that is rounding."""
    return bound - score if bound > score + 1e-7 + 1e-9 * abs(score) else 0.0


def score_phrase(settings: Settings) -> str:
    """Name the score and its options; the Gaussian BIC by its alpha alone."""
    options = [
        _option_phrase(name.replace("_", " "), value)
        for name, value in settings.items()
        if name not in ("score", *RUN_OPTIONS) and value is not None
    ]
    score = str(settings.get("score", "gaussian-bic"))
    return printable(", ".join(options if score == "gaussian-bic" else [score, *options]))


def _option_phrase(name: str, value: float | str) -> str:
    if isinstance(value, (int, float)):
        return f"{name} {value:g}"
    return value if name == "local score" else f"{value} {name}"


def engine_of(result: Result, purpose: str) -> _core.Score:
    """Return the score of a result's data, or say how to attach them."""
    if result.statistics is None or result.objective is None:
        raise no_data(result, purpose)
    return result.objective.bind(result.statistics, check=False)


def known_by(result: Result) -> _core.Knowledge | None:
    """Return the knowledge of a result as the engine takes it."""
    return None if result.knowledge is None else result.knowledge.bind(result.cpdag.names).engine


def no_data(result: Result, purpose: str) -> DataError:
    """Return the error for a result without its data."""
    if result.objective is None:
        return DataError(
            f"{purpose} needs your own score, which a file cannot hold; use the result that learn "
            "returned"
        )
    return DataError(
        f"{purpose} needs the data, which this result was loaded without; pass the table or "
        "its Moments when loading: Result.load(path, data=table)"
    )


def data_of(result: Result) -> Fingerprint | None:
    """Return the fingerprint of the data that a result was learned from, if it is known."""
    return result.fingerprint if result.statistics is None else result.statistics.fingerprint()


def _extension(method: str) -> Callable[..., Any]:
    """Return the function that stands behind a method of `_EXTENSIONS`."""
    module, name = _EXTENSIONS[method].split(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function
