"""Discrete scores, straight from their formulas, and tables to score."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Rows = Sequence[Sequence[int]]


def random_rows(seed: int, d: int, n: int, *, most_levels: int = 4) -> list[list[int]]:
    """Draw rows from a random network over columns in a random order; each has all its levels."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, most_levels + 1, d)
    columns: dict[int, NDArray[np.int64]] = {}
    for v in rng.permutation(d).tolist():
        before = [u for u in columns if rng.random() < 2.0 / d]
        cell = np.zeros(n, dtype=np.int64)
        for u in before:
            cell = cell * int(sizes[u]) + columns[u]
        chances = rng.dirichlet(np.full(sizes[v], 0.5), int(cell.max()) + 1)
        drawn = (rng.random(n)[:, None] > chances.cumsum(axis=1)[cell]).sum(axis=1)
        columns[v] = np.minimum(drawn, sizes[v] - 1)
        columns[v][: sizes[v]] = np.arange(sizes[v])
    return np.column_stack([columns[v] for v in range(d)]).tolist()


def sizes_of(rows: Rows) -> list[int]:
    """Return the number of levels of each column."""
    return [len(set(column)) for column in zip(*rows, strict=True)]


def bic(
    rows: Rows,
    y: int,
    parents: Sequence[int],
    *,
    alpha: float = 1.0,
    weights: Sequence[float] | None = None,
    sizes: Sequence[int] | None = None,
    n: float | None = None,
) -> float:
    """Return the log-likelihood of y given its parents, less the penalty, that of n rows."""
    families, above = _counts(rows, y, parents, weights)
    likelihood = math.fsum(c * math.log(c / above[j]) for (j, _), c in families.items())
    sizes = sizes or sizes_of(rows)
    free = (sizes[y] - 1) * math.prod(sizes[p] for p in parents)
    return likelihood - alpha / 2 * math.log(n or sum(above.values())) * free


def bdeu(
    rows: Rows,
    y: int,
    parents: Sequence[int],
    *,
    ess: float = 1.0,
    weights: Sequence[float] | None = None,
    sizes: Sequence[int] | None = None,
    n: float | None = None,
) -> float:
    """Return the log marginal likelihood of y given its parents, which does not depend on n."""
    families, above = _counts(rows, y, parents, weights)
    sizes = sizes or sizes_of(rows)
    q = math.prod(sizes[p] for p in parents)
    a, b = ess / q, ess / (q * sizes[y])
    return math.fsum(math.lgamma(a) - math.lgamma(a + c) for c in above.values()) + math.fsum(
        math.lgamma(b + c) - math.lgamma(b) for c in families.values()
    )


def insert_gains(
    rows: Rows, y: int, parents: Sequence[int], local: Callable[..., float]
) -> dict[int, float]:
    """Return what each further parent of y adds to its score."""
    sizes = sizes_of(rows)
    now = local(rows, y, parents, sizes=sizes)
    others = (x for x in range(len(sizes)) if x != y and x not in parents)
    return {x: local(rows, y, [*parents, x], sizes=sizes) - now for x in others}


def with_holes(rows: Rows, share: float, seed: int) -> list[list[int | None]]:
    """Return rows in which values are missing at random; each level still occurs."""
    rng = np.random.default_rng(seed)
    lacks = rng.random((len(rows), len(rows[0]))) < share
    for j, size in enumerate(sizes_of(rows)):
        lacks[:size, j] = False
    return [
        [None if gone else value for value, gone in zip(row, line, strict=True)]
        for row, line in zip(rows, lacks.tolist(), strict=True)
    ]


class TestWise:
    """Test-wise deletion: every comparison on the rows that have all of its columns."""

    __test__ = False

    def __init__(
        self,
        rows: Sequence[Sequence[int | None]],
        local: Callable[..., float],
        weights: Sequence[float] | None = None,
    ) -> None:
        self.rows, self.score = rows, local
        self.weights = list(weights or [1] * len(rows))
        self.n = sum(self.weights)
        self.sizes = [len(set(column) - {None}) for column in zip(*rows, strict=True)]

    def gain(self, x: int, y: int, E: Sequence[int]) -> float:
        """Return what joining x and y given E gains, as if all rows were as those that tell."""
        rows, weights = self._having({x, y, *E})
        with_x, without = (
            self.score(rows, y, parents, weights=weights, sizes=self.sizes, n=self.n)
            for parents in ([*E, x], E)
        )
        return (with_x - without) * (self.n / sum(weights) if rows else 1.0)

    def local(self, y: int, parents: Sequence[int]) -> float:
        """Return the score of y alone, and the gains of its parents one after the other."""
        rows, weights = self._having({y})
        alone = self.score(rows, y, [], weights=weights, sizes=self.sizes)
        chosen = sorted(parents)
        gains = (self.gain(x, y, chosen[:place]) for place, x in enumerate(chosen))
        return alone * self.n / sum(weights) + sum(gains)

    def _having(self, columns: set[int]) -> tuple[list[Sequence[int]], list[float]]:
        kept = [
            (row, weight)
            for row, weight in zip(self.rows, self.weights, strict=True)
            if all(row[v] is not None for v in columns)
        ]
        return [row for row, _ in kept], [weight for _, weight in kept]  # type: ignore[misc]


def covered_reversals(dag: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    """Return the DAGs that turning one covered edge leads to."""
    turned = []
    for x, y in np.argwhere(dag).tolist():
        parents = set(np.flatnonzero(dag[:, y])) - {x}
        if parents == set(np.flatnonzero(dag[:, x])):
            other = dag.copy()
            other[x, y], other[y, x] = 0, 1
            turned.append(other)
    return turned


def dags(d: int) -> list[NDArray[np.uint8]]:
    """Return every DAG over d nodes."""
    found = {}
    pairs = list(itertools.combinations(range(d), 2))
    for order in itertools.permutations(range(d)):
        place = {v: i for i, v in enumerate(order)}
        for chosen in itertools.product((0, 1), repeat=len(pairs)):
            dag = np.zeros((d, d), dtype=np.uint8)
            for (a, b), present in zip(pairs, chosen, strict=True):
                a, b = sorted((a, b), key=place.__getitem__)
                dag[a, b] = present
            found[dag.tobytes()] = dag
    return list(found.values())


def _counts(
    rows: Rows, y: int, parents: Sequence[int], weights: Sequence[float] | None
) -> tuple[dict[tuple[tuple[int, ...], int], float], dict[tuple[int, ...], float]]:
    families: Counter[tuple[tuple[int, ...], int]] = Counter()
    above: Counter[tuple[int, ...]] = Counter()
    for row, weight in zip(rows, weights or [1] * len(rows), strict=True):
        j = tuple(row[p] for p in parents)
        families[j, row[y]] += weight
        above[j] += weight
    return families, above
