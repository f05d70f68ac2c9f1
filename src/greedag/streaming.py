"""Moments of tables larger than memory: one pass over chunks of rows, merged two by two.

Only moments are kept, of the chunk at hand and of runs of 1, 2, 4, … chunks before it, so that
memory does not grow with the table and each row's rounding passes through few merges.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from greedag.data import read_table
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
)
from greedag.files import Paths, check_columns, check_same, chunks_of, columns_of, files_of, rows_of
from greedag.moments import Moments
from greedag.names import checked_names
from greedag.progress import telling
from greedag.weights import checked_weights

__all__ = ["Paths", "RowsRead", "Told", "count_files", "count_query", "merged"]

_CHUNK_VALUES = 2**21
_LEAST_CHUNK_ROWS = 1024
# How many columns a query answers with is known only when it has been run.
_QUERY_ROWS = 2**16


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


Told = Callable[[RowsRead], object]


def count_files(
    paths: Paths,
    *,
    columns: Sequence[str] | None = None,
    weights: str | None = None,
    progress: bool | Told | None = None,
) -> Moments:
    """Count the moments of files; see :meth:`Moments.from_file`."""
    require("pyarrow", "io")
    files = files_of(paths)
    names, read = _columns(files, columns, weights)
    sizes = [rows_of(file) for file in files]
    total = None if None in sizes else sum(size or 0 for size in sizes)
    rows = _chunk_rows(len(read))
    chunks = ((quoted_path(file), chunk) for file in files for chunk in chunks_of(file, read, rows))
    return _counted(chunks, names, weights, total, progress)


def count_query(
    query: Any,
    connection: Any = None,
    *,
    weights: str | None = None,
    progress: bool | Told | None = None,
) -> Moments:
    """Count the moments of what DuckDB answers; see :meth:`Moments.from_sql`."""
    duckdb = require("duckdb", "io")
    require("pyarrow", "io")
    with _asking(duckdb):
        reader = _reader(duckdb, query, connection)
        names = _without(list(reader.schema.names), weights)
        return _counted(_answers(reader), names, weights, None, progress)


def merged(parts: Iterator[Moments]) -> Moments | None:
    """Merge moments two by two, as they come, keeping few of them; None if there are none."""
    runs: list[tuple[int, Moments]] = []
    for part in parts:
        size, run = 1, part
        while runs and runs[-1][0] == size:
            size, run = 2 * size, runs.pop()[1] + run
        runs.append((size, run))
    if not runs:
        return None
    whole = runs.pop()[1]
    while runs:
        whole = runs.pop()[1] + whole
    return whole


def _columns(
    files: list[str], columns: Sequence[str] | None, weights: str | None
) -> tuple[list[str], list[str]]:
    """Return the columns to count and those to read, if all files have them."""
    if isinstance(columns, str):
        raise OptionError(f"columns must be a list of names; got {quoted(columns)}")
    read = columns_of(files[0]) if columns is None else list(columns)
    if columns is not None and weights is not None and weights not in read:
        read.append(weights)
    checked_names(read)
    for file in files:
        (check_same if columns is None else check_columns)(file, read, first=files[0])
    return _without(read, weights), read


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
    weights: str | None,
    total: int | None,
    progress: bool | Told | None,
) -> Moments:
    with telling(cast(Any, progress)) as tell:
        parts = _parts(chunks, names, weights, total, cast("Told | None", tell))
        moments = merged(parts)
    if moments is None:
        what = (
            "no rows" if weights is None else f"no rows whose weight {quoted(weights)} is above 0"
        )
        raise DataError(f"there are {what} to count; check the files or the query")
    return moments


def _parts(
    chunks: Iterator[tuple[str, Any]],
    names: list[str],
    weights: str | None,
    total: int | None,
    tell: Told | None,
) -> Iterator[Moments]:
    """Give the moments of each chunk, and tell of it."""
    started, rows = time.perf_counter(), 0
    here, before = "", 0
    for where, chunk in chunks:
        n = chunk.num_rows
        if n == 0:
            continue
        if where != here:
            here, before = where, rows
        with _in_chunk(where, rows - before, rows - before + n - 1):
            part = _of_chunk(chunk, names, weights)
        rows += n
        if tell is not None:
            tell(RowsRead(time.perf_counter() - started, rows, total))
        if part is not None:
            yield part


def _of_chunk(chunk: Any, names: list[str], weights: str | None) -> Moments | None:
    if weights is None:
        return Moments._of_table(read_table(chunk))
    # Through the reader of tables, which names the column where it holds no numbers.
    values = read_table(chunk.select([weights]))
    given = checked_weights(values.panels[0].values[:, 0], chunk.num_rows, is_part=True)
    table, positive = chunk.select(names), given > 0.0
    if not positive.any():
        return None
    if not positive.all():
        table = table.filter(positive)
    return Moments._of_table(read_table(table), None, given[positive])


def _reader(duckdb: Any, query: Any, connection: Any) -> Any:
    """Run a query and return its answer as a stream of batches."""
    if isinstance(query, str):
        # As a relation, which is answered piece by piece; execute() keeps all rows.
        answer = (duckdb.connect() if connection is None else connection).sql(query)
        if answer is None:
            raise DataError("the query answers with no table; pass one that selects columns")
        return _stream(answer)
    if not isinstance(query, duckdb.DuckDBPyRelation):
        raise DataTypeError(
            f"expected a query as text or a DuckDB relation, got {type(query).__name__}; for a "
            "table in memory use Moments.from_data"
        )
    if connection is not None:
        raise OptionError("a relation has its own connection; leave out connection=")
    return _stream(query)


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
    except DataError as error:
        raise type(error)(f"in rows {first} to {last} of {where}: {error}") from error
