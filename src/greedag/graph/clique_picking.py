"""How many members a class has, and some drawn at random: clique picking.

A class is given as the matrix of its CPDAG. Its members differ in its undirected edges only. Those
form connected chordal graphs, whose members combine freely. A *member* of such a graph directs its
edges without a cycle and without a v-structure. The same holds of graphs that knowledge directs
further, as long as no directed edge lies within a connected part; else `buckets` counts. The method
is that of Wienöbst, Bannach and Liśkiewicz ("Polynomial-time algorithms for counting and sampling
Markov equivalent DAGs with applications", JMLR 2023).

- Every member has an order of its nodes, parents first, that *begins* with all nodes of some
  maximal clique K. Once K comes first, many other edges are compelled, and what stays undirected
  falls into *pieces*: smaller connected chordal graphs, whose members combine freely. The pieces
  depend on K and not on the order of its nodes.
- A member may begin with several cliques. It counts for the first of them on the way out from the
  root of a clique tree. It begins with an earlier clique, too, exactly when its order of K begins
  with a *barred* set: a separator passed on the way from the root to K that lies within K. Barred
  sets lie one within the other, so that the orders of K that begin with none of them are easily
  counted.

In a *clique tree*, the maximal cliques that hold a given node are connected, and two cliques next
to each other share a *separator*. All pieces share the clique tree of the whole graph. The nodes of
a piece have the same parents outside of it, the set `before`. Its cliques are what a connected part
of the tree holds beyond `before`: one stays in the piece as long as separators hold all of `before`
and more.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random

import numpy as np
from numpy.typing import NDArray

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
    return [member_of(cells, ends, order) for order in orders]


def is_chain_graph(cells: Matrix) -> bool:
    """Return whether no directed edge connects nodes that undirected edges connect.

    Then the undirected edges are as free as those of a class.
    """
    neighbors, children = rows(cells & cells.T), rows(cells & (1 - cells.T))
    return not any(children[v] & bucket for bucket in connected(neighbors) for v in nodes(bucket))


def connected(neighbors: Sequence[int]) -> Iterator[int]:
    """Yield the sets of nodes that undirected edges connect, those of one node left out."""
    left = sum(1 << v for v, others in enumerate(neighbors) if others)
    while left:
        bucket = reached(neighbors, left & -left, left)
        yield bucket
        left ^= bucket


def member_of(cells: Matrix, ends: tuple[NDArray[np.intp], ...], order: Sequence[int]) -> Matrix:
    """Return the member whose undirected edges, given by their two ends, point along an order."""
    place = np.empty(len(cells), dtype=np.intp)
    place[order] = np.arange(len(order))
    i, j = ends
    backwards = place[i] > place[j]
    member = cells.copy()
    member[i[backwards], j[backwards]] = 0
    return member


def _pickers(cells: Matrix) -> list[CliquePicker]:
    neighbors = rows(cells & cells.T)
    return [CliquePicker(neighbors, component) for component in connected(neighbors)]


@dataclass(slots=True)
class Piece:
    """A connected part of the graph whose edges are still undirected.

    Attributes
    ----------
    inside : int
        Its nodes.
    before : int
        Parents of all its nodes; empty for the whole graph.
    root : int
        One of its cliques, as numbered in the tree.
    """

    inside: int
    before: int
    root: int


@dataclass(slots=True)
class Beginnings:
    """The cliques that members of a piece begin with, the root first.

    Attributes
    ----------
    before : int
        Parents of all nodes of the piece.
    barred : dict of int to tuple of int
        For each clique, its barred sets, the smallest first.
    pieces : list of list of int
        For each clique, the pieces of more than one node that it leaves.
    totals : list of int
        Number of members that begin with one of the cliques up to here.
    """

    before: int
    barred: dict[int, tuple[int, ...]]
    pieces: list[list[int]] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)


class CliquePicker:
    """Counts and draws the members of a connected chordal graph.

    With c maximal cliques there are fewer than 2c different pieces, each of which takes a walk
    through the tree for each of its cliques.
    """

    def __init__(self, neighbors: Sequence[int], component: int) -> None:
        self._tree = clique_tree(neighbors, component)
        self._whole = component
        self._table: dict[int, Beginnings] = {}
        self._collect(Piece(component, 0, 0))
        # Every piece is larger than those that its cliques leave.
        for inside in sorted(self._table, key=int.bit_count):
            self._count(self._table[inside])

    @property
    def size(self) -> int:
        """Number of members."""
        return self._table[self._whole].totals[-1]

    def draw(self, rng: Random) -> list[int]:
        """Return the nodes in an order, parents first, of a member drawn uniformly."""
        order: list[int] = []
        waiting = [self._whole]
        while waiting:
            inside = waiting.pop()
            if inside.bit_count() == 1:
                order.append(inside.bit_length() - 1)
                continue
            start = self._table[inside]
            at = bisect_right(start.totals, rng.randrange(start.totals[-1]))
            clique, barred = list(start.barred.items())[at]
            order += _draw_order(self._tree.cliques[clique] & ~start.before, barred, rng)
            left = pieces_left(self._tree, clique, start.before)
            # Parents before children: the first piece is on top.
            waiting += [piece.inside for piece in reversed(left)]
        return order

    def _collect(self, whole: Piece) -> None:
        """Note how members begin, for the whole graph and every piece that can come up."""
        waiting = [whole]
        while waiting:
            piece = waiting.pop()
            if piece.inside in self._table:
                continue
            barred = barred_sets(self._tree, piece)
            beginnings = self._table[piece.inside] = Beginnings(piece.before, barred)
            for clique in barred:
                left = pieces_left(self._tree, clique, piece.before)
                larger = [part for part in left if part.inside.bit_count() > 1]
                beginnings.pieces.append([part.inside for part in larger])
                waiting += larger

    def _count(self, beginnings: Beginnings) -> None:
        counts = []
        for (clique, barred), left in zip(
            beginnings.barred.items(), beginnings.pieces, strict=True
        ):
            nodes_first = (self._tree.cliques[clique] & ~beginnings.before).bit_count()
            orders = count_orders(nodes_first, [part.bit_count() for part in barred])
            counts.append(orders * math.prod(self._table[part].totals[-1] for part in left))
        beginnings.totals = list(accumulate(counts))


def barred_sets(tree: CliqueTree, piece: Piece) -> dict[int, tuple[int, ...]]:
    """Return the barred sets of every clique of a piece, the smallest first."""
    barred: dict[int, tuple[int, ...]] = {piece.root: ()}
    for clique, origin, separator in tree.walk(piece.root, piece.before):
        shared = separator & ~piece.before
        within = [part for part in barred[origin] if strictly_within(part, shared)]
        barred[clique] = (*within, shared)
    return barred


def pieces_left(tree: CliqueTree, first: int, before: int) -> list[Piece]:
    """Return the pieces that are left when a clique comes first, parents before children."""
    found: list[Piece] = []
    place = {first: Piece(tree.cliques[first], tree.cliques[first], first)}
    for clique, origin, separator in tree.walk(first, before):
        piece = place[origin]
        if not strictly_within(piece.before, separator):
            piece = Piece(0, separator, clique)
            found.append(piece)
        piece.inside |= tree.cliques[clique] & ~piece.before
        place[clique] = piece
    return found


def count_orders(n: int, barred: Sequence[int]) -> int:
    """Return in how many orders of n nodes no barred set comes first.

    Parameters
    ----------
    n : int
        Number of nodes.
    barred : sequence of int
        Sizes of the barred sets, each of which lies within the next.
    """
    counts: dict[int, int] = {}
    for size in (*barred, n):
        spoilt = (counts[least] * math.factorial(size - least) for least in counts)
        # Orders of this set that begin with no smaller one.
        counts[size] = math.factorial(size) - sum(spoilt)
    return counts[n]


def _draw_order(clique: int, barred: Sequence[int], rng: Random) -> list[int]:
    """Return an order of a clique that begins with no barred set, drawn uniformly.

    At least half of all orders pass: the worst case bars one set of every size, and the orders
    left are then as many as permutations that keep no beginning 1…k in place.
    """
    order = list(nodes(clique))
    while True:
        rng.shuffle(order)
        beginnings = accumulate((1 << v for v in order), int.__or__)
        if not set(barred).intersection(beginnings):
            return order


@dataclass(frozen=True, slots=True)
class CliqueTree:
    """A tree of the maximal cliques of a connected chordal graph.

    Attributes
    ----------
    cliques : list of int
        Node set of each clique.
    links : list of list of (int, int)
        For each clique, the cliques next to it and the separators.
    """

    cliques: list[int]
    links: list[list[tuple[int, int]]]

    def walk(self, start: int, before: int) -> Iterator[tuple[int, int, int]]:
        """Yield (clique, the one it is reached from, separator), going out from a clique.

        Only separators that hold all of `before` and more are passed. A clique comes after the
        one it is reached from; `start` itself is left out.
        """
        stack = [(start, start)]
        while stack:
            clique, origin = stack.pop()
            for beyond, separator in self.links[clique]:
                if beyond != origin and strictly_within(before, separator):
                    yield beyond, clique, separator
                    stack.append((beyond, clique))


def clique_tree(neighbors: Sequence[int], component: int) -> CliqueTree:
    """Return a clique tree of one connected component of a chordal graph.

    A maximum cardinality search completes one clique after the other (Blair and Peyton 1993).
    """
    tree = CliqueTree([], [])
    home: dict[int, int] = {}
    visited, ranks = 0, [component]
    while ranks:
        v = next(nodes(ranks[-1]))
        earlier = neighbors[v] & visited
        if not tree.cliques or earlier != tree.cliques[-1]:
            _begin_clique(tree, earlier, home)
        tree.cliques[-1] |= 1 << v
        home[v] = len(tree.cliques) - 1
        visited |= 1 << v
        ranks = ranks_after(ranks, v, neighbors[v])
    return tree


def _begin_clique(tree: CliqueTree, earlier: int, home: dict[int, int]) -> None:
    tree.cliques.append(earlier)
    tree.links.append([])
    if earlier:
        # Cliques are numbered as they are begun: this is the one of the node visited last.
        beside = max(home[u] for u in nodes(earlier))
        tree.links[beside].append((len(tree.cliques) - 1, earlier))
        tree.links[-1].append((beside, earlier))


def ranks_after(ranks: Sequence[int], v: int, neighbors: int) -> list[int]:
    """Return the ranks of a maximum cardinality search after its visit to v.

    Rank r holds the nodes not yet visited that have r visited neighbours; the last rank is not
    empty. There is none when all nodes are visited.
    """
    moved, after = 0, []
    for rank in (*ranks, 0):
        staying = rank & ~neighbors & ~(1 << v)
        after.append(staying | moved)
        moved = rank & neighbors
    while after and not after[-1]:
        after.pop()
    return after


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
