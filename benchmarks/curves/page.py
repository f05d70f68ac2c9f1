"""RESULTS.md of this folder: a section for each command, renewed by ``--save``."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

PAGE = Path(__file__).with_name("RESULTS.md")


def publish(title: str, lines: list[str], *, save: bool) -> None:
    """Print a section; if asked to, write it to the page in place of the one of this title."""
    print("\n".join(lines))
    if not save:
        return
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else "# Results with curves\n"
    section = "\n".join([f"## {title}", "", f"`{_command()}`", "", *lines, "", ""])
    pattern = re.compile(rf"^## {re.escape(title)}$.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    if pattern.search(text):
        text = pattern.sub(lambda _: section, text)
    else:
        text = text.rstrip("\n") + "\n\n" + section
    PAGE.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


def _command() -> str:
    """Return how this process was called, without folders that mean nothing to a reader."""
    script = f"benchmarks/curves/{Path(sys.argv[0]).name}"
    shown = ["FOLDER" if Path(part).is_absolute() else part for part in sys.argv[1:]]
    return shlex.join(["python", script, *(part for part in shown if part != "--save")])
