"""The clique tree of a chordal graph.

Those maximal cliques that hold a given node are connected in the tree. Two cliques next to each
other in the tree share a *separator*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from greedag.graph.bitsets import nodes, strictly_within


@dataclass(frozen=True, slots=True)
class CliqueTree:
    """A tree of the maximal cliques of a connected chordal graph.

    Attributes
    ----------
    cliques : list of int
        Node set of each clique.
    links : list of list of (int, int)
        For each clique, the cliques next to it and the separators.
    """

    cliques: list[int]
    links: list[list[tuple[int, int]]]

    def walk(self, start: int, before: int) -> Iterator[tuple[int, int, int]]:
        """Yield (clique, the one it is reached from, separator), going out from a clique.

        Only separators that hold all of `before` and more are passed. A clique comes after the
        one it is reached from; `start` itself is left out.
        """
        stack = [(start, start)]
        while stack:
            clique, origin = stack.pop()
            for beyond, separator in self.links[clique]:
                if beyond != origin and strictly_within(before, separator):
                    yield beyond, clique, separator
                    stack.append((beyond, clique))


def clique_tree(neighbors: Sequence[int], component: int) -> CliqueTree:
    """Return a clique tree of one connected component of a chordal graph.

    A maximum cardinality search completes one clique after the other (Blair and Peyton 1993).
    """
    tree = CliqueTree([], [])
    home: dict[int, int] = {}
    visited, ranks = 0, [component]
    while ranks:
        v = next(nodes(ranks[-1]))
        earlier = neighbors[v] & visited
        if not tree.cliques or earlier != tree.cliques[-1]:
            _begin_clique(tree, earlier, home)
        tree.cliques[-1] |= 1 << v
        home[v] = len(tree.cliques) - 1
        visited |= 1 << v
        ranks = ranks_after(ranks, v, neighbors[v])
    return tree


def _begin_clique(tree: CliqueTree, earlier: int, home: dict[int, int]) -> None:
    tree.cliques.append(earlier)
    tree.links.append([])
    if earlier:
        # Cliques are numbered as they are begun: this is the one of the node visited last.
        beside = max(home[u] for u in nodes(earlier))
        tree.links[beside].append((len(tree.cliques) - 1, earlier))
        tree.links[-1].append((beside, earlier))


def ranks_after(ranks: Sequence[int], v: int, neighbors: int) -> list[int]:
    """Return the ranks of a maximum cardinality search after its visit to v.

    Rank r holds the nodes not yet visited that have r visited neighbours; the last rank is not
    empty. There is none when all nodes are visited.
    """
    moved, after = 0, []
    for rank in (*ranks, 0):
        staying = rank & ~neighbors & ~(1 << v)
        after.append(staying | moved)
        moved = rank & neighbors
    while after and not after[-1]:
        after.pop()
    return after
