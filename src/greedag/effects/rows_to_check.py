"""Which data a model is checked on: other rows, or those that it was learned from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from greedag._options import DataOptions
from greedag.data.rows import SelectedRows
from greedag.data.table import Floats, numbers_of
from greedag.errors import DataError
from greedag.result.result import Result, data_of, no_data
from greedag.result.serialization import as_recorded
from greedag.scores.select import prepare
from greedag.statistics.fingerprint import difference

PURPOSE = "checking the model"
NO_ROWS = "only moments are there; pass the table itself as data="


@dataclass(frozen=True, slots=True, eq=False)
class RowsToCheck:
    """What a model is checked on.

    Attributes
    ----------
    statistics : Moments, Levels or other statistics
        As the score needs them.
    values : ndarray of shape (n, d), or None
        The rows, each column within [0, 1], where there are rows of numbers.
    why_not : str
        Why there are no values.
    is_held_out : bool
        Whether the graph was learned from other rows.
    """

    statistics: Any
    values: Floats | None
    why_not: str
    is_held_out: bool


def rows_to_check(result: Result, data: Any, said: dict[str, Any]) -> RowsToCheck:
    """Choose what to check a result on, and count it.

    Raises
    ------
    DataError
        If there is nothing to check it on, or that has other columns.
    """
    if result.objective is None:
        raise no_data(result, PURPOSE)
    if data is None and result.held_out is not None:
        return RowsToCheck(result.held_out, None, NO_ROWS, is_held_out=True)
    if data is None:
        if result.statistics is None:
            raise no_data(result, PURPOSE)
        if result.settings.get("missing") == "em":
            raise _estimated()
        return RowsToCheck(result.statistics, None, NO_ROWS, is_held_out=False)
    table, about = as_recorded(result, data, DataOptions(**{"missing": None, **said}))
    if about.missing == "em":
        about = replace(about, missing="drop")
    score_of_column: Any = getattr(result.objective, "by_column", None) or result.objective
    found, prepared = prepare(table, score_of_column, None, about)
    if result.settings.get("hold_out") is not None:
        # Of the table of the search, the rows that were held out.
        from greedag.scores.hold_out import not_learned_from

        prepared = not_learned_from(found, prepared, result.settings, data_of(result))
    statistics = prepared.statistics
    if statistics.names != result.cpdag.names:
        raise DataError(
            "the data have other columns than the result, or have them in another order",
            remedy="pass a table of the same columns",
            code="other-columns",
        )
    values, why_not = _values(prepared.rows)
    return RowsToCheck(statistics, values, why_not, _are_others(result, statistics))


def _are_others(result: Result, statistics: Any) -> bool:
    """Whether statistics are of other data than the result was learned from."""
    known, found = data_of(result), statistics.fingerprint()
    return known is None or found is None or bool(difference(known, found))


def _values(rows: tuple[SelectedRows, ...]) -> tuple[Floats | None, str]:
    if not rows:
        return None, NO_ROWS
    if len(rows) > 1:
        return None, "the rows come from several experiments"
    if rows[0].weights is not None:
        return None, "the rows are weighted"
    if rows[0].source.is_distributed:
        return None, "the rows are spread over a cluster; pass some of them as data="
    try:
        table = numbers_of(rows[0].source.in_memory())
    except DataError:
        return None, "columns are not all numbers"
    values = np.empty((table.n, table.d))
    table.write_units(0, table.n, values)
    return values, ""


def _estimated() -> DataError:
    return DataError(
        f"{PURPOSE} needs complete rows; the moments of this result were estimated from rows with "
        "missing values, which makes tests see more than there is",
        remedy="pass rows as data=; those with missing values are left out",
        code="missing-values",
    )
