"""GES of `pgmpy`, with a Gaussian BIC whose penalty is ours."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

ENVIRONMENT = "pgmpy"
METHODS = {"GES (pgmpy)": {}}


def learn(rows: NDArray[np.float64], alpha: float) -> ArrayLike:
    import pandas as pd
    from pgmpy.causal_discovery import GES
    from pgmpy.structure_score import BICGauss

    class Penalised(BICGauss):  # type: ignore[misc]
        """The same likelihood, `alpha` times the textbook's penalty."""

        def _local_score(self, variable: str, parents: tuple[str, ...]) -> float:
            likelihood, regressors = self._log_likelihood(variable=variable, parents=parents)
            penalty = alpha / 2 * np.log(len(self.data)) * (regressors + 2)
            return float(likelihood - penalty)

    names = [f"x{column}" for column in range(rows.shape[1])]
    frame = pd.DataFrame(rows, columns=names)
    found = GES(scoring_method=Penalised(frame)).fit(frame)
    return found.adjacency_matrix_.loc[names, names].to_numpy()
