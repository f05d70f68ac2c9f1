"""Shares of draws in a notebook and in a terminal."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from greedag import Stability, stability
from greedag.drawing.svg import opacity
from greedag.uncertainty.pair_table import PairShares, PairTable, in_percent

HOSTILE = "<b>&\x1b[31m"


@pytest.fixture(scope="module")
def found() -> Stability:
    rng = np.random.default_rng(3)
    a, c = rng.normal(size=(2, 200))
    table = pd.DataFrame({"a": a, HOSTILE: a + 4.0 * rng.normal(size=200), "c": c + a})
    return stability(table, draws=20)


def test_a_notebook_draws_the_medoid_with_paler_edges_for_smaller_shares(found: Stability) -> None:
    html = found._repr_html_()
    drawn = re.findall(r'<g class="edge[^>]*data-edge="(\d)-(\d)".*? opacity="([^"]*)"', html)
    cells = found.medoid().to_matrix()
    assert len(drawn) == int(np.triu(cells | cells.T).sum()) > 0
    for i, j, pale in drawn:
        assert float(pale) == opacity(float(found.adjacent[int(i), int(j)]))
    assert "no probability that the edge is true" in html


def test_a_notebook_lists_all_pairs_with_bars(found: Stability) -> None:
    html = found._repr_html_()
    bars = re.findall(r'<rect class="whole" width="([^"]*)"', html)
    assert [*map(float, bars)] == [
        pytest.approx(100.0 * pair.adjacent, abs=0.06) for pair in found.table()
    ]
    assert HOSTILE not in html and "\x1b" not in html and "<b>" not in html


def test_many_columns_show_a_part_and_where_to_see_others() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(150, 102)) + 0.0
    rows[:, 1] += rows[:, 0]
    html = stability(rows, draws=2, alpha=4.0, effort=0)._repr_html_()
    assert ".medoid().view(focus=" in html


def test_an_edge_is_paler_the_fewer_draws_find_it() -> None:
    shares = np.linspace(0.0, 1.0, 11)
    pale = [opacity(float(share)) for share in shares]
    assert pale == sorted(pale) and pale[0] > 0.0 and pale[-1] == 1.0


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, ""), (0.001, "< 1 %"), (0.123, "12 %"), (0.999, "99 %"), (1.0, "100 %")],
)
def test_only_all_draws_are_100_percent(share: float, text: str) -> None:
    assert in_percent(share) == text


def test_the_columns_of_a_printed_table_are_aligned() -> None:
    pairs = PairTable(
        [PairShares("income", "x", 1.0, 0.5, 0.25, 0.25), PairShares("y", "z", 0.3, 0.3, 0.0, 0.0)]
    )
    head, *lines = repr(pairs).splitlines()
    assert head.endswith("a → b  a ← b  a - b")
    assert {line.index(" %") for line in lines} == {head.index("adjacent") + len("adjacent") - 2}
    assert [line.count("█") for line in lines] == [10, 3]
