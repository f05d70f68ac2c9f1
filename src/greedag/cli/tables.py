"""Tables in files: every format that ``greedag learn`` and ``greedag score`` read.

Text formats are read here and not by a library: a broken file is then refused with the line, the
column and the value, and no name is changed on the way.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import NDArray

from greedag import Moments
from greedag.cli.arrays import array_table, no_rows, read_moments, read_npy, read_npz
from greedag.cli.cells import Rows
from greedag.cli.columns import Choice
from greedag.cli.csv_table import add_csv, csv_has_text, read_csv
from greedag.cli.given_table import GivenTable, weighed
from greedag.cli.json_lines import add_json_lines, json_has_text, read_json_lines
from greedag.cli.parquet import parquet_has_levels, parquet_table, read_parquet
from greedag.cli.parts import Part, part_of
from greedag.cli.reading import Reading
from greedag.errors import DataError, FileError, quoted, quoted_path
from greedag.io.files import COMPRESSED, files_matched, not_utf8

_MAGIC = b"greedag\n"
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_TEXT = (*_DELIMITERS, "jsonl")
_SUFFIXES = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".npy": "npy",
    ".npz": "npz",
}


@dataclass(frozen=True, slots=True)
class Request:
    """Which table to read: its files, their format, which of its columns, and as what."""

    paths: tuple[str, ...]
    format: str | None
    choice: Choice
    reading: Reading = field(default_factory=Reading)


def read_table(request: Request) -> GivenTable:
    """Return one table, whose rows may be spread over several files.

    Moments where they will do: for scores of numbers, on columns of numbers.

    Raises
    ------
    FileError, DataError
        Naming the file and, where there is one, the place in it.
    """
    reading = request.reading
    request = replace(request, choice=request.choice.with_weights(reading.weights))
    paths = matched(request.paths)
    if reading.takes_moments and not _has_levels(paths[0], request):
        part = _in_turn(paths, lambda path: _part_of(path, request))
        return GivenTable(part.moments, None, reading, part.unsure(reading))
    rows = Rows(reading)
    _in_turn(paths, lambda path: _add(path, request, rows))
    return weighed(rows.table(), reading)


def _in_turn(paths: Sequence[str], read: Callable[[str], Any]) -> Any:
    """Read one file after the other, and return the sum of what was read."""
    first, *others = paths
    whole = read(first)
    for path in others:
        try:
            part = read(path)
            whole = None if part is None else whole + part
        except DataError as error:
            raise error.within(f"{quoted_path(path)} beside {quoted_path(first)}: ") from error
    return whole


def matched(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the files that are meant, also by patterns that the shell has left as they are."""
    return tuple(file for path in paths for file in files_matched(path))


def _part_of(path: str, request: Request) -> Part:
    kind = _kind_of(path, request)
    with _telling_the_file(path):
        part = _READERS[kind](path, request.choice)
        request.reading.check_columns(part.moments.names)
    return part


def _has_levels(path: str, request: Request) -> bool:
    """Whether the first file has columns that are open and hold no numbers."""
    kind, choice, reading = _kind_of(path, request), request.choice, request.reading
    if reading.score != "auto" or kind in ("npy", "npz", "moments"):
        return False
    if not os.path.isfile(path):
        return False  # a pipe can be read only once
    with _telling_the_file(path):
        if kind == "jsonl":
            return json_has_text(path, choice, reading)
        if kind == "parquet":
            return parquet_has_levels(path, choice, reading)
        return csv_has_text(path, choice, reading, delimiter=_DELIMITERS[kind])


def _add(path: str, request: Request, rows: Rows) -> None:
    kind, choice = _kind_of(path, request), request.choice
    with _telling_the_file(path):
        if kind in _DELIMITERS:
            add_csv(path, choice, rows, delimiter=_DELIMITERS[kind])
        elif kind == "jsonl":
            add_json_lines(path, choice, rows)
        elif kind == "parquet":
            rows.add_table(parquet_table(path, choice))
        elif kind == "moments":
            raise no_rows(path)
        else:
            rows.add_table(array_table(path, kind, choice))


def _kind_of(path: str, request: Request) -> str:
    return request.format or _format_of(path)


def _format_of(path: str) -> str:
    """Return a file's format, from its first bytes if they are ours, else from its suffix."""
    if _starts_with_magic(path):
        return "moments"
    stem, suffix = os.path.splitext(path.lower())
    if suffix in COMPRESSED:
        inner = os.path.splitext(stem)[1]
        suffix = inner if _SUFFIXES.get(inner) in _TEXT else inner + suffix
    if suffix not in _SUFFIXES:
        raise FileError(
            f"cannot tell the format of {quoted_path(path)} from its suffix {quoted(suffix)}; "
            f"say it with --format, one of {', '.join(FORMATS)}"
        )
    return _SUFFIXES[suffix]


def _starts_with_magic(path: str) -> bool:
    if not os.path.isfile(path):
        return False
    with _telling_the_file(path), open(path, "rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


@contextmanager
def _telling_the_file(path: str) -> Iterator[None]:
    """Let whatever goes wrong while a file is read name the file."""
    try:
        yield
    except FileError:
        raise
    except DataError as error:
        raise error.within(f"{quoted_path(path)}: ") from error
    except FileNotFoundError as error:
        raise FileError(f"there is no file {quoted_path(path)}; check the name") from error
    except OSError as error:
        raise FileError(f"cannot read {quoted_path(path)}: {error.strerror or error}") from error
    except (EOFError, zlib.error) as error:
        raise FileError(f"{quoted_path(path)} is damaged ({error}); write it again") from error
    except UnicodeDecodeError as error:
        raise not_utf8(path, error.reason) from error


def _csv(path: str, choice: Choice) -> Part:
    return _of_text(*read_csv(path, choice))


def _tsv(path: str, choice: Choice) -> Part:
    return _of_text(*read_csv(path, choice, delimiter="\t"))


def _json_lines(path: str, choice: Choice) -> Part:
    return _of_text(*read_json_lines(path, choice))


def _of_text(names: Sequence[str], values: NDArray[Any]) -> Part:
    return part_of(Moments.from_data(values, names=names), values.T, has_types=False)


_READERS: dict[str, Callable[[str, Choice], Part]] = {
    "csv": _csv,
    "tsv": _tsv,
    "parquet": read_parquet,
    "jsonl": _json_lines,
    "npy": read_npy,
    "npz": read_npz,
    "moments": read_moments,
}
FORMATS = tuple(_READERS)
