"""From any table to columns of real numbers with names, checked.

A *panel* is a run of adjacent columns of one type, kept as a view of the caller's memory: a
NumPy array is one panel, a block of a pandas frame is one, and so is any other column of a frame.
Panels are converted to doubles block by block, when the moments are counted, so that the table is
never copied to change its type or its order in memory.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from greedag.data.missing import Mask, is_missing, missing_by_column, missing_cells
from greedag.data.names import checked_names, default_names, names_of, pandas_index
from greedag.errors import (
    DataError,
    DataTypeError,
    beyond_double,
    check_size,
    listed,
    not_a_number,
    not_finite,
    require,
    unreadable,
    warn_of_index,
    wrong_dimensions,
)

if TYPE_CHECKING:
    import narwhals as nw

Floats = NDArray[np.float64]
Exponents = NDArray[np.int32]

_SCANNED_VALUES = 2**18
# 2**1021 is the largest power of two by which the smallest spread can be multiplied safely.
_LEAST_EXPONENT = -1021
# An array, not a number, widens small types to double. A column may span twice the largest
# double, hence halves.
_HALF = np.array([0.5])


class _NotFinite(Exception):
    """A column has a value that is missing or infinite: its name, the value, the row."""


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Adjacent columns of one type, and the interval that each of them fills."""

    values: NDArray[Any]
    low: NDArray[Any]
    exponent: Exponents
    scale: Floats

    def write_units(self, start: int, stop: int, out: Floats) -> None:
        """Write rows as ``(x - low) * 2**-exponent``, which lies in [0, 1].

        Subtracting before rounding to double keeps every digit of columns far from zero, and
        the power of two keeps squares of 1e308 and of 1e-308 within range, without rounding.
        """
        rows, scale = self.values[start:stop], self.scale
        if _is_wide_integer(rows.dtype):
            # Modulo 2**64 the difference is exact even where it leaves the range of int64.
            offsets = np.subtract(rows, self.low, dtype=np.uint64, casting="unsafe")
            np.multiply(offsets, scale, out=out)
        elif rows.dtype.itemsize > 8:
            np.multiply(rows - self.low, scale, out=out, casting="same_kind")
        else:
            np.multiply(rows, scale, out=out)
            out -= self.low * scale


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A table of finite real numbers with a name for each column.

    Attributes
    ----------
    panels : tuple of Panel
        The columns, in order.
    names : tuple of str
        One distinct name a column.
    named : bool
        Whether the names are the table's own and all of them were text.
    """

    panels: tuple[Panel, ...]
    names: tuple[str, ...]
    named: bool

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.panels[0].values.shape[0])

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def order(self) -> Literal["C", "F"]:
        """Order in memory that blocks should have to be written fast."""
        step = np.abs(self.panels[0].values.strides)
        return "F" if len(self.panels) > 1 or step[0] < step[1] else "C"

    @property
    def low(self) -> Floats:
        """Smallest value of each column."""
        return np.concatenate([panel.low.astype(np.float64) for panel in self.panels])

    @property
    def exponent(self) -> Exponents:
        """Power of two that spans each column."""
        return np.concatenate([panel.exponent for panel in self.panels])

    def write_units(self, start: int, stop: int, out: Floats) -> None:
        """Write rows as ``(x - low) * 2**-exponent`` into `out` of shape (stop - start, d)."""
        first = 0
        for panel in self.panels:
            last = first + panel.values.shape[1]
            panel.write_units(start, stop, out[:, first:last])
            first = last


def read_table(
    data: object, *, names: Sequence[str] | None = None, remedies: Sequence[str] = ("drop", "em")
) -> Table:
    """Read a table, or say why it cannot be read.

    Parameters
    ----------
    data : array_like of shape (n, d), data frame or Table
        NumPy array, list of rows, pandas or polars frame (lazy too), Arrow table, DuckDB
        relation, or anything else that narwhals reads. The index of a pandas frame is no column,
        not even in an Arrow table made of it.
    names : sequence of str, optional
        One distinct name a column, in place of the table's own.
    remedies : sequence of str
        Which ``missing=`` may be recommended where values are missing.

    Returns
    -------
    Table
        Views of the data wherever their type allows it. Columns of an array are called
        ``x0``, ``x1``, …

    Raises
    ------
    DataTypeError
        If the container or a column is of a kind that holds no real numbers.
    DataError
        If the shape, the names or some values cannot be used.
    """
    if isinstance(data, Table):
        return data
    source = opened(data)
    try:
        if isinstance(source, np.ndarray):
            return _from_array(source, names)
        return _from_frame(source, names)
    except _NotFinite as found:
        name, value, row = found.args
        missing, infinite = _unusable(source, names)
        raise not_finite(
            name, value, row=row, missing=missing, infinite=infinite, remedies=remedies
        ) from None


def opened(data: object) -> NDArray[Any] | nw.DataFrame[Any]:
    """Return a table as an array or as a narwhals frame, its values not looked at.

    What this returns can be opened again at no cost, so that a lazy table is computed once.
    """
    if isinstance(data, np.ndarray):
        if data.dtype.names is not None:
            raise DataTypeError(
                f"structured arrays are not supported (got the fields {listed(data.dtype.names)}); "
                "pass the fields as columns of a data frame or of a plain 2-D array"
            )
        return data
    if is_distributed(data):
        raise DataTypeError(
            "this needs all rows in one place, and a Dask table is counted partition by partition; "
            "call its .compute() first, if it fits into memory"
        )
    if hasattr(data, "nnz"):
        raise DataTypeError(
            f"sparse data are not supported (got {type(data).__name__}); "
            "make them dense first, with .toarray() or .todense()"
        )
    if isinstance(data, (list, tuple)):
        return _stacked_rows(data)
    frame = _as_frame(data)
    return _as_array(data) if frame is None else frame


def read_column(
    source: NDArray[Any] | nw.DataFrame[Any], j: int, missing: Mask, name: str
) -> Table:
    """Read one column of an opened table, without the values that are marked as missing."""
    places = np.flatnonzero(~missing)
    if isinstance(source, np.ndarray):
        values = np.ma.getdata(source)[places, j]
        values = _from_objects(values, name) if values.dtype.kind == "O" else values
        if values.dtype.kind not in "biuf":
            raise unreadable([name], values.dtype)
    else:
        values = _from_series(source[:, j][places], name)
    try:
        return _table([values], (name,), named=False)
    except _NotFinite as found:
        _, value, row = found.args
        infinite = {name: int(np.count_nonzero(_infinite(values)))}
        raise not_finite(
            name, value, row=int(places[row]), missing={}, infinite=infinite, remedies=()
        ) from None


def is_distributed(data: object) -> bool:
    """Whether data are a Dask collection; asked without importing Dask."""
    return type(data).__module__.partition(".")[0] == "dask" and hasattr(data, "__dask_graph__")


def _from_array(array: NDArray[Any], given: Sequence[str] | None) -> Table:
    _check_shape(array.shape)
    d = array.shape[1]
    names = default_names(d) if given is None else names_of(given, d)
    if np.ma.is_masked(array):
        mask = np.ma.getmaskarray(array)
        column = int(np.argmax(mask.any(axis=0)))
        raise _missing(array[:, column], mask[:, column], names[column])
    array = np.asarray(array)
    if array.dtype.kind == "O":
        columns = [_from_objects(array[:, j], name) for j, name in enumerate(names)]
    elif array.dtype.kind in "biuf":
        columns = [array]
    else:
        raise unreadable(names, array.dtype)
    return _table(columns, names, named=False)


def _from_frame(frame: nw.DataFrame[Any], given: Sequence[str] | None) -> Table:
    labels = frame.columns
    names = checked_names(labels) if given is None else names_of(given, len(labels))
    _check_shape(frame.shape)
    columns = [
        _from_series(series, name) for series, name in zip(frame.iter_columns(), names, strict=True)
    ]
    return _table(_joined(columns), names, named=all(isinstance(label, str) for label in labels))


def _joined(columns: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Join columns that lie evenly spaced in one array, as in a block of a pandas frame.

    One large panel is read several times faster than many small ones.
    """
    starts = [column.__array_interface__["data"][0] for column in columns]
    joined, first = [], 0
    while first < len(columns):
        gap = starts[first + 1] - starts[first] if first + 1 < len(columns) else 0
        last = first + 1
        while (
            last < len(columns)
            and starts[last] - starts[last - 1] == gap
            and _lie_alike(columns[first], columns[last])
        ):
            last += 1
        head = columns[first]
        shape, strides = (len(head), last - first), (*head.strides, gap)
        joined.append(np.lib.stride_tricks.as_strided(head, shape, strides, writeable=False))
        first = last
    return joined


def _lie_alike(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether both are views of one array, which keeps their memory alive, in the same steps."""
    return (
        isinstance(one.base, np.ndarray)
        and one.base is other.base
        and (one.dtype, one.strides) == (other.dtype, other.strides)
    )


def _table(columns: Sequence[NDArray[Any]], names: tuple[str, ...], *, named: bool) -> Table:
    panels, first = [], 0
    for column in columns:
        values = column if column.ndim == 2 else column[:, np.newaxis]
        last = first + values.shape[1]
        panels.append(_panel(values, names[first:last]))
        first = last
    return Table(tuple(panels), names, named)


def _panel(values: NDArray[Any], names: tuple[str, ...]) -> Panel:
    low, high = _bounds(values)
    finite = np.isfinite(low) & np.isfinite(high)
    if not finite.all():
        column = int(np.argmin(finite))
        raise _missing(values[:, column], ~np.isfinite(values[:, column]), names[column])
    if values.dtype.itemsize > 8:
        huge = np.maximum(-low, high) > np.finfo(np.float64).max
        if huge.any():
            raise beyond_double(names[int(np.argmax(huge))])
    exponent = _spanning_exponent(low, high)
    return Panel(values, low, exponent, np.ldexp(1.0, -exponent))


def _bounds(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return smallest and largest value of each column, reading the rows once."""
    n, k = values.shape
    step = _SCANNED_VALUES // k + 1
    low, high = values[0].copy(), values[0].copy()
    # Comparing with NaN is meant: a NaN in the bounds is how one in the data shows.
    with np.errstate(invalid="ignore"):
        for start in range(0, n, step):
            rows = values[start : start + step]
            np.minimum(low, rows.min(axis=0), out=low)
            np.maximum(high, rows.max(axis=0), out=high)
    return low, high


def _spanning_exponent(low: NDArray[Any], high: NDArray[Any]) -> Exponents:
    """Return the least e with ``high - low < 2**e``, 0 for constant columns."""
    if _is_wide_integer(low.dtype):
        half = np.subtract(high, low, dtype=np.uint64, casting="unsafe") / 2.0
    else:
        half = high * _HALF - low * _HALF
    exponent = np.where(half > 0, np.frexp(half)[1] + 1, _LEAST_EXPONENT)
    return np.where(low == high, 0, np.maximum(exponent, _LEAST_EXPONENT))


def _from_series(series: nw.Series[Any], name: str) -> NDArray[Any]:
    import narwhals as nw

    native = series.to_native()
    held = getattr(native, "dtype", None)
    # Most columns are NumPy's own doubles, and asking narwhals about each takes its time.
    if isinstance(held, np.dtype) and held.kind == "f":
        return np.asarray(native.to_numpy())
    dtype = series.dtype
    # Missing floats become NaN, which shows in the bounds without one more pass.
    if not dtype.is_float() and series.null_count() > 0:
        missing = series.is_null().to_numpy()
        raise _missing(np.full(missing.shape, None), missing, name)
    if dtype == nw.Object:
        return _from_objects(series.to_numpy(), name)
    readable = dtype.is_integer() or dtype.is_float() or dtype == nw.Boolean
    if not readable:
        shown = getattr(native, "dtype", dtype) if dtype == nw.Unknown else dtype
        raise unreadable([name], shown)
    try:
        values = series.to_numpy()
    except Exception as error:  # each library has its own exception for "no such type in NumPy"
        raise unreadable([name], dtype) from error
    return values if values.dtype.kind in "biuf" else _from_objects(values, name)


def _from_objects(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Convert a column of Python objects if every one is a real number."""
    kinds = set(map(type, values.tolist()))
    if any(not issubclass(kind, (numbers.Real, np.bool_)) for kind in kinds):
        missing = np.array([is_missing(value) for value in values])
        if missing.any():
            raise _missing(values, missing, name)
        real = [isinstance(value, (numbers.Real, np.bool_)) for value in values]
        row = real.index(False)
        raise not_a_number(name, values[row], row=row)
    numeric = np.array(values.tolist())
    try:
        return numeric if numeric.dtype.kind in "biuf" else numeric.astype(np.float64)
    except OverflowError as error:
        raise beyond_double(name) from error


def _as_frame(data: object) -> nw.DataFrame[Any] | None:
    """Return the data as an eager narwhals frame, None if narwhals does not know them."""
    # Loading narwhals takes a third of the time that loading numpy does: only if needed.
    import narwhals as nw

    try:
        frame = nw.from_native(data, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            if "duckdb" in type(data).__module__:
                require("pyarrow", "io")
            frame = _collected(frame)
    except ValueError:  # raised for duplicate names
        labels = getattr(data, "column_names", None)
        checked_names(getattr(data, "columns", ()) if labels is None else labels)
        raise
    if not isinstance(frame, nw.DataFrame):
        return None
    is_arrow = frame is not data and nw.dependencies.is_pyarrow_table(data)
    return _without_index(frame, data) if is_arrow else frame


def _without_index(frame: nw.DataFrame[Any], table: Any) -> nw.DataFrame[Any]:
    """Leave out the index of the pandas frame that an Arrow table was made of."""
    index = pandas_index(table.schema)
    if not index:
        return frame
    warn_of_index(index, "the Arrow table", "pass table.replace_schema_metadata()")
    return frame.drop(index)


def _collected(frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    try:
        return frame.collect()
    except Exception as error:  # of whatever engine runs the query
        raise DataError(f"the lazy table could not be computed: {error}") from error


def _as_array(data: object) -> NDArray[Any]:
    reason = ""
    # Reading these as arrays would lose their names without a word.
    labelled = any(hasattr(data, label) for label in ("columns", "column_names", "schema"))
    if hasattr(data, "__array__") and not labelled:
        try:
            return np.asarray(data)
        except Exception as error:  # whatever the object's own conversion raises
            reason = f" ({error})"
    raise DataTypeError(
        f"cannot read a table from {type(data).__name__}{reason}; pass a NumPy array, a list of "
        "rows, a pandas or polars data frame, an Arrow table or a DuckDB relation"
    )


def _stacked_rows(rows: Sequence[Any]) -> NDArray[Any]:
    if not all(hasattr(row, "__len__") and not isinstance(row, (str, bytes, dict)) for row in rows):
        raise wrong_dimensions((len(rows),))
    odd = next((place for place, row in enumerate(rows) if len(row) != len(rows[0])), None)
    if odd is not None:
        raise DataError(
            f"the rows are of unequal length: row {odd} (counting from 0) has {len(rows[odd])} "
            f"values, row 0 has {len(rows[0])}; fill or drop the short rows"
        )
    with suppress(ValueError):
        array = np.array(rows) if rows else np.empty((0, 0))
        if array.dtype.kind in "biufc":
            return array
    # Text beside numbers turns all into text; as objects the culprit can be named.
    return np.array(rows, dtype=object)


def _check_shape(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        raise wrong_dimensions(shape)
    check_size(*shape, least_n=1, least_d=1)


def _missing(values: NDArray[Any], bad: Mask, name: str) -> _NotFinite:
    row = int(np.argmax(bad))
    return _NotFinite(name, values[row], row)


def _unusable(
    source: NDArray[Any] | nw.DataFrame[Any], given: Sequence[str] | None
) -> tuple[dict[str, int], dict[str, int]]:
    """Count the values that are missing, and those that are infinite, by column with any."""
    if isinstance(source, np.ndarray):
        names, columns = default_names(source.shape[1]), iter(source.T)
    else:
        names = checked_names(source.columns)
        columns = (series.to_numpy() for series in source.iter_columns())
    names = names if given is None else tuple(given)
    cells = missing_cells(source)
    infinite = [
        int(np.count_nonzero(_infinite(np.asarray(column)) & ~missing))
        for column, missing in zip(columns, cells.T, strict=True)
    ]
    counts = {name: count for name, count in zip(names, infinite, strict=True) if count}
    return missing_by_column(cells, names), counts


def _infinite(column: NDArray[Any]) -> Mask:
    infinite = np.zeros(column.shape, dtype=bool)
    if column.dtype.kind == "f":
        np.isinf(column, out=infinite)
    elif column.dtype.kind == "O":
        infinite[:] = [isinstance(value, numbers.Real) and math.isinf(value) for value in column]
    return infinite


def _is_wide_integer(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "iu" and dtype.itemsize == 8
