"""Files that are read as a whole, and written whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress
from functools import partial

from greedag._progress import LOGGER
from greedag.errors import FileError, Spelled, quoted_path

FilePath = str | os.PathLike[str]
Buffer = bytes | memoryview

MAX_BYTES = 2**33
# What the streams of a process are called, be they files or not.
_STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/self/fd/")


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
        if is_stream(target, status):
            with open(target, "ab") as file:
                file.writelines(parts)
        else:
            mode = None if status is None else stat.S_IMODE(status.st_mode) & 0o777
            _replace(os.path.realpath(target), parts, mode)
        LOGGER.debug("wrote the file %s", target)
    except FileError:
        raise
    except OSError as error:
        raise FileError(
            f"cannot write {quoted_path(path)} ({error.strerror or error}); choose a folder that "
            "exists, is writable and has free space"
        ) from error


def _status(target: str) -> os.stat_result | None:
    """Return what is known of a file, of a link that of what it names; None if there is none."""
    try:
        return os.stat(target)
    except FileNotFoundError:
        return None


def is_stream(target: str, status: os.stat_result | None) -> bool:
    """Whether a path is a device, a pipe or a stream of this process: nothing can replace it."""
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
            "that you have permission to read"
        ) from error


def damaged(path: FilePath) -> FileError:
    """Return the error for a file whose checksum does not fit."""
    return FileError(
        f"{quoted_path(path)} is damaged or cut short (its checksum does not match); write or "
        "copy it again"
    )


def _check_readable(path: FilePath, status: os.stat_result, most: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise FileError(f"{quoted_path(path)} is a folder or a device, not a file; choose a file")
    if status.st_size == 0:
        raise FileError(f"{quoted_path(path)} is empty; write it again")
    if status.st_size > most:
        raise FileError(
            f"{quoted_path(path)} has {status.st_size} bytes, more than the limit of "
            f"{most}; choose another file"
        )


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
