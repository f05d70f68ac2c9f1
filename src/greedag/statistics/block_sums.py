"""Sums over blocks of rows, from which the moments of any of them follow.

Values are centred at the mean of all rows, so that sums of few blocks lose no digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from greedag._progress import check_time
from greedag.data.source import MemorySource
from greedag.data.table import Exponents, Floats, Table, numbers_of
from greedag.statistics.moments import Moments
from greedag.statistics.scatter import UnitRows

Places = NDArray[np.intp]

_DOING = "counting blocks of rows"
# Of a variance, beside the square of the distance of the values from the mean of all rows.
_ROUNDING = 2.0**-42


@dataclass(frozen=True, slots=True, eq=False)
class BlockSums:
    """Sums over the rows of each block, in the units of the moments of all rows.

    Attributes
    ----------
    rows : ndarray of shape (blocks,)
        Numbers of rows.
    weights : ndarray of shape (blocks,)
        Sums of their weights.
    values : ndarray of shape (blocks, d)
        Sums of deviations from the mean of all rows.
    products : ndarray of shape (blocks, d, d)
        Sums of products of such deviations.
    """

    rows: Floats
    weights: Floats
    values: Floats
    products: Floats

    def __add__(self, other: BlockSums) -> BlockSums:
        """Return the sums of both parts of a table."""
        return BlockSums(
            self.rows + other.rows,
            self.weights + other.weights,
            self.values + other.values,
            self.products + other.products,
        )

    def moments(self, whole: Moments, counts: NDArray[np.intp]) -> Moments:
        """Return the moments of blocks, each of which counts as often as given.

        Parameters
        ----------
        whole : Moments
            Of all rows.
        counts : ndarray of shape (blocks,)
        """
        n, d = float(counts @ self.weights), whole.d
        values, products = np.zeros(d), np.zeros((d, d))
        # One after the other: a product of matrices may round otherwise on another machine.
        for block in np.flatnonzero(counts):
            often = counts[block]
            values += self.values[block] if often == 1 else often * self.values[block]
            products += self.products[block] if often == 1 else often * self.products[block]
        mean = values / n
        covariance = products / n - np.outer(mean, mean)
        # A column that is the same in all rows drawn leaves the rounding of its distance from the
        # mean of all rows.
        same = covariance.diagonal() <= _ROUNDING * products.diagonal() / n
        covariance[same, :] = covariance[:, same] = 0.0
        distinct = min(whole._distinct, int(self.rows[counts > 0].sum()))
        assert whole.mean is not None
        return Moments._of_units(
            n, whole.names, whole.mean, mean, covariance, whole._exponent, distinct
        )


def dealt_out(n: int, blocks: int, seed: int) -> list[Places]:
    """Return which of n rows are in each block, ascending: about as many in each, at random."""
    random = np.random.default_rng([seed, n])
    dealt = np.array_split(random.permutation(n), blocks)
    return [np.sort(dealt[place]) for place in random.permutation(blocks)]


def parted(n: int, share: float, seed: int) -> list[Places]:
    """Return which of n rows are in the first of two parts, and which in the second, ascending.

    The second has a share of the rows, drawn at random, to the nearest whole number; the first at
    least one row.
    """
    rows = np.random.default_rng([seed, 5, n]).permutation(n)
    kept = min(round(share * n), n - 1)
    return [np.sort(rows[kept:]), np.sort(rows[:kept])]


@dataclass(frozen=True, slots=True)
class Deal:
    """How rows are dealt out to blocks, at random.

    Attributes
    ----------
    blocks : int
        How many there are.
    seed : int
    share : float or None
        That of the second of two blocks; None for blocks of about one size.
    """

    blocks: int
    seed: int
    share: float | None = None

    def places(self, n: int) -> list[Places]:
        """Return which of n rows are in each block, ascending."""
        if self.share is None:
            return dealt_out(n, self.blocks, self.seed)
        return parted(n, self.share, self.seed)


def block_sums_of_numbers(
    source: MemorySource, weights: Floats | None, *, whole: Moments, deal: Deal
) -> BlockSums:
    """Count the blocks of a table of numbers, of whose rows these are all or a part."""
    places = deal.places(source.n)
    order = np.concatenate(places)
    rows = numbers_of(source)
    assert whole.mean is not None
    # Halved, because a span of twice 1e308 is beyond the range of a double.
    shift = np.ldexp(rows.low / 2.0 - whole.mean / 2.0, 1 - whole._exponent)
    shift -= np.ldexp(whole._mean_rest, -whole._exponent)
    units = (rows.exponent - whole._exponent, shift)
    weights = None if weights is None else weights[order]
    return block_sums(_Reordered(rows, order), weights, [len(part) for part in places], units)


class _Reordered:
    """The rows of a table in another order, gathered when they are written."""

    def __init__(self, table: Table, places: Places) -> None:
        self._table, self._places = table, places
        self.n, self.d, self.blocks = table.n, table.d, table.blocks
        self.order: Literal["C", "F"] = table.order

    def write_units(self, start: int, stop: int, out: Floats) -> None:
        """Write rows into `out` of shape (stop - start, d)."""
        self._table.write_units_at(self._places[start:stop], out)


def block_sums(
    rows: UnitRows,
    weights: Floats | None,
    sizes: list[int],
    units: tuple[Exponents, Floats],
) -> BlockSums:
    """Return the sums of rows that stand block after block.

    Parameters
    ----------
    rows : UnitRows
    weights : ndarray of shape (n,), optional
    sizes : list of int
        How many rows each block has.
    units : tuple of ndarray
        What is written becomes ``units * 2**exponent + shift``.
    """
    exponent, shift = units
    # Columns that are constant in these rows are 0 at any scale.
    factor = np.ldexp(1.0, np.minimum(exponent, 1000))
    total = np.array(sizes, dtype=np.float64)
    values = np.zeros((len(sizes), rows.d))
    products = np.zeros((len(sizes), rows.d, rows.d))
    buffer = np.empty((max(sizes), rows.d), order=rows.order)
    end = 0
    for block, size in enumerate(sizes):
        start, end = end, end + size
        if not size:
            continue
        check_time(_DOING, start, rows.n)
        part = weighted = buffer[:size]
        rows.write_units(start, end, part)
        part *= factor
        part += shift
        if weights is not None:
            weighted = part * weights[start:end, np.newaxis]
            total[block] = weights[start:end].sum()
        values[block] = weighted.sum(axis=0)
        products[block] = part.T @ weighted
    return BlockSums(np.array(sizes, dtype=np.float64), total, values, products)
