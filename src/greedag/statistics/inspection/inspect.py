"""The function `inspect`: everything that is wrong or doubtful in a table, in one go."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from greedag.data.cleaning import checked_drop, weights_dropped, without
from greedag.data.kinds import Kind, Kinds, stated_kinds
from greedag.data.markers import checked_markers, marked
from greedag.data.rows import select_rows
from greedag.data.source import MemorySource
from greedag.data.transforms import transformed
from greedag.errors import CollinearError, DataError, DataTypeError
from greedag.statistics.collinearity import check_collinear
from greedag.statistics.inspection.columns import look_at_columns
from greedag.statistics.inspection.curves import LOOKED_AT, look_at_curves, may_bend
from greedag.statistics.inspection.draft import Draft, Given
from greedag.statistics.inspection.finding import Finding, Inspection
from greedag.statistics.inspection.markers import look_for_markers
from greedag.statistics.inspection.profile import profiles_of
from greedag.statistics.inspection.reading import ReadTable, read_for_inspection
from greedag.statistics.inspection.shapes import look_at_shapes
from greedag.statistics.inspection.tables import (
    SCREENED_ROWS,
    complete_rows,
    give_up_em,
    look_at_missing,
    look_at_pairs,
    look_at_rows,
    look_for_collinear_sets,
)
from greedag.statistics.mixed import read_mixed
from greedag.statistics.moments import count_moments
from greedag.statistics.sample import real_columns

_MOST_CHECKS = 200
# With more columns, the check takes as long as learning does.
_MOST_CHECKED, _MOST_ESTIMATED = 2000, 50


def inspect(
    data: Any,
    *,
    kinds: Kinds | None = None,
    drop: Sequence[str] | None = None,
    sample_weight: str | None = None,
) -> Inspection:
    """List everything that is wrong or doubtful in a table, and how to fix it.

    Parameters
    ----------
    data : table, array_like of shape (n, d), mapping of columns, or path-like
        As for :func:`greedag.learn`. It is read into memory.
    kinds : mapping of str to str, or str, optional
        Known kinds of columns, as for :func:`greedag.learn`; these are not questioned.
    drop : sequence of str, optional
        Columns to leave out, as for :func:`greedag.learn`; the fixes leave them out, too.
    sample_weight : str, optional
        The column of weights, which is left out of the inspection:
        ``learn(table, sample_weight="w", **inspect(table, sample_weight="w").fixes)``.

    Returns
    -------
    Inspection
        Its findings, errors first, each with where, why it matters and what to do; and its
        ``fixes``, options that :func:`greedag.learn` takes.

    Raises
    ------
    DataTypeError
        If the data are not a table.
    FileError
        If a file cannot be opened.
    DataError
        If there is no such column.

    Notes
    -----
    The fixes are conservative. In this order: markers of missing values, then columns to drop
    (identifiers, dates, constants, copies, the last column of each collinear set),
    kinds, missing values, and transformations of columns that are far from normal. Whole numbers
    with at most five values are taken as discrete, other numbers as continuous.

    Examples
    --------
    >>> table = {"id": range(100), "size": [float(i * i % 97) for i in range(100)]}
    >>> inspect(table).fixes["drop"]
    ['id']
    """
    dropped = () if drop is None else checked_drop(drop)
    if sample_weight is not None and sample_weight in dropped:
        raise weights_dropped(sample_weight)
    try:
        table = read_for_inspection(data, kinds=kinds, drop=dropped, weights=sample_weight)
    except DataError as error:
        if error.code == "unknown-column" or isinstance(error, DataTypeError):
            raise
        return unreadable(error)
    found = inspected(table, kinds, _path(data))
    if not dropped:
        return found
    return replace(found, fixes={**found.fixes, "drop": [*dropped, *found.fixes.get("drop", ())]})


def inspected(
    table: ReadTable, kinds: Kinds | None = None, path: str = "", given: Given | None = None
) -> Inspection:
    """Inspect a table that has been read."""
    given, source = given or Given(), table.source
    if given.na:
        source = marked(source, checked_markers(given.na))[0].in_memory()
    if 0 in source.shape:
        return Inspection((_no_values(source),), n=source.shape[0], d=source.shape[1])
    stated = stated_kinds(kinds, source.names) or {}
    profiles = profiles_of(source)
    lacking = frozenset(profile.name for profile in profiles if profile.n_missing)
    draft = Draft(source, profiles, dict(stated), table.is_text, lacking, given)
    _reading(draft, table)
    looks: tuple[Callable[[Draft], None], ...] = (
        *(look_for_markers, look_at_columns, look_at_pairs, look_at_missing),
        *(_constant_when_complete, look_for_collinear_sets, look_at_shapes, look_at_rows),
    )
    for look in looks:
        look(draft)
    _levels_in_text(draft)
    _check(draft)
    _look_at_curves(draft)
    draft.spare_rows()
    return Inspection(draft.in_order(), draft.fixes(), source.n, source.shape[1], path)


def _path(data: Any) -> str:
    return os.fspath(data) if isinstance(data, (str, os.PathLike)) else ""


def _reading(draft: Draft, table: ReadTable) -> None:
    if table.labels:
        names = ", ".join(map(repr, table.labels))
        draft.add(
            "duplicate-names",
            "error",
            table.labels,
            f"several columns are called {names}",
            why="edges of such columns would be ambiguous",
            remedy="rename the columns; here they are numbered .1, .2, …",
        )
    if table.is_part:
        draft.add(
            "first-rows",
            "info",
            [],
            f"only the first {draft.n:,} rows were inspected",
            why="the file is too large for memory",
            remedy="learn checks the remaining rows when it reads them",
        )


def _levels_in_text(draft: Draft) -> None:
    """Say of columns that they hold levels, where their first value looks like a number."""
    for profile in draft.discrete():
        if draft.is_misread(profile):
            draft.kinds[profile.name] = "discrete"


def unreadable(error: DataError) -> Inspection:
    """Return an inspection that found nothing but that a table cannot be read."""
    finding = Finding(
        error.code or "unreadable",
        "error",
        error.columns,
        str(error),
        "the table cannot be read as it is",
        "correct this first, then inspect the table again",
    )
    return Inspection((finding,))


def _no_values(source: MemorySource) -> Finding:
    n, d = source.shape
    where = f"{n} rows and {d} columns"
    return Finding("empty", "error", (), where, "there is nothing to learn from", "pass a table")


def _constant_when_complete(draft: Draft) -> None:
    """Leave out columns that vary only in rows that are left out."""
    if draft.missing != "drop":
        return
    rows = complete_rows(draft)
    names = []
    for profile in draft.kept():
        held = profile.numbers if profile.holds == "numbers" else profile.codes
        if np.ptp(held[rows]) == 0:
            names.append(profile.name)
    if names:
        draft.add(
            "constant",
            "error",
            names,
            f"{', '.join(map(repr, names))} do not vary in the complete rows",
            why="nothing can depend on a column that does not vary",
            remedy="drop such columns",
            fix=draft.leave_out(names, "constant"),
        )


def _check(draft: Draft) -> None:
    """Leave out further columns until what is left can be scored."""
    for _ in range(_MOST_CHECKS):
        if len(draft.kept()) < 2:
            _too_few_columns(draft)
            return
        try:
            _check_score(draft)
            return
        except DataError as error:
            if draft.missing == "em" and draft.given.missing != "em":
                give_up_em(draft)
                continue
            names = [p.name for p in draft.kept() if p.name in error.columns]
            if error.code not in ("collinear", "constant-columns") or not names:
                return
            is_set = isinstance(error, CollinearError)
            draft.add(
                "collinear" if is_set else "constant",
                # Without transformations, such sets have been found before.
                "warning" if is_set and draft.words().keys() & {*names} else "error",
                names,
                str(error).partition(";")[0],
                why="any column of the set could replace another in every edge"
                if is_set
                else "nothing can depend on a column that does not vary",
                remedy="drop one of them" if is_set else "drop such columns",
                fix=draft.leave_out(names[-1:] if is_set else names, error.code),
            )


def _look_at_curves(draft: Draft) -> None:
    """Look for effects that bend between continuous columns, in rows as they are learned from."""
    names = [profile.name for profile in draft.continuous()]
    places = np.flatnonzero(complete_rows(draft))
    if not may_bend(len(places), len(names)) or draft.given.takes == "discrete":
        return
    places = places[:: -(-len(places) // LOOKED_AT)]
    chosen = [draft.source.names.index(name) for name in names]
    try:
        source = draft.source.select(chosen).take(places)
        rows = transformed(select_rows(source), draft.words())
        columns = real_columns(rows.source.in_memory(), ["continuous"] * len(names))
        look_at_curves(draft, names, [values for _, values in columns])
    except DataError:
        # What cannot be read has been found before.
        return


def _too_few_columns(draft: Draft) -> None:
    draft.add(
        "too-few-columns",
        "error",
        [profile.name for profile in draft.kept()],
        f"{len(draft.kept())} of {len(draft.profiles)} columns are left to learn from",
        why="an edge needs two columns",
        remedy="pass more columns, or correct by hand those that were dropped",
    )


def _check_score(draft: Draft) -> None:
    """Raise if `learn` would refuse the table, given the fixes; on some of the rows first."""
    every = -(-draft.n // SCREENED_ROWS)
    try:
        _score(draft, draft.source.take(np.arange(0, draft.n, every)))
    except DataError:
        if every == 1:
            raise
        _score(draft, draft.source)


def _score(draft: Draft, rows_looked_at: MemorySource) -> None:
    """Prepare the table as `learn` would."""
    source, _ = without(rows_looked_at, list(draft.drop))
    kinds: tuple[Kind, ...] = tuple(draft.kind(profile) for profile in draft.kept())
    if set(kinds) == {"discrete"}:
        return
    if len(kinds) > _MOST_CHECKED or (draft.missing == "em" and len(kinds) > _MOST_ESTIMATED):
        return
    rows = select_rows(source, missing=draft.missing or "error")
    rows = transformed(rows, draft.words())
    if set(kinds) == {"continuous"}:
        check_collinear(count_moments(rows)[0])
        return
    table = read_mixed(rows, kinds)
    table.check_variation()
    moments, starts = table.embedded()
    widths = np.diff(starts).tolist()
    owners = [name for name, k in zip(table.names, widths, strict=True) for _ in range(k)]
    check_collinear(moments, owners)
