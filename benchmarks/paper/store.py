"""Rows in a file of JSON lines that survives a kill at any moment."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from paper.cells import Cell, Row

Append = Callable[[Row], None]


def load(path: Path) -> dict[Cell, Row]:
    """Read the rows of a file by cell; a last line that was torn by a kill is left out.

    Raises
    ------
    ValueError
        If any other line is no row.
    """
    if not path.exists():
        return {}
    lines = path.read_bytes().split(b"\n")
    rows = {}
    # Every whole line ends in a newline, so that what follows the last one is torn or empty.
    for number, line in enumerate(lines[:-1], start=1):
        try:
            row = json.loads(line)
            rows[Cell.of(row)] = row
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}, line {number} is no row of results: {error}") from None
    return rows


@contextlib.contextmanager
def appending(path: Path) -> Iterator[Append]:
    """Give a function that appends a row; cuts off a torn line first.

    Raises
    ------
    BlockingIOError
        If another process is appending to the same file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)

        def append(row: Row) -> None:
            # One write of a whole line; a kill leaves at most a torn last one.
            os.write(file.fileno(), _line(row))

        yield append


def rewrite(path: Path, rows: list[Row]) -> None:
    """Replace a file by these rows, all at once, in the order of their cells."""
    beside = path.with_suffix(".part")
    beside.write_bytes(b"".join(map(_line, sorted(rows, key=Cell.of))))
    beside.replace(path)


def _line(row: Row) -> bytes:
    text = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8") + b"\n"
