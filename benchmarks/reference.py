"""Scores beside those that other programs reached on the same covariances.

``python benchmarks/reference.py [FOLDER]``: the folder holds cases as .npz files (covariance, n)
and reference.json with the scores recorded for them; benchmarks/data unless another is given.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from greedag import _core
from speed.stored import ALPHA, DATA, Case, stored_cases

RUNS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "XGES-0": ("xges0", "xges0", {}),
    "XGES, forbids kept": ("xges", "xges", {"keep_forbidden": True}),
    "XGES, forbids kept, no cap": (
        "xges",
        "xges",
        {"keep_forbidden": True, "clique_cap": 0, "trial_cap": 0},
    ),
    "XGES": ("xges", "xges", {}),
    "XGES, no cap": ("xges", "xges", {"clique_cap": 0, "trial_cap": 0}),
}


def difference(case: Case, run: str) -> float | None:
    """Our score minus the recorded one; none if there is none."""
    search, reference, options = RUNS[run]
    if reference not in case.recorded:
        return None
    moments = case.moments
    statistics = (moments.correlation, moments.log_variances, moments.n, ALPHA)
    return (
        _core.search(_core.GaussianBic(*statistics), search, **options).score
        - case.recorded[reference]["score"]
    )


def main(arguments: list[str]) -> None:
    """Print a line a case and the summary of each run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=DATA)
    folder = parser.parse_args(arguments).folder
    found: dict[str, list[tuple[float, float]]] = {run: [] for run in RUNS}
    for case in stored_cases(folder):
        line = [f"{case.name:18}"]
        for run in RUNS:
            gap = difference(case, run)
            if gap is not None:
                found[run].append((gap, case.recorded["xges0"]["score"]))
                line.append(f"{run} {gap:+.6f}")
        print(" | ".join(line), flush=True)
    for run, gaps in found.items():
        same = sum(abs(gap) <= 1e-6 * abs(score) for gap, score in gaps)
        above = sum(gap >= -1e-9 * abs(score) for gap, score in gaps)
        mean = float(np.mean([gap for gap, _ in gaps]))
        print(
            f"{run}: {same} of {len(gaps)} within 1e-6 relative, "
            f"{above} at or above, mean difference {mean:+.3f}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
