"""Files of text, compressed or not."""

from __future__ import annotations

import bz2
import gzip
import io
import os
from typing import TextIO, cast

from greedag.errors import require

# Swallows the byte-order mark that spreadsheets write.
_ENCODING = "utf-8-sig"


def open_text(path: str) -> TextIO:
    """Open a file of UTF-8 text for reading, whatever its last suffix says it is packed with."""
    ending = os.path.splitext(path)[1].lower()
    if ending == ".gz":
        return cast(TextIO, gzip.open(path, "rt", encoding=_ENCODING, newline=""))
    if ending == ".bz2":
        return cast(TextIO, bz2.open(path, "rt", encoding=_ENCODING, newline=""))
    if ending == ".zst":
        arrow = require("pyarrow", "io")
        packed = arrow.CompressedInputStream(arrow.OSFile(path), "zstd")
        return io.TextIOWrapper(packed, encoding=_ENCODING, newline="")
    return open(path, encoding=_ENCODING, newline="")
