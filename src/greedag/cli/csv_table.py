"""Text tables: values under one line of names, between commas, tabs, semicolons or bars."""

from __future__ import annotations

import csv
import math
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from greedag.cli.cells import FOR_MISSING, Form, Rows
from greedag.cli.columns import Choice
from greedag.cli.reading import Reading
from greedag.cli.text import open_text
from greedag.errors import FileError, quoted, quoted_path
from greedag.io.files import NOTHING, check_header, delimiter_in, has_decimal_comma, number_in

Line = tuple[int, list[str]]
NamedValues = tuple[tuple[str, ...], NDArray[np.float64]]


def read_csv(path: str, choice: Choice, *, delimiter: str = ",") -> NamedValues:
    """Read a text table; columns that are not chosen may hold anything.

    Raises
    ------
    FileError
        Naming the file and, where there is one, the line, the column and the value.
    """
    cells = array("d")
    with _opened(path, delimiter) as (names, lines):
        kept = choice.positions(names)
        chosen = tuple(names[j] for j in kept)
        for line, row in lines:
            if len(row) != len(names):
                raise _ragged(_place(path, line), row, names)
            fields = row if chosen == names else [row[j] for j in kept]
            numbers = _numbers(fields)
            if numbers is None:
                pairs = zip(chosen, fields, strict=True)
                numbers = [_finite(_place(path, line), name, field) for name, field in pairs]
            cells.extend(numbers)
    if not cells:
        raise FileError(f"{quoted_path(path)} has names but no rows of numbers")
    return chosen, np.frombuffer(cells, dtype=np.float64).reshape(-1, len(chosen))


def add_csv(path: str, choice: Choice, rows: Rows, *, delimiter: str = ",") -> None:
    """Add the rows of a text table, some of whose columns may hold levels.

    Raises
    ------
    FileError
        Naming the file and, where there is one, the line, the column and the value.
    """
    with _opened(path, delimiter) as (names, lines):
        kept = choice.positions(names)
        columns = rows.open([names[j] for j in kept])
        line = 0
        for line, row in lines:
            where = _place(path, line)
            if len(row) != len(names):
                raise _ragged(where, row, names)
            for j, column in zip(kept, columns, strict=True):
                column.add(where, row[j], FIELDS)
    if not line:
        raise FileError(f"{quoted_path(path)} has names but no rows")


def csv_has_text(path: str, choice: Choice, reading: Reading, *, delimiter: str = ",") -> bool:
    """Whether the first line of values has text in a column that may hold levels."""
    with _opened(path, delimiter) as (names, lines):
        kept = choice.positions(names)
        _, row = next(lines, (0, []))
    if len(row) != len(names):
        return False  # reading it as numbers says what is wrong
    return any(reading.role(names[j]) == "open" and _is_text(row[j]) for j in kept)


@contextmanager
def _opened(path: str, usual: str) -> Iterator[tuple[tuple[str, ...], Iterator[Line]]]:
    """Open a table, and give its names and the lines under them."""
    with open_text(path) as file:
        lines = _numbered_rows(path, file, usual)
        yield _header(path, lines), lines


def _numbered_rows(path: str, file: TextIO, usual: str) -> Iterator[Line]:
    """Yield (line number, fields); blank lines may only end the file."""
    first = list(islice(file, 2))
    reader = csv.reader(chain(first, file), delimiter=delimiter_in(first, usual), strict=True)
    blank = 0
    try:
        for row in reader:
            if not row:
                blank = blank or reader.line_num
                continue
            if blank:
                raise FileError(f"{quoted_path(path)}, line {blank} is empty; remove it")
            yield reader.line_num, row
    except csv.Error as error:
        raise FileError(
            f"{quoted_path(path)}, line {reader.line_num} is not valid CSV: {error}"
        ) from error


def _header(path: str, lines: Iterator[Line]) -> tuple[str, ...]:
    _, fields = next(lines, (0, []))
    shown = quoted_path(path)
    if not fields:
        raise FileError(f"{shown} is empty; the first line must hold the column names")
    names = tuple(field.strip() for field in fields)
    check_header(path, names)
    first: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if not name:
            raise FileError(f"{shown}, line 1: column {position} has no name")
        if first.setdefault(name, position) != position:
            raise FileError(
                f"{shown}, line 1: columns {first[name]} and {position} are both {quoted(name)}"
            )
    return names


def _ragged(where: str, row: Sequence[str], names: Sequence[str]) -> FileError:
    return FileError(f"{where} has {len(row)} fields; the header has {len(names)}")


def _place(path: str, line: int) -> str:
    return f"{quoted_path(path)}, line {line}"


def _numbers(fields: Sequence[str]) -> list[float] | None:
    """Return the numbers of a line at one go, None where each must be looked at."""
    try:
        numbers = list(map(float, fields))
    except ValueError:
        return None
    # float() reads 1_000, which no other program writes as a number.
    return numbers if math.isfinite(sum(numbers)) and "_" not in "".join(fields) else None


def _finite(where: str, name: str, field: str) -> float:
    number = number_in(field)
    if number is not None and math.isfinite(number):
        return number
    problem = f"{quoted(field)} is not a finite number" if field.strip() else "the value is missing"
    remedy = "correct it, drop the row, or leave the column out with --drop"
    if _is_missing(field):
        remedy = f"correct it, leave the column out with --drop, or pass {FOR_MISSING}"
    elif has_decimal_comma(field):
        remedy = "write decimals with a point, or say with --kinds that the column is discrete"
    elif number is None:
        remedy += ", or say with --kinds that it is discrete"
    raise FileError(f"{where}, column {quoted(name)}: {problem}; {remedy}")


def _is_missing(field: str) -> bool:
    return field.strip().lower() in NOTHING


def _is_text(field: str) -> bool:
    """Whether a field holds something that no program takes for a number."""
    try:
        float(field)
    except ValueError:
        return not _is_missing(field) and not has_decimal_comma(field)
    return False


def _level(where: str, name: str, field: str) -> str:
    return field.strip()


FIELDS = Form(_is_missing, _is_text, has_decimal_comma, _finite, _level)
