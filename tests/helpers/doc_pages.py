"""The blocks of code in Markdown pages, and what running them must print.

A ``python`` or ``{drawing}`` block is run. A ``pycon`` block holds lines after ``>>>`` with what
they print, which is compared; ``...`` stands for anything. The blocks of a page share their names;
drawings stand alone.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^(`{3,})([\w{}-]*)([^\n]*)\n(.*?)^\1$", flags=re.MULTILINE | re.DOTALL)
_FLAGS = doctest.ELLIPSIS | doctest.REPORT_NDIFF

Names = dict[str, object]


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
        Block(found[2], found[4], source.count("\n", 0, found.start()) + 1)
        for found in _BLOCK.finditer(source)
    ]


def run_page(page: Path) -> None:
    """Run the Python of a page in order; AssertionError where it prints something else."""
    names: Names = {"__name__": page.stem}
    for block in blocks_of(page):
        where = f"{page.name}, line {block.line}"
        if block.language == "python":
            # Line numbers in tracebacks are those of the page.
            exec(compile("\n" * block.line + block.text, str(page), "exec"), names)
        elif block.language == "{drawing}":
            code = block.text.removeprefix(":quiet:\n")
            exec(compile(code, str(page), "exec"), {"__name__": page.stem})
        elif block.language == "pycon":
            _compare(block, names, where)


def _compare(block: Block, names: Names, where: str) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, names, where, where, block.line)
    said: list[str] = []
    outcome = doctest.DocTestRunner(optionflags=_FLAGS).run(
        test, out=said.append, clear_globs=False
    )
    assert outcome.attempted, f"{where}: no line begins with >>>"
    assert not outcome.failed, "".join(said)
    names.update(test.globs)


def renew_page(page: Path) -> None:
    """Write into a page what its blocks print; outputs with ``...`` in them stay as they are."""
    names: Names = {"__name__": page.stem}
    source = page.read_text(encoding="utf-8")
    page.write_text(_BLOCK.sub(_renewed(names), source), encoding="utf-8")


def _renewed(names: Names) -> Callable[[re.Match[str]], str]:
    def renewed(found: re.Match[str]) -> str:
        fence, language, text = found[1], found[2], found[4]
        if language == "python":
            exec(compile(text, "<page>", "exec"), names)
        if language != "pycon":
            return found[0]
        examples = doctest.DocTestParser().get_examples(text)
        return f"{fence}pycon\n{''.join(_said(example, names) for example in examples)}{fence}"

    return renewed


def _said(example: doctest.Example, names: Names) -> str:
    first, *more = example.source.rstrip("\n").split("\n")
    lines = [f">>> {first}", *(f"... {line}".rstrip() for line in more)]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(example.source, "<page>", "single"), names)
        except Exception as error:
            if not example.want.startswith("Traceback"):
                raise
            what = "".join(traceback.format_exception_only(error))
            print(f"Traceback (most recent call last):\n    ...\n{what}", end="")
    head, _, tail = example.want.partition("    ...\n")
    kept = "..." in (tail if head.startswith("Traceback") else example.want)
    # An empty line would end what a doctest expects.
    said = re.sub(r"^(?=\n)", "<BLANKLINE>", printed.getvalue(), flags=re.MULTILINE)
    return "\n".join([*lines, ""]) + (example.want if kept else said)
