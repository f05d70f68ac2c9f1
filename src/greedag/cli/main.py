"""The command ``greedag``: its commands, exit codes, and one line for whatever went wrong.

click and rich are imported once a command runs, so that their absence can be explained.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from greedag.cli.output import INTERRUPTED, WRONG_INPUT, CannotWriteError, say
from greedag.drawing.labels import printable
from greedag.errors import GreedagError, require

if TYPE_CHECKING:
    import click

CANNOT_WRITE = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        return _run(arguments)
    except CannotWriteError as error:
        return _complain(str(error), CANNOT_WRITE)
    except GreedagError as error:
        return _complain(error.shown(command=True), WRONG_INPUT)
    except MemoryError as error:
        return _complain(f"not enough memory: {error}", WRONG_INPUT)
    except KeyboardInterrupt:
        return INTERRUPTED


@cache
def program() -> click.Group:
    """Return the group of all commands."""
    import click

    from greedag import __version__
    from greedag.cli.compare import compare_command
    from greedag.cli.convert import convert_command
    from greedag.cli.explain import explain_command
    from greedag.cli.learn import learn_command
    from greedag.cli.score import score_command
    from greedag.cli.show import show_command
    from greedag.cli.simulate import simulate_command

    @click.group(
        invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
    )
    @click.version_option(__version__, prog_name="greedag")
    @click.pass_context
    def group(context: click.Context) -> None:
        """Causal structure from a table.

        \b
        Examples:
          greedag learn table.csv --out graph.json --report report.html
          greedag show graph.json --focus income
          greedag learn --help
        """
        if context.invoked_subcommand is None:
            say(context.get_help())

    for command in (
        learn_command,
        show_command,
        explain_command,
        compare_command,
        score_command,
        convert_command,
        simulate_command,
    ):
        group.add_command(command)
    return group


def _run(arguments: Sequence[str] | None) -> int:
    click = require("click", "cli")
    require("rich", "cli")
    try:
        code = program().main(arguments, prog_name="greedag", standalone_mode=False)
    except click.exceptions.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        return _complain(_one_line(error), WRONG_INPUT)
    return int(code or 0)


def _one_line(error: Exception) -> str:
    """Return click's message with the command whose help says more."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "greedag"
    message = " ".join(error.format_message().split())  # type: ignore[attr-defined]
    return f"{message.rstrip('.')} (see {command} --help)"


def _complain(message: str, code: int) -> int:
    say(f"greedag: {printable(message)}", sys.stderr)
    return code
