"""The table that the options of a command describe."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from greedag.data.kinds import KINDS, Kind, Kinds
from greedag.data.names import UNNAMED
from greedag.data.rows import SelectedRows
from greedag.data.source import open_table
from greedag.errors import DataError, OptionError, listed, quoted, quoted_path
from greedag.io.cells import Role
from greedag.io.chunks import ChunkedSource
from greedag.io.sql import OpenedQuery, open_database, open_query
from greedag.io.tables import (
    ColumnSelection,
    OpenedFiles,
    ReadOptions,
    files_of,
    format_of,
    open_files,
    reading,
    whole_table,
)
from greedag.scores.select import SCORES
from greedag.statistics.moments import Moments, count_moments


@dataclass(frozen=True, slots=True, eq=False)
class LoadedTable:
    """A table, and what `learn` is to know about it.

    Attributes
    ----------
    table : ChunkedSource, Moments or pyarrow.Table
        Files of numbers are read while they are counted; saved moments are taken as they are.
    names : tuple of str
        The columns.
    weights : ndarray or None
        How many rows each row stands for.
    kinds, missing
        As for `learn`.
    """

    table: Any
    names: tuple[str, ...]
    weights: Any = None
    kinds: Kinds | None = None
    missing: str = "error"

    def options(self) -> dict[str, Any]:
        """Return what `learn`, `score_graph` and `Result.load` are to know about the table."""
        return {"kinds": self.kinds, "missing": self.missing, "sample_weight": self.weights}


def load_table(
    data: Sequence[str],
    *,
    sql: str | None = None,
    table_format: str | None = None,
    columns: ColumnSelection = ColumnSelection(),  # noqa: B008
    score: str,
    kinds: Sequence[str],
    missing: str,
    weights: str | None,
) -> LoadedTable:
    """Open the table that the options of a command describe.

    Raises
    ------
    OptionError
        If an option cannot be read, or does not go with another.
    FileError, DataError
        Naming the file and, where there is one, the place in it.
    """
    stated = kinds_from(kinds)
    takes_moments = score == "auto" or _usual_role(score) == "numbers"
    options = ReadOptions(
        format=table_format,
        columns=columns,
        usual=_usual_role(score),
        kinds=stated,
        weights=weights,
        allow_missing=missing != "error",
        may_estimate=takes_moments,
    )
    words = (stated,) if isinstance(stated, str) else (stated or {}).values()
    in_chunks = takes_moments and missing == "error" and "discrete" not in words
    if sql is not None:
        if table_format is not None or columns != ColumnSelection():
            raise OptionError(
                "--sql goes without --format, --columns and --drop; select columns in it"
            )
        return _loaded(_query(sql, data, options), options, missing, in_chunks)
    # Weights are left to learn, which says what they did.
    in_chunks = in_chunks and weights is None
    files = files_of(data)
    is_saved = [format_of(file, table_format) in ("moments", "covariance") for file in files]
    if any(is_saved) and in_chunks:
        moments = _with_saved(files, is_saved, options)
        return LoadedTable(moments, moments.names)
    return _loaded(open_files(files, options), options, missing, in_chunks)


def _query(query: str, data: Sequence[str], options: ReadOptions) -> OpenedQuery:
    if len(data) > 1:
        raise OptionError(f"--sql takes one DuckDB database as DATA, or none; got {len(data)}")
    return open_query(query, open_database(data[0]) if data else None, options)


def _loaded(
    opened: OpenedFiles | OpenedQuery, options: ReadOptions, missing: str, in_chunks: bool
) -> LoadedTable:
    if in_chunks and not opened.has_levels:
        source = _chunked(opened, options)
        return LoadedTable(source, source.names)
    table = whole_table(opened)
    names = tuple(name for name in table.column_names if name != options.weights)
    if not names:
        raise DataError("no column is left beside the weights; read more of them")
    weights = None if options.weights is None else table.column(options.weights).to_numpy()
    chosen = table.select(list(names))
    if opened.notes or names[0] in UNNAMED:
        # What is left out, or was asked for, has been decided.
        chosen = open_table(chosen, as_is=True)
        chosen.notes = opened.notes
    return LoadedTable(chosen, names, weights, options.kinds, missing)


def _chunked(opened: OpenedFiles | OpenedQuery, options: ReadOptions) -> ChunkedSource:
    # What is kept row by row has the moments of the array that its rows make.
    order: Any = "F" if opened.is_columnar else "C"
    return ChunkedSource(opened, weights=options.weights, order=order)


def _usual_role(score: str) -> Role:
    """Return what a score takes columns for, of which nothing is said."""
    takes = SCORES[score].takes if score in SCORES else None
    return "open" if takes is None else "numbers" if takes == "continuous" else "levels"


def _with_saved(files: Sequence[str], is_saved: Sequence[bool], options: ReadOptions) -> Moments:
    """Return the moments of files, some of which hold moments themselves."""
    whole: Moments | None = None
    for file, saved in zip(files, is_saved, strict=True):
        part = _saved(file, options) if saved else _counted(file, options)
        try:
            whole = part if whole is None else whole + part
        except DataError as error:
            raise error.within(f"{quoted_path(file)} beside {quoted_path(files[0])}: ") from error
    assert whole is not None
    options.check_columns(whole.names)
    return whole


def _saved(file: str, options: ReadOptions) -> Moments:
    with reading(file):
        is_text = format_of(file, options.format) == "covariance"
        moments = Moments.from_tetrad(file) if is_text else Moments.load(file)
        return _selected(moments, options.columns)


def _counted(file: str, options: ReadOptions) -> Moments:
    opened = open_files(file, options)
    if opened.has_levels:
        raise DataError(
            f"{quoted_path(file)} has columns of levels, which cannot be added to saved moments",
            remedy="give the table itself instead of its moments, or drop such columns",
        )
    return count_moments(SelectedRows(_chunked(opened, options)))[0]


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


def selection_from(columns: Sequence[str], drop: Sequence[str]) -> ColumnSelection:
    """Read the options ``--columns`` and ``--drop``: lists of names, given any number of times.

    Raises
    ------
    OptionError
        If a list cannot be read or names a column twice.
    """
    return ColumnSelection(_names("--columns", columns), _names("--drop", drop))


def kinds_from(lists: Sequence[str]) -> Kinds | None:
    """Read the option ``--kinds``: one word for all columns, or ``a=discrete,b=continuous``.

    Raises
    ------
    OptionError
        If it is neither, or says something of a column twice.
    """
    if len(lists) == 1 and lists[0] in KINDS:
        return lists[0]
    stated: dict[str, Kind] = {}
    for item in _items("--kinds", lists):
        name, _, word = item.rpartition("=")
        if not name or word not in KINDS:
            raise OptionError(
                f"--kinds: cannot read {quoted(item)}; give continuous or discrete for all "
                "columns, or a list such as a=discrete,b=continuous"
            )
        if name in stated:
            raise OptionError(f"--kinds names {quoted(name)} twice")
        stated[name] = word
    return stated or None


def _names(option: str, lists: Sequence[str]) -> tuple[str, ...]:
    names = _items(option, lists)
    twice = next((name for j, name in enumerate(names) if name in names[:j]), None)
    if twice is not None:
        raise OptionError(f"{option} names {quoted(twice)} twice")
    return tuple(names)


def _items(option: str, lists: Sequence[str]) -> list[str]:
    """Return the items of lists with commas."""
    try:
        # As a line of a CSV file, so that a name with a comma can be quoted.
        rows = list(csv.reader(lists, skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise OptionError(
            f"{option}: cannot read {listed(lists)} as a list with commas between: {error}"
        ) from error
    items = [item for row in rows for item in row]
    if len(rows) != len(lists) or not all(rows) or not all(items):
        raise OptionError(f"{option} is empty or holds an empty item; put commas between items")
    return items
