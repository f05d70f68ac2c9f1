"""Each step of a search with background knowledge beside all operators that it could have taken.

Classes of more than five nodes are judged by ``_core.orient``, which is compared with brute force
elsewhere; operators come from the naive twin. Searches run without a cap on cliques: among those
that it leaves out, there may be the only one that is admissible.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from greedag import _core
from helpers.knowledge import OPTIMAL, engine_and_twin, engine_knowledge
from oracle import naive_search
from oracle.knowledge import Statements
from oracle.random_knowledge import consistent_statements

Matrix = np.ndarray
ORDER = ("delete", "reverse", "insert")
"""XGES-0 looks for operators of these kinds in turn."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges operators by their gain and by whether the class that they lead to is admissible."""

    score: _core.Score
    knowledge: _core.Knowledge
    min_gain: float

    def best_gain(self, graph: Matrix, kind: str) -> float:
        """Return the gain of the best operator of a kind, 0 if none gains."""
        rated = [
            (_core.gain(self.score, kind, x, y, E, F), x, y, T)
            for _, x, y, T, E, F, _ in naive_search.valid_operators(graph, kind)
        ]
        for gain, x, y, T in sorted(rated, reverse=True):
            if gain <= self.min_gain:
                return 0.0
            if self.admits(naive_search.apply(graph, kind, x, y, T)):
                return gain
        return 0.0

    def admits(self, graph: Matrix) -> bool:
        """Whether a class has an admissible member."""
        return _core.orient(graph, self.knowledge) is not None


def required_class(known: Statements) -> Matrix:
    """Return the class of the required arcs."""
    dag = np.zeros((known.d, known.d), dtype=np.uint8)
    for arc in known.required:
        dag[arc] = 1
    return _core.cpdag_of_dag(dag)


def wrong_steps(seed: int, d: int) -> list[str]:
    """Replay XGES-0: no admissible operator of the same kind, or of one before, is better."""
    kind_of_statements, known = consistent_statements(seed, d)
    score, _, n = engine_and_twin("gaussian-bic", seed, d)
    judge = Judge(score, engine_knowledge(known), _core.min_gain(n))
    found = _core.search(score, "xges0", clique_cap=0, knowledge=judge.knowledge)
    graph, wrong = required_class(known), []
    label = f"seed {seed}, d = {d}, {kind_of_statements}"
    for step in found.trace[len(known.required) :]:
        kind, x, y, T, *_, gain = step
        for other in ORDER[: ORDER.index(kind) + 1]:
            least = gain if other == kind else 0.0
            best = judge.best_gain(graph, other)
            if best > least + 1e-9 * abs(found.score):
                wrong.append(f"{label}: {step} is taken, but some {other} gains {best}\n{graph}")
        graph = naive_search.apply(graph, kind, x, y, T)
        if not judge.admits(graph):
            wrong.append(f"{label}: {step} leads to an inadmissible class\n{graph}")
    if not np.array_equal(graph, found.adjacency):
        wrong.append(f"{label}: the trace leads to\n{graph}\nthe search to\n{found.adjacency}")
    return [f"{fault}\n{known}" for fault in wrong]


def wrong_ends(seed: int, d: int) -> list[str]:
    """Return the searches that end where an admissible operator gains."""
    kind_of_statements, known = consistent_statements(seed, d)
    score, _, n = engine_and_twin("gaussian-bic", seed, d)
    judge, wrong = Judge(score, engine_knowledge(known), _core.min_gain(n)), []
    for name, effort in [*((name, 0.0) for name in OPTIMAL), ("xges", 0.0), ("xges", 1.0)]:
        found = _core.search(score, name, clique_cap=0, effort=effort, knowledge=judge.knowledge)
        for kind in ORDER:
            best = judge.best_gain(found.adjacency, kind)
            if best > 1e-9 * abs(found.score):
                wrong.append(f"{name}, effort {effort:g}: a further {kind} gains {best}")
    return [f"seed {seed}, d = {d}, {kind_of_statements}: {fault}\n{known}" for fault in wrong]


def step_case(task: tuple[int, int]) -> list[str]:
    """Replay and end searches on the data and statements of one seed."""
    return wrong_steps(*task) + wrong_ends(*task)
