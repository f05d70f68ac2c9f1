"""Any table, opened once: names, shape and columns, whatever container holds them.

A :class:`Source` answers what the rest of greedag asks of a table in memory, so that nobody else
needs to know whether it is an array or a data frame. Opening looks at no value.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from greedag._progress import LONG, check_time, interruptible
from greedag.data.arrays import (
    as_array,
    collected,
    labels_of,
    plain_array,
    stacked_rows,
    without_index,
)
from greedag.data.kinds import FEW_VALUES, FIRST_ROWS, Kind, are_few, few_values, kind_of_objects
from greedag.data.missing import Mask, infinite_in, missing_in
from greedag.data.names import UNNAMED, checked_names, default_names, names_of
from greedag.data.objects import first_bad, in_parts, numbers_from_objects
from greedag.errors import (
    DataTypeError,
    Note,
    require,
    too_small,
    unreadable,
    wrong_dimensions,
)

if TYPE_CHECKING:
    import narwhals as nw

Floats = NDArray[np.float64]
Statistic = TypeVar("Statistic")
Own = TypeVar("Own", bound="Source")

# Most columns of doubles show more than a few values in so many rows.
_GLANCE = 64


class Source(ABC):
    """An opened table, wherever its rows are.

    Attributes
    ----------
    names : tuple of str
        One distinct name a column; ``x0``, ``x1``, … if the table has none.
    has_own_names : bool
        Whether the names are the table's own, all of them text.
    notes : tuple of Note
        What a result should say about the columns, once they have been judged or read.
    """

    names: tuple[str, ...]
    has_own_names: bool
    is_distributed = False
    notes: tuple[Note, ...] = ()
    """What to note of the table itself."""

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of rows."""

    @cached_property
    @abstractmethod
    def judged(self) -> tuple[tuple[Kind, bool], ...]:
        """The kind of each column by its type, and whether it may be the other."""

    @abstractmethod
    def in_memory(self) -> MemorySource:
        """Return the table with all rows in memory, or say why they cannot be there."""

    @abstractmethod
    def counted(
        self,
        count: Callable[[MemorySource, Floats | None], Statistic],
        weights: Floats | None = None,
    ) -> Statistic:
        """Return what is counted of the rows, with weights above 0 if they have any.

        Parts that are not in memory are counted one by one, and the counts merged by ``+``.
        """

    def renamed(self: Own, names: Sequence[str] | None) -> Own:
        """Return the table under other names, if there are any."""
        if names is None:
            return self
        other = copy.copy(self)
        other.names = names_of(names, len(self.names))
        return other


class MemorySource(Source):
    """An opened table in memory; `shape` has its numbers of rows and columns."""

    shape: tuple[int, int]
    remedies: tuple[str, ...] = ("drop", "em")
    """Which ``missing=`` may be recommended where numbers are missing."""

    @abstractmethod
    def blocks(self) -> list[NDArray[Any]]:
        """Return the columns as arrays of real numbers, adjacent ones together where possible.

        Raises
        ------
        DataTypeError
            If a column holds no real numbers.
        NotFinite
            If it shows on the way that a value is missing.
        """

    @abstractmethod
    def numbers(self, j: int, places: NDArray[np.intp]) -> NDArray[Any]:
        """Return the real numbers that a column has at some places, where none is missing."""

    @abstractmethod
    def values(self, j: int) -> NDArray[Any]:
        """Return the values of a column, whatever they are, masked where they are missing."""

    @abstractmethod
    def missing(self, j: int) -> Mask:
        """Return which values of a column are missing."""

    @abstractmethod
    def judge(self, j: int) -> tuple[Kind, bool]:
        """Return the kind of a column by its type, and whether it may be the other."""

    def factorized(self, j: int) -> tuple[NDArray[np.intp], NDArray[Any]] | None:
        """Return each value's place among the distinct ones, and these.

        None if the table has no fast way to find them, or if a value is missing.
        """
        return None

    def is_category(self, j: int) -> bool:
        """Whether a column is of a type that lists its levels."""
        return False

    def is_ordered(self, j: int) -> bool:
        """Whether the levels of a column have an order."""
        return False

    @abstractmethod
    def take(self, places: NDArray[np.intp]) -> MemorySource:
        """Return some rows."""

    @abstractmethod
    def select(self, columns: Sequence[int]) -> MemorySource:
        """Return some columns."""

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.shape[0]

    @cached_property
    def judged(self) -> tuple[tuple[Kind, bool], ...]:
        """The kind of each column by its type, and whether it may be the other."""
        return tuple(self.judge(j) for j in self._places("inferring the kinds of columns"))

    def _places(self, doing: str) -> Iterator[int]:
        for j in range(self.shape[1]):
            if j and self.n > LONG:
                check_time(doing, j, self.shape[1], "columns")
            yield j

    def in_memory(self) -> MemorySource:
        """Return the table itself."""
        return self

    def counted(
        self,
        count: Callable[[MemorySource, Floats | None], Statistic],
        weights: Floats | None = None,
    ) -> Statistic:
        """Return what is counted of the rows, with weights above 0 if they have any."""
        return count(self, weights)

    def missing_cells(self) -> Mask:
        """Return which values are missing, one column after the other in memory."""
        cells = np.empty(self.shape, dtype=bool, order="F")
        for j in self._places("looking for missing values"):
            cells[:, j] = self.missing(j)
        return cells

    def infinite(self) -> dict[str, int]:
        """Return how many values are infinite, by name of the columns that hold any."""
        counts = (infinite_in(np.ma.getdata(self.values(j))).sum() for j in range(self.shape[1]))
        return {name: int(k) for name, k in zip(self.names, counts, strict=True) if k}


class ArraySource(MemorySource):
    """A NumPy array of two dimensions, masked or not."""

    def __init__(self, array: NDArray[Any], names: tuple[str, ...] | None = None) -> None:
        if array.ndim != 2:
            raise wrong_dimensions(array.shape)
        self._array = array
        self.shape = (array.shape[0], array.shape[1])
        self.names = default_names(array.shape[1]) if names is None else names
        self.has_own_names = False

    def blocks(self) -> list[NDArray[Any]]:
        array = self._array
        if np.ma.is_masked(array):
            mask = np.ma.getmaskarray(array)
            column = int(np.argmax(mask.any(axis=0)))
            raise first_bad(array[:, column], mask[:, column], self.names[column])
        array = np.asarray(array)
        if array.dtype.kind == "O":
            return [numbers_from_objects(array[:, j], name) for j, name in enumerate(self.names)]
        if array.dtype.kind not in "biuf":
            raise unreadable(self.names, array.dtype)
        return [array]

    def numbers(self, j: int, places: NDArray[np.intp]) -> NDArray[Any]:
        values = np.ma.getdata(self._array)[places, j]
        values = numbers_from_objects(values, self.names[j]) if values.dtype.kind == "O" else values
        if values.dtype.kind not in "biuf":
            raise unreadable([self.names[j]], values.dtype)
        return values

    def values(self, j: int) -> NDArray[Any]:
        return self._array[:, j]

    def missing(self, j: int) -> Mask:
        return missing_in(self._array[:, j])

    def judge(self, j: int) -> tuple[Kind, bool]:
        column = self._array[:, j]
        if column.dtype.kind == "O":
            return kind_of_objects(column)
        if column.dtype.kind in "bUST":
            return "discrete", False
        if column.dtype.kind not in "iuf" or _has_many(column):
            return "continuous", False
        present = np.asarray(column)[~(missing_in(column) | infinite_in(column))]
        values = few_values(present)
        are_floats = present.dtype.kind == "f"
        return "continuous", are_few(len(values or ()), len(present), are_floats=are_floats)

    def take(self, places: NDArray[np.intp]) -> MemorySource:
        return _like(self, ArraySource(self._array[places]), self.names)

    def select(self, columns: Sequence[int]) -> MemorySource:
        part = ArraySource(self._array[:, list(columns)])
        return _like(self, part, tuple(self.names[j] for j in columns))


class FrameSource(MemorySource):
    """A data frame that narwhals reads."""

    def __init__(self, frame: nw.DataFrame[Any]) -> None:
        labels = frame.columns
        self._frame = frame
        self.shape = frame.shape
        self.has_own_names = all(isinstance(label, str) for label in labels)
        are_names = self.has_own_names and all(label.strip() for label in labels)
        is_plain = are_names and len(set(labels)) == len(labels)
        # Where they are not plain, this says what is wrong with them.
        self.names = tuple(labels) if is_plain else checked_names(labels)

    @property
    def frame(self) -> nw.DataFrame[Any]:
        """The frame itself."""
        return self._frame

    @cached_property
    def _columns(self) -> tuple[nw.Series[Any], ...]:
        return tuple(self._frame.iter_columns())

    def blocks(self) -> list[NDArray[Any]]:
        pairs = zip(self._columns, self.names, strict=True)
        return _joined([_from_series(series, name) for series, name in pairs])

    def numbers(self, j: int, places: NDArray[np.intp]) -> NDArray[Any]:
        return _from_series(self._columns[j][places], self.names[j])

    def values(self, j: int) -> NDArray[Any]:
        series = self._columns[j]
        if not series.null_count():
            return in_parts(series, self.names[j])
        # Converted with its missing values, a column of integers would become one of doubles.
        missing = np.asarray(series.is_null().to_numpy(), dtype=bool)
        present = in_parts(series.drop_nulls(), self.names[j])
        values = np.zeros(len(missing), dtype=present.dtype)
        values[~missing] = present
        return np.ma.MaskedArray(values, mask=missing)

    def missing(self, j: int) -> Mask:
        import narwhals as nw

        series = self._columns[j]
        missing = np.array(series.is_null().to_numpy(), dtype=bool)
        if series.dtype == nw.Object:
            return missing | missing_in(series.to_numpy().astype(object))
        if series.dtype.is_float():
            missing |= np.asarray(series.is_nan().fill_null(True).to_numpy(), dtype=bool)
        return missing

    def judge(self, j: int) -> tuple[Kind, bool]:
        import narwhals as nw

        series = self._columns[j]
        if _holds_doubles(series) and _has_many(series.to_native().to_numpy()):
            return "continuous", False
        dtype = series.dtype
        if dtype == nw.Object:
            return kind_of_objects(series.to_numpy())
        if dtype in (nw.Boolean, nw.String, nw.Categorical, nw.Enum):
            return "discrete", False
        is_number = dtype.is_integer() or dtype.is_float()
        if not is_number or series.head(FIRST_ROWS).n_unique() > FEW_VALUES + 1:
            return "continuous", False
        present = series.drop_nulls()
        if dtype.is_float():
            present = present.filter(present.is_finite())
        distinct = present.n_unique()
        return "continuous", are_few(distinct, len(present), are_floats=dtype.is_float())

    def factorized(self, j: int) -> tuple[NDArray[np.intp], NDArray[Any]] | None:
        import narwhals as nw

        series = self._columns[j]
        is_plain = series.dtype in (nw.Boolean, nw.String, nw.Categorical, nw.Enum)
        if not series.implementation.is_pandas() or not (is_plain or series.dtype.is_integer()):
            return None
        codes, values = interruptible("counting levels", self.n, series.to_native().factorize)
        return None if codes.min(initial=0) < 0 else (codes, np.asarray(values))

    def is_category(self, j: int) -> bool:
        import narwhals as nw

        return self._columns[j].dtype in (nw.Categorical, nw.Enum)

    def is_ordered(self, j: int) -> bool:
        series = self._columns[j]
        held = getattr(series.to_native(), "dtype", None)
        return bool(getattr(held, "ordered", str(series.dtype).startswith("Enum")))

    def take(self, places: NDArray[np.intp]) -> MemorySource:
        return _like(self, FrameSource(self._frame[places]), self.names)

    def select(self, columns: Sequence[int]) -> MemorySource:
        part = FrameSource(self._frame[:, list(columns)])
        return _like(self, part, tuple(self.names[j] for j in columns))


def open_table(data: object, *, as_is: bool = False) -> Source:
    """Open a table, its values not looked at.

    Parameters
    ----------
    data : array_like of shape (n, d), data frame or Source
        NumPy array, list of rows, mapping of names to columns, pandas or polars frame (lazy too),
        Arrow table, DuckDB relation, Dask table, or anything else that narwhals reads. The index of
        a pandas frame is not a column, not even in an Arrow table made of it. A lazy table is
        computed here, once.
    as_is : bool
        Whether to keep a first column without a name, as R and pandas write it. Otherwise it is
        looked at, and left out if it numbers or names the rows.

    Raises
    ------
    DataTypeError
        If the container is of a kind that holds no table.
    DataError
        If it has no rows and columns, or names that cannot be used.
    """
    if isinstance(data, Source):
        return data
    if isinstance(data, np.ndarray):
        return ArraySource(plain_array(data))
    if _is_dask(data):
        from greedag.data.dask import DaskSource

        return DaskSource(data)
    if hasattr(data, "nnz"):
        raise DataTypeError(
            f"sparse data are not supported (got {type(data).__name__})",
            remedy="make them dense first, with .toarray() or .todense()",
            code="sparse",
        )
    if isinstance(data, (list, tuple)):
        return ArraySource(stacked_rows(data))
    if isinstance(data, Mapping):
        from greedag.data.columns import open_columns

        return open_columns(data)
    frame = _as_frame(data)
    if frame is None:
        return ArraySource(as_array(data))
    if not as_is and frame.columns and frame.columns[0] in UNNAMED:
        from greedag.data.row_names import without_row_names

        return without_row_names(frame)
    return FrameSource(frame)


def check_some(source: MemorySource, *, least_n: int = 1, least_d: int = 1) -> None:
    """Raise if there are fewer rows or columns than are needed."""
    n, d = source.shape
    if n < least_n or d < least_d:
        raise too_small(n, d, least_n=least_n, least_d=least_d)


def _like(whole: MemorySource, part: MemorySource, names: tuple[str, ...]) -> MemorySource:
    part.names, part.has_own_names = names, whole.has_own_names
    return part


def _is_dask(data: object) -> bool:
    """Whether data are a Dask collection; asked without importing Dask."""
    return type(data).__module__.partition(".")[0] == "dask" and hasattr(data, "__dask_graph__")


def _has_many(column: NDArray[Any]) -> bool:
    """Whether the first values of a column show that it has more than a few."""
    first = np.asarray(column[:_GLANCE])
    return len(set(first[first == first].tolist())) > FEW_VALUES


def _holds_doubles(series: nw.Series[Any]) -> bool:
    """Whether a column is one of NumPy's own floats; asking narwhals about each takes its time."""
    held = getattr(series.to_native(), "dtype", None)
    return isinstance(held, np.dtype) and held.kind == "f"


def _from_series(series: nw.Series[Any], name: str) -> NDArray[Any]:
    import narwhals as nw

    native = series.to_native()
    if _holds_doubles(series):
        return np.asarray(native.to_numpy())
    dtype = series.dtype
    # Missing floats become NaN, which shows in the bounds without one more pass.
    if not dtype.is_float() and series.null_count() > 0:
        missing = series.is_null().to_numpy()
        raise first_bad(np.full(missing.shape, None), missing, name)
    if dtype == nw.Object:
        return numbers_from_objects(series.to_numpy(), name)
    readable = dtype.is_integer() or dtype.is_float() or dtype == nw.Boolean
    if not readable:
        shown = getattr(native, "dtype", dtype) if dtype == nw.Unknown else dtype
        raise unreadable([name], shown)
    try:
        values = series.to_numpy()
    except Exception as error:  # each library has its own exception for "no such type in NumPy"
        raise unreadable([name], dtype) from error
    return values if values.dtype.kind in "biuf" else numbers_from_objects(values, name)


def _joined(columns: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Join columns that lie evenly spaced in one array, as in a block of a pandas frame.

    One large block is read several times faster than many small ones.
    """
    starts = [column.__array_interface__["data"][0] for column in columns]
    joined, first = [], 0
    while first < len(columns):
        gap = starts[first + 1] - starts[first] if first + 1 < len(columns) else 0
        last = first + 1
        while (
            last < len(columns)
            and starts[last] - starts[last - 1] == gap
            and _lie_alike(columns[first], columns[last])
        ):
            last += 1
        head = columns[first]
        shape, strides = (len(head), last - first), (*head.strides, gap)
        joined.append(np.lib.stride_tricks.as_strided(head, shape, strides, writeable=False))
        first = last
    return joined


def _lie_alike(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether both are views of one array, which keeps their memory alive, in the same steps."""
    return (
        isinstance(one.base, np.ndarray)
        and one.base is other.base
        and (one.dtype, one.strides) == (other.dtype, other.strides)
    )


def _as_frame(data: object) -> nw.DataFrame[Any] | None:
    """Return the data as an eager narwhals frame, None if narwhals does not know them."""
    # Loading narwhals takes a third of the time that loading numpy does: only if needed.
    import narwhals as nw

    try:
        frame = nw.from_native(data, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            if "duckdb" in type(data).__module__:
                require("pyarrow", "io")
            frame = collected(frame)
    except ValueError:  # raised for duplicate names
        checked_names(labels_of(data))
        raise
    if not isinstance(frame, nw.DataFrame):
        return None
    is_arrow = frame is not data and nw.dependencies.is_pyarrow_table(data)
    return without_index(frame, data) if is_arrow else frame
