"""The cells of tables of text: numbers, levels, missing values, and what is none of these."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Any, Literal

import numpy as np

from greedag._progress import check_time, interruptible
from greedag.errors import FileDataError, Part, Spelled, option, quoted, require
from greedag.io.chunks import numbers_in

Role = Literal["numbers", "levels", "open"]
Cell = float | str | None

# Not 01, +1 or 1e5, which may be told from 1 and 100000 on purpose.
_PLAIN = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?(e[+-]\d{1,3})?", re.ASCII)
_ROWS_BETWEEN_LOOKS = 1024
_TO_DROP: tuple[Part, ...] = (option("missing", "drop"), " to leave out such rows")
_TO_ESTIMATE: tuple[Part, ...] = (
    ", ",
    option("missing", "em"),
    " to estimate moments from the observed values",
)


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """How one column of text is read.

    Attributes
    ----------
    name : str
    role : str
        ``"numbers"`` or ``"levels"``.
    is_open : bool
        Whether the first value has decided so, and nobody said it.
    is_weights : bool
        Whether it holds the weights of rows.
    allow_missing : bool
        Whether values may be missing.
    among_numbers : bool
        Whether all columns of the table hold numbers.
    na : frozenset of str
        Words that stand for missing values among numbers, read as NaN.
    """

    name: str
    role: Role = "numbers"
    is_open: bool = False
    is_weights: bool = False
    allow_missing: bool = False
    among_numbers: bool = True
    na: frozenset[str] = frozenset()


def missing_value(where: str, plan: ColumnPlan, shown: str, is_word: object) -> FileDataError:
    """Return the error for a missing value, which a word may stand for."""
    if plan.is_weights:
        return refused(where, plan, "the value is missing", ("correct it",))
    if not plan.among_numbers:
        return refused(where, plan, "the value is missing", ("correct it, or pass ", *_TO_DROP))
    leave = Spelled("leave the column out", "leave the column out with --drop")
    remedy = ("correct it, ", leave, ", or pass ", *_TO_DROP, *_TO_ESTIMATE)
    return refused(where, plan, shown if is_word else "the value is missing", remedy)


def refused(where: str, plan: ColumnPlan, problem: str, remedy: tuple[Part, ...]) -> FileDataError:
    return FileDataError(
        f"{where}, column {quoted(plan.name)}: {problem}", remedy=remedy, columns=(plan.name,)
    )


def tables_of(
    cells: Iterable[list[Cell]], plans: Mapping[str, ColumnPlan], rows: int, skip: int = 0
) -> Iterator[Any]:
    """Give rows of cells as Arrow tables of so many rows, without the first ones."""
    arrow = require("pyarrow", "io")
    types = {"numbers": arrow.float64(), "levels": arrow.string()}
    left = islice(iter(cells), skip, None)
    while group := list(_watched(islice(left, rows))):
        columns = zip(plans.values(), zip(*group, strict=True), strict=True)
        arrays = [arrow.array(column, types[plan.role]) for plan, column in columns]
        yield arrow.Table.from_arrays(arrays, names=list(plans))


def _watched(rows: Iterator[list[Cell]]) -> Iterator[list[Cell]]:
    for done, row in enumerate(rows):
        if done % _ROWS_BETWEEN_LOOKS == _ROWS_BETWEEN_LOOKS - 1:
            check_time("reading the table", done)
        yield row


def finished(table: Any, plans: Mapping[str, ColumnPlan]) -> Any:
    """Return a whole table of text with the types that its values show.

    Levels that are all plain numbers become numbers, so that 1 and 1.0 are the same. Whole numbers
    of which nobody said what they are become such, for `learn` to ask about those with few values.
    """
    arrow = require("pyarrow", "io")
    columns = []
    for column, plan in zip(table.columns, plans.values(), strict=True):
        finish = _plain_numbers if plan.role == "levels" else _whole_numbers
        columns.append(interruptible("reading the table", len(column), finish, column, plan))
    return arrow.Table.from_arrays(columns, names=list(plans))


def _whole_numbers(column: Any, plan: ColumnPlan) -> Any:
    arrow = require("pyarrow", "io")
    if not plan.is_open or column.null_count:
        return column
    numbers = numbers_in(column)
    is_whole = (numbers == np.rint(numbers)) & (np.abs(numbers) < 2**31)
    return arrow.chunked_array([numbers.astype(np.int32)]) if is_whole.all() else column


def _plain_numbers(column: Any, plan: ColumnPlan) -> Any:
    arrow = require("pyarrow", "io")
    encoded = column.combine_chunks().dictionary_encode()
    levels: Sequence[str] = encoded.dictionary.to_pylist()
    if not all(map(_is_plain_number, levels)):
        return column
    numbers = arrow.array([float(level) for level in levels], arrow.float64())
    return numbers.take(encoded.indices)


def _is_plain_number(level: str) -> bool:
    """Whether a level is a number in plain digits, all of which a double holds."""
    return bool(_PLAIN.fullmatch(level)) and Decimal(level) == Decimal(repr(float(level)))
