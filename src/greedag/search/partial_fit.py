"""Going on from an earlier result, when further rows come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from greedag._options import LearnOptions
from greedag.errors import (
    DataError,
    DataTypeError,
    Note,
    OptionError,
    counted_rows,
    different_columns,
    quoted,
)
from greedag.result.result import Result
from greedag.scores.base import Prepared, notes_of

# What is counted of each batch adds up over all of them.
_ADD_UP = {
    "rows-dropped": (
        "dropped",
        "{} rows of all batches were dropped because they have missing values",
    ),
    "na": ("na", "{} values of all batches were taken as missing"),
    "em": (
        "missing",
        "{} values of all batches are missing: moments were estimated by EM for each batch "
        "separately",
    ),
}


def with_earlier(earlier: Result, batch: Prepared, options: LearnOptions) -> Prepared:
    """Return what was prepared of a batch together with earlier rows.

    Raises
    ------
    OptionError
        If rows are to be held out: which of all rows are is drawn once.
    DataError
        As in :func:`all_rows`.
    """
    if options.hold_out is not None:
        raise OptionError(
            "hold_out must be left out of partial_fit, which adds rows to earlier ones; fit on all "
            f"rows instead; got {quoted(options.hold_out)}"
        )
    together = all_rows(earlier, batch.statistics)
    replaced = {note.code for note in notes_of(batch.statistics)}
    notes = [note for note in batch.notes if note.code not in {*replaced, *_ADD_UP}]
    before = tuple(map(Note, earlier.notes))
    unsettled = (note for note in before if note.code == "em-unsettled")
    notes += [note for note in unsettled if note not in notes]
    notes += _added_up((*before, *batch.notes))
    settings = dict(batch.settings)
    settings["sample_weight"] = settings["sample_weight"] or earlier.settings.get("sample_weight")
    notes += notes_of(together)
    return replace(batch, statistics=together, notes=tuple(notes), settings=settings)


def _added_up(notes: tuple[Note, ...]) -> Iterator[Note]:
    """Sum up what the notes of batches count."""
    for code, (what, text) in _ADD_UP.items():
        parts = [note.counts for note in notes if note.code == code]
        total = sum(
            int(sum(part.values()) if what == "na" else part.get(what, 0)) for part in parts
        )
        if total:
            yield Note(text.format(total), code=code, counts={what: total})


def all_rows(earlier: Result, batch: Any) -> Any:
    """Return the statistics of earlier rows and of a batch together.

    Raises
    ------
    DataError
        If the batch has other columns than the rows before, or another kind of them.
    """
    before: Any = earlier.statistics
    if before is None:
        raise DataError("the earlier result was loaded without its data; fit on all rows instead")
    if not hasattr(batch, "__add__"):
        raise DataTypeError(
            f"rows that are kept as {type(batch).__name__} cannot be added to; fit on all rows"
        )
    if type(before) is not type(batch):
        raise DataTypeError(
            f"the batch is counted as {type(batch).__name__}, the rows before it as "
            f"{type(before).__name__}, which cannot be merged; pass columns of the same kinds"
        )
    if before.names != batch.names:
        # The first words are those that scikit-learn's own estimators use.
        head = "The feature names should match those that were passed during fit"
        if len(before.names) != len(batch.names):
            head = (
                f"X has {len(batch.names)} features, but partial_fit is expecting "
                f"{len(before.names)} features as input"
            )
        raise different_columns(before.names, batch.names).within(f"{head}: ")
    return before + batch


def continued(earlier: Result, result: Result) -> Result:
    """Return a result whose trace leads from the empty graph, as that of any result does."""
    steps = len(earlier.trace)
    note = Note(
        f"the search started from the class of {counted_rows(earlier.n)} earlier rows: the gains "
        f"of the first {steps} step(s) of the trace are those on rows seen then, and a search "
        "from the empty graph may end elsewhere",
        code="continued",
        counts={"steps": steps},
    )
    return replace(result, trace=earlier.trace + result.trace, notes=(*result.notes, note))
