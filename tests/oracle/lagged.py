"""Lagged tables, row by row: for each row its past is looked up among all rows."""

from __future__ import annotations

from typing import Any

Rows = list[dict[str, Any]]


def lagged(rows: Rows, lags: int, by: list[str], time: str | None) -> tuple[Rows, int]:
    """Return the rows with a full past, unit after unit in the order of time, and how many lack it.

    Parameters
    ----------
    rows : list of dict
        The table.
    lags : int
        How many rows to look back.
    by : list of str
        Columns that say which unit a row belongs to.
    time : str or None
        Column that the rows are sorted by.
    """
    units: list[tuple[Any, ...]] = []
    for row in rows:
        unit = tuple(row[name] for name in by)
        if unit not in units:
            units.append(unit)
    found: Rows = []
    for unit in units:
        own = [row for row in rows if tuple(row[name] for name in by) == unit]
        if time is not None:
            own = sorted(own, key=lambda row: row[time])
        for now in range(lags, len(own)):
            wide = {}
            for lag in range(lags + 1):
                for name, value in own[now - lag].items():
                    if name not in (*by, time):
                        wide[name if lag == 0 else f"{name}_lag{lag}"] = value
            found.append(wide)
    return found, len(rows) - len(found)
