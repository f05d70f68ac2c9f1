"""The members of a class: how many there are, all of them one by one, some drawn at random.

A class is given as the matrix of its CPDAG. Its members differ in its undirected edges only. Those
form connected chordal graphs, whose members combine freely.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray

from greedag.graph.bitsets import nodes, reached, rows
from greedag.graph.clique_picking import CliquePicker
from greedag.graph.cliques import ranks_after

Matrix = NDArray[np.uint8]


def size(cells: Matrix) -> int:
    """Return the number of members."""
    return math.prod(picker.size for picker in _pickers(cells))


def sample(cells: Matrix, k: int, seed: int | None) -> list[Matrix]:
    """Return k members, drawn uniformly and independently."""
    rng = Random(seed)
    pickers = _pickers(cells)
    ends = np.nonzero(cells & cells.T)
    orders = ([v for picker in pickers for v in picker.draw(rng)] for _ in range(k))
    return [_member(cells, ends, order) for order in orders]


def every(cells: Matrix) -> Iterator[Matrix]:
    """Yield every member once."""
    ends = np.nonzero(cells & cells.T)
    for order in _orders(rows(cells & cells.T)):
        yield _member(cells, ends, order)


def _pickers(cells: Matrix) -> list[CliquePicker]:
    neighbors = rows(cells & cells.T)
    left = sum(1 << v for v, others in enumerate(neighbors) if others)
    pickers = []
    while left:
        component = reached(neighbors, left & -left, left)
        pickers.append(CliquePicker(neighbors, component))
        left ^= component
    return pickers


def _orders(neighbors: Sequence[int]) -> Iterator[list[int]]:
    """Yield one order of the nodes with neighbours, parents first, for every member.

    Every member has an order in which a maximum cardinality search may visit the nodes. All nodes
    it may visit next that are connected among themselves have the same visited neighbours, and
    exactly one of them is the first of these nodes in a member. So it is enough to try, at each
    visit, the nodes of one such connected set: each choice leads to other members, and none to
    a dead end.
    """
    ranks = [joined] if (joined := sum(1 << v for v, u in enumerate(neighbors) if u)) else []
    order: list[int] = []
    trail = [(ranks, _choices(neighbors, ranks))]
    if not ranks:
        yield order
    while trail:
        ranks, choices = trail.pop()
        del order[len(trail) :]
        if not choices:
            continue
        v = next(nodes(choices))
        trail.append((ranks, choices & ~(1 << v)))
        order.append(v)
        after = ranks_after(ranks, v, neighbors[v])
        if after:
            trail.append((after, _choices(neighbors, after)))
        else:
            yield order


def _choices(neighbors: Sequence[int], ranks: Sequence[int]) -> int:
    """Return one connected set of nodes that the search may visit next."""
    highest = ranks[-1] if ranks else 0
    return reached(neighbors, highest & -highest, highest)


def _member(cells: Matrix, ends: tuple[NDArray[np.intp], ...], order: Sequence[int]) -> Matrix:
    """Return the member whose undirected edges, given by their two ends, point along an order."""
    place = np.empty(len(cells), dtype=np.intp)
    place[order] = np.arange(len(order))
    i, j = ends
    backwards = place[i] > place[j]
    member = cells.copy()
    member[i[backwards], j[backwards]] = 0
    return member
