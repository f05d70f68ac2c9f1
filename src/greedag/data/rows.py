"""Which rows of a table count, and for how much."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from greedag.data.kinds import Kinds
from greedag.data.missing import Mask, missing_by_column
from greedag.data.source import MemorySource, Source
from greedag.data.table import Floats
from greedag.data.weights import checked_weights
from greedag.errors import (
    DataError,
    Note,
    OptionError,
    columns_listed,
    counted,
    option,
    quoted,
)

MissingName = Literal["error", "drop", "em", "test-wise"]
MISSING: tuple[MissingName, ...] = ("error", "drop", "em", "test-wise")
_LEAST_ROWS = 2


@dataclass(frozen=True, slots=True, eq=False)
class SelectedRows:
    """The rows of a table that count, with their weights, all above 0."""

    source: Source
    weights: Floats | None = None
    missing: str = "error"
    """What to do about missing values, if any are left."""
    notes: tuple[Note, ...] = ()
    places: NDArray[np.intp] | None = None
    """Where they stood in the table, None if all count."""

    def located(self, error: DataError) -> DataError:
        """Return an error about these rows as one that names them by their places in the table."""
        return error if self.places is None else error.renumbered(self.places)


@dataclass(frozen=True, slots=True, eq=False)
class LoadedTable:
    """A table out of files or a query, and what is left to know about it.

    Attributes
    ----------
    table : Source, Moments or pyarrow.Table
        Files of numbers are read while they are counted; saved moments are taken as they are.
    names : tuple of str
        The columns, without those that were left out and without the weights.
    weights : ndarray or None
        How many rows each row stands for.
    kinds, missing
        As for `learn`, unless reading has seen to it.
    files : tuple of str
        The files as they were named, where names suffice to read them again.
    dropped : tuple of str
        The columns that were left out.
    markers : mapping of str to int
        How many values were read as missing because ``na`` says so, by column.
    """

    table: Any
    names: tuple[str, ...]
    weights: Any = None
    kinds: Kinds | None = None
    missing: str = "error"
    files: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    markers: Mapping[str, int] = field(default_factory=dict)


def check_missing(missing: object) -> None:
    """Raise unless this is a way to treat missing values."""
    if not isinstance(missing, str) or missing not in MISSING:
        raise OptionError(
            f"missing must be 'error', 'drop', 'em' or 'test-wise'; got {quoted(missing)}"
        )


def select_rows(
    source: Source, *, weights: ArrayLike | None = None, missing: str = "error"
) -> SelectedRows:
    """Return the rows of a table that count.

    Parameters
    ----------
    source : Source
        An opened table.
    weights : array_like of shape (n,), optional
        Rows of weight 0 are left out.
    missing : str
        ``"drop"`` leaves out rows with a missing value; anything else keeps them.

    Raises
    ------
    DataError
        If the weights are invalid, or too few rows remain.
    """
    check_missing(missing)
    rows = SelectedRows(source, missing=missing)
    if weights is None and missing == "error":
        return rows
    if source.is_distributed:
        raise OptionError(
            "Dask tables take neither weights nor missing=; prepare the rows on the "
            "cluster first, for example with .dropna()",
            code="distributed",
        )
    if weights is not None:
        whole = source.in_memory()
        rows = _above_zero(whole, checked_weights(weights, whole.n), missing)
    return _complete(rows) if missing == "drop" else rows


def _above_zero(source: MemorySource, weights: Floats, missing: str) -> SelectedRows:
    kept = np.flatnonzero(weights > 0.0)
    rows = source if len(kept) == len(weights) else source.take(kept)
    return SelectedRows(rows, weights[kept], missing, places=kept)


def _complete(rows: SelectedRows) -> SelectedRows:
    """Leave out rows with a missing value."""
    source = rows.source.in_memory()
    if 0 in source.shape:
        return rows
    cells = source.missing_cells()
    kept = np.flatnonzero(np.logical_not(cells.any(axis=1)))
    n, left = len(cells), len(kept)
    if left == n:
        return rows
    if left < min(_LEAST_ROWS, n):
        raise _too_few(cells, source.names, left)
    return SelectedRows(
        source.take(kept),
        None if rows.weights is None else rows.weights[kept],
        rows.missing,
        (
            Note(
                f"{n - left} of {n} rows were dropped because they have missing values",
                code="rows-dropped",
                counts={"dropped": n - left, "rows": n},
            ),
        ),
        kept if rows.places is None else rows.places[kept],
    )


def _too_few(cells: Mask, names: tuple[str, ...], left: int) -> DataError:
    check_values(cells, names)
    worst = dict(sorted(missing_by_column(cells, names).items(), key=lambda item: -item[1]))
    return DataError(
        f"only {left} of {len(cells)} rows are complete, too few to learn from; values "
        f"are missing in {counted(worst)}",
        remedy=("drop such columns, or pass ", option("missing", "em"), " if all are continuous"),
        code="too-few-complete-rows",
        columns=tuple(worst),
        counts=worst,
    )


def check_values(cells: Mask, names: tuple[str, ...]) -> None:
    """Raise if a column has no value at all."""
    empty = [names[j] for j in np.flatnonzero(cells.all(axis=0))]
    if empty:
        raise DataError(
            f"no value in any of {len(cells)} rows of {columns_listed(empty)}",
            remedy="drop such columns",
            code="empty-columns",
            columns=empty,
        )
