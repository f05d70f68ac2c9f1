"""Every member of a class, one by one; `clique_picking` counts and samples them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from greedag.graph.clique_picking import Matrix, member_of, nodes, ranks_after, reached, rows


def every(cells: Matrix) -> Iterator[Matrix]:
    """Yield every member once."""
    ends = np.nonzero(cells & cells.T)
    for order in _orders(rows(cells & cells.T)):
        yield member_of(cells, ends, order)


def _orders(neighbors: Sequence[int]) -> Iterator[list[int]]:
    """Yield one order of the nodes with neighbours, parents first, for every member.

    Every member has an order in which a maximum cardinality search may visit the nodes. All nodes
    it may visit next that are connected among themselves have the same visited neighbours, and
    exactly one of them is the first of these nodes in a member. So it is enough to try, at each
    visit, the nodes of one such connected set: each choice leads to other members, and none to
    a dead end.
    """
    linked = sum(1 << v for v, others in enumerate(neighbors) if others)
    ranks = [linked] if linked else []
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
