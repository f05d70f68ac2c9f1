"""How near a graph is to the truth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from greedag import CPDAG, GreedagError
from greedag.simulate import AdditiveSimulation, Simulation

Matrix = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Judged:
    """What one method reached on one table.

    Attributes
    ----------
    shd : int
        Distance of its class to the true class.
    right, wrong : int
        Arrows of its graph that are edges of the true DAG, and that are not: those turned round
        and those between columns that no edge joins.
    edges : int
        Edges of the true DAG.
    seconds : float
        CPU seconds from the rows to the graph.
    """

    shd: int
    right: int
    wrong: int
    edges: int
    seconds: float


def judged(
    drawn: AdditiveSimulation | Simulation, graph: Matrix, of_class: Matrix, seconds: float
) -> Judged:
    """Compare a graph and its class with the truth."""
    arrows, true = (graph == 1) & (graph.T == 0), drawn.dag == 1
    return Judged(
        shd=distance(of_class, drawn.cpdag.to_matrix()),
        right=int((arrows & true).sum()),
        wrong=int((arrows & ~true).sum()),
        edges=int(true.sum()),
        seconds=seconds,
    )


def distance(a: Matrix, b: Matrix) -> int:
    """Return the number of pairs of columns that are joined differently."""
    differs = a != b
    return int(np.triu(differs | differs.T).sum())


def class_of(graph: Matrix) -> Matrix:
    """Return the class of a DAG; other graphs as they are."""
    if (graph & graph.T).any():
        return graph
    try:
        return CPDAG.from_dag(graph).to_matrix()
    except GreedagError:
        return graph


def mean(values: Iterable[float]) -> float:
    """Mean, for any iterable."""
    return float(np.mean([*values]))


def with_error(values: Iterable[float]) -> str:
    """Mean and its standard error."""
    numbers = [*values]
    error = np.std(numbers, ddof=1) / len(numbers) ** 0.5 if len(numbers) > 1 else 0.0
    return f"{np.mean(numbers):.1f} ± {error:.1f}"


def nearer(ours: list[int], theirs: list[int]) -> str:
    """Return how often we are nearer to the truth than they, as near, and further off."""
    pairs = [*zip(ours, theirs, strict=True)]
    counts = (sum(a < b for a, b in pairs), sum(a == b for a, b in pairs))
    return f"{counts[0]}, {counts[1]}, {len(pairs) - sum(counts)}"
