"""What changing one column does to another, as records that read as sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from greedag.drawing.labels import in_words, printable
from greedag.statistics.student import two_sided

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PossibleEffect:
    """The effect in those members of the graph that agree on it.

    Attributes
    ----------
    value : float
        By how much y rises if x is raised by 1.
    standard_error : float
        Of the value, provided that the graph is right and was not learned from the same rows.
    adjustment : tuple of str, or None
        The columns to adjust for; None if x has no effect on y.
    share : float
        Of the members, exact.
    freedom : float
        Degrees of freedom of the standard error.
    """

    value: float
    standard_error: float
    adjustment: tuple[str, ...] | None
    share: float
    freedom: float

    def interval(self, level: float) -> tuple[float, float]:
        """Return the confidence interval of a level."""
        if self.adjustment is None:
            return 0.0, 0.0
        reach = two_sided(level, self.freedom) * self.standard_error
        return self.value - reach, self.value + reach


@dataclass(frozen=True, slots=True)
class Settling:
    """The edge whose direction would tell most about an effect.

    Attributes
    ----------
    a, b : str
        The ends of the edge, undirected in the graph.
    width : float
        Mean width of the range of values once its direction is known, members counting alike.
    """

    a: str
    b: str
    width: float


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of one column on another: by how much y rises if x is raised by 1.

    Make one with :meth:`Result.effect`.

    Attributes
    ----------
    x, y : str
        The column that is changed, and the one that is looked at.
    possible : tuple of PossibleEffect
        The values that the graph leaves possible, ascending; one if the effect is identified.
    level : float
        Of intervals.
    is_held_out : bool
        Whether it was estimated on other rows than the graph was learned from.
    why : str
        What makes the effect known, or leaves it open, as a sentence.
    settling : Settling or None
        Which edge to find out about, if the effect is not identified.
    """

    x: str
    y: str
    possible: tuple[PossibleEffect, ...]
    level: float
    is_held_out: bool
    why: str
    settling: Settling | None = None

    @property
    def is_identified(self) -> bool:
        """Whether all members of the graph agree on the effect."""
        return len(self.possible) == 1

    @property
    def estimate(self) -> float | None:
        """The effect, if it is identified."""
        return self.possible[0].value if self.is_identified else None

    @property
    def standard_error(self) -> float | None:
        """Of the estimate; 0 where there is no effect."""
        return self.possible[0].standard_error if self.is_identified else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Confidence interval of the estimate."""
        return self.possible[0].interval(self.level) if self.is_identified else None

    @property
    def adjustment(self) -> tuple[str, ...] | None:
        """The columns adjusted for, if the effect is identified and there may be one."""
        return self.possible[0].adjustment if self.is_identified else None

    @property
    def values(self) -> tuple[float, ...]:
        """The values that the graph leaves possible, ascending."""
        return tuple(one.value for one in self.possible)

    @property
    def shares(self) -> tuple[float, ...]:
        """For each value, the share of the members that have it."""
        return tuple(one.share for one in self.possible)

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest possible value."""
        return self.possible[0].value, self.possible[-1].value

    def __str__(self) -> str:
        return "\n".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        x, y = printable(self.x), printable(self.y)
        if self.is_identified and self.possible[0].adjustment is None:
            yield f"Changing {x} does not change {y}."
            yield self.why
            return
        if self.is_identified:
            one = self.possible[0]
            low, high = one.interval(self.level)
            yield (
                f"If {x} is raised by 1, {y} changes by {one.value:+.4g} ({100 * self.level:g} % "
                f"interval {low:.4g} to {high:.4g})."
            )
        else:
            low, high = self.bounds
            yield f"If {x} is raised by 1, {y} changes by {low:+.4g} to {high:+.4g}:"
            for one in self.possible:
                yield f"  {one.value:+.4g} in {100 * one.share:.3g} % of the DAGs, {_by(one)}"
        yield self.why
        if self.settling is not None:
            a, b, width = (
                printable(self.settling.a),
                printable(self.settling.b),
                self.settling.width,
            )
            left = f"leave a range of {width:.3g} on average" if width else "settle it"
            yield f"The direction of {a} - {b} would {left}."
        if not self.is_held_out:
            yield (
                "The graph was learned from the same rows, so that the interval is too narrow; "
                "pass other rows as data=, or learn with hold_out=0.5."
            )


def _by(one: PossibleEffect) -> str:
    if one.adjustment is None:
        return "where there is no effect"
    return adjusted(one.adjustment)


def adjusted(names: tuple[str, ...]) -> str:
    """Say what is adjusted for."""
    if not names:
        return "adjusting for nothing"
    return f"adjusting for {in_words([printable(name) for name in names])}"


@dataclass(frozen=True, slots=True, eq=False)
class EffectsMatrix:
    """The effects of all columns on all others; entry (i, j) is that of column i on column j.

    Attributes
    ----------
    names : tuple of str
        The columns.
    least, most : ndarray of shape (d, d)
        The least and the largest value that the graph leaves possible. The diagonal is 1.
    """

    names: tuple[str, ...]
    least: Floats
    most: Floats

    @property
    def estimate(self) -> Floats:
        """The effects that are identified; nan for others."""
        return np.where(self.least == self.most, self.least, np.nan)
