"""Sums of products of deviations from the mean, block by block of rows."""

from __future__ import annotations

import math

import numpy as np

from greedag.data.table import Floats, Table
from greedag.statistics.square import upper_tiles

_BLOCK_VALUES = 2**20
# Each block is added to all d × d sums: with fewer rows, that would take longer than multiplying.
_LEAST_BLOCK_ROWS = 256


def unit_moments(table: Table, weights: Floats | None) -> tuple[Floats, Floats]:
    """Return means and covariances of ``(x - low) * 2**-exponent``."""
    n, d = table.n, table.d
    # Of a table in many panels, each is called upon for each block: half as many blocks.
    values = _BLOCK_VALUES if len(table.panels) == 1 else 2 * _BLOCK_VALUES
    step = min(n, max(_LEAST_BLOCK_ROWS, values // d))
    buffer = np.empty((step + 1, d), order=table.order)
    mean, scatter = np.zeros(d), np.zeros((d, d))
    before: float = 0
    for start in range(0, n, step):
        stop = min(n, start + step)
        block = buffer[: stop - start]
        table.write_units(start, stop, block)
        part = None if weights is None else weights[start:stop]
        count, block_mean = _centred(block, part)
        # The distance of the means, which Chan's update adds, takes the place of one more row.
        gap = block_mean - mean
        buffer[stop - start] = gap * math.sqrt(before * count / (before + count))
        before += count
        mean += gap * (count / before)
        _add_products(scatter, buffer[: stop - start + 1])
    for tile in upper_tiles(d):
        scatter[tile] /= before
    return mean, scatter


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


def _add_products(scatter: Floats, rows: Floats) -> None:
    """Add ``rows.T @ rows``, on and above the diagonal only."""
    for i, j in upper_tiles(len(scatter)):
        scatter[i, j] += rows[:, i].T @ rows[:, j]
