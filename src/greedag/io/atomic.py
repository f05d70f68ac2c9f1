"""Files: one small format for arrays with a description, and writing that is all or nothing.

A file is ``magic, length of header, header, arrays, SHA-256 of all before``. The header is JSON
and names kind, version, meta and the type and shape of each array; header and arrays start at
multiples of 64 bytes. Nothing in a file is ever executed.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import secrets
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag.errors import FileError, Spelled, quoted, quoted_path

FilePath = str | os.PathLike[str]
Buffer = bytes | memoryview

MAX_BYTES = 2**33
_MAGIC = b"greedag\n"
_ALIGNMENT = 64
TYPES = {"<f8", "<i8", "<i4", "|u1"}
# What the streams of a process are called, be they files or not.
_STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/self/fd/")
_CHECKSUM_BYTES = hashlib.sha256().digest_size


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """What a file held."""

    version: int
    arrays: dict[str, NDArray[Any]]
    meta: dict[str, Any]


def save_arrays(
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
    bodies = {name: portable(array) for name, array in arrays.items()}
    header = {
        "kind": kind,
        "version": version,
        "meta": dict(meta),
        "arrays": [[name, body.dtype.str, list(body.shape)] for name, body in bodies.items()],
    }
    text = json.dumps(header, separators=(",", ":")).encode("ascii")
    head = _MAGIC + len(text).to_bytes(8, "little") + text
    parts: list[Buffer] = [head, _padding(len(head))]
    for body in bodies.values():
        parts += [body.reshape(-1).view(np.uint8).data, _padding(body.nbytes)]
    checksum = hashlib.sha256()
    for part in parts:
        checksum.update(part)
    write_atomic(path, [*parts, checksum.digest()])


def load_arrays(path: FilePath, kind: str, version: int) -> Stored:
    """Read what :func:`save_arrays` wrote.

    Parameters
    ----------
    path : path-like
        The file.
    kind : str
        What it must hold.
    version : int
        Newest version of that kind that the caller understands.

    Returns
    -------
    Stored
        The arrays are read-only.

    Raises
    ------
    FileError
        If the file is missing, damaged, newer, or holds something else.
    """
    content = _read(path)
    header, start = _parse_header(path, content)
    check_kind(path, header["kind"], header["version"], wanted=kind, newest=version)
    return Stored(header["version"], _parse_arrays(path, content, header, start), header["meta"])


def write_text_atomic(path: FilePath, text: str) -> None:
    """Write text as UTF-8, whole or not at all.

    Parameters
    ----------
    path : path-like
        The file; one that exists is replaced.
    text : str
        Its contents. Lone surrogates, which UTF-8 cannot hold, are written as escapes.

    Raises
    ------
    FileError
        If the file cannot be written.
    """
    write_atomic(path, [text.encode("utf-8", errors="backslashreplace")])


def write_atomic(path: FilePath, parts: Iterable[Buffer]) -> None:
    """Write bytes, whole or not at all; errors as in :func:`write_text_atomic`.

    A link is followed, and a file that exists keeps its mode. Devices, pipes and the process's own
    streams, such as ``/dev/stdout``, are written to as they are: nothing can take their place.
    """
    target = checked_path(path)
    try:
        status = _status(target)
        if status is not None and stat.S_ISDIR(status.st_mode):
            raise FileError(f"{quoted_path(path)} is a folder; give the name of a file in it")
        if _is_stream(target, status):
            with open(target, "ab") as file:
                file.writelines(parts)
        else:
            mode = None if status is None else stat.S_IMODE(status.st_mode) & 0o777
            _replace(os.path.realpath(target), parts, mode)
    except FileError:
        raise
    except OSError as error:
        raise FileError(
            f"cannot write {quoted_path(path)} ({error.strerror or error}); choose a folder that "
            "exists, is writable and has room"
        ) from error


def _status(target: str) -> os.stat_result | None:
    """Return what is known of a file, of a link that of what it names; None if there is none."""
    try:
        return os.stat(target)
    except FileNotFoundError:
        return None


def _is_stream(target: str, status: os.stat_result | None) -> bool:
    # A stream that was sent to a file is a regular one, which others go on writing to.
    if os.path.abspath(target).startswith(_STREAMS):
        return True
    return status is not None and not stat.S_ISREG(status.st_mode)


def _replace(target: str, parts: Iterable[Buffer], mode: int | None) -> None:
    """Write a file beside the target, then put it in the target's place."""
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name[:64]}.{secrets.token_hex(8)}.tmp")
    try:
        with open(
            temporary, "xb", opener=partial(os.open, mode=0o666 if mode is None else 0o600)
        ) as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def _sync_folder(folder: str) -> None:
    """Make a rename survive a power cut, where folders can be opened at all."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_bytes(path: FilePath, *, most: int | None = None) -> bytes:
    """Return a file's contents.

    Parameters
    ----------
    path : path-like
        The file.
    most : int, optional
        Refuse files of more bytes, unread; `MAX_BYTES` if left out.

    Raises
    ------
    FileError
        If it is missing, empty, too large or no file.
    """
    try:
        # Without O_NONBLOCK, opening a pipe would wait for a writer.
        handle = os.open(
            checked_path(path),
            os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0),
        )
        with open(handle, "rb") as file:
            status = os.fstat(handle)
            _check_readable(path, status, MAX_BYTES if most is None else most)
            return file.read(status.st_size)
    except FileNotFoundError as error:
        raise FileError(f"there is no file {quoted_path(path)}; check the name") from error
    except FileError:
        raise
    except OSError as error:
        raise FileError(
            f"cannot read {quoted_path(path)} ({error.strerror or error}); check that it is a file "
            "and that you may read it"
        ) from error


def damaged(path: FilePath) -> FileError:
    """Return the error for a file whose checksum does not fit."""
    return FileError(
        f"{quoted_path(path)} is damaged or cut short (its checksum does not fit); write or "
        "copy it again"
    )


def check_kind(path: FilePath, kind: str, version: int, *, wanted: str, newest: int) -> None:
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


def _read(path: FilePath) -> memoryview:
    """Return a file's contents, if it is ours, complete and undamaged."""
    content = read_bytes(path)
    _check_intact(path, content)
    return memoryview(content)


def _check_readable(path: FilePath, status: os.stat_result, most: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise FileError(f"{quoted_path(path)} is a folder or a device, not a file; choose a file")
    if status.st_size == 0:
        raise FileError(f"{quoted_path(path)} is empty; write it again")
    if status.st_size > most:
        raise FileError(
            f"{quoted_path(path)} has {status.st_size} bytes, more than the {most} that are "
            "read; choose another file"
        )


def _check_intact(path: FilePath, content: bytes) -> None:
    if not content.startswith(_MAGIC[: len(content)]):
        raise FileError(f"{quoted_path(path)} was not written by greedag; choose another file")
    whole = memoryview(content)
    body, checksum = whole[:-_CHECKSUM_BYTES], whole[-_CHECKSUM_BYTES:]
    if hashlib.sha256(body).digest() != checksum:
        raise damaged(path)


def _parse_header(path: FilePath, content: memoryview) -> tuple[dict[str, Any], int]:
    """Return the header and where the arrays start."""
    first = len(_MAGIC) + 8
    last = first + int.from_bytes(content[len(_MAGIC) : first], "little")
    try:
        header = json.loads(bytes(content[first:last]))
    except (ValueError, RecursionError) as error:
        raise _malformed(path) from error
    types = {"kind": str, "version": int, "meta": dict, "arrays": list}
    if not isinstance(header, dict) or header.keys() != types.keys():
        raise _malformed(path)
    if not all(isinstance(header[key], kind) for key, kind in types.items()):
        raise _malformed(path)
    return header, last + len(_padding(last))


def _parse_arrays(
    path: FilePath, content: memoryview, header: dict[str, Any], start: int
) -> dict[str, NDArray[Any]]:
    end = len(content) - _CHECKSUM_BYTES
    arrays: dict[str, NDArray[Any]] = {}
    for entry in header["arrays"]:
        name, dtype, shape = _checked_entry(path, entry)
        size = math.prod(shape) * np.dtype(dtype).itemsize
        if size > end - start:
            raise _malformed(path)
        arrays[name] = np.frombuffer(content[start : start + size], dtype).reshape(shape)
        start += size + len(_padding(size))
    if start != end:
        raise _malformed(path)
    return arrays


def _checked_entry(path: FilePath, entry: object) -> tuple[str, str, list[int]]:
    match entry:
        case [str(name), str(dtype), list(shape)] if dtype in TYPES and all(
            type(length) is int and 0 <= length <= MAX_BYTES for length in shape
        ):
            return name, dtype, shape
    raise _malformed(path)


def _malformed(path: FilePath) -> FileError:
    return FileError(
        f"{quoted_path(path)} has a header that does not describe its contents; write it again"
    )


def portable(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as it is laid out in files: contiguous, little-endian."""
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))


def _padding(length: int) -> bytes:
    return bytes(-length % _ALIGNMENT)


def checked_path(path: FilePath) -> str:
    """Return the name of a file as a str, if it is one."""
    try:
        text = os.fspath(path)
    except TypeError:
        text = None
    if not isinstance(text, str) or not text or "\0" in text:
        raise FileError(
            f"{quoted_path(path)} is not the name of a file",
            remedy=Spelled("pass a str or a Path", "check the name"),
        )
    return text
