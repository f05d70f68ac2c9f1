"""One program on one table, run by peers.py in that program's own environment.

``python peer_driver.py PROGRAM ROWS.npy MATRIX.npy`` writes the matrix of the class that was found
(1 at i, j and 0 at j, i is i → j; both 1 is i - j) and prints the seconds it took as JSON. Programs
are imported, and those that compile themselves are compiled, before the clock starts.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

sys.path.append(str(Path(__file__).resolve().parents[1] / "paper" / "methods"))
from driver import small_table

ALPHA = 2.0
Rows = NDArray[np.float64]
Found = tuple[ArrayLike, "float | None"]
"""The matrix, and the seconds of the search alone where a program tells them."""


def greedag(rows: Rows) -> Found:
    from greedag import learn

    result = learn(rows, alpha=ALPHA)
    return result.cpdag.to_matrix(), result.timings["search"]


def by_adapter(name: str) -> Callable[[Rows], Found]:
    """Return the program whose call stands in a file of benchmarks/paper/methods."""

    def run(rows: Rows) -> Found:
        return importlib.import_module(name).learn(rows, ALPHA), None

    return run


PROGRAMS = {
    "greedag": greedag,
    "flopsearch": by_adapter("flop"),
    "xges": by_adapter("xges_authors"),
    "ges": by_adapter("ges_python"),
    "causal-learn": by_adapter("causal_learn"),
}


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
