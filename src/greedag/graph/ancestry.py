"""Which nodes are ancestors of which in every member of a class.

A path is *possibly directed* when none of its edges points backwards. The *gates* of x towards y
are the nodes that come right after x on possibly directed paths from x to y without chords. In a
member, x is an ancestor of y exactly when it directs x → g for some gate g. So x is an ancestor of
y in every member exactly when

- a directed path leads from x to y; or
- two gates that are neighbours of x, by undirected edges, are not adjacent: a member that directs
  both of them into x would have a v-structure that the class does not have.

Otherwise the gates are neighbours of x, each adjacent to all others, and some member directs all of
them into x (Fang, Liu, Geng, Zhu and He, "A local method for identifying causal relations under
Markov equivalence", Artificial Intelligence 2022). A shortest possibly directed path has no chord,
as no cycle of a CPDAG is partly directed. So a neighbour g is a gate exactly when a possibly
directed path leads from g to y that touches neither x nor another node adjacent to x.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from greedag.graph.clique_picking import nodes, reached, rows


def ancestors(cells: NDArray[np.uint8], y: int) -> list[int]:
    """Return the nodes that are ancestors of y in every member, smallest first.

    It takes one search through the graph for each node from which y may be reached.
    """
    back, forth, adjacent = rows(cells.T), rows(cells), rows(cells | cells.T)
    everywhere = (1 << len(cells)) - 1
    certain = reached(rows(cells.T & (1 - cells)), 1 << y, everywhere)
    for x in nodes(reached(back, 1 << y, everywhere) & ~certain & ~adjacent[y]):
        before = reached(back, 1 << y, everywhere & ~adjacent[x] & ~(1 << x))
        gates = [g for g in nodes(forth[x] & back[x]) if forth[g] & before]
        if any(not adjacent[g] >> h & 1 for g, h in combinations(gates, 2)):
            certain |= 1 << x
    return list(nodes(certain & ~(1 << y)))


def descendants(cells: NDArray[np.uint8], x: int) -> list[int]:
    """Return the nodes that are descendants of x in every member, smallest first.

    It takes one search through the graph for each neighbour of x.
    """
    back, forth, adjacent = rows(cells.T), rows(cells), rows(cells | cells.T)
    everywhere = (1 << len(cells)) - 1
    certain = reached(rows(cells & (1 - cells.T)), 1 << x, everywhere)
    beyond = everywhere & ~adjacent[x] & ~(1 << x)
    after = {g: reached(forth, 1 << g, beyond) for g in nodes(forth[x] & back[x])}
    for g, h in combinations(after, 2):
        if not adjacent[g] >> h & 1:
            certain |= after[g] & after[h]
    return list(nodes(certain & ~(1 << x)))
