"""What DuckDB answers to a query, as a table."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from greedag import Moments
from greedag.cli.given_table import GivenTable, weighed
from greedag.cli.reading import Reading
from greedag.errors import DataError, FileError, OptionError, quoted_path, require

_LEVELS = ("VARCHAR", "BOOLEAN", "ENUM")


def read_query(query: str, paths: Sequence[str], reading: Reading) -> GivenTable:
    """Run a query in a database file, or in memory if there is none.

    Raises
    ------
    OptionError, FileError, DataError
        If there are several databases, it cannot be opened, or the query fails.
    """
    duckdb = require("duckdb", "io")
    require("pyarrow", "io")
    if len(paths) > 1:
        raise OptionError(f"--sql takes one DuckDB database as DATA, or none; got {len(paths)}")
    connection = _connected(duckdb, *paths)
    with _asking(duckdb):
        answer = connection.sql(query)
        if answer is None:
            raise DataError("the query answers with no table; pass one that selects columns")
        names, types = list(answer.columns), [str(kind) for kind in answer.types]
        reading.check_columns(names)
        if reading.is_of_numbers and not _has_levels(names, types, reading):
            return GivenTable(Moments.from_sql(answer, weights=reading.weights), None, reading)
        return weighed(_fetched(answer), reading)


def files_named(query: str) -> list[str]:
    """Return the files that the quoted parts of a query name or match."""
    parts = (
        part for part in re.findall("['\"]([^'\"]*)['\"]", query) if "." in part or "/" in part
    )
    return [file for part in parts for file in glob.glob(part, recursive=True)]


def _connected(duckdb: Any, path: str | None = None) -> Any:
    if path is None:
        return duckdb.connect()
    if not os.path.exists(path):
        raise FileError(f"there is no file {quoted_path(path)}; check the name")
    try:
        return duckdb.connect(path, read_only=True)
    except duckdb.Error as error:
        raise FileError(
            f"{quoted_path(path)} cannot be opened as a DuckDB database ({_line(error)}); name "
            "other files in the query, as in SELECT a, b FROM 'table.csv'"
        ) from error


def _fetched(answer: Any) -> Any:
    # The older name is the only one that DuckDB has before 1.4.
    name = "to_arrow_table" if hasattr(answer, "to_arrow_table") else "fetch_arrow_table"
    return getattr(answer, name)()


def _has_levels(names: Sequence[str], types: Sequence[str], reading: Reading) -> bool:
    pairs = zip(names, types, strict=True)
    return any(reading.role(name) == "open" and kind.startswith(_LEVELS) for name, kind in pairs)


@contextmanager
def _asking(duckdb: Any) -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        raise DataError(f"the query failed: {_line(error)}") from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
