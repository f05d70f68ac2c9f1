"""Tables that are read in chunks of rows: files, and answers to queries, of any size.

Chunks are counted one by one and merged two by two: only counts are kept, of the chunk at hand and
of runs of 1, 2, 4, … chunks before it. So the memory for moments does not grow with the table, and
each row's rounding passes through few merges; that for levels grows with the distinct rows alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from greedag._progress import RowsCallback, RowsRead, check_time, progress_callback
from greedag.data.kinds import FEW_VALUES, Kind, are_few, ask, few_values
from greedag.data.source import ArraySource, Floats, MemorySource, Source, open_table
from greedag.data.table import read_table
from greedag.data.weights import checked_weights
from greedag.errors import DataError, DataTypeError, Note, quoted, require

Statistic = TypeVar("Statistic")

# Most columns show in their first rows that they hold more than a few values.
_FIRST_ROWS = 64
_MANY_ROWS = 2**14
_DOING = "reading the table"
_MANY = frozenset(float(value) for value in range(FEW_VALUES + 1))


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Some rows of a table, and where they stand: the name of the file, and the first row."""

    table: Any
    where: str
    first: int
    has_types: bool = True


class Opened(Protocol):
    """A table whose columns are known, and whose rows can be read."""

    @property
    def names(self) -> list[str]:
        """The columns that are read, weights among them."""

    @property
    def notes(self) -> tuple[Note, ...]:
        """What to note of the table."""

    @property
    def open_names(self) -> list[str]:
        """Those of which nobody said what they hold."""

    @property
    def total(self) -> int | None:
        """The number of rows, if it is known."""

    @property
    def where(self) -> str:
        """The files, or the query, as messages name them."""

    def chunks(self) -> Iterator[Chunk]:
        """Give the rows, some at a time."""


class ChunkedSource(Source):
    """A table that is read in chunks.

    Parameters
    ----------
    opened : Opened
        The files, or the query.
    weights : str, optional
        A column that says how many rows each row stands for.
    drop_missing : bool
        Whether rows with a missing value are left out.
    progress : bool or callable, optional
        Called with a `RowsRead` after each chunk; True shows a line on stderr.
    order : str
        In which order of memory chunks of numbers are summed: ``"F"`` as frames are, ``"C"`` as
        arrays, which differ in the last digits.
    remedies : tuple of str
        Which ``missing=`` may be recommended where numbers are missing.
    """

    has_own_names = True

    def __init__(
        self,
        opened: Opened,
        *,
        weights: str | None = None,
        drop_missing: bool = False,
        progress: bool | RowsCallback | None = None,
        order: Literal["C", "F"] = "F",
        remedies: tuple[str, ...] = ("drop", "em"),
    ) -> None:
        self._opened, self._weights = opened, weights
        self._order, self._remedies = order, remedies
        self._drop_missing, self._progress = drop_missing, progress
        self.names = tuple(name for name in opened.names if name != weights)
        self.notes = opened.notes

    @cached_property
    def n(self) -> int:
        """Number of rows, for which they may have to be read."""
        total = self._opened.total
        return sum(c.table.num_rows for c in self._opened.chunks()) if total is None else total

    @cached_property
    def judged(self) -> tuple[tuple[Kind, bool], ...]:
        """Every column holds numbers; which may be levels is known once they are read."""
        return (("continuous", False),) * len(self.names)

    def in_memory(self) -> MemorySource:
        """Read all rows, which must all count."""
        if self._weights is not None or self._drop_missing:
            raise DataTypeError("this needs all rows in memory; read the table and use from_data")
        parts = [chunk.table.select(list(self.names)) for chunk in self._opened.chunks()]
        whole = require("pyarrow", "io").concat_tables(parts)
        return open_table(whole, as_is=True).in_memory()

    def counted(
        self,
        count: Callable[[MemorySource, Floats | None], Statistic],
        weights: Floats | None = None,
    ) -> Statistic:
        """Count the rows of each chunk, with the weights that stand there, and merge the counts."""
        few = _FewValues(self._opened.open_names)
        if self._progress is None:
            total = merged(self._parts(few, count, None))
        else:
            with progress_callback(cast(Any, self._progress)) as call:
                total = merged(self._parts(few, count, cast("RowsCallback | None", call)))
        if total is None:
            raise self._no_rows()
        unsure = few.unsure()
        # Of rows that are read twice, this is asked once.
        if unsure and not any(note.code == "few-values" for note in self.notes):
            self.notes = (*self.notes, ask(unsure))
        return total

    def _parts(
        self,
        few: _FewValues,
        count: Callable[[MemorySource, Floats | None], Statistic],
        call: RowsCallback | None,
    ) -> Iterator[Statistic]:
        started, rows = time.perf_counter(), 0
        for chunk in self._opened.chunks():
            if rows:
                check_time(_DOING, rows, self._opened.total)
            n = chunk.table.num_rows
            if n == 0:
                continue
            few.look_at(chunk)
            if n > _MANY_ROWS:
                check_time(_DOING, rows, self._opened.total)
            part = self._count_chunk(chunk, count)
            rows += n
            if call is not None:
                call(RowsRead(time.perf_counter() - started, rows, self._opened.total))
            if part is not None:
                yield part

    def _count_chunk(
        self, chunk: Chunk, count: Callable[[MemorySource, Floats | None], Statistic]
    ) -> Statistic | None:
        """Count the rows of a chunk that count; errors say where they stand."""
        n = chunk.table.num_rows
        places = np.arange(chunk.first, chunk.first + n)
        try:
            source, weights, places = self._selected(chunk, places)
            return None if source is None else count(source, weights)
        except DataError as error:
            where = f"in rows {chunk.first} to {chunk.first + n - 1} of {chunk.where}: "
            raise error.renumbered(places).within(where) from error

    def _selected(
        self, chunk: Chunk, places: NDArray[np.intp]
    ) -> tuple[MemorySource | None, Floats | None, NDArray[np.intp]]:
        table = chunk.table.select(list(self.names))
        if self._weights is None and not self._drop_missing:
            return self._source(table), None, places
        keep, weights = np.ones(len(places), dtype=bool), None
        if self._weights is not None:
            # Through the reader of tables, which names the column where it holds no numbers.
            column = read_table(chunk.table.select([self._weights]), remedies=())
            weights = checked_weights(column.blocks[0].values[:, 0], len(places), is_part=True)
            keep &= weights > 0.0
        if self._drop_missing:
            keep &= ~open_table(table, as_is=True).in_memory().missing_cells().any(axis=1)
        if not keep.any():
            return None, None, places
        table = table if keep.all() else table.filter(keep)
        return self._source(table), None if weights is None else weights[keep], places[keep]

    def _source(self, table: Any) -> MemorySource:
        """Open a chunk: numbers in one block, which is read faster than column by column."""
        doubles = require("pyarrow", "io").float64()
        source: MemorySource
        if all(c.type == doubles and not c.null_count for c in table.columns):
            block = np.empty((table.num_rows, table.num_columns), order=self._order)
            for j, column in enumerate(table.columns):
                block[:, j] = numbers_in(column)
            source = ArraySource(block, self.names)
        else:
            source = open_table(table, as_is=True).in_memory()
        source.remedies = self._remedies
        return source

    def _no_rows(self) -> DataError:
        what = "no complete rows" if self._drop_missing else "no rows"
        if self._weights is not None:
            what += f" whose weight {quoted(self._weights)} is above 0"
        where = self._opened.where
        return DataError(f"there are {what} to count in {where}; check the files or the query")


def merged(parts: Iterable[Statistic]) -> Statistic | None:
    """Merge counts two by two, as they come, keeping few of them; None if there are none."""
    runs: list[tuple[int, Any]] = []
    for part in parts:
        size, run = 1, cast(Any, part)
        while runs and runs[-1][0] == size:
            size, run = 2 * size, _sum(runs.pop()[1], run)
        runs.append((size, run))
    if not runs:
        return None
    whole = runs.pop()[1]
    while runs:
        whole = _sum(runs.pop()[1], whole)
    return cast(Statistic, whole)


def _sum(one: Any, other: Any) -> Any:
    total = one + other
    # What grows with the rows says when there are too many.
    if hasattr(total, "check_growth"):
        total.check_growth()
    return total


def numbers_in(column: Any) -> NDArray[Any]:
    """Return an Arrow column of numbers, of which none is missing, as an array.

    Arrow's own way imports pandas if it is there, which takes time and swallows a Ctrl-C.
    """
    parts = [np.from_dlpack(chunk) for chunk in column.chunks if len(chunk)]
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0), *parts])


def rechunked(batches: Iterable[Any], rows: int, *, skip: int = 0) -> Iterator[Any]:
    """Give the rows of Arrow batches, but for the first ones, as tables of so many rows each."""
    arrow = require("pyarrow", "io")
    held: list[Any] = []
    count = 0
    for batch in batches:
        rest = batch.slice(min(skip, batch.num_rows))
        skip -= batch.num_rows - rest.num_rows
        held.append(rest)
        count += rest.num_rows
        if count >= rows:
            # In one piece, which is copied once here and never again.
            table = arrow.Table.from_batches(held).combine_chunks()
            for start in range(0, count - count % rows, rows):
                yield table.slice(start, rows)
            held, count = table.slice(count - count % rows).to_batches(), count % rows
    if count:
        yield arrow.Table.from_batches(held).combine_chunks()


class _FewValues:
    """The distinct values of each column that has few."""

    def __init__(self, names: Iterable[str]) -> None:
        self._values: dict[str, frozenset[float]] = dict.fromkeys(names, frozenset())
        self._rows = 0

    def look_at(self, chunk: Chunk) -> None:
        """Note the values of a chunk."""
        self._rows += chunk.table.num_rows
        for name, known in list(self._values.items()):
            values = known | _values_of(chunk.table.column(name))
            if len(values) <= FEW_VALUES:
                self._values[name] = values
            else:
                del self._values[name]

    def unsure(self) -> list[str]:
        """Return the columns that may hold levels."""
        few = self._values.items()
        # In text all numbers are doubles, and their values say which are whole.
        return [
            name
            for name, values in few
            if are_few(len(values), self._rows, are_floats=not all(v == int(v) for v in values))
        ]


def _values_of(column: Any) -> frozenset[float]:
    """Return the distinct values of a column, too many if they are many or no numbers."""
    types = require("pyarrow", "io").types
    if column.null_count or not (types.is_integer(column.type) or types.is_floating(column.type)):
        return _MANY
    numbers = numbers_in(column)
    if len(set(numbers[:_FIRST_ROWS].tolist())) > FEW_VALUES:
        return _MANY
    values = few_values(numbers)
    return _MANY if values is None else values
