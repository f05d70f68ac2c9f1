"""Missing values: None, NA, masked, NaN, NaT. An infinite number is not missing, but wrong."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


def is_missing(value: object) -> bool:
    """Whether a Python object stands for a value that is not there."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    # NaN and NaT alone differ from themselves.
    kinds = (float, np.floating, Decimal, np.datetime64, np.timedelta64)
    return isinstance(value, kinds) and bool(value != value)


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


def infinite_in(column: NDArray[Any]) -> Mask:
    """Return which values of a column are infinite."""
    infinite = np.zeros(column.shape, dtype=bool)
    if column.dtype.kind == "f":
        np.isinf(column, out=infinite)
    elif column.dtype.kind == "O":
        infinite[:] = [isinstance(value, numbers.Real) and math.isinf(value) for value in column]
    return infinite


def missing_by_column(cells: Mask, names: Sequence[str]) -> dict[str, int]:
    """Return how many values are missing, by name of the columns that lack any."""
    counts = zip(names, cells.sum(axis=0).tolist(), strict=True)
    return {name: count for name, count in counts if count}
