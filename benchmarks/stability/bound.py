"""Expected false edges: the bound of Shah & Samworth beside the false edges that there are.

``python benchmarks/stability/bound.py [--sets 200] [--thresholds 0.6 0.75 0.9] [--save]`` prints
what this run measured.

Linear Gaussian tables as in reliability.py. The bound is on the expected number of edges at or
above the threshold that chance puts there; here it is compared with all that the true graph
does not have.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))
from greedag import simulate, stability
from page import publish
from report import parser, table

FIRST_SEED = 185_000


def judge(seed: int, draws: int, thresholds: list[float]) -> list[tuple[int, int, float]]:
    """Return stable edges, false ones and the bound at each threshold, on one table."""
    random = np.random.default_rng([FIRST_SEED, seed])
    d = int(random.integers(10, 51))
    n = round(200 * 50 ** random.random())
    drawn = simulate.linear_gaussian(d, random.uniform(1, 3), n, seed=FIRST_SEED + seed)
    found = stability(drawn.data, draws=draws, seed=seed)
    true = drawn.cpdag.to_matrix() > 0
    upper = np.triu_indices(d, 1)
    shares, is_true = found.adjacent[upper], (true | true.T)[upper]
    return [
        (
            int((shares >= at).sum()),
            int(((shares >= at) & ~is_true).sum()),
            found.expected_false(at),
        )
        for at in thresholds
    ]


def main() -> None:
    """Measure, and print the table."""
    options = parser(__doc__)
    options.add_argument("--sets", type=int, default=200)
    options.add_argument("--draws", type=int, default=100)
    options.add_argument("--thresholds", type=float, nargs="+", default=[0.6, 0.75, 0.9])
    chosen = options.parse_args()
    runs = np.array([judge(seed, chosen.draws, chosen.thresholds) for seed in range(chosen.sets)])
    rows = []
    for place, threshold in enumerate(chosen.thresholds):
        stable, false, bound = runs[:, place].T
        rows.append(
            [
                f"{threshold:g}",
                f"{stable.mean():.1f}",
                f"{false.mean():.2f}",
                f"{bound.mean():.2f}",
                f"{100 * np.mean(false <= bound):.1f} %",
            ]
        )
    header = ["threshold", "stable edges", "false ones", "bound", "tables with false ones ≤ bound"]
    publish("Expected false edges", table(header, rows), save=chosen.save)


if __name__ == "__main__":
    main()
