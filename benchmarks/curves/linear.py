"""Linear Gaussian tables: what the additive score loses there, and which arrows it makes up.

``python benchmarks/curves/linear.py [--seeds 20] [--columns 30] [--rows 500 2000 10000] [--save]``

The paper's simulation, and columns that are sums of their standardised parents plus noise of 0.5.
Of a linear Gaussian model curves tell no direction: an arrow of the result's graph between columns
whose edge its class leaves open is evidence of nothing. "False arrows" are those that point against
the true DAG, as a share of all edges that the learned class leaves open and the true graph has.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))
from judged import distance, mean, with_error

from greedag import learn
from greedag.scores import GaussianBIC
from greedag.simulate import additive, linear_gaussian
from page import publish
from report import parser, table

FIRST_SEED = 171_000
MODELS: dict[str, Callable[[int, int, int], Any]] = {
    "paper, 2 parents": lambda d, n, seed: linear_gaussian(d, 2.0, n, seed=seed),
    "paper, 1.5 parents": lambda d, n, seed: linear_gaussian(d, 1.5, n, seed=seed),
    "noise 0.5, 1.5 parents": lambda d, n, seed: additive(d, 1.5, n, seed=seed, curve="linear"),
}


@dataclass(frozen=True, slots=True)
class Found:
    """Distances of both scores on one table, and the arrows that the additive one makes up."""

    additive: int
    gaussian: int
    open: int
    directed: int
    false: int


def measure(model: str, d: int, n: int, seed: int) -> Found:
    """Learn with both scores."""
    drawn = MODELS[model](d, n, FIRST_SEED + seed)
    truth = drawn.cpdag.to_matrix()
    curved = learn(drawn.data, score="additive")
    straight = learn(drawn.data, score=GaussianBIC())
    of_class, graph = curved.cpdag.to_matrix(), curved.graph.to_matrix()
    skeleton = (drawn.dag | drawn.dag.T) == 1
    left_open = (of_class & of_class.T).astype(bool) & skeleton
    arrows = left_open & (graph == 1) & (graph.T == 0)
    return Found(
        additive=distance(of_class, truth),
        gaussian=distance(straight.cpdag.to_matrix(), truth),
        open=int(np.triu(left_open).sum()),
        directed=int(arrows.sum()),
        false=int((arrows & (drawn.dag == 0)).sum()),
    )


def row(model: str, d: int, n: int, seeds: int) -> list[str]:
    """Return a row of the table."""
    found = [measure(model, d, n, seed) for seed in range(seeds)]
    left_open = sum(one.open for one in found)
    cells = [
        *(model, f"{d}", f"{n:,}"),
        with_error(one.additive for one in found),
        with_error(one.gaussian for one in found),
        f"{mean(one.additive - one.gaussian for one in found):+.2f}",
        f"{left_open}",
        f"{sum(one.directed for one in found)}",
        f"{sum(one.false for one in found)} ({sum(o.false for o in found) / left_open:.1%})"
        if left_open
        else "",
    ]
    print(*cells, flush=True)
    return cells


REMARK = (
    "Of a linear Gaussian model curves tell no direction. False arrows: those against the true DAG "
    "among edges that the learned class leaves open."
)
HEADER = [
    *("model", "d", "n", "SHD, additive", "SHD, Gaussian BIC", "difference"),
    *("open edges", "directed by curves", "false arrows"),
]


def main() -> None:
    """Measure, and print the table."""
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=20, help="tables a cell")
    options.add_argument("--columns", type=int, nargs="+", default=[30])
    options.add_argument("--rows", type=int, nargs="+", default=[500, 2_000, 10_000])
    options.add_argument("--models", nargs="+", default=[*MODELS])
    chosen = options.parse_args()
    rows = [
        row(model, d, n, chosen.seeds)
        for model in chosen.models
        for d in chosen.columns
        for n in chosen.rows
    ]
    publish("Linear tables", [*table(HEADER, rows), "", REMARK], save=chosen.save)


if __name__ == "__main__":
    main()
