"""Time series as a table: beside each column its past, with the knowledge that this is the past."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag._options import checked_whole
from greedag.data.source import FrameSource, MemorySource, open_table
from greedag.errors import (
    DataError,
    Row,
    columns_listed,
    counted_rows,
    quoted,
    unknown_column,
)
from greedag.graph.knowledge import Knowledge
from greedag.graph.mpdag import as_name

Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Lagged:
    """A table with columns for the past, and what is known of them.

    Made by :func:`greedag.lagged`, for ``learn(lagged.data, knowledge=lagged.knowledge)``.

    Attributes
    ----------
    data : data frame or dict of arrays
        A row for each moment that has a full past: a frame of the same kind as the table, or
        arrays by name if it was none.
    knowledge : Knowledge
        The tiers, the oldest columns first, and that lagged columns have no edges among each other.
    rows_dropped : int
        The rows that have no full past: the first ones of each unit.
    """

    data: Any
    knowledge: Knowledge
    rows_dropped: int

    def __repr__(self) -> str:
        *past, present = self.knowledge.tiers
        return (
            f"<Lagged: {len(present)} columns at lags 0 to {len(past)}, "
            f"{self.rows_dropped} rows dropped>"
        )


def lagged(
    table: Any,
    lags: int = 2,
    *,
    by: str | Sequence[str] | None = None,
    time: str | None = None,
) -> Lagged:
    """Put the past of each column beside it: ``x_lag1`` is x one row earlier.

    Parameters
    ----------
    table : data frame, array_like of shape (n, d) or mapping of columns
        Rows at equal distances in time, in their order.
    lags : int, default 2
        How many rows to look back.
    by : str or list of str, optional
        Columns that say which unit a row belongs to, such as a patient. The past of a row is that
        of its unit. They are not among the columns of the result.
    time : str, optional
        Column to sort the rows of each unit by. It is not among the columns of the result either.

    Returns
    -------
    Lagged
        The table, unit after unit, and the knowledge that goes with it: no column is an ancestor
        of an earlier one, and edges lead to the present only. The same relations hold at every
        moment; edges among lagged columns would repeat those at the present, from less of the past.

    Raises
    ------
    DataError
        If there is no such column, no unit has more rows than `lags`, a unit or a time is missing,
        or two rows of a unit have the same time.
    OptionError
        If `lags` is not a whole number from 1.

    Examples
    --------
    >>> series = {"rain": [0.0, 2.0, 1.0, 3.0], "mud": [0.0, 0.1, 2.1, 1.0]}
    >>> found = lagged(series, lags=1)
    >>> {name: values.tolist() for name, values in found.data.items()}["rain_lag1"]
    [0.0, 2.0, 1.0]
    >>> print(found.knowledge)
    tiers: rain_lag1, mud_lag1 < rain, mud
    no edges among rain_lag1, mud_lag1
    """
    lags = checked_whole("lags", lags, least=1)
    source = open_table(table).in_memory()
    units = _columns(source, [] if by is None else [by] if _is_one(by) else by)
    times = _columns(source, [] if time is None else [time])
    modelled = [j for j in range(len(source.names)) if j not in (*units, *times)]
    if not modelled:
        raise DataError(
            f"{columns_listed(source.names)} say unit and time; no column is left to learn from"
        )
    rows = _rows_with_past(source, units, times, lags)
    names = _lagged_names([source.names[j] for j in modelled], lags)
    return Lagged(
        data=_shifted(source, modelled, rows, names),
        knowledge=_knowledge(names),
        rows_dropped=source.shape[0] - len(rows[0]),
    )


def _is_one(by: object) -> bool:
    return isinstance(by, (str, bytes)) or not isinstance(by, Sequence)


def _columns(source: MemorySource, names: Sequence[Any]) -> list[int]:
    found = []
    for name in names:
        text = as_name(name)
        if text not in source.names:
            raise unknown_column(name, source.names)
        found.append(source.names.index(text))
        missing = source.missing(found[-1])
        if missing.any():
            raise DataError(
                f"column {quoted(text)}, ",
                Row(int(np.argmax(missing))),
                f" is missing, as are {int(missing.sum()) - 1} more of its values",
                remedy="fill them in, or leave out these rows",
                code="lagged-missing",
                columns=[text],
            )
    return found


def _rows_with_past(
    source: MemorySource, units: Sequence[int], times: Sequence[int], lags: int
) -> list[Places]:
    """Return the rows that have a full past, and for each lag the rows that are it."""
    n = source.shape[0]
    unit = _codes(source, units) if units else np.zeros(n, dtype=np.intp)
    rank = _ranks(source, times[0]) if times else np.arange(n)
    order = np.lexsort((rank, unit))
    unit, rank = unit[order], rank[order]
    _check_distinct(source, order, unit, rank)
    starts = np.flatnonzero(np.diff(unit, prepend=-1))
    sizes = np.diff(starts, append=n)
    full = np.flatnonzero(np.arange(n) - np.repeat(starts, sizes) >= lags)
    if not len(full):
        longest = int(sizes.max()) if n else 0
        whose = "no unit has" if units else "the table has not"
        raise DataError(
            f"{whose} more than {lags} rows, as many as the lags; the most are "
            f"{counted_rows(longest)}",
            remedy="look back fewer rows, or pass more",
            code="lagged-too-few",
        )
    return [order[full - lag] for lag in range(lags + 1)]


def _codes(source: MemorySource, units: Sequence[int]) -> Places:
    """Return the unit of each row as a number, in the order of their first rows."""
    values = [source.values(j).tolist() for j in units]
    seen: dict[Any, int] = {}
    codes = [seen.setdefault(key, len(seen)) for key in zip(*values, strict=True)]
    return np.array(codes, dtype=np.intp)


def _ranks(source: MemorySource, j: int) -> Places:
    """Return the place of each row's time among all times."""
    values, name = source.values(j), source.names[j]
    if _are_numbers_as_text(values):
        raise DataError(
            f"the times in column {quoted(name)} are numbers written as text, which would be "
            "sorted as '1', '10', '2'",
            remedy="convert the column to numbers",
            code="lagged-time",
            columns=[name],
        )
    try:
        return np.unique(np.asarray(values), return_inverse=True)[1].reshape(-1)
    except TypeError as error:
        raise DataError(
            f"the times in column {quoted(name)} cannot be sorted ({error})",
            remedy="pass numbers or dates",
            code="lagged-time",
            columns=[name],
        ) from error


def _are_numbers_as_text(values: NDArray[Any]) -> bool:
    texts = values.tolist()
    if not texts or not all(isinstance(text, str) for text in texts):
        return False
    try:
        [float(text) for text in texts]
    except ValueError:
        return False
    return True


def _check_distinct(source: MemorySource, order: Places, unit: Places, rank: Places) -> None:
    same = np.flatnonzero((np.diff(unit) == 0) & (np.diff(rank) == 0))
    if len(same):
        first, second = (int(order[same[0] + step]) for step in (0, 1))
        raise DataError(
            Row(first),
            " and ",
            Row(second),
            " have the same time and unit, so that neither is the past of the other",
            remedy="name the units with by=, or leave one row of each time",
            code="lagged-ties",
        )


def _lagged_names(names: Sequence[str], lags: int) -> list[list[str]]:
    """Return the names of the columns at each lag, those of the present first."""
    past = [[f"{name}_lag{lag}" for name in names] for lag in range(1, lags + 1)]
    taken = [name for at_lag in past for name in at_lag if name in names]
    if taken:
        raise DataError(
            f"the table already has {columns_listed(taken)}",
            remedy="rename or drop them",
            code="lagged-names",
            columns=taken,
        )
    return [list(names), *past]


def _shifted(
    source: MemorySource,
    columns: Sequence[int],
    rows: Sequence[Places],
    names: Sequence[Sequence[str]],
) -> Any:
    if not isinstance(source, FrameSource):
        return {
            name: source.values(j)[places]
            for places, at_lag in zip(rows, names, strict=True)
            for j, name in zip(columns, at_lag, strict=True)
        }
    import narwhals as nw

    chosen = source.frame[:, list(columns)]
    parts = [
        # Frames side by side are put together by their index, where they have one.
        nw.maybe_reset_index(chosen[places]).rename(dict(zip(chosen.columns, at_lag, strict=True)))
        for places, at_lag in zip(rows, names, strict=True)
    ]
    return nw.concat(parts, how="horizontal").to_native()


def _knowledge(names: Sequence[Sequence[str]]) -> Knowledge:
    past = [name for at_lag in names[:0:-1] for name in at_lag]
    return Knowledge(tiers=names[::-1], forbidden_within=[past] if len(past) > 1 else [])
