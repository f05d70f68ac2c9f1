"""All rows of files or of a query, as one Arrow table."""

from __future__ import annotations

import time
from typing import Any

from greedag._progress import LOGGER, check_time
from greedag.errors import DataError, require
from greedag.io.cells import finished
from greedag.io.chunks import Chunk, Opened
from greedag.io.tables import OpenedFiles


def whole_table(opened: Opened, most: int | None = None) -> Any:
    """Return all rows as one Arrow table, or those of the first chunks that hold so many.

    Raises
    ------
    DataError
        If there are none, or the files hold different types.
    """
    arrow = require("pyarrow", "io")
    started, rows = time.perf_counter(), 0
    chunks: list[Chunk] = []
    for chunk in opened.chunks():
        if chunks:
            check_time("reading the table", chunk.first)
        chunks.append(chunk)
        rows += len(chunk.table)
        if most is not None and rows >= most:
            break
    seconds = time.perf_counter() - started
    LOGGER.info("read %d rows of the files or the query in %.3f s", rows, seconds)
    parts = [_without_categories(chunk.table) for chunk in chunks if chunk.has_types]
    text = [chunk.table for chunk in chunks if not chunk.has_types]
    if text and isinstance(opened, OpenedFiles):
        parts.insert(0, finished(arrow.concat_tables(text), opened.plans))
    if not parts:
        raise DataError("there are no rows; check the files or the query")
    try:
        return arrow.concat_tables(parts, promote_options="permissive")
    except arrow.ArrowException as error:
        raise DataError(f"the files hold columns of different types: {error}") from error


def _without_categories(table: Any) -> Any:
    """Return categories as their values: other files may have others, or the values themselves."""
    arrow = require("pyarrow", "io")
    is_category = arrow.types.is_dictionary
    fields = [
        field.with_type(field.type.value_type) if is_category(field.type) else field
        for field in table.schema
    ]
    return table.cast(arrow.schema(fields))
