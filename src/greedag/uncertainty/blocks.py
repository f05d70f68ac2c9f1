"""The rows of a table in blocks, so that any of them can be counted together, many times over.

Rows are dealt out to blocks at random, about as many to each. To draw rows is to draw blocks, and
what a score needs of a draw is put together from what was counted of each block: a table of any
length is read once. A few hundred blocks are as good as rows: which rows share a block is random.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag.data.rows import SelectedRows
from greedag.data.table import Floats
from greedag.errors import DataError, counted_rows, only_python, option
from greedag.scores.base import Prepared
from greedag.scores.custom import Columns
from greedag.statistics.basis import BasisMoments, block_sums_of_basis
from greedag.statistics.block_sums import BlockSums, block_sums_of_numbers, dealt_out
from greedag.statistics.environments import Environments
from greedag.statistics.levels import Levels
from greedag.statistics.mixed import MixedTable
from greedag.statistics.moments import Moments, count_moments

Counts = NDArray[np.intp]

MOST_BLOCKS = 256
# Of the sums of all blocks. With fewer blocks than these, draws are counted from the rows.
_MOST_BYTES = 2**27
_LEAST_BLOCKS = 32
_LEAST_ROWS = 2


class Blocks(ABC):
    """The rows of a table in blocks.

    Attributes
    ----------
    groups : tuple of int
        Numbers of blocks whose rows are drawn apart from those of others: one, or one for each
        environment.
    """

    groups: tuple[int, ...]

    @abstractmethod
    def statistics(self, counts: Counts) -> Any:
        """Return the statistics of blocks, each of which counts as often as it is drawn."""


class _MomentBlocks(Blocks):
    """Blocks of which moments are known."""

    def __init__(self, whole: Moments, sums: BlockSums) -> None:
        self._whole = whole
        self._sums = sums
        self.groups = (len(sums.rows),)

    def statistics(self, counts: Counts) -> Moments:
        return self._sums.moments(self._whole, counts)


class _BasisBlocks(_MomentBlocks):
    """Blocks of which the moments of curves are known."""

    def __init__(self, whole: BasisMoments, sums: BlockSums) -> None:
        super().__init__(whole.moments, sums)
        self._basis = whole

    def statistics(self, counts: Counts) -> BasisMoments:  # type: ignore[override]
        names, bases = self._basis.names, self._basis.bases
        return BasisMoments(names, bases, super().statistics(counts), (0.0,) * len(names))


class _PlacedBlocks(Blocks):
    """Blocks of rows that are kept, or can be read again: where they stand."""

    def __init__(self, n: int, seed: int) -> None:
        self._places = dealt_out(n, min(n, MOST_BLOCKS), seed)
        self.groups = (len(self._places),)

    def places(self, counts: Counts) -> NDArray[np.intp]:
        """Return the rows of blocks, as often as they are drawn, in their order."""
        drawn = [np.repeat(self._places[b], counts[b]) for b in np.flatnonzero(counts)]
        return np.sort(np.concatenate(drawn))


class _LevelBlocks(_PlacedBlocks):
    """Blocks of rows of discrete columns, known by their distinct rows and counts.

    A row of weight 2.5 stands for two rows and half a one.
    """

    def __init__(self, whole: Levels, seed: int) -> None:
        full = np.floor(whole.counts)
        parts = np.flatnonzero(whole.counts > full)
        distinct = np.arange(len(full), dtype=np.int32)
        self._whole = whole
        self._row = np.concatenate([np.repeat(distinct, full.astype(np.intp)), distinct[parts]])
        self._weights: Floats | None = None
        if len(parts):
            rest = (whole.counts - full)[parts]
            self._weights = np.concatenate([np.ones(len(self._row) - len(parts)), rest])
        super().__init__(len(self._row), seed)

    def statistics(self, counts: Counts) -> Levels:
        places, whole = self.places(counts), self._whole
        weights = None if self._weights is None else self._weights[places]
        drawn = np.bincount(self._row[places], weights, minlength=len(whole.counts))
        kept = np.flatnonzero(drawn)
        return Levels(
            whole.names, whole.labels, whole.codes[:, kept], drawn[kept].astype(np.float64)
        )


class _MixedBlocks(_PlacedBlocks):
    """Blocks of rows of continuous and discrete columns."""

    def __init__(self, whole: MixedTable, seed: int) -> None:
        self._whole = whole
        super().__init__(whole.rows, seed)

    def statistics(self, counts: Counts) -> MixedTable:
        return self._whole.take(self.places(counts))


class _RowBlocks(_PlacedBlocks):
    """Blocks of rows that are counted anew for each draw."""

    def __init__(self, rows: SelectedRows, count: Callable[[SelectedRows], Any], seed: int) -> None:
        self._source = rows.source.in_memory()
        self._rows, self._count = rows, count
        super().__init__(self._source.n, seed)

    def statistics(self, counts: Counts) -> Any:
        places, weights = self.places(counts), self._rows.weights
        part = SelectedRows(
            self._source.take(places),
            None if weights is None else weights[places],
            self._rows.missing,
        )
        return self._count(part)


@dataclass(frozen=True, slots=True)
class _EnvironmentBlocks(Blocks):
    """Blocks of the rows of each environment."""

    targets: tuple[tuple[int, ...], ...]
    parts: tuple[Blocks, ...]

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of blocks of each environment."""
        return tuple(part.groups[0] for part in self.parts)

    def statistics(self, counts: Counts) -> Environments:
        ends = np.cumsum(self.groups)
        found = [
            (targets, part.statistics(drawn))
            for targets, part, drawn in zip(
                self.targets, self.parts, np.split(counts, ends[:-1]), strict=True
            )
            if drawn.any()
        ]
        targets, counted = zip(*found, strict=True)
        return Environments(targets, counted)


def log_rows(n: float) -> float:
    """Return the logarithm of how many rows a draw has, which a penalty is in units of.

    Raises
    ------
    DataError
        If they are fewer than two, by their weights.
    """
    if n < _LEAST_ROWS:
        raise DataError(
            f"a draw has {counted_rows(n)} rows, while a minimum of {_LEAST_ROWS} is required",
            remedy="pass more rows",
            code="few-rows",
        )
    return math.log(n)


def blocks_of(prepared: Prepared, seed: int) -> Blocks:
    """Deal out the rows of a table to blocks, and count these if that saves counting draws.

    Raises
    ------
    DataError
        If there are no rows, because the data are statistics of them.
    """
    whole = prepared.statistics
    if isinstance(whole, Environments):
        rows: Sequence[Any] = prepared.rows or (None,) * len(whole.counted)
        parts = zip(whole.counted, rows, strict=True)
        return _EnvironmentBlocks(
            whole.targets, tuple(_of_one(part, each, seed) for part, each in parts)
        )
    return _of_one(whole, prepared.rows[0] if prepared.rows else None, seed)


def _of_one(whole: Any, rows: SelectedRows | None, seed: int) -> Blocks:
    if isinstance(whole, Levels):
        return _LevelBlocks(whole, seed)
    if isinstance(whole, MixedTable):
        return _MixedBlocks(whole, seed)
    if rows is None or isinstance(whole, Columns):
        raise _no_rows(whole)
    if isinstance(whole, BasisMoments):
        return _of_basis(whole, rows, seed)
    if rows.missing == "em" and rows.source.in_memory().missing_cells().any():
        return _RowBlocks(rows, _moments_of, seed)
    blocks = _block_count(whole.d, rows, whole.n)
    if not blocks:
        return _RowBlocks(rows, _moments_of, seed)
    count = partial(block_sums_of_numbers, whole=whole, blocks=blocks, seed=seed)
    return _MomentBlocks(whole, rows.source.counted(count, rows.weights))


def _of_basis(whole: BasisMoments, rows: SelectedRows, seed: int) -> Blocks:
    blocks = _block_count(whole.moments.d, rows, whole.n)
    if not blocks:
        return _RowBlocks(rows, partial(_basis_moments_of, whole.bases), seed)
    count = partial(block_sums_of_basis, whole=whole, blocks=blocks, seed=seed)
    return _BasisBlocks(whole, rows.source.counted(count, rows.weights))


def _moments_of(rows: SelectedRows) -> Moments:
    return count_moments(rows)[0]


def _basis_moments_of(bases: Any, rows: SelectedRows) -> BasisMoments:
    return BasisMoments.from_data(rows.source, weights=rows.weights, bases=bases)


def _block_count(d: int, rows: SelectedRows, n: float) -> int:
    """Return how many blocks to count; 0 if each draw is counted from the rows instead."""
    held = _MOST_BYTES // (8 * d * d)
    if held < _LEAST_BLOCKS and not _is_elsewhere(rows):
        return 0
    count = n if rows.weights is None else len(rows.weights)
    return int(min(max(held, _LEAST_BLOCKS), MOST_BLOCKS, max(count, 2)))


def _is_elsewhere(rows: SelectedRows) -> bool:
    """Whether rows are read, or counted by others, and not all in memory."""
    from greedag.data.source import MemorySource

    return not isinstance(rows.source, MemorySource)


def _no_rows(statistics: Any) -> DataError:
    if isinstance(statistics, Columns):
        return DataError(
            "the rows of a custom score cannot be drawn: it reads them itself",
            remedy="draw rows in a loop of your own, and learn from each draw",
            code="no-rows",
        )
    remedy: tuple[Any, ...] = ("pass the table itself",)
    if isinstance(statistics, Moments):
        remedy = (*remedy, only_python(", or "), option("kind", "parametric"))
    return DataError(
        f"{type(statistics).__name__} has no rows to draw from", remedy=remedy, code="no-rows"
    )
