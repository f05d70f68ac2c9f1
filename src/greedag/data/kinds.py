"""Which columns hold quantities and which hold levels.

A *continuous* column is scored by its numbers, a *discrete* one by how often each of its levels
occurs. The type of a column decides, and the caller may say otherwise. Whole numbers may be either:
those with few distinct values are asked about by a warning.
"""

from __future__ import annotations

import csv
import io
import numbers
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from greedag.data.missing import is_missing
from greedag.data.names import checked_names, default_names
from greedag.data.table import opened
from greedag.errors import (
    GreedagWarning,
    OptionError,
    Spelled,
    listed,
    quoted,
    unknown_column,
    warn,
    wrong_dimensions,
)

if TYPE_CHECKING:
    import narwhals as nw

Kind = Literal["continuous", "discrete"]
Kinds: TypeAlias = "Mapping[str, Kind] | Kind"
KINDS: tuple[Kind, ...] = ("continuous", "discrete")

# Whole numbers with at most this many values, each twice or more on average, may be levels.
FEW_VALUES = 10
# Most columns of whole numbers show more values than that in their first rows.
_FIRST_ROWS = 4096


def kinds_of(
    data: object, kinds: Kinds | None = None, *, names: tuple[str, ...] | None = None
) -> tuple[Kind, ...]:
    """Say which columns of a table are continuous and which are discrete.

    Floats are continuous. Categories, text and truth values are discrete. Whole numbers are
    continuous, with a warning where a column has so few values that levels may be meant. A column
    of any other type is called continuous, and reading it says what is wrong with it.

    Parameters
    ----------
    data : table or array_like of shape (n, d)
        Anything that :func:`greedag.data.table.read_table` reads, or that holds text or categories.
    kinds : mapping of str to str, or str, optional
        ``"continuous"`` or ``"discrete"`` by name of the column, or one word for all columns.
        Columns that it leaves out are judged by their type.
    names : tuple of str, optional
        What the columns are called, in place of the table's own names.

    Returns
    -------
    tuple of str
        One word a column.

    Raises
    ------
    OptionError
        If `kinds` is no such mapping or word.
    DataError
        If it names a column that is not there.

    Warns
    -----
    GreedagWarning
        Once, naming the columns of whole numbers with few distinct values.

    Examples
    --------
    >>> kinds_of(np.array([[0.5, 1.5], [1.0, 2.0]]))
    ('continuous', 'continuous')
    >>> kinds_of(np.array([[0.5, 1.5], [1.0, 2.0]]), {"x1": "discrete"})
    ('continuous', 'discrete')
    """
    source = opened(data)
    names = _names(source) if names is None else names
    told = _told(kinds, names)
    found: list[Kind] = []
    unsure = []
    for j, name in enumerate(names):
        if told is not None and name in told:
            found.append(told[name])
            continue
        kind, is_unsure = _kind_of(source, j)
        found.append(kind)
        if is_unsure:
            unsure.append(name)
    if unsure:
        ask(unsure)
    return tuple(found)


def check_kinds(data: object, kinds: Kinds | None) -> None:
    """Raise if what is said about the columns of a table cannot be meant; see `kinds_of`."""
    _told(kinds, _names(opened(data)))


def _names(source: NDArray[Any] | nw.DataFrame[Any]) -> tuple[str, ...]:
    if not isinstance(source, np.ndarray):
        return checked_names(source.columns)
    if source.ndim != 2:
        raise wrong_dimensions(source.shape)
    return default_names(source.shape[1])


def _told(kinds: Kinds | None, names: tuple[str, ...]) -> Mapping[str, Kind] | None:
    """Return what the caller says of columns, by name, if it can be meant."""
    if kinds is None:
        return None
    if isinstance(kinds, str):
        return dict.fromkeys(names, _word(kinds, "all columns"))
    if not isinstance(kinds, Mapping):
        raise OptionError(
            "kinds must be 'continuous', 'discrete' or a mapping such as "
            f"{{'column': 'discrete'}}; got {quoted(kinds)}"
        )
    for name in kinds:
        if name not in names:
            raise unknown_column(name, names)
    return {name: _word(word, f"column {quoted(name)}") for name, word in kinds.items()}


def _word(word: object, where: str) -> Kind:
    for kind in KINDS:
        if isinstance(word, str) and word == kind:
            return kind
    raise OptionError(f"kinds must be 'continuous' or 'discrete', got {quoted(word)} for {where}")


def _kind_of(source: NDArray[Any] | nw.DataFrame[Any], j: int) -> tuple[Kind, bool]:
    """Return the kind of a column by its type, and whether it may be the other."""
    if isinstance(source, np.ndarray):
        return _kind_of_array(source[:, j])
    return _kind_of_series(source[:, j])


def _kind_of_array(column: NDArray[Any]) -> tuple[Kind, bool]:
    if column.dtype.kind == "O":
        return _kind_of_objects(column)
    if column.dtype.kind in "bUST":
        return "discrete", False
    values = few_values(column) if column.dtype.kind in "iu" else None
    return "continuous", values is not None and are_few(len(values), len(column))


def _kind_of_series(series: nw.Series[Any]) -> tuple[Kind, bool]:
    import narwhals as nw

    held = getattr(series.to_native(), "dtype", None)
    # Most columns are NumPy's own doubles, and asking narwhals about each takes its time.
    if isinstance(held, np.dtype) and held.kind == "f":
        return "continuous", False
    dtype = series.dtype
    if dtype == nw.Object:
        return _kind_of_objects(series.to_numpy())
    if dtype in (nw.Boolean, nw.String, nw.Categorical, nw.Enum):
        return "discrete", False
    if not dtype.is_integer() or series.head(_FIRST_ROWS).n_unique() > FEW_VALUES + 1:
        return "continuous", False
    present = series.drop_nulls()
    return "continuous", are_few(present.n_unique(), len(present))


def _kind_of_objects(column: NDArray[Any]) -> tuple[Kind, bool]:
    """Judge Python objects by what they are: text and truth values are levels."""
    values = [value for value in column.tolist() if not is_missing(value)]
    if values and all(isinstance(value, (str, bool, np.bool_)) for value in values):
        return "discrete", False
    if not values or not all(isinstance(value, numbers.Integral) for value in values):
        return "continuous", False
    return "continuous", are_few(len(set(values)), len(values))


def few_values(column: NDArray[Any]) -> frozenset[float] | None:
    """Return the distinct values of a column of numbers, None if there are more than a few."""
    for part in (column[:_FIRST_ROWS], column):
        values = np.unique(part)
        if len(values) > FEW_VALUES:
            return None
    return frozenset(values.tolist())


def are_few(distinct: int, n: float) -> bool:
    """Whether a column of n whole numbers has so few distinct ones that they may be levels."""
    return 0 < distinct <= FEW_VALUES and 2 * distinct <= n


def ask(names: Sequence[str]) -> None:
    """Warn that columns of whole numbers are taken as continuous, and may be levels."""
    several = len(names) > 1
    warn(
        GreedagWarning(
            f"column{'s' if several else ''} {listed(names)} {'hold' if several else 'holds'} "
            f"whole numbers with at most {FEW_VALUES} distinct values, taken as continuous",
            remedy=(
                "if they are levels pass ",
                kinds_option(names[0], "discrete"),
                ", if not 'continuous', which ends this warning",
            ),
            code="few-values",
            columns=names,
        )
    )


def kinds_option(name: str, kind: Kind) -> Spelled:
    """Return how a caller says of which kind a column is."""
    line = io.StringIO()
    # As in a line of a CSV file, and in a word of the shell.
    csv.writer(line, lineterminator="").writerow([f"{name}={kind}"])
    python = f"kinds={{{name!r}: {kind!r}}}"
    return Spelled(python, f"--kinds {shlex.quote(line.getvalue())}")
