"""GIES of the package gies on one set of tables, run by interventions.py in its own environment.

``python gies_driver.py LIMIT ROWS.npz TARGETS MATRIX.npy`` reads the rows of all environments and,
as JSON, the columns that were set in each; it writes the matrix that was found and prints CPU
seconds. Beyond the limit, in CPU seconds, the process is ended by a signal.
"""

from __future__ import annotations

import json
import signal
import sys
import time

import gies
import numpy as np


def main(limit: str, rows: str, targets: str, matrix: str) -> None:
    """Run, and tell."""
    tables = [*np.load(rows).values()]
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, float(limit))
    found, _ = gies.fit_bic(tables, json.loads(targets))
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    np.save(matrix, (np.asarray(found) != 0).astype(np.uint8))
    print(time.process_time() - start)


if __name__ == "__main__":
    main(*sys.argv[1:])
