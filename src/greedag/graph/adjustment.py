"""Which columns to adjust for when one column is changed, in a graph with many members.

A path is *possibly causal* if some member directs all of it away from its start. The effect of x
on y is the same function of the distribution in every member exactly when the graph is *amenable*:
no possibly causal path from x to y starts with an undirected edge (Perković, Kalisch and Maathuis,
"Interpreting and using CPDAGs with background knowledge", UAI 2017). It is then found by adjusting
for the *optimal set*, which has the least variance of all that will do (Henckel, Perković and
Maathuis, "Graphical criteria for efficient total effect estimation via adjustment in causal linear
models", JRSS B 2022): the parents of columns on causal paths from x to y, without what follows
those columns.

Where the graph is not amenable, it falls into parts that are: one for each set of neighbours of x
that some member has as parents (Maathuis, Kalisch and Bühlmann, "Estimating high-dimensional
intervention effects from observational data", Annals of Statistics 2009). Members of a part agree
on the effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from greedag import _core
from greedag.errors import DataError
from greedag.graph import ancestry, buckets, clique_picking
from greedag.graph.clique_picking import is_chain_graph, nodes, reached, rows
from greedag.graph.mpdag import MOST_STEPS, Matrix

# So many sets of parents of one column are told apart.
MOST_PARTS = 10_000


@dataclass(frozen=True, slots=True)
class Part:
    """The members of a graph in which a column has certain parents.

    Attributes
    ----------
    parents : int
        Set of neighbours of the column that are its parents in these members, others being its
        children.
    share : Fraction
        Of all members.
    paths : CausalPaths
        Of the graph of these members.
    """

    parents: int
    share: Fraction
    paths: CausalPaths


class CausalPaths:
    """Possibly causal paths of a graph, and what to adjust for. Sets of columns are bits."""

    def __init__(self, cells: Matrix) -> None:
        self.cells = cells
        self.children = rows(cells & (1 - cells.T))
        self.parents = rows(cells.T & (1 - cells))
        self.neighbors = rows(cells & cells.T)
        self.everywhere = (1 << len(cells)) - 1
        self._possible: dict[int, int] = {}
        self._by_neighbors: dict[int, int] = {}
        self._before: dict[int, int] = {}

    def possible_descendants(self, x: int) -> int:
        """Return the descendants of x in some member, and x."""
        found = self._possible.get(x)
        if found is None:
            if self._is_chain_graph:
                found = reached(self._forth, 1 << x, self.everywhere)
            else:
                below = ancestry.Paths(self.cells).possible_descendants(x)
                found = sum((1 << y for y in below), 1 << x)
            self._possible[x] = found
        return found

    def is_amenable(self, x: int, y: int) -> bool:
        """Return whether no possibly causal path from x to y starts with an undirected edge."""
        return not self._after_neighbors(x) >> y & 1

    def optimal_set(self, x: int, y: int) -> int | None:
        """Return what to adjust for; None if x has no effect on y. The graph must be amenable."""
        before = self._before.get(y)
        if before is None:
            before = self._before[y] = reached(self.parents, 1 << y, self.everywhere)
        if not before >> x & 1:
            return None
        causal = before & reached(self.children, 1 << x, self.everywhere) & ~(1 << x)
        return self._parents_around(causal) & ~(1 << x)

    def causal_nodes(self, X: int, y: int) -> int:
        """Return the nodes on causal paths from a set to y that leave the set at once."""
        outside = self.everywhere & ~X
        first = union(self.children, X) & outside
        before = reached(self.parents, 1 << y, outside)
        return before & reached(self.children, first & before, outside)

    def joint_set(self, X: int, y: int) -> int:
        """Return the only set worth trying if all columns of X are changed at once.

        It is right if any is (Henckel, Perković and Maathuis 2022, theorem 3.4). All edges of X
        must be directed.
        """
        return self._parents_around(self.causal_nodes(X, y)) & ~X

    def joint_parts(self, xs: Sequence[int]) -> list[tuple[Fraction, CausalPaths]]:
        """Return the members by which neighbours of some columns are their parents, with shares.

        Raises
        ------
        DataError
            If there are more than 10,000 such parts, or members cannot be counted.
        """
        found = [(Fraction(1), self)]
        for x in xs:
            found = [
                (share * part.share, part.paths)
                for share, paths in found
                for part in paths.parts(x)
            ]
            if len(found) > MOST_PARTS:
                raise _too_many_parts()
        return found

    def parts(self, x: int) -> list[Part]:
        """Return the members by which neighbours of x are its parents.

        Raises
        ------
        DataError
            If there are more than 10,000 such sets, or members cannot be counted.
        """
        place = list(nodes(reached(self.neighbors, 1 << x, self.everywhere)))
        bucket = np.ascontiguousarray(self.cells[np.ix_(place, place)])
        found = []
        for parents in self._cliques(x):
            arcs = [(y, x) if parents >> y & 1 else (x, y) for y in nodes(self.neighbors[x])]
            within = [(place.index(i), place.index(j)) for i, j in arcs]
            closed = _core.close_under_meek(bucket, within)
            if closed is not None:
                found.append((parents, np.asarray(closed, dtype=np.uint8)))
        sizes = [_size(closed) for _, closed in found]
        return [
            Part(parents, Fraction(size, sum(sizes)), self._with(place, closed))
            for (parents, closed), size in zip(found, sizes, strict=True)
        ]

    def _parents_around(self, causal: int) -> int:
        """Return the parents of some nodes that follow none of them."""
        after = 0
        for node in nodes(causal):
            after |= self.possible_descendants(node)
        return union(self.parents, causal) & ~after

    @cached_property
    def _forth(self) -> list[int]:
        return rows(self.cells)

    @cached_property
    def _is_chain_graph(self) -> bool:
        return is_chain_graph(self.cells)

    def _after_neighbors(self, x: int) -> int:
        """Return where possibly causal paths lead that start with an undirected edge at x."""
        found = self._by_neighbors.get(x)
        if found is None:
            if self._is_chain_graph:
                found = reached(self._forth, self.neighbors[x], self.everywhere & ~(1 << x))
            else:
                found = 0
                for y in nodes(self.neighbors[x]):
                    closed = _core.close_under_meek(self.cells, [(x, y)])
                    if closed is not None:
                        cells = np.asarray(closed, dtype=np.uint8)
                        found |= CausalPaths(cells).possible_descendants(y)
            self._by_neighbors[x] = found
        return found

    def _cliques(self, x: int) -> Iterator[int]:
        """Yield the sets of neighbours of x in which each is adjacent to all others."""
        waiting, count = [(0, self.neighbors[x])], 0
        while waiting:
            clique, candidates = waiting.pop()
            yield clique
            count += 1
            if count > MOST_PARTS:
                raise _too_many_parts()
            for y in nodes(candidates):
                candidates &= ~(1 << y)
                around = self.children[y] | self.parents[y] | self.neighbors[y]
                waiting.append((clique | 1 << y, candidates & around))

    def _with(self, place: list[int], closed: Matrix) -> CausalPaths:
        """Return the paths with other edges between these nodes."""
        cells = self.cells.copy()
        cells[np.ix_(place, place)] = closed
        return CausalPaths(cells)


def union(sets: Sequence[int], places: int) -> int:
    """Return the union of some of the sets."""
    found = 0
    for place in nodes(places):
        found |= sets[place]
    return found


def _too_many_parts() -> DataError:
    return DataError(
        f"what is changed has more than {MOST_PARTS:,} possible sets of parents",
        remedy="say which of its edges are known",
        code="too-many-parents",
    )


def _size(cells: Matrix) -> int:
    if is_chain_graph(cells):
        return clique_picking.size(cells)
    return buckets.size(cells, MOST_STEPS)
