"""Background knowledge drawn for benchmarks, and whether a DAG agrees with it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from greedag import _core

Arc = tuple[int, int]
Matrix = NDArray[np.uint8]


def ancestry(dag: Matrix) -> NDArray[np.bool_]:
    """Tell for each pair of columns whether the first is an ancestor of the second."""
    paths = dag.astype(bool)
    for via in range(len(dag)):
        paths |= np.outer(paths[:, via], paths[via])
    return paths


@dataclass(frozen=True, slots=True)
class Statements:
    """What is known of ``d`` columns, by their numbers, as the engine takes it."""

    d: int
    required: tuple[Arc, ...] = ()
    forbidden: tuple[Arc, ...] = ()
    tiers: tuple[int, ...] = ()
    before: tuple[Arc, ...] = ()

    @property
    def engine(self) -> _core.Knowledge:
        """The engine's side of the statements."""
        return _core.Knowledge(
            self.d,
            required=list(self.required),
            forbidden=list(self.forbidden),
            tiers=list(self.tiers),
            before=list(self.before),
        )

    def broken_by(self, dag: Matrix) -> int:
        """Return how many statements a DAG breaks, by their definition."""
        paths = ancestry(dag)
        tiers = self.tiers or (-1,) * self.d
        tiered = [(a, b) for a, b in permutations(range(self.d), 2) if -1 < tiers[a] < tiers[b]]
        return (
            sum(not dag[arc] for arc in self.required)
            + sum(bool(dag[arc]) for arc in self.forbidden)
            + sum(bool(paths[b, a]) for a, b in (*tiered, *self.before))
        )

    def is_possible(self) -> bool:
        """Whether any DAG agrees: one without all but the required arcs agrees if any does."""
        alone = np.zeros((self.d, self.d), dtype=np.uint8)
        for arc in self.required:
            alone[arc] = 1
        return not ancestry(alone).diagonal().any() and not self.broken_by(alone)


def order_of(dag: Matrix, rng: Generator) -> list[int]:
    """Return the columns in an order that the DAG agrees with."""
    left, order = set(range(len(dag))), []
    while left:
        free = [v for v in sorted(left) if not any(dag[u, v] for u in left)]
        order.append(int(rng.choice(free)))
        left.remove(order[-1])
    return order


def full_tiers(rng: Generator, dag: Matrix) -> Statements:
    """Cut an order that the DAG agrees with into two to five tiers."""
    d, order = len(dag), order_of(dag, rng)
    cuts = sorted(rng.choice(np.arange(1, d), int(rng.integers(1, 5)), replace=False).tolist())
    tiers = [0] * d
    for place, v in enumerate(order):
        tiers[v] = sum(place >= cut for cut in cuts)
    return Statements(d, tiers=tuple(tiers))


def partial_tiers(rng: Generator, dag: Matrix) -> Statements:
    """Leave two of five columns, or so, without a tier."""
    tiers = full_tiers(rng, dag).tiers
    return Statements(len(dag), tiers=tuple(t if rng.random() < 0.6 else -1 for t in tiers))


def forbidden(rng: Generator, dag: Matrix) -> Statements:
    """Forbid some true arcs' opposites and some further arcs, a few of them true."""
    d = len(dag)
    opposites = [(int(y), int(x)) for x, y in np.argwhere(dag) if rng.random() < 0.3]
    pairs = list(permutations(range(d), 2))
    further = [pairs[k] for k in rng.choice(len(pairs), d, replace=False)]
    kept = [arc for arc in further if not dag[arc] or rng.random() < 0.2]
    return Statements(d, forbidden=tuple(sorted({*opposites, *kept})))


def required(rng: Generator, dag: Matrix) -> Statements:
    """Require some true arcs and, every other time, one or two that are not there."""
    d = len(dag)
    arcs = {(int(x), int(y)) for x, y in np.argwhere(dag) if rng.random() < 0.2}
    pairs = [pair for pair in permutations(range(d), 2) if not dag[pair]]
    false = int(rng.integers(0, 3)) if rng.random() < 0.5 or not arcs else 0
    arcs |= {pairs[k] for k in rng.choice(len(pairs), max(false, not arcs), replace=False)}
    return Statements(d, required=tuple(sorted(arcs)))


def before(rng: Generator, dag: Matrix) -> Statements:
    """Name pairs in their order; one in ten of them is against the truth."""
    d, order = len(dag), order_of(dag, rng)
    places = [sorted(rng.choice(d, 2, replace=False).tolist()) for _ in range(d)]
    pairs = {(order[i], order[j]) for i, j in places}
    turned = {(b, a) if rng.random() < 0.1 else (a, b) for a, b in pairs}
    return Statements(d, before=tuple(sorted(turned)))


KINDS = {
    "full tiers": full_tiers,
    "partial tiers": partial_tiers,
    "forbidden": forbidden,
    "required": required,
    "before": before,
}


def mixture(rng: Generator, dag: Matrix) -> Statements:
    """Put two to four kinds together, of tiers only one."""
    names = list(KINDS)[int(rng.integers(2)) :: 2] if rng.random() < 0.2 else list(KINDS)[1:]
    count = min(len(names), int(rng.integers(2, 5)))
    parts = [KINDS[names[k]](rng, dag) for k in rng.choice(len(names), count, replace=False)]
    return Statements(
        len(dag),
        tuple(arc for part in parts for arc in part.required),
        tuple(arc for part in parts for arc in part.forbidden),
        next((part.tiers for part in parts if part.tiers), ()),
        tuple(arc for part in parts for arc in part.before),
    )


def draw(kind: str, rng: Generator, dag: Matrix) -> Statements:
    """Draw statements of a kind on a true DAG until some DAG agrees with all of them."""
    while True:
        drawn = {**KINDS, "mixture": mixture}[kind](rng, dag)
        if drawn.is_possible():
            return drawn
