"""Independent columns: how often draws find edges where there are none.

``python benchmarks/stability/independent.py [--sets 200] [--draws 20] [--save]`` prints what this
run measured: the share of pairs that a search on all rows finds adjacent, and the mean share by
halves and by the bootstrap, with the penalty that it has by itself and without the correction.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))
from greedag import learn, stability
from page import publish
from report import parser, table

FIRST_SEED = 181_000
COLUMNS = 20
ALPHA = 2.0
PAIRS = COLUMNS * (COLUMNS - 1) // 2
METHODS = ("all rows", "halves", "bootstrap", "bootstrap, not corrected")


def shares(n: int, seed: int, draws: int) -> list[float]:
    """Return the share of pairs found adjacent by each method, on one table."""
    data = np.random.default_rng([FIRST_SEED, seed]).standard_normal((n, COLUMNS))
    found = learn(data, alpha=ALPHA).cpdag
    shares = [(len(found.directed) + len(found.undirected)) / PAIRS]
    # The correction adds half a point a parameter, which is 1/log(n) of alpha.
    for kind, alpha in (
        ("halves", ALPHA),
        ("bootstrap", ALPHA),
        ("bootstrap", ALPHA - 1.0 / math.log(n)),
    ):
        drawn = stability(data, draws=draws, kind=kind, alpha=alpha, seed=seed)
        shares.append(float(drawn.adjacent.sum()) / 2.0 / PAIRS)
    return shares


def main() -> None:
    """Measure, and print the table."""
    options = parser(__doc__)
    options.add_argument("--sets", type=int, default=200)
    options.add_argument("--draws", type=int, default=20)
    options.add_argument("--rows", type=int, nargs="+", default=[200, 1_000, 10_000])
    chosen = options.parse_args()
    rows = []
    for n in chosen.rows:
        runs = np.array([shares(n, seed, chosen.draws) for seed in range(chosen.sets)])
        mean, error = runs.mean(axis=0), runs.std(axis=0, ddof=1) / math.sqrt(len(runs))
        shown = [f"{100 * m:.3f} ± {100 * e:.3f}" for m, e in zip(mean, error, strict=True)]
        rows.append([f"{n:,}", *shown, f"{mean[1] / mean[0]:.2f}" if mean[0] else ""])
        print(*rows[-1], flush=True)
    lines = table(["n", *(f"{method}, %" for method in METHODS), "halves / all rows"], rows)
    lines += [
        "",
        f"Share of false pairs among {PAIRS} of {COLUMNS} independent columns, mean ± standard",
        f"error over {chosen.sets} tables, {chosen.draws} draws each, alpha = {ALPHA:g}.",
    ]
    publish("Independent columns", lines, save=chosen.save)


if __name__ == "__main__":
    main()
