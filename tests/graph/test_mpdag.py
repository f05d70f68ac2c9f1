"""MPDAGs: against all DAGs of a few columns, what they refuse, and how they compare."""

from __future__ import annotations

import copy
import math
import pickle
import random
from collections import Counter
from itertools import combinations, islice, permutations, product
from pathlib import Path

import numpy as np
import pytest

from greedag import (
    CPDAG,
    MPDAG,
    DataError,
    DataTypeError,
    KnowledgeError,
    OptionError,
    interop,
    metrics,
    simulate,
)
from greedag.graph.buckets import form
from greedag.graph.mpdag import Matrix, Pair
from oracle import brute_force as bf
from oracle import mpdag as twin
from oracle import orientation

Arcs = list[tuple[int, int]]
ABC = ("a", "b", "c")


def named(graph: MPDAG, arcs: Arcs) -> list[Pair]:
    return [(graph.names[x], graph.names[y]) for x, y in arcs]


def relation(graph: MPDAG, ask: str) -> int:
    """Return the graph with ``x -> y`` where y is among what is asked of x."""
    d, found = graph.d, 0
    for x, name in enumerate(graph.names):
        for other in getattr(graph, ask)(name):
            y = graph.index(other)
            found |= bf.bit(d, y, x) if "ancestors" in ask else bf.bit(d, x, y)
    return found


def check_reasons(graph: MPDAG, given: Arcs) -> set[str]:
    """Compare reasons with the twin; every one rests on edges that come before it."""
    names, cells = graph.names, graph.to_matrix()
    expected = orientation.derive(cells, [arc for arc in given if cells[arc] > cells.T[arc]])
    found = graph.reasons()
    assert list(sorted(found)) == sorted(graph.directed)
    assert {
        (graph.index(a), graph.index(b)): (why.rule, tuple(map(graph.index, why.nodes)))
        for (a, b), why in found.items()
    } == expected
    seen: set[Pair] = set()
    for (a, b), why in found.items():
        match why.rule, why.nodes:
            case "meek-1", (c,):
                rests_on = {(c, a)}
            case "meek-2", (c,):
                rests_on = {(a, c), (c, b)}
            case "meek-3", (c, e):
                rests_on = {(c, b), (e, b)}
            case "meek-4", (e, c):
                rests_on = {(e, c), (c, b)}
            case _:
                rests_on = set()
        assert rests_on <= seen
        seen.add((a, b))
    assert all(graph.reason(a, b) == why == graph.reason(b, a) for (a, b), why in found.items())
    assert all(graph.reason(a, b).rule == "both" for a, b in graph.undirected)
    assert names == graph.names
    return {why.rule for why in found.values()}


def check(graph: MPDAG, members: list[int], given: Arcs) -> set[str]:
    """Compare all that a graph answers with its members."""
    d = graph.d
    assert bf.from_matrix(graph.to_matrix()) == bf.union(members)
    assert MPDAG.from_matrix(graph.to_matrix()) == graph
    assert graph.size() == len(members)
    listed = [bf.from_matrix(dag) for dag in graph.dags()]
    assert sorted(listed) == sorted(members)
    assert bf.from_matrix(graph.to_dag()) in members
    assert {bf.from_matrix(dag) for dag in graph.sample_dags(3, seed=1)} <= set(members)
    space = bf.atlas(d)
    assert bf.from_matrix(graph.cpdag.to_matrix()) == space.cpdags[space.class_of[members[0]]]
    certain, possible = twin.shared_ancestry(d, members), twin.possible_ancestry(d, members)
    for kind in ("ancestors", "descendants"):
        assert relation(graph, kind) == certain
        assert relation(graph, f"possible_{kind}") == possible
    return check_reasons(graph, given)


def random_arcs(rng: random.Random, d: int, cpdag: int) -> Arcs:
    """Draw arcs, mostly along undirected edges; sometimes along others, or where no edge is."""
    pairs = list(permutations(range(d), 2))
    undirected = [(x, y) for x, y in pairs if bf.has(d, cpdag, x, y) and bf.has(d, cpdag, y, x)]
    among = undirected if undirected and rng.random() < 0.9 else pairs
    return rng.sample(among, min(rng.choice((0, 1, 1, 2, 2, 3)), len(among)))


def compare_with_brute_force(d: int, cases: list[int], seed: int) -> Counter[str]:
    rng, space, seen = random.Random(seed), bf.atlas(d), Counter[str]()
    for number in cases:
        cpdag = CPDAG.from_matrix(bf.to_matrix(d, space.cpdags[number]))
        arcs = random_arcs(rng, d, space.cpdags[number])
        members = twin.having(d, space.members[number], arcs)
        if members:
            seen.update(check(MPDAG.from_cpdag(cpdag, named(cpdag, arcs)), members, arcs))
            continue
        with pytest.raises(KnowledgeError) as caught:
            MPDAG.from_cpdag(cpdag, named(cpdag, arcs))
        assert caught.value.code == "knowledge-conflict"
        seen["refused"] += 1
    return seen


def test_every_class_of_four_columns_with_random_orientations_matches_brute_force() -> None:
    seen = compare_with_brute_force(4, list(range(185)) * 11, seed=0)
    assert seen["refused"] > 200
    assert seen["knowledge"] > 500
    assert seen["meek-4"] > 0


def test_classes_of_five_columns_with_random_orientations_match_brute_force() -> None:
    classes = len(bf.atlas(5).cpdags)
    seen = compare_with_brute_force(5, random.Random(5).choices(range(classes), k=120), seed=5)
    assert seen["refused"] > 10
    assert seen["knowledge"] > 20


def test_every_matrix_of_four_columns_is_taken_exactly_if_it_is_the_union_of_its_members() -> None:
    d, taken = 4, 0
    pairs = list(combinations(range(d), 2))
    for states in product(range(4), repeat=len(pairs)):
        graph = sum(
            (state & 1) * bf.bit(d, x, y) + (state >> 1) * bf.bit(d, y, x)
            for (x, y), state in zip(pairs, states, strict=True)
        )
        members = twin.members(d, graph)
        is_right = bool(members) and bf.union(members) == graph
        try:
            MPDAG.from_matrix(bf.to_matrix(d, graph))
        except DataError as error:
            assert error.code in {"cycle", "no-member", "not-closed"}
            assert not is_right
        else:
            taken += 1
            assert is_right
    assert taken > 543


def undirected(d: int, edges: Arcs) -> CPDAG:
    matrix = np.zeros((d, d), dtype=np.uint8)
    for i, j in edges:
        matrix[i, j] = matrix[j, i] = 1
    return CPDAG.from_matrix(matrix)


def clique(d: int) -> CPDAG:
    return undirected(d, list(combinations(range(d), 2)))


def test_rule_four_directs_an_edge_and_is_its_reason() -> None:
    # a - b, a - d, a - c with the path d → c → b.
    names = ["a", "b", "c", "d"]
    skeleton = CPDAG.from_matrix(
        undirected(4, [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)]).to_matrix(), names
    )
    graph = MPDAG.from_cpdag(skeleton, [("d", "c"), ("c", "b")])
    assert graph.edge("a", "b") == "→"
    why = graph.reason("a", "b")
    assert (why.rule, why.nodes) == ("meek-4", ("d", "c"))
    assert graph.undirected == (("a", "c"), ("a", "d"))


@pytest.mark.parametrize("d", [3, 6, 12, 20])
def test_a_clique_has_as_many_members_as_orders_that_agree(d: int) -> None:
    graph = clique(d)
    one = MPDAG.from_cpdag(graph, [("x0", "x1")])
    two = MPDAG.from_cpdag(graph, [("x0", "x1"), ("x1", "x2")])
    first = MPDAG.from_cpdag(graph, [("x0", name) for name in graph.names[1:]])
    assert one.size() == math.factorial(d) // 2
    assert two.size() == math.factorial(d) // 6
    assert first.size() == math.factorial(d - 1)


def test_counting_gives_up_at_the_limit_and_says_what_to_do() -> None:
    rng = random.Random(0)
    order = rng.sample(range(30), 30)
    arcs = [(f"x{order[i]}", f"x{order[j]}") for i, j in combinations(range(30), 2)]
    graph = MPDAG.from_cpdag(clique(30), [arc for arc in arcs if rng.random() < 0.08])
    with pytest.raises(DataError, match=r"more than 500 steps.*raise limit") as caught:
        graph.size(limit=500)
    assert caught.value.code == "too-many-members"
    listed = list(graph.dags(limit=5))
    assert len({dag.tobytes() for dag in listed}) == 5
    assert all(CPDAG.from_dag(dag) == graph.cpdag for dag in listed)
    with pytest.raises(OptionError, match="limit must be a whole number"):
        graph.size(limit=-1)


def test_members_of_a_large_graph_come_one_by_one_and_always_in_the_same_order() -> None:
    graph = MPDAG.from_cpdag(clique(60), [("x7", "x3")])
    first = [dag.tobytes() for dag in islice(graph.dags(), 4)]
    assert first == [dag.tobytes() for dag in graph.dags(limit=4)]
    assert len(set(first)) == 4


SAMPLED = {
    "clique with an arrow": MPDAG.from_cpdag(clique(4), [("x1", "x3")]),
    "clique with two arrows": MPDAG.from_cpdag(clique(5), [("x1", "x3"), ("x2", "x0")]),
    "two triangles and a tail": MPDAG.from_cpdag(
        undirected(6, [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4), (4, 5)]), [("x1", "x2")]
    ),
    "a part with an arrow and one without": MPDAG.from_cpdag(
        undirected(7, [(0, 1), (0, 2), (1, 2), (3, 4), (4, 5), (5, 6)]), [("x0", "x2")]
    ),
}


def is_uniform(graph: MPDAG, drawn: list[Matrix]) -> bool:
    """Tell whether draws pass a chi-square test at the level 0.001."""
    members = [dag.tobytes() for dag in graph.dags()]
    counts, expected = Counter(dag.tobytes() for dag in drawn), len(drawn) / len(members)
    assert set(counts) <= set(members)
    statistic = sum((counts[member] - expected) ** 2 / expected for member in members)
    freedom = len(members) - 1
    spread = 2 / (9 * freedom)
    return statistic < freedom * (1 - spread + 3.09 * math.sqrt(spread)) ** 3


@pytest.mark.parametrize("name", SAMPLED)
def test_sampling_is_uniform(name: str) -> None:
    graph = SAMPLED[name]
    assert (graph.to_matrix() != graph.to_matrix().T).any()
    assert graph.size() > 3
    assert is_uniform(graph, graph.sample_dags(60 * graph.size(), seed=11))


def test_the_test_of_uniformity_fails_sources_drawn_alike() -> None:
    graph, rng, drawn = SAMPLED["clique with two arrows"], random.Random(1), []
    for _ in range(60 * graph.size()):
        left = graph
        while left.undirected:
            left = MPDAG.from_cpdag(left, [rng.choice(left.undirected)])
        drawn.append(left.to_matrix())
    assert not is_uniform(graph, drawn)


def test_sampling_repeats_with_the_seed() -> None:
    graph = MPDAG.from_cpdag(clique(12), [("x1", "x3")])
    drawn = [dag.tobytes() for dag in graph.sample_dags(5, seed=3)]
    assert drawn == [dag.tobytes() for dag in graph.sample_dags(5, seed=3)]
    assert drawn != [dag.tobytes() for dag in graph.sample_dags(5, seed=4)]


@pytest.mark.parametrize("seed", range(20))
def test_buckets_of_the_same_form_differ_in_the_order_of_their_nodes_only(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = MPDAG.from_cpdag(clique(6), [("x0", "x1"), ("x2", "x1")][: 1 + seed % 2])
    cells, order = graph.to_matrix(), rng.permutation(6)
    assert form(cells) == form(np.ascontiguousarray(cells[np.ix_(order, order)]))


@pytest.mark.parametrize("seed", range(15))
def test_larger_graphs_agree_with_their_listed_members(seed: int) -> None:
    rng = random.Random(seed)
    cpdag = simulate.linear_gaussian(9, rng.uniform(1.0, 2.5), 1, seed=seed).cpdag
    dag = CPDAG.from_dag(cpdag.sample_dags(1, seed=seed)[0]).sample_dags(1, seed=seed)[0]
    arcs = [(f"x{i}", f"x{j}") for i, j in np.argwhere(dag).tolist() if rng.random() < 0.2]
    graph = MPDAG.from_cpdag(cpdag, arcs)
    members = [
        member for member in cpdag.dags() if all(member[int(a[1:]), int(b[1:])] for a, b in arcs)
    ]
    assert graph.size() == len(members)
    assert {m.tobytes() for m in graph.dags()} == {m.tobytes() for m in members}
    assert np.array_equal(np.bitwise_or.reduce(members), graph.to_matrix())
    steps = [np.linalg.inv(np.eye(9) - 0.5 * member) - np.eye(9) > 1e-9 for member in members]
    for ask, known in (("", np.all(steps, axis=0)), ("possible_", np.any(steps, axis=0))):
        for i, name in enumerate(graph.names):
            below = tuple(graph.names[j] for j in np.flatnonzero(known[i]))
            above = tuple(graph.names[j] for j in np.flatnonzero(known[:, i]))
            assert getattr(graph, f"{ask}descendants")(name) == below
            assert getattr(graph, f"{ask}ancestors")(name) == above


CHAIN = CPDAG.from_dag([[0, 1, 0], [0, 0, 1], [0, 0, 0]], ABC)
TRIANGLE = CPDAG.from_dag([[0, 1, 1], [0, 0, 1], [0, 0, 0]], ABC)
COLLIDER = CPDAG.from_dag([[0, 1, 0], [0, 0, 0], [0, 1, 0]], ABC)


def test_a_graph_without_further_arrows_equals_its_class_both_ways() -> None:
    graph = MPDAG.from_cpdag(CHAIN)
    assert type(graph) is MPDAG
    assert graph == CHAIN
    assert graph == CHAIN
    assert hash(graph) == hash(CHAIN)
    assert len({graph, CHAIN}) == 1
    more = MPDAG.from_cpdag(CHAIN, [("a", "b")])
    assert more != CHAIN
    assert more != CHAIN
    assert more != "a → b"
    assert more.cpdag == CHAIN
    assert CHAIN.cpdag is CHAIN


def test_equality_does_not_ask_where_arrows_come_from() -> None:
    given = MPDAG.from_cpdag(CHAIN, [("a", "b"), ("b", "c")])
    follows = MPDAG.from_cpdag(CHAIN, [("a", "b")])
    assert given == follows
    assert hash(given) == hash(follows)
    assert given.reason("b", "c").rule == "knowledge"
    assert follows.reason("b", "c").rule == "meek-1"


def test_copies_and_pickles_keep_the_reasons() -> None:
    graph = MPDAG.from_cpdag(TRIANGLE, [("b", "c")])
    for other in (copy.copy(graph), copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert other == graph
        assert type(other) is MPDAG
        assert other.reasons() == graph.reasons()
    assert type(pickle.loads(pickle.dumps(CHAIN))) is CPDAG


def test_text_shows_the_kind_and_the_edges() -> None:
    graph = MPDAG.from_cpdag(TRIANGLE, [("b", "c")])
    assert repr(graph) == "<MPDAG: 3 columns, 1 directed and 2 undirected edges>"
    assert str(graph) == "b → c\na - b\na - c"
    assert "<svg" in graph.view().html


def test_what_a_graph_made_from_a_matrix_does_not_derive_counts_as_given() -> None:
    graph = MPDAG.from_matrix([[0, 1, 0], [0, 0, 1], [0, 0, 0]], ABC)
    assert graph == MPDAG.from_cpdag(CHAIN, [("a", "b")])
    assert graph.reason("a", "b").rule == "knowledge"
    assert graph.reason("b", "c").rule == "meek-1"


def test_more_can_be_oriented_later_and_keeps_what_was_given() -> None:
    graph = MPDAG.from_cpdag(TRIANGLE, [("b", "c")])
    more = MPDAG.from_cpdag(graph, [("a", "b")])
    assert more.directed == (("a", "b"), ("a", "c"), ("b", "c"))
    assert more.reason("b", "c").rule == more.reason("a", "b").rule == "knowledge"
    assert more.reason("a", "c").rule == "meek-2"


@pytest.mark.parametrize(
    ("cpdag", "arcs", "message"),
    [
        (COLLIDER, [("b", "a")], "no member has 'b' → 'a': all have 'a' → 'b'"),
        (COLLIDER, [("a", "c")], "no member has 'a' → 'c': the two are not adjacent"),
        (CHAIN, [("a", "b"), ("c", "b")], "no member has 'a' → 'b' and 'c' → 'b' together"),
        (
            TRIANGLE,
            [("a", "b"), ("b", "c"), ("c", "a")],
            "no member has 'a' → 'b', 'b' → 'c' and 'c' → 'a' together",
        ),
        (CHAIN, [("b", "c"), ("a", "b"), ("b", "a")], "'a' → 'b' and 'b' → 'a' together"),
    ],
)
def test_orientations_without_a_member_are_refused_and_as_few_as_can_be_named(
    cpdag: CPDAG, arcs: list[Pair], message: str
) -> None:
    with pytest.raises(KnowledgeError, match=message) as caught:
        MPDAG.from_cpdag(cpdag, arcs)
    assert caught.value.code == "knowledge-conflict"


def test_orientations_that_make_no_sense_are_refused() -> None:
    with pytest.raises(DataError, match="no column 'z'"):
        MPDAG.from_cpdag(CHAIN, [("a", "z")])
    with pytest.raises(DataError, match="an edge has two ends; both are 'a'"):
        MPDAG.from_cpdag(CHAIN, [("a", "a")])
    for wrong in ("ab", ("a", "b", "c")):
        with pytest.raises(DataTypeError, match="pairs of names"):
            MPDAG.from_cpdag(CHAIN, [wrong])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (
            [[0, 1, 0], [0, 0, 1], [0, 1, 0]],
            "must be 'b' → 'c' by Meek's rule 1 with 'a'",
        ),
        ([[0, 1, 0], [0, 0, 1], [1, 0, 0]], "not an MPDAG: it has the cycle"),
        ([[0, 2], [0, 0]], r"\[0, 1\] is 2"),
    ],
)
def test_a_matrix_that_is_no_mpdag_is_refused_with_the_reason(
    matrix: list[list[int]], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        MPDAG.from_matrix(matrix, ABC[: len(matrix)])


def test_a_square_is_refused_with_its_columns() -> None:
    square = np.zeros((4, 4), dtype=int)
    for i in range(4):
        square[i, (i + 1) % 4] = square[(i + 1) % 4, i] = 1
    with pytest.raises(DataError, match="none of 'x0', 'x1', 'x2' and 'x3' can come last"):
        MPDAG.from_matrix(square)


def test_reasons_are_asked_of_edges_only() -> None:
    with pytest.raises(DataError, match="'a' and 'c' are not adjacent"):
        CHAIN.reason("a", "c")


def test_metrics_compare_a_graph_with_a_class() -> None:
    graph = MPDAG.from_cpdag(TRIANGLE, [("b", "c")])
    assert metrics.shd(graph, TRIANGLE) == 1
    assert metrics.arrowhead_precision_recall(graph, graph) == (1.0, 1.0)
    assert metrics.precision_recall_f1(TRIANGLE, graph).precision == 5 / 6


@pytest.mark.parametrize("suffix", interop.SUFFIXES)
def test_files_of_every_format_keep_the_arrows(suffix: str, tmp_path: Path) -> None:
    graph = MPDAG.from_cpdag(TRIANGLE, [("b", "c")])
    interop.write(tmp_path / f"graph{suffix}", graph)
    read = interop.read(tmp_path / f"graph{suffix}")
    assert type(read) is MPDAG
    assert read == graph
    interop.write(tmp_path / f"class{suffix}", MPDAG.from_cpdag(TRIANGLE))
    assert type(interop.read(tmp_path / f"class{suffix}")) is CPDAG


def test_matrices_and_networkx_keep_the_arrows() -> None:
    graph = MPDAG.from_cpdag(TRIANGLE, [("b", "c")])
    assert interop.from_pcalg(interop.to_pcalg(graph), ABC) == graph
    assert interop.from_bnlearn(interop.to_bnlearn(graph), ABC) == graph
    pytest.importorskip("networkx")
    assert interop.from_networkx(interop.to_networkx(graph)) == graph


def test_a_file_whose_arrows_form_a_dag_is_refused_unless_it_says_that_it_is_an_mpdag(
    tmp_path: Path,
) -> None:
    graph = MPDAG.from_cpdag(CHAIN, [("a", "b")])
    assert not graph.undirected
    assert interop.from_json(interop.to_json(graph)) == graph
    assert interop.from_json(interop.to_json(graph), as_dag=True) == CHAIN
    with pytest.raises(DataError, match="form a DAG, but not a CPDAG"):
        interop.from_dot(interop.to_dot(graph))


def test_dowhy_takes_members_of_the_graph_only() -> None:
    graph = MPDAG.from_cpdag(TRIANGLE, [("b", "c")])
    for dag in TRIANGLE.dags():
        if dag[1, 2]:
            assert "directed 1" in interop.to_dowhy_gml(graph, dag)
        else:
            with pytest.raises(DataError, match="but not of the graph"):
                interop.to_dowhy_gml(graph, dag)


def test_what_is_neither_a_class_nor_an_mpdag_is_refused_as_before() -> None:
    with pytest.raises(DataError, match="not a CPDAG: 'a' → 'b' would be"):
        interop.from_bnlearn([[0, 1, 0], [0, 0, 1], [0, 1, 0]], ABC)
