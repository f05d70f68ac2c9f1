"""The directive ``{command-help}``: what ``greedag COMMAND --help`` prints."""

from __future__ import annotations

from click.testing import CliRunner
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from greedag.cli.main import program


def help_of(command: str) -> str:
    """Return the help of one command."""
    run = CliRunner().invoke(
        program(), [command, "--help"], terminal_width=72, prog_name="greedag", color=False
    )
    if run.exit_code != 0:
        raise ValueError(f"greedag {command} --help failed: {run.output}")
    return str(run.output)


class CommandHelp(SphinxDirective):
    """Shows the help of the command that it is given."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the block of text."""
        text = help_of(self.arguments[0])
        return [nodes.literal_block(text, text, language="text")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
