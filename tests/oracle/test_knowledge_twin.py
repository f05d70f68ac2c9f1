"""The twin of background knowledge on cases that can be followed by hand, and against itself."""

from __future__ import annotations

import numpy as np
import pytest

from oracle import brute_force as bf
from oracle import knowledge as twin
from oracle.knowledge import INADMISSIBLE, Statements, space
from oracle.knowledge_exact import best_admissible_score, local_tables
from oracle.random_knowledge import KINDS, MIXTURE, consistent_statements, random_statements

SETS, SLOW_SETS = 200, 8


def graph(d: int, arcs: list[tuple[int, int]], undirected: list[tuple[int, int]]) -> int:
    """Return a graph from its edges."""
    return twin.graph_of(d, [*arcs, *undirected, *((y, x) for x, y in undirected)])


def mpdag(known: Statements, cpdag: int) -> int:
    """Return the MPDAG of one class."""
    place = bf.atlas(known.d).cpdags.index(cpdag)
    return int(twin.mpdags(space(known.d), known)[place])


def test_on_a_chain_a_before_b_directs_the_edge_into_b_and_no_other() -> None:
    b, m, a = 0, 1, 2
    chain = graph(3, [], [(b, m), (m, a)])
    known = Statements(3, before=((a, b),))
    assert mpdag(known, chain) == graph(3, [(m, b)], [(m, a)])


def test_an_untiered_column_between_two_tiers_does_not_let_the_later_one_through() -> None:
    late, untiered, early = 0, 1, 2
    known = Statements(3, tiers=(1, -1, 0))
    chain = twin.graph_of(3, [(late, untiered), (untiered, early)])
    backward_arc = Statements(3, forbidden=((late, early),))
    assert backward_arc.admits(bf.to_matrix(3, chain))
    assert not known.admits(bf.to_matrix(3, chain))
    undirected = graph(3, [], [(late, untiered), (untiered, early)])
    assert mpdag(backward_arc, undirected) == undirected
    assert mpdag(known, undirected) == graph(3, [(untiered, late)], [(untiered, early)])


def test_the_fourth_rule_of_meek_follows_from_the_members() -> None:
    a, b, c, d = range(4)
    cpdag = graph(4, [], [(a, b), (a, c), (a, d), (b, c), (c, d)])
    known = Statements(4, required=((d, c),))
    assert mpdag(known, cpdag) == graph(4, [(d, c), (c, b), (a, b)], [(a, c), (a, d)])


def test_before_pairs_are_not_chained() -> None:
    # 0 before 1 and 1 before 2 leave 2 → 0 open.
    known = Statements(3, before=((0, 1), (1, 2)))
    assert known.admits(bf.to_matrix(3, twin.graph_of(3, [(2, 0)])))


def test_required_and_forbidden_together_admit_nothing() -> None:
    known = Statements(3, required=((0, 1),), forbidden=((0, 1),))
    assert (twin.mpdags(space(3), known) == INADMISSIBLE).all()


def test_ancestors_and_parents_in_arrays_are_those_of_each_dag() -> None:
    everywhere = space(4)
    assert everywhere.ancestries.tolist() == [bf.ancestry(4, int(dag)) for dag in everywhere.dags]
    assert everywhere.parents.tolist() == [bf.parent_sets(4, int(dag)) for dag in everywhere.dags]


def test_without_statements_the_mpdag_of_a_class_is_its_cpdag() -> None:
    for d in (1, 2, 3, 4):
        assert twin.mpdags(space(d), Statements(d)).tolist() == bf.atlas(d).cpdags


def test_bitmasks_admit_the_dags_that_matrices_admit() -> None:
    for seed in range(SLOW_SETS):
        _, known = random_statements(seed, 4)
        flags = twin.admissible_dags(space(4), known)
        expected = [known.admits(bf.to_matrix(4, int(dag))) for dag in space(4).dags]
        assert flags.tolist() == expected


@pytest.mark.parametrize("kind", [*KINDS, MIXTURE])
def test_some_dag_is_admissible_exactly_when_the_required_arcs_alone_are(kind: str) -> None:
    for seed in range(SETS):
        _, known = random_statements(seed, 4, kind)
        required = twin.graph_of(4, known.required)
        alone = required in bf.atlas(4).class_of and known.admits(bf.to_matrix(4, required))
        assert twin.admissible_dags(space(4), known).any() == alone


@pytest.mark.parametrize("kind", [*KINDS, MIXTURE])
@pytest.mark.parametrize("d", [3, 4])
def test_the_members_that_agree_with_the_mpdag_are_all_admissible(d: int, kind: str) -> None:
    # So the edges say all: no statement on ancestors needs the members to be filtered.
    everywhere = space(d)
    sizes = np.diff([*everywhere.starts, len(everywhere.dags)])
    for seed in range(SETS):
        _, known = random_statements(seed, d, kind)
        graphs = np.repeat(twin.mpdags(everywhere, known), sizes)
        agree = (graphs != INADMISSIBLE) & (everywhere.dags & ~graphs == 0)
        assert np.array_equal(agree, twin.admissible_dags(everywhere, known))


@pytest.mark.parametrize("kind", [*KINDS, MIXTURE])
def test_random_statements_are_neither_empty_nor_always_impossible(kind: str) -> None:
    shares = []
    for seed in range(SETS):
        _, known = consistent_statements(seed, 4, kind)
        shares.append(twin.admissible_classes(space(4), known).mean())
    assert min(shares) > 0.0
    assert np.mean([share < 1.0 for share in shares]) > 0.4


def test_members_directed_edge_by_edge_are_the_admissible_ones() -> None:
    for seed in range(SLOW_SETS):
        _, known = random_statements(seed, 4)
        admissible = set(space(4).dags[twin.admissible_dags(space(4), known)].tolist())
        for cpdag, members in zip(bf.atlas(4).cpdags, bf.atlas(4).members, strict=True):
            found = twin.admissible_members(bf.to_matrix(4, cpdag), known)
            assert sorted(map(bf.from_matrix, found)) == sorted(admissible & set(members))


@pytest.mark.parametrize("kind", [*KINDS, MIXTURE])
def test_branching_finds_the_best_of_all_admissible_dags(kind: str) -> None:
    for seed in range(SLOW_SETS):
        known = consistent_statements(seed, 4, kind)[1]
        scores = np.random.default_rng(seed).normal(size=(4, 16)).tolist()

        def local_score(y: int, parents: tuple[int, ...], scores: list = scores) -> float:
            return scores[y][sum(1 << x for x in parents)]

        best, _ = twin.best_admissible(space(4), known, twin.dag_totals(space(4), local_score))
        assert best_admissible_score(local_tables(local_score, 4), known) == pytest.approx(best)
