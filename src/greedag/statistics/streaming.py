"""Statistics of tables larger than memory: one pass over chunks of rows, merged two by two.

Only statistics are kept, of the chunk at hand and of runs of 1, 2, 4, … chunks before it. So the
memory for moments does not grow with the table, and each row's rounding passes through few merges;
that for levels grows with the distinct rows alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import numpy as np

from greedag._progress import progress_callback
from greedag.data.missing import missing_cells
from greedag.data.names import checked_names
from greedag.data.table import Floats, opened, read_table
from greedag.data.weights import checked_weights
from greedag.errors import (
    DataError,
    DataTypeError,
    GreedagError,
    OptionError,
    one_line,
    quoted,
    quoted_path,
    require,
    unknown_column,
    warn_of_index,
)
from greedag.io.files import (
    Paths,
    check_columns,
    check_same,
    chunks_of,
    columns_of,
    files_of,
    index_of,
    rows_of,
)
from greedag.statistics.levels import Levels
from greedag.statistics.moments import Moments

__all__ = [
    "LEVELS",
    "MOMENTS",
    "Paths",
    "ProgressCallback",
    "RowsRead",
    "count_files",
    "count_query",
    "merged",
]

Statistic = TypeVar("Statistic", Moments, Levels)

_CHUNK_VALUES = 2**21
_LEAST_CHUNK_ROWS = 1024
# How many columns a query answers with is known only when it has been run.
_QUERY_ROWS = 2**16
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
    """What is counted of rows: how, from tables of which text, and how it merges."""

    of_rows: Callable[[Any, Floats | None, str], Statistic]
    text: str
    missing: tuple[str, ...]
    why: str
    check: Callable[[Statistic], None] = lambda part: None


def _moments_of(rows: Any, weights: Floats | None, missing: str) -> Moments:
    return Moments._of_table(read_table(rows, remedies=("drop",)), None, weights)


def _levels_of(rows: Any, weights: Floats | None, missing: str) -> Levels:
    return Levels._read(rows, weights=weights, may_lack=missing == "test-wise")[0]


def _check_distinct(part: Levels) -> None:
    distinct = len(part.counts)
    if distinct * part.d > _MOST_CODES:
        raise DataError(
            f"{distinct:,} distinct rows were found so far, and {_MOST_CODES // part.d:,} are the "
            f"most that are kept of {part.d} columns; leave out columns with many levels by "
            "columns=[…], or join levels"
        )


MOMENTS = Kind(
    _moments_of, "double", ("error", "drop"), "EM reads its rows again and again: use from_data"
)
LEVELS = Kind(
    _levels_of, "string", ("error", "drop", "test-wise"), "EM is for moments", _check_distinct
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
    require("pyarrow", "io")
    files = files_of(paths)
    names, read = _columns(files, columns, asked.weights)
    sizes = [rows_of(file) for file in files]
    total = None if None in sizes else sum(size or 0 for size in sizes)
    rows, texts = _chunk_rows(len(read)), dict.fromkeys(read, asked.kind.text)
    if asked.weights is not None:
        texts[asked.weights] = "double"
    chunks = (
        (quoted_path(file), chunk) for file in files for chunk in chunks_of(file, texts, rows)
    )
    return _counted(chunks, names, asked, total, progress)


def count_query(
    query: Any,
    asked: Asked[Statistic],
    connection: Any = None,
    *,
    progress: bool | ProgressCallback | None = None,
) -> Statistic:
    """Count the rows that DuckDB answers with; see :meth:`Moments.from_sql`."""
    duckdb = require("duckdb", "io")
    require("pyarrow", "io")
    with _asking(duckdb):
        reader = _reader(duckdb, query, connection)
        names = _without(list(reader.schema.names), asked.weights)
        return _counted(_answers(reader), names, asked, None, progress)


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


def _columns(
    files: list[str], columns: Sequence[str] | None, weights: str | None
) -> tuple[list[str], list[str]]:
    """Return the columns to count and those to read, if all files have them."""
    if isinstance(columns, str):
        raise OptionError(f"columns must be a list of names; got {quoted(columns)}")
    read = _own_columns(files[0]) if columns is None else list(columns)
    if columns is not None and weights is not None and weights not in read:
        read.append(weights)
    checked_names(read)
    for file in files:
        (check_same if columns is None else check_columns)(file, read, first=files[0])
    return _without(read, weights), read


def _own_columns(file: str) -> list[str]:
    """Return the columns of a file but the index of the pandas frame that it was written from."""
    index = index_of(file)
    if index:
        warn_of_index(index, quoted_path(file), "name all columns by columns=[…]")
    return [name for name in columns_of(file) if name not in index]


def _without(names: list[str], weights: str | None) -> list[str]:
    if weights is None:
        return names
    if not isinstance(weights, str):
        raise DataTypeError(f"weights must be the name of a column; got {quoted(weights)}")
    if weights not in names:
        raise unknown_column(weights, names)
    return [name for name in names if name != weights]


def _chunk_rows(d: int) -> int:
    return max(_LEAST_CHUNK_ROWS, _CHUNK_VALUES // max(d, 1))


def _counted(
    chunks: Iterator[tuple[str, Any]],
    names: list[str],
    asked: Asked[Statistic],
    total: int | None,
    progress: bool | ProgressCallback | None,
) -> Statistic:
    with progress_callback(cast(Any, progress)) as tell:
        parts = _parts(chunks, names, asked, total, cast("ProgressCallback | None", tell))
        found = merged(parts, asked.kind.check)
    if found is None:
        what = "no rows" if asked.missing != "drop" else "no complete rows"
        if asked.weights is not None:
            what += f" whose weight {quoted(asked.weights)} is above 0"
        raise DataError(f"there are {what} to count; check the files or the query")
    return found


def _parts(
    chunks: Iterator[tuple[str, Any]],
    names: list[str],
    asked: Asked[Statistic],
    total: int | None,
    tell: ProgressCallback | None,
) -> Iterator[Statistic]:
    """Give the statistics of each chunk, and tell of it."""
    started, rows = time.perf_counter(), 0
    here, before = "", 0
    for where, chunk in chunks:
        n = chunk.num_rows
        if n == 0:
            continue
        if where != here:
            here, before = where, rows
        with _in_chunk(where, rows - before, rows - before + n - 1):
            part = _of_chunk(chunk, names, asked)
        rows += n
        if tell is not None:
            tell(RowsRead(time.perf_counter() - started, rows, total))
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
        given = checked_weights(values.panels[0].values[:, 0], chunk.num_rows, is_part=True)
        keep &= given > 0.0
    if asked.missing == "drop":
        keep &= ~missing_cells(opened(table)).any(axis=1)
    if not keep.any():
        return None
    if not keep.all():
        table = table.filter(keep)
    try:
        return asked.kind.of_rows(table, None if given is None else given[keep], asked.missing)
    except DataError as error:
        raise error.renumbered(np.flatnonzero(keep)) from error


def _reader(duckdb: Any, query: Any, connection: Any) -> Any:
    """Run a query and return its answer as a stream of batches."""
    if isinstance(query, str):
        # As a relation, which is answered piece by piece; execute() keeps all rows.
        answer = _connection(duckdb, connection).sql(query)
        if answer is None:
            raise DataError("the query answers with no table; pass one that selects columns")
        return _stream(answer)
    if not isinstance(query, duckdb.DuckDBPyRelation):
        raise DataTypeError(
            f"expected a query as text or a DuckDB relation, got {type(query).__name__}; for a "
            "table in memory use from_data"
        )
    if connection is not None:
        raise OptionError("a relation has its own connection; leave out connection=")
    return _stream(query)


def _connection(duckdb: Any, given: Any) -> Any:
    if given is None:
        return duckdb.connect()
    # The module itself answers queries, too, on a connection of its own.
    if given is not duckdb and not isinstance(given, duckdb.DuckDBPyConnection):
        raise DataTypeError(
            f"connection must be one that duckdb.connect() made; got {type(given).__name__}"
        )
    return given


def _stream(answer: Any) -> Any:
    # The older name is the only one that DuckDB has before 1.4.
    name = "to_arrow_reader" if hasattr(answer, "to_arrow_reader") else "fetch_record_batch"
    return getattr(answer, name)(_QUERY_ROWS)


def _answers(reader: Any) -> Iterator[tuple[str, Any]]:
    arrow = require("pyarrow", "io")
    for batch in reader:
        yield "the answer", arrow.Table.from_batches([batch])


@contextmanager
def _asking(duckdb: Any) -> Iterator[None]:
    try:
        yield
    except GreedagError:
        raise
    except (duckdb.Error, OSError) as error:  # Arrow passes on what DuckDB raises as an OSError
        raise DataError(f"the query failed: {one_line(error)}") from error


@contextmanager
def _in_chunk(where: str, first: int, last: int) -> Iterator[None]:
    """Say of an error in which rows it is."""
    try:
        yield
    except DataError as found:
        moved = found.renumbered(range(first, last + 1))
        raise moved.within(f"in rows {first} to {last} of {where}: ") from found
