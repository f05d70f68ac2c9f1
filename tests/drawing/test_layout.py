"""Layout and geometry: nothing overlaps, edges keep off boxes, arrows end at borders."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.textpath import TextPath

from greedag import CPDAG
from greedag.drawing.labels import cell_width, em_width, label, labels
from greedag.drawing.layers import crossings, layered, order
from greedag.drawing.layout import FONT_SIZE, Curve, Layout, curves, layout
from helpers.hostile_names import HOSTILE_NAMES
from helpers.view_cases import Worth, hostile, random_class, weather, worths

CASES = [(2, 1.0, 0), (9, 2.0, 1), (37, 1.25, 3), (60, 2.0, 5), (100, 0.5, 2), (100, 1.5, 3)]
cases = pytest.mark.parametrize("graph", [random_class(*case) for case in CASES], ids=repr)


def boxes(plan: Layout) -> np.ndarray:
    """Return left, top, right, bottom of each box."""
    half = plan.sizes / 2
    return np.hstack([plan.positions - half, plan.positions + half])


def sampled(curve: Curve) -> np.ndarray:
    points, t = np.array(curve.points), np.linspace(0, 1, 33)[:, None]
    pieces = [points[k : k + 4] for k in range(0, len(points) - 1, 3)]
    return np.vstack(
        [
            a * (1 - t) ** 3 + 3 * b * t * (1 - t) ** 2 + 3 * c * t**2 * (1 - t) + d * t**3
            for a, b, c, d in pieces
        ]
    )


@pytest.mark.parametrize("shape", [None, 1.6, 5.0])
@cases
def test_no_box_overlaps_another_or_leaves_the_page(graph: CPDAG, shape: float | None) -> None:
    plan = layout(graph, shape)
    corners = boxes(plan)
    for one, other in itertools.combinations(corners, 2):
        apart = np.maximum(one[:2], other[:2]) >= np.minimum(one[2:], other[2:]) + 4
        assert apart.any()
    assert (corners[:, :2] > 0).all()
    assert (corners[:, 2:] < (plan.width, plan.height)).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 30), st.floats(0, 5), st.integers(0, 2**32), st.sampled_from([None, 1.6]))
def test_edges_pass_under_no_box(d: int, rho: float, seed: int, shape: float | None) -> None:
    graph = random_class(d, rho, seed)
    plan = layout(graph, shape)
    corners = boxes(plan)
    for curve in curves(graph, plan):
        points = sampled(curve)
        assert (points > 0).all() and (points < (plan.width, plan.height)).all()
        for i, (left, top, right, bottom) in enumerate(corners):
            inside = (points > (left, top)).all(axis=1) & (points < (right, bottom)).all(axis=1)
            assert not inside.any(), (curve.tail, curve.head, i)


@cases
def test_arrow_tips_lie_on_the_upper_border_of_the_head(graph: CPDAG) -> None:
    plan = layout(graph)
    corners = boxes(plan)
    for curve in curves(graph, plan):
        assert bool(curve.arrow) == curve.directed
        if curve.directed:
            left, top, right, _ = corners[curve.head]
            (x, y), *base = curve.arrow
            assert y == pytest.approx(top)
            assert left < x < right
            assert all(corner[1] < y for corner in base)
            assert base[0][0] < curve.points[-1][0] < base[1][0]


@cases
def test_edges_end_at_their_two_boxes_and_point_down(graph: CPDAG) -> None:
    plan = layout(graph)
    corners, member = boxes(plan), graph.to_dag()
    for curve in curves(graph, plan):
        pair = curve.tail, curve.head
        upper, lower = pair if member[pair] else pair[::-1]
        (x, y), (end, stop) = curve.points[0], curve.points[-1]
        assert corners[upper, 0] < x < corners[upper, 2]
        assert y == pytest.approx(corners[upper, 3])
        assert corners[lower, 0] < end < corners[lower, 2]
        assert y < stop <= corners[lower, 1]


@cases
def test_every_edge_of_the_class_is_drawn_once(graph: CPDAG) -> None:
    drawn = curves(graph, layout(graph))
    directed = {(graph.names[c.tail], graph.names[c.head]) for c in drawn if c.directed}
    undirected = {(graph.names[c.tail], graph.names[c.head]) for c in drawn if not c.directed}
    assert directed == set(graph.directed)
    assert undirected == set(graph.undirected)
    assert len(drawn) == len(directed) + len(undirected)


def test_arrows_into_one_box_have_tips_of_their_own() -> None:
    star = np.zeros((9, 9), dtype=int)
    star[:8, 8] = 1
    graph = CPDAG.from_dag(star)
    tips = sorted(curve.arrow[0][0] for curve in curves(graph, layout(graph)))
    assert min(np.diff(tips)) >= 8


def test_layout_is_the_same_in_every_process() -> None:
    code = (
        "from helpers.view_cases import random_class; from greedag.drawing.svg import draw;"
        "import hashlib; print(hashlib.sha256(draw(random_class(60, 2.0, 5)).encode()).hexdigest())"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(texts) == 1


def test_a_complete_class_of_a_hundred_columns_has_a_bounded_drawing() -> None:
    graph = CPDAG.from_dag(np.triu(np.ones((100, 100), dtype=int), 1))
    plan = layout(graph)
    assert sum(len(bends) for bends in plan.bends.values()) <= 2500
    assert len(plan.bends) == 4950


def test_columns_without_edges_stand_below_all_others() -> None:
    plan = layout(weather())
    assert plan.positions[5, 1] > plan.positions[:5, 1].max()


def test_many_columns_without_edges_fill_rows_of_bounded_width() -> None:
    plan = layout(CPDAG.from_dag(np.zeros((100, 100), dtype=int)))
    assert plan.width < 1200
    assert plan.height < 600


def test_ordering_removes_every_crossing_of_a_tree() -> None:
    tree = layered(63, [((k - 1) // 2, k) for k in range(1, 63)])
    for layer in tree.layers:
        layer.sort(key=lambda v: v * 7 % 64)
    order(tree)
    assert crossings(tree) == 0


def test_crossings_are_counted_as_by_brute_force() -> None:
    rng = np.random.default_rng(0)
    edges = [(int(i), int(j)) for i, j in np.argwhere(np.triu(rng.random((20, 20)) < 0.3, 1))]
    graph = layered(20, edges)
    place = {v: (r, i) for r, layer in enumerate(graph.layers) for i, v in enumerate(layer)}
    pieces = [(place[u], place[v]) for u, below in enumerate(graph.down) for v in below]
    brute = sum(
        a[0] == c[0] and (a[1] - c[1]) * (b[1] - d[1]) < 0
        for (a, b), (c, d) in itertools.combinations(pieces, 2)
    )
    assert crossings(graph) == brute


def test_stronger_edges_have_wider_strokes() -> None:
    graph = random_class(12, 2.0, 1)
    drawn = curves(graph, layout(graph), worths(graph))
    by_strength = sorted(drawn, key=lambda curve: curve.loss or 0.0)
    widths = [curve.width for curve in by_strength]
    assert widths == sorted(widths)
    assert widths[-1] > 2 * widths[0] > 0


def test_strengths_that_are_not_finite_or_of_other_columns_do_no_harm() -> None:
    graph = weather()
    (a, b), (c, d), *_ = graph.directed + graph.undirected
    odd = [Worth(a, b, float("inf")), Worth(c, d, float("nan")), Worth("x", "y", 1.0)]
    assert all(np.isfinite(curve.width) for curve in curves(graph, layout(graph), odd))


def test_labels_fit_their_boxes_in_a_wide_font() -> None:
    plan = layout(random_class(100, 1.0, 0))
    ascii_characters = [chr(code) * 3 for code in range(33, 127)]
    for text in (*plan.labels, *ascii_characters, "Temperature_mean (°C)", "Größe", "a…z"):
        drawn = TextPath((0, 0), text.replace("$", r"\$"), size=FONT_SIZE).get_extents().width
        assert drawn <= em_width(text) * FONT_SIZE + 2


def test_labels_are_distinct_visible_and_of_one_line() -> None:
    plan = layout(hostile())
    assert len(set(plan.labels)) == len(HOSTILE_NAMES)
    assert all(text.isprintable() and text.strip() for text in plan.labels)
    assert plan.sizes[:, 0].max() < 250


def test_names_that_differ_in_the_middle_only_get_their_number() -> None:
    names = ["a" * 50 + str(k) + "b" * 50 for k in range(3)]
    short = labels(names, 20, cell_width)
    assert len(set(short)) == 3
    assert short[1].endswith(" [1]")
    assert all(cell_width(text) <= 20 for text in short)


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_label_is_no_wider_than_asked(name: str) -> None:
    (text,) = labels([name], 12, cell_width)
    assert cell_width(text) <= 12
    assert len(text) <= 50
    assert label(name).isprintable()


def test_a_narrow_drawing_is_pulled_apart_up_to_the_shape_of_its_place() -> None:
    graph = random_class(11, 1.5, 4)
    plain, pulled = layout(graph), layout(graph, 1.6)
    assert plain.width < pulled.width <= max(1.6 * pulled.height, 700.0)
    assert pulled.height <= plain.height
    assert np.array_equal(plain.sizes, pulled.sizes)
    wide = random_class(80, 1.5, 4)
    assert layout(wide, 0.1).width == layout(wide).width
