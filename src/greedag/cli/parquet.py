"""Tables in Parquet files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from greedag import Moments
from greedag.cli.columns import Choice
from greedag.cli.parts import Part, part_of
from greedag.cli.reading import Reading
from greedag.data.names import pandas_index
from greedag.errors import FileError, one_line, quoted_path, require, warn_of_index


def read_parquet(path: str, choice: Choice) -> Part:
    """Count a table of numbers."""
    table = parquet_table(path, choice)
    return part_of(Moments.from_data(table), (column.to_numpy() for column in table.columns))


def parquet_table(path: str, choice: Choice) -> Any:
    """Return the chosen columns as an Arrow table."""
    parquet = require("pyarrow.parquet", "io")
    # A file object, not a path: pyarrow takes some names for addresses of other machines.
    with _reading(path), open(path, "rb") as file:
        whole = parquet.ParquetFile(file)
        names, index = _names(whole.schema_arrow, choice)
        if len(set(names)) < len(names):  # which is refused later, with all of them at hand
            return whole.read().drop_columns(index).select(choice.positions(names))
        chosen = [names[j] for j in choice.positions(names)]
        table = whole.read(columns=chosen).select(chosen).replace_schema_metadata()
    if index:
        warn_of_index(index, quoted_path(path), "name all columns with --columns")
    return table


def _names(schema: Any, choice: Choice) -> tuple[list[str], list[str]]:
    """Return the columns to choose from, and the index of a pandas frame, if nobody names it."""
    index = [name for name in pandas_index(schema) if name not in choice.drop]
    index = [] if choice.keep else index
    return [name for name in schema.names if name not in index], index


def parquet_has_levels(path: str, choice: Choice, reading: Reading) -> bool:
    """Whether a column that may hold levels has a type of levels."""
    types, parquet = require("pyarrow.types", "io"), require("pyarrow.parquet", "io")
    tests = (types.is_string, types.is_large_string, types.is_boolean, types.is_dictionary)
    with _reading(path), open(path, "rb") as file:
        schema = parquet.read_schema(file)
    names, _ = _names(schema, choice)
    undecided = [names[j] for j in choice.positions(names) if reading.role(names[j]) == "open"]
    type_of = dict(zip(schema.names, schema.types, strict=True))
    return any(test(type_of[name]) for name in undecided for test in tests)


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """Turn what Arrow raises about a file into an error that names it."""
    arrow = require("pyarrow", "io")
    try:
        yield
    except FileNotFoundError:
        raise
    except (arrow.ArrowException, OSError) as error:
        raise FileError(f"{quoted_path(path)} is no Parquet file: {one_line(error)}") from error
