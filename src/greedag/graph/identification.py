"""How many effects a graph gets wrong: adjustment identification distances.

For each ordered pair of columns, what one graph says to adjust for is judged by another, the true
one (Henckel, Würtzen and Weichwald, "Adjustment identification distance: a gadjid for causal
structure learning", UAI 2024). A set is judged in one member of the true graph: if no column of it
follows one on a possibly causal path, it is valid in this member exactly when it is in all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from greedag.graph.adjustment import CausalPaths, union
from greedag.graph.clique_picking import nodes, reached, rows
from greedag.graph.closure import extension
from greedag.graph.mpdag import Matrix

Strategy = Literal["ancestor", "parent", "oset"]


class Judge:
    """The true graph, by which sets are valid or not."""

    def __init__(self, cells: Matrix) -> None:
        self.paths = CausalPaths(cells)
        member = extension(cells)[0]
        self._children, self._parents = rows(member), rows(member.T)
        everywhere = (1 << len(cells)) - 1
        self._after = [reached(self.paths.children, 1 << x, everywhere) for x in range(len(cells))]
        self._before = [reached(self.paths.parents, 1 << y, everywhere) for y in range(len(cells))]
        self._connected: dict[tuple[int, int], int] = {}

    def is_valid(self, x: int, y: int, given: int) -> bool:
        """Return whether adjusting for a set gives the effect of x on y. It must be amenable."""
        causal = self._after[x] & self._before[y] & ~(1 << x)
        return self._separates(1 << x, y, causal, given)

    def is_jointly_valid(self, X: int, y: int, given: int) -> bool:
        """Return the same where all columns of a set are changed at once."""
        return self._separates(X, y, self.paths.causal_nodes(X, y), given)

    def _separates(self, X: int, y: int, causal: int, given: int) -> bool:
        """Return whether a set closes what is not causal, and leaves open what is."""
        if any(self.paths.possible_descendants(node) & given for node in nodes(causal)):
            return False
        connected = self._connected.get((X, given))
        if connected is None:
            connected = self._connected[X, given] = self._not_causally_connected(X, given)
        return not connected >> y & 1

    def _not_causally_connected(self, X: int, given: int) -> int:
        """Return the columns that open paths which are not causal lead to from X, given a set.

        Three states of a node: reached from a child (up), from a parent by a path that is not
        causal (down), and by a causal path (causal).
        """
        open_at = reached(self._parents, given, (1 << len(self._parents)) - 1)
        # No path comes back to X.
        up = down = causal = X
        new_up, new_down = union(self._parents, X) & ~X, 0
        new_causal = union(self._children, X) & ~X
        while new_up | new_down | new_causal:
            up, down, causal = up | new_up, down | new_down, causal | new_causal
            above = union(self._parents, new_up & ~given)
            above |= union(self._parents, (new_down | new_causal) & open_at)
            below = union(self._children, (new_up | new_down) & ~given)
            further = union(self._children, new_causal & ~given)
            new_up, new_down, new_causal = above & ~up, below & ~down, further & ~causal
        return (up | down) & ~X


def wrong_effects(true: Matrix, guess: Matrix, kind: Strategy) -> int:
    """Return for how many ordered pairs the guess gets the effect wrong."""
    judge, paths = Judge(true), CausalPaths(guess)
    claim = _CLAIMS[kind](paths)
    pairs = ((x, y) for x in range(len(true)) for y in range(len(true)) if x != y)
    return sum(_is_wrong(judge, paths, claim(x, y), x, y) for x, y in pairs)


def _is_wrong(judge: Judge, paths: CausalPaths, given: int | None, x: int, y: int) -> bool:
    if given is None:
        return bool(judge.paths.possible_descendants(x) >> y & 1)
    is_amenable = paths.is_amenable(x, y)
    if is_amenable != judge.paths.is_amenable(x, y):
        return True
    return is_amenable and not judge.is_valid(x, y, given)


# A claim is what to adjust for, or None if x is said to have no effect on y.
Claim = Callable[[int, int], int | None]


def _by_parents(paths: CausalPaths) -> Claim:
    def claim(x: int, y: int) -> int | None:
        return None if paths.parents[x] >> y & 1 else paths.parents[x]

    return claim


def _by_ancestors(paths: CausalPaths) -> Claim:
    before = [reached(paths.parents, mask, paths.everywhere) for mask in paths.parents]

    def claim(x: int, y: int) -> int | None:
        return before[x] if paths.possible_descendants(x) >> y & 1 else None

    return claim


def _by_optimal_set(paths: CausalPaths) -> Claim:
    def claim(x: int, y: int) -> int | None:
        if not paths.possible_descendants(x) >> y & 1:
            return None
        return (paths.optimal_set(x, y) or 0) if paths.is_amenable(x, y) else 0

    return claim


_CLAIMS: dict[str, Callable[[CausalPaths], Claim]] = {
    "ancestor": _by_ancestors,
    "parent": _by_parents,
    "oset": _by_optimal_set,
}
STRATEGIES = tuple(_CLAIMS)
