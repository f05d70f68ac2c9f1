"""Reliability diagrams: among edges that a share of the draws finds, how many are true.

``python benchmarks/stability/reliability.py [--sets 500] [--draws 50] [--save]
[--plot reliability.svg]`` prints what this run measured.

Linear Gaussian tables of 10 to 50 columns and 200 to 10,000 rows with 1 to 3 parents a column, each
number drawn at random for each table. An edge is true if the true graph has one between these
columns. An arrow x → y is true if the true class has it; an arrow of the true DAG that the class
leaves open is no true arrow, as no search can tell it.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))
from greedag import simulate, stability
from page import publish
from report import parser, table

FIRST_SEED = 182_000
BINS = np.array([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
"""Bounds of the bins of shares; the last bin has both of its bounds."""
FEW = 1_000

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judged:
    """Shares on one table, and whether what they are shares of is true."""

    n: int
    d: int
    edges: Floats
    true_edges: NDArray[np.bool_]
    arrows: Floats
    true_arrows: NDArray[np.bool_]


def judge(seed: int, draws: int) -> Judged:
    """Draw a table, and compare shares of its draws with the truth."""
    random = np.random.default_rng([FIRST_SEED, seed])
    d = int(random.integers(10, 51))
    n = round(200 * 50 ** random.random())
    drawn = simulate.linear_gaussian(d, random.uniform(1, 3), n, seed=FIRST_SEED + seed)
    found = stability(drawn.data, draws=draws, seed=seed)
    true = drawn.cpdag.to_matrix() > 0
    upper = np.triu_indices(d, 1)
    off = ~np.eye(d, dtype=bool)
    return Judged(
        n,
        d,
        found.adjacent[upper],
        (true | true.T)[upper],
        found.directed[off],
        (true & ~true.T)[off],
    )


def by_bin(shares: Floats, is_true: NDArray[np.bool_]) -> list[tuple[int, float, float]]:
    """Return count, mean share and share of true ones in each bin, without shares of 0."""
    kept = shares > 0
    shares, is_true = shares[kept], is_true[kept]
    place = np.clip(np.searchsorted(BINS, shares, side="right") - 1, 0, len(BINS) - 2)
    found = []
    for at in range(len(BINS) - 1):
        here = place == at
        count = int(here.sum())
        means = (shares[here].mean(), is_true[here].mean()) if count else (math.nan, math.nan)
        found.append((count, *map(float, means)))
    return found


def group_rows(judged: list[Judged], what: str, label: str) -> list[list[str]]:
    """Return the rows of the table for a group of tables."""
    shares = np.concatenate([getattr(one, what) for one in judged])
    is_true = np.concatenate([getattr(one, f"true_{what}") for one in judged])
    rows = []
    bins = zip(pairwise(BINS), by_bin(shares, is_true), strict=True)
    for (low, high), (count, mean, true) in bins:
        error = math.sqrt(true * (1 - true) / count) if count else math.nan
        rows.append(
            [
                label,
                f"{low:g} to {high:g}",
                f"{count:,}",
                f"{mean:.2f}",
                f"{true:.3f} ± {error:.3f}",
            ]
        )
    return rows


def groups(judged: list[Judged]) -> dict[str, list[Judged]]:
    """Return the tables of all, few and many rows."""
    return {
        "all": judged,
        f"n < {FEW:,}": [one for one in judged if one.n < FEW],
        f"n ≥ {FEW:,}": [one for one in judged if one.n >= FEW],
    }


def plot(judged: list[Judged], path: Path) -> None:
    """Draw the share of true ones by the share of draws."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "reliability"
    figure, panels = plt.subplots(1, 2, figsize=(8, 4), sharey=True)
    for axes, what in zip(panels, ("edges", "arrows"), strict=True):
        axes.plot([0, 1], [0, 1], color="0.8", zorder=0)
        for (label, some), marker in zip(list(groups(judged).items())[1:], "os", strict=True):
            shares = np.concatenate([getattr(one, what) for one in some])
            is_true = np.concatenate([getattr(one, f"true_{what}") for one in some])
            points = [(mean, true) for count, mean, true in by_bin(shares, is_true) if count >= 20]
            axes.plot(*zip(*points, strict=True), marker=marker, label=label)
        axes.set(xlabel="share of draws that find it", title=what, aspect="equal")
    panels[0].set_ylabel("share of these that is true")
    panels[0].legend(frameon=False)
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")


def main() -> None:
    """Measure, and print the tables."""
    options = parser(__doc__)
    options.add_argument("--sets", type=int, default=500)
    options.add_argument("--draws", type=int, default=50)
    options.add_argument("--plot", type=Path, help="draw the diagram to this SVG file")
    chosen = options.parse_args()
    judged = []
    for seed in range(chosen.sets):
        judged.append(judge(seed, chosen.draws))
        if seed % 50 == 49:
            print(seed + 1, file=sys.stderr, flush=True)
    if chosen.plot:
        plot(judged, chosen.plot)
    lines = []
    for what in ("edges", "arrows"):
        rows = [
            line for label, some in groups(judged).items() for line in group_rows(some, what, label)
        ]
        lines += [*table(["tables", f"share, {what}", "number", "mean share", "true"], rows), ""]
    publish("Reliability", lines[:-1], save=chosen.save)


if __name__ == "__main__":
    main()
