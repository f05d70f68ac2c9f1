"""Rows of several experiments, counted apart: what scores need where some columns were set.

A column's local score is counted on the rows in which the column was not set. All these rows share
one mean: where an experiment shifts a parent, its children shift with it, and that tells more about
the effect than anything within one environment. Columns that were set in the same environments
share a *part*, the statistics of all other environments together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

from greedag.drawing.labels import in_words
from greedag.errors import Note, counted_rows, different_columns, listed, quoted
from greedag.statistics.fingerprint import Fingerprint
from greedag.statistics.levels import Levels

# Of an environment: fewer rows tell little of what was set there.
_FEW_ROWS = 10


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Environments:
    """What was counted of the rows of each environment, and which columns were set there.

    ``+`` merges those of two tables.

    Attributes
    ----------
    targets : tuple of tuple of int
        For each environment the columns that were set, ascending; none where rows were observed.
    counted : tuple of Moments, Levels or MixedTable
        For each environment the statistics of its rows.
    """

    targets: tuple[tuple[int, ...], ...]
    counted: tuple[Any, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        names: tuple[str, ...] = self.counted[0].names
        return names

    @property
    def kinds(self) -> tuple[str, ...] | None:
        """The kind of each column, where the statistics know it."""
        return getattr(self.counted[0], "kinds", None)

    @property
    def n(self) -> int | float:
        """Number of rows, or the sum of their weights."""
        total = float(sum(each.n for each in self.counted))
        return int(total) if total.is_integer() else total

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def part_of(self) -> list[int]:
        """For each column the place of its part."""
        place = {left_out: i for i, left_out in enumerate(self._left_out())}
        return [place[self._set_in(j)] for j in range(self.d)]

    def whole(self) -> Any:
        """Return the statistics of all rows."""
        return reduce(add, self.counted)

    def parts(self) -> list[Any]:
        """Return the statistics of the rows in which the columns of each part were not set.

        Raises
        ------
        ValueError
            If a column was set in every environment.
        """
        sums = _Sums(self.counted)
        parts = [sums.without(left_out) for left_out in self._left_out()]
        if not isinstance(parts[0], Levels):
            return parts
        # A level may occur only where it was set: it is one for all parts.
        labels = self.whole().labels
        return [part.with_labels(labels) for part in parts]

    def columns_of(self, part: int) -> list[str]:
        """Return the columns of a part."""
        return [name for name, i in zip(self.names, self.part_of, strict=True) if i == part]

    def fingerprint(self) -> Fingerprint:
        """Return a fingerprint by which these data can be recognised, each column by its part."""
        found = [part.fingerprint() for part in self.parts()]
        logs, mixtures = (
            tuple(getattr(found[i], field)[j] for j, i in enumerate(self.part_of))
            for field in ("log_variances", "mixtures")
        )
        return Fingerprint(self.n, self.names, logs, mixtures)

    def notes(self) -> Iterator[Note]:
        """Give what a result should say about these data."""
        counts = {self.label(i): each.n for i, each in enumerate(self.counted)}
        shown = [f"{label} ({counted_rows(n)})" for label, n in counts.items()]
        set_somewhere = sorted({j for targets in self.targets for j in targets})
        yield Note(
            f"rows of {len(counts)} environments: {in_words(shown)}; each column is scored on the "
            "rows in which it was not set",
            code="interventions",
            columns=[self.names[j] for j in set_somewhere],
            counts=counts,
        )
        few = {label: n for label, n in counts.items() if n < _FEW_ROWS}
        if few:
            yield Note(
                f"fewer than {_FEW_ROWS} rows in {len(few)} of {len(counts)} environments "
                f"({in_words([f'{label}: {counted_rows(n)}' for label, n in few.items()])}): they "
                "tell little about directions",
                code="few-rows-in-environment",
                counts=few,
            )
        if hasattr(self.counted[0], "notes"):
            yield from self.whole().notes()

    def label(self, environment: int) -> str:
        """Return what was set in an environment, in words."""
        targets = self.targets[environment]
        return " + ".join(quoted(self.names[j]) for j in targets) or "observed"

    def __add__(self, other: Environments) -> Environments:
        """Return the environments of both tables' rows together."""
        if not isinstance(other, Environments):
            return NotImplemented
        if self.names != other.names:
            raise different_columns(self.names, other.names, what="environments")
        merged = dict(zip(self.targets, self.counted, strict=True))
        for targets, counted in zip(other.targets, other.counted, strict=True):
            merged[targets] = merged[targets] + counted if targets in merged else counted
        return Environments(tuple(merged), tuple(merged.values()))

    def __repr__(self) -> str:
        kind = type(self.counted[0]).__name__
        return (
            f"Environments(n={counted_rows(self.n)}, {len(self.targets)} of {kind}, d={self.d}: "
            f"{listed(self.names)})"
        )

    def _set_in(self, column: int) -> tuple[int, ...]:
        """Return the environments in which a column was set."""
        return tuple(i for i, targets in enumerate(self.targets) if column in targets)

    def _left_out(self) -> list[tuple[int, ...]]:
        """Return the environments that each part leaves out."""
        return list(dict.fromkeys(self._set_in(j) for j in range(self.d)))


class _Sums:
    """Sums of all statistics but a few, from sums of halves, quarters and so on.

    Few of these are summed up anew for each part; differences would lose digits.
    """

    def __init__(self, counted: Sequence[Any]) -> None:
        self._counted = counted
        self._known: dict[tuple[int, int], Any] = {}

    def without(self, left_out: tuple[int, ...]) -> Any:
        whole = self._sum(0, len(self._counted), left_out)
        if whole is None:
            raise ValueError("a column is set in every environment")
        return whole

    def _sum(self, first: int, last: int, left_out: tuple[int, ...]) -> Any:
        within = tuple(i for i in left_out if first <= i < last)
        if not within and (first, last) in self._known:
            return self._known[first, last]
        if last - first == 1:
            return None if within else self._counted[first]
        middle = (first + last) // 2
        halves = (self._sum(first, middle, within), self._sum(middle, last, within))
        found = [half for half in halves if half is not None]
        total = reduce(add, found) if found else None
        if not within:
            self._known[first, last] = total
        return total
