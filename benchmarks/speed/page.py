"""RESULTS.md of a folder of scripts: a section for each command, renewed by ``--save``."""

from __future__ import annotations

import datetime
import re
import shlex
import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[1]
SCRIPT = Path(sys.argv[0]).resolve()
PAGE = SCRIPT.with_name("RESULTS.md")


def publish(title: str, lines: list[str], *, save: bool) -> None:
    """Print a section; if asked to, write it to the page in place of the one of this title."""
    print("\n".join(lines))
    if not save:
        return
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else f"# Results: {PAGE.parent.name}\n"
    section = "\n".join([f"## {title}", "", f"`{_command()}`, {_run()}", "", *lines, "", ""])
    pattern = re.compile(rf"^## {re.escape(title)}$.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    if pattern.search(text):
        text = pattern.sub(lambda _: section, text)
    else:
        text = text.rstrip("\n") + "\n\n" + section
    PAGE.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


def _command() -> str:
    """Return how this process was called, without folders that mean nothing to a reader."""
    script = str(SCRIPT.relative_to(BENCHMARKS.parent))
    shown = [_shown(part) for part in sys.argv[1:] if part != "--save"]
    return shlex.join(["python", script, *shown])


def _shown(part: str) -> str:
    """Return an argument; of a path elsewhere, the name of a file only."""
    path = Path(part)
    if not path.is_absolute():
        return part
    return path.name if path.is_file() else "FOLDER"


def _run() -> str:
    """Return the day, and the last commit that changed the package."""
    git = ["git", "-C", str(PAGE.parent), "log", "-1", "--format=%h", "--", ":/src"]
    found = subprocess.run(git, capture_output=True, text=True, check=True)
    return f"{datetime.date.today()}, engine of {found.stdout.strip()}"
