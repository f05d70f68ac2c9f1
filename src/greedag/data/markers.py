"""Values that stand for missing ones: ``"*"``, ``"?"``, ``-999``.

A marker matches text that is the same but for blanks around it, and numbers that are the same
number, be the marker given as text or as a number. It never matches a boolean.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag._options import as_real
from greedag.data.columns import Column, MappedSource, replaced
from greedag.data.missing import Mask, missing_in
from greedag.data.source import MemorySource, Source
from greedag.errors import DataTypeError, Note, OptionError, counted, listed, quoted


@dataclass(frozen=True, slots=True)
class Markers:
    """What a caller takes for missing values: as given, as texts, and as numbers."""

    given: tuple[str | float, ...]
    texts: frozenset[str]
    numbers: frozenset[float]

    @property
    def words(self) -> frozenset[str]:
        """The texts that are not numbers, such as ``"*"``."""
        return frozenset(text for text in self.texts if number_in(text) is None)

    def found_in(self, values: NDArray[Any]) -> Mask:
        """Return which values are markers."""
        given = np.ma.getdata(values)
        if given.dtype.kind in "iuf":
            return np.isin(given, list(self.numbers)) if self.numbers else _none(given)
        if given.dtype.kind not in "OUT":
            return _none(given)
        known: dict[Any, bool] = {}
        found = _none(given)
        for row, value in enumerate(given.tolist()):
            # A boolean equals a number, and has the same hash.
            key = (type(value), value)
            try:
                if key not in known:
                    known[key] = self._is_marker(value)
                found[row] = known[key]
            except TypeError:  # a value that cannot be hashed is no marker
                continue
        return found

    def _is_marker(self, value: object) -> bool:
        if isinstance(value, str):
            return value.strip() in self.texts or number_in(value) in self.numbers
        return as_real(value) in self.numbers


def _none(values: NDArray[Any]) -> Mask:
    return np.zeros(len(values), dtype=bool)


def checked_markers(na: object) -> Markers:
    """Return what a caller takes for missing values, if they are texts and numbers."""
    given = (na,) if isinstance(na, (str, numbers.Real)) else na
    if isinstance(given, (bytes, Mapping)) or not isinstance(given, Iterable):
        raise _no_markers(na)
    markers = tuple(given)
    for marker in markers:
        if not isinstance(marker, str) and not math.isfinite(as_real(marker)):
            raise _no_markers(marker)
    texts = {marker.strip() for marker in markers if isinstance(marker, str)}
    values = {number_in(text) for text in texts}
    values |= {as_real(marker) for marker in markers if not isinstance(marker, str)}
    found = frozenset(value for value in values if value is not None)
    plain = tuple(m if isinstance(m, (str, int, float)) else as_real(m) for m in markers)
    return Markers(plain, frozenset(texts), found)


def _no_markers(given: object) -> OptionError:
    return OptionError(
        f"na must be a list of texts and numbers, such as ['*', -999]; got {quoted(given)}"
    )


def number_in(text: str) -> float | None:
    """Return the finite number that a text holds, if there is one."""
    try:
        # float() reads 1_000, which no other program writes as a number.
        number = math.nan if "_" in text else float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def marked(source: Source, markers: Markers) -> tuple[Source, dict[str, int]]:
    """Return a table whose markers are missing values, and how many there were, by column.

    A column of text that holds nothing but numbers beside its markers becomes one of numbers.

    Raises
    ------
    DataTypeError
        If the table is on a cluster.
    """
    if source.is_distributed:
        raise DataTypeError(
            "na needs all rows in one place, and a Dask table is counted partition by partition",
            remedy="replace such values on the cluster, for example with .replace('*', None)",
            code="distributed",
        )
    if not isinstance(source, MemorySource):
        # Whatever is found there is an error: missing values are treated in memory.
        return MappedSource(source, partial(_marked_piece, markers=markers)), {}
    whole = source
    changed: dict[int, MemorySource] = {}
    counts: dict[str, int] = {}
    for j, name in enumerate(whole.names):
        values = whole.values(j)
        found = markers.found_in(values) & ~np.ma.getmaskarray(values)
        if found.any():
            counts[name] = int(found.sum())
            changed[j] = _without(whole, j, values, found)
    return replaced(whole, changed), counts


def _marked_piece(piece: MemorySource, markers: Markers) -> MemorySource:
    return marked(piece, markers)[0].in_memory()


def note_on_markers(markers: Markers, counts: Mapping[str, int]) -> Note:
    """Say how many values were taken as missing, and where."""
    if not counts:
        return Note(f"no value is {listed(markers.given)}, so na changed nothing", code="na")
    total = sum(counts.values())
    return Note(
        f"{total} value{'s' if total > 1 else ''} ({listed(markers.given)}) in {counted(counts)} "
        f"{'were' if total > 1 else 'was'} taken as missing",
        code="na",
        columns=counts,
        counts=counts,
    )


def _without(source: MemorySource, j: int, values: NDArray[Any], found: Mask) -> Column:
    name, missing = source.names[j], found | missing_in(values)
    held = np.ma.getdata(values)
    if held.dtype.kind == "f":
        return Column(np.where(missing, np.nan, held), name)
    judged = source.judge(j) if source.is_category(j) else None
    if held.dtype.kind in "OUT" and judged is None:
        held = _as_numbers(held, missing)
    return Column(np.ma.MaskedArray(held, mask=missing), name, judged)


def _as_numbers(values: NDArray[Any], missing: Mask) -> NDArray[Any]:
    """Return a column as numbers, if it holds nothing else where it holds anything."""
    read = [_as_number(value) for value in values[~missing].tolist()]
    if not read or None in read:
        return values
    present = np.array(read)
    numeric = np.zeros(len(values), present.dtype)
    numeric[~missing] = present
    return numeric


def _as_number(value: Any) -> float | int | None:
    """Return a number, or the one that a text spells; whole numbers as such."""
    if isinstance(value, str):
        number = number_in(value)
        try:
            return None if number is None else int(value)
        except ValueError:
            return number
    is_number = isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))
    return value if is_number else None
