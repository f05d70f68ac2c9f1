"""How little two columns can depend on each other, by trying every set of the others."""

from __future__ import annotations

import math
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray


def least_dependence(correlation: NDArray[np.float64], n: float, x: int, y: int) -> float:
    """Return the least ``-n/2 log(1 - r²)``, r being partial correlations of x and y."""
    others = [v for v in range(len(correlation)) if v not in (x, y)]
    sets = chain.from_iterable(combinations(others, k) for k in range(len(others) + 1))
    return min(-n / 2.0 * math.log1p(-(partial(correlation, x, y, S) ** 2)) for S in sets)


def partial(correlation: NDArray[np.float64], x: int, y: int, given: tuple[int, ...]) -> float:
    """Return the partial correlation of x and y given others, from the inverse."""
    nodes = [x, y, *given]
    inverse = np.linalg.inv(correlation[np.ix_(nodes, nodes)])
    return float(-inverse[0, 1] / math.sqrt(inverse[0, 0] * inverse[1, 1]))
