"""GES of `ges`: in plain Python, with a phase of turning after inserts and deletes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

ENVIRONMENT = "ges"
METHODS = {"GES-r (ges)": {}}


def learn(rows: NDArray[np.float64], alpha: float) -> ArrayLike:
    from ges import fit
    from ges.scores import GaussObsL0Pen

    graph, _ = fit(GaussObsL0Pen(rows, lmbda=alpha / 2 * np.log(len(rows))))
    return graph
