"""BGe by its prior: distance from the truth and false edges, beside the Gaussian BIC.

``python benchmarks/bge.py [--columns 20 50] [--rows 100 300 1000 10000] [--seeds 10] [--save]``.
Tables are those of ``simulate.linear_gaussian``, with two parents per column on average. The
defaults of BGe were chosen on the seeds from 7,000 on; these are others.
"""

from __future__ import annotations

import sys

import numpy as np

from greedag import CPDAG, Moments, learn, metrics, simulate
from greedag.scores import BGe, GaussianBIC
from speed.report import Section, parser, publish, table

SCORES = {
    "BIC, α = 1": GaussianBIC(1.0),
    "BIC, α = 2": GaussianBIC(2.0),
    "BGe, units as given, no edge penalty": BGe(units="given", edge_penalty=0.0),
    "BGe, no edge penalty": BGe(edge_penalty=0.0),
    "BGe": BGe(),
}
PARENTS = 2.0
FIRST_SEED = 8_000
Measured = dict[str, list[float]]
"""By score: means of the SHD, of precision and recall of adjacencies, and of false edges."""


def measure(d: int, n: int, seeds: int) -> Measured:
    """Return how near to the truth each score leads."""
    found: dict[str, list[list[float]]] = {name: [] for name in SCORES}
    for seed in range(FIRST_SEED, FIRST_SEED + seeds):
        drawn = simulate.linear_gaussian(d, PARENTS, n, seed=seed)
        moments = Moments.from_data(drawn.data)
        for name, score in SCORES.items():
            cpdag = learn(moments, score=score).cpdag
            precision, recall = metrics.adjacency_precision_recall(cpdag, drawn.cpdag)
            distance = metrics.shd(cpdag, drawn.cpdag)
            found[name].append([distance, precision, recall, false_edges(cpdag, drawn.cpdag)])
    print(f"{d} columns, {n} rows done", file=sys.stderr, flush=True)
    return {name: np.mean(values, axis=0).tolist() for name, values in found.items()}


def false_edges(found: CPDAG, true: CPDAG) -> int:
    """Return how many pairs are adjacent in the found class only."""
    here, there = (cells | cells.T for cells in (found.to_matrix(), true.to_matrix()))
    return int(np.triu(here & (1 - there)).sum())


def shown(values: list[float]) -> str:
    """Return the means of one score as text."""
    distance, precision, recall, false = values
    return f"{distance:.1f} / {precision:.2f} / {recall:.2f} / {false:.1f}"


def main() -> None:
    """Measure and publish."""
    options = parser(__doc__)
    options.add_argument("--columns", type=int, nargs="+", default=[20, 50])
    options.add_argument("--rows", type=int, nargs="+", default=[100, 300, 1_000, 10_000])
    options.add_argument("--seeds", type=int, default=10)
    chosen = options.parse_args()
    sizes = [(d, n) for d in chosen.columns for n in chosen.rows]
    found = {f"{d} × {n:,}": measure(d, n, chosen.seeds) for d, n in sizes}
    about = (
        "Mean SHD of the CPDAG / precision / recall of its adjacencies / false edges, by score, "
        f"found by default (XGES, effort 1); columns × rows, {PARENTS:g} parents per column, seeds "
        f"{FIRST_SEED} to {FIRST_SEED + chosen.seeds - 1}."
    )
    rows = [[size, *map(shown, by_score.values())] for size, by_score in found.items()]
    lines = [about, "", *table(["columns × rows", *SCORES], rows)]
    publish(Section("bge", "BGe by its prior", lines, found), save=chosen.save)


if __name__ == "__main__":
    main()
