"""
A farm
======

Learn a graph from a table whose true graph is known, and show the two side by side.

A small farm: ten columns, each a weighted sum of its causes plus noise. The table is written to a
CSV file and read back, as your own would be.
"""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from greedag import CPDAG, Moments, learn
from greedag.metrics import precision_recall_f1, shd

ROWS, SEED = 2000, 7
CAUSES: dict[str, dict[str, float]] = {
    "altitude": {},
    "rainfall": {"altitude": 0.8},
    "temperature": {"altitude": -0.9},
    "irrigation": {},
    "soil_moisture": {"rainfall": 0.7, "irrigation": 0.8, "temperature": -0.5},
    "fertiliser": {},
    "growth": {"soil_moisture": 0.9, "fertiliser": 0.6, "temperature": 0.5},
    "pests": {"temperature": 0.7},
    "harvest": {"growth": 1.0, "pests": -0.6},
    "income": {"harvest": 0.9, "fertiliser": -0.4},
}
NAMES = list(CAUSES)


def true_dag() -> NDArray[np.uint8]:
    """Return the matrix of the farm: 1 in row a, column b is a → b."""
    dag = np.zeros((len(NAMES), len(NAMES)), dtype=np.uint8)
    for effect, causes in CAUSES.items():
        for cause in causes:
            dag[NAMES.index(cause), NAMES.index(effect)] = 1
    return dag


def write_table(path: Path) -> None:
    """Simulate the farm, causes before effects, and write it as CSV."""
    rng = np.random.default_rng(SEED)
    columns: dict[str, NDArray[np.float64]] = {}
    for effect, causes in CAUSES.items():
        noise = rng.standard_normal(ROWS) * rng.uniform(0.4, 1.0)
        columns[effect] = noise + sum(w * columns[cause] for cause, w in causes.items())
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(NAMES)
        writer.writerows(zip(*(columns[name].tolist() for name in NAMES), strict=True))


def read_moments(path: Path) -> Moments:
    """Read the table; a pandas or polars data frame would go straight into `learn`."""
    data = np.loadtxt(path, delimiter=",", skiprows=1)
    covariance, mean = np.cov(data.T, bias=True), data.mean(axis=0)
    return Moments(n=len(data), covariance=covariance, mean=mean, names=NAMES)


def bic(moments: Moments, dag: NDArray[np.uint8], alpha: float) -> float:
    """Return the Gaussian BIC of a DAG, straight from its formula."""
    covariance, n, total = moments.covariance, moments.n, 0.0
    for y in range(moments.d):
        parents = np.flatnonzero(dag[:, y])
        shared = covariance[parents, y]
        explained = shared @ np.linalg.solve(covariance[np.ix_(parents, parents)], shared)
        total -= n / 2 * (1 + np.log(covariance[y, y] - explained))
        total -= alpha / 2 * np.log(n) * (len(parents) + 1)
    return float(total)


def side_by_side(found: CPDAG, true: CPDAG) -> str:
    """Return both graphs' edges in two columns, one line per pair of adjacent columns."""
    left, right = edge_texts(found), edge_texts(true)
    lines = [f"{'learned':<32}true class", f"{'-------':<32}----------"]
    for pair in sorted(left.keys() | right.keys()):
        a, b = left.get(pair, ""), right.get(pair, "")
        lines.append(f"{a:<32}{b:<32}{'' if a == b else '  differs'}".rstrip())
    return "\n".join(lines)


def edge_texts(graph: CPDAG) -> dict[tuple[int, ...], str]:
    """Return the text of each edge under its pair of column numbers."""
    edges = [(pair, "→") for pair in graph.directed] + [(pair, "-") for pair in graph.undirected]
    return {
        tuple(sorted((NAMES.index(a), NAMES.index(b)))): f"{a} {mark} {b}" for (a, b), mark in edges
    }


def main() -> None:
    """Run the demonstration."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "farm.csv"
        write_table(path)
        moments = read_moments(path)
    result, true = learn(moments), CPDAG.from_dag(true_dag(), NAMES)
    gap = result.score - bic(moments, true_dag(), alpha=2.0)
    scores = precision_recall_f1(result.cpdag, true)
    print(f"A table of {moments.n} rows and {moments.d} columns, learned with XGES in", end=" ")
    print(f"{1000 * result.timings['search']:.1f} ms:\n")
    print(side_by_side(result.cpdag, true))
    print("\n→ the data determine the direction; - they do not: both directions fit equally well.")
    print(f"\nStructural Hamming distance  {shd(result.cpdag, true)}")
    print(f"Precision, recall, F1        {', '.join(f'{score:.2f}' for score in scores)}")
    print(f"Score, excess over the truth {result.score:.2f}, {gap:+.2f}")


if __name__ == "__main__":
    main()
