"""Tables wherever they are: files of any format, answers to queries, and saved moments."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from greedag._options import AS_IT_IS, DataOptions
from greedag.data.kinds import stated_kinds
from greedag.data.names import UNNAMED
from greedag.data.rows import LoadedTable, SelectedRows, check_missing
from greedag.data.source import open_table
from greedag.errors import DataError, OptionError, quoted_path, require
from greedag.statistics.moments import Moments, count_moments

if TYPE_CHECKING:
    from greedag.data.markers import Markers
    from greedag.io.cells import Role
    from greedag.io.chunks import ChunkedSource
    from greedag.io.sql import OpenedQuery
    from greedag.io.tables import ColumnSelection, OpenedFiles, Paths, ReadOptions


def is_file(data: object) -> bool:
    """Whether data are the name of a file, or a list of such names."""
    if isinstance(data, (list, tuple)):
        return bool(data) and all(isinstance(path, (str, os.PathLike)) for path in data)
    return isinstance(data, (str, os.PathLike))


def open_any(data: Any, options: DataOptions = AS_IT_IS) -> Any:
    """Open a table, wherever it is, with what a caller says of reading it.

    Parameters
    ----------
    data : path-like, table, mapping of columns, Moments, Levels or MixedTable
        As for :func:`greedag.learn`.
    options : DataOptions
        Of these, ``drop``, ``na``, ``kinds`` and ``sample_weight``, where it names a column, say
        how a file is read. What is in memory is opened as it is.

    Returns
    -------
    LoadedTable, Source, Moments, Levels or MixedTable
        A LoadedTable of a file, whose rows are all in memory unless it holds moments.
    """
    if is_file(data):
        from greedag.io.tables import SAVED_MOMENTS, files_of, format_of

        is_saved = any(format_of(file) in SAVED_MOMENTS for file in files_of(data))
        return load_table(data, options=options, in_chunks=is_saved)
    return data if hasattr(data, "fingerprint") else open_table(data)


def load_table(
    data: Paths,
    *,
    sql: str | None = None,
    table_format: str | None = None,
    columns: ColumnSelection | None = None,
    usual: Role = "open",
    options: DataOptions = AS_IT_IS,
    in_chunks: bool = True,
) -> LoadedTable:
    """Open a table in files, or one that a query answers with.

    Parameters
    ----------
    data : path-like or sequence of them
        Files, patterns, or the database of a query.
    sql, table_format, columns : optional
        What the command line says of it.
    usual : str
        What columns are read as of which nothing is said, see ``ReadOptions``.
    options : DataOptions
        What else is said of the table. ``drop`` counts unless `columns` are given.
    in_chunks : bool
        Whether files of numbers may be counted while they are read, if nothing else is against it.

    Raises
    ------
    OptionError
        If an option cannot be read, or does not go with another.
    FileError, DataError
        Naming the file and, where there is one, the place in it.
    """
    from greedag.io.tables import (
        SAVED_MOMENTS,
        ColumnSelection,
        ReadOptions,
        files_of,
        format_of,
        open_files,
    )

    if options.missing != "error":
        check_missing(options.missing)
    weights = options.sample_weight if isinstance(options.sample_weight, str) else None
    chosen = columns or ColumnSelection(drop=_names_to_drop(options.drop))
    reading = ReadOptions(
        format=table_format,
        columns=chosen,
        usual=usual,
        kinds=options.kinds,
        weights=weights,
        interventions=_target_column(options.interventions, chosen),
        allow_missing=options.missing != "error",
        may_estimate=in_chunks,
        na=frozenset() if options.na is None else _markers(options.na).words,
    )
    in_chunks = in_chunks and options.missing == "error" and _is_continuous(options.kinds)
    in_chunks = in_chunks and not _needs_all_rows(options.transform)
    in_chunks = in_chunks and options.interventions is None
    if sql is not None:
        if table_format is not None or chosen != ColumnSelection():
            raise OptionError(
                "--sql excludes --format, --columns and --drop; select columns in the query"
            )
        return _loaded(_query(sql, data, reading), reading, options, in_chunks)
    # Weights are left to learn, which says what they did.
    in_chunks = in_chunks and options.sample_weight is None
    files = files_of(data)
    is_saved = [format_of(file, table_format) in SAVED_MOMENTS for file in files]
    if any(is_saved) and in_chunks:
        return _with_saved(data, files, is_saved, reading)
    opened = open_files(files, reading)
    return _loaded(opened, reading, options, in_chunks, named=_named(data, table_format))


def _target_column(name: Any, columns: ColumnSelection) -> str | None:
    if name is None:
        return None
    from greedag.data.interventions import check_column, targets_dropped

    check_column(name)
    if name in columns.drop:
        raise targets_dropped(name)
    return str(name)


def _named(data: Paths, table_format: str | None) -> tuple[str, ...]:
    """Return files as they were named; none if that does not tell of which format they are."""
    if table_format is not None:
        return ()
    return tuple(map(str, [data] if isinstance(data, (str, os.PathLike)) else data))


def _names_to_drop(drop: Any) -> tuple[str, ...]:
    if drop is None:
        return ()
    from greedag.data.cleaning import checked_drop

    return checked_drop(drop)


def _markers(na: Any) -> Markers:
    from greedag.data.markers import checked_markers

    return checked_markers(na)


def _is_continuous(kinds: Any) -> bool:
    words = (kinds,) if isinstance(kinds, str) else (kinds or {}).values()
    return "discrete" not in words


def _needs_all_rows(transform: Any) -> bool:
    words = (transform,) if isinstance(transform, str) else (transform or {}).values()
    return "normal-scores" in words


def _query(query: str, data: Any, options: ReadOptions) -> OpenedQuery:
    from greedag.io.sql import open_database, open_query

    if len(data) > 1:
        raise OptionError(f"--sql takes one DuckDB database as DATA, or none; got {len(data)}")
    return open_query(query, open_database(data[0]) if data else None, options)


def _loaded(
    opened: OpenedFiles | OpenedQuery,
    reading: ReadOptions,
    options: DataOptions,
    in_chunks: bool,
    named: tuple[str, ...] = (),
) -> LoadedTable:
    from greedag.io.whole import whole_table

    if options.kinds is not None:
        from greedag.data.cleaning import kinds_left

        kinds = kinds_left(options.kinds, opened.dropped)
        stated_kinds(kinds, tuple(opened.names))
        options = replace(options, kinds=kinds)
    if in_chunks and not opened.has_levels:
        source = _chunked(opened, reading)
        return LoadedTable(source, source.names, files=named, dropped=opened.dropped)
    table = whole_table(opened)
    kept = tuple(name for name in table.column_names if name != reading.weights)
    names = tuple(name for name in kept if name != reading.interventions)
    if not names:
        raise DataError("no column is left besides the weights; read more columns")
    weights = options.sample_weight
    if reading.weights is not None:
        weights = table.column(reading.weights).to_numpy()
    chosen = table.select(list(kept))
    if opened.notes or names[0] in UNNAMED:
        # What is left out, or was asked for, has been decided.
        chosen = open_table(chosen, as_is=True)
        chosen.notes = opened.notes
    return LoadedTable(
        chosen,
        names,
        weights,
        options.kinds,
        options.missing,
        named,
        opened.dropped,
        _markers_read(table, opened, reading),
    )


def _markers_read(
    table: Any, opened: OpenedFiles | OpenedQuery, reading: ReadOptions
) -> dict[str, int]:
    """Count the markers among numbers, which readers of text give as NaN and nothing else is."""
    if not reading.na or opened.has_types:
        return {}
    compute = require("pyarrow.compute", "io")
    doubles = require("pyarrow", "io").float64()
    counts = {
        name: compute.sum(compute.is_nan(column)).as_py() or 0
        for name, column in zip(table.column_names, table.columns, strict=True)
        if column.type == doubles
    }
    return {name: count for name, count in counts.items() if count}


def _chunked(opened: OpenedFiles | OpenedQuery, options: ReadOptions) -> ChunkedSource:
    from greedag.io.chunks import ChunkedSource

    # What is kept row by row has the moments of the array that its rows make.
    order: Any = "F" if opened.is_columnar else "C"
    return ChunkedSource(opened, weights=options.weights, order=order)


def _with_saved(
    data: Paths, files: Sequence[str], is_saved: Sequence[bool], options: ReadOptions
) -> LoadedTable:
    """Return the moments of files, some of which hold moments themselves."""
    whole: Moments | None = None
    dropped: tuple[str, ...] = ()
    for file, saved in zip(files, is_saved, strict=True):
        part, dropped = _saved(file, options) if saved else _counted(file, options)
        try:
            whole = part if whole is None else whole + part
        except DataError as error:
            raise error.within(f"{quoted_path(file)} beside {quoted_path(files[0])}: ") from error
    assert whole is not None
    options.check_columns(whole.names)
    named = _named(data, options.format)
    return LoadedTable(whole, whole.names, files=named, dropped=dropped)


def _saved(file: str, options: ReadOptions) -> tuple[Moments, tuple[str, ...]]:
    from greedag.io.tables import format_of, reading

    with reading(file):
        is_text = format_of(file, options.format) == "covariance"
        whole = Moments.from_tetrad(file) if is_text else Moments.load(file)
        names = options.columns.chosen(whole.names)
        return selected(whole, names), tuple(n for n in whole.names if n not in names)


def selected(whole: Moments, names: Sequence[str]) -> Moments:
    """Return the moments of some columns."""
    if tuple(names) == whole.names:
        return whole
    kept = [whole.names.index(name) for name in names]
    return Moments(
        n=whole.n,
        covariance=whole.covariance[np.ix_(kept, kept)],
        names=names,
        mean=None if whole.mean is None else whole.mean[kept],
    )


def _counted(file: str, options: ReadOptions) -> tuple[Moments, tuple[str, ...]]:
    from greedag.io.tables import open_files

    opened = open_files(file, options)
    if opened.has_levels:
        raise DataError(
            f"{quoted_path(file)} has discrete columns, which cannot be added to saved moments",
            remedy="give the table itself instead of its moments, or drop such columns",
        )
    return count_moments(SelectedRows(_chunked(opened, options)))[0], opened.dropped
