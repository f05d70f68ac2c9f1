"""Covariance matrices as Tetrad writes them: the number of rows, the names, the matrix.

::

    /Covariance
    1000
    rain    mud
    1.25
    0.48    0.93

The first line may be missing, as may values above the diagonal. Between fields stand tabs, commas
or blanks; lines that start with ``//`` are comments.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterator

import numpy as np

from greedag.data.table import Floats
from greedag.errors import FileDataError, FileError, quoted, quoted_path
from greedag.io.atomic import read_bytes

MAX_BYTES = 2**31
_HEADS = ("/covariance", "/correlation", "/corr", "/cov")
Line = tuple[int, list[str]]


def read_covariances(path: str | os.PathLike[str]) -> tuple[int, list[str], Floats]:
    """Return the number of rows, the names and the whole matrix of such a file.

    Raises
    ------
    FileError
        Naming the line and the value of what is wrong.
    """
    shown = quoted_path(path)
    try:
        text = read_bytes(path, most=MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"{shown} is not UTF-8 text ({error.reason}); save it as UTF-8") from error
    lines = _lines(shown, text)
    n = _rows(shown, next(lines, None))
    number, names = next(lines, (0, []))
    if not names:
        raise FileDataError(f"{shown} ends before the names of the columns")
    first: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        if first.setdefault(name, place) != place:
            raise FileDataError(
                f"{shown}, line {number}: columns {first[name]} and {place} are both {quoted(name)}"
            )
    return n, names, _matrix(shown, names, list(lines))


def _lines(shown: str, text: str) -> Iterator[Line]:
    """Yield the lines that hold something, with their numbers, after the line that names it."""
    is_first = True
    for number, line in enumerate(io.StringIO(text), start=1):
        held = line.strip().rstrip(",")
        if not held or held.startswith("//"):
            continue
        if not (is_first and held.lower().startswith(_HEADS)):
            yield number, _fields(shown, number, held)
        is_first = False


def _fields(shown: str, number: int, line: str) -> list[str]:
    mark = next((mark for mark in "\t," if mark in line), " ")
    try:
        (fields,) = csv.reader([line], delimiter=mark, strict=True)
    except (csv.Error, ValueError) as error:
        raise FileError(f"{shown}, line {number} cannot be read: {error}") from error
    # Between two fields there may be several blanks.
    return [field.strip() for field in fields if field or mark != " "]


def _rows(shown: str, line: Line | None) -> int:
    if line is None:
        raise FileError(f"{shown} is empty; its first line must be the number of rows")
    number, fields = line
    value = _number(fields[0]) if len(fields) == 1 else math.nan
    if not (value.is_integer() and 2 <= value <= 2**53):
        raise FileDataError(
            f"{shown}, line {number} must be the number of rows, 2 or more; it is "
            f"{quoted(' '.join(fields))}"
        )
    return int(value)


def _matrix(shown: str, names: list[str], lines: list[Line]) -> Floats:
    d = len(names)
    if len(lines) != d:
        where = f"{shown}, line {lines[d][0]}" if len(lines) > d else shown
        raise FileDataError(
            f"{where}: the matrix has {len(lines)} rows for {d} names; there must be one for each"
        )
    is_square = len(lines[0][1]) == d
    for i, (number, fields) in enumerate(lines):
        length = d if is_square else i + 1
        if len(fields) != length:
            raise FileDataError(
                f"{shown}, line {number} has {len(fields)} values; the row of {quoted(names[i])} "
                f"must have {length}"
            )
    matrix = np.zeros((d, d))
    for i, (number, fields) in enumerate(lines):
        for j, field in enumerate(fields):
            matrix[i, j] = _value(shown, number, names[j], field)
    return matrix if is_square else matrix + np.tril(matrix, -1).T


def _value(shown: str, line: int, name: str, field: str) -> float:
    value = _number(field)
    if not math.isfinite(value):
        raise FileDataError(
            f"{shown}, line {line}, column {quoted(name)}: {quoted(field)} is not a finite number"
        )
    return value


def _number(field: str) -> float:
    try:
        return math.nan if "_" in field else float(field)
    except ValueError:
        return math.nan
