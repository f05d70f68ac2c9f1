"""JSON lines: one object a line, its keys the column names."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from greedag.cli.cells import FOR_MISSING, Form, Rows
from greedag.cli.columns import Choice
from greedag.cli.csv_table import NamedValues
from greedag.cli.reading import Reading
from greedag.cli.text import open_text
from greedag.errors import FileError, listed, quoted, quoted_path


def read_json_lines(path: str, choice: Choice) -> NamedValues:
    """Read a file of objects whose columns are the keys of the first.

    Raises
    ------
    FileError
        Naming the file and, where there is one, the line, the column and the value.
    """
    cells = array("d")
    chosen: tuple[str, ...] = ()
    for where, names, row in _objects(path, choice):
        chosen = names
        cells.extend(_numbers(where, chosen, row))
    return chosen, np.frombuffer(cells, dtype=np.float64).reshape(-1, len(chosen))


def add_json_lines(path: str, choice: Choice, rows: Rows) -> None:
    """Add the rows of such a file, some of whose columns may hold levels.

    Raises
    ------
    FileError
        Naming the file and, where there is one, the line, the column and the value.
    """
    for where, names, row in _objects(path, choice):
        for column in rows.open(names):
            column.add(where, row.get(column.name), VALUES)


def json_has_text(path: str, choice: Choice, reading: Reading) -> bool:
    """Whether the first line has text or a truth value in a column that may hold levels."""
    _, names, row = next(_objects(path, choice))
    return any(reading.role(name) == "open" and _is_level(row.get(name)) for name in names)


def _objects(path: str, choice: Choice) -> Iterator[tuple[str, tuple[str, ...], dict[str, Any]]]:
    """Yield (place, chosen columns, object), line by line."""
    chosen: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    with open_text(path) as file:
        for line, text in enumerate(file, start=1):
            if not text.strip():
                continue
            where = f"{quoted_path(path)}, line {line}"
            row = _parsed(where, text)
            if not known:
                known = frozenset(row)
                names = list(row)
                chosen = tuple(names[j] for j in choice.positions(names))
            if not choice.keep and row.keys() != known:
                raise FileError(
                    f"{where} and the first line differ in {listed(sorted(row.keys() ^ known))}; "
                    "give every line the same columns, or choose some with --columns"
                )
            yield where, chosen, row
    if not known:
        raise FileError(f"{quoted_path(path)} is empty; write one object a line")


def _parsed(where: str, text: str) -> dict[str, Any]:
    try:
        row = json.loads(text, object_pairs_hook=_without_twins)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{where} is not valid JSON: {error}") from error
    if not isinstance(row, dict) or not row:
        raise FileError(f'{where} is not an object such as {{"a": 1, "b": 2.5}}')
    return row


def _without_twins(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) != len(pairs):
        raise ValueError("a name stands twice")
    return row


def _numbers(where: str, names: Sequence[str], row: dict[str, Any]) -> list[float]:
    return [_finite(where, name, row.get(name)) for name in names]


def _finite(where: str, name: str, value: Any) -> float:
    try:
        if isinstance(value, (int, float)) and math.isfinite(value):
            return float(value)
    except OverflowError:
        pass
    problem = "the value is missing" if value is None else f"{quoted(value)} is no finite number"
    remedy = "correct it or drop the row"
    if _is_missing(value):
        remedy = f"correct it, or pass {FOR_MISSING}"
    raise FileError(f"{where}, column {quoted(name)}: {problem}; {remedy}")


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _is_level(value: Any) -> bool:
    return isinstance(value, (str, bool))


def _level(where: str, name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    raise FileError(f"{where}, column {quoted(name)}: {quoted(value)} is no level; write text")


# Text is text in JSON, whatever it looks like.
VALUES = Form(_is_missing, _is_level, lambda value: False, _finite, _level)
