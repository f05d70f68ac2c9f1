"""Times that are bounded, on machines that have other things to do as well."""

from __future__ import annotations

from collections.abc import Callable


def least(measure: Callable[[], float], most: float) -> float:
    """Return the first of three measured times that is at most `most`, else the least of them.

    Another program may hold up one run. A search that is late by itself is late each time.
    """
    seconds = float("inf")
    for _ in range(3):
        seconds = min(seconds, measure())
        if seconds <= most:
            break
    return seconds
