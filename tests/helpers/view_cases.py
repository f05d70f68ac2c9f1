"""Graphs that the tests of views share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from greedag import CPDAG, simulate
from helpers.hostile_names import HOSTILE_NAMES


class Worth(NamedTuple):
    """An edge with its strength, as ``result.strengths()`` gives them."""

    a: str
    b: str
    loss: float
    margin: float | None = None
    knowledge: str = ""
    evidence: str = ""


def random_class(d: int, rho: float, seed: int) -> CPDAG:
    return simulate.linear_gaussian(d, rho, 1, seed=seed).cpdag


def weather() -> CPDAG:
    """Both kinds of edges, one edge over two layers, a column without edges, a long name."""
    names = [
        "rain",
        "sprinkler",
        "wet grass",
        "slippery",
        "season",
        "price of tea in a far country",
    ]
    edges = [(0, 2), (1, 2), (2, 3), (4, 0), (1, 3)]
    matrix = np.zeros((6, 6), dtype=int)
    for tail, head in edges:
        matrix[tail, head] = 1
    return CPDAG.from_dag(matrix, names)


def hostile() -> CPDAG:
    """All hostile names, joined by directed and undirected edges."""
    d = len(HOSTILE_NAMES)
    matrix = np.eye(d, k=1, dtype=int)
    matrix[: d // 2 - 1, d // 2] = np.arange(d // 2 - 1) % 3 == 0
    return CPDAG.from_dag(matrix, HOSTILE_NAMES)


def worths(cpdag: CPDAG) -> list[Worth]:
    edges = cpdag.directed + cpdag.undirected
    return [Worth(a, b, 100.0 / (k + 1)) for k, (a, b) in enumerate(edges)]
