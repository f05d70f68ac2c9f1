"""How the columns of an additive model follow from their parents, one after the other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from greedag.errors import DataError, option
from greedag.graph.mpdag import Matrix
from greedag.simulate.curves import CURVES, LEVELS, NOISES

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Effect:
    """What a parent adds to the sum of a column: a curve of it, or a value for each level."""

    parent: int
    curve: str
    by_level: tuple[float, ...] = ()

    def of(self, seen: Floats) -> Floats:
        """Return the effect of each row, given the parent as its children see it."""
        if self.curve == LEVELS:
            return np.array(self.by_level)[seen.astype(np.intp)]
        return CURVES[self.curve](seen)


@dataclass(frozen=True, slots=True)
class Mechanism:
    """How one column follows from its parents.

    Attributes
    ----------
    effects : tuple of Effect
        One for each parent.
    levels : int
        Number of levels; 0 for a continuous column.
    slopes : tuple of float
        What the standardised sum adds to the log-odds of each level; if empty, levels are cut.
    centre, scale : float
        Mean and standard deviation of the sum in the rows of the simulation.
    cuts : tuple of float
        Where the sum is cut into levels.
    """

    effects: tuple[Effect, ...]
    levels: int = 0
    slopes: tuple[float, ...] = ()
    centre: float = 0.0
    scale: float = 1.0
    cuts: tuple[float, ...] = ()

    def fitted(self, total: Floats) -> Mechanism:
        """Return the same mechanism with the scale and the cuts of these sums."""
        shares = np.arange(1, self.levels) / max(self.levels, 1)
        return replace(
            self,
            centre=float(total.mean()),
            scale=float(total.std()) or 1.0,
            cuts=tuple(np.quantile(total, shares).tolist()),
        )

    def outcome(self, rng: np.random.Generator, total: Floats) -> Floats:
        """Return the column: the sums themselves, or the number of each row's level."""
        if not self.levels:
            return total
        if not self.slopes:
            return np.asarray(np.searchsorted(self.cuts, total), dtype=np.float64)
        odds = np.outer((total - self.centre) / self.scale, self.slopes)
        # The largest of log-odds plus Gumbel noise is a draw from the multinomial distribution.
        best = np.argmax(odds + rng.gumbel(size=odds.shape), axis=1)
        return np.asarray(best, dtype=np.float64)

    def forced(self, rng: np.random.Generator, n: int, shift: float, spread: float) -> Floats:
        """Return a column that is set from outside, whatever its parents are."""
        if self.levels:
            return rng.integers(self.levels, size=n).astype(np.float64)
        return self.centre + self.scale * (shift + spread * rng.standard_normal(n))


@dataclass(frozen=True, slots=True)
class AdditiveModel:
    """All mechanisms, and what they share.

    Attributes
    ----------
    parents_first : tuple of int
        The columns in an order in which they can be drawn.
    mechanisms : tuple of Mechanism
        One for each column of the table.
    noise : str
        Distribution of the noise.
    noise_sd, limit : float
        Its standard deviation; the bound of what children see of a column.
    names : tuple of str
        Names of the columns.
    """

    parents_first: tuple[int, ...]
    mechanisms: tuple[Mechanism, ...]
    noise: str
    noise_sd: float
    limit: float
    names: tuple[str, ...]

    def first_rows(self, rng: np.random.Generator, n: int) -> tuple[AdditiveModel, Floats]:
        """Draw rows, and return them with the model that has their scales and cuts."""
        mechanisms = list(self.mechanisms)
        values, seen = np.empty((2, n, len(mechanisms)))
        for column in self.parents_first:
            total = self._total(rng, column, seen)
            mechanisms[column] = mechanism = mechanisms[column].fitted(total)
            values[:, column] = mechanism.outcome(rng, total)
            seen[:, column] = self._seen(mechanism, values[:, column])
        return replace(self, mechanisms=tuple(mechanisms)), values

    def rows(
        self, rng: np.random.Generator, n: int, targets: Sequence[int], shift: float, spread: float
    ) -> Floats:
        """Draw rows in which some columns are set from outside."""
        values, seen = np.empty((2, n, len(self.mechanisms)))
        for column in self.parents_first:
            mechanism = self.mechanisms[column]
            if column in targets:
                values[:, column] = mechanism.forced(rng, n, shift, spread)
            else:
                values[:, column] = mechanism.outcome(rng, self._total(rng, column, seen))
            seen[:, column] = self._seen(mechanism, values[:, column])
        return values

    def table(self, values: Floats) -> Floats | dict[str, NDArray[np.generic]]:
        """Return rows as a table: an array, or columns by name if some are discrete."""
        if not any(mechanism.levels for mechanism in self.mechanisms):
            return values
        letters = np.array([*"abcdefgh"])
        return {
            name: letters[column.astype(np.intp)] if mechanism.levels else column
            for name, mechanism, column in zip(self.names, self.mechanisms, values.T, strict=True)
        }

    def _total(self, rng: np.random.Generator, column: int, seen: Floats) -> Floats:
        """Return the sum of the effects on a column, with its noise unless its levels are drawn."""
        mechanism = self.mechanisms[column]
        total = np.zeros(len(seen))
        with np.errstate(over="ignore", invalid="ignore"):
            for effect in mechanism.effects:
                total += effect.of(seen[:, effect.parent])
            spread = total.std()
        if not math.isfinite(spread):
            raise DataError(
                f"the sum of curves of column {self.names[column]!r} is too large for a number",
                remedy=("bound what curves see, such as with ", option("limit", "5")),
                code="overflow",
                columns=(self.names[column],),
            )
        if mechanism.slopes:
            return total
        return total + self.noise_sd * NOISES[self.noise](rng, len(seen))

    def _seen(self, mechanism: Mechanism, values: Floats) -> Floats:
        """Return a column as its children see it: standardised, or the number of its level."""
        if mechanism.levels:
            return values
        z = (values - mechanism.centre) / mechanism.scale
        # Smoothly: a kink of each curve at the limit would be another model.
        return z if math.isinf(self.limit) else self.limit * np.tanh(z / self.limit)


def parents_of(dag: Matrix, column: int) -> list[int]:
    """Return the parents of a column."""
    return np.flatnonzero(dag[:, column]).tolist()


def curves_of(
    mechanisms: Sequence[Mechanism], names: Sequence[str]
) -> Mapping[tuple[str, str], str]:
    """Return the curve of each edge, by the names of parent and child."""
    return {
        (names[effect.parent], names[column]): effect.curve
        for column, mechanism in enumerate(mechanisms)
        for effect in mechanism.effects
    }
