"""Notebooks: drawing and table of a class, of a result, and of the neighbourhood of a column."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from greedag import CPDAG, DataError, FileError, GreedagError, OptionError, Result, learn, simulate
from greedag.drawing.focus import MOST_NODES
from greedag.drawing.labels import printable
from greedag.drawing.notebook import view
from greedag.errors import Note
from greedag.result.coefficients import Coefficient, Coefficients
from greedag.result.compare import compare_graphs
from greedag.result.edges import Strength, Strengths
from helpers.golden_files import assert_golden
from helpers.hostile_names import HOSTILE_NAMES
from helpers.svg_tags import OURS, SVG, Tags
from helpers.view_cases import hostile, random_class, weather, worths

TABLE = {
    "div": {"class"},
    "p": set(),
    "table": set(),
    "thead": set(),
    "tbody": set(),
    "tr": set(),
    "th": {"class"},
    "td": {"class", "title"},
    "details": {"class"},
    "summary": set(),
    "span": {"class"},
}


def of(graph: CPDAG) -> Result:
    settings = {"alpha": 2.0}
    return Result(graph, -1.5, "ges", settings, 10, (), {}, {}, (Note("beware <of> this"),))


def nodes(text: str) -> int:
    return text.count('data-node="')


def paragraphs(text: str) -> list[str]:
    return ["".join(p.itertext()) for p in ElementTree.fromstring(text).iter("p")]


def cells(root: ElementTree.Element) -> list[list[str]]:
    """Return the rows of all tables, without headings."""
    rows = (row for body in root.iter("tbody") for row in body.iter("tr"))
    return [["".join(cell.itertext()) for cell in row] for row in rows]


def test_view_of_a_small_class_is_that_of_the_golden_file() -> None:
    graph = weather()
    assert_golden("weather.html", view(graph, strengths=worths(graph), heading="a < b").html + "\n")


def test_bundle_of_a_class_holds_text_and_one_drawing_with_its_table() -> None:
    graph = random_class(37, 1.25, 3)
    bundle = graph._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    root = ElementTree.fromstring(bundle["text/html"])
    assert len(list(root.iter(f"{SVG}svg"))) == 1
    expected = [[a, "→", b] for a, b in graph.directed] + [[a, "-", b] for a, b in graph.undirected]
    assert cells(root) == expected
    assert nodes(bundle["text/html"]) == 37


def test_bundle_of_a_result_adds_heading_and_notes() -> None:
    result = of(weather())
    bundle = result._repr_mimebundle_()
    assert bundle["text/plain"] == str(result)
    paragraphs = [
        "".join(p.itertext()) for p in ElementTree.fromstring(bundle["text/html"]).iter("p")
    ]
    assert paragraphs == [str(result).splitlines()[0], "note: beware <of> this"]


def test_bundle_takes_the_arguments_that_a_notebook_passes() -> None:
    for shown in (weather(), of(weather()), weather().view()):
        assert shown._repr_mimebundle_(include=None, exclude=None)["text/html"]


def test_a_learned_result_shows_its_strengths() -> None:
    result = learn(simulate.linear_gaussian(10, 1.5, 500, seed=0).data)
    bundle = result._repr_mimebundle_()
    assert nodes(bundle["text/html"]) == 10
    rows = cells(ElementTree.fromstring(bundle["text/html"]))
    assert [row[3] for row in rows] == [f"{edge.loss:.1f}" for edge in result.strengths()]
    margins = ["" if e.edge == "-" else f"{e.margin:.1f}" for e in result.strengths()]
    assert [row[4] for row in rows] == margins and any(margins)


def test_of_many_edges_the_first_are_shown_and_all_others_on_demand() -> None:
    root = ElementTree.fromstring(random_class(37, 1.25, 3).view().html)
    (rest,) = (part for part in root.iter("details") if part.get("class") == "rest")
    first, second = (list(body.iter("tr")) for body in root.iter("tbody"))
    assert len(first) == 12 and len(list(rest.iter("tr"))) == len(second) + 1
    assert "Show all " + str(len(first) + len(second)) in "".join(rest.itertext())
    few = ElementTree.fromstring(weather().view().html)
    assert not [part for part in few.iter("details") if part.get("class") == "rest"]


def test_a_wide_drawing_fits_and_can_be_seen_at_full_size() -> None:
    def zooms(graph: CPDAG) -> int:
        root = ElementTree.fromstring(graph.view().html)
        return sum(part.get("class") == "zoom" for part in root.iter("details"))

    assert zooms(random_class(60, 1.5, 3)) == 1
    assert zooms(CPDAG.from_dag([[0, 1], [0, 0]])) == 0
    # Where the drawing stands alone, the table comes below it.
    assert '<div class="graph wide">' in random_class(60, 1.5, 3).view().html


def test_strengths_are_a_tuple_that_shows_as_a_table() -> None:
    result = learn(simulate.linear_gaussian(10, 1.5, 500, seed=0).data)
    strengths = result.strengths()
    assert isinstance(strengths, tuple) and strengths == tuple(strengths)
    assert repr(strengths) == "\n".join(str(result).splitlines()[1:])
    rows = cells(ElementTree.fromstring(strengths._repr_html_()))
    assert [tuple(row[:3]) for row in rows] == [(e.a, e.edge, e.b) for e in strengths]
    copied = pickle.loads(pickle.dumps(strengths))
    assert copied == strengths and repr(copied) == repr(strengths)
    assert repr(type(strengths)()) == "(no edges)"


def test_explanations_coefficients_and_comparisons_show_as_sentences_and_tables() -> None:
    result = learn(simulate.linear_gaussian(6, 2.0, 500, seed=1).data)
    a, b = result.cpdag.directed[0]
    explained = result.explain(a, b)
    assert paragraphs(explained._repr_html_()) == str(explained).splitlines()
    estimates = result.coefficients()
    rows = cells(ElementTree.fromstring(estimates._repr_html_()))
    assert [(row[0], row[2]) for row in rows] == [(e.parent, e.child) for e in estimates]
    assert all(row[3][0] in "+-" for row in rows)
    comparison = result.compare(CPDAG.from_dag(np.triu(np.ones((6, 6), dtype=int), 1)))
    html = comparison._repr_html_()
    assert paragraphs(html) == [str(comparison).splitlines()[0]]
    assert len(cells(ElementTree.fromstring(html))) == len(str(comparison).splitlines()) - 1


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_hostile_name_stays_a_name_in_every_fragment(name: str) -> None:
    graph = CPDAG.from_dag([[0, 1], [0, 0]], [name, "plain"])
    other = CPDAG.from_dag([[0, 0], [0, 0]], [name, "plain"])
    edges = (Coefficient(name, "plain", 1.0, 0.1),)
    for text in (
        Strengths([Strength(name, "plain", "-", 2.0)])._repr_html_(),
        Coefficients(edges, {})._repr_html_(),
        compare_graphs(graph, other)._repr_html_(),
        of(graph).explain(name, "plain")._repr_html_(),
    ):
        root = ElementTree.fromstring(text)
        assert {element.tag for element in root.iter()} <= {*TABLE, "style"}
        assert printable(name)[:5].strip() in "".join(root.itertext())


def test_strengths_get_a_column_sorted_strongest_first() -> None:
    graph = weather()
    root = ElementTree.fromstring(view(graph, strengths=worths(graph)).html)
    shown = [float(row[3]) for row in cells(root)]
    assert shown == sorted((round(w.loss, 1) for w in worths(graph)), reverse=True)


def test_up_to_a_hundred_columns_are_shown_whole() -> None:
    graph = random_class(MOST_NODES, 1.5, 3)
    assert nodes(graph.view().svg) == MOST_NODES
    assert "Shown:" not in graph.view().html


def test_larger_classes_show_the_best_connected_column_and_say_so() -> None:
    graph = random_class(300, 1.5, 3)
    matrix = graph.to_matrix()
    degree = (matrix | matrix.T).sum(axis=0)
    shown = graph.view()
    assert nodes(shown.svg) == degree.max() + 1
    name = graph.names[int(degree.argmax())]
    sentence = (
        f"Shown: '{name}', the column with the most edges, and the {degree.max()} columns within "
        "1 edge "
        'of it, out of 300. To see another part: .view(focus="name", distance=1).'
    )
    assert paragraphs(shown.html)[0] == sentence
    assert shown.text.startswith(sentence)
    assert 'class="node focus"' in shown.svg


@pytest.mark.parametrize("distance", [1, 2, 3])
def test_focus_shows_exactly_what_lies_within_the_distance(distance: int) -> None:
    graph = random_class(60, 1.5, 3)
    matrix = graph.to_matrix()
    near = np.linalg.matrix_power(
        (matrix | matrix.T | np.eye(60, dtype=np.uint8)).astype(float), distance
    )
    expected = {graph.names[i] for i in np.flatnonzero(near[7])}
    root = ElementTree.fromstring(graph.view(focus="x7", distance=distance).svg)
    groups = [g for g in root.iter(f"{SVG}g") if (g.get("class") or "").startswith("node")]
    assert {g.findtext(f"{SVG}title") for g in groups} == expected
    (middle,) = (g for g in groups if g.get("class") == "node focus")
    assert middle.findtext(f"{SVG}title") == "x7"


def test_edges_in_a_focus_are_those_of_the_whole_class() -> None:
    graph = random_class(60, 2.0, 3)
    shown = of(graph).view(focus="x7", distance=1)
    root = ElementTree.fromstring(shown.html)
    rows = [tuple(row) for row in cells(root)]
    whole = {(a, "→", b) for a, b in graph.directed} | {(a, "-", b) for a, b in graph.undirected}
    names = {name for a, _, b in rows for name in (a, b)}
    assert set(rows) == {row for row in whole if {row[0], row[2]} <= names}


def test_a_neighbourhood_of_more_than_a_hundred_columns_is_cut_and_says_so() -> None:
    star = np.zeros((150, 150), dtype=int)
    star[0, 1:] = 1
    shown = CPDAG.from_dag(star).view()
    assert nodes(shown.svg) == MOST_NODES
    assert "the nearest 99 of the 149 columns" in shown.text


def test_wrong_focus_and_distance_are_errors_that_say_what_is_wrong() -> None:
    with pytest.raises(DataError, match=r"'rein'.*'rain'"):
        weather().view(focus="rein")
    for wrong in (0, -1, 1.5, True, "1"):
        with pytest.raises(OptionError, match="distance must be a whole number, 1 or more"):
            weather().view(focus="rain", distance=wrong)  # type: ignore[arg-type]


def test_hostile_names_leave_only_our_elements_and_attributes() -> None:
    graph = hostile()
    text = view(graph, strengths=worths(graph)).html
    ours = OURS | TABLE
    for element in ElementTree.fromstring(text).iter():
        tag = element.tag.removeprefix(SVG)
        assert set(element.attrib) <= ours[tag], element.attrib
    for tag, attributes in Tags(text).seen:
        assert attributes <= {name.lower() for name in ours[tag]} | {"xmlns"}
    assert len(text) < 400_000


@pytest.mark.parametrize("suffix", [".svg", ".html", ".HTM"])
def test_saved_files_hold_the_drawing(tmp_path: Path, suffix: str) -> None:
    shown, path = hostile().view(), tmp_path / f"graph{suffix}"
    shown.save(path)
    text = path.read_text(encoding="utf-8")
    assert (shown.svg if suffix == ".svg" else shown.html) in text
    if suffix == ".svg":
        assert ElementTree.parse(path).getroot().tag == f"{SVG}svg"


def test_saving_elsewhere_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"use the suffix \.svg or \.html"):
        weather().view().save(tmp_path / "graph.png")
    with pytest.raises(FileError):
        weather().view().save(tmp_path / "nowhere" / "graph.svg")


def test_a_notebook_needs_no_optional_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert nodes(weather()._repr_mimebundle_()["text/html"]) == 6


@pytest.mark.parametrize("path", [5, None, b"view.svg"])
def test_what_is_no_path_is_refused_when_saving(path: Any) -> None:
    with pytest.raises(GreedagError, match=r"suffix \.svg or \.html"):
        CPDAG.from_dag([[0, 1], [0, 0]]).view().save(path)
