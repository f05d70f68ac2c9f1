"""Progress of a search, reported while it runs; the log of its phases, and the time it may take."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from typing import Any, ParamSpec, TextIO, TypeVar

from greedag.errors import OptionError, TimeLimitError, argument, only_python, quoted

# Phases and seconds at INFO, more at DEBUG; silent unless the program sets up logging.
LOGGER = logging.getLogger("greedag")
LOGGER.addHandler(logging.NullHandler())

_LIVE_EVERY = 0.1
_PLAIN_EVERY = 5.0
_LOGGED_EVERY = 1.0
# A limit of 0 leaves this much for preparing a small table.
_LEAST_SECONDS = 0.1
# How often a thread that waits for another one looks at the clock.
_LOOK_EVERY = 0.02
# Values that NumPy sorts, or rows that the engine looks at, in some hundredths of a second.
LONG = 2**17

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a search. A trial of XGES counts as a step only once it is kept.

    Attributes
    ----------
    seconds : float
        Since the search began, not counting the time to read the data.
    score : float
        Score of the best class so far.
    edges : int
        Number of its edges.
    steps : int
        Operators applied on the way to it; edges inserted, where a refinement has found it.
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
    """The progress of counting a large table.

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


@dataclass(frozen=True, slots=True)
class DrawsDone:
    """The progress of learning from draws of a table.

    Attributes
    ----------
    seconds : float
        Since it began.
    draws : int
        Learned from so far.
    total : int
        Draws in all.
    """

    seconds: float
    draws: int
    total: int

    def __str__(self) -> str:
        return f"{self.seconds:.1f} s: {self.draws} of {self.total} draws"


@dataclass(frozen=True, slots=True)
class PosteriorProgress:
    """How far the sums over all DAGs have come.

    Attributes
    ----------
    seconds : float
        Since they began.
    share : float
        Part of them that is done, from 0 to 1. Local scores do not count: while they are computed
        it stays where it is.
    """

    seconds: float
    share: float

    def __str__(self) -> str:
        return f"{self.seconds:.1f} s: {100.0 * self.share:.0f} % of the sums over DAGs"


@dataclass(frozen=True, slots=True)
class SearchesDone:
    """The progress of many searches with different weights of the penalty.

    Attributes
    ----------
    seconds : float
        Since they began.
    searches : int
        Done so far.
    total : int
        Searches in all; fewer may be enough.
    """

    seconds: float
    searches: int
    total: int

    def __str__(self) -> str:
        return f"{self.seconds:.1f} s: {self.searches} of {self.total} searches"


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
        If `progress` is neither a boolean nor a function.
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


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """How many seconds a call may take, and when it began."""

    seconds: float
    began: float

    @property
    def left(self) -> float:
        """How many seconds are left, 0 if none are."""
        return max(0.0, self.seconds - (time.monotonic() - self.began))

    def check(self, doing: str, done: int, total: int | None, what: str) -> None:
        """Raise if no time is left; see :func:`check_time`."""
        spent = time.monotonic() - self.began
        if spent < max(self.seconds, _LEAST_SECONDS):
            return
        of = "" if total is None else f" of {total:,}"
        raise TimeLimitError(
            f"the time limit of {self.seconds:g} s ran out while {doing}"
            + (f", after {done:,}{of} {what}" if done else "")
            + ", before the search began",
            remedy=(
                "allow more time with ",
                argument("time_limit"),
                only_python(", or compute Moments or Levels once and pass them"),
            ),
            code="time-limit",
        )


_limit: ContextVar[TimeLimit | None] = ContextVar("time_limit", default=None)
_is_abandoned: ContextVar[threading.Event | None] = ContextVar("is_abandoned", default=None)


class _Abandoned(BaseException):
    """Nobody waits any longer for what this thread computes."""


@contextmanager
def time_limited(seconds: float | None) -> Iterator[None]:
    """Let :func:`check_time` raise once so many seconds have passed, or those of a block outside.

    None is no limit.
    """
    outer = _limit.get()
    if seconds is None or (outer is not None and outer.left <= seconds):
        yield
        return
    token = _limit.set(TimeLimit(seconds, time.monotonic()))
    try:
        yield
    finally:
        _limit.reset(token)


def check_time(doing: str, done: int = 0, total: int | None = None, what: str = "rows") -> None:
    """Raise if the time limit of the call has passed. Called between pieces of long work.

    Parameters
    ----------
    doing : str
        What is being done, after "while": ``"computing the moments"``.
    done, total : int
        How much of it, in the unit `what`; 0 if that is not known.

    Raises
    ------
    TimeLimitError
    """
    flag, limit = _is_abandoned.get(), _limit.get()
    if flag is not None and flag.is_set():
        raise _Abandoned
    if limit is not None:
        limit.check(doing, done, total, what)


def seconds_left() -> float | None:
    """Return how many seconds the call may still take, None for any."""
    limit = _limit.get()
    return None if limit is None else limit.left


def interruptible(
    doing: str,
    size: int,
    function: Callable[Given, Answer],
    *args: Given.args,
    **options: Given.kwargs,
) -> Answer:
    """Call a function that may take long in a thread, so that Ctrl-C and time limits are answered.

    Of a `size` below `LONG` it does not take long, and is called here.

    Whatever ends the waiting, the function goes on until it next calls :func:`check_time`, or ends;
    so it must not change what others see, and should call that often.
    """
    if size < LONG:
        return function(*args, **options)
    done, abandoned = threading.Event(), threading.Event()
    outcome: list[Any] = []

    def work() -> None:
        _is_abandoned.set(abandoned)
        try:
            outcome.extend((True, function(*args, **options)))
        except BaseException as error:  # raised again where it was asked for
            outcome.extend((False, error))
        finally:
            done.set()

    context = copy_context()
    # No daemon: one that is killed at the end of the program may crash it.
    threading.Thread(target=context.run, args=(work,)).start()
    try:
        while not done.wait(_LOOK_EVERY):
            check_time(doing)
    finally:
        abandoned.set()
    ended, answer = outcome
    if not ended:
        raise answer
    return answer  # type: ignore[no-any-return]


def within_limit(doing: str, function: Callable[[], Answer]) -> Answer:
    """Call a function that answers Ctrl-C by itself, within the time limit if there is one."""
    return function() if _limit.get() is None else interruptible(doing, LONG, function)


def each_interruptible(doing: str, items: Iterable[Item]) -> Iterator[Item]:
    """Give items, each of which may take long to come, and answer Ctrl-C and time limits."""
    left = iter(items)
    end: Any = object()
    while True:
        item = interruptible(doing, LONG, next, left, end)
        if item is end:
            return
        yield item


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
