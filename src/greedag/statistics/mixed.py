"""Tables of continuous and discrete columns: what the mixed scores need of them.

Continuous columns are kept as doubles, discrete ones as *codes*: the place of each row's level
among the levels of the column. Mixed scores look at the rows again and again, so all are kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from greedag.data.kinds import KINDS, Kind, Kinds, kinds_of
from greedag.data.names import names_of
from greedag.data.table import Floats, opened, read_table
from greedag.errors import (
    DataError,
    OptionError,
    Spelled,
    check_size,
    different_columns,
    listed,
    option,
    quoted,
    wrong_dimensions,
)
from greedag.statistics.levels import column_names, encoded_columns, merged_codes, notes_of_many
from greedag.statistics.moments import Moments

Codes = NDArray[np.int32]
Labels = tuple[Hashable, ...]

_REMEDIES = ("drop",)
_GIB = 2**30
_MOST_GIB = 4
_MOST_CELLS = 2**27
"""How many zeros and ones are held at a time: a gigabyte."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MixedTable:
    """The rows of a table, some of whose columns are continuous and some discrete.

    Make one with :meth:`from_data`; ``+`` puts the rows of two tables together.

    Attributes
    ----------
    names : tuple of str
        All columns, in order.
    kinds : tuple of str
        ``"continuous"`` or ``"discrete"``, a word a column.
    values : ndarray of shape (continuous columns, n)
        The continuous columns, in order.
    codes : ndarray of shape (discrete columns, n)
        The discrete columns, in order: for each row the place of its level among the labels.
    labels : tuple of tuple
        The levels of each discrete column, ascending. Categories that never occur are none.
    weights : ndarray of shape (n,), optional
        How many rows each row stands for; None for one each.

    Examples
    --------
    >>> table = MixedTable.from_data(
    ...     np.array([[0.5, 1.0], [1.5, 2.0], [0.25, 1.0]]), kinds={"x1": "discrete"}
    ... )
    >>> table.codes
    array([[0, 1, 0]], dtype=int32)
    """

    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    values: Floats
    codes: Codes
    labels: tuple[Labels, ...]
    weights: Floats | None = None

    @classmethod
    def from_data(
        cls,
        data: object,
        *,
        names: Sequence[str] | None = None,
        kinds: Kinds | None = None,
        weights: ArrayLike | None = None,
        missing: str = "error",
    ) -> MixedTable:
        """Read a table.

        Parameters
        ----------
        data : table or array_like of shape (n, d)
            pandas, polars, Arrow or DuckDB table, NumPy array or list of rows.
        names : sequence of str, optional
            Column names, in place of the table's own.
        kinds : mapping of str to str, or str, optional
            ``"continuous"`` or ``"discrete"`` by name of the column, that of `names` if they are
            given, or one word for all; see :func:`greedag.data.kinds.kinds_of`.
        weights : array_like of shape (n,), optional
            How many rows each row stands for; rows of weight 0 are left out.
        missing : str
            ``"error"``; ``"drop"`` leaves out rows with a missing value.

        Returns
        -------
        MixedTable

        Raises
        ------
        DataError
            If a value is missing, or a column cannot be read as what it is taken for.
        """
        from greedag.data.rows import chosen_rows

        if missing not in ("error", "drop"):
            raise OptionError(f"missing must be 'error' or 'drop'; got {quoted(missing)}")
        rows = chosen_rows(data, weights=weights, missing=missing)
        with rows.numbered():
            return cls._read(rows.source, names, kinds, rows.weights)[0]

    @classmethod
    def _read(
        cls,
        data: object,
        names: Sequence[str] | None = None,
        kinds: Kinds | tuple[Kind, ...] | None = None,
        weights: Floats | None = None,
    ) -> tuple[MixedTable, bool]:
        """Return the table, and whether its names are the data's own.

        A tuple of kinds, one a column, comes from :func:`greedag.data.kinds.kinds_of`.
        """
        source = opened(data)
        if len(source.shape) != 2:
            raise wrong_dimensions(source.shape)
        n, d = source.shape
        check_size(n, d, least_n=1, least_d=1)
        own, named = column_names(source)
        labels_of = own if names is None else names_of(names, d)
        found = kinds if isinstance(kinds, tuple) else kinds_of(source, kinds, names=labels_of)
        places: dict[Kind, list[int]] = {kind: [] for kind in KINDS}
        for j, kind in enumerate(found):
            places[kind].append(j)
        # These first: where they lack values, the error counts the continuous columns too.
        coded = encoded_columns(source, labels_of, places["discrete"], _REMEDIES)
        values = _real_columns(source, places["continuous"], labels_of)
        codes = np.array([codes for codes, _ in coded], dtype=np.int32).reshape(-1, n)
        labels = tuple(labels for _, labels in coded)
        return cls(labels_of, found, values, codes, labels, weights), named

    def __post_init__(self) -> None:
        for array in (self.values, self.codes, self.weights):
            if array is not None:
                array.setflags(write=False)

    @property
    def rows(self) -> int:
        """Number of rows that are kept."""
        return int(self.codes.shape[1])

    @property
    def n(self) -> int | float:
        """Number of rows, or the sum of their weights; an int wherever it is a whole number."""
        total = float(self.rows if self.weights is None else self.weights.sum())
        return int(total) if total.is_integer() else total

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def sizes(self) -> list[int]:
        """Number of levels of each column, 0 for a continuous one."""
        sizes = iter(self.labels)
        return [len(next(sizes)) if kind == "discrete" else 0 for kind in self.kinds]

    def __add__(self, other: MixedTable) -> MixedTable:
        """Return the rows of both tables, this one's first."""
        if not isinstance(other, MixedTable):
            return NotImplemented
        if self.names != other.names:
            raise different_columns(self.names, other.names, what="rows")
        kinds = zip(self.names, self.kinds, other.kinds, strict=True)
        odd = [name for name, one, another in kinds if one != another]
        if odd:
            raise DataError(
                f"column(s) {listed(odd)} are discrete in one table and continuous in the other",
                remedy=("say which they are, by ", Spelled("kinds=", "--kinds")),
                code="different-kinds",
                columns=odd,
            )
        names = (n for n, kind in zip(self.names, self.kinds, strict=True) if kind == "discrete")
        pairs = zip(names, self.labels, other.labels, self.codes, other.codes, strict=True)
        coded = [merged_codes(*pair) for pair in pairs]
        rows = self.rows + other.rows
        weights = None
        if self.weights is not None or other.weights is not None:
            weights = np.concatenate([self._weights(), other._weights()])
        return MixedTable(
            self.names,
            self.kinds,
            np.concatenate([self.values, other.values], axis=1),
            np.array([codes for codes, _ in coded], dtype=np.int32).reshape(-1, rows),
            tuple(labels for _, labels in coded),
            weights,
        )

    def _weights(self) -> Floats:
        return np.ones(self.rows) if self.weights is None else self.weights

    def __repr__(self) -> str:
        return (
            f"MixedTable(n={self.n}, {len(self.values)} continuous and {len(self.codes)} discrete "
            f"columns: {listed(self.names)})"
        )

    def real_names(self) -> list[str]:
        """Return the names of the continuous columns."""
        return [
            name for name, kind in zip(self.names, self.kinds, strict=True) if kind == "continuous"
        ]

    def check_variation(self) -> None:
        """Raise if there are too few rows or columns, or a discrete one has one level only."""
        check_size(self.rows, self.d, least_n=3, least_d=2)
        constant = [name for name, size in zip(self.names, self.sizes, strict=True) if size == 1]
        if constant:
            raise DataError(
                f"constant column(s) {listed(constant)}: every row has the same level, so that "
                "nothing can depend on it; drop these columns"
            )

    def _notes(self) -> Iterator[str]:
        return notes_of_many(self.names, self.sizes, self.n)

    def check_memory(self) -> None:
        """Raise if there are too many one-hot columns for the memory, as those of identifiers."""
        width = sum(max(size - 1, 1) for size in self.sizes)
        gib = 8 * width**2 / _GIB
        if gib > _MOST_GIB:
            most, name = max(zip(self.sizes, self.names, strict=True))
            raise DataError(
                f"a column of zeros and ones for each level makes {width} columns, whose "
                f"covariances would take {gib:.3g} GiB, more than the limit of {_MOST_GIB} GiB; "
                f"column {quoted(name)} has {most} levels in {self.rows} rows: drop it, join its "
                "levels, or pass ",
                option("score", "conditional-gaussian"),
                ", which has no such columns",
                code="too-many-levels",
                columns=(name,),
                counts={name: most},
            )

    def embedded(self) -> tuple[Moments, list[int]]:
        """Return the moments of one-hot columns, and where those of each column start.

        A discrete column with r levels becomes r - 1 columns of zeros and ones; that of the first
        level is left out, because the others determine it. Which one makes no difference to any
        determinant.
        """
        starts, names = [0], []
        labels = iter(self.labels)
        for name, kind in zip(self.names, self.kinds, strict=True):
            if kind == "continuous":
                names.append(name)
            else:
                names += [f"{name} = {label}" for label in next(labels)[1:]]
            starts.append(len(names))
        distinct = _distinct(names)
        parts = 1 + self.rows * len(names) // _MOST_CELLS
        bounds = [self.rows * part // parts for part in range(parts + 1)]
        counted = (self._counted(first, last, distinct) for first, last in pairwise(bounds))
        return reduce(add, counted), starts

    def _counted(self, first: int, last: int, names: Sequence[str]) -> Moments:
        """Return the moments of one-hot columns of some rows."""
        columns: list[Floats] = []
        values, codes = iter(self.values), iter(zip(self.codes, self.labels, strict=True))
        for kind in self.kinds:
            if kind == "continuous":
                columns.append(next(values)[np.newaxis, first:last])
            else:
                code, labels = next(codes)
                ones = code[first:last] == np.arange(1, len(labels))[:, np.newaxis]
                columns.append(ones.astype(float))
        weights = None if self.weights is None else self.weights[first:last]
        return Moments.from_data(np.concatenate(columns).T, names=names, weights=weights)

    def standardised(self) -> Floats:
        """Return the continuous columns with mean 0 and variance 1, a row each."""
        units: Floats = np.empty((len(self.values), self.rows))
        if len(units):
            read_table(self.values.T).write_units(0, self.rows, units.T)
            units -= np.average(units, axis=1, weights=self.weights)[:, np.newaxis]
            variances = np.average(units**2, axis=1, weights=self.weights)
            units /= np.sqrt(variances)[:, np.newaxis]
        return units


def _real_columns(source: Any, places: list[int], names: tuple[str, ...]) -> Floats:
    """Return columns as doubles, a row each; the names are those of the whole table."""
    n = source.shape[0]
    if not places:
        return np.empty((0, n))
    table = read_table(source[:, places], names=[names[j] for j in places], remedies=_REMEDIES)
    panels = [np.asarray(panel.values, dtype=np.float64).T for panel in table.panels]
    return np.ascontiguousarray(np.concatenate(panels))


def _distinct(names: list[str]) -> list[str]:
    """Tell columns apart that come to be called the same, as a level may look like a name."""
    seen: set[str] = set()
    for place, name in enumerate(names):
        while name in seen:
            name += "'"
        seen.add(name)
        names[place] = name
    return names
