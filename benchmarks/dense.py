"""XGES on tables driven by hidden factors, beside FLOP where `flopsearch` is installed.

``python benchmarks/dense.py [--seeds 3] [--cases 10x1 20x1 50x1 30x3]`` prints seconds, the score
above FLOP's without restarts (which draws its own order, so that it differs from run to run), and
the notes' number, a line a table.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time

import numpy as np
from numpy.typing import NDArray

from greedag import CPDAG, Moments, _core, learn

ROWS, ALPHA = 10_000, 2.0


def factor_rows(d: int, factors: int, seed: int) -> NDArray[np.float64]:
    """Each column a sum of the factors, weighted by U(0.5, 1.5), plus unit noise."""
    rng = np.random.default_rng(seed)
    loadings = rng.uniform(0.5, 1.5, (factors, d))
    return rng.normal(size=(ROWS, factors)) @ loadings + rng.normal(size=(ROWS, d))


def flop_score(rows: NDArray[np.float64], moments: Moments) -> float:
    """Score of the class that FLOP finds without restarts; NaN if it is not installed."""
    if importlib.util.find_spec("flopsearch") is None:
        return float("nan")
    import flopsearch

    marks = np.array(flopsearch.flop(rows, ALPHA, restarts=0))  # 1 is →, 2 is -
    undirected = marks == 2
    graph = CPDAG.from_matrix(((marks == 1) | undirected | undirected.T).astype(np.uint8))
    statistics = (moments.correlation, moments.log_variances, ROWS, ALPHA)
    return _core.GaussianBic(*statistics).of_dag(graph.to_dag())


def main(arguments: list[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--cases", nargs="*", default=["10x1", "20x1", "30x3", "50x1"])
    options = parser.parse_args(arguments)
    for case in options.cases:
        d, factors = (int(part) for part in case.split("x"))
        for seed in range(options.seeds):
            rows = factor_rows(d, factors, seed)
            moments = Moments.from_data(rows)
            used = time.process_time()
            result = learn(moments, alpha=ALPHA, effort=0)
            used = time.process_time() - used
            above = result.score - flop_score(rows, moments)
            print(
                f"d {d}, factors {factors}, seed {seed}: {result.timings['search']:.2f} s "
                f"({used:.2f} s of CPU), {above:+.3f} above FLOP0, {len(result.notes)} notes",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
