"""Estimates with their intervals, one below the other, with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from greedag.drawing.labels import em_width, labels
from greedag.errors import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAME_EM = 18.0


def plot_intervals(
    names: Sequence[str],
    spans: Sequence[tuple[float, float, float]],
    what: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw values with their intervals, the first at the top.

    Parameters
    ----------
    names : sequence of str
        What stands beside each.
    spans : sequence of tuple
        Of each: the value, and the ends of its interval.
    what : str
        What the axis shows.
    ax : Axes, optional
        New ones if left out.
    """
    require("matplotlib", "plot")
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(5.6, 1.4 + 0.3 * len(names)), layout="constrained")
    places = range(len(names))
    for place, (value, low, high) in zip(places, spans, strict=True):
        ax.plot([low, high], [place, place], color="C0", linewidth=2.0, solid_capstyle="round")
        ax.plot([value], [place], "o", color="C0")
    ax.axvline(0.0, color="0.7", linewidth=1.0, zorder=0)
    short = labels(list(names), _NAME_EM, em_width) if len(set(names)) == len(names) else names
    ax.set_yticks(list(places), [name.replace("$", r"\$") for name in short])
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_xlabel(what.replace("$", r"\$"))
    return ax
