"""The moments of curves of all columns: what the additive score needs of a table.

A first pass over the rows samples each column, from which its basis is made; a second counts the
moments of what the bases make of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from operator import add
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from greedag.data.kinds import Kind, Kinds, check_identifiers, kinds_of
from greedag.data.rows import MissingName, SelectedRows, select_rows
from greedag.data.source import MemorySource, open_table
from greedag.data.table import Exponents, Floats
from greedag.errors import (
    DataError,
    Note,
    OptionError,
    check_size,
    columns_listed,
    constant_columns,
    counted_rows,
    different_columns,
    listed,
    quoted,
)
from greedag.statistics.block_sums import BlockSums, Deal, block_sums
from greedag.statistics.curves import Basis, Curves, Indicators, basis_of, most_curves, most_steps
from greedag.statistics.fingerprint import Fingerprint
from greedag.statistics.levels import notes_of_many
from greedag.statistics.moments import Moments
from greedag.statistics.sample import real_columns, sample_of
from greedag.statistics.scatter import correlations, distinct_rows, unit_moments
from greedag.statistics.streaming import CountedInChunks

_GIB = 2**30
_MOST_GIB = 4
# Of curves, whose variance is 1 on the rows that they were made from.
_NO_VARIANCE = 1e-12


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BasisMoments(CountedInChunks):
    """The moments of the columns of a table, and of curves of them.

    Make them with :meth:`from_data` or :meth:`from_file`; ``+`` merges those of two parts of a
    table that have the same bases.

    With k columns of all bases together, they take 8 k² bytes; 100 continuous columns of 10,000
    rows have bases of 14 columns each, for which that is 16 MB. Counting takes as much again, and
    some 30 MB for the rows at hand.

    Attributes
    ----------
    names : tuple of str
        The columns of the table.
    bases : tuple of Basis
        How each becomes several columns.
    moments : Moments
        Of the columns of all bases, one after the other.
    beyond : tuple of float
        For each column the number of rows that do not count, because it is more than ten standard
        deviations from its mean there: a single such row would determine every fit.
    dropped : float
        The number of rows that do not count, for any column.

    Examples
    --------
    >>> x = np.linspace(-1.0, 1.0, 100)
    >>> counted = BasisMoments.from_data({"x": x, "y": x**2})
    >>> round(float(counted.moments.correlation[1, counted.starts[1]]), 6)
    1.0
    """

    holds = "numbers"
    missing_in_chunks = ("error", "drop")
    missing_why = "EM is for linear models of continuous columns"

    names: tuple[str, ...]
    bases: tuple[Basis, ...]
    moments: Moments
    beyond: tuple[float, ...]
    dropped: float = 0.0

    @classmethod
    def from_data(
        cls,
        data: object,
        *,
        names: Sequence[str] | None = None,
        kinds: Kinds | None = None,
        weights: ArrayLike | None = None,
        missing: MissingName = "error",
        bases: Sequence[Basis] | None = None,
    ) -> BasisMoments:
        """Find the bases of a table, and count the moments.

        Parameters
        ----------
        data : table or array_like of shape (n, d)
            See :func:`greedag.data.source.open_table`; the partitions of a Dask table are counted
            where they are.
        names : sequence of str, optional
            Column names, in place of the table's own.
        kinds : mapping of str to str, or str, optional
            ``"continuous"`` or ``"discrete"`` by name of the column, or one word for all; see
            :func:`greedag.data.kinds.kinds_of`.
        weights : array_like of shape (n,), optional
            How many rows each row stands for; rows of weight 0 are left out.
        missing : str
            ``"error"``; ``"drop"`` leaves out rows with a missing value.
        bases : sequence of Basis, optional
            Those of other rows, so that the moments can be merged with theirs.

        Raises
        ------
        DataError
            If a value is missing, or a column cannot be read as what it is taken for.
        """
        if missing not in ("error", "drop"):
            raise OptionError(f"missing must be 'error' or 'drop'; got {quoted(missing)}")
        source = open_table(data, as_is=names is not None).renamed(names)
        rows = select_rows(source, weights=weights, missing=missing)
        try:
            if bases is None:
                return count_basis(rows, kinds_of(rows.source, kinds))
            return _counted(rows, _fitting(bases, rows.source.names, kinds))
        except DataError as error:
            raise rows.located(error) from None

    @classmethod
    def _of_rows(cls, rows: SelectedRows) -> BasisMoments:
        kinds: list[Kind] = ["continuous" for _ in rows.source.names]
        return count_basis(rows, kinds)

    @property
    def n(self) -> int | float:
        """Number of rows, or the sum of their weights; an int wherever it is a whole number."""
        return self.moments.n

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kind of each column."""
        return tuple(basis.kind for basis in self.bases)

    @property
    def starts(self) -> list[int]:
        """Where the columns of each basis start among all, and how many there are."""
        return [0, *accumulate(basis.size for basis in self.bases)]

    @property
    def sizes(self) -> list[int]:
        """Number of levels of each column, 0 for a continuous one."""
        return [basis.size + 1 if basis.kind == "discrete" else 0 for basis in self.bases]

    def __add__(self, other: BasisMoments) -> BasisMoments:
        """Return the moments of both tables' rows together."""
        if not isinstance(other, BasisMoments):
            return NotImplemented
        if self.names != other.names:
            raise different_columns(self.names, other.names, what="moments")
        if self.bases != other.bases:
            raise DataError(
                "the two tables have different bases, of which moments cannot be merged",
                remedy="count the second one with BasisMoments.from_data(more, bases=first.bases)",
                code="different-bases",
            )
        beyond = tuple(map(add, self.beyond, other.beyond))
        dropped = self.dropped + other.dropped
        return BasisMoments(self.names, self.bases, self.moments + other.moments, beyond, dropped)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BasisMoments):
            return NotImplemented
        mine, theirs = ((one.names, one.bases, one.moments) for one in (self, other))
        return mine == theirs

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"BasisMoments(n={counted_rows(self.n)}, d={self.d}, {self.starts[-1]} columns in all: "
            f"{listed(self.names)})"
        )

    def embedded(self) -> tuple[Moments, list[int]]:
        """Return the moments without curves, and where those of each column start.

        They are those of the continuous columns, in the data's units, and of the indicators of the
        discrete ones.
        """
        kept: list[int] = []
        starts = [0]
        for basis, first in zip(self.bases, self.starts, strict=False):
            kept += range(first, first + (1 if basis.kind == "continuous" else basis.size))
            starts.append(len(kept))
        return self._without_curves(kept), starts

    def varying(self) -> list[tuple[list[int], list[int]]]:
        """Return the columns of each basis that vary among these rows, the steps apart.

        A curve that does not is left out with those that follow. Columns count from the first of
        all bases.
        """
        is_flat = self.moments.variances < _NO_VARIANCE
        found = []
        for basis, (first, last) in zip(self.bases, pairwise(self.starts), strict=True):
            end = middle = last
            if isinstance(basis, Curves):
                middle = first + basis.first_step
                end = first + 1 + int(np.argmax([*is_flat[first + 1 : middle], True]))
            steps = [j for j in range(middle, last) if not is_flat[j]]
            found.append(([*range(first, end)], steps))
        return found

    def correlation(self) -> tuple[Floats, list[int], list[int]]:
        """Return the correlations of the columns of bases that vary.

        Returns
        -------
        correlation : ndarray
        starts : list of int
            Where the columns of each basis start, and how many there are.
        steps : list of int
            How many of each basis are steps.
        """
        scaled, varying = self.moments._scaled, self.varying()
        kept = [j for curves, steps in varying for j in (*curves, *steps)]
        starts = [0, *accumulate(len(curves) + len(steps) for curves, steps in varying)]
        whole = len(kept) == self.starts[-1]
        chosen = scaled if whole else scaled[np.ix_(kept, kept)]
        return correlations(chosen), starts, [len(steps) for _, steps in varying]

    def fingerprint(self) -> Fingerprint:
        """Return a fingerprint by which these data can be recognised."""
        moments, starts = self.embedded()
        return moments.fingerprint().grouped(self.n, self.names, starts)

    def notes(self) -> Iterator[Note]:
        """Give what a result should say about these data."""
        yield from notes_of_many(self.names, self.sizes, self.n)
        if self.dropped:
            yield self._note_of_extremes()
        first = [j for j, kind in zip(self.starts, self.kinds, strict=False) if kind != "discrete"]
        if not first:
            return
        columns = self._without_curves(first)
        yield from (note for note in columns.notes() if note.code == "identifier")
        if columns.kurtosis is not None:
            from greedag.statistics.shapes import notes_of_shapes

            # Curves follow skewed columns; single rows at the ends of heavy tails mislead them.
            shapes = np.array([np.zeros(len(first)), columns.kurtosis])
            yield from notes_of_shapes(columns.names, shapes, self.n)

    def _note_of_extremes(self) -> Note:
        pairs = zip(self.names, self.beyond, strict=True)
        counts = {name: count for name, count in pairs if count}
        return Note(
            f"{self.dropped:.10g} of {self.n + self.dropped:.10g} rows were left out: "
            f"{columns_listed([*counts])} more than ten standard deviations from the mean, where "
            "single rows would determine curves; check them, or transform these columns, for "
            "example to logarithms (option transform)",
            code="extreme-rows",
            columns=tuple(counts),
            counts=counts,
        )

    def check_variation(self) -> None:
        """Raise if there are too few rows or columns, or a discrete one has one level only."""
        check_size(self.n, self.d, least_n=3, least_d=2)
        check_identifiers(self.names, self.sizes, self.n)
        constant = [name for name, size in zip(self.names, self.sizes, strict=True) if size == 1]
        if constant:
            raise constant_columns(constant, "every row has the same level")

    def _without_curves(self, kept: list[int]) -> Moments:
        """Return the moments of some columns that are no curves, in the data's units."""
        whole = self.moments
        assert whole.mean is not None
        mean, deviation, exponent = self._units(kept)
        scaled = whole._scaled[np.ix_(kept, kept)] * deviation[:, np.newaxis] * deviation
        own = whole._exponent[kept]
        return Moments._of_units(
            whole.n,
            tuple(whole.names[j] for j in kept),
            np.ldexp(mean, exponent),
            np.ldexp(whole.mean[kept] * deviation, -own),
            scaled,
            own + exponent,
            whole._distinct,
            None if whole._shapes is None else whole._shapes[:, kept],
        )

    def _units(self, kept: list[int]) -> tuple[Floats, Floats, Exponents]:
        """Return means, deviations and exponents by which the columns of bases are standardised."""
        units = [
            (basis.mean, basis.deviation, basis.exponent)
            if isinstance(basis, Curves)
            else (0.0, 1.0, 0)
            for basis in self.bases
            for _ in range(basis.size)
        ]
        mean, deviation, exponent = np.array(units)[kept].T
        return mean, deviation, exponent.astype(np.int32)


class _Expanded:
    """The rows of a table that count as the columns of bases, made when they are written."""

    order: Literal["F"] = "F"

    def __init__(self, source: MemorySource, bases: Sequence[Basis]) -> None:
        self.n = source.n
        self.starts = [0, *accumulate(basis.size for basis in bases)]
        self.d = self.starts[-1]
        values = dict(real_columns(source, [basis.kind for basis in bases]))
        self.blocks: list[tuple[Basis, NDArray[Any]]] = [
            (basis, basis.codes(source, j) if isinstance(basis, Indicators) else values[j])
            for j, basis in enumerate(bases)
        ]

    def leave_out_extremes(self, weights: Floats | None) -> tuple[Floats | None, Floats]:
        """Keep the rows in which no column is beyond its reach.

        Returns
        -------
        weights : ndarray or None
            Of the rows that are left.
        beyond : ndarray
            How many rows each column is beyond its reach in.
        """
        beyond = np.zeros(len(self.blocks))
        kept = np.ones(self.n, dtype=bool)
        for j, (basis, column) in enumerate(self.blocks):
            if isinstance(basis, Curves) and math.isfinite(basis.reach):
                is_far = np.abs(basis.standardised(column)) > basis.reach
                if is_far.any():
                    beyond[j] = is_far.sum() if weights is None else weights[is_far].sum()
                    kept &= ~is_far
        if not kept.all():
            self.blocks = [(basis, column[kept]) for basis, column in self.blocks]
            self.n = int(kept.sum())
        return (None if weights is None else weights[kept]), beyond

    def reorder(self, places: NDArray[np.intp]) -> None:
        """Put the rows into another order."""
        self.blocks = [(basis, column[places]) for basis, column in self.blocks]

    def write_units(self, start: int, stop: int, out: Floats) -> None:
        """Write rows into `out` of shape (stop - start, d)."""
        for (basis, column), (first, last) in zip(self.blocks, pairwise(self.starts), strict=True):
            out[:, first:last] = basis.expanded(column[start:stop])


def count_basis(rows: SelectedRows, kinds: Sequence[Kind]) -> BasisMoments:
    """Find the bases of a table, whose columns are of certain kinds, and count the moments.

    Raises
    ------
    DataError
        If a column cannot be read as what it is taken for, or the bases have too many columns.
    """
    sample = rows.source.counted(partial(sample_of, kinds=tuple(kinds)), rows.weights)
    continuous = max(1, [*kinds].count("continuous"))
    curves, steps = (most(sample.n, continuous) for most in (most_curves, most_steps))
    return _counted(rows, tuple(basis_of(column, curves, steps) for column in sample.columns))


def _counted(rows: SelectedRows, bases: tuple[Basis, ...]) -> BasisMoments:
    _check_memory(bases, rows.source.names)
    counted = rows.source.counted(partial(_of_source, bases=bases), rows.weights)
    if counted is None:
        raise DataError(
            "in every row some column is more than ten standard deviations from the mean of the "
            "rows that its basis was made from",
            remedy="make the bases from rows that are like these",
            code="no-rows",
        )
    return counted


def _of_source(
    source: MemorySource, weights: Floats | None, *, bases: tuple[Basis, ...]
) -> BasisMoments | None:
    """Count the rows of a table in memory; None if no row counts."""
    total = _total(source.n, weights)
    expanded = _Expanded(source, bases)
    weights, beyond = expanded.leave_out_extremes(weights)
    if not expanded.n:
        return None
    mean, covariance, shapes = unit_moments(expanded, weights)
    n, zeros = _total(expanded.n, weights), np.zeros(expanded.d)
    moments = Moments._of_units(
        n,
        _column_names(source.names, bases),
        zeros,
        mean,
        covariance,
        zeros.astype(np.int32),
        distinct_rows(expanded),
        shapes,
    )
    return BasisMoments(source.names, bases, moments, tuple(beyond.tolist()), total - n)


def block_sums_of_basis(
    source: MemorySource, weights: Floats | None, *, whole: BasisMoments, deal: Deal
) -> BlockSums:
    """Count the blocks of a table of which these are all rows or a part."""
    expanded = _Expanded(source, whole.bases)
    weights, _ = expanded.leave_out_extremes(weights)
    places = deal.places(expanded.n)
    order = np.concatenate(places)
    expanded.reorder(order)
    weights = None if weights is None else weights[order]
    mean = whole.moments.mean
    assert mean is not None
    units = (-whole.moments._exponent, np.ldexp(-mean, -whole.moments._exponent))
    return block_sums(expanded, weights, [len(part) for part in places], units)


def _total(n: int, weights: Floats | None) -> float:
    return n if weights is None else float(weights.sum())


def _column_names(names: Sequence[str], bases: Sequence[Basis]) -> tuple[str, ...]:
    """Return names for the columns of bases: the first of a continuous column has its own."""
    found: list[str] = []
    for name, basis in zip(names, bases, strict=True):
        if isinstance(basis, Indicators):
            found += [f"{name} = {label}" for label in basis.labels[1:]]
        elif isinstance(basis, Curves):
            found += [name, *(f"{name}, curve {j}" for j in range(1, basis.first_step))]
            found += [f"{name}, step {j}" for j in range(1, len(basis.steps) + 1)]
    return tuple(found)


def _fitting(
    bases: Sequence[Basis], names: tuple[str, ...], kinds: Kinds | None
) -> tuple[Basis, ...]:
    if kinds is not None:
        raise OptionError(f"kinds must be left out: bases know them; got {quoted(kinds)}")
    if len(bases) != len(names):
        raise OptionError(
            f"bases must be one for each of the {len(names)} columns; got {len(bases)}"
        )
    return tuple(bases)


def _check_memory(bases: Sequence[Basis], names: Sequence[str]) -> None:
    """Raise if bases make too many columns."""
    width = sum(basis.size for basis in bases)
    gib = 8 * width**2 / _GIB
    if gib <= _MOST_GIB:
        return
    most, name = max(zip((basis.size for basis in bases), names, strict=True))
    raise DataError(
        f"{len(names)} columns make {width} columns of curves and levels, whose covariances would "
        f"take {gib:.3g} GiB, more than the limit of {_MOST_GIB} GiB; column {quoted(name)} alone "
        f"makes {most}",
        remedy="drop columns, or merge levels",
        code="too-many-levels",
        columns=(name,),
        counts={name: most},
    )
