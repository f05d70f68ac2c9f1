"""What a report says about shares of draws."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from greedag import DataError, OptionError, Result, Stability, learn, stability
from greedag.cli import main
from greedag.drawing.svg import opacity
from greedag.report import page
from helpers.reports import WHEN, data_of

HOSTILE = "<script>alert(1)</script>"


def table() -> pd.DataFrame:
    """Return rows of which the last column depends only weakly on another."""
    rng = np.random.default_rng(3)
    a, c, e = rng.normal(size=(3, 300))
    b = a + rng.normal(size=300)
    d = b + c + rng.normal(size=300)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d, HOSTILE: e + 0.2 * d})


@pytest.fixture(scope="module")
def result() -> Result:
    return learn(table())


@pytest.fixture(scope="module")
def found(result: Result) -> Stability:
    return result.stability(table(), draws=40)


def text_of(result: Result, found: Stability) -> str:
    return page.render(result, title="", when=WHEN, stability=found)


def plain(text: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


def test_every_edge_has_its_shares_in_table_and_drawing(result: Result, found: Stability) -> None:
    text = text_of(result, found)
    assert HOSTILE not in text.partition('id="data"')[0]
    data, names = data_of(text), result.graph.names
    assert data["edges"]
    shown = dict(
        re.findall(
            r'<tr data-edge="([\d-]+)".*?<td class="number found" data-value="([^"]*)"', text, re.S
        )
    )
    drawn = dict(re.findall(r'<g class="edge[^>]*data-edge="([\d-]+)".*? opacity="([^"]*)"', text))
    for place, edge in enumerate(data["edges"]):
        key = f"{edge['from']}-{edge['to']}"
        share = found.pair(names[edge["from"]], names[edge["to"]]).adjacent
        assert float(shown[key]) == share
        assert float(drawn[key]) == pytest.approx(opacity(share), abs=1e-3)
        assert data["opacities"][place] == opacity(share)


def test_the_share_of_the_direction_is_that_of_the_edge_as_it_stands(
    result: Result, found: Stability
) -> None:
    text = text_of(result, found)
    i, j = map(result.graph.names.index, ("b", "d"))
    assert ("b", "d") in result.graph.directed
    row = text.partition(f'<tr data-edge="{i}-{j}"')[2].partition("</tr>")[0]
    widths = [float(width) for width in re.findall(r'<rect[^>]* width="([\d.]+)"', row)[-2:]]
    assert widths[0] == pytest.approx(100.0 * found.adjacent[i, j], abs=0.06)
    assert widths[1] == pytest.approx(100.0 * found.directed[i, j], abs=0.06)


def test_the_section_says_what_a_share_is_and_what_to_expect(
    result: Result, found: Stability
) -> None:
    text = text_of(result, found)
    assert '<a href="#sure">How sure?</a>' in text
    section = plain(text.partition('<section id="sure"')[2].partition("</section>")[0])
    assert "repeated on 40 halves of the rows, in pairs that have no row in common" in section
    assert "is no probability that the edge is true" in section
    stable = len(found.table(0.9))
    assert f"{stable} pairs are adjacent in 90 % of the draws or more" in section
    assert "assumes that rows are independent" in section


def test_pairs_that_only_draws_find_are_listed(found: Stability) -> None:
    bare = learn(table(), alpha=40.0)
    section = text_of(bare, found).partition('<section id="sure"')[2].partition("</section>")[0]
    listed = len(found.table(0.1)) - _edges_found(bare, found)
    assert listed > 0
    assert section.count("<tr><td") == listed


def _edges_found(result: Result, found: Stability) -> int:
    pairs = result.graph.directed + result.graph.undirected
    return sum(found.pair(a, b).adjacent >= 0.1 for a, b in pairs)


def test_a_bootstrap_has_no_bound_and_says_that_it_favours_edges(result: Result) -> None:
    words = plain(text_of(result, stability(table(), draws=6, kind="bootstrap")))
    assert "drawn from these with replacement" in words
    assert "Draws with replacement favour edges" in words
    assert "chance alone" not in words


def test_nothing_is_said_without_draws(result: Result) -> None:
    text = page.render(result, title="", when=WHEN)
    body = text.partition("<body>")[2].partition("<script")[0]
    assert 'id="sure"' not in body and "draws" not in plain(body)
    assert "opacity=" not in body and "opacities" not in data_of(text)


def test_shares_of_other_columns_are_refused(result: Result, found: Stability) -> None:
    other = replace(found, names=("a", "b", "c", "d", "f"))
    with pytest.raises(DataError, match="other columns"):
        text_of(result, other)
    with pytest.raises(OptionError, match="not Result"):
        text_of(result, result)  # type: ignore[arg-type]


def test_learn_writes_shares_into_its_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, report = str(tmp_path / "table.csv"), tmp_path / "report.html"
    table().iloc[:, :4].to_csv(path, index=False)
    draws = ["--stability", "6", "--quiet"]
    assert main(["learn", path, *draws, "--report", str(report)]) == 0
    assert "repeated on 6 halves" in report.read_text()
    assert main(["learn", path, *draws]) == 2
    assert "add --report" in capsys.readouterr().err
