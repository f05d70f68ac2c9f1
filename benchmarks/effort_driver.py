"""One rival on one table, run by effort.py in the rival's own environment.

``python effort_driver.py RIVAL ROWS.npy MATRIX.npy`` writes the matrix of the class (1 at i, j and
0 at j, i is i → j; both 1 is i - j) and prints the CPU seconds that it took as JSON.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from numpy.typing import ArrayLike, NDArray

ALPHA = 2.0


def flop(rows: NDArray[np.float64], restarts: int) -> ArrayLike:
    """FLOP with so many restarts."""
    from flopsearch import flop as search

    return np.array(search(rows, ALPHA, restarts=restarts)) > 0


def boss(rows: NDArray[np.float64]) -> ArrayLike:
    """BOSS of causal-learn; its lambda is half of our alpha."""
    from causallearn.search.PermutationBased.BOSS import boss as search

    graph = search(rows, "local_score_BIC_from_cov", {"lambda_value": ALPHA / 2}, verbose=False)
    # A mark of -1 at i, j is a tail at i.
    return graph.graph == -1


def main(rival: str, rows_path: str, matrix_path: str) -> None:
    """Run once, and tell."""
    rows = np.load(rows_path)
    name, _, count = rival.partition("-")
    run = (lambda table: flop(table, int(count))) if name == "flop" else boss
    run(np.random.default_rng(0).standard_normal((100, 4)))  # imports, and compiles if need be
    start = time.process_time()
    matrix = run(rows)
    seconds = time.process_time() - start
    np.save(matrix_path, np.asarray(matrix).astype(np.uint8))
    print("\n" + json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main(*sys.argv[1:])
