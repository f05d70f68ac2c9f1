"""Background knowledge by its literal definition, over every DAG on a handful of nodes.

A DAG is *admissible* when it holds every required arc and no forbidden one, and when, for each
statement "a before b", b is not an ancestor of a. Tiers are such statements for all pairs of nodes
in different tiers. A class is admissible when one of its members is. Nothing here knows of
orientation rules: the members are listed and looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations, product

import numpy as np
from numpy.typing import NDArray

from oracle import brute_force as bf

Arc = tuple[int, int]
Graphs = NDArray[np.int64]
Flags = NDArray[np.bool_]
NO_TIER = -1
INADMISSIBLE = -1
"""Stands for the MPDAG of a class without an admissible member."""


@dataclass(frozen=True, slots=True)
class Statements:
    """What is known of ``d`` nodes.

    Attributes
    ----------
    d : int
        Number of nodes.
    required : tuple of (x, y)
        ``x -> y`` must be there.
    forbidden : tuple of (x, y)
        ``x -> y`` must not be there.
    tiers : tuple of int
        Tier of every node, ``NO_TIER`` for none; empty without tiers.
    before : tuple of (a, b)
        b must not be an ancestor of a.
    """

    d: int
    required: tuple[Arc, ...] = ()
    forbidden: tuple[Arc, ...] = ()
    tiers: tuple[int, ...] = ()
    before: tuple[Arc, ...] = ()

    @property
    def not_ancestors(self) -> set[Arc]:
        """Every (b, a) such that b must not be an ancestor of a."""
        pairs = permutations(range(self.d), 2) if self.tiers else ()
        tiered = {(b, a) for a, b in pairs if NO_TIER < self.tiers[a] < self.tiers[b]}
        return tiered | {(b, a) for a, b in self.before}

    def admits(self, dag: NDArray[np.uint8]) -> bool:
        """Whether a DAG of any size, an adjacency matrix, is admissible."""
        paths = dag.astype(bool)
        for via in range(len(dag)):
            paths |= np.outer(paths[:, via], paths[via])
        return (
            all(dag[arc] for arc in self.required)
            and not any(dag[arc] for arc in self.forbidden)
            and not any(paths[pair] for pair in self.not_ancestors)
        )


# ---- all DAGs


@dataclass(frozen=True, slots=True)
class Space:
    """All DAGs on ``d`` nodes in arrays, class after class in the order of ``atlas``.

    Attributes
    ----------
    atlas : Atlas
        The classes.
    dags : ndarray of int64
        Every DAG, a graph as in ``brute_force``.
    ancestries : ndarray of int64
        For every DAG, the graph with ``x -> y`` wherever x is an ancestor of y.
    parents : ndarray of shape (dags, d)
        Parents of every node in every DAG, as bitmasks of nodes.
    starts : ndarray of int64
        Place of the first member of every class in ``dags``.
    """

    atlas: bf.Atlas
    dags: Graphs
    ancestries: Graphs
    parents: Graphs
    starts: NDArray[np.int64]

    @property
    def d(self) -> int:
        """Number of nodes."""
        return self.atlas.d


@cache
def space(d: int) -> Space:
    """List the DAGs on ``d`` nodes."""
    atlas = bf.atlas(d)
    dags = np.array([dag for members in atlas.members for dag in members])
    sizes = [len(members) for members in atlas.members]
    starts = np.cumsum([0, *sizes[:-1]])
    return Space(atlas, dags, _ancestries(d, dags), _parents(d, dags), starts)


def _has(d: int, graphs: Graphs, x: int, y: int) -> Graphs:
    """Return 1 for every graph that holds ``x -> y``, else 0."""
    return graphs >> (x * d + y) & 1


def _ancestries(d: int, dags: Graphs) -> Graphs:
    paths = dags.copy()
    for via, x, y in product(range(d), repeat=3):
        paths |= (_has(d, paths, x, via) & _has(d, paths, via, y)) << (x * d + y)
    return paths


def _parents(d: int, dags: Graphs) -> Graphs:
    columns = [[_has(d, dags, x, y) << x for x in range(d)] for y in range(d)]
    return np.sum(columns, axis=1).T


def graph_of(d: int, arcs: Iterable[Arc]) -> int:
    """Return the graph of some arcs."""
    graph = 0
    for x, y in arcs:
        graph |= bf.bit(d, x, y)
    return graph


def admissible_dags(among: Space, known: Statements) -> Flags:
    """Tell for every DAG whether it is admissible."""
    required = graph_of(known.d, known.required)
    forbidden = graph_of(known.d, known.forbidden)
    backward = graph_of(known.d, known.not_ancestors)
    flags: Flags = among.dags & (required | forbidden) == required
    return flags & (forbidden & required == 0) & (among.ancestries & backward == 0)


def admissible_classes(among: Space, known: Statements) -> Flags:
    """Tell for every class whether one of its members is admissible."""
    return np.logical_or.reduceat(admissible_dags(among, known), among.starts)


def mpdags(among: Space, known: Statements) -> Graphs:
    """Return the MPDAG of every class: the edges that its admissible members share.

    An edge that turns between these members holds both directions, as in a CPDAG.
    """
    admissible = admissible_dags(among, known)
    united = np.bitwise_or.reduceat(np.where(admissible, among.dags, 0), among.starts)
    return np.where(np.logical_or.reduceat(admissible, among.starts), united, INADMISSIBLE)


def directed(d: int, graph: int) -> set[Arc]:
    """Return the directed edges of a graph."""
    pairs = permutations(range(d), 2)
    return {(x, y) for x, y in pairs if bf.has(d, graph, x, y) and not bf.has(d, graph, y, x)}


# ---- scores


def dag_totals(
    among: Space, local_score: Callable[[int, tuple[int, ...]], float]
) -> NDArray[np.float64]:
    """Return the score of every DAG, the sum of its local scores."""
    d, totals = among.d, np.zeros(len(among.dags))
    for y in range(d):
        local = np.array(
            [
                -np.inf
                if mask >> y & 1
                else local_score(y, tuple(x for x in range(d) if mask >> x & 1))
                for mask in range(1 << d)
            ]
        )
        totals += local[among.parents[:, y]]
    return totals


def best_admissible(
    among: Space, known: Statements, totals: NDArray[np.float64]
) -> tuple[float, int]:
    """Return the best score of any admissible DAG and one such DAG."""
    allowed = np.where(admissible_dags(among, known), totals, -np.inf)
    place = int(np.argmax(allowed))
    return float(allowed[place]), int(among.dags[place])


# ---- searches


@dataclass(frozen=True, slots=True)
class Moves:
    """The classes that one operator of each kind leads to from every class."""

    insert: list[list[int]]
    delete: list[list[int]]
    reverse: list[list[int]]


@cache
def moves(d: int) -> Moves:
    """Change one edge of one member in every way."""
    atlas = bf.atlas(d)
    ways = (bf.reached_by_adding, bf.reached_by_removing, bf.reached_by_turning)
    return Moves(*([sorted(set().union(*pairs.values())) for pairs in way(atlas)] for way in ways))


def admissible_moves(places: Sequence[int], admissible: Flags) -> list[int]:
    """Return those of some classes that are admissible."""
    return [place for place in places if admissible[place]]


@dataclass(frozen=True, slots=True)
class ClassSearch:
    """The searches, over admissible classes only; each step takes the best class of its kind.

    Attributes
    ----------
    d : int
        Number of nodes.
    scores : ndarray of float64
        Score of every class.
    admissible : ndarray of bool
        Whether a class is admissible.
    min_gain : float
        The largest gain that is taken for rounding.
    path : list of int
        The classes passed through, from the one that the search starts from.
    """

    d: int
    scores: NDArray[np.float64]
    admissible: Flags
    min_gain: float
    path: list[int]

    def best(self, *kinds: str) -> int | None:
        """Return the best class that an operator of these kinds leads to, if it gains."""
        here = self.path[-1]
        reached = {place for kind in kinds for place in getattr(moves(self.d), kind)[here]}
        ranked = sorted(
            admissible_moves(sorted(reached), self.admissible), key=self.scores.__getitem__
        )
        gains = ranked and self.scores[ranked[-1]] - self.scores[here] > self.min_gain
        return ranked[-1] if gains else None

    def step(self, *kinds: str) -> bool:
        """Move to the best class, if it gains."""
        found = self.best(*kinds)
        if found is not None:
            self.path.append(found)
        return found is not None

    def xges0(self) -> None:
        """Delete if any delete gains, else reverse, else insert."""
        while self.step("delete") or self.step("reverse") or self.step("insert"):
            pass

    def ges(self) -> None:
        """Insert while it gains, then delete."""
        while self.step("insert"):
            pass
        while self.step("delete"):
            pass

    def ges_r(self) -> None:
        """Insert, delete and reverse, again and again."""
        before = -1
        while before != len(self.path):
            before = len(self.path)
            self.ges()
            while self.step("reverse"):
                pass

    def ops(self) -> None:
        """Take the best operator of any kind."""
        while self.step("insert", "delete", "reverse"):
            pass

    def run(self, name: str) -> list[int]:
        """Run one of "xges0", "ges", "ges-r", "ops"; return the classes passed through."""
        getattr(self, name.replace("-", "_"))()
        return self.path


# ---- larger graphs


def admissible_members(cpdag: NDArray[np.uint8], known: Statements) -> Iterator[NDArray[np.uint8]]:
    """Yield the admissible members of a class of any size, by directing one edge after the other.

    Exponential in the number of undirected edges.
    """
    pending = [cpdag.astype(np.uint8)]
    while pending:
        graph = pending.pop()
        if not _may_be_admissible(graph & (1 - graph.T), graph, cpdag, known):
            continue
        undirected = np.argwhere(np.triu(graph & graph.T))
        if not len(undirected):
            yield graph
            continue
        x, y = undirected[0]
        for tail, head in ((x, y), (y, x)):
            further = graph.copy()
            further[head, tail] = 0
            pending.append(further)


def _may_be_admissible(
    fixed: NDArray[np.uint8],
    graph: NDArray[np.uint8],
    cpdag: NDArray[np.uint8],
    known: Statements,
) -> bool:
    """Whether the directed edges have neither a cycle nor a v-structure that the class lacks."""
    d = len(graph)
    paths = fixed.astype(bool)
    for via in range(d):
        paths |= np.outer(paths[:, via], paths[via])
    if paths.diagonal().any() or any(paths[pair] for pair in known.not_ancestors):
        return False
    if any(fixed[arc] for arc in known.forbidden) or not all(graph[arc] for arc in known.required):
        return False
    for head in range(d):
        for a, b in combinations(np.flatnonzero(fixed[:, head]), 2):
            is_old = not cpdag[head, a] and not cpdag[head, b]
            if not is_old and not graph[a, b] and not graph[b, a]:
                return False
    return True
