"""The progress of a search on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.text import Text

from greedag import Progress


@contextmanager
def shown_progress(*, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Give what shows the progress of a search, None where nobody watches."""
    console = Console(stderr=True)
    if quiet or console.is_dumb_terminal or not console.file.isatty():
        yield None
        return
    # Without its own thread: the search tells ten times a second, and nothing else writes.
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield lambda progress: live.update(Text(f"searching  {progress}"), refresh=True)
