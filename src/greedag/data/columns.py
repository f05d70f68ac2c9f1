"""Tables of columns that come one by one: in mappings, and in place of others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import groupby
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from greedag.data.kinds import Kind
from greedag.data.missing import Mask
from greedag.data.names import checked_names, names_of
from greedag.data.source import ArraySource, Floats, FrameSource, MemorySource, Source
from greedag.errors import DataError, DataTypeError, Note, quoted

Judgement = tuple[Kind, bool]
Statistic = TypeVar("Statistic")


class Column(ArraySource):
    """One column of a table, which may be of another kind than its values suggest."""

    def __init__(self, values: NDArray[Any], name: str, judged: Judgement | None = None) -> None:
        super().__init__(values[:, np.newaxis], (name,))
        self._judged = judged

    def judge(self, j: int) -> Judgement:
        return self._judged or super().judge(j)

    def is_category(self, j: int) -> bool:
        return self._judged is not None

    def take(self, places: NDArray[np.intp]) -> MemorySource:
        return Column(self._array[places, 0], self.names[0], self._judged)

    def select(self, columns: Sequence[int]) -> MemorySource:
        return self


class ColumnsSource(MemorySource):
    """Tables side by side, each with some of the columns of a whole."""

    def __init__(self, parts: Sequence[MemorySource], *, has_own_names: bool) -> None:
        self._parts = tuple(parts)
        self._where = [(part, j) for part in parts for j in range(part.shape[1])]
        self.names = tuple(name for part in parts for name in part.names)
        self.shape = (parts[0].shape[0] if parts else 0, len(self.names))
        self.has_own_names = has_own_names

    def blocks(self) -> list[NDArray[Any]]:
        return [block for part in self._parts for block in part.blocks()]

    def numbers(self, j: int, places: NDArray[np.intp]) -> NDArray[Any]:
        part, k = self._where[j]
        return part.numbers(k, places)

    def values(self, j: int) -> NDArray[Any]:
        part, k = self._where[j]
        return part.values(k)

    def missing(self, j: int) -> Mask:
        part, k = self._where[j]
        return part.missing(k)

    def judge(self, j: int) -> Judgement:
        part, k = self._where[j]
        return part.judge(k)

    def is_category(self, j: int) -> bool:
        part, k = self._where[j]
        return part.is_category(k)

    def is_ordered(self, j: int) -> bool:
        part, k = self._where[j]
        return part.is_ordered(k)

    def take(self, places: NDArray[np.intp]) -> MemorySource:
        return self._like(part.take(places) for part in self._parts)

    def select(self, columns: Sequence[int]) -> MemorySource:
        return self._like(part.select([k]) for part, k in (self._where[j] for j in columns))

    def renamed(self, names: Sequence[str] | None) -> ColumnsSource:
        """Return the table under other names, which its parts need to know."""
        if names is None:
            return self
        given, first, parts = names_of(names, len(self.names)), 0, []
        for part in self._parts:
            last = first + part.shape[1]
            parts.append(part.renamed(given[first:last]))
            first = last
        return self._like(parts)

    def _like(self, parts: Iterable[MemorySource]) -> ColumnsSource:
        other = ColumnsSource(tuple(parts), has_own_names=self.has_own_names)
        other.remedies = self.remedies
        return other


class MappedSource(Source):
    """A table whose rows are elsewhere, changed piece by piece where they are counted."""

    def __init__(self, source: Source, change: Callable[[MemorySource], MemorySource]) -> None:
        self._source, self._change = source, change
        self.names, self.has_own_names = source.names, source.has_own_names
        self.is_distributed = source.is_distributed

    @property
    def n(self) -> int:
        """Number of rows."""
        return self._source.n

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a result should say about the columns, once they have been judged or read."""
        return self._source.notes

    @notes.setter
    def notes(self, notes: tuple[Note, ...]) -> None:
        self._source.notes = notes

    @cached_property
    def judged(self) -> tuple[Judgement, ...]:
        """The kind of each column by its type, and whether it may be the other."""
        return self._source.judged

    def in_memory(self) -> MemorySource:
        """Return the table with all rows in memory."""
        return self._change(self._source.in_memory())

    def counted(
        self,
        count: Callable[[MemorySource, Floats | None], Statistic],
        weights: Floats | None = None,
    ) -> Statistic:
        """Count the pieces, each of them changed."""
        return self._source.counted(partial(_count_changed, count, self._change), weights)


def _count_changed(
    count: Callable[[MemorySource, Floats | None], Statistic],
    change: Callable[[MemorySource], MemorySource],
    source: MemorySource,
    weights: Floats | None,
) -> Statistic:
    return count(change(source), weights)


def replaced(source: MemorySource, changed: Mapping[int, MemorySource]) -> MemorySource:
    """Return a table with other columns at some places; the rest stay together."""
    if not changed:
        return source
    parts: list[MemorySource] = []
    for is_changed, run in groupby(range(source.shape[1]), key=changed.__contains__):
        places = list(run)
        parts += [changed[j] for j in places] if is_changed else [source.select(places)]
    whole = ColumnsSource(parts, has_own_names=source.has_own_names)
    whole.remedies = source.remedies
    return whole


def open_columns(columns: Mapping[Any, Any]) -> MemorySource:
    """Open a mapping of names to columns: lists, arrays, or series of any data frame.

    Raises
    ------
    DataTypeError
        If a column is none of these.
    DataError
        If their lengths differ, or the names cannot be used.
    """
    names = checked_names(columns)
    parts = [_opened(name, values) for name, values in zip(names, columns.values(), strict=True)]
    odd = next((part for part in parts if part.n != parts[0].n), None)
    if odd is not None:
        raise DataError(
            f"the columns differ in length: {quoted(odd.names[0])} has {odd.n} values, "
            f"{quoted(names[0])} has {parts[0].n}",
            remedy="give every column a value for each row",
            code="ragged",
            columns=(names[0], odd.names[0]),
        )
    return ColumnsSource(parts, has_own_names=all(isinstance(label, str) for label in columns))


def _opened(name: str, values: Any) -> MemorySource:
    if isinstance(values, (list, tuple, range)):
        return Column(_array_of(list(values)), name)
    if not isinstance(values, np.ndarray):
        import narwhals as nw

        series = nw.from_native(values, allow_series=True, pass_through=True)
        if isinstance(series, nw.Series):
            return FrameSource(series.alias(name).to_frame())
        if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__array__"):
            raise _no_column(name, f"is of type {type(values).__name__}")
        values = np.asarray(values)
    if values.ndim != 1:
        raise _no_column(name, f"has {values.ndim} dimensions")
    return Column(values, name)


def _no_column(name: str, problem: str) -> DataTypeError:
    return DataTypeError(
        f"column {quoted(name)} {problem}",
        remedy="pass a list, a 1-D array or a series for each column",
        code="no-column",
        columns=(name,),
    )


def _array_of(values: list[Any]) -> NDArray[Any]:
    """Return values as numbers, or as they are: as an array, numbers beside text become text."""
    kinds = {type(value) for value in values}
    if values and all(issubclass(kind, (bool, int, float, np.generic)) for kind in kinds):
        array = np.array(values)
        if array.dtype.kind in "biuf":
            return array
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
