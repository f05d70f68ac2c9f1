"""A sample of the values of each column, the same however a table is cut into parts.

Of a continuous column those distinct values are kept whose hashes are smallest, with how often they
occur: all of them if they are few. Of a discrete column all levels are kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from greedag.data.kinds import Kind
from greedag.data.source import MemorySource, check_some
from greedag.data.table import Floats, numbers_of
from greedag.errors import different_columns
from greedag.statistics.levels import encoded_columns, merged_codes

Labels = tuple[Hashable, ...]
Hashes = NDArray[np.uint64]

MOST_VALUES = 2**14
# Distinct values are looked for among so many times as many rows, before all are sorted.
_TIMES = 4
REMEDIES = ("drop",)
_NO_CODES: NDArray[np.intp] = np.empty(0, dtype=np.intp)


@dataclass(frozen=True, slots=True, eq=False)
class ValueSample:
    """Distinct values of a continuous column, ascending, and how often each occurs.

    Attributes
    ----------
    values, weights : ndarray
        At most `MOST_VALUES` of them.
    """

    values: Floats
    weights: Floats

    @classmethod
    def of(cls, values: Floats, weights: Floats) -> ValueSample:
        """Sample the values of a column, each with its weight."""
        return cls(*_distinct(values, weights))

    def __add__(self, other: ValueSample) -> ValueSample:
        """Return the sample of both parts' rows."""
        values = np.concatenate([self.values, other.values])
        return ValueSample.of(values, np.concatenate([self.weights, other.weights]))


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What bases are made from: the number of rows, and values or levels of each column."""

    n: float
    names: tuple[str, ...]
    columns: tuple[ValueSample | Labels, ...]

    def __add__(self, other: Sample) -> Sample:
        """Return the sample of both parts' rows."""
        if self.names != other.names:
            raise different_columns(self.names, other.names)
        triples = zip(self.names, self.columns, other.columns, strict=True)
        return Sample(self.n + other.n, self.names, tuple(_merged(*triple) for triple in triples))


def sample_of(source: MemorySource, weights: Floats | None, *, kinds: Sequence[Kind]) -> Sample:
    """Sample a table in memory, whose columns are of certain kinds, its weights all above 0."""
    check_some(source)
    counts = np.ones(source.n) if weights is None else weights
    columns: list[ValueSample | Labels] = [()] * len(kinds)
    coded = [j for j, kind in enumerate(kinds) if kind == "discrete"]
    # These first: where they lack values, the error counts the continuous columns too.
    for j, (_, labels) in zip(coded, encoded_columns(source, coded, REMEDIES), strict=True):
        columns[j] = labels
    for j, values in real_columns(source, kinds):
        columns[j] = ValueSample.of(values, counts)
    return Sample(float(counts.sum()), source.names, tuple(columns))


def real_columns(source: MemorySource, kinds: Sequence[Kind]) -> Iterator[tuple[int, Floats]]:
    """Give the continuous columns as doubles, each with its place."""
    places = [j for j, kind in enumerate(kinds) if kind == "continuous"]
    if not places:
        return
    whole = len(places) == len(kinds)
    table = numbers_of(source if whole else source.select(places), REMEDIES)
    columns = (column for block in table.blocks for column in block.values.T)
    for j, column in zip(places, columns, strict=True):
        yield j, np.asarray(column, dtype=np.float64)


def _merged(
    name: str, one: ValueSample | Labels, other: ValueSample | Labels
) -> ValueSample | Labels:
    if isinstance(one, ValueSample) and isinstance(other, ValueSample):
        return one + other
    assert isinstance(one, tuple) and isinstance(other, tuple)
    return merged_codes(name, one, other, _NO_CODES, _NO_CODES)[1]


def _distinct(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return distinct values, ascending, and their weights: those whose hashes are smallest."""
    if len(values) > _TIMES * MOST_VALUES:
        hashes = _hashes(values)
        few = hashes <= np.partition(hashes, _TIMES * MOST_VALUES)[_TIMES * MOST_VALUES]
        if len(np.unique(hashes[few])) >= MOST_VALUES:
            values, weights = values[few], weights[few]
    found, place = np.unique(values, return_inverse=True)
    counts: Floats = np.bincount(place.reshape(-1), weights).astype(np.float64)
    if len(found) > MOST_VALUES:
        hashes = _hashes(found)
        kept = hashes <= np.partition(hashes, MOST_VALUES - 1)[MOST_VALUES - 1]
        found, counts = found[kept], counts[kept]
    return found, counts


def _hashes(values: Floats) -> Hashes:
    """Return a number for each value, another one for each other value (splitmix64)."""
    # Zeros of either sign are the same value.
    mixed = (values + 0.0).view(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))
