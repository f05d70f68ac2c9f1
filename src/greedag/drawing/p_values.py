"""P-values against those that chance would give, in order: with matplotlib, and as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from greedag.drawing.layout import LIGHT
from greedag.drawing.svg import STYLE
from greedag.errors import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_EXPECTED, _OBSERVED = "expected by chance", "p-values of the tests"
# More would only lie on top of each other.
_MOST_POINTS = 400
_SIZE, _LEFT, _TOP, _PLOT = 300, 46, 12, 240
_STYLE = (
    ".p-plot text{font:11px system-ui,sans-serif;fill:var(--greedag-ink)}"
    ".p-plot .frame{fill:none;stroke:var(--greedag-border)}"
    ".p-plot .chance{stroke:var(--greedag-ink);stroke-dasharray:4 3;opacity:.6}"
    ".p-plot .band{fill:var(--greedag-directed);opacity:.13}"
    ".p-plot circle{fill:var(--greedag-directed);opacity:.8}"
)


def _points(p_values: Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return expected and observed p-values, ascending; of many, evenly chosen ones."""
    observed = np.sort(np.asarray(p_values, dtype=np.float64))
    n = len(observed)
    expected = np.arange(1, n + 1) / (n + 1.0)
    few = np.unique(np.linspace(0, n - 1, min(n, _MOST_POINTS)).astype(np.intp))
    return expected[few], observed[few]


def _band(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return where 95 % of p-values lie, each by itself, if they are independent."""
    at = np.linspace(0.0, 1.0, 41)
    reach = 1.96 * np.sqrt(at * (1.0 - at) / (count + 2.0))
    return at, np.clip(at - reach, 0.0, 1.0), np.clip(at + reach, 0.0, 1.0)


def plot_p_values(p_values: Sequence[float], ax: Axes | None = None) -> Axes:
    """Draw p-values against expected ones, on given or new axes; return the axes."""
    require("matplotlib", "plot")
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(4.6, 4.4), layout="constrained")
    expected, observed = _points(p_values)
    at, low, high = _band(len(p_values))
    colour = LIGHT["directed"]
    ax.fill_between(at, low, high, color=colour, alpha=0.13, linewidth=0)
    ax.plot([0, 1], [0, 1], color="grey", linestyle="--", linewidth=1)
    ax.plot(expected, observed, "o", color=colour, markersize=3.5)
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel=_EXPECTED, ylabel=_OBSERVED, aspect="equal")
    return ax


def p_values_svg(p_values: Sequence[float], *, styled: bool = True) -> str:
    """Return the drawing as one ``<svg>`` element, with its style or for a page that has one."""
    style, kind = (
        (f"<style>{STYLE}{_STYLE}</style>", "greedag p-plot") if styled else ("", "p-plot")
    )
    expected, observed = _points(p_values)
    at, low, high = _band(len(p_values))
    edge = [*zip(at, high, strict=True), *zip(at[::-1], low[::-1], strict=True)]
    band = " ".join(f"{_across(x):.1f},{_down(y):.1f}" for x, y in edge)
    words = f"{len(p_values)} p-values, in order, against those that chance would give"
    ticks = (0.0, 0.5, 1.0)
    foot, middle = _TOP + _PLOT, _LEFT + _PLOT / 2
    lines = [
        f'<svg class="{kind}" viewBox="0 0 {_SIZE} {_SIZE}" width="{_SIZE}" height="{_SIZE}" '
        f'role="img" aria-label="{words}">{style}',
        f'<polygon class="band" points="{band}"/>',
        f'<rect class="frame" x="{_LEFT}" y="{_TOP}" width="{_PLOT}" height="{_PLOT}"/>',
        f'<line class="chance" x1="{_LEFT}" y1="{foot}" x2="{_LEFT + _PLOT}" y2="{_TOP}"/>',
        *(
            f'<circle cx="{_across(x):.1f}" cy="{_down(y):.1f}" r="2.4"/>'
            for x, y in zip(expected, observed, strict=True)
        ),
        *(
            f'<text x="{_across(tick):.0f}" y="{foot + 15}" text-anchor="middle">{tick:g}</text>'
            f'<text x="{_LEFT - 6}" y="{_down(tick) + 4:.0f}" text-anchor="end">{tick:g}</text>'
            for tick in ticks
        ),
        f'<text x="{middle}" y="{foot + 34}" text-anchor="middle">{_EXPECTED}</text>',
        f'<text x="14" y="{_TOP + _PLOT / 2}" text-anchor="middle" '
        f'transform="rotate(-90 14 {_TOP + _PLOT / 2})">{_OBSERVED}</text>',
        "</svg>",
    ]
    return "".join(lines)


def _across(x: float) -> float:
    return _LEFT + _PLOT * x


def _down(y: float) -> float:
    return _TOP + _PLOT * (1.0 - y)
