"""Checks of moments that were counted elsewhere: a covariance matrix, means, a number of rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from greedag.data.names import checked_names, default_names, names_of
from greedag.data.table import Floats
from greedag.errors import DataError, DataTypeError, listed, quoted
from greedag.statistics.scatter import normalised, upper_tiles

# Beyond this, a count is no longer exact as a double.
_MOST_ROWS = 2**53
# Of a column that does not vary: below that of any that does.
NO_EXPONENT = -(2**20)


def checked_covariance(
    covariance: ArrayLike, names: Iterable[object] | None
) -> tuple[Floats, tuple[str, ...]]:
    """Return a covariance matrix as doubles and its names, if it is one of some data.

    Where it differs by rounding above and below the diagonal, the mean of both stands above.
    """
    given = _as_square(covariance)
    d = len(given)
    if names is None:
        names = getattr(covariance, "columns", None)  # a data frame brings its own
    checked = default_names(d) if names is None else names_of(names, d)
    matrix = given.astype(np.float64, order="C")  # the engine reads rows
    _check_variances(matrix, checked)
    deviation = np.sqrt(matrix.diagonal())
    correlation = matrix / deviation[:, np.newaxis]
    correlation /= deviation
    # Rounding to be expected of a matrix counted in its own type.
    digits = np.finfo(given.dtype if given.dtype.kind == "f" else np.float64).eps
    tolerance = max(1e-10, 16.0 * d * float(digits))
    _check_symmetric(correlation, checked, tolerance)
    _check_semidefinite(correlation, checked, tolerance)
    for i, j in upper_tiles(d):
        # Not the sum by 2, which is beyond the range of a double for variances of 1e308.
        matrix[i, j] += (matrix[j, i].T - matrix[i, j]) / 2.0
    return matrix, checked


def checked_mean(mean: ArrayLike | None, names: Sequence[str]) -> Floats | None:
    """Return means as doubles, if there is a finite one for each name."""
    if mean is None:
        return None
    try:
        values = np.array(mean, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataTypeError(f"mean must hold {len(names)} real numbers ({error})") from error
    if values.shape != (len(names),):
        raise DataError(f"mean must have the shape ({len(names)},), got {values.shape}")
    for name, value in zip(names, values, strict=True):
        if not math.isfinite(value):
            raise DataError(
                f"the mean of column {quoted(name)} is {value}; drop or impute missing values"
            )
    return values


def checked_rows(n: object, *, least: int) -> int | float:
    """Return a number of rows, an int wherever it is whole, if it is at least `least`."""
    if n is None:
        raise DataTypeError("n is missing: pass the number of rows, such as Moments(n=1000, …)")
    if not isinstance(n, (int, float, np.integer, np.floating)) or isinstance(n, bool):
        raise DataTypeError(f"n must be a number of rows, got {quoted(n)}; pass an int")
    if not least <= n <= _MOST_ROWS or n == 0:
        raise DataError(f"n must be from {least} to 2**53, got {quoted(n)}; pass the row count")
    return int(n) if float(n).is_integer() else float(n)


def _as_square(covariance: ArrayLike) -> NDArray[Any]:
    try:
        given = np.asarray(covariance)
    except ValueError as error:
        raise DataError(f"covariance is not a matrix ({error}); pass a d × d array") from error
    if given.dtype.kind not in "biuf":
        raise DataTypeError(
            f"covariance must hold real numbers, got the type {quoted(given.dtype)}; convert it"
        )
    if given.ndim != 2 or given.shape[0] != given.shape[1] or given.size == 0:
        raise DataError(
            f"covariance must be square, one row and one column per name; got the shape "
            f"{given.shape}; for a table of rows use Moments.from_data"
        )
    return given


def _check_variances(matrix: Floats, names: Sequence[str]) -> None:
    if not np.isfinite(matrix).all():
        i, j = np.argwhere(~np.isfinite(matrix))[0]
        raise DataError(
            f"the covariance of columns {listed([names[i], names[j]])} is {matrix[i, j]} (NaN or "
            "inf); drop or impute missing values before counting"
        )
    if (matrix.diagonal() <= 0.0).any():
        j = int(np.argmax(matrix.diagonal() <= 0.0))
        raise DataError(
            f"the variance of column {quoted(names[j])} is {matrix[j, j]:.6g}, not above 0; drop "
            "the column if it is constant, else correct the covariance"
        )


def _check_symmetric(correlation: Floats, names: Sequence[str], tolerance: float) -> None:
    for rows, columns in upper_tiles(len(names)):
        gap = np.abs(correlation[rows, columns] - correlation[columns, rows].T)
        if gap.max() > tolerance:
            i, j = divmod(int(gap.argmax()), gap.shape[1])
            pair = [names[rows.start + i], names[columns.start + j]]
            raise DataError(
                f"covariance is not symmetric: for columns {listed(pair)} it "
                "differs above and below the diagonal; pass the mean of the matrix and its "
                "transpose if both sides are meant to be the same"
            )


def _check_semidefinite(correlation: Floats, names: Sequence[str], tolerance: float) -> None:
    """Raise if a combination of columns would have a negative variance.

    The diagonal is raised by `tolerance`, in place: a copy would be as large as the factor.
    """
    correlation.flat[:: len(names) + 1] += tolerance
    try:
        np.linalg.cholesky(correlation)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(correlation)
        least, size = values[0] - tolerance, np.abs(vectors[:, 0])
        main = np.flatnonzero(size > 0.5 * size.max()).tolist()
        raise DataError(
            "covariance is not positive semi-definite: a combination of the columns "
            f"{listed([names[j] for j in main])} would have a negative variance (eigenvalue "
            f"{least:.3g} of the correlations); count all entries from the same complete rows"
        ) from None


def checked_fields(arrays: dict[str, NDArray[Any]], meta: dict[str, Any]) -> tuple[Any, ...]:
    """Return the fields of stored moments, if they fit together."""
    names = checked_names(meta["names"])
    rows = checked_rows(meta["n"], least=0)
    mean = checked_mean(arrays.get("mean"), names)
    rest = checked_mean(arrays.get("mean_rest", np.zeros(len(names))), names)
    scaled, exponent = arrays["scaled"], arrays["exponent"]
    if (scaled.dtype.kind, exponent.dtype.kind) != ("f", "i"):
        raise DataError("the covariances are not floats with whole exponents")
    if scaled.shape != (len(names), len(names)) or exponent.shape != (len(names),):
        raise DataError("the covariances are not of one size with the names")
    again, moved = normalised(scaled.copy(), np.clip(exponent, NO_EXPONENT, -NO_EXPONENT))
    same = np.array_equal(again, scaled) and np.array_equal(moved, exponent)
    if not same or not np.isfinite(scaled).all() or scaled.diagonal().min() < 0.0:
        raise DataError("the covariances are not finite, symmetric and scaled")
    distinct = meta.get("distinct", math.ceil(rows))
    if isinstance(distinct, bool) or not isinstance(distinct, int) or distinct < 1:
        raise DataError(f"the number of distinct rows is {quoted(distinct)}")
    _check_scaled(scaled, names)
    return rows, names, mean, rest, scaled, exponent, distinct


def _check_scaled(scaled: Floats, names: Sequence[str]) -> None:
    """Raise unless covariances, some columns perhaps constant, are those of some data."""
    varies = scaled.diagonal() > 0.0
    if scaled[~varies].any():
        raise DataError("a column that does not vary has covariances")
    if not varies.any():
        return
    kept = scaled[np.ix_(varies, varies)]
    scale = 1.0 / np.sqrt(kept.diagonal())
    kept *= scale[:, np.newaxis]
    kept *= scale
    _check_semidefinite(kept, [name for name, v in zip(names, varies, strict=True) if v], 1e-10)


def checked_shapes(shapes: NDArray[Any] | None, names: Sequence[str]) -> Floats | None:
    """Return stored skewness and kurtosis, a row each, if there are any."""
    if shapes is None:
        return None
    if shapes.dtype != np.float64 or shapes.shape != (2, len(names)):
        raise DataError("skewness and kurtosis are not two rows of floats")
    if not np.isfinite(shapes).all():
        raise DataError("skewness and kurtosis are not finite")
    return shapes
