"""Parts of the page that are not text: style, script, data, and the policy that admits them.

The policy names the style and the script by their hashes and forbids everything else, so that
nothing that came in with the data could be loaded or run even if it escaped its escaping.
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib import resources
from typing import Any

STYLES = ("page.css", "graph.css", "print.css")
# In this order: each uses what stands before it.
SCRIPTS = ("base.js", "panel.js", "canvas.js", "near.js", "graph.js", "tables.js", "start.js")


def asset(name: str) -> str:
    """Return the text of a file of this package."""
    return resources.files(__package__).joinpath("assets", name).read_text(encoding="utf-8")


def style() -> str:
    """Return the style sheet of the page."""
    return "\n".join(map(asset, STYLES))


def script() -> str:
    """Return the script of the page; its files share one scope that nothing else can reach."""
    return '"use strict";\n(() => {\n' + "\n".join(map(asset, SCRIPTS)) + "})();\n"


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
