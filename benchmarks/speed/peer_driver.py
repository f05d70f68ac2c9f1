"""One program on one table, run by peers.py in that program's own environment.

``python peer_driver.py PROGRAM ROWS.npy MATRIX.npy`` writes the matrix of the class that was found
(1 at i, j and 0 at j, i is i → j; both 1 is i - j) and prints the seconds it took as JSON. Programs
are imported, and those that compile themselves are compiled, before the clock starts.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from numpy.typing import ArrayLike, NDArray

ALPHA = 2.0
Rows = NDArray[np.float64]
Found = tuple[ArrayLike, "float | None"]
"""The matrix, and the seconds of the search alone where a program tells them."""


def greedag(rows: Rows) -> Found:
    from greedag import learn

    result = learn(rows, alpha=ALPHA, effort=0)
    return result.cpdag.to_matrix(), result.timings["search"]


def flopsearch(rows: Rows) -> Found:
    from flopsearch import flop

    return np.array(flop(rows, ALPHA, restarts=20)) > 0, None


def xges(rows: Rows) -> Found:
    from xges import XGES

    return XGES(alpha=ALPHA).fit(rows, verbose=0).to_adjacency_matrix(), None


def ges(rows: Rows) -> Found:
    from ges import fit
    from ges.scores import GaussObsL0Pen

    graph, _ = fit(GaussObsL0Pen(rows, lmbda=ALPHA / 2 * np.log(len(rows))))
    return graph, None


def causal_learn(rows: Rows) -> Found:
    from causallearn.search.ScoreBased.GES import ges

    # A mark of -1 at i, j is a tail at i.
    return ges(rows, lambda_value=ALPHA / 2)["G"].graph == -1, None


PROGRAMS = {
    "greedag": greedag,
    "flopsearch": flopsearch,
    "xges": xges,
    "ges": ges,
    "causal-learn": causal_learn,
}


def small_table() -> Rows:
    """Return rows on which a program takes all its paths in no time."""
    rows = np.random.default_rng(0).standard_normal((200, 5))
    rows[:, 3] += rows[:, 0] + rows[:, 1]
    rows[:, 4] += rows[:, 3]
    return rows


def main(program: str, rows_path: str, matrix_path: str) -> None:
    """Warm up, run once, and tell."""
    run = PROGRAMS[program]
    rows = np.load(rows_path)
    run(small_table())
    start = time.perf_counter()
    matrix, search_seconds = run(rows)
    seconds = time.perf_counter() - start
    np.save(matrix_path, np.asarray(matrix).astype(np.uint8))
    print(json.dumps({"seconds": seconds, "search_seconds": search_seconds}))


if __name__ == "__main__":
    main(*sys.argv[1:])
