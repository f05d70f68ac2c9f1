"""How each figure is drawn from the rows of its experiment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from paper import missed_insert
from paper.numbers import places
from paper.plots import curves, frame, groups, legend, logarithmic, mpl
from paper.sample import Sample, bootstrapped
from paper.style import LOOK, NAMES, RC, in_order

Draw = Callable[[Sample], Any]


def _shown(sample: Sample, *hidden: str) -> Sample:
    """Leave out methods, and those that have no colour."""
    return Sample.of(
        row for row in sample.rows if row["method"] in LOOK and row["method"] not in hidden
    )


def _legend(figure: Any, sample: Sample) -> None:
    legend(figure, in_order(sample.levels("method")))


def _by_columns(sample: Sample, quantity: str, *, true: str = "") -> Any:
    """A panel for each d, groups by ρ."""
    figure, panels = frame(1, len(sample.levels("d")))
    for axes, d in zip(panels[0], sample.levels("d"), strict=True):
        groups(axes, sample.where(d=d), quantity, true=true)
        axes.set_title(f"d = {d}")
    _legend(figure, sample)
    return figure


def main(sample: Sample) -> Any:
    return _by_columns(_shown(sample, "OPS"), "shd", true="true_edges")


def ops(sample: Sample) -> Any:
    return _by_columns(_shown(sample), "shd", true="true_edges")


def negative(sample: Sample) -> Any:
    return _by_columns(_shown(sample), "shd", true="true_edges")


def score_difference(sample: Sample) -> Any:
    figure = _by_columns(_shown(sample, "OPS"), "score above truth")
    for axes in figure.axes:
        axes.axhline(0.0, color="#555555", linewidth=1)
        axes.set_yscale("symlog", linthresh=10)
    return figure


def precision_recall(sample: Sample) -> Any:
    shown = _shown(sample, "OPS")
    quantities = ("precision", "recall", "f1")
    figure, panels = frame(len(quantities), len(shown.levels("d")), height=2.4)
    for line, quantity in zip(panels, quantities, strict=True):
        for axes, d in zip(line, shown.levels("d"), strict=True):
            groups(axes, shown.where(d=d), quantity)
            axes.set_title(f"d = {d}" if quantity == quantities[0] else "")
    _legend(figure, shown)
    return figure


def failure(sample: Sample) -> Any:
    figure, panels = frame(2, 3, height=2.6, sharey="row")
    for line, quantity, level in zip(
        panels, ("score above truth a column", "edge ratio"), (0.0, 1.0), strict=True
    ):
        for axes, d in zip(line, sample.levels("d"), strict=True):
            groups(axes, sample.where(d=d), quantity)
            axes.axhline(level, color="#555555", linewidth=1)
            axes.set_title(f"d = {d}" if level == 0.0 else "")
            axes.set_ylabel(NAMES[quantity] if axes is line[0] else "")
    _legend(figure, sample)
    return figure


def score_shd(sample: Sample) -> Any:
    """Score above the truth against SHD; lines connect the methods' results on one data set."""
    shown = _shown(sample, "OPS")
    figure, panels = frame(1, 1, height=3.8)
    axes = panels[0][0]
    for seed in shown.levels("seed"):
        rows = sorted(shown.where(seed=seed).ended().rows, key=lambda row: row["score"])
        above = [row["score"] - row["true_score"] for row in rows]
        axes.plot([row["shd"] for row in rows], above, color="#dddddd", linewidth=0.7, zorder=1)
    for method in in_order(shown.levels("method")):
        colour, marker = LOOK[method]
        chosen = shown.where(method=method)
        dots = {"color": colour, "marker": marker, "edgecolors": "w", "linewidths": 0.4}
        axes.scatter(chosen.values("shd"), chosen.values("score above truth"), s=26, **dots)
    axes.set_yscale("symlog", linthresh=100)
    axes.set(xlabel=NAMES["shd"], ylabel=NAMES["score above truth"])
    axes.axhline(0.0, color="#555555", linewidth=1)
    _legend(figure, shown)
    return figure


def _along_d(sample: Sample, quantity: str, middle: Callable[..., Any]) -> Any:
    figure, panels = frame(1, 2, sharey=True)
    for axes, rho in zip(panels[0], (2, 4), strict=True):
        chosen = sample.where(rho=rho)
        curves(axes, chosen, quantity, "d", middle=middle)
        logarithmic(axes, chosen.levels("d"))
        axes.set_yscale("log")
        axes.set_title(f"ρ = {rho}")
    panels[0][1].set_ylabel("")
    _legend(figure, sample)
    return figure


def runtime(sample: Sample) -> Any:
    return _along_d(_shown(sample), "seconds", np.median)


def evaluations(sample: Sample) -> Any:
    return _along_d(_shown(sample), "evaluations", np.mean)


def rows(sample: Sample) -> Any:
    return _along(sample, "shd", "n")


def alpha(sample: Sample) -> Any:
    return _along(sample, "shd", "alpha")


def double_descent(sample: Sample) -> Any:
    shown = _shown(sample)
    sizes = places(shown)
    figure, panels = frame(1, len(sizes))
    for axes, (d, rho) in zip(panels[0], sizes, strict=True):
        curves(axes, shown.where(d=d, rho=rho), "shd", "n", true="true_edges")
        logarithmic(axes)
        axes.set_title(f"d = {d}, ρ = {rho:g}")
        axes.set_ylim(bottom=0)
    _legend(figure, shown)
    return figure


def _along(sample: Sample, quantity: str, setting: str) -> Any:
    shown = _shown(sample)
    figure, panels = frame(1, 1, height=3.6)
    curves(panels[0][0], shown, quantity, setting, true="true_edges")
    logarithmic(panels[0][0], () if setting == "n" else shown.levels(setting))
    _legend(figure, shown)
    return figure


def edges(sample: Sample) -> Any:
    shown = _shown(sample)
    figure, panels = frame(1, 2, sharey=True)
    parts = (("n", shown.where(alpha=2.0)), ("alpha", shown.where(n=10_000)))
    for axes, (setting, part) in zip(panels[0], parts, strict=True):
        curves(axes, part, "edges", setting, true="true_edges")
        logarithmic(axes, () if setting == "n" else part.levels(setting))
    panels[0][1].set_ylabel("")
    _legend(figure, shown)
    return figure


def grid(sample: Sample) -> Any:
    shown = _shown(sample)
    levels = shown.levels("rho")
    figure, panels = frame(2, 2, height=2.6)
    for axes, rho in zip(panels.flat, levels, strict=True):
        chosen = shown.where(rho=rho)
        curves(axes, chosen, "shd", "d", true="true_edges")
        logarithmic(axes, chosen.levels("d"))
        axes.set_yscale("log")
        axes.set_title(f"ρ = {rho:g}")
    _legend(figure, shown)
    return figure


def noise(sample: Sample) -> Any:
    shown = _shown(sample)
    figure, panels = frame(1, len(shown.levels("rho")))
    for axes, rho in zip(panels[0], shown.levels("rho"), strict=True):
        curves(axes, shown.where(rho=rho), "shd", "noise_max", true="true_edges")
        logarithmic(axes, shown.levels("noise_max"))
        axes.set_title(f"d = 50, ρ = {rho:g}")
    _legend(figure, shown)
    return figure


def peers(sample: Sample) -> Any:
    """SHD and seconds, a line a method; a pair of panels a size."""
    parts = [(place, sample.where(d=place[0], rho=place[1])) for place in places(sample)]
    heights = [0.19 * len(part.levels("method")) + 0.55 for _, part in parts]
    figure = mpl.figure.Figure(figsize=(9.6, sum(heights)), layout="constrained")
    panels = figure.subplots(len(parts), 2, squeeze=False, gridspec_kw={"height_ratios": heights})
    for (left, right), ((d, rho), part) in zip(panels, parts, strict=True):
        methods = in_order(part.levels("method"))[::-1]
        for line, method in enumerate(methods):
            _line(left, right, line, part.where(method=method))
        left.set_yticks(range(len(methods)), methods)
        right.set_yticks(range(len(methods)), [""] * len(methods))
        right.set(xscale="log", xlim=(1e-5, 200.0))
        left.set_xlim(left=0.0)
        left.set_title(f"d = {d}, ρ = {rho:g}", loc="left")
        for axes in (left, right):
            axes.grid(True, axis="both")
    panels[-1][0].set_xlabel("SHD to the true CPDAG, mean")
    panels[-1][1].set_xlabel("seconds, median")
    return figure


def _line(left: Any, right: Any, line: int, chosen: Sample) -> None:
    method = chosen.rows[0]["method"]
    colour, marker = LOOK.get(method, ("#6b6b6b", "h"))
    if chosen.ended().rows:
        left.plot(chosen.interval("shd"), [line, line], color=colour, linewidth=2)
        left.plot([chosen.mean("shd")], [line], color=colour, marker=marker, markersize=6)
        seconds = chosen.values("seconds")
        right.plot(bootstrapped(seconds, middle=np.median), [line, line], color=colour, linewidth=2)
        right.plot([np.median(seconds)], [line], color=colour, marker=marker, markersize=6)
    others = [row["status"] for row in chosen.rows if row["status"] != "ok"]
    said = ", ".join(f"{others.count(one)} × {one}" for one in sorted(set(others)))
    place = {"transform": right.get_yaxis_transform(), "va": "center"}
    right.text(1.01, line, said, fontsize=7, color="#6b6b6b", **place)


DRAW: dict[str, Draw] = {
    "main": main,
    "failure": failure,
    "score-shd": score_shd,
    "runtime": runtime,
    "rows": rows,
    "alpha": alpha,
    "edges": edges,
    "precision-recall": precision_recall,
    "score-difference": score_difference,
    "grid": grid,
    "evaluations": evaluations,
    "ops": ops,
    "double-descent": double_descent,
    "noise": noise,
    "negative": negative,
    "missed-insert": lambda _: missed_insert.draw(),
    "peers": peers,
}


def save(key: str, sample: Sample, path: Path) -> None:
    """Draw a figure into a file; the same rows give the same bytes."""
    with mpl.rc_context(RC):
        stamp = {"Date": None} if path.suffix == ".svg" else {}
        DRAW[key](sample).savefig(path, metadata=stamp, dpi=110)
