"""Explanations where the members of a class score differently, by curves or by interventions.

There the strength of an edge is what the best DAG loses without it, all else unchanged. The
direction margin of a directed edge is what the best DAG found with the edge turned scores less; the
true margin may be smaller. Where class and knowledge leave an edge undirected, evidence directs it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from greedag import _core
from greedag.drawing.labels import WEAK_MARGIN, printable, sources
from greedag.graph.mpdag import Matrix, Pair, edge_mark, graph_of
from greedag.graph.orientation import Direction
from greedag.result.edges import Strength, Strengths, TurnedClass
from greedag.result.explain import (
    Edge,
    Explanation,
    NameOf,
    effect,
    indexed,
    known_directions,
    known_edges,
)
from greedag.result.result import Result, engine_of, known_by

# Seconds that the direction margins of a result may take for explanations.
_MARGIN_SECONDS = 10.0
# Margins that differ by no more than this share are equal.
_ROUNDING = 1e-9
_FOLLOWS = {
    "knowledge": "known ones",
    "intervention": "those that interventions tell",
    "curve": "those that curves tell",
    "score": "those that the score tells",
}


@dataclass(frozen=True, slots=True)
class DagExplanation(Explanation):
    """All that is known about one pair of columns, where the members of a class score differently.

    Attributes
    ----------
    arc : tuple of str
        Tail and head of the edge in the best DAG or, if there is none, of the one to add.
    gain : float or None
        By how much the score of the best DAG would rise with that arc; None if there is an edge.
    source : str
        What directs an edge that the class leaves undirected, itself or by Meek's rules:
        ``"knowledge"`` or a kind of evidence; else empty.
    columns : int or None
        By how many columns of its curve the tail enters: 1 for a line; None without a curve.
    """

    arc: Pair = ("", "")
    gain: float | None = None
    source: str = field(default="", repr=False)
    columns: int | None = None

    def sentences(self, name_of: NameOf = printable) -> list[str]:
        """Return the explanation in plain sentences."""
        if not self.edge:
            return [self._on_absence(name_of)]
        said = (self._on_worth, self._on_curve, self._on_direction, self._on_turning)
        return [sentence for say in said if (sentence := say(name_of))]

    def _on_absence(self, name_of: NameOf) -> str:
        apart = f"{name_of(self.a)} and {name_of(self.b)} are not adjacent"
        known = "" if self.known is None else self.known.on_absence(self.gain)
        if not self.with_data:
            return f"{apart}.{known} What an edge would cost {self._unknown}"
        if self.gain is None or not math.isfinite(self.gain):
            return f"{apart}: an edge would fit a column exactly.{known}"
        tail, head = map(name_of, self.arc)
        return f"{apart}: adding {tail} → {head} to the best DAG would {effect(self.gain)}.{known}"

    def _on_curve(self, name_of: NameOf) -> str:
        if self.columns is None:
            return ""
        tail, head = map(name_of, self.arc)
        if self.columns == 1:
            return f"The effect of {tail} on {head} is a line: a curve would not score higher."
        return (
            f"The effect of {tail} on {head} bends ({self.columns} columns of curve, against 1 for "
            "a line)."
        )

    def _on_direction(self, name_of: NameOf) -> str:
        if self.direction is not None and self.direction.rule == "both":
            tail, head = map(name_of, self.arc)
            return (
                f"The direction is left open: the best DAG has {tail} → {head}, but DAGs of the "
                f"class with {head} → {tail} score too close to it to tell."
            )
        said = Explanation._on_direction(self, name_of)
        if self.source and self.direction is not None and self.direction.rule.startswith("meek-"):
            rule = self.direction.rule[-1]
            start = f"The direction follows from {_FOLLOWS[self.source]} by Meek's rule {rule}:"
            return start + said.partition(":")[2]
        return said

    def _on_turning(self, name_of: NameOf) -> str:
        tail, head = self._ends(name_of)
        if self.source == "knowledge":
            return "Without what is known, the class leaves its direction open."
        if self.edge != "-" and self.known is not None and self.known.excluded:
            return self.known.on_turning(head, tail)
        if self.edge == "-" or self.turned is None:
            return ""
        evidence = None if self.direction is None else self.direction.evidence
        told = math.inf if evidence is None or evidence.margin is None else evidence.margin
        # The same DAG may have both margins, by sums in another order.
        if self.turned.margin >= told * (1.0 - _ROUNDING):
            return ""
        if self.turned.margin < 0.0:
            return (
                f"A DAG with {head} → {tail} scores {-self.turned.margin:.6g} higher, so this "
                "result is not the best. Search again with a larger effort."
            )
        weak = ", so its direction is weakly supported"
        return (
            f"Turning it to {head} → {tail}, whatever else changes, would cost at most "
            f"{self.turned.margin:.6g} of the score{weak * (self.turned.margin < WEAK_MARGIN)}."
        )


def explanations(
    result: Result, pairs: Iterable[tuple[str, str]] | None = None
) -> list[Explanation]:
    """Explain many pairs of columns; see `explain.explanations`."""
    graph, dag = graph_of(result), result.best_dag
    edges = indexed(result.cpdag, [*graph.directed, *graph.undirected] if pairs is None else pairs)
    score = engine_of(result, "explaining an edge") if result.has_data else None
    causes, directed_by = graph.reasons(), sources(graph)
    matrix, known = graph.to_matrix(), known_edges(result)
    turned = {} if score is None else _turned(result, _MARGIN_SECONDS)
    bending = _bending(result, [j if dag[i, j] else i for i, j in edges])
    explained: list[Explanation] = []
    for i, j in edges:
        names = result.cpdag.names
        mark, arc = edge_mark(matrix, i, j), (j, i) if dag[j, i] else (i, j)
        a, b = names[i], names[j]
        ends = (b, a) if mark == "←" else (a, b)
        if score is not None and not mark:
            arc = _best_addition(score, dag, i, j)
        loss = None if score is None else _gain(score, dag, *arc)
        cause = causes.get(ends, Direction("both", ()))
        explained.append(
            DagExplanation(
                a=a,
                b=b,
                edge=mark,
                strength=loss if mark else None,
                delete=None,
                insert=None,
                step=None,
                origin=None,
                direction=cause if mark else None,
                alternative=None,
                steps=len(result.trace),
                names=names,
                with_data=result.has_data,
                with_score=result.objective is not None,
                turned=turned.get((j, i) if mark == "←" else (i, j)) if mark else None,
                by_knowledge=directed_by.get(ends) == "knowledge",
                known=None if known is None else known.pair(i, j, mark, None),
                arc=(names[arc[0]], names[arc[1]]),
                gain=None if mark or loss is None else loss,
                source=directed_by.get(ends, ""),
                columns=bending.get(arc) if mark else None,
            )
        )
    return explained


def strengths(result: Result, time_limit: float) -> Strengths:
    """Return the strength of every edge, strongest first; see :meth:`Result.strengths`."""
    graph, dag = graph_of(result), result.best_dag
    score = engine_of(result, "the strength of an edge")
    edges = [(a, "→", b) for a, b in graph.directed] + [(a, "-", b) for a, b in graph.undirected]
    pairs = indexed(result.cpdag, [(a, b) for a, _, b in edges])
    known, directed_by = known_directions(result), sources(graph)
    gains = _core.removed_arcs(score, dag, [(i, j) if dag[i, j] else (j, i) for i, j in pairs])
    turned = _turned(result, time_limit)
    found = [
        Strength(
            a,
            b,
            mark,
            -gain,
            None if (other := turned.get(pair)) is None else other.margin,
            known.get((a, b), ""),
            directed_by.get((a, b), "").replace("knowledge", ""),
        )
        for (a, mark, b), pair, gain in zip(edges, pairs, gains, strict=True)
    ]
    return Strengths(sorted(found, key=lambda strength: -strength.loss))


def _turned(result: Result, seconds: float) -> Mapping[Edge, TurnedClass]:
    """Return the margin of each directed edge whose direction is not known beforehand."""
    graph = graph_of(result)
    directed = indexed(result.cpdag, sorted({*graph.directed} - {*graph.known}))
    fixed = known_edges(result)
    arcs = directed if fixed is None else fixed.turnable(directed)
    spent, found = getattr(result, "_turned", (0.0, None))
    if found is None or (len(found) < len(arcs) and spent < seconds):
        found = _find_turned(result, arcs, seconds)
        object.__setattr__(result, "_turned", (seconds, found))
    return found


def _find_turned(result: Result, arcs: Sequence[Edge], seconds: float) -> dict[Edge, TurnedClass]:
    score = engine_of(result, "a direction margin")
    gains = _core.turned_arcs(
        score, result.best_dag, arcs, knowledge=known_by(result), time_limit=seconds
    )
    searched = zip(arcs, gains, strict=True)
    found = {arc: TurnedClass(0.0 - gain, (), False) for arc, gain in searched if gain is not None}
    for evidence in result.evidence:
        [arc] = indexed(result.cpdag, [(evidence.tail, evidence.head)])
        known = found.get(arc)
        if evidence.margin is not None and (known is None or evidence.margin < known.margin):
            found[arc] = TurnedClass(evidence.margin, (), False)
    return found


def _gain(score: _core.Score, dag: Matrix, x: int, y: int) -> float:
    """Return how much y gains by its parent x."""
    others = [parent for parent in np.flatnonzero(dag[:, y]).tolist() if parent != x]
    return score.local_score(y, sorted([*others, x])) - score.local_score(y, others)


def _best_addition(score: _core.Score, dag: Matrix, i: int, j: int) -> Edge:
    """Return the arc between two columns, without a cycle, that gains most."""
    arcs = [arc for arc in ((i, j), (j, i)) if not _reaches(dag, arc[1], arc[0])]
    return max(arcs, key=lambda arc: _gain(score, dag, *arc))


def _reaches(dag: Matrix, start: int, end: int) -> bool:
    """Whether a directed path leads from one node to another."""
    seen, border = {start}, [start]
    while border:
        border = [int(y) for x in border for y in np.flatnonzero(dag[x]) if y not in seen]
        border = list(dict.fromkeys(border))
        seen.update(border)
    return end in seen


def _bending(result: Result, heads: Iterable[int]) -> dict[Edge, int]:
    """Return by how many columns of their curves the continuous parents of some columns enter."""
    kinds = getattr(result.statistics, "kinds", None)
    if kinds is None or result.objective is None:
        return {}
    from greedag.result.curve import Effects

    effects = Effects(result)
    return {
        (x, y): len(columns)
        for y in set(heads)
        for x, columns in effects.columns(y).items()
        if kinds[x] == "continuous"
    }
