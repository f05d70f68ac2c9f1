"""The effect of one column on another as a small plot: SVG of our own, or axes of matplotlib."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from greedag.drawing.labels import amount, em_width, label, shortened, ticks
from greedag.drawing.layout import LIGHT
from greedag.drawing.svg import STYLE, escape
from greedag.errors import OptionError, require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH, _HEIGHT = 340.0, 210.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 56.0, 12.0, 12.0, 40.0
_MOST_LABELS = 12
# A sparkline needs no more points than it has pixels.
_SPARK_WIDTH, _SPARK_HEIGHT, _SPARK_POINTS = 72.0, 22.0, 36
_STYLE = (
    "svg.greedag .band{fill:var(--greedag-directed);fill-opacity:.16}"
    "svg.greedag .effect{stroke:var(--greedag-directed);stroke-width:2px}"
    "svg.greedag .dot{fill:var(--greedag-directed)}"
    "svg.greedag .axis{stroke:var(--greedag-rule)}"
    "svg.greedag .tick{font-size:11px}"
    "svg.greedag .up{text-anchor:end;dominant-baseline:central}"
    "svg.greedag .along{text-anchor:middle}"
)

Numbers = Sequence[float]


@dataclass(frozen=True, slots=True)
class Plotted:
    """What is drawn: an effect at some values, with a band around it.

    Attributes
    ----------
    at : sequence of float
        Where the effect is known, ascending; of levels their places.
    effect, low, high : sequence of float
        The effect and its band.
    levels : tuple of str
        The names of levels; empty if the column is continuous.
    x, y : str
        What the axes show.
    """

    at: Numbers
    effect: Numbers
    low: Numbers
    high: Numbers
    levels: tuple[str, ...]
    x: str
    y: str


@dataclass(frozen=True, slots=True)
class Spark:
    """An effect as a small line without axes: paths in a box, and the names as shown."""

    line: str
    band: str
    parent: str
    child: str
    text: str
    width: float = _SPARK_WIDTH
    height: float = _SPARK_HEIGHT


def spark(shown: Plotted, text: str) -> Spark:
    """Return an effect as a sparkline, with a text about it; of levels, as steps."""
    place = _Places(shown, 1.0, _SPARK_WIDTH - 1.0, 2.0, _SPARK_HEIGHT - 2.0)
    step = max(1, math.ceil(len(shown.at) / _SPARK_POINTS))
    kept = sorted({*range(0, len(shown.at), step), len(shown.at) - 1})
    if shown.levels:
        ends = [(at - 0.42, at + 0.42, k) for k, at in enumerate(shown.at)]
        bars = (f"M{place.point(a, shown.effect[k])}H{place.x(b):.1f}" for a, b, k in ends)
        return Spark("".join(bars), "", shown.x, shown.y, text)
    line, band = _line(place, shown, kept), _band(place, shown, kept)
    return Spark(line, band, shown.x, shown.y, text)


def effect_svg(shown: Plotted) -> str:
    """Return an effect as one ``<svg>`` element with axes."""
    place = _Places(shown, _LEFT, _WIDTH - _RIGHT, _TOP, _HEIGHT - _BOTTOM)
    every = range(len(shown.at))
    said = escape(f"effect of {shown.x} on {shown.y}")
    if shown.levels:
        drawn = [_level(place, shown, k) for k in every]
    else:
        drawn = [
            f'<path class="band" d="{_band(place, shown, every)}"/>',
            f'<path class="effect" d="{_line(place, shown, every)}"/>',
        ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="greedag" role="img" '
            f'aria-label="{said}" width="{_WIDTH:g}" height="{_HEIGHT:g}" '
            f'viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}">',
            f"<style>{STYLE}{_STYLE}</style>",
            *_axes(place, shown),
            *drawn,
            "</svg>",
        ]
    )


def plot_effect(shown: Plotted, ax: Axes | None) -> Axes:
    """Draw an effect on axes of matplotlib, on new ones if none are given; return them."""
    pyplot: Any = require("matplotlib.pyplot", "plot")
    kind: Any = require("matplotlib.axes", "plot").Axes
    if ax is not None and not isinstance(ax, kind):
        raise OptionError(f"ax must be Axes of matplotlib, not {type(ax).__name__}")
    axes: Any = pyplot.figure(figsize=(4.5, 3.0), layout="constrained").add_subplot()
    if ax is not None:
        pyplot.close(axes.figure)
        axes = ax
    colour = LIGHT["directed"]
    if shown.levels:
        pairs = zip(shown.effect, shown.low, shown.high, strict=True)
        reach = [(middle - low, high - middle) for middle, low, high in pairs]
        errors = list(zip(*reach, strict=True))
        axes.errorbar(shown.at, shown.effect, yerr=errors, fmt="o", color=colour)
        axes.set_xticks(shown.at, [_plain(name) for name in shown.levels])
    else:
        axes.fill_between(shown.at, shown.low, shown.high, color=colour, alpha=0.16, lw=0)
        axes.plot(shown.at, shown.effect, color=colour)
    axes.axhline(0.0, color=LIGHT["rule"], lw=1, zorder=0)
    axes.set_xlabel(_plain(shown.x))
    axes.set_ylabel(_plain(shown.y))
    drawn: Axes = axes
    return drawn


def _plain(text: str) -> str:
    """Return a text that matplotlib does not read as mathematics."""
    return label(text).replace("$", r"\$")


class _Places:
    """Where values stand in a box of a drawing."""

    def __init__(
        self, shown: Plotted, left: float, right: float, top: float, bottom: float
    ) -> None:
        room = 0.5 if shown.levels else 0.0
        self.across = shown.at[0] - room, shown.at[-1] + room
        self.up = _padded(min(shown.low), max(shown.high))
        self.left, self.right, self.top, self.bottom = left, right, top, bottom

    def x(self, value: float) -> float:
        first, last = self.across
        return self.left + (self.right - self.left) * (value - first) / ((last - first) or 1.0)

    def y(self, value: float) -> float:
        low, high = self.up
        return self.bottom - (self.bottom - self.top) * (value - low) / (high - low)

    def point(self, x: float, y: float) -> str:
        return f"{self.x(x):.1f} {self.y(y):.1f}"


def _padded(low: float, high: float) -> tuple[float, float]:
    room = 0.04 * (high - low) or 1.0
    return low - room, high + room


def _line(place: _Places, shown: Plotted, kept: Sequence[int]) -> str:
    return "M" + "L".join(place.point(shown.at[k], shown.effect[k]) for k in kept)


def _band(place: _Places, shown: Plotted, kept: Sequence[int]) -> str:
    above = [place.point(shown.at[k], shown.high[k]) for k in kept]
    below = [place.point(shown.at[k], shown.low[k]) for k in reversed(kept)]
    return "M" + "L".join([*above, *below]) + "Z"


def _level(place: _Places, shown: Plotted, k: int) -> str:
    x, y = place.x(shown.at[k]), place.y(shown.effect[k])
    low, high = place.y(shown.low[k]), place.y(shown.high[k])
    return (
        f'<path class="effect" d="M{x:.1f} {low:.1f}V{high:.1f}"/>'
        f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
    )


def _axes(place: _Places, shown: Plotted) -> list[str]:
    lines = [
        f'<path class="axis" d="M{place.left:g} {place.y(value):.1f}H{place.right:g}"/>'
        f'<text class="tick up" x="{place.left - 6:g}" y="{place.y(value):.1f}">'
        f"{escape(_tick(value))}</text>"
        for value in ticks(*place.up, 4)
    ]
    below = place.bottom + 15
    lines += [
        f'<text class="tick along" x="{place.x(at):.1f}" y="{below:g}">{escape(text)}</text>'
        for at, text in _along(place, shown)
    ]
    middle = (place.left + place.right) / 2
    title = shortened(label(shown.x), 26.0, em_width)
    lines.append(f'<text class="along" x="{middle:g}" y="{_HEIGHT - 7:g}">{escape(title)}</text>')
    return lines


def _along(place: _Places, shown: Plotted) -> list[tuple[float, str]]:
    if not shown.levels:
        first, last = place.across
        return [(value, _tick(value)) for value in ticks(first, last, 5)] if last > first else []
    step = math.ceil(len(shown.levels) / _MOST_LABELS)
    room = 26.0 / min(len(shown.levels), _MOST_LABELS)
    return [
        (float(k), shortened(label(shown.levels[k]), room, em_width))
        for k in range(0, len(shown.levels), step)
    ]


def _tick(value: float) -> str:
    shown = amount(round(value, 12))
    return shown.rstrip("0").rstrip(".") if "." in shown and "e" not in shown else shown
