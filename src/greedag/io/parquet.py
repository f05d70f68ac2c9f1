"""Tables in Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from greedag.data.names import UNNAMED, are_row_names, pandas_index
from greedag.errors import FileError, one_line, quoted_path, require
from greedag.io.cells import ColumnPlan, Role
from greedag.io.chunks import rechunked

# Read ahead of what is decoded; whole columns of a row group would be read at once without it.
_BUFFER_BYTES = 2**20


class ParquetTable:
    """A Parquet file, of which only the columns that are asked for are read."""

    has_types = True

    def __init__(self, path: str) -> None:
        self.path = path
        self.index: tuple[str, ...]
        with self._opened() as file:
            self._schema = file.schema_arrow
            self.total: int | None = int(file.metadata.num_rows)
            self.names: tuple[str, ...] = tuple(self._schema.names)
            self.index = self._row_names(file) or pandas_index(self._schema)

    def _row_names(self, file: Any) -> tuple[str, ...]:
        """Return the first column if it came out of a CSV file that had names of rows in it."""
        first, *others = self.names or ("",)
        if first not in UNNAMED or not others or first in others:
            return ()
        column = file.read(columns=[first]).column(0)
        return (first,) if are_row_names(column.to_numpy()) else ()

    def roles(self, names: Sequence[str], *, look_on: bool) -> dict[str, Role]:
        """Return what columns hold, by their types."""
        return roles_by_type(self._schema, names)

    def chunks(self, plans: Mapping[str, ColumnPlan], rows: int) -> Iterator[Any]:
        """Give Arrow tables of these columns, each of so many rows."""
        with self._opened() as file:
            # One thread: several take half as much CPU time again.
            batches = file.iter_batches(batch_size=rows, columns=list(plans), use_threads=False)
            for table in rechunked(batches, rows):
                # Without what pandas has noted: these columns are wanted, be they an index.
                yield table.replace_schema_metadata().select(list(plans))

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        arrow, parquet = require("pyarrow", "io"), require("pyarrow.parquet", "io")
        try:
            # A file object, not a path: pyarrow takes some names for addresses of other machines.
            with (
                open(self.path, "rb") as content,
                parquet.ParquetFile(content, pre_buffer=False, buffer_size=_BUFFER_BYTES) as file,
            ):
                yield file
        except (arrow.ArrowException, OSError) as error:
            raise FileError(
                f"{quoted_path(self.path)} is damaged or not a Parquet file ({one_line(error)}); "
                "write it again"
            ) from error


def roles_by_type(schema: Any, names: Sequence[str]) -> dict[str, Role]:
    """Return what columns of an Arrow schema hold: text, booleans and categories are levels."""
    types = require("pyarrow", "io").types
    tests = (types.is_string, types.is_large_string, types.is_boolean, types.is_dictionary)
    return {
        field.name: "levels" if any(test(field.type) for test in tests) else "numbers"
        for field in schema
        if field.name in names
    }
