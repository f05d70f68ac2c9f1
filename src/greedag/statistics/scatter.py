"""Sums of products of deviations from the mean, and work on large square matrices.

Rows are taken block by block, and square matrices part by part: work on a large one needs no second
one of its size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sized
from typing import Literal, Protocol

import numpy as np

from greedag._progress import check_time
from greedag.data.table import Exponents, Floats

Tile = tuple[slice, slice]

_DOING = "computing covariances"

_TILE = 512
_STRIP_VALUES = 2**17
_BLOCK_VALUES = 2**20
# Each block is added to all d × d sums: with fewer rows, that would take longer than multiplying.
_LEAST_BLOCK_ROWS = 256
# Shapes of columns are only noted, for which rows at even distances will do.
SHAPE_ROWS = 2**12


class UnitRows(Protocol):
    """Rows that can be written as numbers of about 1, such as a `Table`."""

    @property
    def n(self) -> int:
        """Number of rows."""

    @property
    def d(self) -> int:
        """Number of columns."""

    @property
    def blocks(self) -> Sized:
        """What is written column by column, or in one go if it is one."""

    @property
    def order(self) -> Literal["C", "F"]:
        """Order in memory that rows should have to be written fast."""

    def write_units(self, start: int, stop: int, out: Floats) -> None:
        """Write rows into `out` of shape (stop - start, d)."""


def unit_moments(table: UnitRows, weights: Floats | None) -> tuple[Floats, Floats, Floats]:
    """Return means, covariances and shapes of ``(x - low) * 2**-exponent``.

    *Shapes* are skewness and kurtosis, a row each.
    """
    n, d = table.n, table.d
    # Of a table in many blocks, each is called upon for each block: half as many blocks.
    values = _BLOCK_VALUES if len(table.blocks) == 1 else 2 * _BLOCK_VALUES
    step = min(n, max(_LEAST_BLOCK_ROWS, values // d))
    buffer = np.empty((step + 1, d), order=table.order)
    mean, scatter = np.zeros(d), np.zeros((d, d))
    before: float = 0
    every, powers = -(-n // SHAPE_ROWS), np.zeros((5, d))
    for start in range(0, n, step):
        if start:
            check_time("computing the moments", start, n)
        stop = min(n, start + step)
        block = buffer[: stop - start]
        table.write_units(start, stop, block)
        part = None if weights is None else weights[start:stop]
        count, block_mean = _centred(block, part)
        if not start:
            first_mean = block_mean
        sums = _power_sums(block, part, slice(-start % every, None, every))
        powers += _moved(sums, block_mean - first_mean)
        # The distance of the means, which Chan's update adds, takes the place of one more row.
        gap = block_mean - mean
        buffer[stop - start] = gap * math.sqrt(before * count / (before + count))
        before += count
        mean += gap * (count / before)
        _add_products(scatter, buffer[: stop - start + 1])
    for tile in upper_tiles(d):
        scatter[tile] /= before
    return mean, scatter, _shapes(_moved(powers, first_mean - mean))


def distinct_rows(table: UnitRows) -> int:
    """Return how many rows of a table differ, counted up to one more than its columns.

    So many rows less one are the most columns that can be independent.
    """
    n, d = table.n, table.d
    buffer = np.empty((min(n, d + 1), d))
    seen: set[int] = set()
    for start in range(0, n, d + 1):
        block = buffer[: min(n - start, d + 1)]
        table.write_units(start, start + len(block), block)
        if not start and len(np.unique(block[:, 0])) > d:
            return d + 1
        block += 0.0  # zeros of either sign are the same value
        seen.update(hash(row.tobytes()) for row in block)
        if len(seen) > d:
            return d + 1
    return len(seen)


def _centred(block: Floats, weights: Floats | None) -> tuple[float, Floats]:
    """Subtract the mean, in place, and return the number of rows and the mean.

    Rows are multiplied by the roots of their weights, which their products then count.
    """
    if weights is None:
        mean = block.mean(axis=0)
        block -= mean
        return len(block), mean
    count = float(weights.sum())
    mean = (weights @ block) / count
    block -= mean
    block *= np.sqrt(weights)[:, np.newaxis]
    return count, mean


def _power_sums(block: Floats, weights: Floats | None, sampled: slice) -> Floats:
    """Return sums of powers 0 to 4 of deviations, which carry the roots of their weights."""
    rows = block[sampled].copy(order="K")
    if weights is None:
        counts = np.ones(len(rows))
    else:
        counts = weights[sampled]
        rows /= np.sqrt(counts)[:, np.newaxis]
    sums = np.empty((5, rows.shape[1]))
    sums[0], sums[1] = counts.sum(), counts @ rows
    powers = rows.copy(order="K")
    for power in (2, 3, 4):
        powers *= rows
        sums[power] = counts @ powers
    return sums


def _moved(sums: Floats, gap: Floats) -> Floats:
    """Return sums of powers of ``x + gap`` from those of x."""
    s0, s1, s2, s3, s4 = sums
    return np.array(
        [
            s0,
            s1 + gap * s0,
            s2 + gap * (2.0 * s1 + gap * s0),
            s3 + gap * (3.0 * s2 + gap * (3.0 * s1 + gap * s0)),
            s4 + gap * (4.0 * s3 + gap * (6.0 * s2 + gap * (4.0 * s1 + gap * s0))),
        ]
    )


def _shapes(sums: Floats) -> Floats:
    """Return skewness and kurtosis from sums of powers of deviations from the mean."""
    second, third, fourth = sums[2:] / sums[0]
    return standardised_shapes(second, third, fourth)


def standardised_shapes(second: Floats, third: Floats, fourth: Floats) -> Floats:
    """Return skewness and kurtosis of central moments, 0 where nothing varies."""
    with np.errstate(all="ignore"):
        shapes: Floats = np.array([third / second**1.5, fourth / second**2])
    shapes[:, ~np.isfinite(shapes).all(axis=0)] = 0.0
    return shapes


def _add_products(scatter: Floats, rows: Floats) -> None:
    """Add ``rows.T @ rows``, on and above the diagonal only."""
    for i, j in upper_tiles(len(scatter)):
        scatter[i, j] += rows[:, i].T @ rows[:, j]


def normalised(scaled: Floats, exponent: Exponents) -> tuple[Floats, Exponents]:
    """Bring variances into [1/4, 1) by powers of two, in place.

    Only what stands on and above the diagonal is read; it is mirrored below.
    """
    variance = scaled.diagonal().copy()
    shift = (np.frexp(variance)[1] + 1) // 2
    factor = powers_of_two(-shift)
    for rows in strips(len(scaled)):
        scaled[rows] = rescaled(scaled[rows], factor[rows], factor)
    for tile in upper_tiles(len(scaled)):
        mirror(scaled, tile)
    return scaled, np.where(variance > 0.0, exponent + shift, 0)


def powers_of_two(shift: Exponents) -> Floats:
    """Return powers of two, as large ones as a double holds."""
    # Only constant columns, which are 0 at any scale, would be shifted out of range.
    powers: Floats = np.ldexp(1.0, np.minimum(shift, 1023))
    return powers


def rescaled(part: Floats, row_factor: Floats, factor: Floats) -> Floats:
    """Return rows of a matrix, rows and columns multiplied."""
    return part * row_factor[:, np.newaxis] * factor


def correlations(scaled: Floats) -> Floats:
    """Return covariances, all variances above 0, as correlations: symmetric, the diagonal 1."""
    scale = 1.0 / np.sqrt(scaled.diagonal())
    matrix = np.empty_like(scaled)
    for rows in strips(len(scaled)):
        part = np.multiply(scale[rows, np.newaxis], scale, out=matrix[rows])
        part *= scaled[rows]
        np.clip(part, -1.0, 1.0, out=part)
    np.fill_diagonal(matrix, 1.0)
    return matrix


def strips(d: int) -> Iterator[slice]:
    """Yield runs of rows, from first to last, each small enough to stay in the cache."""
    step = _STRIP_VALUES // d + 1
    for start in range(0, d, step):
        if start:
            check_time(_DOING, start, d, "columns")
        yield slice(start, min(d, start + step))


def upper_tiles(d: int) -> Iterator[Tile]:
    """Yield rows and columns of tiles that cover the diagonal and all above it, each once."""
    runs = [slice(start, min(d, start + _TILE)) for start in range(0, d, _TILE)]
    for place, rows in enumerate(runs):
        for columns in runs[place:]:
            if columns.start:
                check_time(_DOING, rows.start, d, "columns")
            yield rows, columns


def mirror(matrix: Floats, tile: Tile) -> None:
    """Copy what a tile holds above the diagonal to its place below."""
    rows, columns = tile
    part = matrix[tile]
    if rows == columns:
        np.copyto(part, part.T.copy(), where=np.tri(len(part), k=-1, dtype=bool))
    else:
        matrix[columns, rows] = part.T
