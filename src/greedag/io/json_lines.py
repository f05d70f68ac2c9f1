"""JSON lines: one object a line, whose keys are the names of the columns."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TextIO

from greedag._progress import check_time
from greedag.data.markers import number_in
from greedag.data.names import checked_names
from greedag.errors import FileError, Spelled, listed, quoted, quoted_path
from greedag.io.cells import Cell, ColumnPlan, Role, missing_value, refused, tables_of
from greedag.io.text import Content

_LINES_BETWEEN_LOOKS = 1024
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class JsonLinesTable:
    """One object a line, whose keys are the names of the columns."""

    has_types = False
    total: int | None = None
    index: tuple[str, ...] = ()

    def __init__(self, path: str, *, same_keys: bool, na: frozenset[str] = frozenset()) -> None:
        self.path, self._na = path, na
        self._content = Content(path)
        self._same_keys = same_keys
        self.names: tuple[str, ...] = ()
        with self._content.text() as file:
            _, first = next(self._objects(file), ("", {}))
        if not first:
            raise FileError(f"{quoted_path(path)} is empty; write one object per line")
        self.names = checked_names(first)

    def roles(self, names: Sequence[str], *, look_on: bool) -> dict[str, Role]:
        """Return what the first values of columns make of them."""
        found: dict[str, Role] = {}
        with self._content.text() as file:
            for _, row in islice(self._objects(file), None if look_on else 1):
                held = [
                    n
                    for n in names
                    if n not in found and not is_absent(row.get(n)) and not _is_in(row[n], self._na)
                ]
                found |= {
                    n: "levels" if isinstance(row[n], (str, bool)) else "numbers" for n in held
                }
                if len(found) == len(names):
                    break
        return found

    def chunks(self, plans: Mapping[str, ColumnPlan], rows: int) -> Iterator[Any]:
        """Give Arrow tables of these columns, each of so many rows.

        Raises
        ------
        FileError
            Naming the file and, where there is one, the line, the column and the value.
        """
        with self._content.text() as file:
            cells = (
                [cell_of_value(where, plan, row.get(name)) for name, plan in plans.items()]
                for where, row in self._objects(file)
            )
            yield from tables_of(cells, plans, rows)

    def _objects(self, file: TextIO) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield (place, object), line by line."""
        for line, text in enumerate(file, start=1):
            if line % _LINES_BETWEEN_LOOKS == 0:
                check_time("reading the table", line)
            if not text.strip():
                continue
            where = f"{quoted_path(self.path)}, line {line}"
            row = _parsed(where, text)
            if self.names and self._same_keys and row.keys() != set(self.names):
                different = sorted(row.keys() ^ set(self.names))
                raise FileError(
                    f"{where} and the first line differ in {listed(different)}",
                    remedy=(
                        "give every line the same columns, or choose some ",
                        Spelled("with columns=[…]", "with --columns"),
                    ),
                )
            yield where, row


def _parsed(where: str, text: str) -> dict[str, Any]:
    try:
        row = json.loads(text, object_pairs_hook=_without_twins)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{where} is not valid JSON: {error}") from error
    if not isinstance(row, dict) or not row:
        raise FileError(f'{where} is not an object such as {{"a": 1, "b": 2.5}}')
    if "\\u" in text:
        _check_characters(where, row)
    return row


def _check_characters(where: str, row: Mapping[str, Any]) -> None:
    """Raise where an escape stands for half a character, which no text can hold."""
    for name, value in row.items():
        for text in (name, value):
            if isinstance(text, str) and not text.isascii() and _LONE_SURROGATE.search(text):
                raise FileError(
                    f"{where} has an unpaired surrogate in {quoted(text)}, an escape \\ud800 to "
                    "\\udfff without its other half; write the whole character"
                )


def _without_twins(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) != len(pairs):
        raise ValueError("a name occurs twice")
    return row


def _is_in(value: object, words: frozenset[str]) -> bool:
    return isinstance(value, str) and value.strip() in words


def is_absent(value: object) -> bool:
    """Whether a value of JSON stands for a missing one."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def cell_of_value(where: str, plan: ColumnPlan, value: Any) -> Cell:
    """Return what a value of JSON is, or say why it does not belong there."""
    if plan.role == "numbers" and _is_in(value, plan.na):
        return math.nan
    if is_absent(value):
        if plan.allow_missing:
            return None
        raise missing_value(
            where, plan, f"{quoted(value)} is not a finite number", value is not None
        )
    if plan.role == "levels":
        if isinstance(value, str):
            return value
        if isinstance(value, (bool, int, float)):
            return json.dumps(value)
        raise refused(where, plan, f"{quoted(value)} is not a level", ("write text",))
    if plan.na and isinstance(value, str):
        # Where markers stand among numbers, the numbers are often text, too.
        number = number_in(value)
        value = value if number is None else number
    try:
        if isinstance(value, (int, float)) and math.isfinite(value):
            return float(value)
    except OverflowError:
        pass
    raise refused(
        where, plan, f"{quoted(value)} is not a finite number", ("correct it or drop the row",)
    )
