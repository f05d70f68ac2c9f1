"""The rows of a table in blocks, so that any of them can be counted together, many times over.

Rows are dealt out to blocks at random, about as many to each. To draw rows is to draw blocks, and
what a score needs of a draw is put together from what was counted of each block: a table of any
length is read once. A few hundred blocks are as good as rows: which rows share a block is random.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag.data.rows import SelectedRows
from greedag.data.table import Floats
from greedag.errors import DataError, counted_rows, option
from greedag.scores.base import Prepared
from greedag.scores.custom import Columns
from greedag.statistics.basis import BasisMoments, block_sums_of_basis
from greedag.statistics.block_sums import BlockSums, Deal, block_sums_of_numbers
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

    def rows(self, counts: Counts) -> tuple[SelectedRows, ...]:
        """Return the rows of blocks, for counting parts of them; none where they are not kept."""
        return ()


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

    def __init__(self, n: int, deal: Deal) -> None:
        dealt = replace(deal, blocks=min(n, deal.blocks)).places(n)
        self._places = [places for places in dealt if len(places)]
        self.groups = (len(self._places),)

    def places(self, counts: Counts) -> NDArray[np.intp]:
        """Return the rows of blocks, as often as they are drawn, in their order."""
        drawn = [np.repeat(self._places[b], counts[b]) for b in np.flatnonzero(counts)]
        return np.sort(np.concatenate(drawn))


class _LevelBlocks(_PlacedBlocks):
    """Blocks of rows of discrete columns, known by their distinct rows and counts.

    A row of weight 2.5 stands for two rows and half a one.
    """

    def __init__(self, whole: Levels, deal: Deal) -> None:
        full = np.floor(whole.counts)
        parts = np.flatnonzero(whole.counts > full)
        distinct = np.arange(len(full), dtype=np.int32)
        self._whole = whole
        self._row = np.concatenate([np.repeat(distinct, full.astype(np.intp)), distinct[parts]])
        self._weights: Floats | None = None
        if len(parts):
            rest = (whole.counts - full)[parts]
            self._weights = np.concatenate([np.ones(len(self._row) - len(parts)), rest])
        super().__init__(len(self._row), deal)

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

    def __init__(self, whole: MixedTable, deal: Deal) -> None:
        self._whole = whole
        super().__init__(whole.rows, deal)

    def statistics(self, counts: Counts) -> MixedTable:
        return self._whole.take(self.places(counts))


class _RowBlocks(_PlacedBlocks):
    """Blocks of rows that are counted anew for each draw."""

    def __init__(
        self, rows: SelectedRows, count: Callable[[SelectedRows], Any], deal: Deal
    ) -> None:
        self._source = rows.source.in_memory()
        self._rows, self._count = rows, count
        super().__init__(self._source.n, deal)

    def statistics(self, counts: Counts) -> Any:
        return self._count(self.rows(counts)[0])

    def rows(self, counts: Counts) -> tuple[SelectedRows, ...]:
        places, weights = self.places(counts), self._rows.weights
        weights = None if weights is None else weights[places]
        return (SelectedRows(self._source.take(places), weights, self._rows.missing),)


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
        found = [
            (targets, part.statistics(drawn))
            for targets, part, drawn in zip(
                self.targets, self.parts, self._by_part(counts), strict=True
            )
            if drawn.any()
        ]
        targets, counted = zip(*found, strict=True)
        return Environments(targets, counted)

    def rows(self, counts: Counts) -> tuple[SelectedRows, ...]:
        parts = zip(self.parts, self._by_part(counts), strict=True)
        return tuple(rows for part, drawn in parts if drawn.any() for rows in part.rows(drawn))

    def _by_part(self, counts: Counts) -> list[Counts]:
        return np.split(counts, np.cumsum(self.groups)[:-1])


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


def blocks_of(prepared: Prepared, seed: int, *, share: float | None = None) -> Blocks:
    """Deal out the rows of a table to blocks, and count these if that saves counting draws.

    Parameters
    ----------
    prepared : Prepared
    seed : int
    share : float, optional
        Make two blocks, of which the second has this share of the rows; of each environment, if
        there are several. Left out, there are up to `MOST_BLOCKS` of about one size.

    Raises
    ------
    DataError
        If there are no rows, because the data are statistics of them.
    """
    whole = prepared.statistics
    deal = Deal(MOST_BLOCKS if share is None else 2, seed, share)
    if isinstance(whole, Environments):
        rows: Sequence[Any] = prepared.rows or (None,) * len(whole.counted)
        parts = zip(whole.counted, rows, strict=True)
        return _EnvironmentBlocks(
            whole.targets, tuple(_of_one(part, each, deal) for part, each in parts)
        )
    return _of_one(whole, prepared.rows[0] if prepared.rows else None, deal)


def _of_one(whole: Any, rows: SelectedRows | None, deal: Deal) -> Blocks:
    if isinstance(whole, Levels):
        return _LevelBlocks(whole, deal)
    if isinstance(whole, MixedTable):
        return _MixedBlocks(whole, deal)
    if rows is None or isinstance(whole, Columns):
        raise _no_rows(whole)
    if isinstance(whole, BasisMoments):
        return _of_basis(whole, rows, deal)
    if rows.missing == "em" and rows.source.in_memory().missing_cells().any():
        return _RowBlocks(rows, _moments_of, deal)
    counted = _counted_blocks(whole.d, rows, whole.n, deal)
    if not counted.blocks:
        return _RowBlocks(rows, _moments_of, deal)
    count = partial(block_sums_of_numbers, whole=whole, deal=counted)
    return _MomentBlocks(whole, rows.source.counted(count, rows.weights))


def _of_basis(whole: BasisMoments, rows: SelectedRows, deal: Deal) -> Blocks:
    counted = _counted_blocks(whole.moments.d, rows, whole.n, deal)
    if not counted.blocks:
        return _RowBlocks(rows, partial(_basis_moments_of, whole.bases), deal)
    count = partial(block_sums_of_basis, whole=whole, deal=counted)
    return _BasisBlocks(whole, rows.source.counted(count, rows.weights))


def _moments_of(rows: SelectedRows) -> Moments:
    return count_moments(rows)[0]


def _basis_moments_of(bases: Any, rows: SelectedRows) -> BasisMoments:
    return BasisMoments.from_data(rows.source, weights=rows.weights, bases=bases)


def _counted_blocks(d: int, rows: SelectedRows, n: float, deal: Deal) -> Deal:
    """Return how many blocks to count; 0 if each draw is counted from the rows instead."""
    if deal.share is not None:
        return deal if _is_elsewhere(rows) else replace(deal, blocks=0)
    held = _MOST_BYTES // (8 * d * d)
    if held < _LEAST_BLOCKS and not _is_elsewhere(rows):
        return replace(deal, blocks=0)
    count = n if rows.weights is None else len(rows.weights)
    return replace(deal, blocks=int(min(max(held, _LEAST_BLOCKS), deal.blocks, max(count, 2))))


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
        remedy = ("pass the table itself, or ", option("kind", "parametric"))
    return DataError(
        f"{type(statistics).__name__} has no rows to draw from", remedy=remedy, code="no-rows"
    )
