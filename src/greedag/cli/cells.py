"""Columns of numbers and of levels, as they are read cell by cell."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag.cli.reading import Reading, Role
from greedag.errors import DataError, FileError, different_columns, quoted, require

# What helps where all columns hold numbers.
FOR_MISSING = (
    "--missing drop to leave out such rows, --missing em to estimate moments from what is there"
)
# Not 01, +1 or 1e5, which may be told from 1 and 100000 on purpose.
_PLAIN = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?(e[+-]\d{1,3})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Form:
    """How the cells of a file format are understood.

    Attributes
    ----------
    is_missing : callable
        Whether a cell holds nothing.
    is_level : callable
        Whether a cell that opens a column makes it one of levels.
    is_misspelt : callable
        Whether a cell holds a number in a spelling that is not read.
    number : callable
        The number in a cell, given where it is and the column; FileError if there is none.
    level : callable
        The text of a level, likewise.
    """

    is_missing: Callable[[Any], bool]
    is_level: Callable[[Any], bool]
    is_misspelt: Callable[[Any], bool]
    number: Callable[[str, str, Any], float]
    level: Callable[[str, str, Any], str]


class Column:
    """One column, whose first value may decide what it holds."""

    def __init__(self, name: str, reading: Reading) -> None:
        self.name = name
        self.role: Role = reading.role(name)
        self.was_open = self.role == "open"
        self.may_be_missing = reading.may_be_missing(name)
        self.holds_weights = name == reading.weights
        self.numbers = array("d")
        self.levels: list[str | None] = []
        self._missing_first = 0

    def add(self, where: str, cell: Any, form: Form) -> None:
        """Add a cell, or say why it does not belong here."""
        if form.is_missing(cell):
            if not self.may_be_missing:
                raise self._missing(where)
            return self._add_missing(1)
        if self.role == "open":
            self.role = "levels" if form.is_level(cell) else "numbers"
            self._add_missing(self._missing_first)
        if self.role == "numbers" or (self.was_open and form.is_misspelt(cell)):
            self.numbers.append(form.number(where, self.name, cell))
        else:
            self.levels.append(form.level(where, self.name, cell))

    def _missing(self, where: str) -> FileError:
        remedy = "" if self.holds_weights else ", or pass --missing drop to leave out such rows"
        return FileError(
            f"{where}, column {quoted(self.name)}: the value is missing; correct it{remedy}"
        )

    def _add_missing(self, count: int) -> None:
        if self.role == "open":
            self._missing_first += count
        elif self.role == "numbers":
            self.numbers.extend([nan] * count)
        else:
            self.levels.extend([None] * count)

    def arrow(self, arrow: Any) -> Any:
        """Return the column for an Arrow table; levels that are all plain numbers are numbers."""
        if self.role == "open":
            return arrow.nulls(self._missing_first, arrow.float64())
        if self.role == "numbers":
            numbers = np.frombuffer(self.numbers, dtype=np.float64)
            return arrow.array(_typed(numbers) if self.was_open else numbers)
        values = _numbers({level for level in self.levels if level is not None})
        if values is None:
            return arrow.array(self.levels, arrow.string())
        found = [None if level is None else values[level] for level in self.levels]
        return arrow.array(found, arrow.float64())


def _typed(numbers: NDArray[np.float64]) -> NDArray[Any]:
    """Return whole numbers as such, so that `learn` asks about those with few values."""
    is_whole = (numbers == np.rint(numbers)) & (np.abs(numbers) < 2**31)
    return numbers.astype(np.int32) if is_whole.all() else numbers


def _numbers(levels: set[str]) -> dict[str, float] | None:
    """Return levels as numbers, so that 1 and 1.0 are the same; None if that loses anything."""
    return {level: float(level) for level in levels} if all(map(_is_number, levels)) else None


def _is_number(level: str) -> bool:
    """Whether a level is a number in plain digits, all of which a double holds."""
    return bool(_PLAIN.fullmatch(level)) and Decimal(level) == Decimal(repr(float(level)))


class Rows:
    """The rows of one table, from any number of files."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self._arrow: Any = require("pyarrow", "io")
        self._columns: list[Column] = []
        self._tables: list[Any] = []
        self._names: tuple[str, ...] = ()

    def open(self, names: Sequence[str]) -> list[Column]:
        """Return the columns that the cells of a file with these names are added to."""
        self._check(tuple(names))
        if not self._columns:
            self._columns = [Column(name, self.reading) for name in names]
        return self._columns

    def add_table(self, table: Any) -> None:
        """Add all rows of an Arrow table."""
        self._check(tuple(table.column_names))
        # Categories as their values: other files may have others, or the values themselves.
        types = self._arrow.types
        fields = [
            field.with_type(field.type.value_type) if types.is_dictionary(field.type) else field
            for field in table.schema
        ]
        self._tables.append(table.cast(self._arrow.schema(fields)))

    def table(self) -> Any:
        """Return all rows as one Arrow table.

        Raises
        ------
        DataError
            If the files hold different types.
        """
        arrow = self._arrow
        parts = list(self._tables)
        if self._columns:
            parts.insert(0, arrow.table({c.name: c.arrow(arrow) for c in self._columns}))
        try:
            return arrow.concat_tables(parts, promote_options="permissive")
        except arrow.ArrowException as error:
            raise DataError(f"the files hold columns of different types: {error}") from error

    def _check(self, names: tuple[str, ...]) -> None:
        if not self._names:
            self.reading.check_columns(names)
            self._names = names
        elif names != self._names:
            raise different_columns(self._names, names)
