"""The alphas at which each edge is there, as bars, with matplotlib."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Protocol

from greedag.drawing.labels import em_width, labels
from greedag.drawing.layout import LIGHT
from greedag.errors import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAME_EM = 12.0
_MOST_EDGES, _MOST_NAMED = 400, 60
_WORDS = {"stars": "StARS", "cv": "CV", "ebic": "EBIC"}
_DASHES = {"stars": "--", "cv": ":", "ebic": "-."}


class Living(Protocol):
    """An edge with its mark at each alpha, empty where it is not there."""

    @property
    def a(self) -> str:
        """One column."""

    @property
    def b(self) -> str:
        """The other."""

    @property
    def marks(self) -> tuple[str, ...]:
        """By alpha, ascending."""


def plot_lifetimes(
    edges: Sequence[Living],
    alphas: Sequence[float],
    chosen: Mapping[str, float],
    ax: Axes | None = None,
) -> Axes:
    """Draw a bar for each edge, from the least to the largest alpha at which it is there.

    Parameters
    ----------
    edges : sequence of Lifetime
        From top to bottom; of very many, the first.
    alphas : sequence of float
        Ascending.
    chosen : mapping of str to float
        Alphas that were chosen, each with a line.
    ax : Axes, optional
        New ones if left out.
    """
    require("matplotlib", "plot")
    import matplotlib.pyplot as plt
    from matplotlib.patches import Patch

    shown = edges[:_MOST_EDGES]
    is_named = len(shown) <= _MOST_NAMED
    if ax is None:
        height = 1.4 + (0.2 if is_named else 0.06) * max(len(shown), 6)
        _, ax = plt.subplots(figsize=(7.5, min(height, 16.0)), layout="constrained")
    for place, edge in enumerate(shown):
        for kind, low, high in _bars(edge.marks, alphas):
            ax.barh(place, high - low, left=low, height=0.72, color=LIGHT[kind], lw=0)
    ax.set_xscale("log")
    low, high = _edge(alphas, 0), _edge(alphas, len(alphas))
    ax.set_xlim(low, high)
    ax.set_ylim(max(len(shown), 1) - 0.4, -0.6)
    _set_ticks(ax, low, high)
    ax.set_xlabel("alpha, the weight of the penalty")
    names = _named(shown) if is_named else []
    ax.set_yticks(range(len(names)), names)
    if len(edges) > len(shown):
        ax.set_title(f"the first {len(shown)} of {len(edges)} edges", fontsize="medium")
    for by, alpha in chosen.items():
        style, word = _DASHES.get(by, "-"), _WORDS.get(by, by)
        ax.axvline(alpha, color=LIGHT["paper"], lw=3.0, alpha=0.8)
        ax.axvline(alpha, color=LIGHT["ink"], ls=style, lw=1.4, label=f"{word}: {alpha:g}")
    kinds = [Patch(color=LIGHT[kind], label=kind) for kind in ("directed", "undirected")]
    lines = ax.get_legend_handles_labels()[0]
    ax.legend(handles=[*kinds, *lines], loc="lower right", fontsize="small", framealpha=1.0)
    return ax


def _bars(marks: Sequence[str], alphas: Sequence[float]) -> list[tuple[str, float, float]]:
    """Return the stretches of alphas over which an edge stays directed, or undirected."""
    found, place = [], 0
    kinds = ["" if not mark else "undirected" if mark == "-" else "directed" for mark in marks]
    for kind, group in groupby(kinds):
        size = len(list(group))
        if kind:
            found.append((kind, _edge(alphas, place), _edge(alphas, place + size)))
        place += size
    return found


def _edge(alphas: Sequence[float], place: int) -> float:
    """Return where the bar of an alpha begins: halfway, on a log scale, from the one before."""
    if len(alphas) == 1:
        return alphas[0] * (0.9 if place == 0 else 1.1)
    if place == 0:
        return alphas[0] * math.sqrt(alphas[0] / alphas[1])
    if place == len(alphas):
        return alphas[-1] * math.sqrt(alphas[-1] / alphas[-2])
    return math.sqrt(alphas[place - 1] * alphas[place])


def _set_ticks(ax: Axes, low: float, high: float) -> None:
    """Mark powers of two, as numbers."""
    first, last = math.ceil(math.log2(low)), math.floor(math.log2(high))
    step = max(1, (last - first) // 8)
    powers = [2.0**k for k in range(first, last + 1, step)]
    if len(powers) > 1:
        ax.set_xticks(powers, [f"{power:g}" for power in powers])
        ax.set_xticks([], minor=True)


def _named(edges: Sequence[Living]) -> list[str]:
    names = list(dict.fromkeys(name for edge in edges for name in (edge.a, edge.b)))
    short = dict(zip(names, labels(names, _NAME_EM, em_width), strict=True))
    return [f"{short[e.a]} {_mark(e.marks)} {short[e.b]}".replace("$", r"\$") for e in edges]


def _mark(marks: Sequence[str]) -> str:
    """Return the mark at the largest alpha at which an edge is there."""
    return next(mark for mark in reversed(marks) if mark).replace("-", "–")
