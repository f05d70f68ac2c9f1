"""Random graphs to draw rows from."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from greedag._options import as_real, checked_whole
from greedag.errors import OptionError, quoted
from greedag.graph.mpdag import Matrix


def random_dag(
    rng: np.random.Generator, d: int, rho: float, graph: str
) -> tuple[Matrix, NDArray[np.int64]]:
    """Return a random DAG and its nodes, parents before children."""
    if graph == "uniform":
        probability = min(1.0, 2.0 * rho / (d - 1)) if d > 1 else 0.0
        ordered = np.triu(rng.random((d, d)) < probability, k=1)
    elif graph == "scale-free":
        ordered = _scale_free(rng, d, rho)
    else:
        raise OptionError(f"graph must be 'uniform' or 'scale-free'; got {quoted(graph)}")
    relabel = rng.permutation(d)
    dag = np.zeros((d, d), dtype=np.uint8)
    dag[np.ix_(relabel, relabel)] = ordered
    return dag, relabel


def _scale_free(rng: np.random.Generator, d: int, rho: float) -> NDArray[np.bool_]:
    """Return a DAG whose every column takes rho parents, rounded up or down at random."""
    ordered = np.zeros((d, d), dtype=bool)
    for column in range(1, d):
        count = min(column, int(rho + rng.random()))
        chances = 1.0 + ordered[:column].sum(axis=1)
        parents = rng.choice(column, size=count, replace=False, p=chances / chances.sum())
        ordered[parents, column] = True
    return ordered


def check_sizes(d: int, rho: float, n: int, seed: int) -> None:
    """Raise unless these are sizes of a table, a density and a seed."""
    for name, value, least in (("d", d, 1), ("n", n, 1), ("seed", seed, 0)):
        checked_whole(name, value, least=least)
    if not 0.0 <= as_real(rho) < math.inf:
        raise OptionError(f"rho must be a finite number, 0 or more; got {rho!r}")
