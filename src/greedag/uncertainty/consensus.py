"""The best-scoring DAG with given adjacencies.

Every DAG with these adjacencies has an order of the columns, and every order directs them: each
column's parents are the adjacent columns before it. So the search is among orders. One column at a
time moves to the place where the score is highest, until none gains; from several orders.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag import _core
from greedag._progress import check_time
from greedag.graph.bound_knowledge import BoundKnowledge
from greedag.graph.cpdag import CPDAG
from greedag.graph.mpdag import MPDAG, Matrix
from greedag.graph.orientation import Evidence
from greedag.scores.base import Score
from greedag.search.orders import best_member

_REFUSED = -np.inf
_ROUNDING = 1e-7


def best_dag(
    score: _core.Score,
    adjacent: NDArray[np.bool_],
    starts: Iterable[Matrix],
    known: BoundKnowledge | None = None,
) -> Matrix | None:
    """Return the DAG with these adjacencies that scores best, as far as the search finds it.

    Parameters
    ----------
    score : Score
    adjacent : ndarray of shape (d, d)
        Symmetric.
    starts : iterable of ndarray
        DAGs, whose orders to start from.
    known : BoundKnowledge, optional
        What the DAG must agree with.

    Returns
    -------
    ndarray of shape (d, d), or None
        None if no DAG that was met agrees with what is known.
    """
    orders = _Orders(score, adjacent, known)
    best, best_total = None, _REFUSED
    for order in dict.fromkeys(tuple(_order(dag)) for dag in starts):
        check_time("looking for a consensus")
        climbed = orders.climbed(list(order))
        total = orders.total(climbed)
        if total > best_total:
            best, best_total = climbed, total
    return None if best is None else orders.dag(best)


def graph_of(
    dag: Matrix, score: Score, bound: _core.Score, statistics: Any, known: BoundKnowledge | None
) -> MPDAG:
    """Return the graph of the class of a DAG, as a search that finds this DAG would."""
    cpdag = CPDAG.from_dag(dag, statistics.names)
    evidence: tuple[Evidence, ...] = ()
    if not score.is_equivalent:
        found = best_member(dag, score, bound, statistics, known)
        cpdag, evidence = found.cpdag, found.evidence
    if known is None and not evidence:
        return cpdag
    knowledge = None if known is None else known.knowledge
    return MPDAG.from_cpdag(cpdag, knowledge=knowledge, evidence=evidence)


class _Orders:
    """The scores of columns in orders."""

    def __init__(
        self,
        score: _core.Score,
        adjacent: NDArray[np.bool_],
        known: BoundKnowledge | None,
    ) -> None:
        self._score, self._known = score, known
        self._adjacent = adjacent
        self._beside = [set(np.flatnonzero(row).tolist()) for row in adjacent]
        self._locals: dict[tuple[int, frozenset[int]], float] = {}

    def dag(self, order: list[int]) -> Matrix:
        """Return the DAG that an order makes."""
        place = np.argsort(order)
        dag: Matrix = (self._adjacent & (place[:, np.newaxis] < place)).astype(np.uint8)
        return dag

    def total(self, order: list[int]) -> float:
        """Return the score of an order, none if it does not agree with what is known."""
        total = 0.0
        for i, node in enumerate(order):
            if any(self._is_barred(earlier, node) for earlier in order[:i]):
                return _REFUSED
            total += self._local(node, self._beside[node].intersection(order[:i]))
        return total

    def climbed(self, order: list[int]) -> list[int]:
        """Return an order from which no column gains by moving."""
        has_gained = True
        while has_gained:
            has_gained = False
            for node in sorted(order):
                moved = self._moved(order, node)
                has_gained |= moved != order
                order = moved
        return order

    def _moved(self, order: list[int], node: int) -> list[int]:
        """Move a column to its best place."""
        at = order.index(node)
        rest = order[:at] + order[at + 1 :]
        best, best_gain = at, _ROUNDING
        for step in (-1, 1):
            place, gain = at, 0.0
            while 0 <= place + step < len(order):
                gain += self._passing(rest, node, place, step)
                if gain == _REFUSED:
                    break
                place += step
                if gain > best_gain:
                    best, best_gain = place, gain
        return [*rest[:best], node, *rest[best:]]

    def _passing(self, rest: list[int], node: int, place: int, step: int) -> float:
        """Return what it gains if a column passes the next one before it (-1) or after it (1)."""
        other = rest[place - 1] if step < 0 else rest[place]
        first, second = (other, node) if step < 0 else (node, other)
        if self._is_barred(second, first):
            return _REFUSED
        if second not in self._beside[first]:
            return 0.0
        before = set(rest[: min(place, place + step)] if step < 0 else rest[:place])
        of_first, of_second = self._beside[first] & before, self._beside[second] & before
        return (
            self._local(first, of_first | {second})
            + self._local(second, of_second)
            - self._local(first, of_first)
            - self._local(second, of_second | {first})
        )

    def _is_barred(self, early: int, late: int) -> bool:
        """Whether a column must not come before another one."""
        known = self._known
        if known is None:
            return False
        if (late, early) in known.before or (late, early) in known.required:
            return True
        return late in self._beside[early] and known.forbids(early, late)

    def _local(self, node: int, parents: set[int]) -> float:
        key = node, frozenset(parents)
        if key not in self._locals:
            self._locals[key] = self._score.local_score(node, sorted(parents))
        return self._locals[key]


def _order(dag: Matrix) -> list[int]:
    """Return the columns of a DAG, causes first, in their own order where either may come first."""
    left = dag.sum(axis=0).astype(int)
    order: list[int] = []
    free = sorted(np.flatnonzero(left == 0).tolist(), reverse=True)
    while free:
        node = free.pop()
        order.append(node)
        for child in np.flatnonzero(dag[node]).tolist():
            left[child] -= 1
            if left[child] == 0:
                free.append(child)
        free.sort(reverse=True)
    return order
