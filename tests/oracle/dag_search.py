"""The best DAGs under scores that tell the members of a class apart, by looking at every DAG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from oracle import brute_force as bf
from oracle.knowledge import Arc, Space, Statements, admissible_dags, dag_totals, space

Matrix = NDArray[np.uint8]
Flags = NDArray[np.bool_]


@dataclass(slots=True)
class TableScore:
    """Local scores from a table by node and set of parents (a bitmask); notes what it is asked.

    Nothing relates the values to each other, so DAGs of a class score differently.
    """

    table: NDArray[np.float64]
    asked: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    is_equivalent: bool = False

    def local_score(self, y: int, parents: tuple[int, ...]) -> float:
        """Return what the table says."""
        self.asked.append((y, tuple(parents)))
        return float(self.table[y, sum(1 << x for x in parents)])

    def of_dag(self, dag: Matrix) -> float:
        """Return the sum of the local scores of a DAG."""
        masks = [sum(1 << int(x) for x in np.flatnonzero(dag[:, y])) for y in range(len(dag))]
        return float(sum(self.table[y, mask] for y, mask in enumerate(masks)))


def random_score(seed: int, d: int, *, refused: float = 0.0, price: float = 1.0) -> TableScore:
    """Draw local scores; each further parent costs ``price``.

    ``refused`` is the share of sets of parents that score ``-inf``, of which the empty one is none.
    """
    rng = np.random.default_rng([seed, d])
    sizes = np.array([mask.bit_count() for mask in range(1 << d)])
    table = rng.normal(scale=2.0, size=(d, 1 << d)) - price * sizes
    table[(rng.random(table.shape) < refused) & (sizes > 0)] = -np.inf
    return TableScore(table)


@dataclass(frozen=True, slots=True)
class Margin:
    """An edge as the best member directs it; what it scores above the best with the edge turned."""

    tail: int
    head: int
    margin: float


@dataclass(frozen=True, slots=True)
class AllDags:
    """Every DAG on a handful of nodes, with its score; ``-inf`` for those that do not agree.

    Attributes
    ----------
    among : Space
        The DAGs.
    totals : ndarray of float64
        Their scores.
    """

    among: Space
    totals: NDArray[np.float64]

    @classmethod
    def scored(cls, score: TableScore, known: Statements | None = None) -> AllDags:
        """Score every DAG."""
        among = space(len(score.table))
        totals = dag_totals(among, score.local_score)
        score.asked.clear()
        if known is not None:
            totals = np.where(admissible_dags(among, known), totals, -np.inf)
        return cls(among, totals)

    @property
    def best(self) -> float:
        """The best score of any DAG."""
        return float(self.totals.max())

    def best_with(self, x: int, y: int) -> float:
        """Return the best score of any DAG with ``x -> y``."""
        return float(self.totals[self._have(x, y)].max())

    def _have(self, x: int, y: int) -> Flags:
        found: Flags = (self.among.dags >> (x * self.among.d + y) & 1).astype(bool)
        return found

    def margins(self, dag: Matrix, known: Statements | None, arcs: Sequence[Arc]) -> list[Margin]:
        """Return the margins of the edges that differ between the members of a DAG's class.

        Members that do not agree with what is known, or lack one of ``arcs``, do not count.
        """
        d, atlas = self.among.d, self.among.atlas
        members = np.isin(self.among.dags, atlas.members[atlas.class_of[bf.from_matrix(dag)]])
        if known is not None:
            members &= admissible_dags(self.among, known)
        for arc in arcs:
            members &= self._have(*arc)
        scores = np.where(members, self.totals, -np.inf)
        best = bf.to_matrix(d, int(self.among.dags[int(np.argmax(scores))]))
        found = []
        for x, y in np.argwhere(best):
            turned = self._have(y, x) & members
            if turned.any():
                found.append(Margin(int(x), int(y), float(scores.max() - scores[turned].max())))
        return sorted(found, key=lambda margin: (margin.tail, margin.head))
