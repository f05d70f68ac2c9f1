"""Direction margins by looking at every class on a handful of nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from oracle import brute_force

Floats = NDArray[np.float64]


@cache
def _parents(d: int) -> NDArray[np.int64]:
    """Return the parents of every node of the first member of every class, as bitmasks."""
    space = brute_force.atlas(d)
    return np.array([brute_force.parent_sets(d, members[0]) for members in space.members])


@cache
def _has(d: int, x: int, y: int) -> NDArray[np.bool_]:
    """Return for every class whether some member has ``x -> y``."""
    return np.array([brute_force.has(d, cpdag, x, y) for cpdag in brute_force.atlas(d).cpdags])


def class_scores(d: int, local_score: Callable[[int, Sequence[int]], float]) -> Floats:
    """Return the score of every class on ``d`` nodes, in the order of the atlas."""
    total = np.zeros(len(brute_force.atlas(d).cpdags))
    for y in range(d):
        by_mask = [
            np.nan if mask >> y & 1 else local_score(y, [x for x in range(d) if mask >> x & 1])
            for mask in range(1 << d)
        ]
        total += np.array(by_mask)[_parents(d)[:, y]]
    return total


def margin(d: int, scores: Floats, score: float, x: int, y: int) -> float:
    """Return what the best of all classes of which some member has ``y -> x`` loses."""
    return score - float(scores[_has(d, y, x)].max())
