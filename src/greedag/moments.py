"""Number of rows, means and covariances: all that the Gaussian score needs of a table.

Covariances are kept as ``scaled * 2**(exponent_i + exponent_j)`` with every scaled variance in
[1/4, 1), 0 for a constant column. Powers of two cost no digits, and columns of size 1e308 or
1e-308 can be squared. *Scatter* is the sum over rows of products of deviations from the mean.
"""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from greedag.data import (
    Exponents,
    Floats,
    Table,
    check_size,
    checked_names,
    default_names,
    read_table,
)
from greedag.errors import CollinearError, DataError, DataTypeError, FileError, listed, quoted
from greedag.storage import load_arrays, save_arrays

_BLOCK_VALUES = 2**19
_LEAST_BLOCK_ROWS = 1024
# Beyond this, a count is no longer exact as a double.
_MOST_ROWS = 2**53
# A spread of fewer than about a thousand neighbouring doubles is taken for rounding.
_LEAST_RELATIVE_SPREAD = 2.0**-42
_NO_EXPONENT = -(2**20)
# Two rows make every pair of columns collinear.
_LEAST_ROWS, _LEAST_COLUMNS = 3, 2
# Residual variance, as a part of the variance, from which a column counts as determined by
# others; the engine refuses parent sets by the same limit.
_DEPENDENT = 1e-12
_PIVOT_BLOCK = 256
_KIND, _VERSION = "moments", 1


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Moments:
    """Number of rows, means and covariances of the columns of a table.

    Parameters
    ----------
    n : int
        Number of rows, 2 or more.
    covariance : array_like of shape (d, d)
        Covariances with divisor n.
    names : sequence of str, optional
        Names of the columns; ``x0``, ``x1``, … if left out.
    mean : array_like of shape (d,), optional
        Means; needed only to merge with other moments.

    Attributes
    ----------
    n : int
    names : tuple of str
    mean : ndarray of shape (d,) or None

    Raises
    ------
    DataError
        If the covariances are not those of any data, or `n`, `names` or `mean` do not fit.

    Examples
    --------
    >>> m = Moments(n=100, covariance=[[1.0, 0.5], [0.5, 1.0]], names=["a", "b"])
    >>> m.correlation[0, 1]
    np.float64(0.5)
    """

    n: int
    names: tuple[str, ...]
    mean: Floats | None
    _scaled: Floats
    _exponent: Exponents

    def __init__(
        self,
        *,
        n: int | None = None,
        covariance: ArrayLike,
        names: Sequence[str] | None = None,
        mean: ArrayLike | None = None,
    ) -> None:
        rows = _checked_rows(n)
        matrix, tolerance = _checked_square(covariance)
        names = _checked_own_names(names, len(matrix))
        _check_variances(matrix, names)
        scaled, exponent = _normalised(matrix, np.zeros(len(matrix), dtype=np.int64))
        _check_symmetric(scaled, names, tolerance)
        _check_semidefinite(scaled, names, tolerance)
        self._fill(rows, names, _checked_mean(mean, names), scaled, exponent)

    @classmethod
    def from_data(cls, data: object) -> Moments:
        """Count the moments of a table, block by block of rows.

        Parameters
        ----------
        data : table or array_like of shape (n, d)
            See :func:`greedag.data.read_table`. A single row and constant columns are allowed,
            so that parts of a table can be counted apart and merged with ``+``.

        Returns
        -------
        Moments
        """
        table = read_table(data)
        mean, covariance = _unit_moments(table)
        # Halved, because a span of twice 1e308 is beyond the range of a double.
        mean = 2.0 * (table.low / 2.0 + np.ldexp(mean, table.exponent - 1))
        return cls._assembled(table.n, table.names, mean, covariance, table.exponent)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Moments:
        """Read moments that :meth:`save` wrote.

        Parameters
        ----------
        path : path-like
            The file.

        Raises
        ------
        FileError
            If there is no such file, or it is damaged or holds something else.
        """
        stored = load_arrays(path, _KIND, _VERSION)
        try:
            return cls._restored(stored.arrays, stored.meta)
        except (DataError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise FileError(
                f"{quoted(path)} does not hold moments that fit together ({error}); "
                "save them again"
            ) from error

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the moments to a file, in one step: whole or not at all.

        Parameters
        ----------
        path : path-like
            The file; one that exists is replaced.
        """
        arrays: dict[str, NDArray[Any]] = {"scaled": self._scaled, "exponent": self._exponent}
        if self.mean is not None:
            arrays["mean"] = self.mean
        save_arrays(path, _KIND, _VERSION, arrays, {"n": self.n, "names": list(self.names)})

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def rank_limited(self) -> bool:
        """Whether there are too few rows (n <= d) for all columns to be independent."""
        return self.n <= self.d

    @property
    def covariance(self) -> Floats:
        """Covariances with divisor n; DataError if one is beyond the range of a double."""
        self._check_representable()
        return np.ldexp(self._scaled, self._exponent[:, np.newaxis] + self._exponent)

    @property
    def variances(self) -> Floats:
        """Variances with divisor n; DataError if one is beyond the range of a double."""
        self._check_representable()
        return np.ldexp(self._scaled.diagonal(), 2 * self._exponent)

    @property
    def log_variances(self) -> Floats:
        """Logarithms of the variances, finite whatever the scale of the columns."""
        self._check_spread()
        return np.log(self._scaled.diagonal()) + 2.0 * math.log(2.0) * self._exponent

    @property
    def correlation(self) -> Floats:
        """Correlations: exactly symmetric, with a diagonal of exactly 1."""
        self._check_spread()
        scale = 1.0 / np.sqrt(self._scaled.diagonal())
        matrix = np.outer(scale, scale)
        matrix *= self._scaled
        np.clip(matrix, -1.0, 1.0, out=matrix)
        np.fill_diagonal(matrix, 1.0)
        return matrix

    def __add__(self, other: Moments) -> Moments:
        """Return the moments of both tables' rows together."""
        if not isinstance(other, Moments):
            return NotImplemented
        _check_same_names(self.names, other.names)
        if self.mean is None or other.mean is None:
            raise DataError(
                "moments can be merged only if both have means; give mean= with covariance="
            )
        exponent = _common_exponent(self, other)
        # Chan, Golub & LeVeque: the means' distance adds its own part to the scatter.
        gap = np.ldexp(other.mean, -exponent) - np.ldexp(self.mean, -exponent)
        share, other_share = self.n / (self.n + other.n), other.n / (self.n + other.n)
        scaled = np.outer(gap, gap) * (share * other_share)
        scaled += share * _rescaled(self._scaled, self._exponent - exponent)
        scaled += other_share * _rescaled(other._scaled, other._exponent - exponent)
        mean = self.mean + np.ldexp(gap * other_share, exponent)
        return self._assembled(self.n + other.n, self.names, mean, scaled, exponent)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Moments):
            return NotImplemented
        same_mean = (self.mean is None) == (other.mean is None) and (
            self.mean is None or np.array_equal(self.mean, other.mean)  # type: ignore[arg-type]
        )
        return (
            self.n == other.n
            and self.names == other.names
            and bool(same_mean)
            and np.array_equal(self._exponent, other._exponent)
            and np.array_equal(self._scaled, other._scaled)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Moments(n={self.n}, d={self.d}, names={listed(self.names)})"

    @classmethod
    def _assembled(
        cls, n: int, names: tuple[str, ...], mean: Floats, scaled: Floats, exponent: Exponents
    ) -> Moments:
        self = cls.__new__(cls)
        self._fill(n, names, mean, *_normalised(scaled, exponent))
        return self

    @classmethod
    def _restored(cls, arrays: dict[str, NDArray[Any]], meta: dict[str, Any]) -> Moments:
        names = checked_names(meta["names"])
        scaled = arrays["scaled"].astype(np.float64, copy=False)
        exponent = arrays["exponent"].astype(np.int64, copy=False)
        mean = _checked_mean(arrays.get("mean"), names)
        if scaled.shape != (len(names),) * 2 or exponent.shape != (len(names),):
            raise DataError("the arrays are not of one size")
        again, moved = _normalised(scaled, exponent)
        if not (np.array_equal(again, scaled) and np.array_equal(moved, exponent)):
            raise DataError("the covariances are not finite and symmetric")
        self = cls.__new__(cls)
        self._fill(_checked_rows(meta["n"], least=1), names, mean, scaled, exponent)
        return self

    def _fill(
        self,
        n: int,
        names: tuple[str, ...],
        mean: Floats | None,
        scaled: Floats,
        exponent: Exponents,
    ) -> None:
        for array in (mean, scaled, exponent):
            if array is not None:
                array.setflags(write=False)
        values = {"n": n, "names": names, "mean": mean, "_scaled": scaled, "_exponent": exponent}
        for field, value in values.items():
            object.__setattr__(self, field, value)

    def _check_representable(self) -> None:
        scaled = self._scaled.diagonal()
        with np.errstate(over="ignore", under="ignore"):
            back = np.ldexp(np.ldexp(scaled, 2 * self._exponent), -2 * self._exponent)
        lost = np.flatnonzero(back != scaled)
        if lost.size:
            power = round(float(self._exponent[lost[0]]) * math.log10(2.0))
            raise DataError(
                f"the variance of column {quoted(self.names[lost[0]])}, about 1e{2 * power}, is "
                f"beyond the range of a double; divide the column by 1e{power}, or use "
                "correlation and log_variances"
            )

    def _check_spread(self) -> None:
        """Raise if a column does not vary, or varies less than its rounding does."""
        variance = self._scaled.diagonal()
        constant = np.flatnonzero(variance == 0.0)
        if constant.size:
            raise DataError(
                f"constant column(s) {listed([self.names[j] for j in constant])}: every row has "
                "the same value, so that nothing can depend on it; drop these columns"
            )
        if self.mean is None:
            return
        with np.errstate(over="ignore"):
            size = np.ldexp(np.abs(self.mean), -self._exponent)
        narrow = np.flatnonzero(np.sqrt(variance) <= _LEAST_RELATIVE_SPREAD * size)
        if narrow.size:
            j = narrow[0]
            raise DataError(
                f"column {quoted(self.names[j])} is nearly constant: its spread is below the "
                f"rounding of values near {self.mean[j]:.6g}; drop it, or subtract its mean "
                "before it is rounded to double"
            )
