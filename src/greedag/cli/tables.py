"""What the options of a command say about a table: lists of columns, kinds, markers."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import Any

from greedag._options import DataOptions
from greedag.data.kinds import KINDS, Kinds
from greedag.data.transforms import WORDS
from greedag.errors import OptionError, listed, quoted
from greedag.io.tables import ColumnSelection


def options_from(
    *,
    kinds: Sequence[str],
    missing: str | None,
    weights: str | None,
    transform: Sequence[str],
    na: Sequence[str],
) -> DataOptions:
    """Read what the options that all commands share say about a table.

    Raises
    ------
    OptionError
        If one of them cannot be read.
    """
    return DataOptions(
        kinds=kinds_from(kinds),
        missing=missing,
        sample_weight=weights,
        transform=transform_from(transform),
        na=_items("--na", na, may_be_empty=True) or None,
    )


def selection_from(columns: Sequence[str], drop: Sequence[str]) -> ColumnSelection:
    """Read the options ``--columns`` and ``--drop``: lists of names, given any number of times.

    Raises
    ------
    OptionError
        If a list cannot be read or names a column twice.
    """
    return ColumnSelection(_names("--columns", columns), _names("--drop", drop))


def kinds_from(lists: Sequence[str]) -> Kinds | None:
    """Read the option ``--kinds``: one word for all columns, or ``a=discrete,b=continuous``.

    Raises
    ------
    OptionError
        If it is neither, or says something of a column twice.
    """
    if len(lists) == 1 and lists[0] in KINDS:
        return lists[0]
    return _by_column("--kinds", lists, KINDS, "a=discrete,b=continuous") or None


def transform_from(lists: Sequence[str]) -> dict[str, str] | str | None:
    """Read the option ``--transform``: one word for all columns, or ``a=log,b=normal-scores``.

    Raises
    ------
    OptionError
        If it is neither, or says something of a column twice.
    """
    if len(lists) == 1 and lists[0] in WORDS:
        return lists[0]
    return _by_column("--transform", lists, WORDS, "a=log,b=normal-scores") or None


def _by_column(
    option: str, lists: Sequence[str], words: Sequence[str], example: str
) -> dict[str, Any]:
    """Return what lists such as ``a=log,b=log`` say of each column."""
    stated: dict[str, Any] = {}
    for item in _items(option, lists):
        name, _, word = item.rpartition("=")
        if not name or word not in words:
            raise OptionError(
                f"{option}: cannot read {quoted(item)}; give {', '.join(words[:-1])} or "
                f"{words[-1]} for all columns, or a list such as {example}"
            )
        if name in stated:
            raise OptionError(f"{option} names {quoted(name)} twice")
        stated[name] = word
    return stated


def _names(option: str, lists: Sequence[str]) -> tuple[str, ...]:
    names = _items(option, lists)
    twice = next((name for j, name in enumerate(names) if name in names[:j]), None)
    if twice is not None:
        raise OptionError(f"{option} names {quoted(twice)} twice")
    return tuple(names)


def _items(option: str, lists: Sequence[str], *, may_be_empty: bool = False) -> list[str]:
    """Return the items of lists with commas; an empty list may mean the empty text."""
    try:
        # As a line of a CSV file, so that a name with a comma can be quoted.
        rows = list(csv.reader(lists, skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise OptionError(
            f"{option}: cannot read {listed(lists)} as a comma-separated list: {error}"
        ) from error
    if may_be_empty:
        return [item for row in rows for item in row or [""]]
    items = [item for row in rows for item in row]
    if len(rows) != len(lists) or not all(rows) or not all(items):
        raise OptionError(f"{option} is empty or holds an empty item; separate items by commas")
    return items
