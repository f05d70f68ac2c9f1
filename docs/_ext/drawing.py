"""The directive ``{drawing}``: Python code, and below it what a notebook would show of it.

With the option ``:quiet:`` the code is not shown, because the page has told it before. The code
reads the files in ``docs/data`` by their names, as the other blocks of a page do.
"""

from __future__ import annotations

import ast
import os
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


def shown(code: str) -> str:
    """Run code whose last line is an expression, and return the HTML that a notebook shows."""
    tree = ast.parse(code)
    last = tree.body.pop()
    if not isinstance(last, ast.Expr):
        raise ValueError(f"the last line of a drawing is an expression, not {ast.unparse(last)!r}")
    namespace: dict[str, Any] = {}
    exec(compile(tree, "<drawing>", "exec"), namespace)
    value = eval(compile(ast.Expression(last.value), "<drawing>", "eval"), namespace)
    return str(value._repr_mimebundle_()["text/html"])


class Drawing(SphinxDirective):
    """Shows the code and the drawing that it makes."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"quiet": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Return the block of code and the drawing."""
        code = "\n".join(self.content)
        html = self.shown_among_data(code)
        picture = nodes.raw("", f'<div class="drawing">{html}</div>', format="html")
        if "quiet" in self.options:
            return [picture]
        return [nodes.literal_block(code, code, language="python"), picture]

    def shown_among_data(self, code: str) -> str:
        """Run code in the folder of the data."""
        before = Path.cwd()
        os.chdir(Path(self.env.srcdir) / "data")
        try:
            return shown(code)
        finally:
            os.chdir(before)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("drawing", Drawing)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
