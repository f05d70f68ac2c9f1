"""Tables in files: every format that ``greedag learn`` and ``greedag score`` read.

Text formats are read here and not by a library: a broken file is then refused with the line, the
column and the value, and no name is changed on the way.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag import Moments
from greedag.cli.columns import Choice
from greedag.cli.csv_table import read_csv
from greedag.cli.json_lines import read_json_lines
from greedag.errors import DataError, FileError, listed, quoted, quoted_path, require, unreadable

_MAGIC = b"greedag\n"
_MOMENTS_HEADER = "header.json"
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
    """Which table to read: its files, their format, and which of its columns."""

    paths: tuple[str, ...]
    format: str | None
    choice: Choice


def read_tables(request: Request) -> Moments:
    """Return the moments of one table, whose rows may be spread over several files.

    Raises
    ------
    FileError, DataError
        Naming the file and, where there is one, the place in it.
    """
    first, *others = request.paths
    moments = _read(first, request)
    for path in others:
        try:
            moments = moments + _read(path, request)
        except DataError as error:
            raise DataError(f"{quoted_path(path)} beside {quoted_path(first)}: {error}") from error
    return moments


def _read(path: str, request: Request) -> Moments:
    if "\0" in path:
        raise FileError(f"{quoted_path(path)} is not the name of a file; check the name")
    kind = request.format or _format_of(path)
    with _telling_the_file(path):
        return _READERS[kind](path, request.choice)


def _format_of(path: str) -> str:
    """Return a file's format, from its first bytes if they are ours, else from its suffix."""
    if _starts_with_magic(path):
        return "moments"
    suffix = os.path.splitext(path)[1].lower()
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
        raise type(error)(f"{quoted_path(path)}: {error}") from error
    except FileNotFoundError as error:
        raise FileError(f"there is no file {quoted_path(path)}; check the name") from error
    except OSError as error:
        raise FileError(f"cannot read {quoted_path(path)}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise FileError(
            f"{quoted_path(path)} is not UTF-8 text ({error.reason}); save it as UTF-8"
        ) from error


def _csv(path: str, choice: Choice) -> Moments:
    return _counted(*read_csv(path, choice))


def _tsv(path: str, choice: Choice) -> Moments:
    return _counted(*read_csv(path, choice, delimiter="\t"))


def _json_lines(path: str, choice: Choice) -> Moments:
    return _counted(*read_json_lines(path, choice))


def _parquet(path: str, choice: Choice) -> Moments:
    parquet = require("pyarrow.parquet", "io")
    arrow = require("pyarrow", "io")
    # A file object, not a path: pyarrow takes some names for addresses of other machines.
    with open(path, "rb") as file:
        try:
            table = parquet.read_table(file)
        except (arrow.ArrowException, OSError) as error:
            raise FileError(f"{quoted_path(path)} is no Parquet file: {_first(error)}") from error
    return Moments.from_data(table.select(choice.positions(table.column_names)))


def _npy(path: str, choice: Choice) -> Moments:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise FileError(f"{quoted_path(path)} is no .npy file of numbers: {error}") from error
    if isinstance(array, np.lib.npyio.NpzFile):
        array.close()
        raise FileError(f"{quoted_path(path)} is an .npz file; say so with --format npz")
    return _of_array(array, choice)


def _npz(path: str, choice: Choice) -> Moments:
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (ValueError, EOFError, AttributeError, TypeError, zipfile.BadZipFile) as error:
        raise FileError(f"{quoted_path(path)} is no .npz file of numbers: {error}") from error
    if _MOMENTS_HEADER in arrays:
        return _moments(path, choice)
    shapes = {array.shape for array in arrays.values()}
    if len(arrays) == 1 and len(next(iter(shapes))) == 2:
        return _of_array(next(iter(arrays.values())), choice)
    if len(shapes) != 1 or len(next(iter(shapes))) != 1:
        raise FileError(
            f"{quoted_path(path)} must hold one array of rows by columns, or one array of equal "
            f"length for each column; it holds {listed(list(arrays)) or 'none'}"
        )
    names = list(arrays)
    chosen = [names[j] for j in choice.positions(names)]
    for name in chosen:
        if arrays[name].dtype.kind not in "biuf":
            raise unreadable([name], arrays[name].dtype)
    return _counted(tuple(chosen), np.column_stack([arrays[name] for name in chosen]))


def _moments(path: str, choice: Choice) -> Moments:
    whole = Moments.load(path)
    kept = choice.positions(whole.names)
    if kept == list(range(whole.d)):
        return whole
    return Moments(
        n=whole.n,
        covariance=whole.covariance[np.ix_(kept, kept)],
        names=[whole.names[j] for j in kept],
        mean=None if whole.mean is None else whole.mean[kept],
    )


def _of_array(array: NDArray[Any], choice: Choice) -> Moments:
    if array.ndim != 2:
        return Moments.from_data(array)  # which says what is wrong with it
    names = [f"x{j}" for j in range(array.shape[1])]
    kept = choice.positions(names)
    if kept == list(range(len(names))):
        return Moments.from_data(array)
    return _counted(tuple(names[j] for j in kept), array[:, kept])


def _counted(names: Sequence[str], values: NDArray[Any]) -> Moments:
    return Moments.from_data(values, names=names)


def _first(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


_READERS: dict[str, Callable[[str, Choice], Moments]] = {
    "csv": _csv,
    "tsv": _tsv,
    "parquet": _parquet,
    "jsonl": _json_lines,
    "npy": _npy,
    "npz": _npz,
    "moments": _moments,
}
FORMATS = tuple(_READERS)
