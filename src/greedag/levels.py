"""Discrete columns: the distinct rows of a table and how often each occurs.

A *level* is a value that occurs in a column, a *code* its place among the column's levels in
ascending order. All that the discrete scores need are the distinct rows, as codes, with counts.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from greedag.data import Floats, is_distributed, opened
from greedag.errors import (
    DataError,
    DataTypeError,
    check_size,
    different_columns,
    listed,
    quoted,
    wrong_dimensions,
)
from greedag.names import checked_names, default_names, names_of
from greedag.weights import checked_weights

if TYPE_CHECKING:
    import narwhals as nw

Codes = NDArray[np.unsignedinteger[Any]]
Labels = tuple[Hashable, ...]

# Products of level numbers up to here fit into a key of 64 bits.
_LARGEST_KEY = 2**62


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Levels:
    """The distinct rows of a table of discrete columns, with counts.

    Make one with :meth:`from_data`; ``+`` merges those of two parts of a table.

    Attributes
    ----------
    names : tuple of str
        The columns.
    labels : tuple of tuple
        The levels of each column, ascending. Categories that never occur are none.
    codes : ndarray of shape (d, rows)
        Each distinct row once: for each column the place of its level among the labels.
    counts : ndarray of shape (rows,)
        How often each row occurs, or the sum of its weights.

    Examples
    --------
    >>> levels = Levels.from_data([["a", "x"], ["b", "x"], ["a", "x"]])
    >>> levels.counts
    array([2., 1.])
    """

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
    ) -> Levels:
        """Count the distinct rows of a table, every column of which is taken as discrete.

        Parameters
        ----------
        data : table or array_like of shape (n, d)
            pandas, polars, Arrow, DuckDB or Dask table, NumPy array or list of rows. Values may be
            text, truth values, numbers or anything else that can be hashed.
        names : sequence of str, optional
            Column names, in place of the table's own.
        weights : array_like of shape (n,), optional
            How many rows each row stands for; rows of weight 0 are left out.

        Raises
        ------
        DataError
            If a value is missing, or the names or weights do not fit.
        """
        if is_distributed(data) and weights is None:
            from greedag.cluster import distributed

            return distributed(cls, data, names)
        return cls._read(data, names, weights)[0]

    @classmethod
    def _read(
        cls,
        data: object,
        names: Sequence[str] | None = None,
        weights: ArrayLike | None = None,
    ) -> tuple[Levels, bool]:
        """Return the levels, and whether their names are the table's own."""
        source = opened(data)
        if len(source.shape) != 2:
            raise wrong_dimensions(source.shape)
        check_size(*source.shape, least_n=1, least_d=1)
        own, named = column_names(source)
        labels_of = own if names is None else names_of(names, len(own))
        columns = [encoded(c, name) for c, name in zip(columns_of(source), labels_of, strict=True)]
        n = source.shape[0]
        counts = np.ones(n) if weights is None else checked_weights(weights, n)
        levels = _merged(labels_of, columns, counts)
        return levels, named

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

    def __add__(self, other: Levels) -> Levels:
        """Return the levels of both tables' rows together."""
        if not isinstance(other, Levels):
            return NotImplemented
        if self.names != other.names:
            raise different_columns(self.names, other.names)
        columns = []
        for j in range(self.d):
            union = _ordered({*self.labels[j], *other.labels[j]})
            place = {label: code for code, label in enumerate(union)}
            parts = [
                np.array([place[label] for label in part.labels[j]])[part.codes[j]]
                for part in (self, other)
            ]
            columns.append((np.concatenate(parts), union))
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

    def _check_variation(self) -> None:
        """Raise if there is too little to learn from."""
        check_size(int(self.n), self.d, least_n=2, least_d=1)
        constant = [
            name for name, labels in zip(self.names, self.labels, strict=True) if len(labels) < 2
        ]
        if constant:
            raise DataError(
                f"constant column(s) {listed(constant)}: every row has the same level, so that "
                "nothing can depend on it; drop these columns"
            )

    def _notes(self) -> Iterator[str]:
        many = [
            name
            for name, size in zip(self.names, self.sizes, strict=True)
            if size > 10 and 2 * size > self.n
        ]
        if many:
            yield (
                f"column(s) {listed(many)} have a level for every second row or more, too many to "
                "learn from; drop them, or join levels"
            )


def holds_levels(column: NDArray[Any] | nw.Series[Any]) -> bool:
    """Whether the type of a column says that it is discrete: categories, text, truth values."""
    if not isinstance(column, np.ndarray):
        import narwhals as nw

        if column.dtype != nw.Object:
            return column.dtype in (nw.Boolean, nw.String, nw.Categorical, nw.Enum)
        column = column.to_numpy()
    if column.dtype.kind != "O":
        return column.dtype.kind in "bUS"
    values = [value for value in column.ravel().tolist() if not _is_missing(value)]
    return bool(values) and all(isinstance(value, (str, bool, np.bool_)) for value in values)


def column_names(source: NDArray[Any] | nw.DataFrame[Any]) -> tuple[tuple[str, ...], bool]:
    """Return the names of the columns, and whether they are the table's own."""
    if isinstance(source, np.ndarray):
        return default_names(source.shape[1]), False
    labels = source.columns
    return checked_names(labels), all(isinstance(label, str) for label in labels)


def columns_of(source: NDArray[Any] | nw.DataFrame[Any]) -> Iterator[NDArray[Any]]:
    """Return the columns, missing values among them."""
    if isinstance(source, np.ndarray):
        yield from source.T
        return
    for series in source.iter_columns():
        values = np.asarray(series.to_numpy())
        if series.null_count() and values.dtype.kind not in "Of":
            values = values.astype(object)
            values[series.is_null().to_numpy()] = None
        yield values


def encoded(column: NDArray[Any], name: str) -> tuple[NDArray[np.intp], Labels]:
    """Return the codes of a column and its levels."""
    values = np.ma.getdata(column)
    missing = np.ma.getmaskarray(column) if np.ma.isMaskedArray(column) else None
    if missing is not None and missing.any():
        raise _missing(name, missing)
    if values.dtype.kind == "O":
        return _encoded_objects(values.tolist(), name)
    found, codes = np.unique(values, return_inverse=True)
    if values.dtype.kind in "fc" and np.isnan(found[-1]):
        raise _missing(name, np.isnan(values))
    return codes.reshape(-1), tuple(found.tolist())


def _encoded_objects(values: list[Any], name: str) -> tuple[NDArray[np.intp], Labels]:
    try:
        distinct = set(values)
    except TypeError as error:
        raise DataTypeError(
            f"column {quoted(name)} holds values that are no levels ({error}); use text or numbers"
        ) from error
    if any(map(_is_missing, distinct)):
        raise _missing(name, np.array([*map(_is_missing, values)]))
    found = _ordered(distinct)
    place = {label: code for code, label in enumerate(found)}
    return np.fromiter(map(place.__getitem__, values), np.intp, len(values)), found


def _missing(name: str, missing: NDArray[np.bool_]) -> DataError:
    return DataError(
        f"column {quoted(name)} holds {np.count_nonzero(missing)} missing value(s), the first in "
        f"row {int(np.argmax(missing))} (counting from 0); drop these rows, or give the missing a "
        "level of their own"
    )


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
    columns = [_without_empty(codes[rows], labels) for codes, labels in columns]
    key, bound = np.zeros(len(rows), dtype=np.int64), 1
    for codes, labels in columns:
        if bound * len(labels) > _LARGEST_KEY:
            key = np.unique(key, return_inverse=True)[1].reshape(-1)
            bound = int(key.max()) + 1
        key = key * len(labels) + codes
        bound *= len(labels)
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    counts: Floats = np.bincount(place.reshape(-1), weights[rows]).astype(np.float64)
    width = np.min_scalar_type(max(len(labels) for _, labels in columns) - 1)
    table = np.array([codes[first] for codes, _ in columns], dtype=width)
    for array in (table, counts):
        array.setflags(write=False)
    return Levels(names, tuple(labels for _, labels in columns), table, counts)


def _without_empty(codes: NDArray[np.intp], labels: Labels) -> tuple[NDArray[np.intp], Labels]:
    """Drop levels that no row has."""
    used = np.bincount(codes, minlength=len(labels)) > 0
    if used.all():
        return codes, labels
    kept = tuple(label for label, is_used in zip(labels, used, strict=True) if is_used)
    return (np.cumsum(used) - 1)[codes], kept


def _is_missing(value: object) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return bool(value != value) if isinstance(value, (float, np.floating)) else False
