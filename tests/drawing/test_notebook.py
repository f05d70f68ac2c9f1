"""Notebooks: drawing and table of a class, of a result, and of the neighbourhood of a column."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from greedag import CPDAG, DataError, FileError, GreedagError, OptionError, Result, learn, simulate
from greedag.drawing.focus import MOST_NODES
from greedag.drawing.notebook import view
from greedag.errors import Note
from helpers.golden_files import assert_golden
from helpers.svg_tags import OURS, SVG, Tags
from helpers.view_cases import hostile, random_class, weather, worths

TABLE = {
    "div": {"class"},
    "p": set(),
    "table": set(),
    "thead": set(),
    "tbody": set(),
    "tr": set(),
    "th": {"colspan"},
    "td": {"class"},
}


def of(graph: CPDAG) -> Result:
    settings = {"alpha": 2.0}
    return Result(graph, -1.5, "ges", settings, 10, (), {}, {}, (Note("beware <of> this"),))


def nodes(text: str) -> int:
    return text.count('data-node="')


def paragraphs(text: str) -> list[str]:
    return ["".join(p.itertext()) for p in ElementTree.fromstring(text).iter("p")]


def test_view_of_a_small_class_is_that_of_the_golden_file() -> None:
    graph = weather()
    assert_golden("weather.html", view(graph, strengths=worths(graph), heading="a < b").html + "\n")


def test_bundle_of_a_class_holds_text_and_one_drawing_with_its_table() -> None:
    graph = random_class(37, 1.25, 3)
    bundle = graph._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    root = ElementTree.fromstring(bundle["text/html"])
    assert len(list(root.iter(f"{SVG}svg"))) == 1
    rows = [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")][1:]
    expected = [[a, "→", b] for a, b in graph.directed] + [[a, "-", b] for a, b in graph.undirected]
    assert rows == expected
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
    shown = ElementTree.fromstring(bundle["text/html"]).iter("td")
    numbers = [cell.text for cell in shown if cell.get("class") == "number"]
    assert numbers == [f"{strength.loss:.1f}" for strength in result.strengths()]


def test_strengths_get_a_column_sorted_strongest_first() -> None:
    graph = weather()
    root = ElementTree.fromstring(view(graph, strengths=worths(graph)).html)
    shown = [float(cell.text or "") for cell in root.iter("td") if cell.get("class") == "number"]
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
        f"Shown: '{name}', the best connected column, and the {degree.max()} columns within 1 edge "
        'of it, out of 300. For another part: .view(focus="name", distance=1).'
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
    rows = [tuple("".join(cell.itertext()) for cell in row) for row in root.iter("tr")][1:]
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
    with pytest.raises(OptionError, match=r"end it in \.svg or \.html"):
        weather().view().save(tmp_path / "graph.png")
    with pytest.raises(FileError):
        weather().view().save(tmp_path / "nowhere" / "graph.svg")


def test_a_notebook_needs_no_optional_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert nodes(weather()._repr_mimebundle_()["text/html"]) == 6


@pytest.mark.parametrize("path", [5, None, b"view.svg"])
def test_what_is_no_path_is_refused_when_saving(path: Any) -> None:
    with pytest.raises(GreedagError, match=r"in \.svg or \.html"):
        CPDAG.from_dag([[0, 1], [0, 0]]).view().save(path)
