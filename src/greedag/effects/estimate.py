"""Effects of columns on others, from a graph and what was counted of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from greedag.effects.effect import PossibleEffect, Settling
from greedag.effects.linear import Fit, LinearFits
from greedag.errors import DataError, listed
from greedag.graph.adjustment import CausalPaths, Part
from greedag.graph.clique_picking import nodes, reached
from greedag.graph.identification import Judge
from greedag.graph.mpdag import MPDAG
from greedag.statistics.moments import Moments

# Effects in a generic model that differ by less are the same function of the distribution.
_SAME = 1e-6
# A model of which 10⁹ rows were seen: only its covariances count.
_MANY_ROWS = 10**9


class Estimates:
    """Estimates the effects of a graph.

    Parameters
    ----------
    graph : MPDAG
        With the columns that `fits` have, in the same order.
    fits : LinearFits or CountedFits
        By what effects are fitted.
    changes : mapping of int to change, optional
        What is done to columns, where it is not the usual change.
    """

    def __init__(self, graph: MPDAG, fits: Any, changes: Mapping[int, Any] | None = None) -> None:
        self.names = graph.names
        self.paths = CausalPaths(graph.to_matrix())
        self.fits = fits
        self._graph = graph
        self._changes: dict[int, Any] = dict(changes or {})
        self._parts: dict[int, list[Part]] = {}
        self._joint: dict[tuple[int, ...], list[tuple[Fraction, CausalPaths]]] = {}

    def of(self, xs: Sequence[int], y: int) -> tuple[PossibleEffect, ...]:
        """Return the values that the graph leaves possible, ascending."""
        found = self._of_one(xs[0], y) if len(xs) == 1 else self._of_several(tuple(xs), y)
        return tuple(sorted(found, key=lambda one: one.value))

    def sets(self, x: int, y: int) -> dict[int | None, float]:
        """Return what to adjust for, each set with the share of members; None for no effect."""
        if not self.paths.possible_descendants(x) >> y & 1:
            return {None: 1.0}
        if self.paths.is_amenable(x, y):
            return {self.paths.optimal_set(x, y): 1.0}
        shares: dict[int | None, float] = {}
        for part in self.parts(x):
            given = part.paths.optimal_set(x, y)
            shares[given] = shares.get(given, 0.0) + float(part.share)
        return shares

    def plans(self, xs: Sequence[int], y: int) -> list[tuple[float, tuple[int, ...], list[int]]]:
        """Return shares of members with the columns that have an effect and what to adjust for.

        DataError if several columns are changed, and no set of columns will do.
        """
        if len(xs) == 1:
            return [
                (share, () if given is None else (xs[0],), list(nodes(given or 0)))
                for given, share in self.sets(xs[0], y).items()
            ]
        found = []
        for share, plan in self.joint_plans(tuple(xs), y):
            self._check(plan, y)
            found.append((share, plan.active, list(plan.given or ())))
        return found

    def joint_plans(self, xs: tuple[int, ...], y: int) -> list[tuple[float, Plan]]:
        """Return how to estimate the effect of several changes, with shares of members.

        Members whose effects are the same function of the distribution share a plan. That is
        judged in one model with random coefficients, in which others differ for sure.
        """
        if xs not in self._joint:
            self._joint[xs] = self.paths.joint_parts(xs)
        groups: list[tuple[tuple[float, ...], list[tuple[Fraction, Plan]]]] = []
        for share, paths in self._joint[xs]:
            plan = Plan.of(paths, xs, y)
            values = tuple(plan.fit(self._generic, dict.fromkeys(xs, np.ones(1))).by_column)
            for known, members in groups:
                if np.allclose(known, values, rtol=0.0, atol=_SAME):
                    members.append((share, plan))
                    break
            else:
                groups.append((values, [(share, plan)]))
        return [
            (float(sum(share for share, _ in members)), max(members, key=lambda one: one[0])[1])
            for _, members in groups
        ]

    def parts(self, x: int) -> list[Part]:
        """Return the members by which neighbours of x are its parents."""
        if x not in self._parts:
            self._parts[x] = self.paths.parts(x)
        return self._parts[x]

    def change(self, x: int) -> Any:
        """Return what is done to a column."""
        if x not in self._changes:
            self._changes[x] = self.fits.usual_change(x)
        return self._changes[x]

    def given(self, x: int, y: int, given: int | None, share: float) -> PossibleEffect:
        """Return the effect of x on y adjusted for a set."""
        if given is None:
            return _possible(Fit((0.0,), 0.0), None, share, has_effect=False)
        others = list(nodes(given))
        fit = self.fits.given([x], y, others, {x: self.change(x)})
        return _possible(fit, tuple(self.names[other] for other in others), share)

    def settling(self, x: int, y: int) -> Settling:
        """Return what would leave the least range of values on average."""
        found = [
            (part, self.given(x, y, part.paths.optimal_set(x, y), 1.0).value)
            for part in self.parts(x)
        ]
        edges = []
        for other in nodes(self.paths.neighbors[x]):
            by_direction: dict[Any, list[tuple[float, float]]] = {}
            for part, value in found:
                is_parent = part.parents >> other & 1
                by_direction.setdefault(is_parent, []).append((value, float(part.share)))
            edges.append((_width(by_direction), other))
        width, other = min(edges)
        left, column = min(self._experiments(x, y))
        return Settling((self.names[x], self.names[other]), width, self.names[column], left)

    def _experiments(self, x: int, y: int) -> list[tuple[float, int]]:
        """Return the mean range that an experiment on each column near x would leave.

        An experiment directs all edges of the column that it sets.
        """
        near = self.paths.neighbors[x]
        found = []
        for other in nodes(near):
            by_parents: dict[Any, list[tuple[float, float]]] = {}
            for first in self.parts(other):
                for second in first.paths.parts(x):
                    value = self.given(x, y, second.paths.optimal_set(x, y), 1.0).value
                    share = float(first.share * second.share)
                    by_parents.setdefault(first.parents, []).append((value, share))
            found.append((_width(by_parents), other))
        return found

    def _of_one(self, x: int, y: int) -> list[PossibleEffect]:
        return [self.given(x, y, given, share) for given, share in self.sets(x, y).items()]

    def _of_several(self, xs: tuple[int, ...], y: int) -> list[PossibleEffect]:
        changes = {x: self.change(x) for x in xs}
        found = []
        for share, plan in self.joint_plans(xs, y):
            names = None if plan.given is None else tuple(self.names[v] for v in plan.given)
            self._check(plan, y)
            fit = plan.fit(self.fits, changes)
            found.append(_possible(fit, names, share, has_effect=bool(plan.active)))
        return found

    def _check(self, plan: Plan, y: int) -> None:
        if plan.active and plan.given is None and not self.fits.is_recursive:
            raise DataError(
                f"no set of columns can be adjusted for to tell what changing "
                f"{listed([self.names[x] for x in plan.active])} at once does to {self.names[y]!r}",
                remedy="ask for the effect of each alone",
                code="no-adjustment",
            )

    @cached_property
    def _generic(self) -> LinearFits:
        """A linear model with random coefficients, to which some member belongs."""
        d = len(self.names)
        random = np.random.default_rng(d)
        signs = random.choice([-1.0, 1.0], (d, d))
        weights = self._graph.to_dag() * random.uniform(0.3, 0.9, (d, d)) * signs
        spread = np.linalg.inv(np.eye(d) - weights)
        covariance = spread.T @ np.diag(random.uniform(0.5, 1.5, d)) @ spread
        return LinearFits(
            Moments(n=_MANY_ROWS, covariance=covariance, names=self.names), self.names
        )


class Plan:
    """How to estimate the effect of several changes at once.

    Attributes
    ----------
    xs, active : tuple of int
        The columns that are changed, and those of them that have an effect on y.
    given : tuple of int, or None
        What to adjust for; None if no set will do.
    """

    def __init__(
        self,
        xs: tuple[int, ...],
        y: int,
        active: tuple[int, ...],
        given: tuple[int, ...] | None,
        sets: Mapping[tuple[int, int], Sequence[int] | None],
    ) -> None:
        self.xs, self.active, self.given = xs, active, given
        self._y, self._sets = y, sets

    @classmethod
    def of(cls, paths: CausalPaths, xs: tuple[int, ...], y: int) -> Plan:
        """Return the plan for a graph in which all edges of `xs` are directed."""
        X = sum(1 << x for x in xs)
        before = reached(paths.parents, 1 << y, paths.everywhere & ~X)
        active = tuple(x for x in xs if paths.children[x] & before)
        X = sum(1 << x for x in active)
        given: tuple[int, ...] | None = None
        sets: dict[tuple[int, int], Sequence[int] | None] = {}
        if active:
            chosen = paths.joint_set(X, y)
            if Judge(paths.cells).is_jointly_valid(X, y, chosen):
                given = tuple(nodes(chosen))
            for x in active:
                for other in (*active, y):
                    if x != other:
                        found = paths.optimal_set(x, other)
                        sets[x, other] = None if found is None else list(nodes(found))
        return cls(xs, y, active, given, sets)

    def fit(self, fits: Any, changes: Mapping[int, Any]) -> Fit:
        """Return the effect, with a part for each changed column unless there is only one."""
        if not self.active:
            return Fit((0.0,) * len(self.xs), 0.0)
        fit: Fit
        if self.given is not None:
            fit = fits.given(self.active, self._y, self.given, changes)
        else:
            fit = fits.recursive(self.active, self._y, self._sets, changes)
        if len(fit.by_column) != len(self.active):
            return fit
        parts = dict(zip(self.active, fit.by_column, strict=True))
        by_column = tuple(parts.get(x, 0.0) for x in self.xs)
        return Fit(by_column, fit.standard_error, fit.freedom, fit.left_out)


def _possible(
    fit: Fit, adjustment: tuple[str, ...] | None, share: float, *, has_effect: bool = True
) -> PossibleEffect:
    return PossibleEffect(
        value=fit.value,
        standard_error=fit.standard_error,
        adjustment=adjustment,
        share=share,
        has_effect=has_effect,
        by_column=fit.by_column,
        freedom=fit.freedom,
        left_out=fit.left_out,
    )


def _width(groups: Mapping[Any, Sequence[tuple[float, float]]]) -> float:
    """Return the mean range of values with shares, within groups."""
    total = 0.0
    for among in groups.values():
        values = [value for value, _ in among]
        total += (max(values) - min(values)) * sum(share for _, share in among)
    return total
