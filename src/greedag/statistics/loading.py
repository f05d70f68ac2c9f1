"""A table of files or of a query for learning: moments where they will do, else all rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, Literal

import numpy as np

from greedag.data.kinds import FEW_VALUES, Kinds, are_few, ask, few_values
from greedag.data.table import Floats
from greedag.errors import DataError, require
from greedag.io.cells import finished, numbers_of
from greedag.io.sql import OpenedQuery
from greedag.io.tables import (
    Chunk,
    ColumnSelection,
    OpenedFiles,
    Paths,
    ReadOptions,
    files_of,
    format_of,
    open_files,
    reading,
)
from greedag.statistics.moments import Moments
from greedag.statistics.streaming import MOMENTS, Asked, count_chunks, moments_of

# Most columns that are not of whole numbers show it in their first rows.
_FIRST_ROWS = 64


@dataclass(frozen=True, slots=True, eq=False)
class LoadedTable:
    """Moments or an Arrow table, and what `learn` is to know about it.

    Attributes
    ----------
    table : Moments or pyarrow.Table
    weights : ndarray or None
        How many rows each row stands for.
    kinds, missing
        As for `learn`.
    unsure : tuple of str
        The columns of the moments that may hold levels.
    """

    table: Any
    weights: Any = None
    kinds: Kinds | None = None
    missing: str = "error"
    unsure: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        is_moments = isinstance(self.table, Moments)
        return tuple(self.table.names if is_moments else self.table.column_names)

    def options(self) -> dict[str, Any]:
        """Return what `learn`, `score_graph` and `Result.load` are to know about the table."""
        return {"kinds": self.kinds, "missing": self.missing, "sample_weight": self.weights}

    def ask(self) -> None:
        """Warn about columns that may hold levels, as `learn` does if it is given a table."""
        if self.unsure:
            ask(self.unsure)


def load_files(paths: Paths, options: ReadOptions, *, missing: str, may_count: bool) -> LoadedTable:
    """Load one table, whose rows may be spread over several files.

    Its moments if the caller `may_count` and all columns hold numbers; saved moments as they are.

    Raises
    ------
    FileError, DataError
        Naming the file and, where there is one, the place in it.
    """
    files = files_of(paths)
    is_saved = [format_of(file, options.format) == "moments" for file in files]
    if any(is_saved) and may_count and options.weights is None:
        return LoadedTable(_with_saved(files, is_saved, options))
    return load(open_files(files, options), options, missing=missing, may_count=may_count)


def load(
    opened: OpenedFiles | OpenedQuery, options: ReadOptions, *, missing: str, may_count: bool
) -> LoadedTable:
    """Load an opened table: its moments if the caller `may_count` and all columns hold numbers."""
    if not may_count or opened.has_levels:
        return _weighted(_whole(opened), options, missing)
    few = _FewValues([name for name in opened.names if options.role(name) == "open"])
    moments = _moments(opened, few.seen_in(opened.chunks()), options)
    return LoadedTable(moments, unsure=few.unsure())


def _moments(
    opened: OpenedFiles | OpenedQuery, chunks: Iterable[Chunk], options: ReadOptions
) -> Moments:
    # Text is read row by row, and its moments are those of the array that the rows would make.
    order: Literal["C", "F"] = "F" if opened.has_types else "C"

    def of_rows(rows: Any, weights: Floats | None, missing: str) -> Moments:
        return moments_of(rows, weights, order=order, remedies=("drop", "em"))

    asked = Asked(replace(MOMENTS, of_rows=of_rows), options.weights)
    return count_chunks(chunks, opened.names, asked)


def _with_saved(files: Sequence[str], is_saved: Sequence[bool], options: ReadOptions) -> Moments:
    """Return the moments of files, some of which hold moments themselves."""
    parts = []
    for file, saved in zip(files, is_saved, strict=True):
        with reading(file):
            if saved:
                parts.append(_selected(Moments.load(file), options.columns))
            else:
                opened = open_files(file, options)
                parts.append(_moments(opened, opened.chunks(), options))
            options.check_columns(parts[0].names)
            if len(parts) > 1:
                parts = [reduce(add, parts)]
    return parts[0]


def _selected(whole: Moments, selection: ColumnSelection) -> Moments:
    names = selection.chosen(whole.names)
    if tuple(names) == whole.names:
        return whole
    kept = [whole.names.index(name) for name in names]
    return Moments(
        n=whole.n,
        covariance=whole.covariance[np.ix_(kept, kept)],
        names=names,
        mean=None if whole.mean is None else whole.mean[kept],
    )


def _whole(opened: OpenedFiles | OpenedQuery) -> Any:
    """Return all rows as one Arrow table.

    Raises
    ------
    DataError
        If there are none, or the files hold different types.
    """
    arrow = require("pyarrow", "io")
    chunks = list(opened.chunks())
    parts = [_without_categories(chunk.table) for chunk in chunks if chunk.has_types]
    text = [chunk.table for chunk in chunks if not chunk.has_types]
    if text and isinstance(opened, OpenedFiles):
        parts.insert(0, finished(arrow.concat_tables(text), opened.plans))
    if not parts:
        raise DataError("there are no rows; check the files or the query")
    try:
        return arrow.concat_tables(parts, promote_options="permissive")
    except arrow.ArrowException as error:
        raise DataError(f"the files hold columns of different types: {error}") from error


def _without_categories(table: Any) -> Any:
    """Return categories as their values: other files may have others, or the values themselves."""
    arrow = require("pyarrow", "io")
    is_category = arrow.types.is_dictionary
    fields = [
        field.with_type(field.type.value_type) if is_category(field.type) else field
        for field in table.schema
    ]
    return table.cast(arrow.schema(fields))


def _weighted(table: Any, options: ReadOptions, missing: str) -> LoadedTable:
    """Take the column of weights out of a table, if there is one."""
    if options.weights is None:
        return LoadedTable(table, None, options.kinds, missing)
    others = [name for name in table.column_names if name != options.weights]
    if not others:
        raise DataError("no column is left beside the weights; read more of them")
    weights = table.column(options.weights).to_numpy()
    return LoadedTable(table.select(others), weights, options.kinds, missing)


class _FewValues:
    """The distinct values of each column of whole numbers that has few."""

    def __init__(self, names: Iterable[str]) -> None:
        self._values: dict[str, frozenset[float]] = dict.fromkeys(names, frozenset())
        self._rows = 0

    def seen_in(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """Give chunks on, after a look at them."""
        for chunk in chunks:
            self._rows += chunk.table.num_rows
            for name, known in list(self._values.items()):
                values = known | _whole_values(chunk.table.column(name), chunk.has_types)
                if len(values) <= FEW_VALUES:
                    self._values[name] = values
                else:
                    del self._values[name]
            yield chunk

    def unsure(self) -> tuple[str, ...]:
        """Return the columns that may hold levels."""
        few = self._values.items()
        return tuple(name for name, values in few if are_few(len(values), self._rows))


_MANY = frozenset(float(value) for value in range(FEW_VALUES + 1))


def _whole_values(column: Any, has_types: bool) -> frozenset[float]:
    """Return the distinct values of a column, too many if they are many or not whole.

    In text all numbers are doubles, and their values say which are whole.
    """
    if column.null_count or (
        has_types and not require("pyarrow", "io").types.is_integer(column.type)
    ):
        return _MANY
    numbers = numbers_of(column)
    first = numbers[:_FIRST_ROWS]
    values = few_values(numbers) if (first == np.rint(first)).all() else None
    if values is None or any(value != int(value) for value in values):
        return _MANY
    return values
