"""The figure of scaling.py: seconds against columns, parents and rows, on logarithmic axes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

try:
    import matplotlib as mpl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
except ImportError:
    sys.exit("matplotlib is not installed: pip install '.[bench]'")

# Colours that also those who do not tell red from green can tell apart.
STYLES = {
    "moments": ("moments", "#777777", "^"),
    "xges0": ("XGES-0", "#0072B2", "o"),
    "xges": ("XGES, effort 0", "#D55E00", "s"),
    "default": ("default", "#009E73", "D"),
}
ROOM = 20.0
"""How far the axis goes beyond the largest seconds, for the legends."""
LABELS = {"d": "columns d", "rho": "mean number of parents ρ", "n": "rows n"}


def draw(found: list[dict[str, Any]], path: Path) -> None:
    """Draw a panel a quantity; series along the same quantity share one, the later ones dashed."""
    # The same numbers give the same file.
    with mpl.rc_context({"svg.hashsalt": "greedag", "font.size": 9}):
        figure = Figure(figsize=(10.5, 3.8), layout="constrained")
        for axes, along in zip(figure.subplots(1, len(LABELS), sharey=True), LABELS, strict=True):
            _panel(axes, along, [series for series in found if series["along"] == along])
        figure.axes[0].set_ylabel("seconds")
        lowest, highest = figure.axes[0].get_ylim()
        figure.axes[0].set_ylim(lowest, ROOM * highest)
        figure.savefig(path, metadata={"Date": None})


def _panel(axes: Axes, along: str, shown: list[dict[str, Any]]) -> None:
    for series, dashes in zip(shown, ("-", "--"), strict=False):
        for name, (label, colour, marker) in STYLES.items():
            # Of the moments, only rows and columns matter.
            if name == "moments" and along != "n":
                continue
            quantity = [point["size"][along] for point in series["points"]]
            seconds = [point[name] for point in series["points"]]
            text = f"{label}, exponent {series['exponents'][name]:.1f}"
            if dashes == "--":
                size = series["points"][0]["size"]
                text += f" (ρ = {size['rho']:g}, n = {size['n']:,})"
            style: dict[str, Any] = {"color": colour, "marker": marker, "linestyle": dashes}
            axes.plot(quantity, seconds, label=text, markersize=4, **style)
    axes.set(xscale="log", yscale="log", xlabel=LABELS[along], title=shown[0]["title"])
    _ticks(axes, along, shown[0])
    axes.grid(True, which="major", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, loc="upper left")


def _ticks(axes: Axes, along: str, series: dict[str, Any]) -> None:
    if along == "n":
        return
    # The sizes themselves: they are few, and not powers of ten.
    axes.xaxis.set_major_locator(FixedLocator([point["size"][along] for point in series["points"]]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
