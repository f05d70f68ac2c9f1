"""What draws agree on, counted draw by draw and pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np


def shares(matrices: Sequence[Any]) -> dict[str, Any]:
    """Return the shares of matrices with an edge of each kind, an entry at a time."""
    d = len(matrices[0])
    found = {kind: np.zeros((d, d)) for kind in ("adjacent", "directed", "undirected")}
    for m in matrices:
        for i, j in product(range(d), repeat=2):
            if m[i][j] and m[j][i]:
                found["undirected"][i, j] += 1 / len(matrices)
            if m[i][j] and not m[j][i]:
                found["directed"][i, j] += 1 / len(matrices)
            if m[i][j] or m[j][i]:
                found["adjacent"][i, j] += 1 / len(matrices)
    return found


def mean_distances(matrices: Sequence[Any]) -> list[float]:
    """Return the mean structural Hamming distance of each matrix to all."""
    return [sum(_distance(a, b) for b in matrices) / len(matrices) for a in matrices]


def _distance(a: Any, b: Any) -> int:
    d = len(a)
    return sum((a[i][j], a[j][i]) != (b[i][j], b[j][i]) for i in range(d) for j in range(i + 1, d))


def best_orientation(
    adjacent: Any, local_score: Callable[[int, list[int]], float], arcs_allowed: Any = None
) -> float:
    """Return the highest score of all DAGs with these adjacencies."""
    return max(
        (
            sum(local_score(y, np.flatnonzero(dag[:, y]).tolist()) for y in range(len(dag)))
            for dag in _orientations(np.asarray(adjacent))
            if arcs_allowed is None or not (dag > arcs_allowed).any()
        ),
        default=-np.inf,
    )


def _orientations(adjacent: Any) -> Iterator[Any]:
    d = len(adjacent)
    pairs = [(i, j) for i in range(d) for j in range(i + 1, d) if adjacent[i, j]]
    for turns in product((False, True), repeat=len(pairs)):
        dag = np.zeros((d, d), dtype=np.uint8)
        for (i, j), is_turned in zip(pairs, turns, strict=True):
            dag[(j, i) if is_turned else (i, j)] = 1
        if not np.linalg.matrix_power(dag.astype(int), d).any():
            yield dag


def largest_tail(steps: int, mean: float, first: int) -> float:
    """Return the most that a unimodal law on 0 … steps with this mean can have from `first` on.

    A law with a given mode is a mixture of uniform laws on runs that contain the mode. Of those
    with a given mean, one of two runs has the largest tail.
    """
    largest = 0.0
    for mode in range(steps + 1):
        runs = [
            (0.5 * (low + high), max(0, high - max(low, first) + 1) / (high - low + 1))
            for low in range(mode + 1)
            for high in range(mode, steps + 1)
        ]
        for (a, tail_a), (b, tail_b) in product(runs, repeat=2):
            if a <= mean < b:
                largest = max(largest, tail_a + (tail_b - tail_a) * (mean - a) / (b - a))
    return largest
