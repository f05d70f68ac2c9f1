"""FLOP of `flopsearch`: a search over orders of the columns, restarted from random swaps."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

ENVIRONMENT = "flopsearch"
METHODS = {"FLOP": {"restarts": 20}, "FLOP, no restarts": {"restarts": 0}}


def learn(rows: NDArray[np.float64], alpha: float, *, restarts: int = 20) -> ArrayLike:
    from flopsearch import flop

    return np.array(flop(rows, alpha, restarts=restarts)) > 0
