"""Several tables, each with the columns that were set in its rows, as one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from greedag._options import DataOptions
from greedag.data.cleaning import cleaned, with_markers
from greedag.data.interventions import RowTargets
from greedag.data.rows import LoadedTable
from greedag.data.source import MemorySource, open_table
from greedag.data.stacked import stacked
from greedag.data.table import Floats
from greedag.errors import DataError, FileError, Note, OptionError, argument
from greedag.scores.base import Prepared, Score
from greedag.statistics.opening import is_file


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """One of the tables, without what is not learned from."""

    source: MemorySource
    options: DataOptions
    notes: tuple[Note, ...]
    loaded: LoadedTable | None = None


def prepare_tables(
    pairs: Sequence[tuple[Any, Any]],
    options: DataOptions,
    load: Callable[[Any], LoadedTable],
    prepare: Callable[[Any, DataOptions], tuple[Score, Prepared]],
) -> tuple[Score, Prepared]:
    """Prepare tables, each with the columns that were set in its rows.

    Parameters
    ----------
    pairs : sequence of (table, targets)
    options : DataOptions
        What the caller says about all of them.
    load, prepare : callable
        Read a table from files, and prepare one table with what is left to say about it.

    Raises
    ------
    DataError
        If tables have different columns, or no rows; see :func:`prepare_environments`, too.
    """
    _check_options(options)
    tables = [_opened(place, data, options, load) for place, (data, _) in enumerate(pairs)]
    whole = stacked([table.source for table in tables])
    targets = np.empty(len(pairs), dtype=object)
    for place, (_, given) in enumerate(pairs):
        targets[place] = given if isinstance(given, (str, int)) else tuple(given or ())
    per_row = targets[np.repeat(np.arange(len(pairs)), [table.source.n for table in tables])]
    first = tables[0].options
    left = replace(
        options,
        kinds=first.kinds,
        drop=None,
        sample_weight=_weights(tables),
        interventions=RowTargets(per_row),
    )
    score, prepared = prepare(whole, left)
    settings = {
        **prepared.settings,
        "sample_weight": options.sample_weight,
        "drop": first.drop,
        "interventions": _targets_by_name(RowTargets(targets), whole),
    }
    notes = _with_markers((*_notes(tables), *prepared.notes), options, tables)
    files = [table.loaded.files for table in tables if table.loaded is not None]
    named = tuple(name for names in files for name in names) if len(files) == len(pairs) else ()
    return score, replace(prepared, notes=notes, settings=settings, files=named)


def _check_options(options: DataOptions) -> None:
    if options.interventions is not None:
        raise OptionError(
            argument("interventions"), " must be left out: each table comes with its targets"
        )
    if options.sample_weight is not None and not isinstance(options.sample_weight, str):
        raise OptionError(
            argument("sample_weight"),
            " must be the name of a column of every table, or be left out",
        )


def _opened(
    place: int, data: Any, options: DataOptions, load: Callable[[Any], LoadedTable]
) -> _Table:
    try:
        if is_file(data):
            loaded = load(data)
            source = open_table(loaded.table, as_is=True)
            read = replace(options, kinds=loaded.kinds, drop=None, sample_weight=None)
            source, read, notes = cleaned(source, read)
            read = replace(read, sample_weight=loaded.weights, drop=loaded.dropped or None)
            return _Table(source.in_memory(), read, notes, loaded)
        if hasattr(data, "fingerprint"):
            raise DataError(
                f"{type(data).__name__} has no rows, which interventions need",
                remedy="pass the table itself",
                code="no-rows",
            )
        source, read, notes = cleaned(open_table(data), options)
        return _Table(source.in_memory(), read, (*source.notes, *notes))
    except FileError:
        raise
    except DataError as error:
        raise error.within(f"table {place + 1}: ") from None


def _weights(tables: Sequence[_Table]) -> Floats | None:
    given = [table.options.sample_weight for table in tables]
    return None if given[0] is None else np.concatenate(given)


def _targets_by_name(targets: RowTargets, source: MemorySource) -> tuple[tuple[str, ...], ...]:
    """Return the targets of each table, as a result lists them."""
    found = targets.experiments(source)
    names = [tuple(source.names[j] for j in each) for each in found.targets]
    return tuple(names[code] for code in found.codes)


def _notes(tables: Sequence[_Table]) -> tuple[Note, ...]:
    """Return what tables have to note, each once; markers are counted together."""
    notes = (note for table in tables for note in table.notes if note.code != "na")
    return tuple(dict.fromkeys(notes))


def _with_markers(
    notes: tuple[Note, ...], options: DataOptions, tables: Sequence[_Table]
) -> tuple[Note, ...]:
    """Return notes with the values counted that were taken as missing in any table."""
    if options.na is None:
        return notes
    counts = dict.fromkeys(tables[0].source.names, 0)
    for table in tables:
        found: list[Mapping[str, float]] = [n.counts for n in table.notes if n.code == "na"]
        found += [] if table.loaded is None else [table.loaded.markers]
        for name, count in ((name, count) for each in found for name, count in each.items()):
            counts[name] = counts.get(name, 0) + int(count)
    return with_markers(notes, options.na, counts)
