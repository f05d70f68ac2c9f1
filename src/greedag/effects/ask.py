"""Questions about effects, as :class:`greedag.Result` asks them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from greedag._options import as_real
from greedag.drawing.labels import in_words, printable
from greedag.effects.counts import CountedFits
from greedag.effects.effect import Effect, PossibleEffect, Settling, adjusted
from greedag.effects.effect_data import fits_of, statistics_of
from greedag.effects.effect_tables import Effects, EffectsMatrix
from greedag.effects.estimate import Estimates
from greedag.errors import DataError, OptionError, quoted
from greedag.graph.clique_picking import nodes
from greedag.result.coefficients import units_of
from greedag.result.result import Result

# Beyond so many sets of parents, what would settle an effect is not looked for.
_MOST_SETTLED = 200


def effect(
    result: Result,
    x: str | Sequence[str],
    y: str,
    *,
    data: Any = None,
    level: float = 0.95,
    change: Any = None,
    of: Hashable | None = None,
) -> Effect:
    """Return the effect of columns on another; see :meth:`Result.effect`."""
    names = [x] if isinstance(x, str) else list(x)
    xs, head = _places(result, names, y)
    question = Question(result, data, level, of)
    ends = _ends(result, names, change)
    changes = {place: question.fits.change(place, *pair) for place, pair in ends.items()}
    found = question.asked(Estimates(result.graph, question.fits, changes), xs, head, ends)
    return found


def effects(result: Result, on: str, *, data: Any = None, level: float = 0.95) -> Effects:
    """Return the effects of all columns on one; see :meth:`Result.effects`."""
    question, y = Question(result, data, level), result.graph.index(on)
    estimates = Estimates(result.graph, question.fits)
    others = [x for x in range(result.graph.d) if x != y]
    found = [question.asked(estimates, [x], y, {}, settles=False) for x in others]
    return Effects(sorted(found, key=_least, reverse=True))


def effects_matrix(result: Result, *, data: Any = None) -> EffectsMatrix:
    """Return the effects of all columns on all others; see :meth:`Result.effects_matrix`."""
    statistics, _ = statistics_of(result, data)
    estimates = Estimates(result.graph, fits_of(result, statistics))
    d = len(estimates.names)
    least, most = np.eye(d), np.eye(d)
    for x in range(d):
        for y in range(d):
            if x != y:
                possible = estimates.of([x], y)
                least[x, y], most[x, y] = possible[0].value, possible[-1].value
    return EffectsMatrix(estimates.names, least, most)


class Question:
    """What effects are estimated from, and how they are worded."""

    def __init__(self, result: Result, data: Any, level: float, of: Hashable | None = None) -> None:
        self._level = as_real(level)
        if not 0.0 < self._level < 1.0:
            raise OptionError(f"level must be between 0 and 1; got {quoted(level)}")
        statistics, self._is_held_out = statistics_of(result, data)
        self._names, self._n = result.cpdag.names, statistics.n
        self._units = units_of(result)
        self.fits: Any = fits_of(result, statistics, of)

    def asked(
        self,
        estimates: Estimates,
        xs: Sequence[int],
        y: int,
        ends: Mapping[int, tuple[Any, Any]],
        *,
        settles: bool = True,
    ) -> Effect:
        """Return the effect of columns on another, with its words."""
        found = estimates.of(xs, y)
        return Effect(
            x=self._names[xs[0]] if len(xs) == 1 else tuple(self._names[x] for x in xs),
            y=self._names[y],
            possible=found,
            level=self._level,
            n=self._n,
            is_held_out=self._is_held_out,
            why=_why(estimates, xs, y, found),
            change=self._change(xs, ends),
            outcome=self._outcome(y),
            settling=_settling(estimates, xs, y, found) if settles else None,
        )

    def _change(self, xs: Sequence[int], ends: Mapping[int, tuple[Any, Any]]) -> str:
        """Say what is done to columns."""
        raised = [self._shown(x) for x in xs if x not in ends and x not in self.fits.labels]
        said = []
        for x in xs:
            if x in ends or x in self.fits.labels:
                levels = self.fits.labels.get(x, ())
                start, end = ends.get(x) or (levels[0], levels[-1])
                said.append(f"{self._shown(x)} is changed from {_said(start)} to {_said(end)}")
        if raised:
            said.append(
                f"{in_words(raised)} {'is' if len(raised) == 1 else 'are each'} raised by 1"
            )
        return f"if {in_words(said)}"

    def _outcome(self, y: int) -> str:
        """Say what of a column is looked at."""
        if isinstance(self.fits, CountedFits):
            label = self.fits.labels[y][self.fits.of(y)]
            return f"the probability of {self._shown(y)} = {_said(label)}"
        return self._shown(y)

    def _shown(self, column: int) -> str:
        name = self._names[column]
        return self._units.get(name, printable(name))


def _places(result: Result, xs: Sequence[str], y: str) -> tuple[list[int], int]:
    """Return where columns stand."""
    changed, head = [result.graph.index(x) for x in xs], result.graph.index(y)
    if not changed or len(set(changed)) < len(changed):
        raise OptionError(f"x must name one or more columns, each once; got {quoted(xs)}")
    if head in changed:
        raise DataError(f"the effect of a column on itself is 1; both are {quoted(y)}")
    return changed, head


def _ends(result: Result, xs: Sequence[str], change: Any) -> dict[int, tuple[Any, Any]]:
    """Return from what to what columns are changed, where that was said."""
    if change is None:
        return {}
    given = change if isinstance(change, Mapping) else {xs[0]: change}
    wrong = [name for name in given if name not in xs]
    if wrong or (len(xs) > 1 and not isinstance(change, Mapping)):
        raise OptionError(
            "change must map columns that are changed to pairs of values, such as "
            f"{{{xs[0]!r}: (0, 1)}}; got {quoted(change)}"
        )
    for name, pair in given.items():
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise OptionError(
                f"change of {quoted(name)} must be a pair of values, from and to; got "
                f"{quoted(pair)}"
            )
    return {result.graph.index(name): (pair[0], pair[1]) for name, pair in given.items()}


def _settling(
    estimates: Estimates, xs: Sequence[int], y: int, found: Sequence[PossibleEffect]
) -> Settling | None:
    if len(found) == 1 or len(xs) > 1 or len(estimates.parts(xs[0])) > _MOST_SETTLED:
        return None
    return estimates.settling(xs[0], y)


def _least(one: Effect) -> tuple[float, float]:
    """Return the least size that an effect may have, and the largest."""
    sizes = [abs(value) for value in one.values]
    return min(sizes), max(sizes)


def _why(estimates: Estimates, xs: Sequence[int], y: int, found: Sequence[PossibleEffect]) -> str:
    names = [printable(name) for name in estimates.names]
    changed = in_words([names[x] for x in xs])
    if len(found) > 1:
        near = {other for x in xs for other in nodes(estimates.paths.neighbors[x])}
        around = [names[other] for other in sorted(near - set(xs))]
        if len(xs) > 1:
            return f"The graph leaves open directions of edges of {changed}."
        if len(around) == 1:
            return f"The graph leaves open whether {around[0]} is a cause of {changed}."
        return f"The graph leaves open which of {in_words(around)} are causes of {changed}."
    if not found[0].has_effect:
        return f"In no DAG of the graph do arrows lead from {changed} to {names[y]}."
    if found[0].adjustment is None:
        return "All DAGs of the graph agree, by the effects of single columns on each other."
    return f"All DAGs of the graph agree, {adjusted(found[0].adjustment)}."


def _said(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else printable(str(value))
