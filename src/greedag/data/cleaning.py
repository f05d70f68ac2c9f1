"""Tables as a caller wants them read: without some columns, and with more values missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag._options import DataOptions
from greedag.data.markers import checked_markers, marked, note_on_markers
from greedag.data.source import Source
from greedag.errors import DataError, Note, OptionError, argument, quoted, unknown_column


def cleaned(source: Source, options: DataOptions) -> tuple[Source, DataOptions, tuple[Note, ...]]:
    """Return a table without columns to drop and without weights, its markers as missing values.

    In the options, `drop` is then what was left out, and the weights are numbers.
    """
    notes: tuple[Note, ...] = ()
    drop = () if options.drop is None else checked_drop(options.drop)
    weights = options.sample_weight
    if isinstance(weights, str):
        if weights in drop:
            raise weights_dropped(weights)
        rest, weights = _weights_in(source, weights)
        source = rest
    source, dropped = without(source, drop)
    if options.na is not None:
        markers = checked_markers(options.na)
        source, counts = marked(source, markers)
        notes = (note_on_markers(markers, counts),) if markers.given else ()
    kinds = kinds_left(options.kinds, dropped)
    options = replace(options, drop=dropped or None, sample_weight=weights, kinds=kinds)
    return source, options, notes


def kinds_left(kinds: Any, dropped: Sequence[str]) -> Any:
    """Return what a caller says of the columns that are not dropped."""
    if not isinstance(kinds, Mapping):
        return kinds
    return {name: kind for name, kind in kinds.items() if name not in dropped}


def checked_drop(drop: object) -> tuple[str, ...]:
    """Return the columns to leave out, if they are given by name."""
    given = (drop,) if isinstance(drop, str) else drop
    if isinstance(given, (bytes, Mapping)) or not isinstance(given, Iterable):
        raise OptionError(f"drop must be a list of columns, by name; got {quoted(drop)}")
    return tuple(given)


def without(source: Source, drop: Sequence[str]) -> tuple[Source, tuple[str, ...]]:
    """Return a table without some columns, and these in the order of the table.

    Raises
    ------
    DataError
        If there is no such column, or none would be left.
    """
    for name in drop:
        if name not in source.names:
            raise unknown_column(name, source.names)
    kept = [j for j, name in enumerate(source.names) if name not in drop]
    if source.names and not kept:
        raise DataError("no column is left; drop fewer columns", code="no-columns")
    dropped = tuple(name for name in source.names if name in drop)
    if not dropped:
        return source, ()
    from_all: Any = source if hasattr(source, "select") else source.in_memory()
    return from_all.select(kept), dropped


def weights_dropped(name: str) -> OptionError:
    """Return the error for weights that are to be used and left out."""
    return OptionError(
        argument("sample_weight"), f" needs {quoted(name)}, which ", argument("drop"), " leaves out"
    )


def _weights_in(source: Source, name: str) -> tuple[Source, NDArray[Any]]:
    """Return a table without the column that holds the weights of its rows, and these."""
    rest, _ = without(source, (name,))
    whole = source.in_memory()
    values: Any = whole.values(whole.names.index(name))
    return rest, values.astype(object).filled(np.nan) if np.ma.is_masked(values) else values


def with_markers(notes: tuple[Note, ...], na: Any, counts: Mapping[str, int]) -> tuple[Note, ...]:
    """Return notes with markers counted that were met while a file was read, 0 where none was."""
    found = next((note.counts for note in notes if note.code == "na"), {})
    both = {name: int(found.get(name, 0) + count) for name, count in counts.items()}
    some = {name: count for name, count in both.items() if count}
    made = note_on_markers(checked_markers(na), some)
    return tuple(made if note.code == "na" else note for note in notes)
