"""Tables on a Dask cluster: counted where the rows are, and merged in a tree.

Each partition is counted by a worker; what travels are moments, d × d numbers, or the distinct
rows of discrete columns. A worker that is lost takes nothing with it: Dask counts its partitions
again elsewhere. Workers need greedag too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial, reduce
from operator import add
from typing import Any, TypeVar, cast

import numpy as np

from greedag._progress import within_limit
from greedag.data.kinds import Kind
from greedag.data.names import checked_names, default_names
from greedag.data.source import Floats, MemorySource, Source, open_table
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

Statistic = TypeVar("Statistic")


class DaskSource(Source):
    """A Dask DataFrame or a Dask array of two dimensions."""

    is_distributed = True

    def __init__(self, data: Any) -> None:
        self._data = data
        self.has_own_names = False
        if _is_frame(data):
            self.names = checked_names(data.columns)
            self.has_own_names = all(isinstance(label, str) for label in data.columns)
            self._empty = data._meta
        elif _is_array(data):
            if data.ndim != 2:
                raise wrong_dimensions(data.shape)
            self.names = default_names(data.shape[1])
            self._empty = np.empty((0, len(self.names)), data.dtype)
        else:
            raise DataTypeError(
                f"cannot read a table from a Dask {type(data).__name__}",
                remedy="pass a Dask DataFrame or a 2-D Dask array",
            )
        self._own = self.names

    @cached_property
    def n(self) -> int:
        """Number of rows, which takes a pass over the partitions."""
        delayed = require("dask", "cluster").delayed
        counts = [delayed(_rows)(part) for part in _parts(self._data)]
        return int(_computed(_merged(counts, delayed(sum))))

    @cached_property
    def judged(self) -> tuple[tuple[Kind, bool], ...]:
        """The kind of each column by its type; no value is looked at."""
        return open_table(self._empty, as_is=True).judged

    def select(self, columns: Sequence[int]) -> DaskSource:
        """Return some columns."""
        places = list(columns)
        part = DaskSource(
            self._data[[self._data.columns[j] for j in places]]
            if _is_frame(self._data)
            else self._data[:, places]
        )
        part.names, part.has_own_names = tuple(self.names[j] for j in places), self.has_own_names
        return part

    def in_memory(self) -> MemorySource:
        """Refuse: the rows may be more than fit."""
        raise DataTypeError(
            "this needs all rows in one place, and a Dask table is counted partition by partition",
            remedy="call its .compute() first, if it fits into memory",
            code="distributed",
        )

    def counted(
        self,
        count: Callable[[MemorySource, Floats | None], Statistic],
        weights: Floats | None = None,
    ) -> Statistic:
        """Count each partition by a worker, and merge the counts by ``+``."""
        check_size(1, len(self.names), least_n=1, least_d=1)
        delayed = require("dask", "cluster").delayed
        of_part = partial(_count_part, count, self._own, self.names)
        parts = [delayed(of_part)(part, place) for place, part in enumerate(_parts(self._data))]
        total = _computed(_merged(parts, delayed(_sum)))
        if isinstance(total, DataError):
            raise total
        if total is None:
            check_size(0, len(self.names), least_n=1, least_d=1)
        return cast(Statistic, total)


def _parts(data: Any) -> list[Any]:
    """Return the partitions as delayed objects: runs of rows with all columns."""
    if _is_frame(data):
        return list(data.to_delayed())
    return list(data.rechunk({1: -1}).to_delayed().ravel())


def _rows(part: Any) -> int:
    return int(part.shape[0])


def _count_part(
    count: Callable[[MemorySource, Floats | None], Any],
    own: tuple[str, ...],
    names: tuple[str, ...],
    part: Any,
    place: int,
) -> Any:
    """Count one partition, on a worker; None if it has no rows.

    Errors are returned, so that the first in the order of the table is raised and not the first in
    time.
    """
    try:
        found = checked_names(part.columns) if hasattr(part, "columns") else own
        if found != own:
            raise different_columns(own, found)
        if not _rows(part):
            return None
        source = open_table(part, as_is=True).in_memory().renamed(names)
        source.remedies = ()
        return count(source, None)
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
        return within_limit("counting the Dask table", tree.compute)
    except (GreedagError, MemoryError):
        raise
    except Exception as error:  # of whatever computes the partitions
        raise DataError(f"the Dask table could not be computed: {error}") from error


# A delayed object has every attribute that it is asked for, so that only its type can tell.
def _is_frame(data: Any) -> bool:
    return type(data).__module__.startswith("dask.dataframe") and bool(data.ndim == 2)


def _is_array(data: Any) -> bool:
    return type(data).__module__.startswith("dask.array")
