"""What a report says of rows that were held out."""

from __future__ import annotations

from collections.abc import Iterator

from greedag.errors import Note
from greedag.result.result import Result


def sentences(result: Result) -> Iterator[str]:
    """Yield how many rows did not choose the graph, and what they are for."""
    for number in _numbers(result):
        were = "was" if number == 1 else "were"
        yield (
            f"{number:,.10g} of {result.n + number:,.10g} rows, drawn at random, {were} held out: "
            "effects are estimated on rows that did not choose the graph."
        )


def settings(result: Result) -> list[tuple[str, str]]:
    """Return the row of the table of settings."""
    share = 100.0 * result.settings["hold_out"]
    return [("Held out", f"{number:,.10g} rows, {share:g} % of all") for number in _numbers(result)]


def _numbers(result: Result) -> list[float]:
    notes = map(Note, result.notes)
    return [note.counts["held_out"] for note in notes if "held_out" in note.counts]
