"""Statistics of tables larger than memory: one pass over chunks of rows, merged two by two.

Only statistics are kept, of the chunk at hand and of runs of 1, 2, 4, … chunks before it. So the
memory for moments does not grow with the table, and each row's rounding passes through few merges;
that for levels grows with the distinct rows alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, cast

import numpy as np

from greedag._progress import progress_callback
from greedag.data.names import checked_names
from greedag.data.source import open_table
from greedag.data.table import Floats, read_table
from greedag.data.weights import checked_weights
from greedag.errors import DataError, DataTypeError, OptionError, quoted, require
from greedag.io.cells import Role, numbers_of
from greedag.io.sql import open_query
from greedag.io.tables import Chunk, ColumnSelection, Paths, ReadOptions, open_files
from greedag.statistics.levels import Levels, levels_of
from greedag.statistics.moments import Moments

__all__ = [
    "LEVELS",
    "MOMENTS",
    "Paths",
    "ProgressCallback",
    "RowsRead",
    "count_chunks",
    "count_files",
    "count_query",
    "merged",
    "moments_of",
]

Statistic = TypeVar("Statistic", Moments, Levels)

# Of the distinct rows of levels; merging them takes some 20 bytes each.
_MOST_CODES = 2**25


@dataclass(frozen=True, slots=True)
class RowsRead:
    """How far the counting of a large table has come.

    Attributes
    ----------
    seconds : float
        Since it began.
    rows : int
        Read so far.
    total : int or None
        Rows in all, where that is known before they are read.
    """

    seconds: float
    rows: int
    total: int | None

    def __str__(self) -> str:
        of = "" if self.total is None else f" of {self.total:,}"
        return f"{self.seconds:.1f} s: {self.rows:,}{of} rows counted"


ProgressCallback = Callable[[RowsRead], object]


@dataclass(frozen=True, slots=True)
class Kind(Generic[Statistic]):
    """What is counted of rows: how, from columns of what, and how it merges."""

    of_rows: Callable[[Any, Floats | None, str], Statistic]
    role: Role
    missing: tuple[str, ...]
    why: str
    check: Callable[[Statistic], None] = lambda part: None


def moments_of(
    rows: Any,
    weights: Floats | None = None,
    *,
    order: Literal["C", "F"] = "F",
    remedies: Sequence[str] = ("drop",),
) -> Moments:
    """Count the moments of an Arrow table.

    Rows and columns are summed in another order: ``"C"`` gives the digits of an array that is read
    row by row, ``"F"`` those of a frame. The `remedies` are those of ``missing=`` that the caller
    may take.
    """
    arrow, names = require("pyarrow", "io"), None
    is_plain = all(c.type == arrow.float64() and not c.null_count for c in rows.columns)
    if is_plain and rows.num_rows and rows.num_columns:
        # In one block, which is read several times faster than column by column.
        names, table = rows.column_names, rows
        rows = np.empty((table.num_rows, table.num_columns), order=order)
        for j, column in enumerate(table.columns):
            rows[:, j] = numbers_of(column)
    return Moments._of_table(read_table(rows, names=names, remedies=remedies), weights)


def _moments_of(rows: Any, weights: Floats | None, missing: str) -> Moments:
    return moments_of(rows, weights)


def _levels_of(rows: Any, weights: Floats | None, missing: str) -> Levels:
    source = open_table(rows).in_memory()
    return levels_of(source, weights, allow_missing=missing == "test-wise")


def _check_distinct(part: Levels) -> None:
    distinct = len(part.counts)
    if distinct * part.d > _MOST_CODES:
        raise DataError(
            f"{distinct:,} distinct rows were found so far, and {_MOST_CODES // part.d:,} are the "
            f"most that are kept of {part.d} columns; leave out columns with many levels by "
            "columns=[…], or join levels"
        )


MOMENTS = Kind(
    _moments_of, "numbers", ("error", "drop"), "EM reads its rows again and again: use from_data"
)
LEVELS = Kind(
    _levels_of, "levels", ("error", "drop", "test-wise"), "EM is for moments", _check_distinct
)


@dataclass(frozen=True, slots=True)
class Asked(Generic[Statistic]):
    """What to count, which column holds weights, and what to do about missing values."""

    kind: Kind[Statistic]
    weights: str | None = None
    missing: str = "error"

    def __post_init__(self) -> None:
        if self.missing not in self.kind.missing:
            words = ", ".join(f"'{word}'" for word in self.kind.missing[:-1])
            raise OptionError(
                f"missing must be {words} or '{self.kind.missing[-1]}' ({self.kind.why}); got "
                f"{quoted(self.missing)}"
            )


def count_files(
    paths: Paths,
    asked: Asked[Statistic],
    *,
    columns: Sequence[str] | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Statistic:
    """Count the rows of files; see :meth:`Moments.from_file`."""
    if isinstance(columns, str) or (columns is not None and not len(columns)):
        raise OptionError(f"columns must be a list of names; got {quoted(columns)}")
    selection = ColumnSelection(keep=checked_names(columns or ()))
    table = open_files(paths, _options(asked, selection))
    return count_chunks(table.chunks(), table.names, asked, total=table.total, progress=progress)


def count_query(
    query: Any,
    asked: Asked[Statistic],
    connection: Any = None,
    *,
    progress: bool | ProgressCallback | None = None,
) -> Statistic:
    """Count the rows that DuckDB answers with; see :meth:`Moments.from_sql`."""
    table = open_query(query, connection, _options(asked))
    return count_chunks(table.chunks(), table.names, asked, progress=progress)


def count_chunks(
    chunks: Iterable[Chunk],
    names: Sequence[str],
    asked: Asked[Statistic],
    *,
    total: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Statistic:
    """Count the rows of chunks that have columns `names`, some weights among them."""
    names = [name for name in names if name != asked.weights]
    with progress_callback(cast(Any, progress)) as call:
        parts = _parts(chunks, names, asked, total, cast("ProgressCallback | None", call))
        found = merged(parts, asked.kind.check)
    if found is None:
        what = "no rows" if asked.missing != "drop" else "no complete rows"
        if asked.weights is not None:
            what += f" whose weight {quoted(asked.weights)} is above 0"
        raise DataError(f"there are {what} to count; check the files or the query")
    return found


def merged(
    parts: Iterator[Statistic], check: Callable[[Statistic], None] = lambda part: None
) -> Statistic | None:
    """Merge statistics two by two, as they come, keeping few of them; None if there are none."""
    runs: list[tuple[int, Statistic]] = []
    for part in parts:
        size, run = 1, part
        while runs and runs[-1][0] == size:
            size, run = 2 * size, runs.pop()[1] + run
            check(run)
        runs.append((size, run))
    if not runs:
        return None
    whole = runs.pop()[1]
    while runs:
        whole = runs.pop()[1] + whole
        check(whole)
    return whole


def _options(
    asked: Asked[Any],
    selection: ColumnSelection = ColumnSelection(),  # noqa: B008
) -> ReadOptions:
    if asked.weights is not None and not isinstance(asked.weights, str):
        raise DataTypeError(f"weights must be the name of a column; got {quoted(asked.weights)}")
    return ReadOptions(
        columns=selection, usual=asked.kind.role, weights=asked.weights, allow_missing=True
    )


def _parts(
    chunks: Iterable[Chunk],
    names: list[str],
    asked: Asked[Statistic],
    total: int | None,
    call: ProgressCallback | None,
) -> Iterator[Statistic]:
    """Give the statistics of each chunk, and report each."""
    started, rows = time.perf_counter(), 0
    for chunk in chunks:
        n = chunk.table.num_rows
        if n == 0:
            continue
        with _in_chunk(chunk.where, chunk.first, chunk.first + n - 1):
            part = _of_chunk(chunk.table, names, asked)
        rows += n
        if call is not None:
            call(RowsRead(time.perf_counter() - started, rows, total))
        if part is not None:
            yield part


def _of_chunk(chunk: Any, names: list[str], asked: Asked[Statistic]) -> Statistic | None:
    if asked.weights is None and asked.missing != "drop":
        return asked.kind.of_rows(chunk, None, asked.missing)
    table, keep = chunk.select(names), np.ones(chunk.num_rows, dtype=bool)
    given = None
    if asked.weights is not None:
        # Through the reader of tables, which names the column where it holds no numbers.
        values = read_table(chunk.select([asked.weights]), remedies=())
        given = checked_weights(values.blocks[0].values[:, 0], chunk.num_rows, is_part=True)
        keep &= given > 0.0
    if asked.missing == "drop":
        keep &= ~open_table(table).in_memory().missing_cells().any(axis=1)
    if not keep.any():
        return None
    if not keep.all():
        table = table.filter(keep)
    try:
        return asked.kind.of_rows(table, None if given is None else given[keep], asked.missing)
    except DataError as error:
        raise error.renumbered(np.flatnonzero(keep)) from error


@contextmanager
def _in_chunk(where: str, first: int, last: int) -> Iterator[None]:
    """Say of an error in which rows it is."""
    try:
        yield
    except DataError as found:
        moved = found.renumbered(range(first, last + 1))
        raise moved.within(f"in rows {first} to {last} of {where}: ") from found
