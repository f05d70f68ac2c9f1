"""MPDAGs of what users say: against members read word by word, and which statement directs what."""

from __future__ import annotations

import random
from itertools import permutations
from typing import Any

import pytest

from greedag import CPDAG, MPDAG, GreedagError, Knowledge, KnowledgeError
from oracle import brute_force as bf
from oracle.said_knowledge import fulfils

NAMES = ("a", "b", "c", "d")
KINDS = ("required", "forbidden", "tiers", "forbidden_within", "before", "exogenous", "terminal")


def named_arcs(graph: int) -> frozenset[tuple[str, str]]:
    return frozenset(
        (NAMES[x], NAMES[y]) for x, y in permutations(range(4), 2) if bf.has(4, graph, x, y)
    )


def drawn(rng: random.Random) -> dict[str, list[Any]]:
    """Draw one to three statements."""
    said: dict[str, list[Any]] = {kind: [] for kind in (*KINDS, "not_adjacent")}
    for _ in range(rng.randint(1, 3)):
        kind = rng.choice(KINDS)
        if kind == "tiers":
            cut, names = rng.randint(1, 2), rng.sample(NAMES, rng.randint(3, 4))
            said["tiers"] = [names[:cut], names[cut:]]
        elif kind == "forbidden_within":
            said[kind].append(rng.sample(NAMES, 2))
        elif kind in ("exogenous", "terminal"):
            said[kind].append(rng.choice(NAMES))
        else:
            said[kind].append(tuple(rng.sample(NAMES, 2)))
    return said


def test_the_graph_is_the_union_of_the_members_that_agree_in_every_class() -> None:
    rng, space = random.Random(16), bf.atlas(4)
    agreed = refused = 0
    for members, cpdag in list(zip(space.members, space.cpdags, strict=True)) * 6:
        said = drawn(rng)
        expected = [
            dag
            for dag in members
            if fulfils(named_arcs(dag), named_arcs(bf.ancestry(4, dag)), NAMES, said)
        ]
        try:
            graph = MPDAG.from_cpdag(
                CPDAG.from_matrix(bf.to_matrix(4, cpdag), NAMES), knowledge=Knowledge(**said)
            )
        except GreedagError:
            refused += 1
            assert not expected
            continue
        agreed += 1
        assert bf.from_matrix(graph.to_matrix()) == bf.union(expected)
        assert graph.size() == len(expected)
        known = Knowledge(**said).statements
        for why in graph.reasons().values():
            assert (why.rule == "knowledge") == bool(why.statements)
            assert set(why.statements) <= set(known)
    assert agreed > 200
    assert refused > 200


CHAIN = CPDAG.from_dag([[0, 1, 0], [0, 0, 1], [0, 0, 0]], ["a", "b", "c"])


def test_an_edge_names_the_statement_that_directs_it() -> None:
    graph = MPDAG.from_cpdag(CHAIN, knowledge=Knowledge(forbidden=[("b", "a")]))
    why = graph.reason("a", "b")
    assert why.rule == "knowledge"
    assert [statement.columns for statement in why.statements] == [("b", "a")]
    assert graph.reason("b", "c").rule == "meek-1"
    before = MPDAG.from_cpdag(CHAIN, knowledge=Knowledge(before=[("a", "c")]))
    assert before.directed == (("b", "c"),)
    assert [statement.kind for statement in before.reason("b", "c").statements] == ["before"]


def test_knowledge_that_no_member_agrees_with_is_refused_and_the_statements_named() -> None:
    known = Knowledge(tiers=[["a", "c"], ["b"]], exogenous=["a"], forbidden_within=[0])
    with pytest.raises(GreedagError, match="no member of the class agrees") as caught:
        MPDAG.from_cpdag(CHAIN, knowledge=known)
    assert isinstance(caught.value, KnowledgeError)
    assert caught.value.code == "knowledge-conflict"
    assert [statement.kind for statement in caught.value.statements] == ["tiers"]
    assert "tiers: a, c < b" in str(caught.value)
    assert "exogenous" not in str(caught.value)


def test_knowledge_and_orientations_count_together() -> None:
    known = Knowledge(exogenous=["a"])
    assert MPDAG.from_cpdag(CHAIN, [("b", "c")], knowledge=known).size() == 1
    with pytest.raises(GreedagError, match="no member has 'c' → 'b'"):
        MPDAG.from_cpdag(CHAIN, [("c", "b")], knowledge=known)
    given = MPDAG.from_cpdag(CHAIN, [("b", "c")])
    both = MPDAG.from_cpdag(given, knowledge=known)
    assert both.reason("a", "b").statements
    assert not both.reason("b", "c").statements
