"""Which columns were set from outside in which rows: experiments with known targets.

A row's *targets* are the columns that an experiment set in it; a row without any was only observed.
Rows with the same targets make an *environment*.
"""

from __future__ import annotations

import difflib
import numbers
import os
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag._options import DataOptions
from greedag.data.cleaning import checked_drop, kinds_left, without
from greedag.data.missing import is_missing
from greedag.data.source import Source
from greedag.errors import DataError, OptionError, argument, counted, quoted, unknown_column

# What separates the names of several targets in one text.
_SEPARATORS = re.compile(r"[,;|]")
_TO_CORRECT = "correct it, or leave the value empty where nothing was set"


@dataclass(frozen=True, slots=True, eq=False)
class Experiments:
    """The environment of each row, and the targets of each environment.

    Attributes
    ----------
    codes : ndarray of shape (n,)
        For each row the place of its environment.
    targets : tuple of tuple of int
        For each environment the columns that were set, ascending; none where rows were observed.
    """

    codes: NDArray[np.intp]
    targets: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class RowTargets:
    """What was set in each row, as a caller says it.

    Attributes
    ----------
    values : ndarray of shape (n,)
        Names, lists of names, texts that list names, or nothing.
    column : str or None
        The column of the table that says so; None if tables came with their targets.
    """

    values: NDArray[Any]
    column: str | None = None

    def experiments(self, source: Source) -> Experiments:
        """Return the environments, once it is known which columns are learned from.

        Raises
        ------
        DataError
            If a target is not one of these columns.
        """
        reader = _Reader(source.names, source.has_own_names)
        values = np.ma.getdata(self.values).astype(object)
        values[np.ma.getmaskarray(self.values)] = None
        found = [reader.targets(value) for value in values]
        if reader.unknown:
            raise self._unknown(reader.unknown, source.names)
        targets = tuple(sorted(set(found), key=lambda each: (len(each), each)))
        place = {each: code for code, each in enumerate(targets)}
        codes = np.fromiter(map(place.__getitem__, found), np.intp, len(found))
        return Experiments(codes, targets)

    def _unknown(self, counts: Mapping[str, int], names: Sequence[str]) -> DataError:
        word = next(iter(counts))
        if word == self.column:
            return DataError(
                f"column {quoted(word)} names itself as a target, in {counts[word]} rows",
                remedy=_TO_CORRECT,
                code="targets-itself",
                columns=(word,),
                counts=counts,
            )
        near = difflib.get_close_matches(word, names, n=1)
        hint = f" (did you mean {quoted(near[0])}?)" if near else ""
        who = "a list of targets" if self.column is None else f"column {quoted(self.column)}"
        others = "" if len(counts) == 1 else f"; of {len(counts)} such targets: {counted(counts)}"
        return DataError(
            f"{who} names the target {quoted(word)}, which is not a column that is learned from"
            f"{hint}, for {counts[word]} row{'' if counts[word] == 1 else 's'}{others}",
            remedy=_TO_CORRECT,
            code="unknown-target",
            columns=() if self.column is None else (self.column,),
            counts=counts,
        )


class _Reader:
    """Reads targets, each value once, and counts those that are not columns."""

    def __init__(self, names: Sequence[str], has_own_names: bool) -> None:
        self._places = {name: j for j, name in enumerate(names)}
        self._has_own_names = has_own_names
        self._known: dict[Hashable, tuple[tuple[int, ...], tuple[str, ...]]] = {}
        self.unknown: dict[str, int] = {}

    def targets(self, value: Any) -> tuple[int, ...]:
        try:
            found = self._known.get(value)
        except TypeError:  # a list cannot be a key
            found = self._read(value)
        else:
            if found is None:
                found = self._known[value] = self._read(value)
        for word in found[1]:
            self.unknown[word] = self.unknown.get(word, 0) + 1
        return found[0]

    def _read(self, value: Any) -> tuple[tuple[int, ...], tuple[str, ...]]:
        words = self._words(value)
        places = [(word, self._place(word)) for word in words]
        known = sorted({place for _, place in places if place is not None})
        return tuple(known), tuple(word for word, place in places if place is None)

    def _words(self, value: Any) -> list[str]:
        if isinstance(value, str):
            if value in self._places or value.strip() in self._places:
                return [value if value in self._places else value.strip()]
            return [word.strip() for word in _SEPARATORS.split(value) if word.strip()]
        if isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
            return [word for each in value for word in self._words(each)]
        if is_missing(value):
            return []
        is_whole = isinstance(value, (int, float, np.number)) and float(value).is_integer()
        return [str(int(value)) if is_whole else str(value)]

    def _place(self, word: str) -> int | None:
        # Columns without names are known by their places.
        numbered = f"x{word}" if word.isdecimal() and not self._has_own_names else word
        return self._places.get(word, self._places.get(numbered))


def split_off(source: Source, options: DataOptions) -> tuple[Source, DataOptions, RowTargets]:
    """Return a table without the column that names the targets, what is left to say, and these.

    Raises
    ------
    OptionError
        If the column is to be left out, or is not given by name.
    DataError
        If there is no such column.
    """
    name = options.interventions
    if isinstance(name, RowTargets):
        return source, options, name
    check_column(name)
    if options.drop is not None and name in checked_drop(options.drop):
        raise targets_dropped(name)
    if name not in source.names:
        raise unknown_column(name, source.names)
    whole = source.in_memory()
    values = whole.values(whole.names.index(name))
    rest, _ = without(whole, (name,))
    options = replace(options, kinds=kinds_left(options.kinds, (name,)))
    return rest, options, RowTargets(values, name)


def targets_dropped(name: str) -> OptionError:
    """Return the error for a column of targets that is to be used and left out."""
    said = argument("interventions"), f" needs {quoted(name)}, which ", argument("drop")
    return OptionError(*said, " leaves out")


def check_column(name: object) -> None:
    """Raise unless a column is given by its name."""
    if not isinstance(name, str):
        raise OptionError(
            argument("interventions"),
            " must be the name of the column that names the targets of each row; pass lists of "
            f"targets beside tables, as in learn([(table, None), (other, ['x'])]); got "
            f"{quoted(name)}",
        )


def are_tables_with_targets(data: Sequence[Any]) -> bool:
    """Whether data are a list of (table, targets), and not a list of rows."""
    return bool(data) and all(
        isinstance(pair, tuple) and len(pair) == 2 and _is_table(pair[0]) and _are_targets(pair[1])
        for pair in data
    )


def _is_table(data: Any) -> bool:
    if isinstance(data, (str, os.PathLike)):
        # Rows of two texts are lists of pairs, too.
        return not isinstance(data, str) or os.path.exists(data) or "." in os.path.basename(data)
    if isinstance(data, (numbers.Number, np.generic)) or data is None:
        return False
    return isinstance(data, Iterable) or hasattr(data, "fingerprint")


def _are_targets(targets: Any) -> bool:
    if targets is None or isinstance(targets, str):
        return True
    if isinstance(targets, numbers.Integral):
        return True
    is_list = isinstance(targets, (list, tuple, set, frozenset, np.ndarray))
    return is_list and all(isinstance(each, (str, numbers.Integral)) for each in targets)
