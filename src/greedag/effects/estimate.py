"""Effects of one column on another, from a graph and the moments of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from greedag._options import DataOptions, as_real
from greedag.drawing.labels import in_words, printable
from greedag.effects.effect import Effect, EffectsMatrix, PossibleEffect, Settling, adjusted
from greedag.errors import DataError, OptionError, quoted
from greedag.graph.adjustment import CausalPaths, Part
from greedag.graph.clique_picking import nodes
from greedag.result.coefficients import regression
from greedag.result.result import Result, no_data
from greedag.result.serialization import as_recorded
from greedag.scores.select import prepare
from greedag.statistics.moments import Moments


class Estimates:
    """Estimates the effects of a graph, each adjustment once."""

    def __init__(self, result: Result, moments: Moments) -> None:
        self.names = result.cpdag.names
        self.paths = CausalPaths(result.graph.to_matrix())
        self._moments = moments
        self._parts: dict[int, list[Part]] = {}

    def of(self, x: int, y: int) -> tuple[PossibleEffect, ...]:
        """Return the values that the graph leaves possible, ascending."""
        shares: dict[int | None, float] = {}
        if not self.paths.possible_descendants(x) >> y & 1:
            shares[None] = 1.0
        elif self.paths.is_amenable(x, y):
            shares[self.paths.optimal_set(x, y)] = 1.0
        else:
            for part in self.parts(x):
                given = part.paths.optimal_set(x, y)
                shares[given] = shares.get(given, 0.0) + float(part.share)
        found = [self.given(x, y, given, share) for given, share in shares.items()]
        return tuple(sorted(found, key=lambda one: one.value))

    def parts(self, x: int) -> list[Part]:
        """Return the members by which neighbours of x are its parents."""
        if x not in self._parts:
            self._parts[x] = self.paths.parts(x)
        return self._parts[x]

    def given(self, x: int, y: int, given: int | None, share: float) -> PossibleEffect:
        """Return the effect of x on y adjusted for a set."""
        if given is None:
            return PossibleEffect(0.0, 0.0, None, share, np.inf)
        others = list(nodes(given))
        fit = regression(self._moments, y, np.array([x, *others]))
        return PossibleEffect(
            float(fit.values[0]),
            float(fit.errors[0]),
            tuple(self.names[other] for other in others),
            share,
            self._moments.n - len(others) - 2,
        )

    def settling(self, x: int, y: int) -> Settling:
        """Return the edge of x whose direction would leave the least range on average."""
        values = [
            self.given(x, y, part.paths.optimal_set(x, y), 1.0).value for part in self.parts(x)
        ]
        found = []
        for other in nodes(self.paths.neighbors[x]):
            width = 0.0
            for is_parent in (0, 1):
                among = [
                    (value, float(part.share))
                    for value, part in zip(values, self.parts(x), strict=True)
                    if part.parents >> other & 1 == is_parent
                ]
                spread = [value for value, _ in among]
                width += (max(spread) - min(spread)) * sum(share for _, share in among)
            found.append((width, other))
        width, other = min(found)
        return Settling(self.names[x], self.names[other], width)


def effect(
    result: Result, x: str, y: str, *, data: Any = None, level: float = 0.95, **said: Any
) -> Effect:
    """Return the effect of one column on another; see :meth:`Result.effect`."""
    share = as_real(level)
    if not 0.0 < share < 1.0:
        raise OptionError(f"level must be between 0 and 1; got {quoted(level)}")
    graph = result.graph
    i, j = graph.index(x), graph.index(y)
    if i == j:
        raise DataError(f"the effect of a column on itself is 1; both are {quoted(x)}")
    estimates = Estimates(result, _moments(result, data, said))
    possible = estimates.of(i, j)
    is_open = len(possible) > 1
    return Effect(
        x=graph.names[i],
        y=graph.names[j],
        possible=possible,
        level=share,
        is_held_out=data is not None or result.held_out is not None,
        why=_why(estimates, i, j, possible),
        settling=estimates.settling(i, j) if is_open else None,
    )


def effects(
    result: Result, on: str, *, data: Any = None, level: float = 0.95, **said: Any
) -> tuple[Effect, ...]:
    """Return the effects of all columns on one; see :meth:`Result.effects`."""
    estimates, y = Estimates(result, _moments(result, data, said)), result.graph.index(on)
    found = [
        Effect(
            x=name,
            y=estimates.names[y],
            possible=(possible := estimates.of(x, y)),
            level=level,
            is_held_out=data is not None or result.held_out is not None,
            why=_why(estimates, x, y, possible),
        )
        for x, name in enumerate(estimates.names)
        if x != y
    ]
    return tuple(sorted(found, key=_least, reverse=True))


def effects_matrix(result: Result, *, data: Any = None, **said: Any) -> EffectsMatrix:
    """Return the effects of all columns on all others; see :meth:`Result.effects_matrix`."""
    estimates = Estimates(result, _moments(result, data, said))
    d = len(estimates.names)
    least, most = np.eye(d), np.eye(d)
    for x in range(d):
        for y in range(d):
            if x != y:
                possible = estimates.of(x, y)
                least[x, y], most[x, y] = possible[0].value, possible[-1].value
    return EffectsMatrix(estimates.names, least, most)


def _least(one: Effect) -> tuple[float, float]:
    """Return the least size that an effect may have, and the largest."""
    sizes = [abs(value) for value in one.values]
    return min(sizes), max(sizes)


def _moments(result: Result, data: Any, said: dict[str, Any]) -> Moments:
    """Return the moments to estimate from: those of other rows, or of the result's."""
    purpose = "estimating effects"
    if data is not None:
        if result.objective is None:
            raise no_data(result, purpose)
        table, about = as_recorded(result, data, DataOptions(**{"missing": None, **said}))
        _, prepared = prepare(table, result.objective, None, replace(about, interventions=None))
        statistics: Any = prepared.statistics
    else:
        statistics = result.statistics if result.held_out is None else result.held_out
    if statistics is None:
        raise no_data(result, purpose)
    if not isinstance(statistics, Moments):
        raise DataError(
            f"{purpose} needs the moments of continuous columns; this result was scored by "
            f"{result.settings.get('score')}",
            code="no-effects",
        )
    if statistics.names != result.cpdag.names:
        raise DataError("the data have other columns than the result", code="other-columns")
    return statistics


def _why(estimates: Estimates, x: int, y: int, possible: Sequence[PossibleEffect]) -> str:
    names = [printable(name) for name in estimates.names]
    if len(possible) > 1:
        around = [names[other] for other in nodes(estimates.paths.neighbors[x])]
        if len(around) == 1:
            return f"The graph leaves open whether {around[0]} is a cause of {names[x]}."
        return f"The graph leaves open which of {in_words(around)} are causes of {names[x]}."
    if possible[0].adjustment is None:
        return f"In no DAG of the graph do arrows lead from {names[x]} to {names[y]}."
    return f"All DAGs of the graph agree, {adjusted(possible[0].adjustment)}."
