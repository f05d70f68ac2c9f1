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

from greedag._progress import LONG, check_time
from greedag.data.kinds import (
    KINDS,
    Kind,
    Kinds,
    check_identifiers,
    identifiers,
    kinds_of,
    note_of_numbered_rows,
    numbers_rows,
)
from greedag.data.rows import MissingName, SelectedRows, select_rows
from greedag.data.source import MemorySource, check_some, open_table
from greedag.data.table import Floats, numbers_of, read_table
from greedag.errors import (
    DataError,
    Note,
    OptionError,
    Spelled,
    check_size,
    columns_listed,
    constant_columns,
    different_columns,
    listed,
    option,
    quoted,
)
from greedag.statistics.fingerprint import Fingerprint
from greedag.statistics.levels import encoded_columns, merged_codes, notes_of_many
from greedag.statistics.moments import Moments
from greedag.statistics.shapes import notes_of_shapes, shapes_of

Codes = NDArray[np.int32]
Labels = tuple[Hashable, ...]

_REMEDIES = ("drop",)
_GIB = 2**30
_MOST_GIB = 4
_MANY_LEVELS = 200
_LEVELS_AT_ONCE = 64
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
        ``"continuous"`` or ``"discrete"``, one per column.
    values : ndarray of shape (continuous columns, n)
        The continuous columns, in order.
    codes : ndarray of shape (discrete columns, n)
        The discrete columns, in order: for each row the place of its level among the labels.
    labels : tuple of tuple
        The levels of each discrete column, ascending. Categories that never occur are left out.
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
        missing: MissingName = "error",
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
        if missing not in ("error", "drop"):
            raise OptionError(f"missing must be 'error' or 'drop'; got {quoted(missing)}")
        source = open_table(data, as_is=names is not None).renamed(names)
        rows = select_rows(source, weights=weights, missing=missing)
        try:
            return read_mixed(rows, kinds_of(rows.source, kinds))
        except DataError as error:
            raise rows.located(error) from None

    def __post_init__(self) -> None:
        for array in (self.values, self.codes, self.weights):
            if array is not None:
                array.setflags(write=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return MixedTable, tuple(getattr(self, field) for field in self.__slots__)

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
                f"discrete in one table and continuous in the other: {columns_listed(odd)}",
                remedy=("declare their kinds with ", Spelled("kinds=", "--kinds")),
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

    def take(self, places: NDArray[np.intp]) -> MixedTable:
        """Return some rows; levels that none of them has are left out."""
        codes, labels = np.empty((len(self.codes), len(places)), dtype=np.int32), []
        for j, (column, own) in enumerate(zip(self.codes, self.labels, strict=True)):
            found, codes[j] = np.unique(column[places], return_inverse=True)
            labels.append(tuple(own[code] for code in found))
        weights = None if self.weights is None else self.weights[places]
        values = np.ascontiguousarray(self.values[:, places])
        return MixedTable(self.names, self.kinds, values, codes, tuple(labels), weights)

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
        check_identifiers(self.names, self.sizes, self.rows)
        constant = [name for name, size in zip(self.names, self.sizes, strict=True) if size == 1]
        if constant:
            raise constant_columns(constant, "every row has the same level")

    def fingerprint(self) -> Fingerprint:
        """Return a fingerprint by which these data can be recognised."""
        moments, starts = self.embedded()
        return moments.fingerprint().grouped(self.n, self.names, starts)

    def notes(self) -> Iterator[Note]:
        """Give what a result should say about these data."""
        yield from notes_of_many(self.names, self.sizes, self.n)
        pairs = zip(self.real_names(), self.values, strict=True)
        numbering = [name for name, values in pairs if _numbers_rows(values)]
        if numbering:
            yield note_of_numbered_rows(numbering)
        if len(self.values):
            shapes = shapes_of(self.values, self.weights)
            yield from notes_of_shapes(self.real_names(), shapes, self.n)

    def check_memory(self) -> None:
        """Raise if levels make too many indicator columns, as those of identifiers do."""
        self._check_levels()
        width = sum(max(size - 1, 1) for size in self.sizes)
        gib = 8 * width**2 / _GIB
        if gib > _MOST_GIB:
            most, name = max(zip(self.sizes, self.names, strict=True))
            raise DataError(
                f"one 0/1 indicator column per level makes {width} columns, whose "
                f"covariances would take {gib:.3g} GiB, more than the limit of {_MOST_GIB} GiB; "
                f"column {quoted(name)} has {most} levels in {self.rows} rows: drop it, merge its "
                "levels, or pass ",
                option("score", "conditional-gaussian"),
                ", which needs no such columns",
                code="too-many-levels",
                columns=(name,),
                counts={name: most},
            )

    def _check_levels(self) -> None:
        """Raise if a column has more levels than half of the rows, and so many that it takes long.

        The time that a score takes grows with the third power of the levels.
        """
        pairs = zip(self.names, self.sizes, strict=True)
        counts = {name: r for name, r in pairs if are_too_many(r, self.rows)}
        if counts:
            raise identifiers(counts, self.rows)

    def embedded(self) -> tuple[Moments, list[int]]:
        """Return the moments of one-hot columns, and where those of each column start.

        A discrete column with r levels becomes r - 1 indicator (0/1) columns; that of the first
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
        columns = np.empty((len(names), last - first))
        values, codes = iter(self.values), iter(zip(self.codes, self.labels, strict=True))
        place = 0
        for kind in self.kinds:
            if kind == "continuous":
                columns[place] = next(values)[first:last]
                place += 1
                continue
            code, labels = next(codes)
            for level in range(1, len(labels)):
                np.equal(code[first:last], level, out=columns[place], casting="unsafe")
                place += 1
                if level % _LEVELS_AT_ONCE == 0 or last - first > LONG:
                    check_time("encoding levels as columns", place, len(names), "columns")
        weights = None if self.weights is None else self.weights[first:last]
        return Moments.from_data(columns.T, names=names, weights=weights)

    def standardised(self) -> Floats:
        """Return the continuous columns with mean 0 and variance 1, a row each."""
        units: Floats = np.empty((len(self.values), self.rows))
        if len(units):
            read_table(self.values.T).write_units(0, self.rows, units.T)
            units -= np.average(units, axis=1, weights=self.weights)[:, np.newaxis]
            variances = np.average(units**2, axis=1, weights=self.weights)
            units /= np.sqrt(variances)[:, np.newaxis]
        return units


def are_too_many(levels: int, rows: int) -> bool:
    """Whether levels are more than half of the rows, and so many that a score takes long."""
    return levels > _MANY_LEVELS and 2 * levels > rows


def read_mixed(rows: SelectedRows, kinds: tuple[Kind, ...]) -> MixedTable:
    """Read the rows of a table, whose columns are of certain kinds."""
    source = rows.source.in_memory()
    check_some(source)
    places: dict[Kind, list[int]] = {kind: [] for kind in KINDS}
    for j, kind in enumerate(kinds):
        places[kind].append(j)
    # These first: where they lack values, the error counts the continuous columns too.
    coded = encoded_columns(source, places["discrete"], _REMEDIES)
    values = _real_columns(source, places["continuous"])
    codes = np.array([codes for codes, _ in coded], dtype=np.int32).reshape(-1, source.n)
    labels = tuple(labels for _, labels in coded)
    return MixedTable(source.names, kinds, values, codes, labels, rows.weights)


def _real_columns(source: MemorySource, places: list[int]) -> Floats:
    """Return columns as doubles, a row each."""
    if not places:
        return np.empty((0, source.n))
    table = numbers_of(source.select(places), _REMEDIES)
    blocks = [np.asarray(block.values, dtype=np.float64).T for block in table.blocks]
    return np.ascontiguousarray(np.concatenate(blocks))


def _numbers_rows(values: Floats) -> bool:
    low, high = float(values.min(initial=np.inf)), float(values.max(initial=-np.inf))
    if high - low != len(values) - 1:
        return False
    return numbers_rows(low, high, len(np.unique(values)), len(values))


def _distinct(names: list[str]) -> list[str]:
    """Tell columns apart that come to be called the same, as a level may look like a name."""
    seen: set[str] = set()
    for place, name in enumerate(names):
        while name in seen:
            name += "'"
        seen.add(name)
        names[place] = name
    return names
