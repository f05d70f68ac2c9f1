"""Many effects at once, as tables: those on one column, those of all on all, and predictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from greedag.data.table import Floats
from greedag.drawing.labels import amount, cell_width, labels, padded, printable
from greedag.effects.effect import Effect, adjusted, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_LINES = 40
_NAME_CELLS = 32


class Effects(tuple[Effect, ...]):
    """Effects on one column, the one of which most is certain first: a tuple shown as a table."""

    __slots__ = ()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw all effects that may not be zero, with their intervals; return the axes.

        Where an effect is not identified, the interval runs from the lowest end to the highest.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        from greedag.drawing.intervals import plot_intervals

        shown = [one for one in self if any(each.has_effect for each in one.possible)]
        spans = [(_middle(one), *_span(one)) for one in shown]
        what = f"effect on {printable(self[0].y)}" if self else ""
        return plot_intervals([one.changed[0] for one in shown], spans, what, ax)

    def __repr__(self) -> str:
        return "\n".join(_lines(("changing", "effect", "interval", ""), self._rows())) or "(none)"

    def _repr_html_(self) -> str:
        from greedag.drawing.fragments import Column, fragment, table

        heads = ("name", "number", "word", "text")
        names = ("changing", "effect", "interval", "")
        columns = [Column(name, kind) for name, kind in zip(names, heads, strict=True)]
        return fragment(table(columns, self._rows()))

    def _rows(self) -> list[tuple[str, ...]]:
        return [(one.changed[0], *_cells(one)) for one in self]


def _middle(one: Effect) -> float:
    return sum(value * share for value, share in zip(one.values, one.shares, strict=True))


def _span(one: Effect) -> tuple[float, float]:
    """Return the least and the largest end of the intervals."""
    ends = [each.interval(one.level) for each in one.possible]
    return min(low for low, _ in ends), max(high for _, high in ends)


def _cells(one: Effect) -> tuple[str, str, str]:
    if not any(each.has_effect for each in one.possible):
        return "0", "", "no effect"
    low, high = _span(one)
    span = f"{amount(low)} to {amount(high)}"
    if one.is_identified:
        given = one.possible[0].adjustment
        return signed(one.values[0]), span, "" if given is None else adjusted(given)
    least, most = map(signed, one.bounds)
    return f"{least} to {most}", span, f"{len(one.values)} values are possible"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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

    def __repr__(self) -> str:
        d = len(self.names)
        known = int(np.count_nonzero(self.least == self.most)) - d
        return f"<EffectsMatrix: {d} columns, {known} of {d * (d - 1)} effects identified>"


@dataclass(frozen=True, slots=True)
class PredictedColumn:
    """What becomes of a column when others are set.

    Attributes
    ----------
    name : str
        The column.
    level : str
        Of a discrete column, the level whose probability this is; else empty.
    before : float
        Its mean, or the share of the level, in the data.
    values : tuple of float
        The means that the graph leaves possible, ascending.
    shares : tuple of float
        For each of them, the share of the members that have it.
    """

    name: str
    level: str
    before: float
    values: tuple[float, ...]
    shares: tuple[float, ...]

    @property
    def after(self) -> float | None:
        """The mean, if all members of the graph agree on it."""
        return self.values[0] if len(self.values) == 1 else None


class Prediction(tuple[PredictedColumn, ...]):
    """The columns when some of them are set, in the order of the data: shown as a table."""

    __slots__ = ()

    @property
    def means(self) -> dict[str, float | None]:
        """The mean of each continuous column, None where the graph leaves several."""
        return {one.name: one.after for one in self if not one.level}

    def __repr__(self) -> str:
        return "\n".join(_lines(("", "before", "after", ""), [self._row(one) for one in self]))

    def _repr_html_(self) -> str:
        from greedag.drawing.fragments import Column, fragment, table

        names = (("column", "name"), ("before", "number"), ("after", "word"), ("", "text"))
        columns = [Column(name, kind) for name, kind in names]
        return fragment(table(columns, [self._row(one) for one in self]))

    @staticmethod
    def _row(one: PredictedColumn) -> tuple[str, ...]:
        name = f"{one.name} = {one.level}" if one.level else one.name
        after = amount(one.values[0])
        if len(one.values) == 1:
            return name, amount(one.before), after, ""
        after = f"{after} to {amount(one.values[-1])}"
        return name, amount(one.before), after, f"{len(one.values)} values are possible"


def _lines(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Give the lines of a table for a terminal: names on the left, numbers on the right."""
    if not rows:
        return
    names = labels([row[0] for row in rows[:_MOST_LINES]], _NAME_CELLS, cell_width)
    shown = [(name, *row[1:]) for name, row in zip(names, rows, strict=False)]
    widths = [max(map(cell_width, cells)) for cells in zip(heads, *shown, strict=True)]
    for row in (heads, *shown):
        numbers = (f"{cell:>{wide}}" for cell, wide in zip(row[1:-1], widths[1:-1], strict=True))
        yield "  ".join([padded(row[0], widths[0]), *numbers, row[-1]]).rstrip()
    if len(rows) > len(shown):
        yield f"… and {len(rows) - len(shown)} more"
