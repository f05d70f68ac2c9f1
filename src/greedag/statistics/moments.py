"""Number of rows, means and covariances: all that the Gaussian score needs of a table.

Covariances are kept as ``scaled * 2**(exponent_i + exponent_j)`` with every scaled variance in
[1/4, 1), 0 for a constant column. Powers of two cost no digits, and columns of size 1e308 or
1e-308 can be squared. *Scatter* is the sum over rows of products of deviations from the mean.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from greedag.data.names import checked_names, names_of
from greedag.data.table import Exponents, Floats, Table, is_distributed, read_table
from greedag.errors import (
    DataError,
    FileError,
    counted_rows,
    different_columns,
    listed,
    quoted,
    quoted_path,
)
from greedag.io.atomic import load_arrays, save_arrays
from greedag.statistics.covariance import (
    checked_covariance,
    checked_mean,
    checked_rows,
    whole_if_whole,
)
from greedag.statistics.scatter import unit_moments
from greedag.statistics.square import mirror, strips, upper_tiles

if TYPE_CHECKING:
    from greedag.statistics.streaming import Paths, ProgressCallback

# A spread of fewer than about a thousand neighbouring doubles is taken for rounding.
_LEAST_RELATIVE_SPREAD = 2.0**-42
_NO_EXPONENT = -(2**20)
_STORED = ("moments", 1)


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Moments:
    """Number of rows, means and covariances of the columns of a table.

    Parameters
    ----------
    n : int or float
        Number of rows, 2 or more; weighted rows may add up to a fraction.
    covariance : array_like of shape (d, d)
        Covariances with divisor n.
    names : sequence of str, optional
        Names of the columns; ``x0``, ``x1``, … if left out.
    mean : array_like of shape (d,), optional
        Means; needed only to merge with other moments.

    Attributes
    ----------
    n : int or float
        An int wherever it is a whole number.
    names : tuple of str
    mean : ndarray of shape (d,) or None

    Raises
    ------
    DataError
        If the covariances are not those of any data, or `n`, `names` or `mean` do not fit.

    Examples
    --------
    >>> m = Moments(n=100, covariance=[[1.0, 0.5], [0.5, 1.0]], names=["a", "b"])
    >>> float(m.correlation[0, 1])
    0.5
    """

    n: int | float
    names: tuple[str, ...]
    mean: Floats | None
    # What the mean lost by rounding: parts of a table far from 0 differ by less than that.
    _mean_rest: Floats
    _scaled: Floats
    _exponent: Exponents

    def __init__(
        self,
        *,
        n: float | None = None,
        covariance: ArrayLike,
        names: Sequence[str] | None = None,
        mean: ArrayLike | None = None,
    ) -> None:
        rows = checked_rows(n, least=2)
        matrix, checked = checked_covariance(covariance, names)
        scaled, exponent = _normalised(matrix, np.zeros(len(matrix), dtype=np.int32))
        means = checked_mean(mean, checked)
        self._fill(rows, checked, means, np.zeros(len(checked)), scaled, exponent)

    @classmethod
    def from_data(
        cls,
        data: object,
        *,
        names: Sequence[str] | None = None,
        weights: ArrayLike | None = None,
        missing: str = "error",
    ) -> Moments:
        """Count the moments of a table, block by block of rows.

        Parameters
        ----------
        data : table or array_like of shape (n, d)
            See :func:`greedag.data.table.read_table`; or a Dask table, whose partitions
            are counted where they are. A single row and constant columns are allowed,
            so that parts of a table can be counted apart and merged with ``+``.
        names : sequence of str, optional
            Column names, in place of the table's own.
        weights : array_like of shape (n,), optional
            How many rows each row stands for: 2 is the same as the row twice, 0 as the row left
            out. `n` becomes their sum.
        missing : str
            ``"error"``; ``"drop"`` leaves out rows with a missing value; ``"em"`` estimates the
            moments of a normal table from what is there. See :func:`greedag.learn`.

        Returns
        -------
        Moments
        """
        if is_distributed(data):
            from greedag.data.rows import check_whole
            from greedag.statistics.dask import distributed

            check_whole(weights, missing)
            return distributed(cls, data, names)
        if weights is None and missing == "error":
            return cls._of_table(read_table(data), names)
        from greedag.data.rows import count_rows

        return count_rows(data, names=names, weights=weights, missing=missing).moments

    @classmethod
    def from_file(
        cls,
        path: Paths,
        *,
        columns: Sequence[str] | None = None,
        weights: str | None = None,
        missing: str = "error",
        progress: bool | ProgressCallback | None = None,
    ) -> Moments:
        """Count the moments of files in one pass, in memory that does not grow with them.

        Parameters
        ----------
        path : path-like or sequence of them
            Parquet, CSV or TSV files, told apart by their endings; ``*``, ``?`` and ``[…]`` match
            any, as in ``"data/*.parquet"``. All have the same columns, in any order.
        columns : sequence of str, optional
            Which to read; all if left out.
        weights : str, optional
            A column that says how many rows each row stands for.
        missing : str
            ``"error"``; ``"drop"`` leaves out rows with a missing value. In CSV and TSV files an
            empty field, ``NA``, ``N/A``, ``NaN``, ``null`` and ``#N/A`` stand for one.
        progress : bool or callable, optional
            True shows a line on stderr. A function is called after each chunk with a
            :class:`greedag.statistics.streaming.RowsRead`; what it raises ends the counting.

        Returns
        -------
        Moments

        Raises
        ------
        FileError
            If a file is missing, damaged or of an unknown kind.
        DataError
            If columns are not there, differ between files, or hold anything but finite numbers.
        MissingExtraError
            Without the packages of the extra ``io``.
        """
        from greedag.statistics.streaming import MOMENTS, Asked, count_files

        asked = Asked(MOMENTS, weights, missing)
        return count_files(path, asked, columns=columns, progress=progress)

    @classmethod
    def from_sql(
        cls,
        query: Any,
        connection: Any = None,
        *,
        weights: str | None = None,
        missing: str = "error",
        progress: bool | ProgressCallback | None = None,
    ) -> Moments:
        """Count the moments of what DuckDB answers, in one pass and in constant memory.

        Parameters
        ----------
        query : str or duckdb.DuckDBPyRelation
            A query, run as it is: never build it from text that you do not trust. Or a relation.
        connection : duckdb.DuckDBPyConnection, optional
            Where to run it; a database of its own, in memory, if left out. Such a query reads
            files by their names, as in ``"SELECT a, b FROM 'data/*.parquet' WHERE a > 0"``.
        weights, missing, progress
            As in :meth:`from_file`.

        Returns
        -------
        Moments

        Raises
        ------
        DataError
            If the query fails, or answers with anything but finite numbers.
        MissingExtraError
            Without the packages of the extra ``io``.
        """
        from greedag.statistics.streaming import MOMENTS, Asked, count_query

        return count_query(query, Asked(MOMENTS, weights, missing), connection, progress=progress)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Moments:
        """Read moments that :meth:`save` wrote.

        Parameters
        ----------
        path : path-like
            The file; as .npz if its name ends so.

        Raises
        ------
        FileError
            If there is no such file, or it is damaged or holds something else.
        """
        from greedag.io.arrays import load_npz

        stored = (load_npz if _is_npz(path) else load_arrays)(path, *_STORED)
        self = cls.__new__(cls)
        try:
            self._fill(*_restored(stored.arrays, stored.meta))
        except (DataError, KeyError, TypeError) as error:
            raise FileError(
                f"{quoted_path(path)} holds no moments that fit together ({error}); save them again"
            ) from error
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the moments to a file, in one step: whole or not at all.

        Parameters
        ----------
        path : path-like
            The file; one that exists is replaced. A name that ends in .npz gives a file that
            NumPy opens too; it takes a copy of the moments in memory while it is written.
        """
        from greedag.io.arrays import save_npz

        arrays: dict[str, NDArray[Any]] = {"scaled": self._scaled, "exponent": self._exponent}
        if self.mean is not None:
            arrays |= {"mean": self.mean, "mean_rest": self._mean_rest}
        save = save_npz if _is_npz(path) else save_arrays
        save(path, *_STORED, arrays, {"n": self.n, "names": list(self.names)})

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
        matrix: Floats = np.ldexp(self._scaled, self._exponent[:, np.newaxis] + self._exponent)
        return matrix

    @property
    def variances(self) -> Floats:
        """Variances with divisor n; DataError if one is beyond the range of a double."""
        self._check_representable()
        return np.ldexp(self._scaled.diagonal(), 2 * self._exponent)

    @property
    def log_variances(self) -> Floats:
        """Logarithms of the variances, finite whatever the scale of the columns."""
        self._check_spread()
        logs: Floats = np.log(self._scaled.diagonal())
        return logs + 2.0 * math.log(2.0) * self._exponent

    @property
    def deviations(self) -> Floats:
        """Standard deviations with divisor n."""
        return np.ldexp(np.sqrt(self._scaled.diagonal()), self._exponent)

    @property
    def correlation(self) -> Floats:
        """Correlations: exactly symmetric, with a diagonal of exactly 1."""
        self._check_spread()
        scale = 1.0 / np.sqrt(self._scaled.diagonal())
        matrix = np.empty_like(self._scaled)
        for rows in strips(self.d):
            part = np.multiply(scale[rows, np.newaxis], scale, out=matrix[rows])
            part *= self._scaled[rows]
            np.clip(part, -1.0, 1.0, out=part)
        np.fill_diagonal(matrix, 1.0)
        return matrix

    def __add__(self, other: Moments) -> Moments:
        """Return the moments of both tables' rows together."""
        if not isinstance(other, Moments):
            return NotImplemented
        if self.names != other.names:
            raise different_columns(self.names, other.names, what="moments")
        if self.mean is None or other.mean is None:
            raise DataError(
                "moments can be merged only if both have means; give mean= with covariance="
            )
        n = self.n + other.n
        share, other_share = self.n / n, other.n / n
        # The means' own difference first: where they are close, it is exact.
        half_gap = other.mean / 2.0 - self.mean / 2.0
        half_gap += (other._mean_rest - self._mean_rest) / 2.0
        exponent = _common_exponent(self, other, half_gap)
        # Chan, Golub & LeVeque: the means' distance adds its own part to the scatter.
        gap = np.ldexp(half_gap, 1 - exponent)
        scaled = np.outer(gap, gap)
        scaled *= share * other_share
        for part, weight in ((self, share), (other, other_share)):
            factor = _powers_of_two(part._exponent - exponent)
            for rows in strips(self.d):
                scaled[rows] += weight * _rescaled(part._scaled[rows], factor[rows], factor)
        mean, rest = _sum_with_rest(self.mean / 2.0, half_gap * other_share)
        mean, rest = _sum_with_rest(mean, rest + self._mean_rest / 2.0)
        return self._assembled(n, self.names, (2.0 * mean, 2.0 * rest), scaled, exponent)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Moments):
            return NotImplemented
        return (self.n, self.names) == (other.n, other.names) and all(
            np.array_equal(getattr(self, field), getattr(other, field))
            for field in ("mean", "_mean_rest", "_exponent", "_scaled")
        )

    def __repr__(self) -> str:
        return f"Moments(n={counted_rows(self.n)}, d={self.d}: {listed(self.names)})"

    @classmethod
    def _of_table(
        cls, table: Table, names: Sequence[str] | None = None, weights: Floats | None = None
    ) -> Moments:
        """Count the moments of a table that was read, its weights all above 0."""
        labels = table.names if names is None else names_of(names, table.d)
        mean, covariance = unit_moments(table, weights)
        n = table.n if weights is None else float(weights.sum())
        return cls._of_units(n, labels, table.low, mean, covariance, table.exponent)

    @classmethod
    def _of_units(
        cls,
        n: float,
        names: tuple[str, ...],
        low: Floats,
        unit_mean: Floats,
        unit_covariance: Floats,
        exponent: Exponents,
    ) -> Moments:
        """Assemble the moments of x from those of ``(x - low) * 2**-exponent``."""
        # Halved, because a span of twice 1e308 is beyond the range of a double.
        mean, rest = _sum_with_rest(low / 2.0, np.ldexp(unit_mean, exponent - 1))
        return cls._assembled(n, names, (2.0 * mean, 2.0 * rest), unit_covariance, exponent)

    @classmethod
    def _assembled(
        cls,
        n: float,
        names: tuple[str, ...],
        mean: tuple[Floats, Floats],
        scaled: Floats,
        exponent: Exponents,
    ) -> Moments:
        self = cls.__new__(cls)
        self._fill(whole_if_whole(n), names, *mean, *_normalised(scaled, exponent))
        return self

    def _fill(self, *values: Any) -> None:
        for field, value in zip(self.__slots__, values, strict=True):
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
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


def _sum_with_rest(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the rounded sum and, exactly, what rounding took away (Knuth's two-sum)."""
    total = a + b
    taken = total - a
    return total, (a - (total - taken)) + (b - taken)


def _normalised(scaled: Floats, exponent: Exponents) -> tuple[Floats, Exponents]:
    """Bring variances into [1/4, 1) by powers of two, in place.

    Only what stands on and above the diagonal is read; it is mirrored below.
    """
    variance = scaled.diagonal().copy()
    shift = (np.frexp(variance)[1] + 1) // 2
    factor = _powers_of_two(-shift)
    for rows in strips(len(scaled)):
        scaled[rows] = _rescaled(scaled[rows], factor[rows], factor)
    for tile in upper_tiles(len(scaled)):
        mirror(scaled, tile)
    return scaled, np.where(variance > 0.0, exponent + shift, 0)


def _restored(arrays: dict[str, NDArray[Any]], meta: dict[str, Any]) -> tuple[Any, ...]:
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
    again, moved = _normalised(scaled.copy(), np.clip(exponent, _NO_EXPONENT, -_NO_EXPONENT))
    same = np.array_equal(again, scaled) and np.array_equal(moved, exponent)
    if not same or scaled.diagonal().min() < 0.0:
        raise DataError("the covariances are not finite, symmetric and scaled")
    return rows, names, mean, rest, scaled, exponent


def _is_npz(path: object) -> bool:
    return str(path).lower().endswith(".npz")


def _powers_of_two(shift: Exponents) -> Floats:
    # Only constant columns, which are 0 at any scale, would be shifted out of range.
    powers: Floats = np.ldexp(1.0, np.minimum(shift, 1023))
    return powers


def _rescaled(part: Floats, row_factor: Floats, factor: Floats) -> Floats:
    return part * row_factor[:, np.newaxis] * factor


def _common_exponent(one: Moments, other: Moments, half_gap: Floats) -> Exponents:
    """Return exponents that hold both spreads and the distance of the means."""
    exponent = np.where(half_gap != 0.0, np.frexp(half_gap)[1] + 1, _NO_EXPONENT)
    for part in (one, other):
        varies = part._scaled.diagonal() > 0.0
        exponent = np.maximum(exponent, np.where(varies, part._exponent, _NO_EXPONENT))
    return np.where(exponent == _NO_EXPONENT, 0, exponent)
