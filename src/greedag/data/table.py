"""From an opened table to columns of real numbers, checked.

A *block* is a run of adjacent columns of one type, kept as a view of the caller's memory: a
NumPy array is one block, a block of a pandas frame is one, and so is any other column of a frame.
Blocks are converted to doubles some rows at a time, when the moments are counted, so that the table
is never copied to change its type or its order in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from greedag._progress import LONG, check_time
from greedag.data.missing import Mask, infinite_in, missing_by_column, not_finite
from greedag.data.objects import NotFinite, first_bad
from greedag.data.source import Floats as Floats
from greedag.data.source import (
    MemorySource,
    check_some,
    open_table,
)
from greedag.errors import beyond_double

Exponents = NDArray[np.int32]

_SCANNED_VALUES = 2**18
_DOING = "reading the table"
# 2**1021 is the largest power of two by which the smallest spread can be multiplied safely.
_LEAST_EXPONENT = -1021
# An array, not a number, widens small types to double. A column may span twice the largest
# double, hence halves.
_HALF = np.array([0.5])


@dataclass(frozen=True, slots=True, eq=False)
class ColumnBlock:
    """Adjacent columns of one type, and the interval that each of them fills."""

    values: NDArray[Any]
    low: NDArray[Any]
    exponent: Exponents
    scale: Floats

    def write_units(self, which: slice | NDArray[np.intp], out: Floats) -> None:
        """Write some rows as ``(x - low) * 2**-exponent``, which lies in [0, 1].

        Subtracting before rounding to double keeps every digit of columns far from zero, and
        the power of two keeps squares of 1e308 and of 1e-308 within range, without rounding.
        """
        rows, scale = self.values[which], self.scale
        if _is_wide_integer(rows.dtype):
            # Modulo 2**64 the difference is exact even where it leaves the range of int64.
            offsets = np.subtract(rows, self.low, dtype=np.uint64, casting="unsafe")
            np.multiply(offsets, scale, out=out)
        elif rows.dtype.itemsize > 8:
            np.multiply(rows - self.low, scale, out=out, casting="same_kind")
        else:
            np.multiply(rows, scale, out=out)
            out -= self.low * scale


@dataclass(slots=True, eq=False)
class Table:
    """A table of finite real numbers with a name for each column.

    Attributes
    ----------
    blocks : tuple of ColumnBlock
        The columns, in order.
    names : tuple of str
        One distinct name a column.
    n, d : int
        Number of rows and of columns.
    low : ndarray of shape (d,)
        Smallest value of each column.
    exponent : ndarray of shape (d,)
        Power of two that spans each column.
    order : str
        Order in memory that rows should have to be written fast: ``"C"`` or ``"F"``.
    """

    blocks: tuple[ColumnBlock, ...]
    names: tuple[str, ...]
    n: int = field(init=False)
    d: int = field(init=False)
    low: Floats = field(init=False)
    exponent: Exponents = field(init=False)
    order: Literal["C", "F"] = field(init=False)

    def __post_init__(self) -> None:
        first = self.blocks[0].values
        step = np.abs(first.strides)
        self.n, self.d = first.shape[0], len(self.names)
        self.low = np.concatenate([block.low.astype(np.float64) for block in self.blocks])
        self.exponent = np.concatenate([block.exponent for block in self.blocks])
        self.order = "F" if len(self.blocks) > 1 or step[0] < step[1] else "C"

    def write_units(self, start: int, stop: int, out: Floats) -> None:
        """Write rows as ``(x - low) * 2**-exponent`` into `out` of shape (stop - start, d)."""
        self._write(slice(start, stop), out)

    def write_units_at(self, places: NDArray[np.intp], out: Floats) -> None:
        """Write the rows at some places in the same way."""
        self._write(places, out)

    def _write(self, which: slice | NDArray[np.intp], out: Floats) -> None:
        first = 0
        for block in self.blocks:
            last = first + block.values.shape[1]
            block.write_units(which, out[:, first:last])
            first = last


def read_table(
    data: object, *, names: Sequence[str] | None = None, remedies: Sequence[str] = ("drop", "em")
) -> Table:
    """Read a table of real numbers, or say why it cannot be read.

    Parameters
    ----------
    data : array_like of shape (n, d), data frame or Source
        See :func:`greedag.data.source.open_table`.
    names : sequence of str, optional
        One distinct name a column, in place of the table's own.
    remedies : sequence of str
        Which ``missing=`` may be recommended where values are missing.

    Returns
    -------
    Table
        Views of the data wherever their type allows it.

    Raises
    ------
    DataTypeError
        If the container or a column is of a kind that holds no real numbers.
    DataError
        If the shape, the names or some values cannot be used.
    """
    return numbers_of(open_table(data, as_is=True).in_memory().renamed(names), remedies)


def numbers_of(source: MemorySource, remedies: Sequence[str] | None = None) -> Table:
    """Read an opened table of real numbers; see :func:`read_table`."""
    if 0 in source.shape:
        check_some(source)
    try:
        return _table(source.blocks(), source.names)
    except NotFinite as found:
        name, value, row = found.args
        missing = missing_by_column(source.missing_cells(), source.names)
        raise not_finite(
            name,
            value,
            row=row,
            missing=missing,
            infinite=source.infinite(),
            remedies=source.remedies if remedies is None else remedies,
        ) from None


def read_column(source: MemorySource, j: int, missing: Mask) -> Table:
    """Read one column of real numbers, without the values that are marked as missing."""
    places, name = np.flatnonzero(~missing), source.names[j]
    values = source.numbers(j, places)
    try:
        return _table([values], (name,))
    except NotFinite as found:
        _, value, row = found.args
        infinite = {name: int(infinite_in(values).sum())}
        raise not_finite(
            name, value, row=int(places[row]), missing={}, infinite=infinite, remedies=()
        ) from None


def _table(columns: Sequence[NDArray[Any]], names: tuple[str, ...]) -> Table:
    blocks, first = [], 0
    for column in columns:
        values = column if column.ndim == 2 else column[:, np.newaxis]
        last = first + values.shape[1]
        if first and len(values) > LONG:
            check_time(_DOING, first, len(names), "columns")
        blocks.append(_block(values, names[first:last]))
        first = last
    return Table(tuple(blocks), names)


def _block(values: NDArray[Any], names: tuple[str, ...]) -> ColumnBlock:
    low, high = _bounds(values)
    finite = np.isfinite(low) & np.isfinite(high)
    if not finite.all():
        column = int(np.argmin(finite))
        raise first_bad(values[:, column], ~np.isfinite(values[:, column]), names[column])
    if values.dtype.itemsize > 8:
        huge = np.maximum(-low, high) > np.finfo(np.float64).max
        if huge.any():
            raise beyond_double(names[int(np.argmax(huge))])
    exponent = _spanning_exponent(low, high)
    return ColumnBlock(values, low, exponent, np.ldexp(1.0, -exponent))


def _bounds(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return smallest and largest value of each column, reading the rows once."""
    n, k = values.shape
    step = _SCANNED_VALUES // k + 1
    low, high = values[0].copy(), values[0].copy()
    # Comparing with NaN is meant: a NaN in the bounds is how one in the data shows.
    with np.errstate(invalid="ignore"):
        for start in range(0, n, step):
            if start:
                check_time(_DOING, start, n)
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


def _is_wide_integer(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "iu" and dtype.itemsize == 8
