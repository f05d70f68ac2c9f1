"""A table that was read, and what is to be known about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from greedag import Moments
from greedag.cli.reading import Kinds, Reading
from greedag.data.kinds import ask
from greedag.errors import DataError, unknown_column


@dataclass(frozen=True, slots=True, eq=False)
class GivenTable:
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
        """Return what `learn`, `score_graph` and `Result.load` are to know about the table."""
        return {
            "kinds": self.kinds,
            "missing": self.reading.missing,
            "sample_weight": self.weights,
        }

    def ask(self) -> None:
        """Warn about columns that may hold levels, as `learn` does if it is given a table."""
        if self.unsure:
            ask(self.unsure)


def weighed(table: Any, reading: Reading) -> GivenTable:
    """Take the column of weights out of an Arrow table, if there is one.

    Raises
    ------
    DataError
        If there is no such column, or no other.
    """
    if reading.weights is None:
        return GivenTable(table, None, reading)
    names = list(table.column_names)
    if reading.weights not in names:
        raise unknown_column(reading.weights, names)
    others = [name for name in names if name != reading.weights]
    if not others:
        raise DataError("no column is left beside the weights; read more of them")
    return GivenTable(table.select(others), table.column(reading.weights).to_numpy(), reading)
