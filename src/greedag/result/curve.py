"""The effect of one column on another, as its score fitted it: a curve, a line, or levels.

All parents of a column are fitted together, by least squares of the column on theirs: with the
additive score, on as many columns of each parent's basis as the score chose; from moments, on the
parents themselves. Covariances are enough for that, so that no rows are needed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from greedag.data.table import Floats
from greedag.drawing.labels import amount, in_words, printable
from greedag.errors import DataError, counted_rows, quoted
from greedag.graph.mpdag import as_name
from greedag.result.coefficients import units_of
from greedag.result.result import Result, no_data
from greedag.scores.interventional import Interventional
from greedag.statistics.basis import BasisMoments
from greedag.statistics.curves import Curves, Indicators
from greedag.statistics.environments import Environments
from greedag.statistics.moments import Moments

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from greedag.drawing.effects import Plotted, Spark

_POINTS = 101
_NONE, _NO_CURVES = np.empty(0), np.empty((0, 0))
# Of a normal distribution: 95 % lie within so many standard deviations, and nearly all within two.
_OF_95_PERCENT = 1.959963984540054
_WIDE = 2.0
_MOST_LEVELS = 8
# Of the standardised columns that are fitted: less is rounding.
_LEAST_VARIANCE = 1e-12


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Curve:
    """The effect of one column on another. ``str()`` of it is a sentence; a notebook draws it.

    The effects of a column's parents add up. Each is known but for a constant, and centred here:
    its mean over the data is 0.

    Attributes
    ----------
    parent, child : str
        The two columns.
    x : ndarray
        Values of the parent, ascending from its smallest to its largest; the levels of a discrete
        one. Where the score takes moments, up to two standard deviations from the mean.
    effect : ndarray
        At each of them, how far the child is above its mean, the other parents being the same; in
        the child's units.
    low, high : ndarray
        A pointwise band of 95 %, provided that the DAG and the form of the curve are right and were
        not chosen by the same data.
    degree : int
        By how many columns the parent was fitted: 1 for a line, more for a curve; of levels, one
        less than there are.
    edge : str
        ``"→"`` if every member of the graph has it so; ``"-"`` if the graph leaves it undirected.
    units : tuple of str
        What the parent and the child are measured in: their names, or such as ``"log(x)"``.
    """

    parent: str
    child: str
    x: Any
    effect: Floats
    low: Floats
    high: Floats
    degree: int
    edge: str = "→"
    units: tuple[str, str] = ("", "")

    @property
    def is_linear(self) -> bool:
        """Whether the effect is a straight line."""
        return self.degree == 1 and not self.is_discrete

    @property
    def is_discrete(self) -> bool:
        """Whether the parent is discrete, so that each level has an effect."""
        return bool(self.x.dtype == object)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the effect and its band with matplotlib, on given or new axes; return the axes.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        from greedag.drawing.effects import plot_effect

        return plot_effect(self._plotted(), ax)

    @property
    def svg(self) -> str:
        """The drawing that a notebook shows: one ``<svg>`` element."""
        from greedag.drawing.effects import effect_svg

        return effect_svg(self._plotted())

    def __str__(self) -> str:
        tail, head = printable(self.parent), printable(self.child)
        open_edge = "" if self.edge == "→" else f" (undirected, here {tail} → {head})"
        return f"The effect of {tail} on {head}{open_edge} {self._shape()}."

    def __repr__(self) -> str:
        return f"<Curve: {self}>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from greedag.drawing.fragments import fragment, paragraph

        html = fragment([paragraph(str(self)), self.svg])
        return {"text/plain": str(self), "text/html": html}

    def _shape(self) -> str:
        """Say in words what the effect looks like."""
        tail, head = map(printable, self.units)
        if self.is_discrete:
            said = [
                f"{printable(str(level))} {_signed(effect)}"
                for level, effect in zip(self.x, self.effect, strict=True)
            ]
            return f"by level: {in_words(said, _MOST_LEVELS)}"
        if self.is_linear:
            slope, error = self._slope()
            low, high = slope - error, slope + error
            return (
                f"is a line: {head} changes by {_signed(slope)} ({_signed(low)} to "
                f"{_signed(high)}) when {tail} rises by 1"
            )
        least, most = int(self.effect.argmin()), int(self.effect.argmax())
        ends = [
            f"{word}, {_signed(self.effect[place])}, at {tail} = {amount(self.x[place])}"
            for word, place in (("lowest", least), ("highest", most))
        ]
        return f"bends ({self.degree} columns of curve, against 1 for a line): {ends[0]}; {ends[1]}"

    def _slope(self) -> tuple[float, float]:
        """Return the slope of a line, and how far its 95 % band reaches."""
        length = float(self.x[-1] - self.x[0])
        slope = float(self.effect[-1] - self.effect[0]) / length
        # The band is as wide as the distance from the mean, where the line is 0.
        width = float(self.high[-1] - self.low[-1] + self.high[0] - self.low[0]) / 2.0
        return slope, width / length

    def _plotted(self) -> Plotted:
        from greedag.drawing.effects import Plotted

        levels = tuple(map(str, self.x)) if self.is_discrete else ()
        at = list(range(len(self.x))) if levels else self.x.tolist()
        effect, low, high = (each.tolist() for each in (self.effect, self.low, self.high))
        return Plotted(at, effect, low, high, levels, *self.units)

    def spark(self) -> Spark:
        """Return the effect as a small line, for a report."""
        from greedag.drawing.effects import spark

        return spark(self._plotted(), str(self))


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{amount(float(value))}"


def curve(result: Result, parent: str, child: str) -> Curve:
    """Return the effect of one column on another; see :meth:`Result.curve`."""
    x, y = (result.cpdag.index(name) for name in (parent, child))
    effects = Effects(result)
    if not effects.dag[x, y]:
        raise _no_arc(result, as_name(parent), as_name(child))
    return effects.curves(y)[x]


def _no_arc(result: Result, parent: str, child: str) -> DataError:
    graph, a, b = result.graph, quoted(parent), quoted(child)
    mark = graph.edge(parent, child)
    if parent == child:
        problem, remedy = f"{a} has no effect on itself", "name two columns"
    elif not mark:
        problem, remedy = f"there is no edge {a} → {b}", "result.explain says why"
    else:
        known = "is undirected, and the best DAG has" if mark == "-" else "is"
        problem = f"there is no edge {a} → {b}: it {known} {b} → {a}"
        remedy = f"ask for result.curve({child!r}, {parent!r})"
    return DataError(problem, remedy=remedy, code="no-edge", columns=(parent, child))


class Effects:
    """The effects of parents on children in the best DAG of a result.

    Raises
    ------
    DataError
        If the result has no data.
    """

    def __init__(self, result: Result) -> None:
        if result.statistics is None or result.objective is None:
            raise no_data(result, "an effect")
        self.result, self.dag = result, result.best_dag
        self._scores: dict[int, Any] = {}
        self._parts, self._part_of = [result.statistics], [0] * result.cpdag.d
        if isinstance(result.statistics, Environments):
            self._parts, self._part_of = result.statistics.parts(), result.statistics.part_of

    def columns(self, y: int) -> dict[int, list[int]]:
        """Return by which columns of its basis each parent enters; none where none can bend."""
        counted = self.counted(y)
        if not isinstance(counted, BasisMoments) or counted.kinds[y] == "discrete":
            return {}
        parents, varying = self._parents(y), counted.varying()
        chosen = zip(parents, self._bound(y).chosen(y, parents), strict=True)
        found = {}
        for x, places in chosen:
            curves, steps = varying[x]
            found[x] = [[*curves, *steps][place] - counted.starts[x] for place in places]
        return found

    def curves(self, y: int) -> dict[int, Curve]:
        """Return the effects of all parents of a column."""
        names, directed = self.result.cpdag.names, set(self.result.graph.directed)
        fit, units = self._fit(y), units_of(self.result)
        return {
            x: fit.curve(
                place,
                parent=names[x],
                child=names[y],
                edge="→" if (names[x], names[y]) in directed else "-",
                units=(units.get(names[x], names[x]), units.get(names[y], names[y])),
            )
            for place, x in enumerate(self._parents(y))
        }

    def _parents(self, y: int) -> list[int]:
        return [int(x) for x in np.flatnonzero(self.dag[:, y])]

    def counted(self, y: int) -> Any:
        """Return the statistics of the rows that a column is scored on."""
        return self._parts[self._part_of[y]]

    def _bound(self, y: int) -> Any:
        """Return the engine's score of a column."""
        place, score = self._part_of[y], self.result.objective
        if place not in self._scores:
            part = self._parts[place]
            if isinstance(score, Interventional):
                score = score.of_part(part.n, self.result.n)
            assert score is not None
            self._scores[place] = score.bind(part, check=False)
        return self._scores[place]

    def _fit(self, y: int) -> _Fit:
        counted, parents = self.counted(y), self._parents(y)
        if isinstance(counted, Moments):
            return _Fit.of_moments(counted, y, parents)
        if not isinstance(counted, BasisMoments):
            raise DataError(
                "curves come from the additive score or from moments; this result was scored by "
                f"{self.result.settings.get('score')}",
                remedy="learn with score='additive'",
                code="no-curves",
            )
        if counted.kinds[y] == "discrete":
            raise DataError(
                f"{quoted(counted.names[y])} is discrete: an effect on its levels is no curve",
                remedy="result.strengths() says how strong it is",
                code="no-curves",
                columns=(counted.names[y],),
            )
        return _Fit.of_basis(counted, y, self.columns(y))


@dataclass(frozen=True, slots=True)
class _Fit:
    """The least squares of a column on its parents, all in standardised units.

    Attributes
    ----------
    bases : list of Basis
        That of each parent.
    chosen : list of list of int
        Which columns of these are fitted.
    places : list of list of int
        Where these are among all fitted columns.
    mean : ndarray
        Of each fitted column.
    slopes, covariance : ndarray
        Their coefficients, and how these vary from sample to sample.
    unit : float
        Of the child, in the data's units.
    """

    bases: list[Any]
    chosen: list[list[int]]
    places: list[list[int]]
    mean: Floats
    slopes: Floats
    covariance: Floats
    unit: float

    @classmethod
    def of_moments(cls, moments: Moments, y: int, parents: list[int]) -> _Fit:
        """Fit a column by its parents themselves."""
        means = np.zeros(moments.d) if moments.mean is None else moments.mean
        deviations = moments.deviations
        bases = [
            Curves(float(means[p]), float(deviations[p]), 0, math.inf, _NONE, _NO_CURVES, _NONE)
            for p in parents
        ]
        columns = [*parents, y]
        covariance = moments.correlations_of(columns).astype(np.float64)
        places = [[i] for i in range(len(parents))]
        zero = np.zeros(len(parents))
        return cls(
            bases,
            [[0] for _ in parents],
            places,
            zero,
            *_regression(covariance, moments.n, moments.names[y]),
            float(deviations[y]),
        )

    @classmethod
    def of_basis(cls, counted: BasisMoments, y: int, chosen: Mapping[int, list[int]]) -> _Fit:
        """Fit a column by some columns of its parents' bases."""
        starts, moments = counted.starts, counted.moments
        columns: list[int] = []
        places = []
        for parent, own_columns in chosen.items():
            places.append(list(range(len(columns), len(columns) + len(own_columns))))
            columns += [starts[parent] + column for column in own_columns]
        assert moments.mean is not None
        covariance = moments.covariance[np.ix_([*columns, starts[y]], [*columns, starts[y]])]
        own = counted.bases[y]
        assert isinstance(own, Curves)
        return cls(
            [counted.bases[parent] for parent in chosen],
            [*chosen.values()],
            places,
            moments.mean[columns],
            *_regression(covariance, counted.n, counted.names[y]),
            math.ldexp(own.deviation, own.exponent),
        )

    def curve(self, place: int, **named: Any) -> Curve:
        """Return the effect of one parent."""
        basis, columns = self.bases[place], self.places[place]
        values = _values(basis)
        rows = basis.columns(values)[:, self.chosen[place]] - self.mean[columns]
        effect = rows @ self.slopes[columns]
        spread = rows @ self.covariance[np.ix_(columns, columns)]
        reach = _OF_95_PERCENT * np.sqrt(np.maximum((spread * rows).sum(axis=1), 0.0))
        return Curve(
            x=values,
            effect=effect * self.unit,
            low=(effect - reach) * self.unit,
            high=(effect + reach) * self.unit,
            degree=len(columns),
            **named,
        )


def _regression(covariance: Floats, n: float, child: str) -> tuple[Floats, Floats]:
    """Return the slopes of the last column on the others, and the covariances of these."""
    within, across = covariance[:-1, :-1], covariance[:-1, -1]
    freedom = n - len(across) - 1
    try:
        inverse = np.linalg.inv(within)
    except np.linalg.LinAlgError:
        inverse = np.full_like(within, np.nan)
    slopes = inverse @ across
    noise = float(covariance[-1, -1] - across @ slopes)
    if freedom < 1 or not noise > _LEAST_VARIANCE:
        raise DataError(
            f"the parents of {quoted(child)} fit it exactly in {counted_rows(n)} rows; an effect "
            "needs more rows"
        )
    return slopes, np.asarray(inverse * (noise / freedom), dtype=np.float64)


def _values(basis: Any) -> Any:
    """Return values of a column to show its effect at."""
    if isinstance(basis, Indicators):
        return np.array([*basis.labels, None], dtype=object)[:-1]
    low, high = (basis.knots[0], basis.knots[-1]) if len(basis.knots) else (-_WIDE, _WIDE)
    units = np.linspace(low, high, _POINTS)
    return (basis.mean + basis.deviation * units) * math.ldexp(1.0, basis.exponent)
