"""Progress of a search, reported while it runs, and the log of its phases."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TextIO

from greedag.errors import OptionError, quoted

# Phases and seconds at INFO, more at DEBUG; silent unless the program sets up logging.
LOGGER = logging.getLogger("greedag")
LOGGER.addHandler(logging.NullHandler())

_LIVE_EVERY = 0.1
_PLAIN_EVERY = 5.0
_LOGGED_EVERY = 1.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search has come. A trial of XGES counts as a step only once it is kept.

    Attributes
    ----------
    seconds : float
        Since the search began, reading the data left out.
    score : float
        Of the best class so far.
    edges : int
        How many it has.
    steps : int
        Operators applied on the way to it.
    trials : int
        Deletes that XGES has tried; 0 for other searches.
    """

    seconds: float
    score: float
    edges: int
    steps: int
    trials: int

    def __str__(self) -> str:
        trials = f", {_counted(self.trials, 'trial')}" if self.trials else ""
        return (
            f"{self.seconds:.1f} s: score {self.score:.10g}, {_counted(self.edges, 'edge')}, "
            f"{_counted(self.steps, 'step')}{trials}"
        )


@dataclass(frozen=True, slots=True)
class RowsRead:
    """How far the counting of a large table has come.

    Attributes
    ----------
    seconds : float
        Since it began.
    rows : int
        Read so far.
    total : int or None
        Rows in all, where that is known before they are read.
    """

    seconds: float
    rows: int
    total: int | None

    def __str__(self) -> str:
        of = "" if self.total is None else f" of {self.total:,}"
        return f"{self.seconds:.1f} s: {self.rows:,}{of} rows counted"


ProgressCallback = Callable[[Progress], object]
RowsCallback = Callable[[RowsRead], object]


@contextmanager
def progress_callback(
    progress: bool | ProgressCallback | None,
) -> Iterator[ProgressCallback | None]:
    """Give the function to call, if any; True shows a line on stderr that ends with the block.

    Raises
    ------
    OptionError
        If `progress` is neither a truth value nor a function.
    """
    if progress is True and sys.stderr is not None:  # None where a program has no console
        line = ProgressLine(sys.stderr)
        try:
            yield line
        finally:
            line.end()
    elif progress is None or isinstance(progress, bool):
        yield None
    elif callable(progress):
        yield progress
    else:
        raise OptionError(
            "progress must be True, False, None or a function of one argument; got "
            f"{quoted(progress)}"
        )


def logged_progress(report: ProgressCallback | None) -> ProgressCallback:
    """Return a function that logs progress once a second, and calls the given one every time."""
    logged = time.monotonic()

    def log(progress: Progress) -> None:
        nonlocal logged
        time_now = time.monotonic()
        if time_now - logged >= _LOGGED_EVERY:
            logged = time_now
            LOGGER.debug("searching: %s", progress)
        if report is not None:
            report(progress)

    return log


class ProgressLine:
    """One line that is written over and over on a terminal; a line now and then elsewhere."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_live = stream.isatty()
        self._time = time.monotonic()
        self._shown: Progress | None = None
        self._last: Progress | None = None
        self._width = 0

    def __call__(self, progress: Progress) -> None:
        """Show how far the search has come, unless that was shown just before."""
        self._last = progress
        time_now = time.monotonic()
        if time_now - self._time >= (_LIVE_EVERY if self._is_live else _PLAIN_EVERY):
            self._time = time_now
            self._show(progress)

    def end(self) -> None:
        """Show what was reported last, and leave the line."""
        if self._last is not None and self._last != self._shown:
            self._show(self._last)
        if self._is_live and self._shown is not None:
            self._write("\n")

    def _show(self, progress: Progress) -> None:
        self._shown = progress
        if not self._is_live:
            return self._write(f"{progress}\n")
        text = str(progress)[: self._columns() - 1]
        # Spaces cover what was longer before, on any terminal.
        self._write(f"\r{text:<{self._width}}")
        self._width = len(text)

    def _columns(self) -> int:
        with suppress(OSError, ValueError):
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        return 80

    def _write(self, text: str) -> None:
        # Nobody may be there to read it; that is no reason to lose the search.
        with suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
