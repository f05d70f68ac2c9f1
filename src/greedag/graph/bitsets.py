"""Sets of nodes as integers: bit ``v`` is set when node ``v`` belongs to the set.

Python's integers have any number of bits, so that union, intersection and the test for a subset are
one operation each, whatever the number of nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray


def rows(matrix: NDArray[np.uint8]) -> list[int]:
    """Return, for every row of a matrix of zeros and ones, the set of columns that hold a one."""
    packed = np.packbits(matrix, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


def nodes(subset: int) -> Iterator[int]:
    """Yield the nodes of a set, smallest first."""
    while subset:
        lowest = subset & -subset
        yield lowest.bit_length() - 1
        subset ^= lowest


def strictly_within(part: int, whole: int) -> bool:
    """Return whether a set is a proper subset of another."""
    return part & ~whole == 0 and part != whole


def reached(steps: Sequence[int], start: int, allowed: int) -> int:
    """Return the nodes reached from a set by steps inside `allowed`, those of the set included.

    Parameters
    ----------
    steps : sequence of int
        For every node, the set of nodes that one step leads to.
    start, allowed : int
        Where to begin, whether allowed or not, and where a step may lead.
    """
    found = front = start
    while front:
        lowest = front & -front
        ahead = steps[lowest.bit_length() - 1] & allowed & ~found
        found |= ahead
        front = front ^ lowest | ahead
    return found
