"""What is counted of the files of one table: moments, and which columns may hold levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from greedag import Moments
from greedag.cli.reading import Reading
from greedag.data.kinds import FEW_VALUES, are_few, few_values


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Moments of one file or of several; ``+`` merges those of two parts of a table.

    Attributes
    ----------
    moments : Moments
        Of all columns.
    few : mapping of str to frozenset
        The distinct values of each column of whole numbers that has few.
    """

    moments: Moments
    few: Mapping[str, frozenset[float]] = field(default_factory=dict)

    def __add__(self, other: Part) -> Part:
        """Return what is counted of both parts' rows together."""
        moments = self.moments + other.moments
        both = {name: self.few[name] | other.few[name] for name in self.few if name in other.few}
        few = {name: values for name, values in both.items() if len(values) <= FEW_VALUES}
        return Part(moments, few)

    def unsure(self, reading: Reading) -> tuple[str, ...]:
        """Return the columns that may hold levels, and of which nothing is said."""
        return tuple(
            name
            for name, values in self.few.items()
            if reading.role(name) == "open" and are_few(len(values), self.moments.n)
        )


def part_of(moments: Moments, columns: Iterable[NDArray[Any]], *, has_types: bool = True) -> Part:
    """Return moments with the columns that they were counted of.

    In a file without types, all numbers are doubles, and their values say which are whole.
    """
    few = {}
    for name, column in zip(moments.names, columns, strict=True):
        values = few_values(column) if column.dtype.kind in "iu" or not has_types else None
        if values is not None and all(value == int(value) for value in values):
            few[name] = values
    return Part(moments, few)
