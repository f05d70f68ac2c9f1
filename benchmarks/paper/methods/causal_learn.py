"""GES, BOSS and GRaSP of `causal-learn`; its lambda is half of our alpha."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import ArrayLike, NDArray

ENVIRONMENT = "causal-learn"
METHODS = {
    "GES (causal-learn)": {"search": "ges"},
    "BOSS (causal-learn)": {"search": "boss"},
    "GRaSP (causal-learn)": {"search": "grasp"},
}


def learn(rows: NDArray[np.float64], alpha: float, *, search: str = "ges") -> ArrayLike:
    # BOSS and GRaSP start from an order that they draw.
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    if search == "ges":
        from causallearn.search.ScoreBased.GES import ges

        graph = ges(rows, lambda_value=alpha / 2)["G"]
    elif search == "boss":
        from causallearn.search.PermutationBased.BOSS import boss

        graph = boss(rows, parameters={"lambda_value": alpha / 2}, verbose=False)
    else:
        from causallearn.search.PermutationBased.GRaSP import grasp

        graph = grasp(rows, parameters={"lambda_value": alpha / 2}, verbose=False)
    # A mark of -1 at i, j is a tail at i.
    return graph.graph == -1
