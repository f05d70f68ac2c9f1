"""Where a command starts and ends: exit codes, what it prints, files noticed before the work.

Text is fit for any terminal, and whatever goes wrong is one line.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, TextIO

from greedag._progress import LOGGER
from greedag.drawing.labels import printable
from greedag.errors import FileError, GreedagError, GreedagWarning, quoted_path, require
from greedag.io.atomic import is_stream

if TYPE_CHECKING:
    import click

    from greedag import DrawsDone, Progress

WRONG_INPUT, CANNOT_WRITE, INTERRUPTED = 2, 3, 130


class CannotWriteError(GreedagError):
    """A file that was asked for cannot be written."""


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
    from greedag.cli.check import check_command
    from greedag.cli.compare import compare_command
    from greedag.cli.convert import convert_command
    from greedag.cli.effect import effect_command
    from greedag.cli.explain import explain_command
    from greedag.cli.inspect import inspect_command
    from greedag.cli.learn import learn_command
    from greedag.cli.score import score_command
    from greedag.cli.show import show_command
    from greedag.cli.simulate import simulate_command
    from greedag.cli.stability import stability_command

    @click.group(
        invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
    )
    @click.version_option(__version__, prog_name="greedag")
    @click.pass_context
    def group(context: click.Context) -> None:
        """Causal structure from a table.

        \b
        Examples:
          greedag inspect table.csv
          greedag learn table.csv --out graph.json --report report.html
          greedag stability table.csv
          greedag show graph.json --focus income
          greedag learn --help
        """
        if context.invoked_subcommand is None:
            say(context.get_help())

    for command in (
        inspect_command,
        learn_command,
        stability_command,
        show_command,
        explain_command,
        effect_command,
        check_command,
        compare_command,
        score_command,
        convert_command,
        simulate_command,
    ):
        command.params.append(_verbose_option())
        group.add_command(command)
    return group


def _verbose_option() -> click.Option:
    import click

    return click.Option(
        ["-v", "--verbose"],
        count=True,
        expose_value=False,
        callback=_log_to_stderr,
        help="Log phases and seconds to stderr; -vv logs more.",
    )


def _log_to_stderr(context: click.Context, _: object, count: int) -> None:
    """Log to stderr until the command ends: nothing, phases, or everything."""
    if count == 0:
        return
    before, lines = LOGGER.level, _LogLines()
    LOGGER.addHandler(lines)
    LOGGER.setLevel(logging.INFO if count == 1 else logging.DEBUG)
    context.call_on_close(lambda: LOGGER.setLevel(before))
    context.call_on_close(lambda: LOGGER.removeHandler(lines))


class _LogLines(logging.Handler):
    """Prints what is logged as lines of the command."""

    def emit(self, record: logging.LogRecord) -> None:
        say(f"greedag: {printable(self.format(record))}", sys.stderr)


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


def say(text: str, stream: TextIO | None = None) -> None:
    """Print a text, whatever is in it and whatever the stream can show.

    Names are escaped before they get here. What a file holds beside them, such as notes, is
    escaped here: nothing but ends of lines moves the cursor.
    """
    stream = sys.stdout if stream is None else stream
    text = "\n".join(map(printable, text.split("\n")))
    encoding = stream.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        plain = text.replace("→", "->").replace("←", "<-").replace("█", "#")
        text = plain.encode(encoding, "backslashreplace").decode(encoding)
    try:
        print(text, file=stream, flush=True)
    except BrokenPipeError:
        # Whoever was reading has seen enough. Python would complain when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def said_warnings(*, quiet: bool = False) -> Iterator[None]:
    """Print what is warned of as lines of the command, at the end."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", GreedagWarning)
        yield
    for warning in () if quiet else caught:
        text = warning.message
        words = text.shown(command=True) if isinstance(text, GreedagWarning) else str(text)
        say(f"greedag: warning: {printable(words)}", sys.stderr)


@contextmanager
def shown_progress(*, quiet: bool) -> Iterator[Callable[[Progress | DrawsDone], None] | None]:
    """Give a function that shows the progress of a search, None where nobody watches."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True)
    if quiet or console.is_dumb_terminal or not console.file.isatty():
        yield None
        return
    # Without its own thread: the search calls ten times a second, and nothing else writes.
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield lambda progress: live.update(Text(f"searching  {progress}"), refresh=True)


def check_outputs(*paths: str | None) -> None:
    """Raise unless a file can be made at each of these paths; None is no path.

    Raises
    ------
    CannotWriteError
        Before any work is lost.
    """
    given = [path for path in paths if path is not None]
    for place, path in enumerate(given):
        _check_output(path)
        if any(_are_same(path, other) for other in given[:place]):
            raise CannotWriteError(
                f"{quoted_path(path)} would be written twice; choose two different files"
            )


def check_inputs_stay(inputs: Iterable[str], *outputs: str | None) -> None:
    """Raise if a file that is to be read is to be written, too; None is no path.

    Raises
    ------
    CannotWriteError
        Before anything is lost.
    """
    # Devices can be both: a terminal is read from and written to.
    read = [path for path in inputs if os.path.isfile(path)]
    for path in outputs:
        if path is not None and any(_are_same(path, other) for other in read):
            raise CannotWriteError(
                f"{quoted_path(path)} is an input and would be overwritten; choose another "
                "output file"
            )


def _are_same(one: str, other: str) -> bool:
    """Whether two paths lead to one file, by links or by another spelling."""
    if os.path.isfile(one) and os.path.isfile(other):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


def _check_output(path: str) -> None:
    if os.path.isdir(path):
        raise CannotWriteError(f"{quoted_path(path)} is a folder; give the name of a file in it")
    try:
        status = None
        with suppress(FileNotFoundError):
            status = os.stat(path)  # which also fails for a name that is too long
        if is_stream(path, status):
            return  # written to as it is, whoever may write beside it
        # Files are written beside their place and then renamed.
        with tempfile.TemporaryFile(dir=os.path.dirname(os.path.abspath(path))):
            pass
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CannotWriteError(
            f"cannot write {quoted_path(path)} ({reason}); choose a folder that exists and is "
            "writable"
        ) from error


def write_all(writers: Iterable[tuple[str, Callable[[str], object]]]) -> None:
    """Write files, each by its own function; one that fails does not keep the others from it.

    Raises
    ------
    CannotWriteError
        For the first that failed.
    """
    failures: list[CannotWriteError] = []
    for path, write in writers:
        try:
            write(path)
        except FileError as error:
            failures.append(CannotWriteError(str(error)))
        except OSError as error:
            reason = error.strerror or error
            failures.append(CannotWriteError(f"cannot write {quoted_path(path)} ({reason})"))
    if failures:
        raise failures[0]
