"""Tables to be inspected: read even where `learn` would refuse a value."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from greedag.data.cleaning import without
from greedag.data.kinds import Kinds
from greedag.data.names import checked_names
from greedag.data.source import MemorySource, open_table
from greedag.errors import DataError, GreedagWarning, require
from greedag.statistics.opening import is_file

if TYPE_CHECKING:
    from greedag.io.tables import ColumnSelection, ReadOptions

# Values of a file that are looked at, and values that are read at least.
_MOST_VALUES = 2 * 10**8
_LEAST_ROWS = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class ReadTable:
    """A table in memory, and how it came there.

    Attributes
    ----------
    source : MemorySource
    is_text : bool
        Whether it is out of a file of text, in which the first value says what a column holds.
    is_part : bool
        Whether only the first rows were read.
    labels : tuple of str
        Names that several columns have.
    """

    source: MemorySource
    is_text: bool = False
    is_part: bool = False
    labels: tuple[str, ...] = ()


def read_for_inspection(
    data: Any,
    *,
    sql: str | None = None,
    table_format: str | None = None,
    columns: ColumnSelection | None = None,
    kinds: Kinds | None = None,
    weights: str | None = None,
    drop: Sequence[str] = (),
) -> ReadTable:
    """Read a table into memory; see :func:`greedag.statistics.opening.load_table`.

    Raises
    ------
    DataError, FileError
        If it cannot be read at all.
    """
    with warnings.catch_warnings():
        # What they say is found and said again.
        warnings.simplefilter("ignore", GreedagWarning)
        if sql is None and not is_file(data):
            return _without(_in_memory(data), [*drop, *([] if weights is None else [weights])])
        return _read(data, sql, table_format, columns or _all_but(drop), kinds, weights)


def _all_but(names: Sequence[str]) -> ColumnSelection:
    from greedag.io.tables import ColumnSelection

    return ColumnSelection(drop=tuple(names))


def _without(table: ReadTable, names: Sequence[str]) -> ReadTable:
    source, _ = without(table.source, list(dict.fromkeys(names)))
    return replace(table, source=source.in_memory())


def _read(
    data: Any,
    sql: str | None,
    table_format: str | None,
    columns: ColumnSelection,
    kinds: Kinds | None,
    weights: str | None,
) -> ReadTable:
    from greedag.io.tables import ReadOptions

    options = ReadOptions(
        format=table_format,
        columns=columns,
        usual="open",
        kinds=kinds,
        weights=weights,
        allow_missing=True,
    )
    try:
        return _of_files(data, sql, options)
    except DataError:
        if sql is not None:
            raise
        # As text, where numbers stand beside something else.
        return _of_files(data, sql, replace(options, usual="levels"))


def _in_memory(data: Any) -> ReadTable:
    try:
        return ReadTable(open_table(data, as_is=True).in_memory())
    except DataError:
        labels = list(map(str, getattr(data, "columns", ())))
        twice = tuple(dict.fromkeys(name for name in labels if labels.count(name) > 1))
        if not twice or not hasattr(data, "set_axis"):
            raise
        distinct = [
            f"{name}.{labels[:j].count(name)}" if labels[:j].count(name) else name
            for j, name in enumerate(labels)
        ]
        checked_names(distinct)
        return ReadTable(open_table(data.set_axis(distinct, axis=1)).in_memory(), labels=twice)


def _of_files(data: Any, sql: str | None, options: ReadOptions) -> ReadTable:
    from greedag.io.sql import open_database, open_query
    from greedag.io.tables import files_of, open_files
    from greedag.io.whole import whole_table

    if sql is not None:
        opened: Any = open_query(sql, open_database(data[0]) if data else None, options)
    else:
        opened = open_files(files_of(data), options)
    most = max(_LEAST_ROWS, _MOST_VALUES // max(len(opened.names), 1))
    table = whole_table(opened, most)
    if options.weights is not None:
        table = table.drop_columns([options.weights])
    is_text = not getattr(opened, "has_types", True)
    if is_text and options.usual == "levels":
        table = _with_numbers(table, options)
    source = open_table(table, as_is=True).in_memory()
    source.notes = opened.notes
    return ReadTable(source, is_text, table.num_rows >= most)


def _with_numbers(table: Any, options: ReadOptions) -> Any:
    """Return columns of text as numbers that hold nothing else."""
    arrow, compute = require("pyarrow", "io"), require("pyarrow.compute", "io")
    for place, name in enumerate(table.column_names):
        if options.role(name) != options.usual:
            continue
        try:
            numbers = compute.cast(table.column(place), arrow.float64())
        except arrow.ArrowInvalid:
            continue
        table = table.set_column(place, name, numbers)
    return table
