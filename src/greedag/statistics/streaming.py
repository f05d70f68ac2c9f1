"""Tables larger than memory, opened to be counted in one pass over chunks of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from greedag._progress import RowsCallback
from greedag.data.names import checked_names
from greedag.data.rows import SelectedRows
from greedag.errors import DataTypeError, OptionError, quoted
from greedag.io.chunks import ChunkedSource, Opened
from greedag.io.sql import open_query
from greedag.io.tables import ColumnSelection, Paths, ReadOptions, open_files

Role = Literal["numbers", "levels"]
# What can be done about missing values in one pass, and why nothing else.
_MISSING: dict[Role, tuple[tuple[str, ...], str]] = {
    "numbers": (("error", "drop"), "EM reads its rows again and again: use from_data"),
    "levels": (("error", "drop", "test-wise"), "EM is for moments"),
}


def rows_of_files(
    path: Paths,
    role: Role,
    *,
    columns: Sequence[str] | None,
    weights: str | None,
    missing: str,
    progress: bool | RowsCallback | None,
) -> SelectedRows:
    """Open files whose columns all hold numbers, or levels; see :meth:`Moments.from_file`."""
    _check(role, weights, missing)
    if isinstance(columns, str) or (columns is not None and not len(columns)):
        raise OptionError(f"columns must be a list of names; got {quoted(columns)}")
    selection = ColumnSelection(keep=checked_names(columns or ()))
    opened = open_files(path, _options(role, weights, selection))
    return _rows(opened, weights, missing, progress)


def rows_of_query(
    query: Any,
    connection: Any,
    role: Role,
    *,
    weights: str | None,
    missing: str,
    progress: bool | RowsCallback | None,
) -> SelectedRows:
    """Ask a query whose columns all hold numbers, or levels; see :meth:`Moments.from_sql`."""
    _check(role, weights, missing)
    opened = open_query(query, connection, _options(role, weights, ColumnSelection()))
    return _rows(opened, weights, missing, progress)


def _check(role: Role, weights: object, missing: str) -> None:
    allowed, why = _MISSING[role]
    if missing not in allowed:
        *words, last = (f"'{word}'" for word in allowed)
        raise OptionError(
            f"missing must be {', '.join(words)} or {last} ({why}); got {quoted(missing)}"
        )
    if weights is not None and not isinstance(weights, str):
        raise DataTypeError(f"weights must be the name of a column; got {quoted(weights)}")


def _options(role: Role, weights: str | None, selection: ColumnSelection) -> ReadOptions:
    return ReadOptions(columns=selection, usual=role, weights=weights, allow_missing=True)


def _rows(
    opened: Opened, weights: str | None, missing: str, progress: bool | RowsCallback | None
) -> SelectedRows:
    source = ChunkedSource(
        opened,
        weights=weights,
        drop_missing=missing == "drop",
        progress=progress,
        remedies=("drop",),
    )
    return SelectedRows(source, missing=missing)
