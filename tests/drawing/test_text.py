"""The table of edges in a terminal: aligned, bounded, and nothing in it moves the cursor."""

from __future__ import annotations

import dataclasses

import pytest

from greedag import CPDAG, Result, learn, simulate
from greedag.drawing.labels import cell_width
from greedag.drawing.text import MOST_LINES, edge_table
from helpers.golden_files import assert_golden
from helpers.hostile_names import HOSTILE_NAMES
from helpers.view_cases import Worth, hostile, random_class, weather, worths


def test_tables_are_those_of_the_golden_files() -> None:
    graph = weather()
    assert_golden("weather.txt", edge_table(graph) + "\n")
    assert_golden("weather-strengths.txt", edge_table(graph, worths(graph)) + "\n")
    wide = CPDAG.from_dag([[0, 1, 1], [0, 0, 1], [0, 0, 0]], ["温度", "e\u0301tat", "x" * 60])
    assert_golden("wide.txt", edge_table(wide, worths(wide)) + "\n")


def test_strongest_edges_come_first_and_unknown_ones_last() -> None:
    graph = CPDAG.from_dag([[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]], list("abcd"))
    table = edge_table(graph, [Worth("a", "d", 1.0), Worth("c", "d", 30.0)])
    assert table.splitlines() == ["edge   strength", "c → d      30.0", "a → d       1.0", "b → d"]


def test_direction_margins_stand_beside_the_strengths_of_directed_edges() -> None:
    graph = CPDAG.from_dag([[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0]], list("abcd"))
    table = edge_table(graph, [Worth("a", "c", 30.0, 2.5), Worth("a", "d", 1.0)])
    assert table.splitlines() == [
        "edge   strength  margin",
        "a → c      30.0     2.5",
        "a - d       1.0",
        "b → c                 ?",
    ]


def test_long_tables_say_how_many_edges_more_there_are() -> None:
    graph = random_class(100, 2.0, 0)
    edges = len(graph.directed) + len(graph.undirected)
    lines = edge_table(graph).splitlines()
    assert len(lines) == MOST_LINES + 1
    assert lines[-1] == f"… and {edges - MOST_LINES} more"
    assert len(edge_table(graph, most=edges).splitlines()) == edges


def test_a_class_without_edges_says_so() -> None:
    assert edge_table(CPDAG.from_dag([[0]])) == "(no edges)"


def test_hostile_names_print_nothing_that_moves_the_cursor() -> None:
    graph = hostile()
    for table in (edge_table(graph, most=1000), edge_table(graph, worths(graph), most=1000)):
        lines = table.split("\n")
        assert all(line.isprintable() for line in lines)
        assert max(map(len, lines)) < 300
        assert len(lines) - len(graph.directed) - len(graph.undirected) in (0, 1)
        table.encode("utf-8")


def test_columns_are_aligned_whatever_the_names() -> None:
    graph = hostile()
    lines = edge_table(graph, worths(graph), most=1000).splitlines()
    assert len({cell_width(line) for line in lines}) == 1


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_result_of_any_names_prints_as_lines_of_text(name: str) -> None:
    graph = CPDAG.from_dag([[0, 1], [0, 0]], [name, "plain"])
    lines = str(Result(graph, -1.5, "ges", {"alpha": 2.0}, 10, (), {}, {})).split("\n")
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)


def test_a_learned_result_prints_every_edge_with_its_strength() -> None:
    result = learn(simulate.linear_gaussian(8, 1.5, 1000, seed=2).data, effort=0)
    _, head, *lines = str(result).splitlines()
    assert head.split() == ["edge", "strength", "margin"]
    expected = [
        [s.a, s.edge, s.b, f"{s.loss:.1f}", *([] if s.margin is None else [f"{s.margin:.1f}"])]
        for s in result.strengths()
    ]
    assert [line.split() for line in lines] == expected
    assert {len(line) for line in expected} == {4, 5}
    assert len(expected) > 5


def test_a_result_without_moments_prints_its_edges_alone() -> None:
    result = learn(simulate.linear_gaussian(8, 1.5, 1000, seed=2).data, effort=0)
    bare = dataclasses.replace(result, statistics=None)
    assert str(bare).splitlines()[1:] == edge_table(result.cpdag).splitlines()
