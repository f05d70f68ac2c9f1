"""Tables whose true graph is known, and true tiers for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from greedag import CPDAG, Moments, _core
from greedag.simulate import Simulation, linear_gaussian

RHO, ALPHA = 2.0, 2.0
Matrix = NDArray[np.uint8]


@dataclass(frozen=True)
class Case:
    """A table drawn as in the paper's simulation, and its columns in tiers."""

    d: int
    n: int
    tier_count: int
    seed: int

    @property
    def key(self) -> str:
        """A name for it."""
        return f"{self.d}-{self.n}-{self.tier_count}-{self.seed}"

    @cached_property
    def drawn(self) -> Simulation:
        """The model and its rows."""
        return linear_gaussian(self.d, RHO, self.n, seed=self.seed)

    @cached_property
    def moments(self) -> Moments:
        """The moments of the rows."""
        return Moments.from_data(self.drawn.data)

    @cached_property
    def tiers(self) -> list[int]:
        """The tier of each column: a random topological order, cut into parts of equal size."""
        order = topological_order(self.drawn.dag, np.random.default_rng(self.seed))
        tiers = [0] * self.d
        for place, column in enumerate(order):
            tiers[column] = place * self.tier_count // self.d
        return tiers

    @cached_property
    def knowledge(self) -> _core.Knowledge:
        """The tiers as the engine takes them."""
        return _core.Knowledge(self.d, tiers=self.tiers)

    @cached_property
    def true_mpdag(self) -> Matrix:
        """All that the true class and the tiers tell about the true graph."""
        return oriented(self.drawn.cpdag.to_matrix(), self.knowledge)

    @cached_property
    def score(self) -> _core.GaussianBic:
        """The score that the comparisons are made by."""
        moments = self.moments
        return _core.GaussianBic(moments.correlation, moments.log_variances, self.n, ALPHA)


def topological_order(dag: Matrix, rng: np.random.Generator) -> list[int]:
    """Return the nodes, parents first; ties are broken at random."""
    missing = dag.sum(axis=0).astype(int)
    free = list(np.flatnonzero(missing == 0))
    order = []
    while free:
        node = free.pop(int(rng.integers(len(free))))
        order.append(int(node))
        for child in np.flatnonzero(dag[node]):
            missing[child] -= 1
            if missing[child] == 0:
                free.append(child)
    return order


def oriented(cpdag: Matrix, knowledge: _core.Knowledge) -> Matrix:
    """Return the class with what knowledge directs in it."""
    found = _core.orient(cpdag, knowledge)
    if found is None:
        raise ValueError("no member of the class has what is known")
    return found[0]


def completed(dag: Matrix, knowledge: _core.Knowledge) -> Matrix:
    """Return what the class of a graph and knowledge tell together."""
    return oriented(CPDAG.from_dag(dag).to_matrix(), knowledge)


def distance(a: Matrix, b: Matrix) -> int:
    """Return the structural Hamming distance: pairs whose edges differ."""
    differs = a != b
    return int(np.count_nonzero(np.triu(differs | differs.T)))


def extension(pdag: Matrix) -> Matrix | None:
    """Return a graph with the edges, arrows and v-structures of `pdag`; none if there is none.

    Dor and Tarsi (1992): take away a node that can come last, as long as there is one.
    """
    dag, left = pdag.copy(), pdag.astype(bool)
    remaining = set(range(len(pdag)))
    while remaining:
        last = next((x for x in remaining if _can_come_last(left, x)), None)
        if last is None:
            return None
        dag[last, left[last] & left[:, last]] = 0
        left[last, :] = left[:, last] = False
        remaining.discard(last)
    return dag


def _can_come_last(pdag: NDArray[np.bool_], x: int) -> bool:
    if (pdag[x] & ~pdag[:, x]).any():
        return False
    adjacent = pdag | pdag.T
    near = adjacent[x]
    return all(
        not (near & ~adjacent[y] & (np.arange(len(pdag)) != y)).any()
        for y in np.flatnonzero(pdag[x] & pdag[:, x])
    )


def grid(seeds: range, columns: Sequence[int], rows: Sequence[int]) -> Iterator[Case]:
    """All cases of the comparison, one seed after the other."""
    for seed in seeds:
        for d in columns:
            for n in rows:
                for tier_count in (20, 5, 2):
                    yield Case(d, n, tier_count, seed)
