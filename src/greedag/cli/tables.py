"""Tables in files: every format that ``greedag learn`` and ``greedag score`` read.

Text formats are read here and not by a library: a broken file is then refused with the line, the
column and the value, and no name is changed on the way.
"""

from __future__ import annotations

import glob
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag import Moments
from greedag.cli.cells import Rows
from greedag.cli.columns import Choice
from greedag.cli.csv_table import add_csv, csv_has_text, read_csv
from greedag.cli.given_table import GivenTable, weighed
from greedag.cli.json_lines import add_json_lines, json_has_text, read_json_lines
from greedag.cli.parts import Part, part_of
from greedag.cli.reading import Reading
from greedag.errors import DataError, FileError, listed, quoted, quoted_path, require, unreadable
from greedag.files import COMPRESSED

_MAGIC = b"greedag\n"
_MOMENTS_HEADER = "header.json"
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
    paths = tuple(file for path in request.paths for file in _matched(path))
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
            raise DataError(f"{quoted_path(path)} beside {quoted_path(first)}: {error}") from error
    return whole


def _matched(path: str) -> list[str]:
    """Return the files that a pattern matches, which the shell may have left as it is."""
    # A file whose own name holds * or [ is meant by that name.
    if "\0" in path or os.path.exists(path) or not glob.has_magic(path):
        return [path]
    found = sorted(glob.glob(path, recursive=True))
    if not found:
        raise FileError(f"no file matches {quoted_path(path)}; check the pattern")
    return found


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
    with _telling_the_file(path):
        if kind == "jsonl":
            return json_has_text(path, choice, reading)
        if kind == "parquet":
            return _has_typed_levels(path, choice, reading)
        return csv_has_text(path, choice, reading, delimiter=_DELIMITERS[kind])


def _has_typed_levels(path: str, choice: Choice, reading: Reading) -> bool:
    types, parquet = require("pyarrow.types", "io"), require("pyarrow.parquet", "io")
    tests = (types.is_string, types.is_large_string, types.is_boolean, types.is_dictionary)
    with _parquet_errors(path), open(path, "rb") as file:
        schema = parquet.read_schema(file)
    return any(
        reading.role(schema.names[j]) == "open" and any(test(schema.types[j]) for test in tests)
        for j in choice.positions(schema.names)
    )


def _add(path: str, request: Request, rows: Rows) -> None:
    kind, choice = _kind_of(path, request), request.choice
    with _telling_the_file(path):
        if kind in _DELIMITERS:
            add_csv(path, choice, rows, delimiter=_DELIMITERS[kind])
        elif kind == "jsonl":
            add_json_lines(path, choice, rows)
        elif kind == "parquet":
            rows.add_table(_parquet_table(path, choice))
        elif kind == "moments":
            raise _no_rows(path)
        else:
            rows.add_table(_array_table(path, kind, choice))


def _kind_of(path: str, request: Request) -> str:
    if "\0" in path:
        raise FileError(f"{quoted_path(path)} is not the name of a file; check the name")
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
        raise type(error)(f"{quoted_path(path)}: {error}") from error
    except FileNotFoundError as error:
        raise FileError(f"there is no file {quoted_path(path)}; check the name") from error
    except OSError as error:
        raise FileError(f"cannot read {quoted_path(path)}: {error.strerror or error}") from error
    except (EOFError, zlib.error) as error:
        raise FileError(f"{quoted_path(path)} is damaged ({error}); write it again") from error
    except UnicodeDecodeError as error:
        raise FileError(
            f"{quoted_path(path)} is not UTF-8 text ({error.reason}); save it as UTF-8"
        ) from error


def _csv(path: str, choice: Choice) -> Part:
    return _of_text(*read_csv(path, choice))


def _tsv(path: str, choice: Choice) -> Part:
    return _of_text(*read_csv(path, choice, delimiter="\t"))


def _json_lines(path: str, choice: Choice) -> Part:
    return _of_text(*read_json_lines(path, choice))


def _parquet(path: str, choice: Choice) -> Part:
    table = _parquet_table(path, choice)
    return part_of(Moments.from_data(table), (column.to_numpy() for column in table.columns))


def _parquet_table(path: str, choice: Choice) -> Any:
    parquet = require("pyarrow.parquet", "io")
    # A file object, not a path: pyarrow takes some names for addresses of other machines.
    with _parquet_errors(path), open(path, "rb") as file:
        whole = parquet.ParquetFile(file)
        names = whole.schema_arrow.names
        places = choice.positions(names)
        if len(set(names)) < len(names):  # which is refused later, with all of them at hand
            return whole.read().select(places)
        chosen = [names[j] for j in places]
        return whole.read(columns=chosen).select(chosen)


@contextmanager
def _parquet_errors(path: str) -> Iterator[None]:
    arrow = require("pyarrow", "io")
    try:
        yield
    except FileNotFoundError:
        raise
    except (arrow.ArrowException, OSError) as error:
        raise FileError(f"{quoted_path(path)} is no Parquet file: {_first(error)}") from error


def _npy(path: str, choice: Choice) -> Part:
    return _of_array(_npy_array(path), choice)


def _npz(path: str, choice: Choice) -> Part:
    arrays = _npz_arrays(path)
    if _MOMENTS_HEADER in arrays:
        return _saved(path, choice)
    if _is_matrix(path, arrays):
        return _of_array(next(iter(arrays.values())), choice)
    chosen = _chosen(arrays, choice)
    for name, array in chosen.items():
        if array.dtype.kind not in "biuf":
            raise unreadable([name], array.dtype)
    values = np.column_stack(list(chosen.values()))
    return part_of(Moments.from_data(values, names=tuple(chosen)), chosen.values())


def _array_table(path: str, kind: str, choice: Choice) -> Any:
    """Return the columns of .npy and .npz files as an Arrow table."""
    arrow = require("pyarrow", "io")
    arrays = _npz_arrays(path) if kind == "npz" else {"": _npy_array(path)}
    if _MOMENTS_HEADER in arrays:
        raise _no_rows(path)
    if kind == "npy" or _is_matrix(path, arrays):
        (matrix,) = arrays.values()
        if matrix.ndim != 2:
            Moments.from_data(matrix)  # which says what is wrong with it
        arrays = {f"x{j}": column for j, column in enumerate(matrix.T)}
    chosen = _chosen(arrays, choice)
    for name, array in chosen.items():
        # Arrow has no numbers longer than a double.
        is_long = array.dtype.kind == "f" and array.dtype.itemsize > 8
        if is_long or array.dtype.kind not in "biufU":
            raise unreadable([name], array.dtype)
    return arrow.table({name: np.ascontiguousarray(array) for name, array in chosen.items()})


def _npy_array(path: str) -> NDArray[Any]:
    try:
        array: Any = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise FileError(f"{quoted_path(path)} is no .npy file of numbers: {error}") from error
    if isinstance(array, np.lib.npyio.NpzFile):
        array.close()
        raise FileError(f"{quoted_path(path)} is an .npz file; say so with --format npz")
    return np.asarray(array)


def _npz_arrays(path: str) -> dict[str, NDArray[Any]]:
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (ValueError, EOFError, AttributeError, TypeError, zipfile.BadZipFile) as error:
        raise FileError(f"{quoted_path(path)} is no .npz file of numbers: {error}") from error


def _is_matrix(path: str, arrays: dict[str, NDArray[Any]]) -> bool:
    """Whether the arrays are one of rows by columns, and not one for each column."""
    shapes = {array.shape for array in arrays.values()}
    if len(arrays) == 1 and len(next(iter(shapes))) == 2:
        return True
    if len(shapes) != 1 or len(next(iter(shapes))) != 1:
        raise FileError(
            f"{quoted_path(path)} must hold one array of rows by columns, or one array of equal "
            f"length for each column; it holds {listed(list(arrays)) or 'none'}"
        )
    return False


def _chosen(arrays: dict[str, NDArray[Any]], choice: Choice) -> dict[str, NDArray[Any]]:
    names = list(arrays)
    return {names[j]: arrays[names[j]] for j in choice.positions(names)}


def _no_rows(path: str) -> FileError:
    return FileError(
        f"{quoted_path(path)} holds moments and no rows, which weights, missing values and scores "
        "of levels need; give the table itself"
    )


def _saved(path: str, choice: Choice) -> Part:
    whole = Moments.load(path)
    kept = choice.positions(whole.names)
    if kept == list(range(whole.d)):
        return Part(whole)
    chosen = Moments(
        n=whole.n,
        covariance=whole.covariance[np.ix_(kept, kept)],
        names=[whole.names[j] for j in kept],
        mean=None if whole.mean is None else whole.mean[kept],
    )
    return Part(chosen)


def _of_array(array: NDArray[Any], choice: Choice) -> Part:
    if array.ndim != 2:
        Moments.from_data(array)  # which says what is wrong with it
    names = [f"x{j}" for j in range(array.shape[1])]
    kept = choice.positions(names)
    values = array if kept == list(range(len(names))) else array[:, kept]
    return part_of(Moments.from_data(values, names=[names[j] for j in kept]), values.T)


def _of_text(names: Sequence[str], values: NDArray[Any]) -> Part:
    return part_of(Moments.from_data(values, names=names), values.T, has_types=False)


def _first(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


_READERS: dict[str, Callable[[str, Choice], Part]] = {
    "csv": _csv,
    "tsv": _tsv,
    "parquet": _parquet,
    "jsonl": _json_lines,
    "npy": _npy,
    "npz": _npz,
    "moments": _saved,
}
FORMATS = tuple(_READERS)
