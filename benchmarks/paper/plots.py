"""The two kinds of panel that most figures are made of, and their frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from greedag.errors import require
from paper.sample import Sample, bootstrapped
from paper.style import LOOK, NAMES, in_order

mpl = require("matplotlib", "bench")
require("matplotlib.figure", "bench")
ROOM = 0.8
"""Share of the distance between two groups that the methods of one share out."""


def frame(rows: int, columns: int, *, height: float = 3.2, **shared: Any) -> tuple[Any, Any]:
    """Return a figure and its panels, as an array of two dimensions."""
    size = (6.4 if columns == 1 else 9.6, height * rows + 0.5)
    figure = mpl.figure.Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **shared)


def legend(figure: Any, methods: Sequence[str]) -> None:
    """Put the methods above all panels."""
    marks = [
        mpl.lines.Line2D([], [], color=LOOK[name][0], marker=LOOK[name][1]) for name in methods
    ]
    figure.legend(marks, methods, loc="outside upper center", ncols=len(methods))


def groups(axes: Any, sample: Sample, quantity: str, along: str = "rho", *, true: str = "") -> None:
    """Draw every row as a dot, means with their intervals; a group a value of `along`.

    `true` names a quantity whose mean is marked by a dashed line in each group.
    """
    methods, places = in_order(sample.levels("method")), sample.levels(along)
    for k, method in enumerate(methods):
        colour, marker = LOOK[method]
        shift = ROOM * ((k + 0.5) / len(methods) - 0.5)
        for place, value in enumerate(places):
            chosen = sample.where(**{"method": method, along: value})
            values = chosen.values(quantity)
            if not len(values):
                continue
            jitter = np.linspace(-0.3, 0.3, len(values)) * ROOM / len(methods)
            style = {"color": colour, "alpha": 0.3, "markersize": 2.5, "linestyle": "none"}
            axes.plot(place + shift + jitter, values, marker="o", markeredgewidth=0, **style)
            low, high = chosen.interval(quantity)
            mean, at = chosen.mean(quantity), place + shift
            axes.plot([at, at], [low, high], color=colour, linewidth=2)
            axes.plot([at], [mean], color=colour, marker=marker, markersize=6, markeredgecolor="w")
    for place, value in enumerate(places if true else []):
        height = sample.where(**{along: value}).mean(true)
        axes.plot([place - 0.45, place + 0.45], [height, height], color="#555555", dashes=(4, 2))
    axes.set_xticks(range(len(places)), [f"ρ = {value:g}" for value in places])
    axes.tick_params(axis="x", length=0)
    axes.set_ylabel(NAMES.get(quantity, quantity))


def curves(
    axes: Any,
    sample: Sample,
    quantity: str,
    along: str,
    *,
    true: str = "",
    middle: Callable[..., Any] = np.mean,
) -> None:
    """Draw the mean of each method against a setting, with its interval as a band."""
    for method in in_order(sample.levels("method")):
        colour, marker = LOOK[method]
        points = []
        for value in sample.where(method=method).levels(along):
            chosen = sample.where(**{"method": method, along: value})
            values = chosen.values(quantity)
            if len(values):
                points.append((value, middle(values), *bootstrapped(values, middle=middle)))
        if not points:
            continue
        x, mean, low, high = zip(*points, strict=True)
        axes.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.plot(x, mean, color=colour, marker=marker, markeredgecolor="w", markeredgewidth=0.5)
    if true:
        heights = [sample.where(**{along: value}).mean(true) for value in sample.levels(along)]
        axes.plot(sample.levels(along), heights, color="#555555", dashes=(4, 2), linewidth=1)
    axes.set(xlabel=NAMES.get(along, along), ylabel=NAMES.get(quantity, quantity))


def logarithmic(axes: Any, ticks: Sequence[float] = ()) -> None:
    """Make the horizontal axis logarithmic, with ticks at the values themselves if given."""
    axes.set_xscale("log")
    if ticks:
        axes.set_xticks(ticks, [f"{value:g}" for value in ticks])
        axes.minorticks_off()
