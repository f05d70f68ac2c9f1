"""Evidence directs edges: checked member by member, each source of directions apart."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Iterable

import pytest

from greedag import CPDAG, MPDAG, DataError, Knowledge, KnowledgeError
from greedag.graph.orientation import EVIDENCE, Evidence
from oracle import brute_force as bf

NAMES = ("a", "b", "c", "d")
SOURCES = ("knowledge", *EVIDENCE)
CHAIN = CPDAG.from_dag([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]], NAMES)


def agreeing(members: Iterable[int], arcs: Iterable[tuple[int, int]]) -> list[int]:
    return [dag for dag in members if all(bf.has(4, dag, x, y) for x, y in arcs)]


def directed(graph: int) -> set[tuple[str, str]]:
    return {
        (NAMES[x], NAMES[y])
        for x in range(4)
        for y in range(4)
        if bf.has(4, graph, x, y) and not bf.has(4, graph, y, x)
    }


def test_each_kind_directs_what_its_members_share_in_every_class_of_four_columns() -> None:
    rng, space = random.Random(17), bf.atlas(4)
    seen = dict.fromkeys(SOURCES, 0)
    for members, cells in list(zip(space.members, space.cpdags, strict=True)) * 4:
        truth = rng.choice(list(members))
        true_arcs = [(x, y) for x in range(4) for y in range(4) if bf.has(4, truth, x, y)]
        arcs = {kind: [arc for arc in true_arcs if rng.random() < 0.25] for kind in SOURCES}
        named = {kind: [(NAMES[x], NAMES[y]) for x, y in arcs[kind]] for kind in SOURCES}
        evidence = [Evidence(*arc, kind=kind) for kind in SOURCES[1:] for arc in named[kind]]
        rng.shuffle(evidence)
        cpdag = CPDAG.from_matrix(bf.to_matrix(4, cells), NAMES)
        known = Knowledge(required=named["knowledge"]) if named["knowledge"] else None
        graph = MPDAG.from_cpdag(cpdag, knowledge=known, evidence=evidence)
        shown = dict.fromkeys(graph.known, "knowledge") | graph.by_evidence
        left, before = list(members), directed(cells)
        for kind in SOURCES:
            left = agreeing(left, arcs[kind])
            after = directed(bf.union(left))
            assert {edge for edge in shown if shown[edge] == kind} == after - before
            seen[kind] += len(after - before)
            before = after
        assert bf.from_matrix(graph.to_matrix()) == bf.union(left)
        for arc, why in graph.reasons().items():
            assert (why.evidence is not None) == (why.rule in SOURCES[1:])
            assert why.evidence is None or (why.evidence.tail, why.evidence.head) == arc
    assert min(seen.values()) > 30


def test_an_edge_names_the_evidence_that_directs_it_and_the_rest_follows() -> None:
    curve = Evidence("a", "b", "curve", 12.3)
    graph = MPDAG.from_cpdag(CHAIN, evidence=[curve])
    assert (graph.reason("a", "b").rule, graph.reason("b", "a").evidence) == ("curve", curve)
    assert graph.reason("b", "c").rule == "meek-1"
    assert graph.reason("b", "c").evidence is None
    assert graph.by_evidence == dict.fromkeys(graph.directed, "curve")
    assert (graph.known, CHAIN.by_evidence) == ((), {})


def test_what_comes_first_directs_an_edge_that_several_sources_direct() -> None:
    curve, target = Evidence("b", "c", "curve", 5.0), Evidence("b", "c", "intervention")
    graph = MPDAG.from_cpdag(CHAIN, evidence=[curve, target])
    assert graph.reason("b", "c").evidence == target
    known = MPDAG.from_cpdag(CHAIN, [("a", "b")], evidence=[curve])
    assert (known.by_evidence, known.reason("b", "c").rule) == ({}, "meek-1")
    later = MPDAG.from_cpdag(graph, knowledge=Knowledge(required=[("b", "c")]))
    assert (later.reason("b", "c").rule, later.by_evidence) == ("knowledge", {})


def test_evidence_that_no_member_has_is_refused() -> None:
    for arcs in ([("b", "c"), ("d", "c")], [("a", "c")]):
        with pytest.raises(KnowledgeError, match=r"no member has .* → 'c'"):
            MPDAG.from_cpdag(CHAIN, evidence=[Evidence(*arc, kind="curve") for arc in arcs])


def test_evidence_of_no_known_kind_is_refused() -> None:
    with pytest.raises(DataError, match="'intervention', 'curve', 'score'; got 'hearsay'"):
        Evidence("a", "b", "hearsay")


def test_a_graph_with_evidence_is_copied_pickled_and_compared_by_its_edges() -> None:
    graph = MPDAG.from_cpdag(CHAIN, evidence=[Evidence("a", "b", "intervention")])
    for twin in (copy.copy(graph), copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert twin == graph
        assert twin.reasons() == graph.reasons()
    assert graph == MPDAG.from_cpdag(CHAIN, [("a", "b")])
