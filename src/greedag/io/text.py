"""Tables of text: CSV and its like by Arrow, and line by line wherever Arrow is not sure.

Arrow reads a file ten times faster, but takes what should be refused, such as empty lines or text
behind a quote, and refuses some of what can be read, such as blanks around a word for a missing
value. So at the first doubt the file is read again, line by line, which either goes on with the
rows that are left or names line, column and value of what is wrong.
"""

from __future__ import annotations

import codecs
import csv
import io
import math
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TextIO

import numpy as np

from greedag._progress import check_time
from greedag.data.names import UNNAMED, are_row_names
from greedag.errors import (
    FileDataError,
    FileError,
    Part,
    Spelled,
    listed,
    quoted,
    quoted_path,
    require,
)
from greedag.io.cells import Cell, ColumnPlan, Role, missing_value, refused, tables_of
from greedag.io.chunks import numbers_in, rechunked

Line = tuple[int, list[str]]

# What stands for a value that is missing, in any case.
NOTHING = (
    *("", "na", "n/a", "nan", "null", "-nan", "#na", "#n/a", "#n/a n/a"),
    *("1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"),
)
PACKED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
# Other spellings are read line by line.
_USUAL_NOTHING = sorted({*NOTHING, *map(str.upper, NOTHING), "NaN", "-NaN", "Null"})
# Blocks four times smaller or larger take half as long again.
_BLOCK_BYTES = 2**20
_READ_BYTES = 2**22
_LINES_BETWEEN_LOOKS = 1024
_MANY_ROWS = 2**14
_DOING = "reading the table"
_DELIMITERS = ",;\t|"
# So many rows say whether the first column numbers or names them.
_INDEX_ROWS = 100_000
_QUOTE = ord('"')
_TRUTH = {"true": 1.0, "false": 0.0}


class _Doubt(Exception):
    """Arrow may have read something else than is written."""


class Content:
    """The bytes of a file, unpacked, from the start as often as needed."""

    def __init__(self, path: str) -> None:
        self.path = self._readable = path
        if not os.path.isfile(path):
            # A pipe can be read only once.
            self._copy = tempfile.NamedTemporaryFile()  # noqa: SIM115
            with open(path, "rb") as pipe:
                shutil.copyfileobj(pipe, self._copy)
            self._copy.flush()
            self._readable = self._copy.name

    def stream(self) -> Any:
        """Open the content for reading bytes."""
        packing = PACKED.get(os.path.splitext(self.path)[1].lower())
        file = open(self._readable, "rb")  # noqa: SIM115
        if packing is None:
            return file
        arrow = require("pyarrow", "io")
        return arrow.CompressedInputStream(arrow.PythonFile(file, "r"), packing)

    def text(self) -> TextIO:
        """Open the content for reading text, without the mark that spreadsheets begin with."""
        return io.TextIOWrapper(self.stream(), encoding="utf-8-sig", newline="")


class CsvTable:
    """A table of values under one line of names, between commas, tabs, semicolons or bars."""

    has_types = False
    total: int | None = None
    index: tuple[str, ...] = ()

    def __init__(self, path: str, usual: str, na: frozenset[str] = frozenset()) -> None:
        self.path, self._na = path, na
        self._content = Content(path)
        with self._content.text() as file:
            self._mark = delimiter_in(list(islice(file, 2)), usual)
        with self._content.text() as file:
            lines = [fields for _, fields in islice(self._lines(file), 2)]
        header, values = [*lines, [], []][:2]
        # R may leave out the name of the first column, or even its place in the header.
        is_short = len(values) == len(header) + 1
        first = "" if is_short else "".join(header[:1]).strip()
        if first in UNNAMED and len(values) > 1 and self._numbers_rows(len(values)):
            self.index = (first,)
            self.names = (first, *_checked_header(path, header if is_short else header[1:]))
        else:
            self.names = _checked_header(path, header)

    def roles(self, names: Sequence[str], *, look_on: bool) -> dict[str, Role]:
        """Return what the first values of columns make of them."""
        found: dict[str, Role] = {}
        left = {name: self.names.index(name) for name in names}
        with self._content.text() as file:
            for _, row in islice(self._lines(file), 1, None if look_on else 2):
                if not left or len(row) != len(self.names):
                    break  # reading says what is wrong
                held = [
                    name
                    for name, j in left.items()
                    if not is_nothing(row[j]) and row[j].strip() not in self._na
                ]
                found |= {n: "levels" if is_text(row[left.pop(n)]) else "numbers" for n in held}
        return found

    def _numbers_rows(self, width: int) -> bool:
        """Whether the first of so many fields number or name the rows, going by the first rows."""
        with self._content.text() as file:
            lines = islice(self._lines(file), 1, _INDEX_ROWS)
            firsts = [row[0].strip() if len(row) == width else None for _, row in lines]
        if None in firsts:
            return False  # reading says what is wrong
        numbers = [number_in(field or "") for field in firsts]
        if None in numbers:
            return are_row_names(np.array(firsts, dtype=object))
        return are_row_names(np.array(numbers, dtype=float))

    def chunks(self, plans: Mapping[str, ColumnPlan], rows: int) -> Iterator[Any]:
        """Give Arrow tables of these columns, each of so many rows.

        Raises
        ------
        FileError
            Naming the file and, where there is one, the line, the column and the value.
        """
        arrow, done = require("pyarrow", "io"), 0
        # The more words Arrow looks for, the longer it takes.
        some = any(plan.allow_missing for plan in plans.values())
        for words in ([""], _USUAL_NOTHING) if some else ([""],):
            try:
                for table in self.fast_chunks(plans, rows, nothing=words, skip=done):
                    yield table
                    done += table.num_rows
                break
            except (_Doubt, UnicodeDecodeError, arrow.ArrowInvalid):
                continue
        else:
            for table in self.careful_chunks(plans, rows, skip=done):
                yield table
                done += table.num_rows
        if not done:
            raise FileDataError(f"{quoted_path(self.path)} has a header but no rows")

    def fast_chunks(
        self,
        plans: Mapping[str, ColumnPlan],
        rows: int,
        *,
        nothing: Sequence[str] = _USUAL_NOTHING,
        skip: int = 0,
    ) -> Iterator[Any]:
        """Give what Arrow reads, as long as there is no doubt about it, without the first rows."""
        arrow, reader = require("pyarrow", "io"), require("pyarrow.csv", "io")
        # Columns by their places: names are stripped and checked elsewhere.
        place = {name: str(j) for j, name in enumerate(self.names)}
        types = {"numbers": arrow.float64(), "levels": arrow.string()}
        convert = reader.ConvertOptions(
            include_columns=[place[name] for name in plans],
            column_types={
                place[n]: types["levels" if plan.na else plan.role] for n, plan in plans.items()
            },
            null_values=list(nothing),
        )
        parse = reader.ParseOptions(delimiter=self._mark, newlines_in_values=True)
        with self._content.stream() as stream:
            # Blocks are read here and handed over as bytes: a stream of Python's would be read by
            # a thread of Arrow's, which may still run when the interpreter ends.
            tables = (
                reader.read_csv(
                    arrow.BufferReader(block),
                    read_options=reader.ReadOptions(
                        use_threads=False,
                        block_size=_BLOCK_BYTES,
                        column_names=list(place.values()),
                        skip_rows_after_names=int(is_first),
                    ),
                    parse_options=parse,
                    convert_options=convert,
                )
                for is_first, block in _Watched(stream, self._mark).blocks()
            )
            batches = (batch for table in tables for batch in table.to_batches())
            for table in rechunked(batches, rows, skip=skip):
                held: list[Any] = []
                for column, plan in zip(table.columns, plans.values(), strict=True):
                    if held and table.num_rows > _MANY_ROWS:
                        check_time(_DOING)
                    held.append(_without_doubt(column, plan))
                yield arrow.Table.from_arrays(held, names=list(plans))

    def careful_chunks(
        self, plans: Mapping[str, ColumnPlan], rows: int, *, skip: int = 0
    ) -> Iterator[Any]:
        """Give what is read line by line, without the first rows, but with a look at them."""
        places = [self.names.index(name) for name in plans]

        def cells(line: Line) -> list[Cell]:
            where, row = f"{quoted_path(self.path)}, line {line[0]}", line[1]
            if len(row) != len(self.names):
                raise FileDataError(
                    f"{where} has {len(row)} fields; the header has {len(self.names)}"
                )
            pairs = zip(places, plans.values(), strict=True)
            return [cell_of_field(where, plan, row[j]) for j, plan in pairs]

        with self._content.text() as file:
            lines = islice(self._lines(file), 1, None)
            yield from tables_of(map(cells, lines), plans, rows, skip)

    def _lines(self, file: TextIO) -> Iterator[Line]:
        """Yield (line number, fields); empty lines may only end the file."""
        reader = csv.reader(file, delimiter=self._mark, strict=True)
        empty = 0
        try:
            for place, row in enumerate(reader):
                if place % _LINES_BETWEEN_LOOKS == _LINES_BETWEEN_LOOKS - 1:
                    check_time(_DOING, place)
                if not row:
                    empty = empty or reader.line_num
                    continue
                if empty:
                    raise FileDataError(
                        f"{quoted_path(self.path)}, line {empty} is empty; remove it"
                    )
                yield reader.line_num, row
        except csv.Error as error:
            raise FileError(
                f"{quoted_path(self.path)}, line {reader.line_num} is not valid CSV: {error}"
            ) from error


class _Watched:
    """A stream of CSV that raises a doubt where Arrow reads what it should not."""

    def __init__(self, stream: Any, mark: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._is_beside = np.zeros(256, dtype=bool)
        self._is_beside[[ord(mark), ord("\r"), ord("\n"), _QUOTE]] = True
        self._quotes = 0
        # As if the file came after the end of a line.
        self._tail = b"\n"
        self._held = b""
        self._is_begun = False

    def blocks(self) -> Iterator[tuple[bool, bytes]]:
        """Give whole rows, some at a time, and whether they are the first."""
        is_first, rest = True, b""
        while block := self.read(_READ_BYTES):
            if not is_first:
                check_time(_DOING)
            rest += block
            end = _end_of_rows(rest)
            if end:
                yield is_first, rest[:end]
                is_first, rest = False, rest[end:]
        if rest:
            yield is_first, rest

    def read(self, size: int) -> bytes:
        """Return the next bytes, after a look at them."""
        block: bytes = self._stream.read(size)
        if not self._is_begun:
            self._is_begun, block = True, block.removeprefix(codecs.BOM_UTF8)
        if not block or self._decoder.getstate()[0] or not block.isascii():
            self._decoder.decode(block, final=not block)
        self._check_quotes(block or b"\n")
        if not block and self._quotes % 2:
            raise _Doubt
        text = self._without_last_ends(block)
        _check_lines(text)
        return text

    def _without_last_ends(self, block: bytes) -> bytes:
        """Hold back ends of lines until more follows: empty lines may end the file."""
        text = block.rstrip(b"\r\n")
        if block and not text:
            self._held += block
            return self.read(len(block))
        before, self._held = self._held if text else b"", block[len(text) :]
        return before + text if before else text

    def _check_quotes(self, block: bytes) -> None:
        """Raise unless quotes stand where a field begins or ends, or beside another one."""
        if b'"' not in block and b'"' not in self._tail:
            self._tail = (self._tail + block[-2:])[-2:]
            return
        near = self._tail + block
        self._tail = near[-2:]
        codes = np.frombuffer(near, dtype=np.uint8)
        places = np.flatnonzero(codes[1:-1] == _QUOTE) + 1
        begins = (self._quotes + np.arange(len(places))) % 2 == 0
        if not self._is_beside[codes[np.where(begins, places - 1, places + 1)]].all():
            raise _Doubt
        self._quotes += len(places)


def _end_of_rows(text: bytes) -> int:
    """Return where the last whole row of a text ends that starts with one; 0 if none does."""
    if b'"' not in text:
        return text.rfind(b"\n") + 1
    codes = np.frombuffer(text, dtype=np.uint8)
    is_outside = np.cumsum(codes == _QUOTE) % 2 == 0
    ends = np.flatnonzero((codes == ord("\n")) & is_outside)
    return int(ends[-1]) + 1 if ends.size else 0


def _check_lines(text: bytes) -> None:
    """Raise if a line may be empty: if ends of lines follow each other."""
    codes = np.frombuffer(text, dtype=np.uint8)
    ends = codes == ord("\n")
    if b"\r" in text:
        ends |= codes == ord("\r")
    follow = ends[1:] & ends[:-1]
    if follow.any() and follow.sum() != text.count(b"\r\n"):
        raise _Doubt


def delimiter_in(lines: Sequence[str], usual: str) -> str:
    """Return what stands between the columns of a text that starts with these lines.

    Of marks of which names and values have as many, that is the first between numbers, or else the
    first, the usual one before others. Failing that, it is the usual one, unless the names have
    none and the values another.
    """
    names, values = ([re.sub('"[^"]*"', "", line) for line in lines] + ["", ""])[:2]
    marks = usual + _DELIMITERS
    alike = [mark for mark in marks if 0 < names.count(mark) == values.count(mark)]
    if alike:
        return next((mark for mark in alike if _is_numeric(values.split(mark))), alike[0])
    others = [mark for mark in marks if mark in names and mark in (values or mark)]
    return usual if usual in names or not others else max(others, key=names.count)


def not_utf8(path: str, reason: str) -> FileError:
    """Return the error for a table of text in another encoding."""
    return FileError(f"{quoted_path(path)} is not UTF-8 text ({reason}); save it as UTF-8")


def _is_numeric(fields: Sequence[str]) -> bool:
    """Whether all fields hold numbers, in whatever spelling, or nothing."""
    return all(
        number_in(field) is not None or has_decimal_comma(field) or is_nothing(field)
        for field in fields
    )


def _checked_header(path: str, fields: Sequence[str]) -> tuple[str, ...]:
    """Return the names in the first line, each of its own, without blanks around them."""
    shown = quoted_path(path)
    if not fields:
        raise FileError(f"{shown} is empty; the first line must hold the column names")
    names = tuple(field.strip() for field in fields)
    # They may be meant as names, such as years; but most such tables have no names.
    if all(number_in(name) is not None for name in names):
        raise FileError(
            f"{shown} has no header: line 1 holds only numbers, {listed(names)}; add a line of "
            "names, or rename columns that are called by numbers, such as 2020 to y2020"
        )
    first: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if not name:
            raise FileDataError(f"{shown}, line 1: column {position} has no name")
        if first.setdefault(name, position) != position:
            raise FileDataError(
                f"{shown}, line 1: columns {first[name]} and {position} are both {quoted(name)}"
            )
    return names


def _without_doubt(column: Any, plan: ColumnPlan) -> Any:
    """Return what Arrow has read of a column, if it is what stands there."""
    if plan.role == "numbers" and plan.na:
        return _numbers_among_markers(column, plan)
    if plan.role == "levels":
        column = _levels(column, plan)
    if column.null_count and not plan.allow_missing:
        raise _Doubt
    if plan.role == "numbers":
        _check_finite(column)
    return column


def _check_finite(column: Any) -> None:
    values = numbers_in(column.drop_null() if column.null_count else column)
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite = math.isfinite(values.sum()) or np.isfinite(values).all()
    if not is_finite:
        raise _Doubt


def _numbers_among_markers(column: Any, plan: ColumnPlan) -> Any:
    """Return the numbers of a column of text: null where one is missing, NaN where a marker is."""
    arrow, compute = require("pyarrow", "io"), require("pyarrow.compute", "io")
    text = _levels(column, plan)
    is_marker = compute.is_in(text, value_set=arrow.array(sorted(plan.na), text.type))
    if text.null_count and not plan.allow_missing:
        raise _Doubt
    numbers = compute.if_else(is_marker, arrow.scalar(None, text.type), text).cast(arrow.float64())
    _check_finite(numbers)
    return compute.if_else(is_marker, arrow.scalar(math.nan), numbers)


def _levels(column: Any, plan: ColumnPlan) -> Any:
    """Return text without blanks around it, and null where that stands for nothing."""
    arrow, compute = require("pyarrow", "io"), require("pyarrow.compute", "io")
    text = compute.utf8_trim_whitespace(column)
    if plan.is_open:
        with_comma = text.filter(compute.match_substring(text, ","))
        if any(map(has_decimal_comma, with_comma.unique().to_pylist())):
            raise _Doubt
    is_missing = compute.is_in(compute.utf8_lower(text), value_set=arrow.array(NOTHING))
    return compute.if_else(is_missing, arrow.scalar(None, text.type), text)


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


def cell_of_field(where: str, plan: ColumnPlan, field: str) -> Cell:
    """Return what a field of CSV holds, or say why it does not belong there."""
    if plan.role == "numbers" and field.strip() in plan.na:
        return math.nan
    if is_nothing(field):
        if plan.allow_missing:
            return None
        raise missing_value(where, plan, f"{quoted(field)} is not a finite number", field.strip())
    if plan.role == "levels" and not (plan.is_open and has_decimal_comma(field)):
        return field.strip()
    number = number_in(field)
    if number is None and not (plan.is_open or plan.is_weights):
        # As programs write a column of booleans, which scores of numbers take as 0 and 1.
        number = _TRUTH.get(field.strip().lower())
    if number is not None and math.isfinite(number):
        return number
    remedy: tuple[Part, ...] = (
        "correct it, drop the row, or ",
        Spelled(
            "read only columns of numbers with columns=[…]", "leave the column out with --drop"
        ),
    )
    if has_decimal_comma(field):
        said = ", or declare the column discrete with --kinds"
        remedy = ("write decimals with a point", Spelled("", said))
    elif number is None:
        remedy += (Spelled("", ", or declare it discrete with --kinds"),)
    raise refused(where, plan, f"{quoted(field)} is not a finite number", remedy)
