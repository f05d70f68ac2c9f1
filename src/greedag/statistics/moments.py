"""Number of rows, means and covariances: all that the Gaussian score needs of a table.

Covariances are kept as ``scaled * 2**(exponent_i + exponent_j)`` with every scaled variance in
[1/4, 1), 0 for a constant column. Powers of two cost no digits, and columns of size 1e308 or
1e-308 can be squared. *Scatter* is the sum over rows of products of deviations from the mean.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from greedag.data.kinds import note_of_numbered_rows
from greedag.data.rows import MissingName, SelectedRows, select_rows
from greedag.data.source import MemorySource, open_table
from greedag.data.table import Exponents, Floats, Table, numbers_of
from greedag.errors import (
    DataError,
    FileError,
    Note,
    OptionError,
    constant_columns,
    counted_rows,
    different_columns,
    listed,
    quoted,
    quoted_path,
)
from greedag.statistics.covariance import (
    NO_EXPONENT,
    checked_covariance,
    checked_fields,
    checked_mean,
    checked_rows,
    checked_shapes,
)
from greedag.statistics.fingerprint import Fingerprint
from greedag.statistics.scatter import (
    correlations,
    distinct_rows,
    normalised,
    powers_of_two,
    rescaled,
    strips,
    unit_moments,
)
from greedag.statistics.streaming import CountedInChunks

# A spread of fewer than about a thousand neighbouring doubles is taken for rounding.
_LEAST_RELATIVE_SPREAD = 2.0**-42
_STORED = ("moments", 1)
# Fewer rows may be numbered by chance.
_LEAST_NUMBERED = 20
_ROUNDING = 1e-11
# Skewness and kurtosis beyond these may be worth a note, which depends on the number of rows.
USUAL_SHAPES = np.array([[2.0], [10.0]])


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Moments(CountedInChunks):
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

    holds = "numbers"
    missing_in_chunks = ("error", "drop")
    missing_why = "EM passes over the rows repeatedly; use from_data"

    n: int | float
    names: tuple[str, ...]
    mean: Floats | None
    # What the mean lost by rounding: parts of a table far from 0 differ by less than that.
    _mean_rest: Floats
    _scaled: Floats
    _exponent: Exponents
    # At least as many rows as differ, of those that count; any number above d says the same.
    _distinct: int
    # Skewness and kurtosis, a row each, for notes alone; None where only covariances are known.
    _shapes: Floats | None

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
        scaled, exponent = normalised(matrix, np.zeros(len(matrix), dtype=np.int32))
        means = checked_mean(mean, checked)
        rest = np.zeros(len(checked))
        self._fill(rows, checked, means, rest, scaled, exponent, math.ceil(rows), None)

    @classmethod
    def from_data(
        cls,
        data: object,
        *,
        names: Sequence[str] | None = None,
        weights: ArrayLike | None = None,
        missing: MissingName = "error",
    ) -> Moments:
        """Count the moments of a table, block by block of rows.

        Parameters
        ----------
        data : table or array_like of shape (n, d)
            See :func:`greedag.data.source.open_table`; the partitions of a Dask table are
            counted where they are. A single row and constant columns are allowed,
            so that parts of a table can be counted apart and merged with ``+``.
        names : sequence of str, optional
            Column names, in place of the table's own.
        weights : array_like of shape (n,), optional
            How many rows each row stands for: 2 is the same as the row twice, 0 as the row left
            out. `n` becomes their sum.
        missing : str
            ``"error"``; ``"drop"`` leaves out rows with a missing value; ``"em"`` estimates the
            moments of a normal table from the observed values. See :func:`greedag.learn`.

        Returns
        -------
        Moments
        """
        source = open_table(data, as_is=names is not None).renamed(names)
        rows = select_rows(source, weights=weights, missing=missing)
        try:
            return count_moments(rows)[0]
        except DataError as error:
            raise rows.located(error) from None

    @classmethod
    def _of_rows(cls, rows: SelectedRows) -> Moments:
        return count_moments(rows)[0]

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
        from greedag.io.arrays import load_npz

        stored = load_npz(path, *_STORED)
        self = cls.__new__(cls)
        try:
            fields = checked_fields(stored.arrays, stored.meta)
            self._fill(*fields, checked_shapes(stored.arrays.get("shapes"), fields[1]))
        except (DataError, KeyError, TypeError) as error:
            raise FileError(
                f"{quoted_path(path)} holds inconsistent moments ({error}); save them again"
            ) from error
        return self

    @classmethod
    def from_tetrad(cls, path: str | os.PathLike[str]) -> Moments:
        """Read a covariance or correlation matrix from a text file of Tetrad.

        It holds the number of rows, the names, and the matrix, whole or up to the diagonal.
        Covariances are taken to have the divisor n - 1, as Tetrad's have.

        Parameters
        ----------
        path : path-like
            The file.

        Raises
        ------
        FileError
            If there is no such file, or it holds something else; the message names the line.
        """
        from greedag.io.covariance_text import read_covariances

        n, names, matrix = read_covariances(path)
        if (matrix.diagonal() != 1.0).any():
            matrix *= (n - 1) / n
        try:
            return cls(n=n, covariance=matrix, names=names)
        except DataError as error:
            raise FileError(
                f"{quoted_path(path)}: ", *error.problem, remedy=error.remedy
            ) from error

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the moments to a file, in one step: whole or not at all.

        Parameters
        ----------
        path : path-like
            The file, an .npz archive whatever its name; one that exists is replaced. A copy of the
            moments is held in memory while it is written.
        """
        from greedag.io.arrays import save_npz

        arrays: dict[str, NDArray[Any]] = {"scaled": self._scaled, "exponent": self._exponent}
        if self.mean is not None:
            arrays |= {"mean": self.mean, "mean_rest": self._mean_rest}
        if self._shapes is not None:
            arrays["shapes"] = self._shapes
        meta = {"n": self.n, "names": list(self.names), "distinct": self._distinct}
        save_npz(path, *_STORED, arrays, meta)

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def rank_limited(self) -> bool:
        """Whether there are too few distinct rows, d or fewer, for all columns to be independent.

        Rows of weight 0 do not count, and rows that are repeated count once.
        """
        return self._distinct <= self.d

    @property
    def rank(self) -> int | None:
        """How many columns can be independent if there are too few rows for all, else None."""
        return self._distinct - 1 if self.rank_limited else None

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
        return correlations(self._scaled)

    @property
    def skewness(self) -> Floats | None:
        """Third central moment over the variance to the power of 3/2, None if it is not known.

        Of more than 4,096 rows, evenly spaced ones are taken for it.
        """
        return None if self._shapes is None else self._shapes[0]

    @property
    def kurtosis(self) -> Floats | None:
        """Fourth central moment over the squared variance, 3 for normal columns; see `skewness`."""
        return None if self._shapes is None else self._shapes[1]

    def correlations_of(self, columns: Sequence[int]) -> NDArray[np.longdouble]:
        """Return the correlations of some columns, in extended precision where there is one."""
        self._check_spread()
        block = self._scaled[np.ix_(columns, columns)].astype(np.longdouble)
        block /= np.sqrt(block.diagonal())[:, np.newaxis] * np.sqrt(block.diagonal())
        return block

    def fingerprint(self) -> Fingerprint:
        """Return a fingerprint by which these data can be recognised."""
        bits = np.frombuffer(hashlib.shake_128(b"greedag").digest(self.d // 8 + 1), dtype=np.uint8)
        signs: Floats = np.where(np.unpackbits(bits)[: self.d], -1.0, 1.0)
        logs, mixtures = self.log_variances, self.correlation @ signs
        return Fingerprint(self.n, self.names, tuple(logs.tolist()), tuple(mixtures.tolist()))

    def notes(self) -> Iterator[Note]:
        """Give what a result should say: columns far from normal, columns that count the rows."""
        if self._shapes is not None and (np.abs(self._shapes) > USUAL_SHAPES).any():
            from greedag.statistics.shapes import notes_of_shapes

            yield from notes_of_shapes(self.names, self._shapes, self.n)
        numbering = self._numbering_rows()
        if numbering:
            yield note_of_numbered_rows(numbering)

    def _numbering_rows(self) -> list[str]:
        """Return the columns whose mean and variance are those of n whole numbers in a row."""
        if self.mean is None or self.n < _LEAST_NUMBERED:
            return []
        with np.errstate(over="ignore", under="ignore"):
            variance = np.ldexp(12.0 * self._scaled.diagonal(), 2 * self._exponent)
        near = np.flatnonzero(np.abs(variance / (self.n**2 - 1.0) - 1.0) < _ROUNDING)
        low = self.mean[near] - (self.n - 1) / 2.0
        found = near[np.abs(low - np.rint(low)) < _ROUNDING * self.n]
        return [self.names[j] for j in found]

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
            factor = powers_of_two(part._exponent - exponent)
            for rows in strips(self.d):
                scaled[rows] += weight * rescaled(part._scaled[rows], factor[rows], factor)
        from greedag.statistics.shapes import merged_shapes

        shapes = merged_shapes(self, other, gap, scaled.diagonal(), exponent)
        mean, rest = _sum_with_rest(self.mean / 2.0, half_gap * other_share)
        mean, rest = _sum_with_rest(mean, rest + self._mean_rest / 2.0)
        distinct = min(self._distinct + other._distinct, self.d + 1)
        means = (2.0 * mean, 2.0 * rest)
        return self._assembled(n, self.names, means, scaled, exponent, distinct, shapes)

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
    def _of_table(cls, table: Table, weights: Floats | None = None) -> Moments:
        """Count the moments of a table that was read, its weights all above 0."""
        mean, covariance, shapes = unit_moments(table, weights)
        n = table.n if weights is None else float(weights.sum())
        units = (table.low, mean, covariance, table.exponent)
        return cls._of_units(n, table.names, *units, distinct_rows(table), shapes)

    @classmethod
    def _of_units(
        cls,
        n: float,
        names: tuple[str, ...],
        low: Floats,
        unit_mean: Floats,
        unit_covariance: Floats,
        exponent: Exponents,
        distinct: int,
        shapes: Floats | None = None,
    ) -> Moments:
        """Assemble the moments of x from those of ``(x - low) * 2**-exponent``."""
        # Halved, because a span of twice 1e308 is beyond the range of a double.
        mean, rest = _sum_with_rest(low / 2.0, np.ldexp(unit_mean, exponent - 1))
        means = (2.0 * mean, 2.0 * rest)
        return cls._assembled(n, names, means, unit_covariance, exponent, distinct, shapes)

    @classmethod
    def _assembled(
        cls,
        n: float,
        names: tuple[str, ...],
        mean: tuple[Floats, Floats],
        scaled: Floats,
        exponent: Exponents,
        distinct: int,
        shapes: Floats | None,
    ) -> Moments:
        self = cls.__new__(cls)
        whole = int(n) if float(n).is_integer() else float(n)
        self._fill(whole, names, *mean, *normalised(scaled, exponent), distinct, shapes)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _filled, tuple(getattr(self, field) for field in self.__slots__)

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
            names = [self.names[j] for j in constant]
            raise constant_columns(names, "every row has the same value")
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


def count_moments(rows: SelectedRows) -> tuple[Moments, tuple[Note, ...]]:
    """Count the moments of selected rows, and say what to note about them.

    Raises
    ------
    DataError
        If a column holds anything but finite numbers.
    """
    if rows.missing == "em":
        from greedag.statistics.em import estimated_moments

        cells = rows.source.in_memory().missing_cells()
        if cells.any():
            return estimated_moments(rows, cells)
    elif rows.missing == "test-wise":
        raise OptionError(
            "missing must be 'error', 'drop' or 'em': test-wise deletion is for discrete columns"
        )
    moments = rows.source.counted(_of_source, rows.weights)
    return moments, tuple(moments.notes())


def _of_source(source: MemorySource, weights: Floats | None) -> Moments:
    return Moments._of_table(numbers_of(source), weights)


def _sum_with_rest(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the rounded sum and, exactly, what rounding took away (Knuth's two-sum)."""
    total = a + b
    taken = total - a
    return total, (a - (total - taken)) + (b - taken)


def _filled(*values: Any) -> Moments:
    """Return moments that came from another process, read-only as they were there."""
    self = Moments.__new__(Moments)
    self._fill(*values)
    return self


def _common_exponent(one: Moments, other: Moments, half_gap: Floats) -> Exponents:
    """Return exponents that hold both spreads and the distance of the means."""
    exponent = np.where(half_gap != 0.0, np.frexp(half_gap)[1] + 1, NO_EXPONENT)
    for part in (one, other):
        varies = part._scaled.diagonal() > 0.0
        exponent = np.maximum(exponent, np.where(varies, part._exponent, NO_EXPONENT))
    return np.where(exponent == NO_EXPONENT, 0, exponent)
