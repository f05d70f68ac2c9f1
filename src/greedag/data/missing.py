"""Missing values: None, NA, masked, NaN, NaT. An infinite number is not missing, but wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import narwhals as nw

Mask = NDArray[np.bool_]


def is_missing(value: object) -> bool:
    """Whether a Python object stands for a value that is not there."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    # NaN and NaT alone differ from themselves.
    kinds = (float, np.floating, Decimal, np.datetime64, np.timedelta64)
    return isinstance(value, kinds) and bool(value != value)


def missing_cells(source: NDArray[Any] | nw.DataFrame[Any]) -> Mask:
    """Return which values of a table are missing, one column after the other in memory."""
    cells = np.empty(source.shape, dtype=bool, order="F")
    for j, missing in enumerate(_columns(source)):
        cells[:, j] = missing
    return cells


def missing_by_column(cells: Mask, names: Sequence[str]) -> dict[str, int]:
    """Return how many values are missing, by name of the columns that lack any."""
    counts = zip(names, cells.sum(axis=0).tolist(), strict=True)
    return {name: count for name, count in counts if count}


def rows_kept(
    source: NDArray[Any] | nw.DataFrame[Any], keep: Mask
) -> NDArray[Any] | nw.DataFrame[Any]:
    """Return the rows of a table that are marked."""
    if keep.all():
        return source
    return source[np.flatnonzero(keep)]


def _columns(source: NDArray[Any] | nw.DataFrame[Any]) -> Iterator[Mask]:
    if isinstance(source, np.ndarray):
        for j in range(source.shape[1]):
            yield missing_in(source[:, j])
    else:
        for series in source.iter_columns():
            yield _missing_in_series(series)


def missing_in(column: NDArray[Any]) -> Mask:
    """Return which values of a column are missing."""
    masked: Mask = np.ma.getmaskarray(column)
    values = np.asarray(column)
    if values.dtype.kind == "O":
        masked = masked | np.array([is_missing(value) for value in values], dtype=bool)
    elif values.dtype.kind in "fc":
        masked = masked | np.isnan(values)
    elif values.dtype.kind in "mM":
        masked = masked | np.isnat(values)
    return masked


def _missing_in_series(series: nw.Series[Any]) -> Mask:
    import narwhals as nw

    missing = np.array(series.is_null().to_numpy(), dtype=bool)
    if series.dtype == nw.Object:
        return missing | missing_in(series.to_numpy().astype(object))
    if series.dtype.is_float():
        missing |= np.asarray(series.is_nan().fill_null(True).to_numpy(), dtype=bool)
    return missing
