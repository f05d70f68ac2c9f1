"""From a table with weights or holes to moments.

Roads that keep no moments, such as that of discrete columns, take their rows from `chosen_rows`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from greedag.data.missing import Mask, missing_by_column, missing_cells, rows_kept
from greedag.data.names import checked_names, default_names
from greedag.data.table import Floats, is_distributed, opened, read_table
from greedag.data.weights import checked_weights
from greedag.errors import (
    DataError,
    OptionError,
    counted,
    listed,
    option,
    quoted,
    wrong_dimensions,
)
from greedag.statistics.levels import Levels
from greedag.statistics.mixed import MixedTable
from greedag.statistics.moments import Moments

if TYPE_CHECKING:
    import narwhals as nw

MISSING = ("error", "drop", "em", "test-wise")
_LEAST_ROWS = 2


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Moments, whether their names are a table's own, and what was done to the rows."""

    moments: Moments
    named: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """The rows that count, as an opened table, with their weights, all above 0."""

    source: Any
    weights: Floats | None
    notes: tuple[str, ...] = ()
    places: NDArray[np.intp] | None = None
    """Where they stood in the table, None if all count."""

    @contextmanager
    def numbered(self) -> Iterator[None]:
        """Let errors name rows by their places in the table."""
        try:
            yield
        except DataError as error:
            if self.places is None:
                raise
            raise error.renumbered(self.places) from None


def count_rows(
    data: Any,
    *,
    names: Sequence[str] | None = None,
    weights: ArrayLike | None = None,
    missing: str = "error",
) -> Counted:
    """Count the moments of a table; see :meth:`Moments.from_data`."""
    chosen = chosen_rows(data, weights=weights, missing=missing)
    if isinstance(data, Moments):
        return Counted(data, False)
    if missing == "test-wise":
        raise OptionError(
            "missing must be 'error', 'drop' or 'em': test-wise deletion is for discrete columns"
        )
    with chosen.numbered():
        if missing == "em":
            from greedag.statistics.holes import estimated

            return estimated(opened(chosen.source), chosen.weights, names)
        table = read_table(chosen.source)
    return Counted(Moments._of_table(table, names, chosen.weights), table.named, chosen.notes)


def check_missing(missing: object) -> None:
    """Raise unless this is a way to treat missing values."""
    if not isinstance(missing, str) or missing not in MISSING:
        raise OptionError(
            f"missing must be 'error', 'drop', 'em' or 'test-wise'; got {quoted(missing)}"
        )


def check_whole(weights: ArrayLike | None, missing: str) -> None:
    """Raise unless all rows of a distributed table count, and count the same."""
    if weights is not None or missing != "error":
        raise OptionError(
            "Dask tables take neither weights nor missing=; prepare the rows on the cluster, such "
            "as with .dropna(), before passing the table",
            code="dask",
        )


def chosen_rows(
    data: object, *, weights: ArrayLike | None = None, missing: str = "error"
) -> Chosen:
    """Return the rows of a table that count.

    Parameters
    ----------
    data : table or array_like of shape (n, d)
    weights : array_like of shape (n,), optional
        Rows of weight 0 are left out.
    missing : str
        ``"drop"`` leaves out rows with a missing value; anything else keeps them.

    Raises
    ------
    DataError
        If the weights are no weights, or too few rows remain.
    """
    check_missing(missing)
    if is_distributed(data):
        check_whole(weights, missing)
    if weights is None and missing != "drop":
        return Chosen(data, None)
    if isinstance(data, (Moments, Levels, MixedTable)):
        if weights is not None:
            raise DataError(
                f"{type(data).__name__} has no rows to weigh; give weights when it is counted"
            )
        return Chosen(data, None)
    source = opened(data)
    kept = None if weights is None else checked_weights(weights, _rows_of(source))
    places = None
    if kept is not None:
        source, places = rows_kept(source, kept > 0.0), np.flatnonzero(kept > 0.0)
        kept = kept[places]
    if missing != "drop" or not has_cells(source):
        return Chosen(source, kept, places=places)
    cells = missing_cells(source)
    complete = np.logical_not(cells.any(axis=1))
    n, left = len(complete), int(complete.sum())
    if left == n:
        return Chosen(source, kept, places=places)
    if left < min(_LEAST_ROWS, n):
        raise _too_few(cells, names_in(source), left)
    kept = None if kept is None else kept[complete]
    places = np.flatnonzero(complete) if places is None else places[complete]
    note = f"{n - left} of {n} rows were dropped because a value is missing there"
    return Chosen(rows_kept(source, complete), kept, (note,), places)


def _rows_of(source: NDArray[Any] | nw.DataFrame[Any]) -> int:
    if len(source.shape) != 2:
        raise wrong_dimensions(source.shape)
    return int(source.shape[0])


def has_cells(source: NDArray[Any] | nw.DataFrame[Any]) -> bool:
    """Whether there is anything to look at; reading says what is wrong with a table of nothing."""
    return len(source.shape) == 2 and min(source.shape) > 0


def names_in(source: NDArray[Any] | nw.DataFrame[Any]) -> tuple[str, ...]:
    """Return the names of the columns of an opened table."""
    if isinstance(source, np.ndarray):
        return default_names(source.shape[1])
    return checked_names(source.columns)


def _too_few(cells: Mask, names: tuple[str, ...], left: int) -> DataError:
    check_some(cells, names)
    worst = dict(sorted(missing_by_column(cells, names).items(), key=lambda item: -item[1]))
    return DataError(
        f"only {left} of {len(cells)} rows have no missing value, too few to learn from; values "
        f"are missing in {counted(worst)}",
        remedy=("drop such columns, or pass ", option("missing", "em"), " if all are continuous"),
        code="too-few-complete-rows",
        columns=tuple(worst),
        counts=worst,
    )


def check_some(cells: Mask, names: tuple[str, ...]) -> None:
    """Raise if a column has no value at all."""
    empty = np.flatnonzero(cells.all(axis=0))
    if empty.size:
        raise DataError(
            f"column(s) {listed([names[j] for j in empty])} have no value in any of "
            f"{len(cells)} rows; drop these columns"
        )
