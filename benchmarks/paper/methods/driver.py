"""One peer on one table, run in the peer's own environment.

``python driver.py ADAPTER METHOD ALPHA LIMIT ROWS.npy MATRIX.npy`` writes the matrix of the class
that was found (1 at i, j and 0 at j, i is i → j; both 1 is i - j) and prints the seconds it took.
Programs are imported, and those that compile themselves are compiled, before the clock starts.
Beyond the limit the process is ended by a signal, wherever it is.
"""

from __future__ import annotations

import importlib
import signal
import sys
import time
import warnings

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]


def small_table() -> Rows:
    """Return rows on which a program takes all its paths in no time."""
    rows = np.random.default_rng(0).standard_normal((200, 5))
    rows[:, 3] += rows[:, 0] + rows[:, 1]
    rows[:, 4] += rows[:, 3]
    return rows


def main(adapter: str, method: str, alpha: str, limit: str, rows: str, matrix: str) -> None:
    """Warm up, run once, and tell."""
    warnings.simplefilter("ignore")
    # The adapters lie beside this file, and so on the path.
    module = importlib.import_module(adapter)
    options = module.METHODS[method]
    table = np.load(rows)
    module.learn(small_table(), float(alpha), **options)
    signal.setitimer(signal.ITIMER_REAL, float(limit))
    start = time.perf_counter()
    found = module.learn(table, float(alpha), **options)
    seconds = time.perf_counter() - start
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    np.save(matrix, np.asarray(found).astype(np.uint8))
    print(seconds)


if __name__ == "__main__":
    main(*sys.argv[1:])
