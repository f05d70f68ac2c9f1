"""The blocks of code in Markdown pages, and what running them must print.

A ```` ```python ```` block is run. A ```` ```pycon ```` block holds lines after ``>>>`` with what they
print, which is compared (``...`` stands for anything). The blocks of a page share their names.
"""

from __future__ import annotations

import doctest
import re
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^(?P<fence>`{3,})(?P<language>[\w{}-]*)\n(?P<text>.*?)^(?P=fence)$", re.M | re.S)
_FLAGS = doctest.ELLIPSIS | doctest.REPORT_NDIFF


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block of a page."""

    language: str
    text: str
    line: int


def blocks_of(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    source = page.read_text(encoding="utf-8")
    return [
        Block(found["language"], found["text"], source.count("\n", 0, found.start()) + 1)
        for found in _BLOCK.finditer(source)
    ]


def run_python(page: Path, blocks: list[Block]) -> None:
    """Run the Python of a page in order; AssertionError where it prints something else."""
    names: dict[str, object] = {"__name__": page.stem}
    for block in blocks:
        where = f"{page.name}, line {block.line}"
        if block.language == "python":
            # Line numbers in tracebacks are those of the page.
            code = "\n" * block.line + block.text
            exec(compile(code, str(page), "exec"), names)
        elif block.language == "pycon":
            _compare(block, names, where)


def _compare(block: Block, names: dict[str, object], where: str) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, names, where, where, block.line)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=_FLAGS)
    outcome = runner.run(test, out=said.append, clear_globs=False)
    assert outcome.attempted, f"{where}: no line begins with >>>"
    assert not outcome.failed, "".join(said)
    names.update(test.globs)
