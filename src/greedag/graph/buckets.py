"""The members of any graph: their number, all of them, and some drawn at random.

A *bucket* is a set of nodes that undirected edges connect. All its nodes have the same parents
outside of it, and its edges, directed ones included, are part of a chordal graph without
v-structures. So the members of a graph are those of its buckets, freely combined, and a member of
a bucket has exactly one *source*, a node without parents there.

Where no edge within a bucket is directed, clique picking counts its members. Otherwise they are
counted by their source: once it comes first, further edges follow by Meek's rules, and what stays
undirected falls into smaller buckets. Buckets that differ in the order of their nodes only are
counted once. How many there are may grow exponentially with the nodes of a bucket: counting the
members is #P-hard (Wienöbst, Bannach and Liśkiewicz, JMLR 2023).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from random import Random

import numpy as np
from numpy.typing import NDArray

from greedag import _core
from greedag.errors import DataError
from greedag.graph import clique_picking, members
from greedag.graph.clique_picking import Matrix, connected, is_chain_graph, nodes, rows

# A bucket within a larger graph: its nodes there, and the matrix of its edges.
Bucket = tuple[NDArray[np.intp], Matrix]


# Odd, so that no product loses information.
_MIXERS = tuple(np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], np.uint64))


def size(cells: Matrix, limit: int) -> int:
    """Return the number of members; raise where that takes more than so many steps."""
    return Counter(limit).of(cells)


def sample(cells: Matrix, k: int, seed: int | None, limit: int) -> list[Matrix]:
    """Return k members, drawn uniformly and independently."""
    counter, rng = Counter(limit), Random(seed)
    return [counter.draw(cells, rng) for _ in range(k)]


def every(cells: Matrix) -> Iterator[Matrix]:
    """Yield every member once."""
    waiting = [iter([cells])]
    while waiting:
        graph = next(waiting[-1], None)
        if graph is None:
            waiting.pop()
        elif is_chain_graph(graph):
            yield from members.every(graph)
        else:
            waiting.append(_by_source(graph))


def _by_source(cells: Matrix) -> Iterator[Matrix]:
    """Yield a graph for each source of the first bucket with directed edges."""
    place, bucket = next(found for found in buckets(cells) if has_arrows(found[1]))
    for part in beginnings(bucket):
        graph = cells.copy()
        graph[np.ix_(place, place)] = part
        yield graph


class Counter:
    """Counts and draws members, and remembers the buckets that it has counted.

    Parameters
    ----------
    limit : int
        For how many sources it may apply Meek's rules.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._steps = 0
        self._counts: dict[bytes, int] = {}
        self._choices: dict[bytes, tuple[list[Matrix], list[int]]] = {}

    def of(self, cells: Matrix) -> int:
        """Return the number of members of a graph."""
        return math.prod(self._count(bucket) for _, bucket in buckets(cells))

    def draw(self, cells: Matrix, rng: Random) -> Matrix:
        """Return a member drawn uniformly."""
        member = cells.copy()
        waiting = list(buckets(cells))
        while waiting:
            place, bucket = waiting.pop()
            if has_arrows(bucket):
                graphs, totals = self._choices_of(bucket)
                part = graphs[bisect_right(totals, rng.randrange(totals[-1]))]
                waiting += [(place[within], left) for within, left in buckets(part)]
            else:
                (part,) = clique_picking.sample(bucket, 1, rng.getrandbits(64))
            member[np.ix_(place, place)] = part
        return member

    def _choices_of(self, bucket: Matrix) -> tuple[list[Matrix], list[int]]:
        """Return what each source leaves, and how many members the sources up to it have."""
        key = bucket.tobytes()
        if key not in self._choices:
            graphs = list(self._beginnings(bucket))
            self._choices[key] = graphs, list(accumulate(map(self.of, graphs)))
        return self._choices[key]

    def _count(self, bucket: Matrix) -> int:
        """Return the number of members of a bucket."""
        whole = form(bucket)
        parts: dict[bytes, list[list[bytes]]] = {}
        # A stack: a bucket stays until those are counted that its sources leave.
        waiting = [(whole, bucket)]
        while waiting:
            key, bucket = waiting[-1]
            if key not in self._counts and key not in parts and has_arrows(bucket):
                left = [self._parts(graph) for graph in self._beginnings(bucket)]
                parts[key] = [[other for other, _ in part] for part in left]
                waiting += [part for among in left for part in among]
                continue
            waiting.pop()
            if key in self._counts:
                continue
            if key in parts:
                self._counts[key] = sum(map(self._product, parts[key]))
            else:
                self._counts[key] = clique_picking.size(bucket)
        return self._counts[whole]

    def _parts(self, cells: Matrix) -> list[tuple[bytes, Matrix]]:
        return [(form(bucket), bucket) for _, bucket in buckets(cells)]

    def _product(self, part: list[bytes]) -> int:
        return math.prod(self._counts[key] for key in part)

    def _beginnings(self, bucket: Matrix) -> Iterator[Matrix]:
        for graph in beginnings(bucket):
            self._steps += 1
            if self._steps > self._limit:
                raise DataError(
                    f"counting the members takes more than {self._limit:,} steps: some edges among "
                    f"{len(bucket)} columns that undirected edges connect are directed",
                    remedy="raise limit, direct more of these edges, or take some of dags(limit)",
                    code="too-many-members",
                )
            yield graph


def buckets(cells: Matrix) -> Iterator[Bucket]:
    """Yield the buckets of a graph."""
    for bucket in connected(rows(cells & cells.T)):
        place = np.fromiter(nodes(bucket), dtype=np.intp)
        yield place, np.ascontiguousarray(cells[np.ix_(place, place)])


def has_arrows(bucket: Matrix) -> bool:
    """Return whether an edge of a bucket is directed."""
    return bool((bucket != bucket.T).any())


def beginnings(bucket: Matrix) -> Iterator[Matrix]:
    """Yield what Meek's rules leave of a bucket, for each node that may be its source.

    No member is lost, and each occurs once.
    """
    for source in np.flatnonzero((bucket >= bucket.T).all(axis=1)).tolist():
        arcs = [(source, other) for other in np.flatnonzero(bucket[source]).tolist()]
        closed = _core.close_under_meek(bucket, arcs)
        if closed is not None:
            yield np.asarray(closed, dtype=np.uint8)


def form(bucket: Matrix) -> bytes:
    """Return the matrix with its nodes in an order that hardly depends on their numbers.

    Where two buckets have the same form, they differ in the order of their nodes only. Nodes are
    sorted by a hash of what is around them.
    """
    edges = bucket.astype(np.uint64)
    neighbors, children = edges & edges.T, edges & (1 - edges.T)
    mark = np.ones(len(bucket), dtype=np.uint64)
    for _ in range(3):
        near, above, below = (mark * mixer ^ mark * mixer >> np.uint64(31) for mixer in _MIXERS)
        mark = mark * _MIXERS[0] + neighbors @ near + children @ below + children.T @ above
    order = np.argsort(mark, kind="stable")
    return bucket[np.ix_(order, order)].tobytes()
