"""What the report looks like in a browser: what is aligned, what fits, what can be seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from greedag import Result, learn
from greedag.drawing.labels import WEAK_MARGIN
from helpers.browser import opened, visible
from helpers.reports import learned

if TYPE_CHECKING:
    from playwright.sync_api import Browser


OVERLAPS = """(() => {
  const texts = [...document.querySelectorAll("#search svg.plot:not(.sign) text")];
  const boxes = texts.map((text) => text.getBoundingClientRect());
  return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) =>
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length;
})()"""


# The lowest contrast of any text against what lies behind it, and that text.
CONTRAST = """(() => {
  const parse = (colour) => { const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number); return [r, g, b, a]; };
  const over = (front, back) => [0, 1, 2].map((i) => front[i] * front[3] + back[i] * (1 - front[3])).concat(1);
  const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const own = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  const skipped = "script, style, title, noscript, [hidden], .hidden, .skip";
  let least = [99, ""];
  for (const e of document.querySelectorAll("body *")) {
    if (!own(e) || e.closest(skipped) || !e.getClientRects().length) continue;
    const parents = [];
    for (let p = e; p; p = p.parentElement) parents.unshift(getComputedStyle(p));
    let back = parents.reduce((under, style) => over(parse(style.backgroundColor), under), [255, 255, 255, 1]);
    const box = e.closest(".node")?.querySelector("rect");
    if (box) back = over(parse(getComputedStyle(box).fill), back);
    const isDrawn = e.namespaceURI.endsWith("svg");
    const ink = parse(isDrawn ? getComputedStyle(e).fill : getComputedStyle(e).color);
    ink[3] *= parents.reduce((product, style) => product * Number(style.opacity), 1);
    const [a, b] = [light(over(ink, back)), light(back)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < least[0]) least = [ratio, e.textContent];
  }
  return least;
})()"""  # noqa: E501


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_stands_out_from_what_is_behind_it(
    browser: Browser, files: dict[str, Path], dark: bool
) -> None:
    with opened(browser, files["large"], dark=dark) as (page, _):
        ratio, text = page.evaluate(CONTRAST)
        assert 4.5 <= ratio < 99, text
        page.click("#find")
        page.keyboard.insert_text("x3")
        page.keyboard.press("Enter")
        assert page.evaluate(CONTRAST)[0] >= 4.5


def test_the_panel_lists_only_what_the_slider_leaves(
    browser: Browser, files: dict[str, Path], small: Result
) -> None:
    def listed() -> set[str]:
        texts = page.evaluate(
            "[...document.querySelectorAll('#answer li span')].map(e => e.textContent)"
        )
        return set(texts[::2])

    def slide(hidden: int) -> None:
        page.evaluate(
            "n => { const s = document.getElementById('least'); s.value = n;"
            "s.dispatchEvent(new Event('input')); }",
            hidden,
        )

    strengths = small.strengths()
    name = "boiler_temperature"
    ends = [{e.a, e.b} - {name} for e in strengths if name in (e.a, e.b)]
    places = [k for k, e in enumerate(strengths) if name in (e.a, e.b)]
    with opened(browser, files["small"]) as (page, seen):
        page.click("#find")
        page.keyboard.insert_text(name)
        page.keyboard.press("Enter")
        assert listed() == set().union(*ends)
        slide(len(strengths) - 1 - places[-2])
        assert listed() == set().union(*ends[:-1])
        assert "1 weaker edge is hidden by the slider." in page.inner_text("#answer")
        assert visible(page, "#canvas .edge.chosen-part") == len(ends) - 1
        slide(len(strengths) - 1)
        assert len(listed()) == (places[0] == 0)
        slide(0)
        assert listed() == set().union(*ends)
        page.click("#answer li:last-child button")
        slide(len(strengths) - 1)
        assert "The slider hides this edge." in page.inner_text("#answer")
        assert seen.problems() == []


def test_bars_start_at_one_place_and_numbers_end_at_one(
    browser: Browser, files: dict[str, Path]
) -> None:
    def edges_of(selector: str, side: str) -> set[float]:
        return set(
            page.evaluate(
                f"[...document.querySelectorAll('#edge-table tbody {selector}')]"
                f".map(e => Math.round(e.getBoundingClientRect().{side}))"
            )
        )

    with opened(browser, files["small"]) as (page, _):
        for width in (1400, 390):
            page.set_viewport_size({"width": width, "height": 900})
            for side in ("left", "right"):
                assert len(edges_of(".bar", side)) == 1
            assert len(edges_of("td.strength", "right")) == 1
            (bar,), (number,) = edges_of(".bar", "right"), edges_of("td.strength", "right")
            assert bar < number if width == 390 else bar > number


def test_faint_heads_are_those_of_small_margins(
    browser: Browser, files: dict[str, Path], large: Result
) -> None:
    faint = {
        f"{large.cpdag.index(e.a)}-{large.cpdag.index(e.b)}"
        for e in large.strengths()
        if e.margin is not None and e.margin < WEAK_MARGIN
    }
    with opened(browser, files["large"]) as (page, _):
        drawn = page.evaluate(
            "[...document.querySelectorAll('#canvas polygon.faint')]"
            ".map(e => e.parentNode.dataset.edge)"
        )
        assert set(drawn) == faint and faint
        listed = page.evaluate(
            "[...document.querySelectorAll('td.margin.low')].map(e => e.parentNode.dataset.edge)"
        )
        assert set(listed) == faint
        opacity = "e => Number(getComputedStyle(e).fillOpacity)"
        assert page.eval_on_selector("#canvas polygon.faint", opacity) < 0.3
        assert page.eval_on_selector("#canvas polygon:not(.faint)", opacity) == 1
        assert "faint head" in page.inner_text("#graph .key")


def test_small_graphs_are_no_giants_and_narrow_ones_use_the_width(
    browser: Browser, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 500))
    three, eleven = tmp_path / "three.html", tmp_path / "eleven.html"
    learn(np.column_stack([a, b, a + b + rng.normal(size=500)])).report(three)
    learned(11, rho=2.0).report(eleven)
    for file in (three, eleven):
        with opened(browser, file) as (page, _):
            heights = page.evaluate(
                "[...document.querySelectorAll('#canvas .node rect')]"
                ".map(e => e.getBoundingClientRect().height)"
            )
            assert max(heights) <= 1.51 * 26
            share = page.evaluate(
                "(xs => (Math.max(...xs.map(b => b.right)) - Math.min(...xs.map(b => b.left)))"
                " / document.getElementById('canvas').clientWidth)"
                "([...document.querySelectorAll('#canvas .node rect')]"
                ".map(e => e.getBoundingClientRect()))"
            )
            assert share > (0.6 if file == eleven else 0.2)


def test_no_two_labels_of_the_score_plot_overlap(
    browser: Browser, files: dict[str, Path], tmp_path: Path
) -> None:
    rows = np.random.default_rng(2).normal(size=(300, 3))
    rows[:, 2] += rows[:, 0]
    few = tmp_path / "few.html"
    learn(rows).report(few)
    for file in (few, files["large"]):
        with opened(browser, file) as (page, _):
            for width in (1400, 390):
                page.set_viewport_size({"width": width, "height": 900})
                assert page.evaluate(OVERLAPS) == 0
            assert page.evaluate("document.querySelectorAll('#search text').length") > 4


@pytest.mark.parametrize("clipboard", [True, False])
def test_the_recipe_is_copied_with_and_without_the_clipboard_of_the_browser(
    browser: Browser, files: dict[str, Path], clipboard: bool
) -> None:
    with opened(browser, files["small"]) as (page, seen):
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        if not clipboard:
            page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
            page.evaluate(
                "document.addEventListener('copy', () => (window.taken = String(getSelection())))"
            )
        for place in range(2):
            recipe = page.locator(".recipe").nth(place)
            text = recipe.locator("code").text_content()
            recipe.locator(".copy").click()
            page.wait_for_function(
                "k => document.querySelectorAll('.copy')[k].textContent === 'Copied'", arg=place
            )
            taken = "navigator.clipboard.readText()" if clipboard else "window.taken"
            assert page.evaluate(taken) == text
        assert "greedag.learn(" in page.locator(".recipe code").first.text_content()
        assert seen.problems() == []


def test_on_a_phone_rows_are_cards_and_nothing_scrolls_sideways(
    browser: Browser, files: dict[str, Path], tmp_path: Path
) -> None:
    names = [f"a long name of the measurement number {k} in the upper vessel" for k in range(9)]
    long = tmp_path / "long.html"
    learned(9, tuple(names)).report(long)
    for file in (long, files["small"]):
        with opened(browser, file, width=390) as (page, seen):
            wide = page.evaluate(
                "[document.documentElement, ...document.querySelectorAll('.scroll')]"
                ".filter(e => e.scrollWidth > e.clientWidth).length"
            )
            assert wide == 0
            assert (
                page.evaluate(
                    "getComputedStyle(document.querySelector('#edge-table tbody tr')).display"
                )
                == "grid"
            )
            assert (
                page.evaluate("document.querySelector('#edge-table').getAttribute('role')")
                == "table"
            )
            assert visible(page, "#keys") == 0
            narrowest = page.evaluate(
                "Math.min(...[...document.querySelectorAll('#edge-table td.name')]"
                ".filter(e => e.textContent.length > 20).map(e => e.clientWidth), 999)"
            )
            assert narrowest > 100
            page.click("#edge-table button.why")
            assert page.inner_text("tr.reason")
            page.set_viewport_size({"width": 1400, "height": 900})
            assert visible(page, "#keys") == 1
            assert seen.problems() == []
