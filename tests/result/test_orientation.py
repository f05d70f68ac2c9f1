"""Reasons of directions, in every class of up to five nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from greedag import CPDAG
from greedag.graph.mpdag import Edge
from oracle import brute_force


class Reason(NamedTuple):
    """A rule, and the nodes that it needs."""

    rule: str
    nodes: tuple[int, ...]


def reasons(graph: CPDAG) -> dict[Edge, Reason]:
    """Reasons by column index."""
    index = {name: i for i, name in enumerate(graph.names)}
    return {
        (index[a], index[b]): Reason(why.rule, tuple(index[node] for node in why.nodes))
        for (a, b), why in graph.reasons().items()
    }


def premises(edge: Edge, reason: Reason) -> list[Edge]:
    """The directed edges that a rule rests on."""
    a, b = edge
    match reason.rule:
        case "meek-1":
            return [(reason.nodes[0], a)]
        case "meek-2":
            return [(a, reason.nodes[0]), (reason.nodes[0], b)]
        case "meek-3":
            return [(node, b) for node in reason.nodes]
    return []


def holds(joined: np.ndarray, edge: Edge, reason: Reason) -> bool:
    """Whether the rule's demands on the skeleton are met."""
    (a, b), (c, *more) = edge, reason.nodes
    match reason.rule:
        case "v-structure":
            return not joined[a, c]
        case "meek-1":
            return not joined[b, c]
        case "meek-3":
            return bool(joined[a, c] and joined[a, more[0]] and not joined[c, more[0]])
    return reason.rule == "meek-2"


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5])
def test_every_direction_follows_from_v_structures_in_every_class(d: int) -> None:
    space = brute_force.atlas(d)
    for members, graph in zip(space.members, space.cpdags, strict=True):
        matrix = brute_force.to_matrix(d, graph)
        found = reasons(CPDAG.from_matrix(matrix))
        directed = {(int(i), int(j)) for i, j in np.argwhere((matrix == 1) & (matrix.T == 0))}
        assert found.keys() == directed
        colliders = brute_force.v_structures(d, members[0])
        in_colliders = {(s, c) for a, c, b in colliders for s in (a, b)}
        assert in_colliders == {e for e, why in found.items() if why.rule == "v-structure"}
        settled: set[Edge] = set()
        left = dict(found)
        while left:
            ready = {e for e, why in left.items() if settled.issuperset(premises(e, why))}
            assert ready, "edges are each other's reason"
            settled |= ready
            for edge in ready:
                why = left.pop(edge)
                assert holds(matrix | matrix.T, edge, why)
                if why.rule == "v-structure":
                    assert (why.nodes[0], edge[1]) in directed


def test_all_three_rules_of_meek_are_needed_on_four_nodes() -> None:
    space = brute_force.atlas(4)
    rules = {
        why.rule
        for graph in space.cpdags
        for why in reasons(CPDAG.from_matrix(brute_force.to_matrix(4, graph))).values()
    }
    assert rules == {"v-structure", "meek-1", "meek-2", "meek-3"}
