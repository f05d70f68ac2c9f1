"""Tables on a Dask cluster: counted where the rows are, and merged in a tree.

Each partition is counted by a worker; what travels are moments, d × d numbers, or the distinct
rows of discrete columns. A worker that is lost takes nothing with it: Dask counts its partitions
again elsewhere. Workers need greedag too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from operator import add
from typing import Any, TypeVar, cast

import numpy as np

from greedag.data.names import checked_names, default_names, names_of
from greedag.errors import (
    DataError,
    DataTypeError,
    GreedagError,
    check_size,
    different_columns,
    require,
    wrong_dimensions,
)

# Merging more at once would keep more moments in one worker's memory; fewer, more tasks.
_MERGED_AT_ONCE = 8

Counted = TypeVar("Counted")


def has_own_names(data: Any) -> bool:
    """Whether a Dask table has names for its columns, all of them text."""
    return _is_frame(data) and all(isinstance(label, str) for label in data.columns)


def column_names(data: Any) -> tuple[str, ...]:
    """Return the names of the columns of a Dask table, if it is one."""
    if _is_frame(data):
        return checked_names(data.columns)
    if _is_array(data):
        if data.ndim != 2:
            raise wrong_dimensions(data.shape)
        return default_names(data.shape[1])
    raise DataTypeError(
        f"cannot read a table from a Dask {type(data).__name__}; "
        "pass a Dask DataFrame or a 2-D Dask array"
    )


def row_count(data: Any) -> int:
    """Return the number of rows of a Dask table."""
    delayed = require("dask", "cluster").delayed
    return int(_computed(_merged([delayed(_rows)(part) for part in _parts(data)], delayed(sum))))


def sample(data: Any) -> Any:
    """Return a table without rows, of the types of a Dask table."""
    names = column_names(data)
    return data._meta if _is_frame(data) else np.empty((0, len(names)), data.dtype)


def distributed(
    kind: type[Counted], data: Any, names: Sequence[str] | None = None, **options: Any
) -> Counted:
    """Count a Dask DataFrame or array.

    Parameters
    ----------
    kind : type
        What to count, such as `Moments`: it has ``from_data(table, names=…)`` and ``+``.
    data : Dask DataFrame or array
        The table.
    names : sequence of str, optional
        Column names, in place of the table's own.
    **options
        Further ones of ``from_data``.
    """
    own = column_names(data)
    labels = own if names is None else names_of(names, len(own))
    check_size(1, len(labels), least_n=1, least_d=1)
    delayed = require("dask", "cluster").delayed
    count = partial(_part, kind, own, dict(options, names=labels))
    parts = [delayed(count)(part, place) for place, part in enumerate(_parts(data))]
    counted = _computed(_merged(parts, delayed(_sum)))
    if isinstance(counted, DataError):
        raise counted
    if counted is None:
        check_size(0, len(labels), least_n=1, least_d=1)
    return cast(Counted, _frozen(counted))


def _parts(data: Any) -> list[Any]:
    """Return the partitions as delayed objects: runs of rows with all columns."""
    if _is_frame(data):
        return list(data.to_delayed())
    return list(data.rechunk({1: -1}).to_delayed().ravel())


def _rows(part: Any) -> int:
    return int(part.shape[0])


def _part(kind: Any, own: tuple[str, ...], options: dict[str, Any], part: Any, place: int) -> Any:
    """Count one partition, on a worker; None if it has no rows.

    Errors are returned, so that the first in the order of the table is raised and not the first in
    time.
    """
    try:
        found = checked_names(part.columns) if hasattr(part, "columns") else own
        if found != own:
            raise different_columns(own, found)
        return kind.from_data(part, **options) if _rows(part) else None
    except DataError as error:
        # The row that the message names is one of the partition.
        return error.within(f"partition {place} (counting from 0) of the table: ")


def _merged(parts: list[Any], merge: Any) -> Any:
    while len(parts) > 1:
        runs = range(0, len(parts), _MERGED_AT_ONCE)
        parts = [merge(parts[first : first + _MERGED_AT_ONCE]) for first in runs]
    return parts[0] if parts else None


def _sum(parts: list[Any]) -> Any:
    error = next((part for part in parts if isinstance(part, DataError)), None)
    counted = [part for part in parts if part is not None]
    return error or (reduce(add, counted) if counted else None)


def _computed(tree: Any) -> Any:
    try:
        return tree.compute()
    except (GreedagError, MemoryError):
        raise
    except Exception as error:  # of whatever computes the partitions
        raise DataError(f"the Dask table could not be computed: {error}") from error


def _frozen(counted: Any) -> Any:
    """Make arrays that came from another process read-only, as they were there."""
    for field in counted.__slots__:
        value = getattr(counted, field)
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
    return counted


# A delayed object has every attribute that it is asked for, so that types must tell.
def _is_frame(data: Any) -> bool:
    return type(data).__module__.startswith("dask.dataframe") and bool(data.ndim == 2)


def _is_array(data: Any) -> bool:
    return type(data).__module__.startswith("dask.array")
