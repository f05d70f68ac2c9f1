"""JSON files with a checksum.

A document is one JSON object in UTF-8 that starts with ``format`` and ``version`` and ends with
``checksum``, the SHA-256 of the file's bytes before the comma that leads up to it. So every changed
byte is noticed, and any program that reads JSON can read the rest. A document that was written by
hand or by another program need not have a checksum.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from greedag.errors import FileError, one_line, quoted_path
from greedag.io.atomic import FilePath, damaged, read_bytes, write_atomic

MAX_BYTES = 2**28
_LEAD, _END = b',\n  "checksum": "', b'"\n}\n'
_DIGITS = 2 * hashlib.sha256().digest_size
_TAIL = len(_LEAD) + _DIGITS + len(_END)
# Still seen as a checksum where the word itself is damaged.
_DIGEST_LAST = re.compile(rb'"[0-9a-f]{%d}"\s*}\s*\Z' % _DIGITS)


def document(record: Mapping[str, object]) -> str:
    """Return a document as text: a line for each field, and for each member of a list of lists.

    Parameters
    ----------
    record : mapping of str to anything that JSON can hold
        Its fields, ``format`` and ``version`` first.

    Raises
    ------
    ValueError
        If a number is not finite.
    """
    return _bytes(record).decode("utf-8")


def save_document(path: FilePath, record: Mapping[str, object]) -> None:
    """Write a document, whole or not at all.

    Parameters
    ----------
    path : path-like
        The file; one that exists is replaced.
    record : mapping
        As in :func:`document`.

    Raises
    ------
    FileError
        If the file cannot be written.
    """
    write_atomic(path, [_bytes(record)])


def load_document(path: FilePath, newest: Mapping[str, int]) -> dict[str, Any]:
    """Read a document.

    Parameters
    ----------
    path : path-like
        The file.
    newest : mapping of str to int
        The formats that are welcome, each with the newest version that the caller understands.

    Returns
    -------
    dict
        Its fields, without the checksum.

    Raises
    ------
    FileError
        If the file is missing, damaged, newer, too large, or of another format.
    """
    return parse_document(read_bytes(path, most=MAX_BYTES), newest, path)


def parse_document(content: bytes, newest: Mapping[str, int], path: FilePath) -> dict[str, Any]:
    """Read the contents of a document as :func:`load_document` does; `path` is for messages."""
    if not content.lstrip().startswith(b"{"):
        raise FileError(f"{quoted_path(path)} is not a greedag JSON file; choose another file")
    body, tail = content[:-_TAIL], content[-_TAIL:]
    is_sound = tail == _tail_of(body)
    if _DIGEST_LAST.search(content, len(body)) and not is_sound:
        raise damaged(path)
    try:
        record = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FileError(
            f"{quoted_path(path)} is damaged, truncated or not valid JSON ({one_line(error)}); "
            "correct it or write it again"
        ) from error
    if "checksum" in record and not is_sound:
        raise damaged(path)
    record.pop("checksum", None)
    match record:
        case {"format": str(name), "version": int(version)} if name in newest:
            if version <= newest[name]:
                return dict(record)
            raise FileError(
                f"{quoted_path(path)} has version {version} of the format {name!r}, newer than "
                f"{newest[name]}, the newest known here; upgrade greedag"
            )
    wanted = " or ".join(repr(name) for name in newest)
    raise FileError(f"{quoted_path(path)} does not hold the format {wanted}; choose another file")


def malformed(path: FilePath, why: str) -> FileError:
    """Return the error for a document whose contents make no sense."""
    return FileError(f"{quoted_path(path)} cannot be used: {why}; write it again")


def _bytes(record: Mapping[str, object]) -> bytes:
    fields = [f"  {_compact(key)}: {_field(value)}" for key, value in record.items()]
    # A lone surrogate, which UTF-8 cannot hold, becomes the escape that JSON has for it.
    body = ("{\n" + ",\n".join(fields)).encode("utf-8", errors="backslashreplace")
    return body + _tail_of(body)


def _tail_of(body: bytes) -> bytes:
    return _LEAD + hashlib.sha256(body).hexdigest().encode("ascii") + _END


def _field(value: object) -> str:
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], (list, tuple, dict)):
        return "[\n" + ",\n".join(f"    {_compact(item)}" for item in value) + "\n  ]"
    return _compact(value)


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
