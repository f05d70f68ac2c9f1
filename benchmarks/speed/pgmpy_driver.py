"""One search of pgmpy on one table, run by discrete.py in a process of its own.

``python pgmpy_driver.py ges|hill-climbing EQUIVALENT_SAMPLE_SIZE TABLE.npz MATRIX.npy`` reads codes
and names, writes the matrix of the class found and prints the seconds that the search took.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np

warnings.simplefilter("ignore")


def main(search: str, size: str, table: str, matrix: str) -> None:
    """Run one search."""
    import pandas as pd
    from pgmpy.estimators import GES, BDeu, HillClimbSearch

    with np.load(table) as stored:
        names = [str(name) for name in stored["names"]]
        frame = pd.DataFrame(stored["rows"], columns=names).astype(str).astype("category")
    started = time.perf_counter()
    score = BDeu(frame, equivalent_sample_size=float(size))
    if search == "ges":
        found = GES(frame).estimate(scoring_method=score)
    else:
        found = HillClimbSearch(frame).estimate(scoring_method=score, show_progress=False)
    seconds = time.perf_counter() - started
    cells = np.zeros((len(names), len(names)), dtype=np.uint8)
    for tail, head in found.edges():
        cells[names.index(tail), names.index(head)] = 1
    np.save(matrix, cells)
    print(seconds)


if __name__ == "__main__":
    main(*sys.argv[1:])
