"""One look for all figures, in colours that everybody can tell apart (Okabe and Ito)."""

from __future__ import annotations

from typing import Any

LOOK: dict[str, tuple[str, str]] = {
    "GES": ("#E69F00", "v"),
    "GES-r": ("#009E73", "s"),
    "OPS": ("#8C6D31", "h"),
    "OPS, no reversals": ("#CBB677", "H"),
    "fGES": ("#56B4E9", "^"),
    "XGES-0": ("#D55E00", "D"),
    "XGES": ("#0072B2", "o"),
    "XGES+": ("#CC79A7", "*"),
    "FLOP": ("#222222", "X"),
    "FLOP, no restarts": ("#999999", "X"),
}
"""Colour and marker of each method; a peer that is shown in tables only has none."""
RC: dict[str, Any] = {
    "svg.hashsalt": "greedag",
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.handlelength": 1.4,
    "legend.columnspacing": 1.3,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
}
NAMES = {
    "shd": "SHD to the true CPDAG",
    "seconds": "seconds",
    "evaluations": "gains evaluated",
    "edges": "edges found",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "n": "rows n",
    "d": "columns d",
    "alpha": "penalty α",
    "rho": "mean number of parents ρ",
    "noise_max": "bound of the noise ε_max",
    "score above truth": "score above the true graph's",
    "score above truth a column": "ΔS = score above truth / d",
    "edge ratio": "ζ = edges found / true edges",
}


def in_order(methods: list[str]) -> list[str]:
    """Sort methods as they stand in `LOOK`, others after them."""
    known = list(LOOK)
    return sorted(methods, key=lambda name: (known.index(name) if name in known else 99, name))
