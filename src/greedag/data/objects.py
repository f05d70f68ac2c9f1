"""Columns that are no plain arrays of numbers: Python objects, and what has to be converted."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from greedag._progress import LONG, check_time
from greedag.data.missing import Mask, is_missing
from greedag.errors import GreedagError, beyond_double, not_a_number, unreadable

if TYPE_CHECKING:
    import narwhals as nw


class NotFinite(Exception):
    """A column has a value that is missing or infinite: its name, the value, the row."""


def first_bad(values: NDArray[Any], bad: Mask, name: str) -> NotFinite:
    """Return what is to be said of a column, some values of which are bad."""
    row = int(np.argmax(bad))
    return NotFinite(name, values[row], row)


def numbers_from_objects(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Convert a column of Python objects if every one is a real number."""
    kinds: set[type] = set()
    for start in range(0, len(values), LONG):
        check_time("reading the table", start, len(values))
        kinds.update(map(type, values[start : start + LONG].tolist()))
    if any(not issubclass(kind, (numbers.Real, np.bool_)) for kind in kinds):
        missing = np.array([is_missing(value) for value in values])
        if missing.any():
            raise first_bad(values, missing, name)
        real = [isinstance(value, (numbers.Real, np.bool_)) for value in values]
        row = real.index(False)
        raise not_a_number(name, values[row], row=row)
    numeric = np.array(values.tolist())
    try:
        return numeric if numeric.dtype.kind in "biuf" else numeric.astype(np.float64)
    except OverflowError as error:
        raise beyond_double(name) from error


def in_parts(series: nw.Series[Any], name: str) -> NDArray[Any]:
    """Return a column as an array; one that has to be converted some rows at a time."""
    try:
        n, values = len(series), np.asarray(series[:LONG].to_numpy())
        if n <= LONG or values.dtype.kind in "biuf":
            return values if n <= LONG else np.asarray(series.to_numpy())
        parts = [values]
        for start in range(LONG, n, LONG):
            check_time("reading the table", start, n)
            parts.append(np.asarray(series[start : start + LONG].to_numpy()))
    except GreedagError:
        raise
    except Exception as error:  # each library has its own exception for "no such type in NumPy"
        raise unreadable([name], series.dtype) from error
    return np.concatenate(parts)
