"""What DuckDB answers to a query, as a table."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from greedag._progress import LONG, each_interruptible, interruptible
from greedag.data.names import checked_names
from greedag.errors import (
    DataError,
    DataTypeError,
    FileError,
    GreedagError,
    Note,
    OptionError,
    one_line,
    quoted_path,
    require,
)
from greedag.io.chunks import Chunk, rechunked
from greedag.io.tables import ReadOptions

# How many columns a query answers with is known only when it has been run.
_QUERY_ROWS = 2**16
_DOING = "running the query"
_LEVELS = ("VARCHAR", "BOOLEAN", "ENUM")


class OpenedQuery:
    """A query that is answered piece by piece; see :class:`greedag.io.tables.OpenedFiles`."""

    is_columnar = has_types = True
    dropped: tuple[str, ...] = ()
    total: int | None = None
    notes: tuple[Note, ...] = ()
    where = "the answer"

    def __init__(
        self, duckdb: Any, relation: Any, options: ReadOptions, connection: Any = None
    ) -> None:
        self._duckdb, self._relation, self._connection = duckdb, relation, connection
        self.names = list(checked_names(relation.columns))
        options.check_columns(self.names)
        types = dict(zip(self.names, map(str, relation.types), strict=True))
        self.open_names = [name for name in self.names if options.role(name) == "open"]
        self.has_levels = any(types[name].startswith(_LEVELS) for name in self.open_names)

    def chunks(self) -> Iterator[Chunk]:
        """Give the rows of the answer."""
        first = 0
        with _asking(self._duckdb):
            for table in rechunked(self._batches(), _QUERY_ROWS):
                yield Chunk(table, "the answer", first)
                first += table.num_rows

    def _batches(self) -> Iterator[Any]:
        """Give the answer as it comes; only a query on a connection of ours can be interrupted."""
        if self._connection is None:
            yield from _stream(self._relation)
            return
        try:
            batches = interruptible(_DOING, LONG, _stream, self._relation)
            yield from each_interruptible(_DOING, batches)
        except BaseException:
            self._connection.interrupt()
            raise


def open_query(query: Any, connection: Any, options: ReadOptions) -> OpenedQuery:
    """Ask a query, given as text or as a relation of DuckDB.

    Raises
    ------
    DataError, OptionError
        If it is not a query, fails, or goes with no such connection.
    """
    duckdb = require("duckdb", "io")
    require("pyarrow", "io")
    if isinstance(query, str):
        with _asking(duckdb):
            # As a relation, which is answered piece by piece; execute() keeps all rows.
            checked = _checked_connection(duckdb, connection)
            relation = checked.sql(query)
        if relation is None:
            raise DataError("the query does not return a table; pass one that selects columns")
        return OpenedQuery(duckdb, relation, options, checked)
    if not isinstance(query, duckdb.DuckDBPyRelation):
        raise DataTypeError(
            f"expected a query as text or a DuckDB relation, got {type(query).__name__}; for a "
            "table in memory use from_data"
        )
    if connection is not None:
        raise OptionError("a relation has its own connection; leave out connection=")
    return OpenedQuery(duckdb, query, options)


def open_database(path: str) -> Any:
    """Connect to a database in a file, without the right to change it.

    Raises
    ------
    FileError
        If there is none.
    """
    duckdb = require("duckdb", "io")
    if not os.path.exists(path):
        raise FileError(f"there is no file {quoted_path(path)}; check the name")
    try:
        return duckdb.connect(path, read_only=True)
    except duckdb.Error as error:
        raise FileError(
            f"{quoted_path(path)} cannot be opened as a DuckDB database ({one_line(error)}); name "
            "other files in the query, as in SELECT a, b FROM 'table.csv'"
        ) from error


def files_named(query: str) -> list[str]:
    """Return the files that the quoted parts of a query name or match."""
    parts = (
        part for part in re.findall("['\"]([^'\"]*)['\"]", query) if "." in part or "/" in part
    )
    return [file for part in parts for file in glob.glob(part, recursive=True)]


def _checked_connection(duckdb: Any, given: Any) -> Any:
    if given is None:
        return duckdb.connect()
    # The module itself answers queries, too, on a connection of its own.
    if given is not duckdb and not isinstance(given, duckdb.DuckDBPyConnection):
        raise DataTypeError(
            f"connection must be one that duckdb.connect() made; got {type(given).__name__}"
        )
    return given


def _stream(relation: Any) -> Any:
    # The older name is the only one that DuckDB has before 1.4.
    name = "to_arrow_reader" if hasattr(relation, "to_arrow_reader") else "fetch_record_batch"
    return getattr(relation, name)(_QUERY_ROWS)


@contextmanager
def _asking(duckdb: Any) -> Iterator[None]:
    try:
        yield
    except GreedagError:
        raise
    except (duckdb.Error, OSError) as error:  # Arrow passes on what DuckDB raises as an OSError
        raise DataError(f"the query failed: {one_line(error)}") from error
