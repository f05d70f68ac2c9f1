"""The members of a class: their number, all of them, and some drawn at random."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice

import cliquepicking
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greedag import CPDAG, OptionError, simulate
from greedag.graph import clique_picking
from greedag.graph.clique_picking import nodes, rows
from greedag.graph.mpdag import Matrix
from oracle import brute_force as bf

SIZES = (1, 2, 3, 4, 5)
Edges = list[tuple[int, int]]


def blanket(dag: Matrix, x: int) -> set[int]:
    """Parents, children and the other parents of children, by their definition."""
    children = {c for c in range(len(dag)) if dag[x, c]}
    parents = {p for y in (x, *children) for p in range(len(dag)) if dag[p, y]}
    return (children | parents) - {x}


@pytest.mark.parametrize("d", SIZES)
def test_the_markov_blanket_is_that_of_every_member_of_every_class(d: int) -> None:
    space = bf.atlas(d)
    for cpdag, members in zip(space.cpdags, space.members, strict=True):
        graph = CPDAG.from_matrix(bf.to_matrix(d, cpdag))
        found = [graph.markov_blanket(name) for name in graph.names]
        for dag in (bf.to_matrix(d, member) for member in members):
            assert found == [
                tuple(graph.names[j] for j in sorted(blanket(dag, i))) for i in range(d)
            ]


def undirected(d: int, edges: Edges) -> CPDAG:
    """Return the class without directed edges that has these edges; they must be chordal."""
    matrix = np.zeros((d, d), dtype=np.uint8)
    for i, j in edges:
        matrix[i, j] = matrix[j, i] = 1
    return CPDAG.from_matrix(matrix)


def complete(d: int, missing: Sequence[tuple[int, int]] = ()) -> CPDAG:
    return undirected(d, [(i, j) for j in range(d) for i in range(j) if (i, j) not in missing])


def random_tree(d: int, seed: int) -> CPDAG:
    rng = random.Random(seed)
    return undirected(d, [(rng.randrange(j), j) for j in range(1, d)])


def random_chordal(d: int, most: int, seed: int) -> CPDAG:
    """Join each node to 1 to `most` nodes of the clique around a random earlier node."""
    rng = random.Random(seed)
    cliques = [[0]]
    for j in range(1, d):
        clique = rng.choice(cliques)
        cliques.append([*rng.sample(clique, min(len(clique), rng.randint(1, most))), j])
    return undirected(d, [(i, clique[-1]) for clique in cliques for i in clique[:-1]])


def chordal_with_tails(seed: int) -> CPDAG:
    """Return a class with two chordal components and directed edges between and after them."""
    rng = random.Random(seed)
    dag = np.zeros((12, 12), dtype=np.uint8)
    for first in (0, 5):
        dag[first : first + 5, first : first + 5] = random_chordal(5, 3, rng.randrange(99)).to_dag()
    dag[[0, 5], 10] = 1
    dag[[10, 4], 11] = 1
    return CPDAG.from_dag(dag)


def published_size(graph: CPDAG) -> int:
    """Return the number of members as the authors of clique picking compute it."""
    size = cliquepicking.mec_size([(int(i), int(j)) for i, j in np.argwhere(graph.to_matrix())])
    return int(size)


@pytest.mark.parametrize("d", SIZES)
def test_size_and_dags_match_brute_force_on_every_class(d: int) -> None:
    space = bf.atlas(d)
    for cpdag, members in zip(space.cpdags, space.members, strict=True):
        graph = CPDAG.from_matrix(bf.to_matrix(d, cpdag))
        listed = [bf.from_matrix(dag) for dag in graph.dags()]
        assert graph.size() == len(members)
        assert len(listed) == len(members)
        assert set(listed) == set(members)


@pytest.mark.parametrize("d", [2, 3, 10, 50, 200])
def test_a_tree_has_as_many_members_as_nodes(d: int) -> None:
    path = undirected(d, [(i, i + 1) for i in range(d - 1)])
    star = undirected(d, [(0, i) for i in range(1, d)])
    for tree in (path, star, random_tree(d, seed=d)):
        assert tree.size() == d


@pytest.mark.parametrize("d", [4, 5, 12, 60])
def test_sizes_match_the_closed_forms_of_he_jia_and_yu(d: int) -> None:
    # He, Jia and Yu, "Counting and exploring sizes of Markov equivalence classes", JMLR 2015:
    # connected classes by their number of edges.
    f = math.factorial
    with_one_triangle = [(0, 1), (0, 2), (1, 2), *((j - 1, j) for j in range(3, d))]
    assert complete(d).size() == f(d)
    assert complete(d, [(0, 1)]).size() == 2 * f(d - 1) - f(d - 2)
    assert complete(d, [(0, 1), (0, 2)]).size() == (d * d - d - 4) * f(d - 3)
    assert undirected(d, with_one_triangle).size() == 2 * d


@pytest.mark.parametrize("seed", range(60))
def test_size_matches_the_published_program(seed: int) -> None:
    rng = random.Random(seed)
    graph = random_chordal(rng.randint(6, 120), rng.randint(2, 12), seed)
    assert graph.size() == published_size(graph)
    mixed = chordal_with_tails(seed)
    assert mixed.size() == published_size(mixed)


def test_size_of_nested_cliques_matches_the_published_program() -> None:
    # Every second node is joined to all before it: pieces within pieces, many barred sets.
    graph = undirected(80, [(i, j) for j in range(1, 80, 2) for i in range(j)])
    assert graph.size() == published_size(graph)


def test_components_multiply_and_no_edges_mean_one_member() -> None:
    three_pairs = undirected(6, [(0, 1), (2, 3), (4, 5)])
    assert three_pairs.size() == 8
    assert len(list(three_pairs.dags())) == 8
    empty = CPDAG.from_dag(np.zeros((3, 3)))
    assert empty.size() == 1
    assert [dag.sum() for dag in empty.dags()] == [0]
    assert [dag.sum() for dag in empty.sample_dags(2)] == [0, 0]


classes = st.one_of(
    st.builds(random_chordal, st.integers(1, 40), st.integers(1, 8), st.integers(0, 10**6)),
    st.builds(chordal_with_tails, st.integers(0, 10**6)),
    st.builds(
        lambda d, rho, seed: simulate.linear_gaussian(d, rho, 1, seed=seed).cpdag,
        st.integers(1, 40),
        st.floats(0.0, 3.0),
        st.integers(0, 10**6),
    ),
)


@given(classes, st.integers(0, 10**6))
@settings(deadline=None)
def test_every_dag_listed_or_drawn_is_a_member(graph: CPDAG, seed: int) -> None:
    listed = list(graph.dags(limit=20))
    assert len(listed) == min(20, graph.size())
    assert len({dag.tobytes() for dag in listed}) == len(listed)
    for dag in (*listed, *graph.sample_dags(5, seed=seed)):
        assert dag.dtype == np.uint8
        assert CPDAG.from_dag(dag) == graph


@given(st.builds(random_chordal, st.integers(2, 12), st.integers(1, 4), st.integers(0, 10**6)))
@settings(deadline=None, max_examples=50)
def test_dags_lists_as_many_as_size_says(graph: CPDAG) -> None:
    size = min(graph.size(), 1_000)
    assert len({dag.tobytes() for dag in islice(graph.dags(), 1_000)}) == size


SAMPLED = {
    "path of 5": undirected(5, [(0, 1), (1, 2), (2, 3), (3, 4)]),
    "clique of 4": complete(4),
    "two cliques that share one node": undirected(
        6, [(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (2, 5), (3, 4), (3, 5), (4, 5)]
    ),
    "nested cliques": undirected(6, [(i, j) for j in range(1, 6, 2) for i in range(j)]),
    "chordal, 13 edges": random_chordal(8, 4, seed=0),
    "chordal, 14 edges": random_chordal(8, 4, seed=2),
    "two components and directed edges": chordal_with_tails(seed=3),
}
# Those on which the wrong samplers below are not right by symmetry.
UNEVEN = ("nested cliques", "chordal, 13 edges", "chordal, 14 edges")
Sampler = Callable[[CPDAG, int], list[Matrix]]


def is_uniform(graph: CPDAG, sampler: Sampler) -> bool:
    """Tell whether 60 draws a member pass a chi-square test at the level 0.001."""
    size = graph.size()
    counts = Counter(dag.tobytes() for dag in sampler(graph, 60 * size))
    seen = [counts[dag.tobytes()] for dag in graph.dags()]
    assert sum(seen) == 60 * size
    freedom = size - 1
    statistic = sum((count - 60) ** 2 / 60 for count in seen)
    # The quantile of Wilson and Hilferty; 3.09 is that of the normal distribution.
    spread = 2 / (9 * freedom)
    return statistic < freedom * (1 - spread + 3.09 * math.sqrt(spread)) ** 3


def right_sampler(graph: CPDAG, k: int) -> list[Matrix]:
    return graph.sample_dags(k, seed=2024)


def wrong_sampler(graph: CPDAG, k: int) -> list[Matrix]:
    """Visit nodes by maximum cardinality, ties broken at random: a member, not a uniform one."""
    rng = random.Random(0)
    cells = graph.to_matrix()
    neighbors = rows(cells & cells.T)
    drawn = []
    for _ in range(k):
        ranks, visited, dag = [(1 << graph.d) - 1], 0, cells.copy()
        while ranks:
            v = rng.choice(list(nodes(ranks[-1])))
            dag[v, list(nodes(neighbors[v] & visited))] = 0
            visited |= 1 << v
            ranks = clique_picking.ranks_after(ranks, v, neighbors[v])
        drawn.append(dag)
    return drawn


@pytest.mark.parametrize("name", SAMPLED)
def test_sampling_is_uniform(name: str) -> None:
    assert is_uniform(SAMPLED[name], right_sampler)


@pytest.mark.parametrize("name", UNEVEN)
def test_the_test_of_uniformity_fails_a_random_search_order(name: str) -> None:
    assert not is_uniform(SAMPLED[name], wrong_sampler)


@pytest.mark.parametrize("name", UNEVEN)
def test_the_test_of_uniformity_fails_a_sampler_that_forgets_barred_sets(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = clique_picking._draw_order
    monkeypatch.setattr(clique_picking, "_draw_order", lambda clique, _, rng: draw(clique, (), rng))
    assert not is_uniform(SAMPLED[name], right_sampler)


def test_sampling_repeats_with_the_seed_and_differs_without() -> None:
    graph = complete(30)
    draw = [dag.tobytes() for dag in graph.sample_dags(3, seed=7)]
    assert draw == [dag.tobytes() for dag in graph.sample_dags(3, seed=7)]
    assert draw != [dag.tobytes() for dag in graph.sample_dags(3, seed=8)]
    assert graph.sample_dags(1)[0].tobytes() != graph.sample_dags(1)[0].tobytes()
    assert len(set(draw)) == 3


def test_dags_are_made_when_asked_for_and_never_share_memory() -> None:
    graph = complete(40)
    first, second = islice(graph.dags(), 2)
    assert not np.array_equal(first, second)
    first[:] = 0
    assert CPDAG.from_dag(second) == graph
    assert len(list(graph.dags(limit=0))) == 0
    assert len(list(graph.dags(limit=7))) == 7


def test_a_component_of_a_thousand_nodes_is_listed_without_recursion() -> None:
    path = undirected(1_100, [(i, i + 1) for i in range(1_099)])
    assert [CPDAG.from_dag(dag) == path for dag in path.dags(limit=3)] == [True] * 3


@pytest.mark.parametrize("value", [-1, 1.0, "3", True])
def test_numbers_that_make_no_sense_are_refused_at_once(value: object) -> None:
    graph = complete(3)
    with pytest.raises(OptionError, match="limit must be a whole number, 0 or more"):
        graph.dags(limit=value)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="k must be a whole number, 0 or more"):
        graph.sample_dags(value)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="seed must be a whole number, 0 or more"):
        graph.sample_dags(1, seed=value)  # type: ignore[arg-type]
