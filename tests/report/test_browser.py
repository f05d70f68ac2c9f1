"""What the report does in a browser."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from greedag import CPDAG, Result, learn
from greedag.report import page
from helpers.browser import opened, visible
from helpers.hostile_names import HOSTILE_NAMES
from helpers.plant_names import PLANT_NAMES
from helpers.reports import data_of, learned

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SENTENCES = ".sentence')].map(p => p.textContent).join('\\n')"


def point_on(page: Page, key: str) -> list[float]:
    """Return a point of the window where a click meets this edge and no other."""
    return list(
        page.evaluate(
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


def said(page: Page) -> str:
    return str(page.evaluate(f"[...document.querySelectorAll('#why {SENTENCES}"))


@pytest.mark.parametrize("name", ["small", "large", "wide"])
@pytest.mark.parametrize("width", [400, 1400])
def test_a_report_opens_without_complaint_or_request_and_fits_the_window(
    browser: Browser, files: dict[str, Path], name: str, width: int
) -> None:
    with opened(browser, files[name], width=width) as (page, seen):
        assert page.evaluate("document.documentElement.classList.contains('live')")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert seen.problems() == []
        assert seen.requests() == [files[name].absolute().as_uri()]


def test_the_browser_reports_what_a_report_must_not_do(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "bad.html"
    policy = page.policy(styles=[""], scripts=[""])
    file.write_text(
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        "<script>alert(1)</script><img src='http://127.0.0.1:9/x.png'>",
        encoding="utf-8",
    )
    with opened(browser, file) as (_, seen):
        problems = " ".join(seen.problems())
        assert "inline script" in problems and "x.png" in problems


@pytest.mark.parametrize("name", ["small", "large", "wide"])
def test_a_click_on_an_edge_opens_what_explain_says(
    browser: Browser, files: dict[str, Path], request: pytest.FixtureRequest, name: str
) -> None:
    result: Result = request.getfixturevalue(name)
    with opened(browser, files[name]) as (page, seen):
        keys = page.evaluate("[...document.querySelectorAll('.edge')].map(e => e.dataset.edge)")
        tried = 0
        for key in keys[:: max(1, len(keys) // 6)]:
            point = point_on(page, key)
            if not point:
                continue
            page.mouse.click(*point)
            i, j = map(int, key.split("-"))
            assert said(page) == str(result.explain(*(result.cpdag.names[k] for k in (i, j))))
            page.keyboard.press("Escape")
            assert page.evaluate("document.getElementById('answer').hidden")
            tried += 1
        assert tried >= 3
        assert seen.problems() == []


@pytest.mark.parametrize("name", ["small", "large"])
def test_the_slider_hides_the_weakest_edges(
    browser: Browser, files: dict[str, Path], request: pytest.FixtureRequest, name: str
) -> None:
    strengths = request.getfixturevalue(name).strengths()
    with opened(browser, files[name]) as (page, _):
        assert visible(page, "#canvas .edge") == len(strengths)
        page.evaluate("document.getElementById('least').focus()")
        for _ in range(5):
            page.keyboard.press("ArrowRight")
        assert visible(page, "#canvas .edge") == len(strengths) - 5
        least = page.evaluate(
            "Math.min(...[...document.querySelectorAll('#canvas .edge:not(.weak)')]"
            ".map(e => Number(e.dataset.strength)))"
        )
        assert least == pytest.approx(strengths[-6].loss, rel=1e-4)
        page.keyboard.press("End")
        assert visible(page, "#canvas .edge") == 1
        page.keyboard.press("Home")
        assert visible(page, "#canvas .edge") == len(strengths)


VIEW = "(b => [b.x, b.y, b.width, b.height])(document.querySelector('#canvas svg').viewBox.baseVal)"


@pytest.mark.parametrize(
    ("name", "typed", "column"),
    [("small", "Boiler_Temp", PLANT_NAMES.index("boiler_temperature")), ("large", "x3", 3)],
)
def test_a_search_marks_a_neighbourhood_and_moves_only_what_could_not_be_read(
    browser: Browser,
    files: dict[str, Path],
    request: pytest.FixtureRequest,
    name: str,
    typed: str,
    column: int,
) -> None:
    cells = request.getfixturevalue(name).cpdag.to_matrix()
    with opened(browser, files[name]) as (page, _):
        before = page.evaluate(VIEW)
        page.click("#find")
        page.keyboard.insert_text(typed)
        page.keyboard.press("Enter")
        marked = page.evaluate(
            "[...document.querySelectorAll('.node.chosen-part')].map(e => Number(e.dataset.node))"
        )
        near = {column, *np.flatnonzero(cells[column] | cells[:, column]).tolist()}
        assert set(marked) == near and len(near) > 2
        after = page.evaluate(VIEW)
        assert after == before if name == "small" else after[2] < before[2]
        page.click("#fit")
        assert page.evaluate("document.querySelectorAll('.chosen-part').length") == 0
        assert page.evaluate(VIEW) == pytest.approx(before)


def test_of_many_columns_one_neighbourhood_is_drawn_and_a_search_changes_it(
    browser: Browser, files: dict[str, Path], wide: Result
) -> None:
    def drawn() -> set[int]:
        nodes = "[...document.querySelectorAll('#canvas .node')].map(e => Number(e.dataset.node))"
        return set(page.evaluate(nodes))

    def search(column: int) -> None:
        page.evaluate("document.getElementById('find').focus()")
        page.evaluate("document.getElementById('find').select()")
        page.keyboard.insert_text(f"x{column}")
        page.keyboard.press("Enter")

    cells = wide.cpdag.to_matrix()
    near = (cells | cells.T) + np.eye(wide.cpdag.d, dtype=np.uint8)
    most = int(near.sum(axis=0).argmax())
    with opened(browser, files["wide"]) as (page, seen):
        assert drawn() == set(np.flatnonzero(near[most]).tolist())
        for column in (7, 149, most):
            search(column)
            assert drawn() == set(np.flatnonzero(near[column]).tolist())
        page.evaluate("document.getElementById('least').focus()")
        page.keyboard.press("End")
        strongest = wide.strengths()[0]
        ends = {wide.cpdag.index(strongest.a), wide.cpdag.index(strongest.b)}
        assert drawn() == {most} | (ends if most in ends else set())
        assert seen.problems() == []


def test_an_unknown_name_is_said_to_be_unknown(browser: Browser, files: dict[str, Path]) -> None:
    with opened(browser, files["small"]) as (page, _):
        page.click("#find")
        page.keyboard.insert_text("no such column")
        page.keyboard.press("Enter")
        assert page.evaluate("document.getElementById('find').validationMessage")
        assert page.evaluate("document.getElementById('answer').hidden")


def test_keys_alone_lead_from_the_search_to_an_explanation_and_back(
    browser: Browser, files: dict[str, Path], small: Result
) -> None:
    with opened(browser, files["small"]) as (page, _):
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.id") == "find":
                break
        page.keyboard.insert_text("boiler_temperature")
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "answer-title"
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        asked = str(page.evaluate("document.activeElement.getAttribute('aria-label')"))
        page.keyboard.press("Enter")
        a, b = re.split(" → | - ", asked.removeprefix("Why ").removesuffix("?"))
        assert said(page) == str(small.explain(a, b))
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.id") == "find"


def test_keys_move_zoom_and_walk_through_the_graph(
    browser: Browser, files: dict[str, Path]
) -> None:
    def box() -> list[float]:
        return list(
            page.evaluate(
                "(b => [b.x, b.y, b.width])(document.querySelector('#canvas svg').viewBox.baseVal)"
            )
        )

    with opened(browser, files["small"]) as (page, _):
        page.evaluate("document.getElementById('canvas').focus()")
        start = box()
        page.keyboard.press("ArrowRight")
        assert box()[0] > start[0] and box()[2] == start[2]
        page.keyboard.press("+")
        assert box()[2] < start[2]
        page.keyboard.press("0")
        assert box() == pytest.approx(start)
        page.keyboard.press("Tab")
        first = page.evaluate("document.activeElement.dataset.node")
        page.keyboard.press("ArrowDown")
        second = page.evaluate("document.activeElement.dataset.node")
        assert first is not None and second is not None and first != second
        page.keyboard.press("Enter")
        title = page.evaluate("document.getElementById('answer-title').textContent")
        assert title == PLANT_NAMES[int(second)]
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.dataset.node") == second


def test_drag_and_wheel_move_and_zoom_once_the_graph_is_in_use(
    browser: Browser, files: dict[str, Path]
) -> None:
    view = "(b => [b.x, b.width])(document.querySelector('#canvas svg').viewBox.baseVal)"

    def corner() -> list[float]:
        return list(
            page.evaluate(
                "(c => { c.scrollIntoView({block: 'center', behavior: 'instant'});"
                "const b = c.getBoundingClientRect(); return [b.x + 12, b.y + 12]; })"
                "(document.getElementById('canvas'))"
            )
        )

    def wheel(x: float, y: float) -> None:
        page.mouse.move(x, y)
        page.mouse.wheel(0, -100)
        # Long enough for the page to end its own scrolling.
        page.wait_for_timeout(300)

    with opened(browser, files["small"]) as (page, _):
        start = page.evaluate(view)
        wheel(*corner())
        assert page.evaluate(view) == start
        page.mouse.click(*corner())
        wheel(*corner())
        assert page.evaluate(view)[1] < start[1]
        before = page.evaluate(view)
        x, y = corner()
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 50, y)
        page.mouse.up()
        assert page.evaluate(view)[0] < before[0]


def test_the_table_of_edges_sorts_filters_and_explains(
    browser: Browser, files: dict[str, Path], small: Result
) -> None:
    def column(k: int) -> list[str]:
        return list(
            page.evaluate(
                "[...document.querySelectorAll('#edge-table tbody tr[data-edge]')]"
                f".filter(r => !r.hidden).map(r => r.cells[{k}].textContent)"
            )
        )

    strengths = small.strengths()
    with opened(browser, files["small"]) as (page, seen):
        assert column(0) == [edge.a for edge in strengths]
        page.click("#edge-table th:nth-child(1) button")
        assert column(0) == sorted(column(0), key=str.lower)
        page.click("#edge-table th:nth-child(4) button")
        page.click("#edge-table th:nth-child(4) button")
        assert column(2) == [edge.b for edge in reversed(strengths)]
        page.click("#edge-table th:nth-child(6) button")
        margins = [float(text.replace(",", "")) for text in column(5) if text not in ("", "?")]
        assert margins == sorted(margins, reverse=True) and len(margins) > 5
        page.click("#filter")
        page.keyboard.insert_text("boiler_temp")
        shown = list(zip(column(0), column(2), column(7), strict=True))
        assert 0 < len(shown) < len(strengths)
        assert all("boiler_temp" in " ".join(row) for row in shown)
        page.click("#edge-table tbody tr:not([hidden]) td")
        reason = page.evaluate(f"[...document.querySelectorAll('tr.reason {SENTENCES}")
        a, b, _ = shown[0]
        assert reason == str(small.explain(a, b))
        page.click("tr.reason button")
        assert said(page) == reason
        assert seen.problems() == []


def test_light_and_dark_follow_the_system_and_the_button(
    browser: Browser, files: dict[str, Path]
) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    drawing = "getComputedStyle(document.querySelector('#canvas svg')).backgroundColor"
    with opened(browser, files["small"]) as (page, _):
        light = page.evaluate(paper)
        assert light == page.evaluate(drawing) == "rgb(255, 255, 255)"
        assert page.inner_text("#theme") == "Dark theme"
        page.click("#theme")
        dark = page.evaluate(paper)
        assert dark != light and dark == page.evaluate(drawing)
        assert page.inner_text("#theme") == "Light theme"
    with opened(browser, files["small"], dark=True) as (page, _):
        assert page.evaluate(paper) == dark
        assert page.inner_text("#theme") == "Light theme"


def test_forty_hostile_names_stay_names(browser: Browser, tmp_path: Path) -> None:
    plain = learned(len(HOSTILE_NAMES), rho=2.0)
    # A table with empty names would be refused; a class may have them.
    graph = CPDAG.from_matrix(plain.cpdag.to_matrix(), names=HOSTILE_NAMES)
    result = dataclasses.replace(plain, cpdag=graph)
    file = tmp_path / "hostile.html"
    result.report(file, title=HOSTILE_NAMES[0])
    assert tuple(data_of(file.read_text(encoding="utf-8"))["names"]) == HOSTILE_NAMES
    with opened(browser, file) as (page, seen):
        inside = page.evaluate(
            "JSON.stringify(JSON.parse(document.getElementById('data').textContent).names)"
        )
        assert tuple(json.loads(inside)) == HOSTILE_NAMES
        count = page.evaluate("document.querySelectorAll('img, iframe, object, embed').length")
        assert count == 0 and page.evaluate("document.scripts.length") == 2
        handlers = page.evaluate(
            "[...document.querySelectorAll('*')].filter(e => [...e.attributes]"
            ".some(a => a.name.startsWith('on'))).length"
        )
        assert handlers == 0
        for row in page.evaluate(
            "[...document.querySelectorAll('#edge-table tbody tr')].map(r => r.dataset.edge)"
        )[::8]:
            page.evaluate(f"document.querySelector('tr[data-edge=\"{row}\"] button').click()")
            i, j = map(int, row.split("-"))
            text = str(result.explain(HOSTILE_NAMES[i], HOSTILE_NAMES[j]))
            shown = page.evaluate(
                f"[...document.querySelector('tr[data-edge=\"{row}\"]').nextElementSibling"
                f".querySelectorAll('{SENTENCES}"
            )
            assert shown == text
        assert page.evaluate("document.querySelectorAll('img, b b, svg b').length") == 0
        assert seen.problems() == []
        assert seen.requests() == [file.absolute().as_uri()]


def test_without_a_script_the_report_can_still_be_read(
    browser: Browser, files: dict[str, Path], tmp_path: Path
) -> None:
    text = files["small"].read_text(encoding="utf-8")
    still = tmp_path / "still.html"
    still.write_text(text.replace('<script>"use strict"', '<script type="off">"use strict"'))
    with opened(browser, still) as (page, seen):
        assert visible(page, "#canvas .node") == 37
        assert visible(page, ".scripted") == 0
        assert seen.problems() == []


def test_a_class_without_edges_has_a_report(browser: Browser, tmp_path: Path) -> None:
    rows = np.random.default_rng(5).normal(size=(500, 4))
    result = learn(rows)
    assert not result.trace
    file = tmp_path / "empty.html"
    result.report(file, title="Nothing")
    assert "<h1>Nothing</h1>" in file.read_text(encoding="utf-8")
    with opened(browser, file) as (_, seen):
        assert seen.problems() == []
