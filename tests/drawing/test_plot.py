"""matplotlib: the same boxes and curves as the SVG, whatever the names."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon

from greedag import CPDAG, MissingExtraError, OptionError, Result, learn, simulate
from greedag.drawing.layout import curves, layout
from greedag.drawing.plot import plot
from helpers.hostile_names import HOSTILE_NAMES
from helpers.view_cases import Worth, hostile, random_class, weather, worths


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def rendered(figure: matplotlib.figure.Figure, kind: str = "png") -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind)
    return buffer.getvalue()


def test_boxes_and_arrow_tips_are_those_of_the_svg() -> None:
    graph = random_class(37, 1.25, 3)
    plan, ax = layout(graph), graph.plot()
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    centres = [(b.get_x() + b.get_width() / 2, b.get_y() + b.get_height() / 2) for b in boxes]
    assert np.allclose(centres, plan.positions)
    tips = [tuple(p.get_xy()[0]) for p in ax.patches if isinstance(p, Polygon)]
    expected = [curve.arrow[0] for curve in curves(graph, plan) if curve.directed]
    assert np.allclose(tips[: len(expected)], expected)
    assert len(tips) == len(expected) + 1  # one in the legend


def test_names_stay_within_their_boxes_on_axes_of_any_size() -> None:
    for size in ((2, 2), (12, 3)):
        _, ax = plt.subplots(figsize=size)
        plot(weather(), ax)
        names = [p for p in ax.patches if isinstance(p, PathPatch) and p.get_zorder() == 3][:6]
        boxes = [p for p in ax.patches if isinstance(p, FancyBboxPatch)]
        for name, box in zip(names, boxes, strict=True):
            inner = name.get_path().get_extents()
            assert box.get_x() < inner.x0 < inner.x1 < box.get_x() + box.get_width()
            assert box.get_y() < inner.y0 < inner.y1 < box.get_y() + box.get_height()


def test_given_axes_are_drawn_on_and_returned() -> None:
    figure, axes = plt.subplots(1, 2)
    assert weather().plot(axes[1]) is axes[1]
    assert weather().plot(ax=axes[0]) is axes[0]
    assert plt.get_fignums() == [figure.number]
    assert rendered(figure)


def test_a_new_figure_is_as_large_as_the_drawing_needs() -> None:
    plan = layout(weather())
    width, height = weather().plot().figure.get_size_inches()
    assert width * 96 >= plan.width
    assert height * 96 > plan.height


def test_focus_and_strengths_reach_the_axes() -> None:
    graph = random_class(60, 1.5, 3)
    ax = graph.plot(focus="x7", distance=1)
    matrix = graph.to_matrix()
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    assert len(boxes) == (matrix | matrix.T)[7].sum() + 1
    assert sum(box.get_linewidth() > 1.5 for box in boxes) == 1
    lines = plot(graph, strengths=worths(graph)).patches
    assert len({p.get_linewidth() for p in lines if p.get_zorder() == 1}) > 5


def test_heads_are_faint_where_the_direction_margin_is_small() -> None:
    collider = CPDAG.from_dag([[0, 0, 1], [0, 0, 1], [0, 0, 0]], ["a", "b", "c"])
    ax = plot(collider, strengths=[Worth("a", "c", 50.0, 20.0), Worth("b", "c", 50.0, 4.0)])
    heads = [patch for patch in ax.patches if isinstance(patch, Polygon)]
    # Two edges, and two lines of the legend.
    assert [head.get_facecolor()[3] < 0.5 for head in heads] == [False, True, False, True]


def test_a_learned_result_can_be_plotted() -> None:
    result = learn(simulate.linear_gaussian(10, 1.5, 500, seed=0).data)
    assert isinstance(result, Result)
    assert rendered(result.plot().figure).startswith(b"\x89PNG")


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_hostile_names_are_drawn_without_a_warning(kind: str) -> None:
    assert rendered(hostile().plot().figure, kind)


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_hostile_name_is_drawn_in_its_box(name: str) -> None:
    ax = CPDAG.from_dag([[0, 1], [0, 0]], [name, "plain"]).plot()
    text, *_ = (p for p in ax.patches if isinstance(p, PathPatch) and p.get_zorder() == 3)
    box, *_ = (p for p in ax.patches if isinstance(p, FancyBboxPatch))
    inner = text.get_path().get_extents()
    assert box.get_x() <= inner.x0 < inner.x1 <= box.get_x() + box.get_width()


def test_dollars_and_backslashes_in_names_are_not_read_as_mathematics() -> None:
    formula = r"$\frac{1}{2}$"
    ax = CPDAG.from_dag([[0]], [formula]).plot()
    (text,) = (p for p in ax.patches if p.get_zorder() == 3)
    fraction = matplotlib.textpath.TextPath((0, 0), formula, size=13)
    assert text.get_path().get_extents().width > 3 * fraction.get_extents().width


def test_dark_figures_get_light_ink() -> None:
    with plt.style.context("dark_background"):
        dark = weather().plot()
    light = weather().plot()
    inks = [
        next(p for p in ax.patches if p.get_zorder() == 3).get_facecolor() for ax in (dark, light)
    ]
    assert sum(inks[0][:3]) > 2 > 1 > sum(inks[1][:3])


@pytest.mark.parametrize("absent", ["matplotlib", "matplotlib.pyplot"])
def test_without_matplotlib_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, absent: str
) -> None:
    monkeypatch.setitem(sys.modules, absent, None)
    with pytest.raises(MissingExtraError, match=r'pip install "greedag\[plot\]"'):
        weather().plot()


def test_what_is_no_axes_is_refused() -> None:
    with pytest.raises(OptionError, match="ax must be Axes of matplotlib, not str"):
        CPDAG.from_dag([[0, 1], [0, 0]]).plot("axes")  # type: ignore[arg-type]
