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

import functools
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from greedag import _core
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


class Paths:
    """Who is an ancestor of whom, in every member or in some, in any graph.

    In a member, x is an ancestor of y exactly when a path x → c → … → y without chords leads there.
    Once x → c is directed, Meek's first rule directs the rest of it. So the columns that x is an
    ancestor of in some member are those that directed paths lead to when x → c is directed, with
    what follows, for each c adjacent to x. Let the *gates* of x towards y be those c. Then x is an
    ancestor of y in every member exactly when no member directs all gates into x.

    Directing an edge directs others in its bucket only: among the nodes that undirected edges
    connect with it.
    """

    def __init__(self, cells: NDArray[np.uint8]) -> None:
        self._cells = cells
        self._directed = rows(cells & (1 - cells.T))
        self._neighbors = rows(cells & cells.T)
        self._everywhere = (1 << len(cells)) - 1

    def possible_descendants(self, x: int) -> list[int]:
        """Return the descendants of x in at least one member, smallest first."""
        found = self._below(x)
        for after in self._after(x).values():
            found |= after
        return list(nodes(found & ~(1 << x)))

    def descendants(self, x: int) -> list[int]:
        """Return the descendants of x in every member, smallest first."""
        certain, after = self._below(x), self._after(x)
        gates_of: dict[tuple[int, ...], int] = {}
        for y in nodes(functools.reduce(int.__or__, after.values(), 0) & ~certain):
            gates = tuple(c for c, below in after.items() if below >> y & 1)
            gates_of[gates] = gates_of.get(gates, 0) | 1 << y
        for gates, ends in gates_of.items():
            if self._directing(x, [(c, x) for c in gates]) is None:
                certain |= ends
        return list(nodes(certain & ~(1 << x)))

    def possible_ancestors(self, y: int) -> list[int]:
        """Return the ancestors of y in at least one member, smallest first."""
        return [x for x in self._before(y) if y in self.possible_descendants(x)]

    def ancestors(self, y: int) -> list[int]:
        """Return the ancestors of y in every member, smallest first."""
        return [x for x in self._before(y) if y in self.descendants(x)]

    def _before(self, y: int) -> list[int]:
        """Return the nodes from which no edge on the way to y points backwards."""
        found = reached(rows(self._cells.T), 1 << y, self._everywhere)
        return list(nodes(found & ~(1 << y)))

    def _below(self, x: int) -> int:
        return reached(self._directed, 1 << x, self._everywhere)

    def _after(self, x: int) -> dict[int, int]:
        """Return, for each neighbour c of x, where directed paths lead once x → c is directed."""
        found = {}
        for c in nodes(self._neighbors[x]):
            directed = self._directing(x, [(x, c)])
            if directed is not None:
                found[c] = reached(directed, 1 << c, self._everywhere)
        return found

    def _directing(self, x: int, arcs: Sequence[tuple[int, int]]) -> list[int] | None:
        """Return the children of each node with some arcs at x directed; None if none has them."""
        place = list(nodes(reached(self._neighbors, 1 << x, self._everywhere)))
        within = {node: i for i, node in enumerate(place)}
        bucket = np.ascontiguousarray(self._cells[np.ix_(place, place)])
        closed = _core.close_under_meek(bucket, [(within[i], within[j]) for i, j in arcs])
        if closed is None:
            return None
        directed = list(self._directed)
        for i, children in enumerate(rows(closed & (1 - closed.T))):
            directed[place[i]] |= sum(1 << place[j] for j in nodes(children))
        return directed
