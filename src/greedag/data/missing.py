"""Missing values: None, NA, masked, NaN, NaT. An infinite number is not missing, but wrong."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag.errors import DataError, Part, Row, Spelled, counted, option, quoted

Mask = NDArray[np.bool_]

_MISSING = {
    "drop": "leaves out rows with missing values",
    "em": "estimates the moments from the observed values",
    "test-wise": "computes each gain from the rows in which all of its columns are observed",
}


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


def not_finite(
    name: str,
    value: object,
    *,
    row: int,
    missing: Mapping[str, int],
    infinite: Mapping[str, int],
    remedies: Sequence[str],
) -> DataError:
    """Return the error for columns with missing or infinite values, counted by column.

    The `remedies` are those of ``missing=`` that the caller may take.
    """
    counts = {key: missing.get(key, 0) + infinite.get(key, 0) for key in {**missing, **infinite}}
    advice: tuple[Part, ...] = _remedies(remedies)
    if not missing:
        advice = (
            Spelled("missing=", "--missing"),
            " does not help: infinite values are not missing",
        )
    elif infinite:
        advice += (f"; values that are infinite, in {counted(infinite)}, are not missing",)
    return DataError(
        f"column {quoted(name)} holds {counts[name]} "
        f"{'value that is' if counts[name] == 1 else 'values that are'} missing or not finite "
        "(None, masked, NaN or inf), the first in ",
        Row(row),
        f": {quoted(value)}",
        remedy=(
            f"{_others(counts)}drop these rows or impute the values first",
            "; " if advice else "",
            *advice,
        ),
        code="missing-values" if missing else "infinite-values",
        columns=tuple(counts),
        counts=counts,
    )


def missing_level(row: int, counts: Mapping[str, int], remedies: Sequence[str]) -> DataError:
    """Return the error for discrete columns with missing values, counted by column.

    The row is the first in the first of these columns.
    """
    name = next(iter(counts))
    return DataError(
        f"column {quoted(name)} holds {counts[name]} missing "
        f"value{'' if counts[name] == 1 else 's'}, the first in ",
        Row(row),
        remedy=(
            f"{_others(counts)}drop these rows, or give missing values a level of their own; ",
            *_remedies(remedies),
        ),
        code="missing-values",
        columns=tuple(counts),
        counts=counts,
    )


def _remedies(ways: Sequence[str]) -> tuple[Part, ...]:
    """Return what each of these values of ``missing=`` does."""
    parts: list[Part] = []
    for way in ways:
        parts += [", " if parts else "", option("missing", way), f" {_MISSING[way]}"]
    return tuple(parts)


def _others(counts: Mapping[str, int]) -> str:
    if len(counts) < 2:
        return ""
    return f"{len(counts)} columns hold such values: {counted(counts)}; "
