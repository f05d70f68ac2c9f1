"""Tables in Parquet files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from greedag import Moments
from greedag.cli.columns import Choice
from greedag.cli.parts import Part, part_of
from greedag.cli.reading import Reading
from greedag.errors import FileError, one_line, quoted_path, require


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
        names = whole.schema_arrow.names
        places = choice.positions(names)
        if len(set(names)) < len(names):  # which is refused later, with all of them at hand
            return whole.read().select(places)
        chosen = [names[j] for j in places]
        return whole.read(columns=chosen).select(chosen)


def parquet_has_levels(path: str, choice: Choice, reading: Reading) -> bool:
    """Whether a column that may hold levels has a type of levels."""
    types, parquet = require("pyarrow.types", "io"), require("pyarrow.parquet", "io")
    tests = (types.is_string, types.is_large_string, types.is_boolean, types.is_dictionary)
    with _reading(path), open(path, "rb") as file:
        schema = parquet.read_schema(file)
    return any(
        reading.role(schema.names[j]) == "open" and any(test(schema.types[j]) for test in tests)
        for j in choice.positions(schema.names)
    )


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
