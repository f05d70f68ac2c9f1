"""The best admissible DAG on up to ten nodes or so, by dynamic programming and branching.

With required and forbidden arcs alone, dynamic programming leaves out the parent sets that are not
allowed. A DAG found so may still hold a directed path from b to a where b must not be an ancestor
of a. Every admissible DAG lacks one of the arcs of that path, so each of them is forbidden in turn;
of all problems that this leads to, the one with the highest optimum comes next. The first optimum
without such a path is the best admissible DAG.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from oracle.knowledge import Arc, Statements

Vector = NDArray[np.float64]
Parents = tuple[int, ...]
"""Parents of every node, as bitmasks of nodes."""


def local_tables(local_score: Callable[[int, tuple[int, ...]], float], d: int) -> list[Vector]:
    """Return the local score of every node with every set of parents."""
    tables = []
    for y in range(d):
        table = np.full(1 << d, -np.inf)
        for mask in range(1 << d):
            if not mask >> y & 1:
                table[mask] = local_score(y, tuple(v for v in range(d) if mask >> v & 1))
        tables.append(table)
    return tables


def best_dag(
    tables: list[Vector], required: frozenset[Arc], forbidden: frozenset[Arc]
) -> tuple[float, Parents]:
    """Return the best DAG with all required arcs and no forbidden one, -inf if there is none."""
    d = len(tables)
    masks = np.arange(1 << d)
    values, choices = [], []
    for y, table in enumerate(tables):
        needed = sum(1 << x for x, head in required if head == y)
        excluded = sum(1 << x for x, head in forbidden if head == y)
        allowed = (masks & needed == needed) & (masks & excluded == 0)
        best, choice = _best_within(np.where(allowed, table, -np.inf), d)
        values.append(best)
        choices.append(choice)
    total, sinks = np.zeros(1 << d), [0] * (1 << d)
    for mask in range(1, 1 << d):
        nodes = [v for v in range(d) if mask >> v & 1]
        reached = [total[mask ^ 1 << v] + values[v][mask ^ 1 << v] for v in nodes]
        place = int(np.argmax(reached))
        total[mask], sinks[mask] = reached[place], nodes[place]
    return float(total[-1]), _parents(sinks, choices)


def _best_within(table: Vector, d: int) -> tuple[Vector, NDArray[np.int64]]:
    """Return, for every set, the largest value of its subsets and the subset that has it."""
    best, choice = table.copy(), np.arange(1 << d)
    for v in range(d):
        values, sets = best.reshape(-1, 2, 1 << v), choice.reshape(-1, 2, 1 << v)
        without = values[:, 0] > values[:, 1]
        values[:, 1] = np.where(without, values[:, 0], values[:, 1])
        sets[:, 1] = np.where(without, sets[:, 0], sets[:, 1])
    return best, choice


def _parents(sinks: list[int], choices: list[NDArray[np.int64]]) -> Parents:
    left, parents = len(sinks) - 1, [0] * len(choices)
    while left:
        sink = sinks[left]
        left ^= 1 << sink
        parents[sink] = int(choices[sink][left])
    return tuple(parents)


def directed_path(parents: Parents, b: int, a: int) -> list[Arc]:
    """Return the arcs of a directed path from b to a, none if there is no such path."""
    child: dict[int, int] = {}
    pending, seen = [a], {a}
    while pending:
        y = pending.pop()
        for x in range(len(parents)):
            if parents[y] >> x & 1 and x not in seen:
                child[x] = y
                seen.add(x)
                pending.append(x)
    path = []
    while b != a and b in child:
        path.append((b, child[b]))
        b = child[b]
    return path


def best_admissible_score(tables: list[Vector], known: Statements) -> float:
    """Return the best score of any admissible DAG."""
    required = frozenset(known.required)
    pairs = sorted(known.not_ancestors)
    first = frozenset({*known.forbidden, *pairs})
    score, parents = best_dag(tables, required, first)
    problems = [(-score, sorted(first), parents)]
    seen = {first}
    while problems:
        loss, forbidden, parents = heapq.heappop(problems)
        path = next((path for b, a in pairs if (path := directed_path(parents, b, a))), [])
        if not path:
            return -loss
        for arc in path:
            further = frozenset({*forbidden, arc})
            if arc not in required and further not in seen:
                seen.add(further)
                score, parents = best_dag(tables, required, further)
                heapq.heappush(problems, (-score, sorted(further), parents))
    return -np.inf
