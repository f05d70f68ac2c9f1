"""Posterior probabilities of edges and paths by enumeration: every DAG on up to five nodes.

A DAG weighs e to the sum of its local scores, times a prior: 1, or the number of orders of the
nodes in which parents come before children. Sums are taken in extended precision.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Arc = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Dags:
    """All DAGs on ``d`` nodes: parents as bitmasks, ancestors, and numbers of orders."""

    parents: NDArray[np.int64]
    arcs: NDArray[np.bool_]
    ancestors: NDArray[np.bool_]
    orders: NDArray[np.int64]


@cache
def all_dags(d: int) -> Dags:
    """List them: every choice of parents for which there is an order."""
    counts: dict[tuple[int, ...], int] = {}
    for order in permutations(range(d)):
        earlier = {y: order[: order.index(y)] for y in range(d)}
        for parents in product(*(_subsets(earlier[y]) for y in range(d))):
            counts[parents] = counts.get(parents, 0) + 1
    parents = np.array(sorted(counts), dtype=np.int64).reshape(-1, d)
    arcs = (parents[:, np.newaxis, :] >> np.arange(d)[:, np.newaxis] & 1).astype(bool)
    reached = arcs | np.eye(d, dtype=bool)
    for _ in range(d):
        reached = np.matmul(reached.astype(int), reached.astype(int)) > 0
    orders = np.array([counts[tuple(row)] for row in parents.tolist()])
    return Dags(parents, arcs, reached, orders)


def _subsets(nodes: Sequence[int]) -> list[int]:
    masks = [0]
    for v in nodes:
        masks += [mask | 1 << v for mask in masks]
    return masks


@dataclass(frozen=True, slots=True, eq=False)
class Probabilities:
    """P(i -> j), P(i is an ancestor of j), and the logarithm of the mean weight."""

    edges: Floats
    paths: Floats
    log_evidence: float


def probabilities(
    tables: Sequence[Floats],
    prior: str,
    *,
    required: Iterable[Arc] = (),
    forbidden: Iterable[Arc] = (),
    max_parents: int | None = None,
) -> Probabilities:
    """Return the probabilities, given the local score of each node by its mask of parents."""
    d = len(tables)
    dags = all_dags(d)
    allowed = np.ones(len(dags.parents), dtype=bool)
    for x, y in required:
        allowed &= dags.arcs[:, x, y]
    for x, y in forbidden:
        allowed &= ~dags.arcs[:, x, y]
    if max_parents is not None:
        allowed &= dags.arcs.sum(axis=1).max(axis=1) <= max_parents
    logs = np.zeros(len(dags.parents), dtype=np.longdouble)
    for y, table in enumerate(tables):
        logs += np.asarray(table, dtype=np.longdouble)[dags.parents[:, y]]
    counts = (dags.orders if prior == "orders" else np.ones_like(dags.orders)) * allowed
    most = logs[allowed].max()
    weights = np.exp(logs - most) * counts
    total = weights.sum()
    shares = weights / total
    return Probabilities(
        np.asarray(np.tensordot(shares, dags.arcs, 1), dtype=np.float64),
        np.asarray(np.tensordot(shares, dags.ancestors, 1), dtype=np.float64),
        float(most + np.log(total) - np.log(np.longdouble(counts.sum()))),
    )


def random_tables(seed: int, d: int, spread: float, refused: float = 0.0) -> list[Floats]:
    """Return local scores that differ by about ``spread``, some of them refused."""
    rng = np.random.default_rng(seed)
    tables = []
    for y in range(d):
        table = rng.normal(size=1 << d) * spread
        table[rng.random(1 << d) < refused] = -np.inf
        table[0] = rng.normal() * spread
        table[[mask for mask in range(1 << d) if mask >> y & 1]] = np.nan
        tables.append(table)
    return tables
