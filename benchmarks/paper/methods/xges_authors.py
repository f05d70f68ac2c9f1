"""XGES of `xges`: the paper authors' own program in Python, compiled by numba."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

ENVIRONMENT = "xges"
METHODS = {"XGES (xges)": {}}


def learn(rows: NDArray[np.float64], alpha: float) -> ArrayLike:
    from xges import XGES

    return XGES(alpha=alpha).fit(rows, verbose=0).to_adjacency_matrix()
