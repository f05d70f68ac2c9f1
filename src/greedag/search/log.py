"""What a search leaves in the log."""

from __future__ import annotations

import logging
from typing import Any

from greedag._progress import LOGGER, Progress
from greedag.result.result import Result


def last_progress(result: Result) -> Progress:
    """Return what a search reports at its end."""
    edges = len(result.cpdag.directed) + len(result.cpdag.undirected)
    trials = result.counts["trials"]
    return Progress(result.timings["search"], result.score, edges, len(result.trace), trials)


def log_data(statistics: Any, seconds: float) -> None:
    """Log how much was read, and in how many seconds."""
    if LOGGER.isEnabledFor(logging.INFO):
        rows, columns = statistics.n, len(statistics.names)
        LOGGER.info("read %.10g rows of %d columns in %.3f s", rows, columns, seconds)


def log_result(result: Result) -> None:
    """Log how a search ended."""
    if not LOGGER.isEnabledFor(logging.INFO):
        return
    LOGGER.debug("settings %s", dict(result.settings))
    LOGGER.debug("counts %s", dict(result.counts))
    rounds, kept = result.counts["rounds"], result.counts["kept_rounds"]
    if rounds:
        LOGGER.info("refined in %d rounds, %d of which improved the score", rounds, kept)
    state = f"stopped by {result.stopped}" if result.stopped else "completed"
    seconds, (_, _, found) = result.timings["search"], str(last_progress(result)).partition(": ")
    LOGGER.info("%s %s in %.3f s: %s", result.search, state, seconds, found)
    for note in result.notes:
        LOGGER.info("note: %s", note)
