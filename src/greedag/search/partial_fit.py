"""Going on from an earlier result, when further rows come."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from greedag.errors import DataError, DataTypeError, counted_rows, different_columns
from greedag.result.result import Result, as_notes

# What notes say of one batch, and what of all: numbers of rows or values add up.
_ADD_UP = (
    (
        re.compile(r"(\d+) (of \d+ rows|rows in all batches together) were dropped"),
        "{} rows in all batches together were dropped because a value is missing there",
    ),
    (
        re.compile(r"(\d+) (of \d+ values .*|values in all batches together) are missing: mom"),
        "{} values in all batches together are missing: moments by EM of each batch alone",
    ),
)
_UNSETTLED = "EM did not settle"


def with_earlier(earlier: Result, batch: Any) -> Any:
    """Return what was counted of a batch, a `Counted`, together with earlier rows.

    Raises
    ------
    DataError
        As in :func:`all_rows`.
    """
    together = all_rows(earlier, batch.statistics)
    replaced = _notes_of(batch.statistics)
    notes = [note for note in batch.notes if note not in replaced and not _adds_up(note)]
    notes += [note for note in earlier.notes if note.startswith(_UNSETTLED) and note not in notes]
    notes += _added_up((*earlier.notes, *batch.notes))
    return replace(batch, statistics=together, notes=(*notes, *_notes_of(together)))


def _notes_of(statistics: Any) -> tuple[str, ...]:
    """Return what statistics have to note of themselves."""
    return tuple(statistics._notes()) if hasattr(statistics, "_notes") else ()


def _adds_up(note: str) -> bool:
    return any(pattern.match(note) for pattern, _ in _ADD_UP)


def _added_up(notes: Sequence[str]) -> Iterator[str]:
    """Sum up what the notes of batches say."""
    for pattern, text in _ADD_UP:
        total = sum(int(found[1]) for note in notes if (found := pattern.match(note)))
        if total:
            yield text.format(total)


def all_rows(earlier: Result, batch: Any) -> Any:
    """Return what was counted of earlier rows and of a batch together.

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
        raise DataError(f"{head}: {different_columns(before.names, batch.names)}")
    return before + batch


def continued(earlier: Result, result: Result) -> Result:
    """Return a result whose trace leads from the empty graph, as that of any result does."""
    steps = len(earlier.trace)
    note = (
        f"the search started from the class of {counted_rows(earlier.n)} earlier rows: the gains "
        f"of the first {steps} step(s) of the trace are those on rows seen then, and a search "
        "from the empty graph may end elsewhere"
    )
    return replace(result, trace=earlier.trace + result.trace, notes=as_notes(*result.notes, note))
