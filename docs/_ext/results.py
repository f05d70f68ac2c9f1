"""The directive ``{results}``: a section of a ``RESULTS.md``, as it was measured last."""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

BENCHMARKS, RESULTS = Path("benchmarks"), "RESULTS.md"


def section_of(text: str, title: str) -> str:
    """Return what stands under a heading, up to the next of its rank."""
    found = re.search(
        rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL
    )
    if found is None:
        raise ValueError(f"there is no section {title!r}")
    return found[1].strip()


class Results(SphinxDirective):
    """Shows the section that it is given the heading of.

    ``:folder:`` names the folder of ``benchmarks`` whose page it is on, if not the main one.
    """

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {"folder": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Return the parsed section."""
        folder = BENCHMARKS / self.options.get("folder", "")
        file = Path(self.env.srcdir).parent / folder / RESULTS
        self.env.note_dependency(str(file))
        section = section_of(file.read_text(encoding="utf-8"), self.arguments[0])
        box = nodes.container(classes=["results"])
        self.state.nested_parse(StringList(section.splitlines(), str(file)), 0, box)
        return [box]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("results", Results)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
