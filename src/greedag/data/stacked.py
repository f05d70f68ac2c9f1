"""Rows of several tables in memory, one table after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag.data.columns import Column, ColumnsSource
from greedag.data.source import MemorySource
from greedag.errors import DataError, listed


def stacked(tables: Sequence[MemorySource]) -> MemorySource:
    """Return the rows of tables with the same columns, which may be in another order.

    Columns of tables without names are taken by their places.

    Raises
    ------
    DataError
        If some columns are not in all of the tables.
    """
    first = tables[0]
    orders = [_order(first, table, place) for place, table in enumerate(tables)]
    parts = []
    for j, name in enumerate(first.names):
        pairs = [(table, order[j]) for table, order in zip(tables, orders, strict=True)]
        category = next((t.judge(k) for t, k in pairs if t.is_category(k)), None)
        parts.append(Column(_joined([table.values(k) for table, k in pairs]), name, category))
    return ColumnsSource(parts, has_own_names=all(table.has_own_names for table in tables))


def _order(first: MemorySource, table: MemorySource, place: int) -> list[int]:
    """Return where the columns of the first table are in another one."""
    if len(table.names) == len(first.names) and not (first.has_own_names and table.has_own_names):
        return list(range(len(first.names)))
    unshared = sorted(set(first.names) ^ set(table.names), key=[*first.names, *table.names].index)
    if unshared or len(table.names) != len(first.names):
        raise DataError(
            f"table {place + 1} has other columns than the first: only one of the two has "
            f"{listed(unshared)}",
            remedy="give all tables the same columns",
            code="different-columns",
            columns=unshared,
        )
    return [table.names.index(name) for name in first.names]


def _joined(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return values one after the other; numbers beside anything else stay what they are."""
    are_numbers = [column.dtype.kind in "biuf" for column in columns]
    same = len({column.dtype for column in columns}) == 1
    if not (same or all(are_numbers)):
        columns = [column.astype(object) for column in columns]
    is_masked = any(np.ma.is_masked(column) for column in columns)
    return (np.ma.concatenate if is_masked else np.concatenate)(list(columns))
