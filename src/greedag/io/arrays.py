"""NumPy's files: tables in .npy and .npz, and arrays with a description as .npz.

Such an archive holds the arrays, and ``header.json`` as bytes: kind, version and meta. Its comment,
the last 64 bytes of the file, is the SHA-256 of all bytes before it. Nothing is ever unpickled.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag.data.arrays import plain_array
from greedag.data.names import default_names
from greedag.errors import (
    DataError,
    FileError,
    Spelled,
    check_size,
    listed,
    quoted,
    quoted_path,
    require,
    unreadable,
    wrong_dimensions,
)
from greedag.io import atomic
from greedag.io.atomic import FilePath, damaged, read_bytes, write_atomic
from greedag.io.cells import ColumnPlan, Role
from greedag.io.parquet import roles_by_type

_TYPES = {"<f8", "<i8", "<i4", "|u1"}
_HEADER = "header.json"
_DIGITS = 2 * hashlib.sha256().digest_size
# What zipfile, zlib and NumPy raise about damaged or encrypted files, each in its own way.
UNREADABLE = (ValueError, OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError)
# NumPy reads a header as a literal of Python, and tries again word by word.
_NO_HEADER = (TokenError, SyntaxError, TypeError, RecursionError, MemoryError)
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """What a file held."""

    version: int
    arrays: dict[str, NDArray[Any]]
    meta: dict[str, Any]


def save_npz(
    path: FilePath,
    kind: str,
    version: int,
    arrays: Mapping[str, NDArray[Any]],
    meta: Mapping[str, Any],
) -> None:
    """Write arrays and their description to a file, whole or not at all.

    Parameters
    ----------
    path : path-like
        The file; one that exists is replaced.
    kind : str
        What the file holds, such as ``"moments"``.
    version : int
        Version of that kind's contents.
    arrays : mapping of str to ndarray
        Arrays of float64, int64, int32 or uint8.
    meta : mapping
        Anything that JSON can hold.

    Raises
    ------
    FileError
        If the file cannot be written.
    """
    header = json.dumps({"kind": kind, "version": version, "meta": dict(meta)}).encode("ascii")
    parts: dict[str, Any] = {_HEADER: np.frombuffer(header, dtype=np.uint8)}
    parts |= {name: _portable(array) for name, array in arrays.items()}
    file = io.BytesIO()
    np.savez(file, **parts)
    with zipfile.ZipFile(file, "a") as archive:
        archive.comment = bytes(_DIGITS)
    content = file.getbuffer()[:-_DIGITS]
    write_atomic(path, [content, hashlib.sha256(content).hexdigest().encode("ascii")])


def load_npz(path: FilePath, kind: str, version: int) -> Stored:
    """Read what :func:`save_npz` wrote, in a version of that kind up to this one.

    Raises
    ------
    FileError
        If the file is missing, damaged, newer, or holds something else.
    """
    content = read_bytes(path)
    if not content.startswith(b"PK"[: len(content)]):
        raise FileError(f"{quoted_path(path)} is not a .npz file; choose another file")
    whole = memoryview(content)
    digest = hashlib.sha256(whole[:-_DIGITS]).hexdigest().encode("ascii")
    if digest != whole[-_DIGITS:]:
        raise damaged(path)
    arrays = _arrays(path, content)
    header = _header(path, arrays.pop(_HEADER, None))
    _check_kind(path, header["kind"], header["version"], wanted=kind, newest=version)
    return Stored(header["version"], arrays, header["meta"])


def _arrays(path: FilePath, content: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays, refusing an archive that would unpack to more than may be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > atomic.MAX_BYTES:
                raise FileError(
                    f"{quoted_path(path)} is too large when unpacked; choose another file"
                )
            arrays = {
                entry.filename.removesuffix(".npy"): read_npy(archive, entry)
                for entry in archive.infolist()
            }
    except FileError:
        raise
    except UNREADABLE as error:
        raise _malformed(path) from error
    if not all(array.dtype.str in _TYPES for array in arrays.values()):
        raise _malformed(path)
    return arrays


def read_npy(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> NDArray[Any]:
    """Return one array of an archive, if the shape that it declares is what it holds.

    NumPy's own reader makes room for any shape that is declared before it reads.

    Raises
    ------
    ValueError
        If the entry is not an array without pickle, or holds more or less than it declares. Damage
        raises any of `UNREADABLE`.
    """
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{entry.filename!r} uses a compression that NumPy does not write")
    with archive.open(entry) as file:
        version = np.lib.format.read_magic(file)
        if version not in _HEADERS:
            raise ValueError(f"{entry.filename!r} is an array of an unknown version")
        try:
            shape, is_fortran, dtype = _HEADERS[version](file)
        except _NO_HEADER as error:
            raise ValueError(f"{entry.filename!r} has a header that cannot be read") from error
        if dtype.hasobject:
            raise ValueError(f"{entry.filename!r} holds Python objects")
        if math.prod(shape) * dtype.itemsize != entry.file_size - file.tell():
            raise ValueError(f"{entry.filename!r} does not hold the shape that it declares")
        flat = np.frombuffer(file.read(), dtype)
    return flat.reshape(shape, order="F" if is_fortran else "C")


def check_text(array: NDArray[Any]) -> None:
    """Raise if an array of strings holds a number that stands for no character.

    NumPy makes a string of it that Python itself cannot use.
    """
    characters = np.dtype(np.uint32).newbyteorder(array.dtype.byteorder)
    codes = np.ascontiguousarray(array).view(characters)
    if codes.size and codes.max() > sys.maxunicode:
        raise DataError("a string holds an invalid character; the file is damaged: write it again")


def _header(path: FilePath, stored: NDArray[Any] | None) -> dict[str, Any]:
    try:
        header = json.loads(b"" if stored is None else stored.tobytes())
    except (ValueError, RecursionError) as error:
        raise _malformed(path) from error
    match header:
        case {"kind": str(), "version": int(), "meta": dict(), **rest} if not rest:
            return dict(header)
    raise _malformed(path)


def _malformed(path: FilePath) -> FileError:
    return FileError(
        f"{quoted_path(path)} is an .npz file that greedag did not write; choose another file"
    )


def _check_kind(path: FilePath, kind: str, version: int, *, wanted: str, newest: int) -> None:
    """Raise unless a file holds what is wanted, in a version known here."""
    if kind != wanted:
        raise FileError(
            f"{quoted_path(path)} holds {quoted(kind)}, not {quoted(wanted)}; choose another file"
        )
    if version > newest:
        raise FileError(
            f"{quoted_path(path)} has version {version} of the format for {wanted}, newer than "
            f"{newest}, the newest known here; upgrade greedag"
        )


def _portable(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as it is laid out in files: contiguous, little-endian."""
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))


class ArrayTable:
    """A table in an .npy or .npz file: rows by columns, or one array for each column."""

    has_types = True
    index: tuple[str, ...] = ()

    def __init__(self, path: str, kind: str) -> None:
        self.path = path
        self._arrays = _npz_columns(path) if kind == "npz" else _columns(_npy_array(path))
        self.names = tuple(self._arrays)
        self.total: int | None = len(next(iter(self._arrays.values())))

    def roles(self, names: Sequence[str], *, look_on: bool) -> dict[str, Role]:
        """Return what columns hold, by their types."""
        return roles_by_type(self._table(names, slice(0)).schema, names)

    def chunks(self, plans: Mapping[str, ColumnPlan], rows: int) -> Iterator[Any]:
        """Give Arrow tables of these columns, each of so many rows."""
        for start in range(0, self.total or 0, rows):
            yield self._table(list(plans), slice(start, start + rows))

    def _table(self, names: Sequence[str], rows: slice) -> Any:
        arrow = require("pyarrow", "io")
        for name in names:
            dtype = self._arrays[name].dtype
            if dtype.kind not in "biufU":
                raise unreadable([name], dtype)
            if dtype.kind == "U":
                check_text(self._arrays[name][rows])
        return arrow.table({name: _native(self._arrays[name][rows]) for name in names})


def is_greedag_archive(path: FilePath) -> bool:
    """Whether a file is an archive that :func:`save_npz` wrote, whatever its name."""
    if not os.path.isfile(path):
        return False
    with suppress(*UNREADABLE), zipfile.ZipFile(path) as archive:
        return f"{_HEADER}.npy" in archive.namelist()
    return False


def _native(column: NDArray[Any]) -> NDArray[Any]:
    """Return a column as Arrow takes it: in one piece, in this machine's order of bytes.

    It has neither halves nor numbers longer than a double; such become the next type that it has.
    """
    dtype = column.dtype.newbyteorder("=")
    if dtype.kind == "f" and dtype.itemsize not in (4, 8):
        dtype = np.dtype(np.float32 if dtype.itemsize < 4 else np.float64)
    return np.ascontiguousarray(column, dtype)


def _npy_array(path: str) -> NDArray[Any]:
    try:
        array: Any = np.load(path, mmap_mode="r", allow_pickle=False)
    except (*UNREADABLE, *_NO_HEADER) as error:
        raise FileError(f"{quoted_path(path)} is not a .npy file of numbers: {error}") from error
    if isinstance(array, np.lib.npyio.NpzFile):
        array.close()
        raise FileError(
            f"{quoted_path(path)} is an .npz file",
            remedy=Spelled("name it .npz", "pass --format npz"),
        )
    return np.asarray(array)


def _npz_columns(path: str) -> dict[str, NDArray[Any]]:
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (*UNREADABLE, *_NO_HEADER, AttributeError) as error:
        raise FileError(f"{quoted_path(path)} is not a .npz file of numbers: {error}") from error
    shapes = {array.shape for array in arrays.values()}
    if len(arrays) == 1 and len(next(iter(shapes))) == 2:
        return _columns(next(iter(arrays.values())))
    if len(shapes) != 1 or len(next(iter(shapes))) != 1:
        raise FileError(
            f"{quoted_path(path)} must hold one array of rows by columns, or one array of equal "
            f"length for each column; it holds {listed(list(arrays)) or 'none'}"
        )
    return arrays


def _columns(matrix: NDArray[Any]) -> dict[str, NDArray[Any]]:
    plain_array(matrix)
    if matrix.ndim != 2:
        raise wrong_dimensions(matrix.shape)
    check_size(*matrix.shape, least_n=1, least_d=1)
    return dict(zip(default_names(matrix.shape[1]), matrix.T, strict=True))
