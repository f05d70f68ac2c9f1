"""Why an edge of a class is directed: a v-structure, or a rule of Meek that follows from some.

A *v-structure* is a → b ← c with a and c not joined. Members of a class share all of them. Where
one direction of another edge would make one more, or a circle, only the other direction is left:
rules 1 to 3 of Meek (1995). Rule 4 is not needed without background knowledge.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from greedag.graph.cpdag import CPDAG

Edge = tuple[int, int]
Nodes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a → b is directed: a rule, and the nodes that it needs beside a and b."""

    rule: str
    nodes: Nodes


def reasons(cpdag: CPDAG) -> dict[Edge, Reason]:
    """Derive every directed edge of a class from its skeleton and v-structures.

    Each edge has the reason by which it follows first, in rounds: an edge that rests on another
    one comes in a later round, so that no two edges are each other's reason.

    Parameters
    ----------
    cpdag : CPDAG
        The class.

    Returns
    -------
    dict
        For each directed edge (tail, head), by column index, its reason.
    """
    pattern = _Pattern(cpdag)
    found = pattern.v_structures()
    fresh = dict(found)
    while fresh:
        pattern.direct(fresh)
        fresh = pattern.consequences(fresh)
        found |= fresh
    return found


class _Pattern:
    """The skeleton of a class, directed as far as it has been derived."""

    def __init__(self, cpdag: CPDAG) -> None:
        matrix = cpdag.to_matrix()
        self.adjacent: list[set[int]] = [set() for _ in range(cpdag.d)]
        self.parents: list[set[int]] = [set() for _ in range(cpdag.d)]
        self.children: list[set[int]] = [set() for _ in range(cpdag.d)]
        for i, j in np.argwhere(matrix | matrix.T).tolist():
            self.adjacent[i].add(j)
        self.neighbors = [set(nodes) for nodes in self.adjacent]
        self._arrows: list[Edge] = [(i, j) for i, j in np.argwhere(matrix & ~matrix.T & 1).tolist()]

    def v_structures(self) -> dict[Edge, Reason]:
        """Return the edges a → b for which some c → b is not joined with a."""
        heads: dict[int, set[int]] = {}
        for a, b in self._arrows:
            heads.setdefault(b, set()).add(a)
        apart = ((a, b, heads[b] - self.adjacent[a] - {a}) for a, b in self._arrows)
        return {(a, b): Reason("v-structure", (min(others),)) for a, b, others in apart if others}

    def direct(self, edges: Iterable[Edge]) -> None:
        for a, b in edges:
            self.parents[b].add(a)
            self.children[a].add(b)
            self.neighbors[a].discard(b)
            self.neighbors[b].discard(a)

    def consequences(self, fresh: Iterable[Edge]) -> dict[Edge, Reason]:
        """Return what follows by one rule. Only edges that touch a fresh one can follow anew."""
        touched = {node for edge in fresh for node in edge}
        found = {}
        for a in sorted(touched):
            for b in sorted(self.neighbors[a]):
                for edge in ((a, b), (b, a)):
                    reason = self._reason(*edge)
                    if reason:
                        found[edge] = reason
        return found

    def _reason(self, a: int, b: int) -> Reason | None:
        """Return why a - b must be a → b, if a rule says so."""
        first = self.parents[a] - self.adjacent[b]
        if first:
            return Reason("meek-1", (min(first),))
        between = self.children[a] & self.parents[b]
        if between:
            return Reason("meek-2", (min(between),))
        beside = sorted(self.neighbors[a] & self.parents[b])
        for c in beside:
            for d in beside:
                if c < d and d not in self.adjacent[c]:
                    return Reason("meek-3", (c, d))
        return None
