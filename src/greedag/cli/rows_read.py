"""A table that was read, and what scores need of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from greedag import Moments
from greedag.cli.reading import Kinds, Reading
from greedag.errors import DataError, unknown_column
from greedag.kinds import ask
from greedag.rows import chosen_rows
from greedag.scores.choice import chosen, counted


@dataclass(frozen=True, slots=True, eq=False)
class RowsRead:
    """Moments or an Arrow table, the weights of its rows, and how it was read."""

    table: Any
    weights: Any
    reading: Reading
    unsure: tuple[str, ...] = ()
    """The columns of the moments that may hold levels."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        names = self.table.names if self.is_counted else self.table.column_names
        return tuple(names)

    @property
    def is_counted(self) -> bool:
        """Whether these are moments."""
        return isinstance(self.table, Moments)

    @property
    def kinds(self) -> Kinds | None:
        """What is said of the columns; moments are of continuous ones, and know that."""
        return None if self.is_counted else self.reading.kinds

    def options(self) -> dict[str, Any]:
        """Return the options of `learn` that go with the table."""
        return {
            "score": self.reading.score,
            "kinds": self.kinds,
            "missing": self.reading.missing,
            "sample_weight": self.weights,
        }

    def ask(self) -> None:
        """Warn about columns that may hold levels, as `learn` does if it is given a table."""
        if self.unsure:
            ask(self.unsure)

    def counted(self, objective: Any, alpha: float | None = None) -> tuple[Any, Any]:
        """Return a score, chosen by the kinds of the columns if it is None, and what it needs."""
        self.ask()
        missing = self.reading.missing
        rows = chosen_rows(self.table, weights=self.weights, missing=missing)
        choice = chosen(rows.source, objective, alpha, self.kinds)
        counts = counted(rows.source, choice, self.kinds, weights=rows.weights, missing=missing)
        return choice.objective, counts.statistics


def weighed(table: Any, reading: Reading) -> RowsRead:
    """Take the column of weights out of an Arrow table, if there is one.

    Raises
    ------
    DataError
        If there is no such column, or no other.
    """
    if reading.weights is None:
        return RowsRead(table, None, reading)
    names = list(table.column_names)
    if reading.weights not in names:
        raise unknown_column(reading.weights, names)
    others = [name for name in names if name != reading.weights]
    if not others:
        raise DataError("no column is left beside the weights; read more of them")
    return RowsRead(table.select(others), table.column(reading.weights).to_numpy(), reading)
