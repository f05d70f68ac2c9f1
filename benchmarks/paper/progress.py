"""How far a run is, and how long it may still take."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field

from paper.cells import Cell

WIDTH = 30
EVERY = {True: 0.5, False: 30.0}
"""Seconds between two messages: on a terminal, and in a log."""


def span(seconds: float) -> str:
    """Say a number of seconds in words."""
    whole = round(seconds)
    hours, minutes = whole // 3600, whole % 3600 // 60
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {whole % 60:02d} s" if minutes else f"{whole} s"


@dataclass(slots=True)
class Progress:
    """A bar on stderr. What remains is guessed from the work done, not from the number of cells."""

    cells: int
    work: float
    done: int = 0
    work_done: float = 0.0
    started: float = field(default_factory=time.monotonic)
    told: float = 0.0

    def tick(self, cell: Cell) -> None:
        """Count a cell that is done, and tell if it is time to."""
        self.done += 1
        self.work_done += cell.expected_seconds
        now, terminal = time.monotonic(), sys.stderr.isatty()
        if now - self.told >= EVERY[terminal] or self.done == self.cells:
            self.told = now
            ends = "\n" if not terminal or self.done == self.cells else ""
            print(
                ("\r" if terminal else "") + self.line(now), end=ends, file=sys.stderr, flush=True
            )

    def line(self, now: float) -> str:
        """Return the bar as text."""
        share = self.work_done / self.work
        bar = "█" * round(WIDTH * share) + "░" * (WIDTH - round(WIDTH * share))
        elapsed = now - self.started
        remaining = elapsed * (1 / share - 1)
        return (
            f"{bar} {self.done}/{self.cells} cells, {span(elapsed)}, about {span(remaining)} left  "
        )
