"""Arrays with a description as .npz, which NumPy and others open too.

The archive holds the arrays, and ``header.json`` as bytes: kind, version and meta. Its comment, the
last 64 bytes of the file, is the SHA-256 of all bytes before it. Nothing is ever unpickled.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag import storage
from greedag.errors import FileError, quoted_path
from greedag.storage import (
    TYPES,
    FilePath,
    Stored,
    check_kind,
    damaged,
    portable,
    read_bytes,
    write_atomic,
)

_HEADER = "header.json"
_DIGITS = 2 * hashlib.sha256().digest_size


def save_npz(
    path: FilePath,
    kind: str,
    version: int,
    arrays: Mapping[str, NDArray[Any]],
    meta: Mapping[str, Any],
) -> None:
    """Write arrays and their description; options as in :func:`greedag.storage.save_arrays`."""
    header = json.dumps({"kind": kind, "version": version, "meta": dict(meta)}).encode("ascii")
    parts: dict[str, Any] = {_HEADER: np.frombuffer(header, dtype=np.uint8)}
    parts |= {name: portable(array) for name, array in arrays.items()}
    file = io.BytesIO()
    np.savez(file, **parts)
    with zipfile.ZipFile(file, "a") as archive:
        archive.comment = bytes(_DIGITS)
    content = file.getbuffer()[:-_DIGITS]
    write_atomic(path, [content, hashlib.sha256(content).hexdigest().encode("ascii")])


def load_npz(path: FilePath, kind: str, version: int) -> Stored:
    """Read what :func:`save_npz` wrote; errors as in :func:`greedag.storage.load_arrays`."""
    content = read_bytes(path)
    if not content.startswith(b"PK"[: len(content)]):
        raise FileError(f"{quoted_path(path)} is no .npz file; choose another file")
    whole = memoryview(content)
    digest = hashlib.sha256(whole[:-_DIGITS]).hexdigest().encode("ascii")
    if digest != whole[-_DIGITS:]:
        raise damaged(path)
    arrays = _arrays(path, content)
    header = _header(path, arrays.pop(_HEADER, None))
    check_kind(path, header["kind"], header["version"], wanted=kind, newest=version)
    return Stored(header["version"], arrays, header["meta"])


def _arrays(path: FilePath, content: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays, refusing an archive that would unpack to more than may be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > storage.MAX_BYTES:
                raise FileError(f"{quoted_path(path)} unpacks to too much; choose another file")
        with np.load(io.BytesIO(content), allow_pickle=False) as loaded:
            arrays = {name: loaded[name] for name in loaded.files}
    except (zipfile.BadZipFile, zlib.error, ValueError, KeyError, NotImplementedError) as error:
        raise _malformed(path) from error
    if not all(array.dtype.str in TYPES for array in arrays.values()):
        raise _malformed(path)
    return arrays


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
