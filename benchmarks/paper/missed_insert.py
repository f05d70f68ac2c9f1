"""A case of four columns on which fGES misses the insert that GES makes.

b and c have a common cause a, and d depends on both: a → b, a → c, b → d, c → d. The covariance is
the model's own, so that nothing is due to chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from greedag import CPDAG, Moments, learn, metrics
from greedag.graph.mpdag import Matrix
from paper.plots import mpl
from paper.style import LOOK
from speed.report import table

NAMES = ("a", "b", "c", "d")
WEIGHTS = {("a", "b"): 1.0, ("a", "c"): 0.5, ("b", "d"): 1.0, ("c", "d"): 0.1}
ROWS, ALPHA = 10_000, 2.0
PLACES = {"a": (0.5, 1.0), "b": (0.0, 0.5), "c": (1.0, 0.5), "d": (0.5, 0.0)}


@dataclass(frozen=True, slots=True)
class Insert:
    """Insert(x, y, T), its gain, and the condition that it violates, if any."""

    x: str
    y: str
    T: tuple[str, ...]
    gain: float
    violated: str


def truth() -> CPDAG:
    """Return the class of the model."""
    dag = np.zeros((4, 4), dtype=np.uint8)
    for tail, head in WEIGHTS:
        dag[NAMES.index(tail), NAMES.index(head)] = 1
    return CPDAG.from_dag(dag, NAMES)


def moments() -> Moments:
    """Return the model's own covariance; every column's noise has variance 1."""
    weights = np.zeros((4, 4))
    for (tail, head), weight in WEIGHTS.items():
        weights[NAMES.index(tail), NAMES.index(head)] = weight
    effects = np.linalg.inv(np.eye(4) - weights.T)
    return Moments(n=ROWS, covariance=effects @ effects.T, names=NAMES)


def inserts(graph: CPDAG, x: str, y: str) -> Iterator[Insert]:
    """All Insert(x, y, T) on a class, by the definitions of the paper, valid or not."""
    matrix, (i, j) = graph.to_matrix(), (NAMES.index(x), NAMES.index(y))
    neighbors = np.flatnonzero(matrix[:, j] & matrix[j])
    parents = np.flatnonzero(matrix[:, j] & ~matrix[j] & 1)
    shared = [v for v in neighbors if matrix[v, i] | matrix[i, v]]
    free = [v for v in neighbors if v not in shared]
    for size in range(len(free) + 1):
        for chosen in combinations(free, size):
            around = [*shared, *chosen]
            gain = _gain(i, j, [*around, *parents])
            names = tuple(NAMES[t] for t in chosen)
            yield Insert(x, y, names, gain, _violated(matrix, i, j, around))


def _gain(x: int, y: int, given: list[Any]) -> float:
    """-n/2 log(1 - r²) - α/2 log n, with the partial correlation r."""
    chosen = [x, y, *given]
    inverse = np.linalg.inv(moments().correlation[np.ix_(chosen, chosen)])
    squared = inverse[0, 1] ** 2 / (inverse[0, 0] * inverse[1, 1])
    return float(-ROWS / 2 * np.log1p(-squared) - ALPHA / 2 * np.log(ROWS))


def _violated(matrix: Matrix, x: int, y: int, around: list[Any]) -> str:
    if any(not matrix[v, w] | matrix[w, v] for v, w in combinations(around, 2)):
        return "I3: not a clique"
    reached, left = {y}, [y]
    while left:
        v = left.pop()
        new = [w for w in np.flatnonzero(matrix[v]) if w not in reached and w not in around]
        reached.update(new)
        left += new
    return f"I4: a path from {NAMES[y]} to {NAMES[x]} is open" if x in reached else ""


def outcomes() -> dict[str, CPDAG]:
    """Where GES and fGES end."""
    return {
        name: learn(moments(), search=search, alpha=ALPHA).cpdag
        for name, search in (("GES", "ges"), ("fGES", "fges"))
    }


def lines() -> list[str]:
    """Return the section's text."""
    ends = outcomes()
    missed = [*inserts(ends["fGES"], "c", "d"), *inserts(ends["fGES"], "d", "c")]
    rows = [
        [f"({one.x}, {one.y}, {{{', '.join(one.T)}}})", f"{one.gain:+.0f}", one.violated or "valid"]
        for one in missed
    ]
    weights = ", ".join(f"{tail} → {head} {w:g}" for (tail, head), w in WEIGHTS.items())
    distances = {name: metrics.shd(graph, truth()) for name, graph in ends.items()}
    return [
        f"Four columns, weights {weights}, all noise of variance 1, the model's own covariance, "
        f"n = {ROWS:,}, α = {ALPHA:g}. Both searches first insert a - b, b - d and a - c. GES "
        "then adds an edge between c and d and ends at the true class "
        f"(SHD {distances['GES']}). fGES stops before, at "
        f"SHD {distances['fGES']}: of the inserts between c and d",
        "",
        *table(["Insert(x, y, T)", "gain", ""], rows),
        "",
        "the one with the empty T gains most from either end and is invalid, and it is the only "
        "one that fGES keeps.",
    ]


def draw() -> Any:
    """Draw the true class, GES's and fGES's, and the inserts between c and d."""
    figure = mpl.figure.Figure(figsize=(8.4, 2.6), layout="constrained")
    panels = figure.subplots(1, 3)
    ends = outcomes()
    for axes, (title, graph) in zip(
        panels,
        (("truth", truth()), *((f"{name} ends here", g) for name, g in ends.items())),
        strict=True,
    ):
        _class(axes, graph)
        axes.set_title(title)
    missed = "\n".join(
        f"Insert({one.x}, {one.y}, {{{', '.join(one.T)}}}): {one.gain:+.0f}, "
        f"{'invalid' if one.violated else 'valid, missed'}"
        for one in inserts(ends["fGES"], "c", "d")
    )
    panels[2].text(0.5, -0.22, missed, ha="center", va="top", fontsize=8, color=LOOK["XGES-0"][0])
    return figure


def _class(axes: Any, graph: CPDAG) -> None:
    for arrows, pairs in (("-|>", graph.directed), ("-", graph.undirected)):
        for tail, head in pairs:
            style = {"arrowstyle": arrows, "shrinkA": 10, "shrinkB": 10, "color": "#333333"}
            axes.annotate("", PLACES[head], PLACES[tail], arrowprops=style)
    for name, place in PLACES.items():
        circle = {"boxstyle": "circle,pad=0.35", "fc": "white", "ec": "#333333"}
        axes.text(*place, name, ha="center", va="center", bbox=circle)
    axes.set(xlim=(-0.3, 1.3), ylim=(-0.55, 1.2), aspect="equal")
    axes.set_axis_off()
