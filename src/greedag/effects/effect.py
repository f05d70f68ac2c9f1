"""What changing one column does to another, as records that read as sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from greedag.drawing.labels import amount, in_words, printable
from greedag.statistics.student import two_sided

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class PossibleEffect:
    """The effect in those members of the graph that agree on it.

    Attributes
    ----------
    value : float
        By how much y changes.
    standard_error : float
        Of the value, provided that the graph is right and was not learned from the same rows.
    adjustment : tuple of str, or None
        The columns to adjust for; None if x has no effect on y, or if several columns are changed
        and no set of columns will do for all of them.
    share : float
        Of the members, exact.
    has_effect : bool
        Whether x is a cause of y in these members.
    by_column : tuple of float
        What each of the columns that are changed contributes to the value.
    freedom : float
        Degrees of freedom of the standard error.
    left_out : float
        Of discrete columns: the share of rows that had nothing to be compared with.
    """

    value: float
    standard_error: float
    adjustment: tuple[str, ...] | None
    share: float
    has_effect: bool
    by_column: tuple[float, ...]
    freedom: float
    left_out: float

    def interval(self, level: float) -> tuple[float, float]:
        """Return the confidence interval of a level."""
        if not self.has_effect:
            return 0.0, 0.0
        reach = two_sided(level, self.freedom) * self.standard_error
        return self.value - reach, self.value + reach


@dataclass(frozen=True, slots=True)
class Settling:
    """What would tell most about an effect that is not identified.

    Attributes
    ----------
    edge : tuple of str
        The ends of an undirected edge of x, of which the direction would tell most.
    width : float
        Mean width of the range of values once it is known, members counting alike.
    experiment : str
        The column, other than x, that an experiment should set to tell most.
    experiment_width : float
        Mean width of the range of values after that experiment.
    """

    edge: tuple[str, str]
    width: float
    experiment: str
    experiment_width: float


@dataclass(frozen=True, slots=True, repr=False)
class Effect:
    """The effect of one column on another, or of several at once.

    Make one with :meth:`Result.effect`; ``print`` it to read it.

    Attributes
    ----------
    x : str or tuple of str
        The column that is changed, or several.
    y : str
        The column that is looked at.
    possible : tuple of PossibleEffect
        The values that the graph leaves possible, ascending; one if the effect is identified.
    level : float
        Of intervals.
    n : float
        Number of rows that it was estimated from.
    is_held_out : bool
        Whether these are other rows than the graph was learned from.
    why : str
        What makes the effect known, or leaves it open, as a sentence.
    change : str
        What is done to x, in words.
    outcome : str
        What of y changes, in words.
    settling : Settling or None
        What to find out if the effect is not identified.
    """

    x: str | tuple[str, ...]
    y: str
    possible: tuple[PossibleEffect, ...]
    level: float
    n: float
    is_held_out: bool
    why: str
    change: str
    outcome: str
    settling: Settling | None = None

    @property
    def changed(self) -> tuple[str, ...]:
        """The columns that are changed, be it one or several."""
        return (self.x,) if isinstance(self.x, str) else self.x

    @property
    def is_identified(self) -> bool:
        """Whether all members of the graph agree on the effect."""
        return len(self.possible) == 1

    @property
    def estimate(self) -> float | None:
        """The effect, if it is identified; that of all changes together."""
        return self.possible[0].value if self.is_identified else None

    @property
    def by_column(self) -> dict[str, float] | None:
        """What each column that is changed contributes, if the effect is identified."""
        if not self.is_identified:
            return None
        return dict(zip(self.changed, self.possible[0].by_column, strict=False))

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

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the possible values with their intervals, with matplotlib; return the axes.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        from greedag.drawing.intervals import plot_intervals

        said = [f"{100 * one.share:.3g} % of the DAGs" for one in self.possible]
        spans = [(one.value, *one.interval(self.level)) for one in self.possible]
        names = [""] if self.is_identified else said
        return plot_intervals(names, spans, f"change of {self.outcome} {self.change}", ax)

    def __str__(self) -> str:
        return "\n".join(self._sentences())

    def __repr__(self) -> str:
        return f"<Effect: {self._first_sentence()}>"

    def _repr_html_(self) -> str:
        from greedag.drawing.fragments import fragment, paragraph

        return fragment([paragraph(line.strip()) for line in self._sentences()])

    def _first_sentence(self) -> str:
        if self.is_identified and not self.possible[0].has_effect:
            who = in_words([printable(name) for name in self.changed])
            return f"Changing {who} does not change {printable(self.y)}."
        head = f"{self.change[0].upper()}{self.change[1:]}, {self.outcome} changes by"
        if self.is_identified:
            low, high = self.possible[0].interval(self.level)
            value = signed(self.possible[0].value)
            span = f"{amount(low)} to {amount(high)}"
            return f"{head} {value} ({100 * self.level:g} % interval {span})."
        least, most = map(signed, self.bounds)
        return f"{head} {least} to {most}, depending on what the graph leaves open."

    def _sentences(self) -> Iterator[str]:
        yield self._first_sentence()
        if not self.is_identified:
            for one in self.possible:
                yield f"  {signed(one.value)} in {100 * one.share:.3g} % of the DAGs, {_by(one)}"
        elif len(self.possible[0].by_column) > 1:
            pairs = zip(self.changed, self.possible[0].by_column, strict=True)
            parts = [f"{signed(value)} by {printable(name)}" for name, value in pairs]
            yield f"Of this, {in_words(parts)}."
        yield self.why
        yield from self._settled()
        yield from self._reservations()

    def _settled(self) -> Iterator[str]:
        if self.settling is None:
            return
        a, b = map(printable, self.settling.edge)
        yield f"The direction of {a} - {b} would {_left(self.settling.width)}."
        if self.settling.experiment not in self.settling.edge or self.settling.experiment_width:
            column, width = printable(self.settling.experiment), self.settling.experiment_width
            yield f"An experiment on {column} would {_left(width)}."

    def _reservations(self) -> Iterator[str]:
        if all(not one.has_effect for one in self.possible):
            return
        left_out = max(one.left_out for one in self.possible)
        if left_out:
            yield (
                f"{100 * left_out:.3g} % of the rows are left out: no row that agrees with them in "
                "the columns adjusted for has the other level."
            )
        if not self.is_held_out:
            yield (
                "The graph was learned from the same rows, which makes intervals too narrow: keep "
                "some rows for this (hold_out=0.5), or pass other rows as data."
            )


def signed(value: float) -> str:
    """Return a number with its sign."""
    return f"+{amount(value)}" if value >= 0.0 else amount(value)


def adjusted(names: tuple[str, ...]) -> str:
    """Say what is adjusted for."""
    if not names:
        return "adjusting for nothing"
    return f"adjusting for {in_words([printable(name) for name in names])}"


def _by(one: PossibleEffect) -> str:
    if not one.has_effect:
        return "where there is no effect"
    if one.adjustment is None:
        return "by the effects of single columns"
    return adjusted(one.adjustment)


def _left(width: float) -> str:
    return f"leave a range of {amount(width)} on average" if width else "settle it"
