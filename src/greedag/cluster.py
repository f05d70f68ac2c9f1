"""Tables on a Dask cluster: moments are counted where the rows are, and merged in a tree.

Each partition is counted by a worker; what travels are moments, d × d numbers, never rows. A
worker that is lost takes nothing with it: Dask counts its partitions again elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from greedag.data import checked_names, default_names, names_of
from greedag.errors import (
    DataError,
    DataTypeError,
    GreedagError,
    check_size,
    different_columns,
    require,
    wrong_dimensions,
)
from greedag.moments import Moments

# Merging more at once would keep more moments in one worker's memory; fewer, more tasks.
_MERGED_AT_ONCE = 8

# What comes of a partition: nothing if it has no rows. Errors are carried along, so that the first
# in the order of the table is raised and not the first in time.
Part = Moments | DataError | None


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


def distributed_moments(data: Any, *, names: Sequence[str] | None = None) -> Moments:
    """Count the moments of a Dask DataFrame or array; see :meth:`Moments.from_data`."""
    own = column_names(data)
    labels = own if names is None else names_of(names, len(own))
    check_size(1, len(labels), least_n=1, least_d=1)
    dask = require("dask", "cluster")
    count = dask.delayed(_moments_of_part)
    parts = [count(part, place, own, labels) for place, part in enumerate(_parts(data))]
    moments = _computed(_merged(parts, dask.delayed(_sum)))
    if isinstance(moments, DataError):
        raise moments
    if moments is None:
        check_size(0, len(labels), least_n=1, least_d=1)
    return _frozen(moments)


def _parts(data: Any) -> list[Any]:
    """Return the partitions as delayed objects: runs of rows with all columns."""
    if _is_frame(data):
        return list(data.to_delayed())
    return list(data.rechunk({1: -1}).to_delayed().ravel())


def _moments_of_part(part: Any, place: int, own: tuple[str, ...], labels: tuple[str, ...]) -> Part:
    """Count one partition, on a worker."""
    try:
        found = checked_names(part.columns) if hasattr(part, "columns") else own
        if found != own:
            raise different_columns(own, found)
        return Moments.from_data(part, names=labels) if part.shape[0] else None
    except DataError as error:
        # The row that the message names is one of the partition.
        return type(error)(f"partition {place} (counting from 0) of the table: {error}")


def _merged(parts: list[Any], merge: Any) -> Any:
    while len(parts) > 1:
        runs = range(0, len(parts), _MERGED_AT_ONCE)
        parts = [merge(parts[first : first + _MERGED_AT_ONCE]) for first in runs]
    return parts[0] if parts else None


def _sum(parts: list[Part]) -> Part:
    counted = []
    for part in parts:
        if isinstance(part, DataError):
            return part
        if part is not None:
            counted.append(part)
    return reduce(add, counted) if counted else None


def _computed(tree: Any) -> Any:
    try:
        return tree.compute()
    except (GreedagError, MemoryError):
        raise
    except Exception as error:  # of whatever computes the partitions
        raise DataError(f"the Dask table could not be computed: {error}") from error


def _frozen(moments: Moments) -> Moments:
    """Make arrays that came from another process read-only, as all moments' are."""
    for field in moments.__slots__:
        value = getattr(moments, field)
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
    return moments


# A delayed object has every attribute that it is asked for, so that types must tell.
def _is_frame(data: Any) -> bool:
    return type(data).__module__.startswith("dask.dataframe") and bool(data.ndim == 2)


def _is_array(data: Any) -> bool:
    return type(data).__module__.startswith("dask.array")
