"""The cells of tables of text: numbers, levels, missing values, and what is none of these."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Any, Literal

import numpy as np

from greedag.errors import FileError, Part, Spelled, option, quoted, require
from greedag.io.chunks import numbers_in

Role = Literal["numbers", "levels", "open"]
Cell = float | str | None

# What stands for a value that is missing, in any case.
NOTHING = (
    *("", "na", "n/a", "nan", "null", "-nan", "#na", "#n/a", "#n/a n/a"),
    *("1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"),
)
# Not 01, +1 or 1e5, which may be told from 1 and 100000 on purpose.
_PLAIN = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?(e[+-]\d{1,3})?", re.ASCII)
_TO_DROP: tuple[Part, ...] = (option("missing", "drop"), " to leave out such rows")
_TO_ESTIMATE: tuple[Part, ...] = (
    ", ",
    option("missing", "em"),
    " to estimate moments from what is there",
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
    """

    name: str
    role: Role = "numbers"
    is_open: bool = False
    is_weights: bool = False
    allow_missing: bool = False
    among_numbers: bool = True


def is_nothing(field: str) -> bool:
    """Whether a field stands for a value that is missing."""
    return field.strip().lower() in NOTHING


def number_in(text: str) -> float | None:
    """Return the number that a text holds, if there is one."""
    try:
        # float() reads 1_000, which no other program writes as a number.
        return None if "_" in text else float(text)
    except ValueError:
        return None


def has_decimal_comma(text: str) -> bool:
    """Whether a text is a number but for a comma in place of the point."""
    return "," in text and number_in(text.replace(",", ".")) is not None


def is_text(field: str) -> bool:
    """Whether a field holds something that no program takes for a number."""
    try:
        float(field)
    except ValueError:
        return not is_nothing(field) and not has_decimal_comma(field)
    return False


def is_absent(value: object) -> bool:
    """Whether a value of JSON stands for a missing one."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def cell_of_field(where: str, plan: ColumnPlan, field: str) -> Cell:
    """Return what a field of CSV holds, or say why it does not belong there."""
    if is_nothing(field):
        if plan.allow_missing:
            return None
        raise _missing(where, plan, f"{quoted(field)} is not a finite number", field.strip())
    if plan.role == "levels" and not (plan.is_open and has_decimal_comma(field)):
        return field.strip()
    number = number_in(field)
    if number is not None and math.isfinite(number):
        return number
    remedy: tuple[Part, ...] = (
        "correct it, drop the row, or ",
        Spelled("read only columns of numbers, by columns=[…]", "leave the column out with --drop"),
    )
    if has_decimal_comma(field):
        said = ", or say with --kinds that the column is discrete"
        remedy = ("write decimals with a point", Spelled("", said))
    elif number is None:
        remedy += (Spelled("", ", or say with --kinds that it is discrete"),)
    raise _refused(where, plan, f"{quoted(field)} is not a finite number", remedy)


def cell_of_value(where: str, plan: ColumnPlan, value: Any) -> Cell:
    """Return what a value of JSON is, or say why it does not belong there."""
    if is_absent(value):
        if plan.allow_missing:
            return None
        raise _missing(where, plan, f"{quoted(value)} is no finite number", value is not None)
    if plan.role == "levels":
        if isinstance(value, str):
            return value
        if isinstance(value, (bool, int, float)):
            return json.dumps(value)
        raise _refused(where, plan, f"{quoted(value)} is no level", ("write text",))
    try:
        if isinstance(value, (int, float)) and math.isfinite(value):
            return float(value)
    except OverflowError:
        pass
    raise _refused(
        where, plan, f"{quoted(value)} is no finite number", ("correct it or drop the row",)
    )


def _missing(where: str, plan: ColumnPlan, shown: str, is_word: object) -> FileError:
    """Return the error for a missing value, which a word may stand for."""
    if plan.is_weights:
        return _refused(where, plan, "the value is missing", ("correct it",))
    if not plan.among_numbers:
        return _refused(where, plan, "the value is missing", ("correct it, or pass ", *_TO_DROP))
    leave = Spelled("leave the column out by columns=[…]", "leave the column out with --drop")
    remedy = ("correct it, ", leave, ", or pass ", *_TO_DROP, *_TO_ESTIMATE)
    return _refused(where, plan, shown if is_word else "the value is missing", remedy)


def _refused(where: str, plan: ColumnPlan, problem: str, remedy: tuple[Part, ...]) -> FileError:
    return FileError(
        f"{where}, column {quoted(plan.name)}: {problem}", remedy=remedy, columns=(plan.name,)
    )


def tables_of(
    cells: Iterable[list[Cell]], plans: Mapping[str, ColumnPlan], rows: int, skip: int = 0
) -> Iterator[Any]:
    """Give rows of cells as Arrow tables of so many rows, without the first ones."""
    arrow = require("pyarrow", "io")
    types = {"numbers": arrow.float64(), "levels": arrow.string()}
    left = islice(iter(cells), skip, None)
    while group := list(islice(left, rows)):
        columns = zip(plans.values(), zip(*group, strict=True), strict=True)
        arrays = [arrow.array(column, types[plan.role]) for plan, column in columns]
        yield arrow.Table.from_arrays(arrays, names=list(plans))


def finished(table: Any, plans: Mapping[str, ColumnPlan]) -> Any:
    """Return a whole table of text with the types that its values show.

    Levels that are all plain numbers become numbers, so that 1 and 1.0 are the same. Whole numbers
    of which nobody said what they are become such, for `learn` to ask about those with few values.
    """
    arrow = require("pyarrow", "io")
    columns = [
        _plain_numbers(column) if plan.role == "levels" else _whole_numbers(column, plan)
        for column, plan in zip(table.columns, plans.values(), strict=True)
    ]
    return arrow.Table.from_arrays(columns, names=list(plans))


def _whole_numbers(column: Any, plan: ColumnPlan) -> Any:
    arrow = require("pyarrow", "io")
    if not plan.is_open or column.null_count:
        return column
    numbers = numbers_in(column)
    is_whole = (numbers == np.rint(numbers)) & (np.abs(numbers) < 2**31)
    return arrow.chunked_array([numbers.astype(np.int32)]) if is_whole.all() else column


def _plain_numbers(column: Any) -> Any:
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
