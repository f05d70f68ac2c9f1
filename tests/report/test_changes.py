"""The section on what changing a column does."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from greedag import Knowledge, Result, learn, simulate
from greedag.effects.effect_tables import effect_cells
from greedag.report.page import contents
from helpers.browser import opened

WHEN = datetime(2026, 1, 1, tzinfo=timezone.utc)


@pytest.fixture(scope="module")
def result() -> Result:
    data = simulate.linear_gaussian(6, 1.5, 600, seed=2).data
    return learn(data, knowledge=Knowledge(tiers=[["x0", "x1"], ["x2", "x3", "x4", "x5"]]))


def test_every_possible_effect_is_there_as_python_says_it(result: Result) -> None:
    found = contents(result, title="", when=WHEN, version="")
    said = found["data"]["changes"]
    names = result.graph.names
    for i, x in enumerate(names):
        for j, y in enumerate(names):
            if i == j:
                continue
            effect = result.effect(x, y)
            if any(one.has_effect for one in effect.possible):
                sentences = [*effect.answers()]
                # What would settle an effect takes a question of its own.
                assert said[i][j] == sentences[: len(said[i][j])]
            else:
                assert j not in said.get(i, {})
    for row in found["change_rows"]:
        cells = effect_cells(result.effect(row.x, row.y))
        assert (row.effect, row.interval, row.how) == cells
    assert "too narrow" in found["change_notes"][0]


def test_the_section_says_whether_rows_were_held_out_and_can_be_left_out(result: Result) -> None:
    data = simulate.linear_gaussian(4, 1.0, 600, seed=2).data
    held_out = contents(learn(data, hold_out=0.5), title="", when=WHEN, version="")
    assert "300 rows that were held out" in held_out["change_notes"][0]
    without = contents(result, title="", when=WHEN, version="", effects=False)
    assert "changes" not in [anchor for anchor, _ in without["sections"]]
    curved = learn(simulate.additive(4, 1.0, 300, seed=0).data, score="additive")
    assert not contents(curved, title="", when=WHEN, version="")["change_notes"]


def test_the_chooser_answers(browser: Browser, result: Result, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    result.report(path)
    with opened(browser, path, width=1200) as (page, seen):
        for x, y in (("x0", "x5"), ("x5", "x0"), ("x1", "x1")):
            page.locator("#change-x").select_option(x)
            page.locator("#change-y").select_option(y)
            lines = page.locator("#change-answer p").all_text_contents()
            if x == y:
                assert lines == ["Choose two different columns."]
            else:
                first = str(result.effect(x, y)).splitlines()[0].rstrip(".")
                assert lines[0].startswith(first)
        assert seen.problems() == []
