"""SVG: well-formed whatever the names, its own elements only, and the contract of its classes."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from greedag import CPDAG
from greedag.drawing.labels import printable
from greedag.drawing.layout import layout
from greedag.drawing.svg import STYLE, draw, escape
from helpers.golden_files import assert_golden
from helpers.hostile_names import HOSTILE_NAMES
from helpers.svg_tags import OURS, SVG, Tags
from helpers.view_cases import Worth, hostile, random_class, weather, worths


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def test_drawing_of_a_small_class_is_that_of_the_golden_file() -> None:
    graph = weather()
    assert_golden("weather.svg", draw(graph, title="weather") + "\n")
    assert_golden("weather-strengths.svg", draw(graph, strengths=worths(graph)) + "\n")


def test_drawing_of_a_class_without_edges_is_that_of_the_golden_file() -> None:
    assert_golden("no-edges.svg", draw(CPDAG.from_dag([[0, 0], [0, 0]], ["a", "b"])) + "\n")


def test_nodes_and_edges_carry_their_columns_and_strengths() -> None:
    graph = random_class(20, 2.0, 4)
    root = parsed(draw(graph, strengths=worths(graph)))
    groups = root.findall(f"{SVG}g")
    nodes = [g for g in groups if g.get("class") == "node"]
    assert [node.get("data-node") for node in nodes] == [str(i) for i in range(20)]
    assert all(node.get("tabindex") == "0" for node in nodes)
    strength = {(w.a, w.b): w.loss for w in worths(graph)}
    for kind, edges in (("directed", graph.directed), ("undirected", graph.undirected)):
        found = [g for g in groups if g.get("class") == f"edge {kind}"]
        assert len(found) == len(edges) > 0
        for group, (a, b) in zip(found, sorted_by_column(graph, edges), strict=True):
            i, j = graph.names.index(a), graph.names.index(b)
            assert group.get("data-edge") == f"{i}-{j}"
            assert float(group.get("data-strength", "")) == pytest.approx(strength[a, b], rel=1e-5)
            assert (group.find(f"{SVG}polygon") is not None) == (kind == "directed")


def sorted_by_column(graph: CPDAG, edges: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    return sorted(edges, key=lambda edge: [graph.names.index(name) for name in edge])


def test_without_strengths_edges_carry_none() -> None:
    assert "data-strength" not in draw(weather())


def test_a_layout_made_before_gives_the_same_drawing() -> None:
    graph = random_class(30, 1.5, 2)
    assert draw(graph, layout(graph)) == draw(graph)


def test_hostile_names_leave_only_our_elements_and_attributes() -> None:
    graph = hostile()
    text = draw(graph, strengths=worths(graph), title="".join(HOSTILE_NAMES[:39]))
    for element in parsed(text).iter():
        tag = element.tag.removeprefix(SVG)
        assert tag in OURS
        assert set(element.attrib) <= OURS[tag], element.attrib
    for tag, attributes in Tags(text).seen:
        allowed = {name.lower() for name in OURS[tag]} | {"xmlns"}
        assert attributes <= allowed


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_hostile_name_is_shown_whole_on_hover_and_nowhere_else(name: str) -> None:
    text = draw(CPDAG.from_dag([[0, 1], [0, 0]], [name, "plain"]))
    root = parsed(text)
    node = next(g for g in root.iter(f"{SVG}g") if g.get("data-node") == "0")
    assert node.findtext(f"{SVG}title") == printable(name)
    assert sum(1 for _ in root.iter()) == sum(
        1 for _ in parsed(draw(CPDAG.from_dag([[0, 1], [0, 0]], ["a", "plain"]))).iter()
    )


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_escaped_text_is_read_back_but_for_what_xml_forbids(name: str) -> None:
    element = parsed(f'<a b="{escape(name)}">{escape(name)}</a>')
    expected = "".join(c if ok_in_xml(c) else "\ufffd" for c in name)
    assert element.get("b") == expected
    assert (element.text or "") == expected


def ok_in_xml(character: str) -> bool:
    code = ord(character)
    return (
        character in "\t\n\r"
        or 0x20 <= code <= 0xD7FF
        or 0xE000 <= code <= 0xFFFD
        or code >= 0x10000
    )


def test_drawing_can_be_written_as_utf8() -> None:
    assert draw(hostile()).encode("utf-8")


def test_styles_reach_nothing_outside_a_drawing() -> None:
    rules = re.sub(r"@media\([^)]*\)\{(.*?\})\}", r"\1", STYLE)
    selectors = [s for rule in re.findall(r"([^{}]+)\{[^{}]*\}", rules) for s in rule.split(",")]
    assert len(selectors) > 10
    assert all(re.search(r"(^| |svg)\.greedag\b", selector) for selector in selectors)


def test_a_drawing_uses_no_ids_so_that_several_fit_one_page() -> None:
    assert not re.search(r"\bid=|url\(|href", draw(random_class(20, 2.0, 4)))


def test_a_drawing_has_no_style_attributes_that_a_strict_page_would_refuse() -> None:
    assert not re.search(r"\bstyle=|\bon[a-z]+=", draw(random_class(20, 2.0, 4)))


def test_heads_are_faint_where_the_direction_margin_is_small() -> None:
    collider = CPDAG.from_dag([[0, 0, 1], [0, 0, 1], [0, 0, 0]], ["a", "b", "c"])
    strong, weak = Worth("a", "c", 50.0, 5.0), Worth("b", "c", 50.0, 4.9)
    root = parsed(draw(collider, strengths=[strong, weak]))
    edges = {g.get("data-edge"): g for g in root.iter(f"{SVG}g") if g.get("data-edge")}
    heads = {key: g.find(f"{SVG}polygon") for key, g in edges.items()}
    assert {key: head is not None and head.get("class") for key, head in heads.items()} == {
        "0-2": None,
        "1-2": "faint",
    }
    assert edges["1-2"].findtext(f"{SVG}title") == "b → c, strength 50, direction margin 4.9"
    assert "faint head" in "".join(root.itertext())
    assert "faint head" not in draw(collider, strengths=[strong])


def test_the_legend_explains_only_the_kinds_of_edges_that_occur() -> None:
    collider = draw(CPDAG.from_dag([[0, 0, 1], [0, 0, 1], [0, 0, 0]]))
    assert ">undirected:" not in collider
    assert ">directed: this direction in every member" in collider
    chain = draw(CPDAG.from_dag([[0, 1], [0, 0]]))
    assert ">undirected: either direction" in chain
    assert ">directed:" not in chain
    assert 'class="legend' not in draw(CPDAG.from_dag([[0]]))
