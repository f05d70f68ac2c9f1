"""What the report does in a browser."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from browser import Browser, Page, find_browser
from greedag import CPDAG, Result, learn
from greedag.report import page
from hostile_names import HOSTILE_NAMES
from plant_names import PLANT_NAMES
from reports import data_of, learned

SENTENCES = ".sentence')].map(p => p.textContent).join('\\n')"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = find_browser()
    if program is None:
        pytest.skip("no chromium here: install it to try the report in a browser")
    with Browser(program) as running:
        yield running


@pytest.fixture(scope="module")
def small() -> Result:
    return learned(37, PLANT_NAMES)


@pytest.fixture(scope="module")
def large() -> Result:
    return learned(100)


@pytest.fixture(scope="module")
def wide() -> Result:
    return learned(150)


@pytest.fixture(scope="module")
def files(
    tmp_path_factory: pytest.TempPathFactory, small: Result, large: Result, wide: Result
) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    written = {}
    for name, result in {"small": small, "large": large, "wide": wide}.items():
        written[name] = folder / f"{name}.html"
        result.report(written[name])
    return written


def visible(opened: Page, selector: str) -> int:
    return int(
        opened.evaluate(
            f"[...document.querySelectorAll({json.dumps(selector)})]"
            ".filter(e => getComputedStyle(e).display !== 'none').length"
        )
    )


def point_on(opened: Page, key: str) -> list[float]:
    """Return a point of the window where a click meets this edge and no other."""
    return list(
        opened.evaluate(
            """(key => {
              const canvas = document.getElementById("canvas");
              canvas.scrollIntoView({block: "center", behavior: "instant"});
              const edge = document.querySelector(`[data-edge="${key}"].edge`);
              const line = edge.querySelector(".line"), matrix = line.getScreenCTM();
              for (let k = 1; k < 100; k++) {
                const at = line.getPointAtLength(line.getTotalLength() * k / 100);
                const {x, y} = new DOMPoint(at.x, at.y).matrixTransform(matrix);
                if (document.elementFromPoint(x, y)?.closest(".edge") === edge) return [x, y];
              }
              return [];
            })"""
            f"({json.dumps(key)})"
        )
    )


def said(opened: Page) -> str:
    return str(opened.evaluate(f"[...document.querySelectorAll('#why {SENTENCES}"))


@pytest.mark.parametrize("name", ["small", "large", "wide"])
@pytest.mark.parametrize("width", [400, 1400])
def test_a_report_opens_without_complaint_or_request_and_fits_the_window(
    browser: Browser, files: dict[str, Path], name: str, width: int
) -> None:
    with browser.page(files[name], width=width) as opened:
        assert opened.evaluate("document.documentElement.classList.contains('live')")
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
        assert opened.problems() == []
        assert opened.requests() == [files[name].absolute().as_uri()]


def test_the_browser_reports_what_a_report_must_not_do(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "bad.html"
    policy = page.policy(styles=[""], scripts=[""])
    file.write_text(
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        "<script>alert(1)</script><img src='http://127.0.0.1:9/x.png'>",
        encoding="utf-8",
    )
    with browser.page(file) as opened:
        problems = " ".join(opened.problems())
        assert "inline script" in problems and "x.png" in problems


@pytest.mark.parametrize("name", ["small", "large", "wide"])
def test_a_click_on_an_edge_opens_what_explain_says(
    browser: Browser, files: dict[str, Path], request: pytest.FixtureRequest, name: str
) -> None:
    result: Result = request.getfixturevalue(name)
    with browser.page(files[name]) as opened:
        keys = opened.evaluate("[...document.querySelectorAll('.edge')].map(e => e.dataset.edge)")
        tried = 0
        for key in keys[:: max(1, len(keys) // 6)]:
            point = point_on(opened, key)
            if not point:
                continue
            opened.click(*point)
            i, j = map(int, key.split("-"))
            assert said(opened) == str(result.explain(*(result.cpdag.names[k] for k in (i, j))))
            opened.press("Escape")
            assert opened.evaluate("document.getElementById('answer').hidden")
            tried += 1
        assert tried >= 3
        assert opened.problems() == []


@pytest.mark.parametrize("name", ["small", "large"])
def test_the_slider_hides_the_weakest_edges(
    browser: Browser, files: dict[str, Path], request: pytest.FixtureRequest, name: str
) -> None:
    strengths = request.getfixturevalue(name).strengths()
    with browser.page(files[name]) as opened:
        assert visible(opened, "#canvas .edge") == len(strengths)
        opened.evaluate("document.getElementById('least').focus()")
        for _ in range(5):
            opened.press("ArrowRight")
        assert visible(opened, "#canvas .edge") == len(strengths) - 5
        least = opened.evaluate(
            "Math.min(...[...document.querySelectorAll('#canvas .edge:not(.weak)')]"
            ".map(e => Number(e.dataset.strength)))"
        )
        assert least == pytest.approx(strengths[-6].loss, rel=1e-4)
        opened.press("End")
        assert visible(opened, "#canvas .edge") == 1
        opened.press("Home")
        assert visible(opened, "#canvas .edge") == len(strengths)


def test_a_search_brings_a_column_and_its_neighbourhood_near(
    browser: Browser, files: dict[str, Path], small: Result
) -> None:
    with browser.page(files["small"]) as opened:
        before = opened.evaluate("document.querySelector('#canvas svg').viewBox.baseVal.width")
        opened.click_on("#find")
        opened.type("Boiler_Temp")
        opened.press("Enter")
        column = PLANT_NAMES.index("boiler_temperature")
        marked = opened.evaluate(
            "[...document.querySelectorAll('.node.chosen-part')].map(e => Number(e.dataset.node))"
        )
        cells = small.cpdag.to_matrix()
        near = {column, *np.flatnonzero(cells[column] | cells[:, column]).tolist()}
        assert set(marked) == near and len(near) > 2
        assert opened.evaluate("document.getElementById('answer-title').textContent") == (
            "boiler_temperature"
        )
        after = opened.evaluate("document.querySelector('#canvas svg').viewBox.baseVal.width")
        assert after < before
        opened.click_on("#fit")
        assert opened.evaluate("document.querySelectorAll('.chosen-part').length") == 0


def test_of_many_columns_one_neighbourhood_is_drawn_and_a_search_changes_it(
    browser: Browser, files: dict[str, Path], wide: Result
) -> None:
    def drawn() -> set[int]:
        nodes = "[...document.querySelectorAll('#canvas .node')].map(e => Number(e.dataset.node))"
        return set(opened.evaluate(nodes))

    def search(column: int) -> None:
        opened.evaluate("document.getElementById('find').focus()")
        opened.evaluate("document.getElementById('find').select()")
        opened.type(f"x{column}")
        opened.press("Enter")

    cells = wide.cpdag.to_matrix()
    near = (cells | cells.T) + np.eye(wide.cpdag.d, dtype=np.uint8)
    most = int(near.sum(axis=0).argmax())
    with browser.page(files["wide"]) as opened:
        assert drawn() == set(np.flatnonzero(near[most]).tolist())
        for column in (7, 149, most):
            search(column)
            assert drawn() == set(np.flatnonzero(near[column]).tolist())
        opened.evaluate("document.getElementById('least').focus()")
        opened.press("End")
        strongest = wide.strengths()[0]
        ends = {wide.cpdag.index(strongest.a), wide.cpdag.index(strongest.b)}
        assert drawn() == {most} | (ends if most in ends else set())
        assert opened.problems() == []


def test_an_unknown_name_is_said_to_be_unknown(browser: Browser, files: dict[str, Path]) -> None:
    with browser.page(files["small"]) as opened:
        opened.click_on("#find")
        opened.type("no such column")
        opened.press("Enter")
        assert opened.evaluate("document.getElementById('find').validationMessage")
        assert opened.evaluate("document.getElementById('answer').hidden")


def test_keys_alone_lead_from_the_search_to_an_explanation_and_back(
    browser: Browser, files: dict[str, Path], small: Result
) -> None:
    with browser.page(files["small"]) as opened:
        for _ in range(40):
            opened.press("Tab")
            if opened.evaluate("document.activeElement.id") == "find":
                break
        opened.type("boiler_temperature")
        opened.press("Enter")
        assert opened.evaluate("document.activeElement.id") == "answer-title"
        opened.press("Tab")
        opened.press("Tab")
        asked = str(opened.evaluate("document.activeElement.getAttribute('aria-label')"))
        opened.press("Enter")
        a, b = re.split(" → | - ", asked.removeprefix("Why ").removesuffix("?"))
        assert said(opened) == str(small.explain(a, b))
        opened.press("Escape")
        assert opened.evaluate("document.activeElement.id") == "find"


def test_keys_move_zoom_and_walk_through_the_graph(
    browser: Browser, files: dict[str, Path]
) -> None:
    def box() -> list[float]:
        return list(
            opened.evaluate(
                "(b => [b.x, b.y, b.width])(document.querySelector('#canvas svg').viewBox.baseVal)"
            )
        )

    with browser.page(files["small"]) as opened:
        opened.evaluate("document.getElementById('canvas').focus()")
        start = box()
        opened.press("ArrowRight")
        assert box()[0] > start[0] and box()[2] == start[2]
        opened.press("+")
        assert box()[2] < start[2]
        opened.press("0")
        assert box() == pytest.approx(start)
        opened.press("Tab")
        first = opened.evaluate("document.activeElement.dataset.node")
        opened.press("ArrowDown")
        second = opened.evaluate("document.activeElement.dataset.node")
        assert first is not None and second is not None and first != second
        opened.press("Enter")
        title = opened.evaluate("document.getElementById('answer-title').textContent")
        assert title == PLANT_NAMES[int(second)]
        opened.press("Escape")
        assert opened.evaluate("document.activeElement.dataset.node") == second


def test_drag_and_wheel_move_and_zoom_once_the_graph_is_in_use(
    browser: Browser, files: dict[str, Path]
) -> None:
    view = "(b => [b.x, b.width])(document.querySelector('#canvas svg').viewBox.baseVal)"

    def corner() -> list[float]:
        return list(
            opened.evaluate(
                "(c => { c.scrollIntoView({block: 'center', behavior: 'instant'});"
                "const b = c.getBoundingClientRect(); return [b.x + 12, b.y + 12]; })"
                "(document.getElementById('canvas'))"
            )
        )

    def wheel(x: float, y: float) -> None:
        opened.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=-100)
        # Long enough for the page to end its own scrolling.
        opened.evaluate("new Promise(done => setTimeout(done, 300))")

    with browser.page(files["small"]) as opened:
        start = opened.evaluate(view)
        wheel(*corner())
        assert opened.evaluate(view) == start
        opened.click(*corner())
        wheel(*corner())
        assert opened.evaluate(view)[1] < start[1]
        before = opened.evaluate(view)
        x, y = corner()
        for kind, shift in (("mousePressed", 0), ("mouseMoved", 50), ("mouseReleased", 50)):
            at = {"x": x + shift, "y": y, "button": "left", "buttons": 1, "clickCount": 1}
            opened.call("Input.dispatchMouseEvent", type=kind, **at)
        assert opened.evaluate(view)[0] < before[0]


def test_the_table_of_edges_sorts_filters_and_explains(
    browser: Browser, files: dict[str, Path], small: Result
) -> None:
    def column(k: int) -> list[str]:
        return list(
            opened.evaluate(
                "[...document.querySelectorAll('#edge-table tbody tr[data-edge]')]"
                f".filter(r => !r.hidden).map(r => r.cells[{k}].textContent)"
            )
        )

    strengths = small.strengths()
    with browser.page(files["small"]) as opened:
        assert column(0) == [edge.a for edge in strengths]
        opened.click_on("#edge-table th:nth-child(1) button")
        assert column(0) == sorted(column(0), key=str.lower)
        opened.click_on("#edge-table th:nth-child(4) button")
        opened.click_on("#edge-table th:nth-child(4) button")
        assert column(2) == [edge.b for edge in reversed(strengths)]
        opened.click_on("#filter")
        opened.type("boiler_temp")
        shown = list(zip(column(0), column(2), column(5), strict=True))
        assert 0 < len(shown) < len(strengths)
        assert all("boiler_temp" in " ".join(row) for row in shown)
        opened.click_on("#edge-table tbody tr:not([hidden]) td")
        reason = opened.evaluate(f"[...document.querySelectorAll('tr.reason {SENTENCES}")
        a, b, _ = shown[0]
        assert reason == str(small.explain(a, b))
        opened.click_on("tr.reason button")
        assert said(opened) == reason
        assert opened.problems() == []


def test_light_and_dark_follow_the_system_and_the_button(
    browser: Browser, files: dict[str, Path]
) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    drawing = "getComputedStyle(document.querySelector('#canvas svg')).backgroundColor"
    with browser.page(files["small"]) as opened:
        light = opened.evaluate(paper)
        assert light == opened.evaluate(drawing) == "rgb(255, 255, 255)"
        opened.click_on("#theme")
        dark = opened.evaluate(paper)
        assert dark != light and dark == opened.evaluate(drawing)
    with browser.page(files["small"], dark=True) as opened:
        assert opened.evaluate(paper) == dark


def test_forty_hostile_names_stay_names(browser: Browser, tmp_path: Path) -> None:
    plain = learned(len(HOSTILE_NAMES), rho=2.0)
    # A table with empty names would be refused; a class may have them.
    graph = CPDAG.from_matrix(plain.cpdag.to_matrix(), names=HOSTILE_NAMES)
    result = dataclasses.replace(plain, cpdag=graph)
    file = tmp_path / "hostile.html"
    result.report(file, title=HOSTILE_NAMES[0])
    assert tuple(data_of(file.read_text(encoding="utf-8"))["names"]) == HOSTILE_NAMES
    with browser.page(file) as opened:
        inside = opened.evaluate(
            "JSON.stringify(JSON.parse(document.getElementById('data').textContent).names)"
        )
        assert tuple(json.loads(inside)) == HOSTILE_NAMES
        count = opened.evaluate("document.querySelectorAll('img, iframe, object, embed').length")
        assert count == 0 and opened.evaluate("document.scripts.length") == 2
        handlers = opened.evaluate(
            "[...document.querySelectorAll('*')].filter(e => [...e.attributes]"
            ".some(a => a.name.startsWith('on'))).length"
        )
        assert handlers == 0
        for row in opened.evaluate(
            "[...document.querySelectorAll('#edge-table tbody tr')].map(r => r.dataset.edge)"
        )[::8]:
            opened.evaluate(f"document.querySelector('tr[data-edge=\"{row}\"] button').click()")
            i, j = map(int, row.split("-"))
            text = str(result.explain(HOSTILE_NAMES[i], HOSTILE_NAMES[j]))
            shown = opened.evaluate(
                f"[...document.querySelector('tr[data-edge=\"{row}\"]').nextElementSibling"
                f".querySelectorAll('{SENTENCES}"
            )
            assert shown == text
        assert opened.evaluate("document.querySelectorAll('img, b b, svg b').length") == 0
        assert opened.problems() == []
        assert opened.requests() == [file.absolute().as_uri()]


def test_without_a_script_the_report_can_still_be_read(
    browser: Browser, files: dict[str, Path], tmp_path: Path
) -> None:
    text = files["small"].read_text(encoding="utf-8")
    still = tmp_path / "still.html"
    still.write_text(text.replace('<script>"use strict"', '<script type="off">"use strict"'))
    with browser.page(still) as opened:
        assert visible(opened, "#canvas .node") == 37
        assert visible(opened, ".scripted") == 0
        assert opened.problems() == []


def test_a_class_without_edges_has_a_report(browser: Browser, tmp_path: Path) -> None:
    rows = np.random.default_rng(5).normal(size=(500, 4))
    result = learn(rows)
    assert not result.trace
    file = tmp_path / "empty.html"
    result.report(file, title="Nothing")
    assert "<h1>Nothing</h1>" in file.read_text(encoding="utf-8")
    with browser.page(file) as opened:
        assert opened.problems() == []
