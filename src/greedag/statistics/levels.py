"""Discrete columns: the distinct rows of a table and how often each occurs.

A *level* is a value that occurs in a column, a *code* its place among the column's levels in
ascending order. All that the discrete scores need are the distinct rows, as codes, with counts.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from greedag._progress import LONG, check_time, interruptible
from greedag.data.kinds import check_identifiers
from greedag.data.missing import is_missing, missing_by_column, missing_in, missing_level
from greedag.data.rows import MissingName, SelectedRows, select_rows
from greedag.data.source import MemorySource, check_some, open_table
from greedag.data.table import Floats
from greedag.errors import (
    DataError,
    DataTypeError,
    Note,
    OptionError,
    check_size,
    columns_listed,
    constant_columns,
    different_columns,
    listed,
    quoted,
)
from greedag.statistics.fingerprint import Fingerprint
from greedag.statistics.streaming import CountedInChunks

Codes = NDArray[np.unsignedinteger[Any]]
Labels = tuple[Hashable, ...]

# Products of level numbers up to here fit into a key of 64 bits.
_LARGEST_KEY = 2**62
_DOING = "counting levels"
# Of the distinct rows of a table read in chunks; merging them takes some 20 bytes each.
_MOST_CODES = 2**25


class _Missing(Exception):
    """A column lacks a value."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Levels(CountedInChunks):
    """The distinct rows of a table of discrete columns, with counts.

    Make one with :meth:`from_data`; ``+`` merges those of two parts of a table.

    Attributes
    ----------
    names : tuple of str
        The columns.
    labels : tuple of tuple
        The levels of each column, ascending. Categories that never occur are left out.
    codes : ndarray of shape (d, rows)
        Each distinct row once: for each column the place of its level among the labels, or the
        number of labels where the value is missing.
    counts : ndarray of shape (rows,)
        How often each row occurs, or the sum of its weights.

    Examples
    --------
    >>> levels = Levels.from_data([["a", "x"], ["b", "x"], ["a", "x"]])
    >>> levels.counts
    array([2., 1.])
    """

    holds = "levels"
    missing_in_chunks = ("error", "drop", "test-wise")
    missing_why = "EM is for moments"

    names: tuple[str, ...]
    labels: tuple[Labels, ...]
    codes: Codes
    counts: Floats

    @classmethod
    def from_data(
        cls,
        data: object,
        *,
        names: Sequence[str] | None = None,
        weights: ArrayLike | None = None,
        missing: MissingName = "error",
    ) -> Levels:
        """Count the distinct rows of a table, every column of which is taken as discrete.

        Parameters
        ----------
        data : table or array_like of shape (n, d)
            pandas, polars, Arrow, DuckDB or Dask table, NumPy array or list of rows. Values may be
            text, booleans, numbers or anything else that can be hashed.
        names : sequence of str, optional
            Column names, in place of the table's own.
        weights : array_like of shape (n,), optional
            How many rows each row stands for; rows of weight 0 are left out.
        missing : str
            ``"error"``; ``"drop"`` leaves out rows with a missing value; ``"test-wise"`` keeps
            them, for scores to use the observed values. See :func:`greedag.learn`.

        Raises
        ------
        DataError
            If a value is missing, or the names or weights do not fit.
        """
        source = open_table(data, as_is=names is not None).renamed(names)
        rows = select_rows(source, weights=weights, missing=missing)
        try:
            return count_levels(rows)
        except DataError as error:
            raise rows.located(error) from None

    @classmethod
    def _of_rows(cls, rows: SelectedRows) -> Levels:
        return count_levels(rows)

    def __post_init__(self) -> None:
        for array in (self.codes, self.counts):
            array.setflags(write=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return Levels, (self.names, self.labels, self.codes, self.counts)

    @property
    def n(self) -> int | float:
        """Number of rows; an int wherever it is a whole number."""
        total = float(self.counts.sum())
        return int(total) if total.is_integer() else total

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def sizes(self) -> list[int]:
        """Number of levels of each column."""
        return [len(labels) for labels in self.labels]

    @property
    def missing(self) -> int:
        """Number of missing values among the distinct rows."""
        return int(np.count_nonzero(self.codes == np.array(self.sizes)[:, np.newaxis]))

    def __add__(self, other: Levels) -> Levels:
        """Return the levels of both tables' rows together."""
        if not isinstance(other, Levels):
            return NotImplemented
        if self.names != other.names:
            raise different_columns(self.names, other.names, what="levels")
        pairs = zip(self.names, self.labels, other.labels, self.codes, other.codes, strict=True)
        columns = [merged_codes(*pair) for pair in pairs]
        return _merged(self.names, columns, np.concatenate([self.counts, other.counts]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Levels):
            return NotImplemented
        return (
            (self.names, self.labels) == (other.names, other.labels)
            and np.array_equal(self.codes, other.codes)
            and np.array_equal(self.counts, other.counts)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Levels(n={self.n}, d={self.d}: {listed(self.names)})"

    def check_variation(self) -> None:
        """Raise if there is too little to learn from."""
        check_size(int(self.n), self.d, least_n=2, least_d=1)
        check_identifiers(self.names, self.sizes, max(self.n, len(self.counts)))
        empty = [name for name, size in zip(self.names, self.sizes, strict=True) if size == 0]
        if empty:
            raise DataError(
                f"no value in any row of {columns_listed(empty)}",
                remedy="drop such columns",
                code="empty-columns",
                columns=empty,
            )
        constant = [
            name for name, labels in zip(self.names, self.labels, strict=True) if len(labels) < 2
        ]
        if constant:
            raise constant_columns(constant, "every row has the same level")

    def fingerprint(self) -> Fingerprint:
        """Return a fingerprint by which these data can be recognised."""
        alone, joint = [], []
        for j in range(self.d):
            k = (j + 1) % self.d
            alone.append(_entropy(self.codes[j].astype(np.int64), self.counts))
            pair = self.codes[j].astype(np.int64) * (self.sizes[k] + 1) + self.codes[k]
            cells = np.unique(pair, return_inverse=True)[1].reshape(-1)
            joint.append(_entropy(cells, self.counts))
        return Fingerprint(self.n, self.names, tuple(alone), tuple(joint))

    def with_labels(self, labels: Sequence[Labels]) -> Levels:
        """Return the same rows as codes of more levels, of which some need not occur."""
        codes = [
            np.array([*map(more.index, own), len(more)], dtype=np.intp)[column]
            for own, more, column in zip(self.labels, labels, self.codes, strict=True)
        ]
        width = np.min_scalar_type(max(map(len, labels)))
        return Levels(self.names, tuple(labels), np.array(codes, dtype=width), self.counts)

    def check_growth(self) -> None:
        """Raise if there are more distinct rows than are kept of a table read in chunks."""
        distinct, most = len(self.counts), _MOST_CODES // self.d
        if distinct > most:
            raise DataError(
                f"more than {most:,} distinct rows in {self.d} columns ({distinct:,} so far); "
                "leave out columns with many levels (columns=[…]), or merge levels"
            )

    def notes(self) -> Iterator[Note]:
        """Give what a result should say about these data."""
        if self.missing:
            yield self._note_of_missing()
        yield from notes_of_many(self.names, self.sizes, self.n)

    def _note_of_missing(self) -> Note:
        present = self.codes < np.array(self.sizes)[:, np.newaxis]
        together = (present * self.counts) @ present.T
        apart = np.where(np.eye(self.d, dtype=bool), np.inf, together)
        i, j = np.unravel_index(np.argmin(apart), apart.shape) if self.d > 1 else (0, 0)
        share = 100.0 * (1.0 - together.diagonal().sum() / (self.n * self.d))
        return Note(
            f"{share:.3g} % of the values are missing: each gain is counted on the rows that have "
            f"all of its columns, {quoted(self.names[i])} and {quoted(self.names[j])} together on "
            f"{together[i, j]:.10g} of {self.n:.10g} rows, the fewest; members of a class need not "
            "score the same",
            code="test-wise",
            columns=(self.names[i], self.names[j]),
        )


def count_levels(rows: SelectedRows) -> Levels:
    """Count the distinct rows of a table.

    Raises
    ------
    DataError
        If a value is missing that must not be, or is not a level.
    """
    if rows.missing == "em":
        raise OptionError(
            "missing must be 'error', 'drop' or 'test-wise': EM is for continuous columns"
        )
    allow_missing = rows.missing == "test-wise"
    return rows.source.counted(partial(levels_of, allow_missing=allow_missing), rows.weights)


def levels_of(
    source: MemorySource, weights: Floats | None = None, *, allow_missing: bool = False
) -> Levels:
    """Count the distinct rows of a table in memory, its weights all above 0."""
    check_some(source)
    n, d = source.shape
    if allow_missing:
        columns = [_encoded_with_missing(source.values(j), source.names[j]) for j in range(d)]
    else:
        columns = encoded_columns(source, range(d), ("drop", "test-wise"))
    return _merged(source.names, columns, np.ones(n) if weights is None else weights)


def notes_of_many(names: Sequence[str], sizes: Sequence[int], n: float) -> Iterator[Note]:
    """Note which columns have so many levels that they may be identifiers."""
    pairs = zip(names, sizes, strict=True)
    many = [name for name, size in pairs if size > 10 and 2 * size > n]
    if many:
        yield Note(
            f"too many levels to learn from in {columns_listed(many)}, at least one for every two "
            "rows; drop such columns, or merge levels",
            code="many-levels",
            columns=many,
        )


def encoded_columns(
    source: MemorySource, places: Sequence[int], remedies: Sequence[str]
) -> list[tuple[NDArray[np.intp], Labels]]:
    """Return the codes and the levels of some columns, of which no value may be missing.

    The error where one is counts all columns, and offers these values of ``missing=``.
    """
    try:
        return [_encoded_column(source, j) for j in places]
    except _Missing:
        cells = source.missing_cells()
        first = int(np.argmax(cells.any(axis=0)))
        row = int(np.argmax(cells[:, first]))
        raise missing_level(row, missing_by_column(cells, source.names), remedies) from None


def _encoded_column(source: MemorySource, j: int) -> tuple[NDArray[np.intp], Labels]:
    """Return the codes of a column and its levels."""
    factorized = source.factorized(j)
    if factorized is None:
        return _encoded(source.values(j), source.names[j])
    places, distinct = factorized
    codes, labels = _encoded(distinct, source.names[j])
    return codes[places], labels


def _encoded(column: NDArray[Any], name: str) -> tuple[NDArray[np.intp], Labels]:
    """Return the codes of a column and its levels."""
    values = np.ma.getdata(column)
    # Of objects, only the distinct ones are looked at.
    if np.ma.is_masked(column) or (values.dtype.kind != "O" and missing_in(column).any()):
        raise _Missing
    if values.dtype.kind == "O":
        return _encoded_objects(values.tolist(), name)
    found, codes = interruptible(_DOING, len(values), np.unique, values, return_inverse=True)
    return codes.reshape(-1), tuple(found.tolist())


def _encoded_with_missing(column: NDArray[Any], name: str) -> tuple[NDArray[np.intp], Labels]:
    """Return the codes of a column, some of whose values may be missing, and its levels."""
    missing = missing_in(column)
    present, labels = _encoded(np.ma.getdata(column)[~missing], name)
    codes = np.full(len(column), len(labels), dtype=np.intp)
    codes[~missing] = present
    return codes, labels


def merged_codes(
    name: str, one: Labels, other: Labels, codes: NDArray[Any], other_codes: NDArray[Any]
) -> tuple[NDArray[np.intp], Labels]:
    """Return the codes of a column of two tables, one after the other, and the levels of both."""
    _check_alike(name, one, other)
    union = _ordered({*one, *other})
    place = {label: code for code, label in enumerate(union)}
    parts = (
        np.array([*map(place.__getitem__, labels), len(union)], dtype=np.intp)[part]
        for labels, part in ((one, codes), (other, other_codes))
    )
    return np.concatenate([*parts]), union


def _check_alike(name: str, one: Labels, other: Labels) -> None:
    """Raise if a level of one table is text, and number or boolean in the other."""
    new = {_plain(label): label for label in set(other).difference(one)}
    for label in one if new else ():
        twin = new.get(_plain(label), label)
        if isinstance(label, str) != isinstance(twin, str):
            raise DataError(
                f"column {quoted(name)} has the level {quoted(label)} as "
                f"{type(label).__name__} in one table and as {type(twin).__name__} in the other; "
                "give it the same type in both"
            )


def _plain(label: Hashable) -> str:
    """Return a level in a spelling that is the same for 1, 1.0 and '1', or True and 'true'."""
    text = str(label).strip().casefold()
    try:
        return repr(float(text))
    except ValueError:
        return text


def _encoded_objects(values: list[Any], name: str) -> tuple[NDArray[np.intp], Labels]:
    distinct: set[Any] = set()
    try:
        for start in _starts(values):
            distinct.update(values[start : start + LONG])
    except TypeError:
        odd = next(value for value in values if not _is_hashable(value))
        raise DataTypeError(
            f"column {quoted(name)} holds {quoted(odd)} of type {type(odd).__name__}: such values "
            "cannot be levels; use text or numbers, or drop the column"
        ) from None
    if any(map(is_missing, distinct)):
        raise _Missing
    found = _ordered(distinct)
    place = {label: code for code, label in enumerate(found)}
    codes = np.empty(len(values), dtype=np.intp)
    for start in _starts(values):
        part = values[start : start + LONG]
        codes[start : start + LONG] = np.fromiter(map(place.__getitem__, part), np.intp, len(part))
    return codes, found


def _starts(values: Sequence[Any]) -> Iterator[int]:
    """Yield where the next values of a column begin that are looked at together."""
    for start in range(0, len(values), LONG):
        if start:
            check_time(_DOING, start, len(values))
        yield start


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _ordered(labels: set[Hashable]) -> Labels:
    """Return levels in ascending order; those that cannot be compared by their text."""
    try:
        return tuple(sorted(labels))  # type: ignore[type-var]
    except TypeError:
        return tuple(sorted(labels, key=lambda label: (type(label).__name__, str(label))))


def _merged(
    names: tuple[str, ...],
    columns: Sequence[tuple[NDArray[np.intp], Labels]],
    weights: Floats,
) -> Levels:
    """Return each distinct row once, in ascending order of its codes."""
    rows = np.flatnonzero(weights > 0.0)
    columns = [_without_empty(rows, *column) for column in columns]
    key, bound = np.zeros(len(rows), dtype=np.int64), 1
    for codes, labels in columns:
        if len(rows) > LONG:
            check_time(_DOING)
        different = len(labels) + 1  # missing is one more
        if bound * different > _LARGEST_KEY:
            key = interruptible(_DOING, len(key), np.unique, key, return_inverse=True)[1]
            key = key.reshape(-1)
            bound = int(key.max()) + 1
        key = key * different + codes
        bound *= different
    _, first, place = interruptible(
        _DOING, len(key), np.unique, key, return_index=True, return_inverse=True
    )
    counts: Floats = np.bincount(place.reshape(-1), weights[rows]).astype(np.float64)
    width = np.min_scalar_type(max(int(codes.max()) for codes, _ in columns))
    table = np.array([codes[first] for codes, _ in columns], dtype=width)
    return Levels(names, tuple(labels for _, labels in columns), table, counts)


def _without_empty(
    rows: NDArray[np.intp], codes: NDArray[np.intp], labels: Labels
) -> tuple[NDArray[np.intp], Labels]:
    """Return the codes of some rows, and the levels that these have."""
    if len(rows) > LONG:
        check_time(_DOING)
    codes = codes[rows]
    used = np.bincount(codes, minlength=len(labels) + 1)[:-1] > 0
    if used.all():
        return codes, labels
    kept = tuple(label for label, is_used in zip(labels, used, strict=True) if is_used)
    return np.append(np.cumsum(used) - 1, len(kept))[codes], kept


def _entropy(cells: NDArray[np.int64], counts: Floats) -> float:
    shares = np.bincount(cells, counts) / counts.sum()
    shares = shares[shares > 0.0]
    return float(-(shares * np.log(shares)).sum())
