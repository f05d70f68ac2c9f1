"""Where a command starts and ends: exit codes, and one line for whatever went wrong."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from greedag.cli.output import INTERRUPTED, WRONG_INPUT, CannotWriteError, say
from greedag.drawing.labels import printable
from greedag.errors import GreedagError, require

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


def _run(arguments: Sequence[str] | None) -> int:
    click = require("click", "cli")
    require("rich", "cli")
    from greedag.cli.program import program

    try:
        code = program.main(arguments, prog_name="greedag", standalone_mode=False)
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
