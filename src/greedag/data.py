"""From any table to columns of real numbers with names, checked.

A *panel* is a run of adjacent columns of one type, kept as a view of the caller's memory: a
NumPy array is one panel, a data frame one panel a column. Panels are converted to doubles block
by block, when the moments are counted, so that the table is never copied to change its type or
its order in memory.
"""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from greedag.errors import DataError, DataTypeError, listed, quoted, require

if TYPE_CHECKING:
    import narwhals as nw

Floats = NDArray[np.float64]
Exponents = NDArray[np.int64]

_SCANNED_VALUES = 2**18
# 2**1021 is the largest power of two by which the smallest spread can be multiplied safely.
_LEAST_EXPONENT = -1021


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Adjacent columns of one type, and the interval that each of them fills."""

    values: NDArray[Any]
    low: NDArray[Any]
    exponent: Exponents

    def write_units(self, start: int, stop: int, out: Floats) -> None:
        """Write rows as ``(x - low) * 2**-exponent``, which lies in [0, 1].

        Subtracting before rounding to double keeps every digit of columns far from zero, and
        the power of two keeps squares of 1e308 and of 1e-308 within range, without rounding.
        """
        rows, scale = self.values[start:stop], np.ldexp(1.0, -self.exponent)
        if _is_wide_integer(rows.dtype):
            # Modulo 2**64 the difference is exact even where it leaves the range of int64.
            offsets = np.subtract(rows, self.low, dtype=np.uint64, casting="unsafe")
            np.multiply(offsets, scale, out=out)
        elif rows.dtype.itemsize > 8:
            np.multiply(rows - self.low, scale, out=out, casting="same_kind")
        else:
            np.multiply(rows, scale, out=out)
            out -= self.low.astype(np.float64) * scale


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


def read_table(data: object) -> Table:
    """Read a table, or say why it cannot be read.

    Parameters
    ----------
    data : array_like of shape (n, d), data frame or Table
        NumPy array, list of rows, pandas or polars frame (lazy too), Arrow table, DuckDB
        relation, or anything else that narwhals reads.

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
    if isinstance(data, np.ndarray):
        return _from_array(data)
    if _is_sparse(data):
        raise DataTypeError(
            f"sparse data are not supported (got {type(data).__name__}); "
            "make them dense first, with .toarray() or .todense()"
        )
    if isinstance(data, (list, tuple)):
        return _from_array(_stacked_rows(data))
    frame = _as_frame(data)
    return _from_array(_as_array(data)) if frame is None else _from_frame(frame)


def checked_names(labels: Iterable[object]) -> tuple[str, ...]:
    """Return labels as names: text, none empty, all distinct."""
    labels = tuple(labels)
    names = tuple(str(label) for label in labels)
    for place, (label, name) in enumerate(zip(labels, names, strict=True)):
        if isinstance(label, tuple):
            raise DataError(
                f"column {place} has the name {quoted(label)} of several levels; flatten the "
                "names first, such as df.columns = ['_'.join(map(str, c)) for c in df.columns]"
            )
        if not name.strip() or label is None or label != label:
            raise DataError(
                f"column {place} (counting from 0) has no name (it is {quoted(label)}); "
                "give every column a name of its own"
            )
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataError(
            f"several columns are called {listed(repeated)}; rename or drop them so that every "
            "name is used once"
        )
    return names


def default_names(d: int) -> tuple[str, ...]:
    """Return the names of columns that have none of their own."""
    return tuple(f"x{column}" for column in range(d))


def _from_array(array: NDArray[Any]) -> Table:
    if array.dtype.names is not None:
        raise DataTypeError(
            f"structured arrays are not supported (got the fields {listed(array.dtype.names)}); "
            "pass the fields as columns of a data frame or of a plain 2-D array"
        )
    _check_shape(array.shape)
    names = default_names(array.shape[1])
    if isinstance(array, np.ma.MaskedArray):
        _check_unmasked(array, names)
    array = np.asarray(array)
    if array.dtype.kind == "O":
        columns = [_from_objects(array[:, j], name) for j, name in enumerate(names)]
    elif array.dtype.kind in "biuf":
        columns = [array]
    else:
        raise _unreadable(array.dtype, names)
    return _table(columns, names, named=False)


def _from_frame(frame: nw.DataFrame[Any]) -> Table:
    labels = frame.columns
    names = checked_names(labels)
    _check_shape(frame.shape)
    columns = [
        _from_series(series, name)
        for series, name in zip(frame.iter_columns(), names, strict=True)
    ]
    return _table(columns, names, named=all(isinstance(label, str) for label in labels))


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
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        column = int(np.argmin(np.isfinite(low) & np.isfinite(high)))
        raise _not_finite(values[:, column], ~np.isfinite(values[:, column]), names[column])
    most = np.finfo(np.float64).max
    if values.dtype.itemsize > 8 and ((low < -most) | (high > most)).any():
        column = int(np.argmax((low < -most) | (high > most)))
        raise DataError(
            f"column {quoted(names[column])} holds values beyond the range of a double "
            f"({low[column]!s} to {high[column]!s}); divide it by a constant first"
        )
    return Panel(values, low, _spanning_exponent(low, high))


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
        span = np.subtract(high, low, dtype=np.uint64, casting="unsafe")
        half = span.astype(np.float64) / 2
    elif low.dtype.itemsize > 8:
        half = high / 2 - low / 2
    else:
        half = high.astype(np.float64) / 2 - low.astype(np.float64) / 2
    exponent = np.where(half > 0, np.frexp(half)[1].astype(np.int64) + 1, _LEAST_EXPONENT)
    return np.where(low == high, 0, np.maximum(exponent, _LEAST_EXPONENT))


def _from_series(series: nw.Series[Any], name: str) -> NDArray[Any]:
    import narwhals as nw

    dtype = series.dtype
    if series.null_count() > 0:
        missing = series.is_null().to_numpy()
        raise _not_finite(np.full(missing.shape, None), missing, name)
    if dtype == nw.Object:
        return _from_objects(series.to_numpy(), name)
    readable = dtype.is_integer() or dtype.is_float() or dtype == nw.Boolean
    if not readable:
        shown = getattr(series.to_native(), "dtype", dtype) if dtype == nw.Unknown else dtype
        raise _unreadable(shown, (name,))
    try:
        values = series.to_numpy()
    except Exception as error:  # each library has its own exception for "no such type in NumPy"
        raise _unreadable(dtype, (name,)) from error
    return values if values.dtype.kind in "biuf" else _from_objects(values, name)


def _from_objects(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Convert a column of Python objects if every one is a real number."""
    kinds = set(map(type, values.tolist()))
    if any(not issubclass(kind, (numbers.Real, np.bool_)) for kind in kinds):
        missing = np.array([_is_missing(value) for value in values])
        if missing.any():
            raise _not_finite(values, missing, name)
        real = [isinstance(value, (numbers.Real, np.bool_)) for value in values]
        raise _not_a_number(values, real.index(False), name)
    numeric = np.array(values.tolist())
    try:
        return numeric if numeric.dtype.kind in "biuf" else numeric.astype(np.float64)
    except OverflowError as error:
        raise DataError(
            f"column {quoted(name)} holds whole numbers beyond the range of a double; "
            "divide it by a constant first"
        ) from error


def _is_missing(value: object) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, Decimal)) and value != value


def _as_frame(data: object) -> nw.DataFrame[Any] | None:
    """Return the data as an eager narwhals frame, None if narwhals does not know them."""
    # Loading narwhals takes a third of the time that loading numpy does: only if needed.
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        frame = nw.from_native(data, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            if "duckdb" in type(data).__module__:
                require("pyarrow", "io")
            frame = frame.collect()
    except DuplicateError:
        labels = getattr(data, "column_names", None)
        checked_names(getattr(data, "columns", ()) if labels is None else labels)
        raise
    return frame if isinstance(frame, nw.DataFrame) else None


def _as_array(data: object) -> NDArray[Any]:
    labelled = any(hasattr(data, label) for label in ("columns", "column_names", "schema"))
    if isinstance(data, (str, bytes, dict)) or labelled or not hasattr(data, "__array__"):
        raise DataTypeError(
            f"cannot read a table from {type(data).__name__}; pass a NumPy array, a list of "
            "rows, a pandas or polars data frame, an Arrow table or a DuckDB relation"
        )
    try:
        return np.asarray(data)
    except (TypeError, ValueError, RuntimeError) as error:
        raise DataTypeError(
            f"cannot read {type(data).__name__} as an array ({error}); convert it to a NumPy "
            "array of numbers first"
        ) from error


def _stacked_rows(rows: Sequence[Any]) -> NDArray[Any]:
    for row in rows:
        if isinstance(row, (str, bytes, dict)):
            raise DataTypeError(
                f"cannot read a table from a list of {type(row).__name__}; pass a list of rows, "
                "each a list of numbers, or a data frame"
            )
        if not hasattr(row, "__len__"):
            _check_shape((len(rows),))
    widths = [len(row) for row in rows]
    odd = [place for place, width in enumerate(widths) if width != widths[0]]
    if odd:
        raise DataError(
            f"the rows are of unequal length: row {odd[0]} (counting from 0) has "
            f"{widths[odd[0]]} values, row 0 has {widths[0]}; fill or drop the short rows"
        )
    try:
        array = np.array(rows) if rows else np.empty((0, 0))
    except ValueError as error:
        raise DataError(
            f"the rows hold values of unequal shape ({error}); every value must be one number"
        ) from error
    # Text beside numbers turns all into text; as objects the culprit can be named.
    return array if array.dtype.kind in "biufc" else np.array(rows, dtype=object)


def _check_shape(shape: tuple[int, ...]) -> None:
    if len(shape) == 1:
        raise DataError(
            f"expected a 2-D table, got 1-D data (shape={shape}). Reshape your data: "
            ".reshape(-1, 1) if it is one column, .reshape(1, -1) if it is one row"
        )
    if len(shape) != 2:
        raise DataError(
            f"expected a 2-D table of rows and columns, got {len(shape)}-D data (shape={shape}); "
            "reshape or select so that two dimensions are left"
        )
    check_size(*shape, least_n=1, least_d=1)


def check_size(n: int, d: int, *, least_n: int, least_d: int) -> None:
    """Raise unless there are enough rows and columns."""
    if d < least_d:
        raise DataError(
            f"found a table with {d} feature(s) (shape=({n}, {d})) while a minimum of {least_d} "
            "is required. Pass more columns"
        )
    if n < least_n:
        raise DataError(
            f"found a table with {n} sample(s) (shape=({n}, {d})) while a minimum of {least_n} "
            "is required. Pass more rows"
        )


def _check_unmasked(array: np.ma.MaskedArray[Any, Any], names: tuple[str, ...]) -> None:
    mask = np.ma.getmaskarray(array)
    if mask.dtype == np.bool_ and mask.any():
        column = int(np.argmax(mask.any(axis=0)))
        raise _not_finite(np.ma.asarray(array)[:, column], mask[:, column], names[column])


def _not_finite(values: NDArray[Any], bad: NDArray[np.bool_], name: str) -> DataError:
    row, count = int(np.argmax(bad)), int(np.count_nonzero(bad))
    return DataError(
        f"column {quoted(name)} holds {count} value(s) that are missing or not finite (None, "
        f"masked, NaN or inf), the first in row {row} (counting from 0): {values[row]!s}; "
        "drop these rows or impute the values first"
    )


def _not_a_number(values: NDArray[Any], row: int, name: str) -> DataTypeError:
    kind = type(values[row])
    remedy = (
        "convert the column with float()"
        if issubclass(kind, Decimal)
        else "encode the column as numbers or drop it"
    )
    return DataTypeError(
        f"column {quoted(name)}, row {row} (counting from 0) holds {quoted(values[row])} of type "
        f"{kind.__name__}: the data argument must be free of string and other objects, every "
        f"value a real number; {remedy}"
    )


def _unreadable(dtype: object, names: tuple[str, ...]) -> DataTypeError:
    for kinds, remedy in _REMEDIES:
        if any(kind in str(dtype).lower() for kind in kinds):
            break
    where = f"column {quoted(names[0])} is" if len(names) == 1 else f"columns {listed(names)} are"
    return DataTypeError(f"{where} of type {quoted(dtype)}, not real numbers: {remedy}")


_REMEDIES = (
    (("complex",), "Complex data not supported; pass real and imaginary parts as two columns"),
    (("sparse",), "sparse columns are not supported; make them dense with .sparse.to_dense()"),
    (("decimal", "int128"), "convert to float (double) first"),
    (("date", "time", "duration", "period"), "turn it into numbers, such as days since a start"),
    (("categor", "enum"), "encode the levels as numbers, such as 0/1 columns, or drop it"),
    (("",), "encode the values as numbers or drop it"),
)


def _is_sparse(data: object) -> bool:
    module = type(data).__module__
    return module.startswith(("scipy.sparse", "sparse.")) or (
        hasattr(data, "toarray") and hasattr(data, "nnz")
    )


def _is_wide_integer(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "iu" and dtype.itemsize == 8
