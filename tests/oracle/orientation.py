"""Why edges are directed, derived with plain sets; the slow twin of the engine's `derive`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Edge = tuple[int, int]
Why = tuple[str, tuple[int, ...]]


def derive(cells: NDArray[np.uint8], given: Sequence[Edge] = ()) -> dict[Edge, Why]:
    """Return the reason of every directed edge: a rule, and the nodes that it needs."""
    pattern = Pattern(cells)
    found = pattern.closed_with(pattern.v_structures(), with_rule_4=False)
    known = {edge: ("knowledge", ()) for edge in given if edge not in found}
    found |= pattern.closed_with(known)
    for edge in pattern.arrows:
        if edge not in found:
            found |= pattern.closed_with({edge: ("knowledge", ())})
    return found


class Pattern:
    """The skeleton of a graph, directed as far as it has been derived."""

    def __init__(self, cells: NDArray[np.uint8]) -> None:
        self.adjacent: list[set[int]] = [set() for _ in cells]
        self.parents: list[set[int]] = [set() for _ in cells]
        self.children: list[set[int]] = [set() for _ in cells]
        for i, j in np.argwhere(cells | cells.T).tolist():
            self.adjacent[i].add(j)
        self.neighbors = [set(nodes) for nodes in self.adjacent]
        self.arrows: list[Edge] = [(i, j) for i, j in np.argwhere(cells > cells.T).tolist()]

    def v_structures(self) -> dict[Edge, Why]:
        """Return the edges a → b for which some c → b has c not adjacent to a."""
        heads: dict[int, set[int]] = {}
        for a, b in self.arrows:
            heads.setdefault(b, set()).add(a)
        apart = ((a, b, heads[b] - self.adjacent[a] - {a}) for a, b in self.arrows)
        return {(a, b): ("v-structure", (min(others),)) for a, b, others in apart if others}

    def closed_with(self, fresh: dict[Edge, Why], *, with_rule_4: bool = True) -> dict[Edge, Why]:
        """Direct some edges and all that follow, in rounds; return all of them."""
        found: dict[Edge, Why] = {}
        while fresh:
            found |= fresh
            self.direct(fresh)
            fresh = self.following(self.rules_1_to_3)
            if not fresh and with_rule_4:
                fresh = self.following(self.rule_4)
        return found

    def direct(self, edges: Iterable[Edge]) -> None:
        """Direct edges, each from its first node to its second."""
        for a, b in edges:
            self.parents[b].add(a)
            self.children[a].add(b)
            self.neighbors[a].discard(b)
            self.neighbors[b].discard(a)

    def following(self, rule: Callable[[int, int], Why | None]) -> dict[Edge, Why]:
        """Return the undirected edges that a rule directs."""
        edges = [(a, b) for a, others in enumerate(self.neighbors) for b in others]
        return {edge: why for edge in edges if (why := rule(*edge))}

    def rules_1_to_3(self, a: int, b: int) -> Why | None:
        """Return why a - b must be a → b, if one of the rules says so."""
        first = self.parents[a] - self.adjacent[b]
        if first:
            return "meek-1", (min(first),)
        between = self.children[a] & self.parents[b]
        if between:
            return "meek-2", (min(between),)
        beside = sorted(self.neighbors[a] & self.parents[b])
        pairs = [(c, d) for c in beside for d in beside if c < d and d not in self.adjacent[c]]
        return ("meek-3", pairs[0]) if pairs else None

    def rule_4(self, a: int, b: int) -> Why | None:
        """Return d and c with d → c → b, if they direct a → b."""
        for c in sorted(self.parents[b] & self.adjacent[a]):
            first = (self.parents[c] & self.neighbors[a]) - self.adjacent[b]
            if first:
                return "meek-4", (min(first), c)
        return None
