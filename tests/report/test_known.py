"""What a report says about what was known."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from greedag import Knowledge, Result, learn
from greedag.report import page
from helpers.reports import WHEN, data_of, text_of

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def result() -> Result:
    rng = np.random.default_rng(3)
    a, c, e = rng.normal(size=(3, 500))
    b = a + rng.normal(size=500)
    rows = pd.DataFrame({"a": a, "b": b, "c": c, "d": b + c + rng.normal(size=500), HOSTILE: e})
    return learn(rows, knowledge=Knowledge(required=[("c", HOSTILE)], tiers="a < b"))


def plain(text: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


def test_the_section_lists_statements_edges_and_costs(result: Result) -> None:
    text = text_of(result)
    assert HOSTILE not in text.partition('id="data"')[0]
    section = text.partition('<section id="known"')[2].partition("</section>")[0]
    assert "What was known" in section and "tiers: a &lt; b" in section
    cells = [plain(row).split()[-2:] for row in re.findall(r"<tr><td.*?</tr>", section, re.S)]
    cost = result.knowledge_cost().total
    assert cells[0][0] == "1" and float(cells[0][1]) == pytest.approx(cost, rel=0.01)
    assert cells[1] == ["1", "0"]
    assert "the score rises by" in section and "nothing against the rest" in section
    assert "What was known directs 2 edges that the data alone would leave" in section
    assert '<a href="#known">What was known</a>' in text


def test_known_arrows_are_marked_and_the_words_fit(result: Result) -> None:
    text = text_of(result)
    data, names = data_of(text), result.graph.names
    assert set(data["marks"].values()) == {"knowledge"}
    marked = [data["edges"][int(place)] for place in data["marks"]]
    known = {(edge["from"], edge["to"]) for edge in marked}
    assert {(names[i], names[j]) for i, j in known} == set(result.graph.known)
    words = plain(text)
    assert "diamond: directed by what is known" in words
    assert "Proven optimal: no graph that agrees with what is known scores higher." in words
    assert "one member of the class agrees. 2 edges owe their direction" in words
    assert "the score lost by the best class found" in words
    assert "statements about what is known were respected" in words


def test_nothing_is_said_without_knowledge(result: Result) -> None:
    text = page.render(replace(result, knowledge=None, notes=()), title="", when=WHEN)
    body = text.partition("<body>")[2].partition("<script")[0]
    assert "known" not in plain(body).replace("not known", "").replace("unknown", "")
    assert 'id="known"' not in body and data_of(text)["marks"] == {}


def test_without_data_the_cost_is_not_known(result: Result) -> None:
    words = plain(text_of(replace(result, statistics=None)))
    assert "What it costs is not known without the data." in words
