"""The slow twin of a refinement: nodes walk through an order one place at a time.

Gains are asked for again each time, and nothing is kept between two rounds but the class. What a
class, its member and its score are, and XGES itself, are handed in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Graph = NDArray[np.uint8]

NODES_OF_CLIMB = 32
LOSS = 0.02
"""How much of what an edge adds on average a walk may lose before it ends."""
_GOLDEN, _MASK = 0x9E3779B97F4A7C15, (1 << 64) - 1


def _mixed(z: int) -> int:
    z = (z + _GOLDEN) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


class Random:
    """The engine's random numbers: a stream of splitmix64 for each round."""

    def __init__(self, seed: int, stream: int) -> None:
        self.state = _mixed(_mixed(seed) ^ stream)

    def below(self, count: int) -> int:
        """Return one of 0 … count - 1."""
        self.state = (self.state + _GOLDEN) & _MASK
        return ((_mixed(self.state) >> 32) * count) >> 32

    def shuffle(self, items: list[int]) -> None:
        """Put the items in a random order."""
        for i in range(len(items), 1, -1):
            j = self.below(i)
            items[i - 1], items[j] = items[j], items[i - 1]


@dataclass(frozen=True, slots=True)
class Problem:
    """What a refinement is about."""

    gain: Callable[[int, int, frozenset[int]], float]
    """What x adds to the score of y beside a set."""
    member: Callable[[Graph], Graph]
    """A DAG of a class."""
    class_of: Callable[[Graph], Graph]
    score: Callable[[Graph], float]
    """The score of a DAG."""
    xges: Callable[[Graph], Graph]
    """Where XGES ends that starts at a class."""
    min_gain: float


@dataclass(slots=True)
class Outcome:
    """Where a refinement ends."""

    graph: Graph
    score: float
    rounds: int = 0
    kept: int = 0


def distant_index(index: int, d: int, random: Random) -> int:
    """Draw a place at a random distance; reflected, or cut off at the ends of the order."""
    distance = 1 + random.below(d - 1)
    step = distance if random.below(2) == 0 else -distance
    if not 0 <= index + step < d:
        step = -step
    return min(max(index + step, 0), d - 1)


class Climb:
    """One round: an order of the nodes, and parents of each out of those before it."""

    def __init__(self, problem: Problem, dag: Graph, random: Random) -> None:
        self.problem = problem
        gained = problem.score(dag) - problem.score(np.zeros_like(dag))
        self.most_loss = LOSS * max(gained, 0.0) / max(int(dag.sum()), 1)
        self.parents = [frozenset(np.flatnonzero(column).tolist()) for column in dag.T]
        self.order = self._drawn_order(random)
        self.queue: deque[int] = deque()

    def _drawn_order(self, random: Random) -> list[int]:
        missing = [len(parents) for parents in self.parents]
        ready = [y for y, count in enumerate(missing) if count == 0]
        order = []
        while ready:
            i = random.below(len(ready))
            ready[i], ready[-1] = ready[-1], ready[i]
            order.append(ready.pop())
            for child, parents in enumerate(self.parents):
                if order[-1] in parents:
                    missing[child] -= 1
                    if missing[child] == 0:
                        ready.append(child)
        return order

    @property
    def dag(self) -> Graph:
        dag = np.zeros((len(self.order), len(self.order)), dtype=np.uint8)
        for y, parents in enumerate(self.parents):
            dag[sorted(parents), y] = 1
        return dag

    def kick(self, random: Random) -> float:
        """Take one or two nodes somewhere else."""
        d, gain = len(self.order), 0.0
        for _ in range(1 + random.below(2)):
            v = random.below(d)
            to = distant_index(self.order.index(v), d, random)
            changed: list[int] = []
            while self.order.index(v) != to:
                gain += self._step(v, -1 if to < self.order.index(v) else 1, changed)
            self._enqueue([*changed, v])
        queued = list(self.queue)
        random.shuffle(queued)
        self.queue = deque(queued)
        return gain

    def climb(self, home: Graph | None = None) -> float:
        """Take each queued node to its best place, and those whose parents change.

        Ends where a move leads back to a DAG.
        """
        gain = 0.0
        while self.queue:
            rise = self._reinsert(self.queue.popleft())
            gain += rise
            if rise > 0.0 and home is not None and np.array_equal(self.dag, home):
                break
        return gain

    def climb_deeper(self, before: Graph) -> float:
        """Improve parents that differ from those of a DAG by forcing one out; climb, and again."""
        total = 0.0
        while True:
            gain = 0.0
            for y, parents in enumerate(self.parents):
                if parents != frozenset(np.flatnonzero(before[:, y]).tolist()):
                    rise = self._deepen(y)
                    gain += rise
                    if rise > 0.0:
                        self._enqueue([y])
            if gain == 0.0:
                return total
            total += gain + self.climb()

    def _deepen(self, y: int) -> float:
        total = 0.0
        while True:
            for x in sorted(self.parents[y]):
                gain = self._without(x, y)
                if gain > 0.0:
                    total += gain
                    break
            else:
                return total

    def _without(self, x: int, y: int) -> float:
        """Fit the parents of y without x; keep that if it gains."""
        before = self.parents[y]
        self.parents[y] = before - {x}
        gain = -self.problem.gain(x, y, self.parents[y])
        gain += self._fit(y, held=x) + self._fit(y)
        if gain > self.problem.min_gain and self.parents[y] != before:
            return gain
        self.parents[y] = before
        return 0.0

    def _reinsert(self, v: int) -> float:
        before = list(self.order), list(self.parents)
        best, reached, moved = self.problem.min_gain, before, None
        for side in (-1, 1):
            self.order, self.parents = list(before[0]), list(before[1])
            gain, changed = 0.0, list[int]()
            while gain >= -self.most_loss and 0 <= self.order.index(v) + side < len(self.order):
                gain += self._step(v, side, changed)
                if gain > best:
                    best, reached = gain, (list(self.order), list(self.parents))
                    moved = [*changed, v]
        self.order, self.parents = reached
        if moved is None:
            return 0.0
        self._enqueue(moved)
        return best

    def _enqueue(self, nodes: list[int]) -> None:
        for node in nodes:
            if node not in self.queue:
                self.queue.append(node)

    def _step(self, v: int, side: int, changed: list[int]) -> float:
        """Let v and the node beside it change places; return what that adds to the score."""
        i = self.order.index(v)
        u = self.order[i + side]
        self.order[i], self.order[i + side] = u, v
        later, earlier = (v, u) if side < 0 else (u, v)  # as they were
        gain = self._lose(later, earlier, changed)
        return gain + self._win(earlier, later, changed)

    def _lose(self, y: int, x: int, changed: list[int]) -> float:
        if x not in self.parents[y]:
            return 0.0
        changed.append(y)
        self.parents[y] -= {x}
        return -self.problem.gain(x, y, self.parents[y]) + self._fit(y)

    def _win(self, y: int, x: int, changed: list[int]) -> float:
        if self.problem.gain(x, y, self.parents[y]) <= self.problem.min_gain:
            return 0.0
        changed.append(y)
        return self._fit(y)

    def _fit(self, y: int, held: int | None = None) -> float:
        """Remove, or else add, what gains most, except one node, until nothing does."""
        total = 0.0
        while True:
            parents = self.parents[y]
            before = sorted(set(self.order[: self.order.index(y)]) - parents - {held})
            removals = [(-self.problem.gain(x, y, parents - {x}), -x) for x in sorted(parents)]
            inserts = [(self.problem.gain(x, y, parents), -x) for x in before]
            for found in (removals, inserts):
                gain, x = max(found, default=(0.0, 0))
                if gain > self.problem.min_gain:
                    self.parents[y] = parents ^ {-x}
                    total += gain
                    break
            else:
                return total


def patience(graph: Graph) -> float:
    """Return after how many kicks without success a refinement of effort 1 ends."""
    d = len(graph)
    parents = np.count_nonzero(graph | graph.T) / 2 / d
    return 15.0 + 3.0 * parents**2 + 200.0 * (parents**2 / d) ** 2


def refine(problem: Problem, graph: Graph, effort: float, seed: int) -> Outcome:
    """Climb with all nodes in turn, kick until too many bring nothing, run XGES, and again."""
    at = Outcome(graph, problem.score(problem.member(graph)))
    left = list(range(0, len(graph), NODES_OF_CLIMB))
    idle = 0
    while True:
        is_rough = False
        while left or idle < effort * patience(at.graph):
            random = Random(seed, at.rounds)
            dag = problem.member(at.graph)
            found = Climb(problem, dag, random)
            if left:
                first = left.pop(0)
                queued = list(range(first, min(first + NODES_OF_CLIMB, len(graph))))
                random.shuffle(queued)
                found.queue = deque(queued)
                gain = found.climb()
            else:
                gain = found.kick(random)
                gain += found.climb(home=dag)
                idle += 1
            gain += found.climb_deeper(dag)
            at.rounds += 1
            reached = problem.class_of(found.dag)
            score = problem.score(problem.member(reached))
            if gain > problem.min_gain and score > at.score + problem.min_gain:
                at.graph, at.score, at.kept = reached, score, at.kept + 1
                idle, is_rough = 0, True
        if not is_rough:
            return at
        reached = problem.xges(at.graph)
        score = problem.score(problem.member(reached))
        if score > at.score:
            at.graph, at.score = reached, score
            idle, left = 0, list(range(0, len(graph), NODES_OF_CLIMB))
