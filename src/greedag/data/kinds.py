"""Which columns hold quantities and which hold levels.

A *continuous* column is scored by its numbers, a *discrete* one by how often each of its levels
occurs. The type of a column decides, and the caller may say otherwise. Numbers may be either:
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

from greedag._progress import LONG, check_time
from greedag.data.missing import is_missing
from greedag.errors import (
    DataError,
    GreedagWarning,
    Note,
    OptionError,
    Spelled,
    all_listed,
    argument,
    counted,
    counted_rows,
    listed,
    quoted,
    unknown_column,
    warn,
)

if TYPE_CHECKING:
    from greedag.data.source import Source

Kind = Literal["continuous", "discrete"]
Kinds: TypeAlias = "Mapping[str, Kind] | Kind"
KINDS: tuple[Kind, ...] = ("continuous", "discrete")

# Numbers with at most this many values may be levels, if each stands there more than once on
# average: integers twice, floats five times and in no tiny table.
FEW_VALUES = 10
# Of so many rows and more, a column with a level for nine in ten of them is an identifier.
_LEAST_IDENTIFIED = 20
_IDENTIFYING_SHARE = 0.9
_LEAST_FLOATS = 20
_TIMES, _TIMES_OF_FLOATS = 2, 5
# Most columns of whole numbers show more values than that in their first rows.
FIRST_ROWS = 4096


def kinds_of(source: Source, kinds: Kinds | None = None) -> tuple[Kind, ...]:
    """Say which columns of a table are continuous and which are discrete.

    Numbers are continuous, with a warning where a column has so few values that levels may be
    meant, which is kept among the notes of the source. Categories, text and booleans are
    discrete. A column of any other type is called continuous, and reading it says what is wrong
    with it.

    Parameters
    ----------
    source : Source
        An opened table.
    kinds : mapping of str to str, or str, optional
        ``"continuous"`` or ``"discrete"`` by name of the column, or one word for all columns.
        Columns that it leaves out are judged by their type.

    Returns
    -------
    tuple of str
        One word a column.

    Raises
    ------
    OptionError
        If `kinds` is not such a mapping or word.
    DataError
        If it names a column that is not there.

    Warns
    -----
    GreedagWarning
        Once, naming the columns of numbers with few distinct values.

    Examples
    --------
    >>> from greedag.data.source import open_table
    >>> kinds_of(open_table([[0.5, 1.5], [1.0, 2.0]]), {"x1": "discrete"})
    ('continuous', 'discrete')
    """
    stated = stated_kinds(kinds, source.names) or {}
    judged = dict(zip(source.names, source.judged, strict=True))
    unsure = [name for name, (_, is_unsure) in judged.items() if is_unsure and name not in stated]
    if unsure:
        source.notes = (*source.notes, ask(unsure))
    return tuple(stated.get(name, kind) for name, (kind, _) in judged.items())


def stated_kinds(kinds: Kinds | None, names: tuple[str, ...]) -> dict[str, Kind] | None:
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


def kind_of_objects(column: NDArray[Any]) -> tuple[Kind, bool]:
    """Judge Python objects by what they are: text and booleans are levels."""
    values: list[Any] = []
    for start in range(0, len(column), LONG):
        if start:
            check_time("inferring the kinds of columns", start, len(column))
        part = column[start : start + LONG].tolist()
        values += [value for value in part if not is_missing(value)]
    if values and all(isinstance(value, (str, bool, np.bool_)) for value in values):
        return "discrete", False
    if not values or not all(isinstance(value, numbers.Real) for value in values):
        return "continuous", False
    are_floats = not all(isinstance(value, numbers.Integral) for value in values)
    return "continuous", are_few(len(set(values)), len(values), are_floats=are_floats)


def few_values(column: NDArray[Any]) -> frozenset[float] | None:
    """Return the distinct values of a column of numbers, None if there are more than a few."""
    for part in (column[:FIRST_ROWS], column):
        values = np.unique(part)
        if len(values) > FEW_VALUES:
            return None
    return frozenset(values.tolist())


def are_few(distinct: int, n: float, *, are_floats: bool = False) -> bool:
    """Whether a column of n numbers has so few distinct ones that they may be levels.

    Floats, which seldom are, must repeat more often; a constant is none.
    """
    if are_floats:
        least = max(_TIMES_OF_FLOATS * distinct, _LEAST_FLOATS)
        return 1 < distinct <= FEW_VALUES and least <= n
    return 1 < distinct <= FEW_VALUES and _TIMES * distinct <= n


def is_identifier(distinct: float, n: float) -> bool:
    """Whether a column of n rows has so many levels that they tell the rows apart.

    Nine in ten rows have a level of their own. Such a column depends on every other one, whatever
    it holds; in fewer than 20 rows that may be chance.
    """
    return n >= _LEAST_IDENTIFIED and distinct >= _IDENTIFYING_SHARE * n


def numbers_rows(low: float, high: float, distinct: int, n: float) -> bool:
    """Whether a column of n whole numbers counts its rows, in whatever order."""
    return n >= _LEAST_IDENTIFIED and distinct == n == high - low + 1 and low == int(low)


def check_identifiers(names: Sequence[str], levels: Sequence[int], n: float) -> None:
    """Raise if a discrete column has a level for nearly every row.

    Parameters
    ----------
    names, levels
        The columns, and how many levels each has; 0 if it has none.
    n : float
        Number of rows.
    """
    pairs = zip(names, levels, strict=True)
    counts = {name: size for name, size in pairs if is_identifier(size, n)}
    if counts:
        raise identifiers(counts, n)


def identifiers(counts: Mapping[str, int], n: float) -> DataError:
    """Return the error for columns with too many levels, counted by column, in n rows."""
    [first, *others] = counts
    who = f"column {quoted(first)} has {counts[first]} levels in {counted_rows(n)} rows"
    tells, they = "an identifier, it tells", "it"
    if others:
        who = f"columns {counted(counts)} have too many levels for {counted_rows(n)} rows"
        tells, they = "identifiers, they tell", "them"
    return DataError(
        f"{who}: like {tells} the rows apart, so nothing can be learned from {they}, and the "
        "search would take very long",
        remedy=(
            f"drop {they} with ",
            drop_option([*counts]),
            ", or merge levels; for numbers beside a marker of missing values, name the marker "
            "with ",
            argument("na"),
        ),
        code="identifier",
        columns=tuple(counts),
        counts=counts,
    )


def note_of_numbered_rows(names: Sequence[str]) -> Note:
    """Return the note on columns of numbers that count the rows."""
    several = len(names) > 1
    return Note(
        f"column{'s' if several else ''} {listed(names)} {'number' if several else 'numbers'} the "
        f"rows: unless their order means something, drop {'them' if several else 'it'} with "
        f"{drop_option(names).python}",
        code="identifier",
        columns=names,
    )


def drop_option(names: Sequence[str]) -> Spelled:
    """Return how a caller leaves columns out."""
    return Spelled(f"drop={list(names)!r}", f"--drop {_in_shell(names)}")


def ask(names: Sequence[str]) -> Note:
    """Warn that columns of numbers are taken as continuous, and may be levels.

    Returns
    -------
    Note
        The same, for the result.
    """
    several = len(names) > 1
    warning = GreedagWarning(
        f"column{'s' if several else ''} {all_listed(names)} {'hold' if several else 'holds'} "
        f"numbers with at most {FEW_VALUES} distinct values, taken as continuous",
        remedy=(
            "if they are categories, pass ",
            kinds_option(names[0], "discrete"),
            "; if not, pass 'continuous' to silence this warning",
        ),
        code="few-values",
        columns=names,
    )
    warn(warning)
    return Note(str(warning), code=warning.code, columns=warning.columns)


def kinds_option(name: str, kind: Kind) -> Spelled:
    """Return how a caller says of which kind a column is."""
    python = f"kinds={{{name!r}: {kind!r}}}"
    return Spelled(python, f"--kinds {_in_shell([f'{name}={kind}'])}")


def _in_shell(items: Sequence[str]) -> str:
    """Return a list as in a line of a CSV file, and in a word of the shell."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(items)
    return shlex.quote(line.getvalue())
