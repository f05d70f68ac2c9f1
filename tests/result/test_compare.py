"""Comparisons edge by edge."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from greedag import CPDAG, DataError, Moments, Result, learn, metrics, simulate
from greedag.errors import DataTypeError
from greedag.result.compare import Pair, compare_graphs

ONE = CPDAG.from_matrix(
    [
        [0, 0, 1, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
    ],
    names=list("abcde"),
)
# a - c, b - d, d → e ← b … in another order of columns.
OTHER = CPDAG.from_dag(
    [
        [0, 0, 0, 1, 0],
        [0, 0, 0, 0, 0],
        [1, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 1, 0, 0, 0],
    ],
    names=["d", "a", "b", "e", "c"],
)


def test_pairs_are_sorted_by_how_their_edges_differ() -> None:
    found = compare_graphs(ONE, OTHER)
    assert found.shared == ()
    assert found.directed == found.turned == (Pair("a", "c", "→", "-"),)
    assert found.reversed == found.undirected == ()
    assert found.extra == (Pair("b", "c", "→", ""), Pair("c", "d", "→", ""))
    assert found.missing == (Pair("b", "d", "", "-"), Pair("d", "e", "", "-"))
    assert found.shd == metrics.shd(ONE, OTHER) == 5
    assert str(found) == (
        "0 shared, 0 reversed, 1 directed in the first only, 0 in the second only, 2 extra, "
        "2 missing; SHD 5\n"
        "directed    a → c  a - c\n"
        "extra       b → c  ·\n"
        "extra       c → d  ·\n"
        "missing     ·      b - d\n"
        "missing     ·      d - e"
    )


def test_a_contradiction_is_told_from_an_edge_that_one_class_leaves_undirected() -> None:
    names = list("abcd")
    # a → b ← c, b → d against a ← b → d … with b ← d ← nothing: d → b ← c, b → a.
    one = CPDAG.from_dag([[0, 1, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 0]], names)
    other = CPDAG.from_dag([[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]], names)
    chain = CPDAG.from_dag([[0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]], names)
    found = compare_graphs(one, other)
    assert found.reversed == (Pair("a", "b", "→", "←"), Pair("b", "d", "→", "←"))
    assert found.shared == (Pair("c", "b", "→", "→"),) and found.shd == 2
    assert str(found).startswith(
        "1 shared, 2 reversed, 0 directed in the first only, 0 in the second only, 0 extra, "
        "0 missing; SHD 2\nreversed    a → b  a ← b\n"
    )
    weaker = compare_graphs(chain, one)
    assert not weaker.reversed and not weaker.directed
    assert weaker.undirected == (
        Pair("a", "b", "-", "→"),
        Pair("b", "c", "-", "←"),
        Pair("b", "d", "-", "→"),
    )
    assert len(compare_graphs(one, chain).directed) == 3


def test_a_directed_edge_reads_from_tail_to_head() -> None:
    names = list("abc")
    collider = CPDAG.from_dag([[0, 0, 0], [1, 0, 0], [1, 0, 0]], names)  # b → a ← c
    nothing = CPDAG.from_dag(np.zeros((3, 3)), names)
    tails = [("b", "a"), ("c", "a")]
    assert [(p.a, p.b) for p in compare_graphs(collider, nothing).extra] == tails
    assert [(p.a, p.b) for p in compare_graphs(nothing, collider).missing] == tails
    assert [(p.a, p.b) for p in compare_graphs(collider, collider).shared] == tails


def test_random_classes_agree_with_the_distance_and_mirror_each_other() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        one, other = (
            CPDAG.from_dag(np.triu(rng.random((8, 8)) < 0.35, 1).astype(np.uint8)) for _ in range(2)
        )
        there, back = compare_graphs(one, other), compare_graphs(other, one)
        assert there.shd == back.shd == metrics.shd(one, other)
        assert {frozenset((p.a, p.b)) for p in there.extra} == {
            frozenset((p.a, p.b)) for p in back.missing
        }
        assert [len(there.reversed), len(there.directed), len(there.undirected)] == [
            len(back.reversed),
            len(back.undirected),
            len(back.directed),
        ]
        assert (
            len(there.shared) + there.shd
            == np.triu(
                one.to_matrix() | one.to_matrix().T | other.to_matrix() | other.to_matrix().T
            ).sum()
        )


@pytest.fixture(scope="module")
def table() -> np.ndarray:
    return simulate.linear_gaussian(10, 2.0, 500, seed=2).data


def test_results_of_the_same_data_have_a_difference_of_scores(
    table: np.ndarray, tmp_path: Path
) -> None:
    one, other = learn(table, search="xges"), learn(table.copy(order="F"), search="ges")
    found = one.compare(other)
    assert found.score_difference == one.score - other.score
    assert f"; score {found.score_difference:+.6g}" in str(found)
    other.save(tmp_path / "r.json")
    assert one.compare(Result.load(tmp_path / "r.json")).score_difference == one.score - other.score
    assert one.compare(other.cpdag).score_difference is None
    assert one.compare(one).shd == 0


def test_results_of_other_data_or_another_alpha_have_none(table: np.ndarray) -> None:
    one = learn(table)
    assert one.compare(learn(table[:-1])).score_difference is None
    assert one.compare(learn(table, alpha=1.0)).score_difference is None
    assert one.compare(replace(one, statistics=None)).score_difference is None


def test_other_columns_and_other_things_are_refused(table: np.ndarray) -> None:
    one = learn(table)
    named = learn(Moments.from_data(table, names=list("abcdefghij")))
    with pytest.raises(DataError, match="different columns"):
        one.compare(named)
    with pytest.raises(DataTypeError, match="Result or a CPDAG, not ndarray"):
        one.compare(table)  # type: ignore[arg-type]


def test_names_are_escaped() -> None:
    graph = CPDAG.from_dag([[0, 1], [0, 0]], names=["\x1b[31m", "b\n"])
    text = str(compare_graphs(graph, CPDAG.from_dag(np.zeros((2, 2)), names=graph.names)))
    assert text.endswith("extra       \\x1b[31m - b\\n  ·")


def test_columns_of_the_table_are_aligned_by_the_width_that_names_take() -> None:
    first = CPDAG.from_dag([[0, 1, 0], [0, 0, 0], [0, 0, 0]], names=["雨", "泥", "long name"])
    other = CPDAG.from_dag([[0, 0, 1], [0, 0, 0], [0, 0, 0]], names=first.names)
    _, extra, missing = str(compare_graphs(first, other)).splitlines()
    assert extra == "extra       雨 - 泥  ·"
    assert missing == "missing     ·        雨 - long name"
