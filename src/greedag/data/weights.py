"""Weights of rows. A weight counts rows: 2 is the same as the row twice, 0 as the row left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedag.data.table import Floats
from greedag.errors import DataError, DataTypeError, Row, quoted

# Beyond this, a count is no longer exact as a double.
_MOST_ROWS = 2.0**53


def checked_weights(weights: Any, n: int, *, is_part: bool = False) -> Floats:
    """Return weights as doubles, if there is a sensible one for each of `n` rows.

    In a part of a table they may all be 0.

    Raises
    ------
    DataTypeError
        If they are not real numbers.
    DataError
        If there are more or fewer than rows, one is negative or not finite, or all are 0.
    """
    try:
        given = np.asarray(weights)
        if given.dtype.kind not in "biufO":
            raise TypeError(f"they are of type {given.dtype}")
        if given.dtype.kind == "O" and any(isinstance(w, (str, bytes)) for w in given.ravel()):
            raise TypeError("there is text among them")
        values = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataTypeError(f"weights must be real numbers, one for each row ({error})") from error
    if values.shape != (n,):
        raise DataError(
            f"weights must be one number for each of the {n} rows, shape ({n},); got the shape "
            f"{values.shape}"
        )
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0.0)))
    if wrong.size:
        raise DataError(
            "the weight of ",
            Row(int(wrong[0])),
            f" is {quoted(given[wrong[0]])}, and {wrong.size} weight(s) in all are negative, "
            "missing or infinite",
            remedy="a weight says how many rows a row stands for, 0 to leave it out",
            code="weights",
        )
    check_total(values, is_part=is_part)
    return values


def check_scaled(weights: Floats | None, *, least: int) -> None:
    """Raise if there are rows enough to learn from, but their weights add up to too few."""
    if weights is None or weights.sum() >= least or len(weights) < least:
        return
    raise DataError(
        f"the weights of {len(weights)} rows add up to {weights.sum():.6g}, while a minimum of "
        f"{least} is required: a weight says how many rows a row stands for; scale the weights, "
        "such as w * len(w) / w.sum()"
    )


def check_total(values: Floats, *, is_part: bool = False) -> None:
    """Raise if weights add up to nothing, or to more than can be counted."""
    with np.errstate(over="ignore"):
        total = float(values.sum())
    if total == 0.0 and not is_part:
        raise DataError(
            f"all {len(values)} weights are zero, so no row is left; pass some weights above 0"
        )
    if total > _MOST_ROWS:
        raise DataError(
            f"the weights add up to {total:.6g} rows, above the limit of 2**53; divide them by a "
            "constant"
        )
