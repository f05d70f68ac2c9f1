"""Comparison with files that a person has looked at: tests/golden/."""

from __future__ import annotations

import os

from helpers.paths import TESTS

GOLDEN = TESTS / "golden"


def assert_golden(name: str, text: str) -> None:
    """Compare with a golden file; RENEW_GOLDEN=1 writes it first, to be looked at by eye."""
    path = GOLDEN / name
    if os.environ.get("RENEW_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_text(encoding="utf-8"), f"differs from {path}; see RENEW_GOLDEN"
