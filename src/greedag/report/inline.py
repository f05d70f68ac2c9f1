"""Blocks within a page: which of them take effect, and data that cannot end theirs."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any


def policy(*, styles: list[str], scripts: list[str]) -> str:
    """Return a Content-Security-Policy under which only these inline blocks take effect."""
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src {' '.join(map(_hash, styles))}",
            f"script-src {' '.join(map(_hash, scripts))}",
            # The empty icon, without which browsers ask a server for one.
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def json_block(record: Any) -> str:
    """Return JSON that can stand in a script element, whatever text it holds.

    Beside what is not ASCII (line separators, lone surrogates), the signs that begin or end
    markup are written as escapes, which JSON reads back as the same text.
    """
    text = json.dumps(record, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _hash(block: str) -> str:
    digest = hashlib.sha256(block.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
