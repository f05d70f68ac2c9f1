"""What the rows say about each claim of the paper, in sentences and tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from paper import missed_insert
from paper.numbers import (
    difference,
    figure,
    mean_and_interval,
    paired,
    power,
    table_of_means,
)
from paper.sample import Sample, bootstrapped
from paper.style import in_order
from speed.report import table

Lines = list[str]
ORDERING = ("XGES", "XGES-0", "GES-r", "GES")
"""Best first, as the paper has it."""


def _places(sample: Sample) -> list[tuple[int, float]]:
    return sorted({(row["d"], row["rho"]) for row in sample.rows})


def ordering(sample: Sample) -> Lines:
    """Where XGES ≤ XGES-0 ≤ GES-r ≤ GES holds in mean SHD, and how surely."""
    broken, unsure = [], []
    for d, rho in _places(sample):
        part = sample.where(d=d, rho=rho)
        for better, worse in pairwise(ORDERING):
            gaps = paired(part, better, worse, "shd")
            place = f"{better} against {worse} at d = {d}, ρ = {rho:g} ({difference(gaps)})"
            if gaps.mean() > 0:
                broken.append(place)
            elif bootstrapped(gaps)[1] >= 0:
                unsure.append(place)
    steps = 3 * len(_places(sample))
    held = steps - len(broken)
    lines = [
        f"XGES ≤ XGES-0 ≤ GES-r ≤ GES in mean SHD: {held} of {steps} comparisons "
        f"({len(_places(sample))} settings, three each) go that way."
    ]
    if broken:
        lines.append(f"The other way: {'; '.join(broken)}.")
    if unsure:
        lines.append(f"That way, but with 0 within the interval: {'; '.join(unsure)}.")
    return [" ".join(lines)]


def main(sample: Sample) -> Lines:
    shown = Sample.of(row for row in sample.rows if row["method"] != "OPS")
    flop = f"XGES minus FLOP (20 restarts) in SHD: {_by_place(sample, 'XGES', 'FLOP')}."
    return [*ordering(sample), "", *table_of_means(shown, "shd", ("d", "rho")), "", flop]


def _by_place(sample: Sample, first: str, second: str) -> str:
    """Differences of SHD between two methods on the same data, by size."""
    parts = ((d, rho, sample.where(d=d, rho=rho)) for d, rho in _places(sample))
    return "; ".join(
        f"d = {d}, ρ = {rho:g}: {difference(paired(part, first, second, 'shd'))}"
        for d, rho, part in parts
    )


def failure(sample: Sample) -> Lines:
    ges = sample.where(method="GES")
    lines = []
    for d, rho in _places(ges):
        part = ges.where(d=d, rho=rho)
        gaps = part.values("score above truth a column")
        below = f"{np.count_nonzero(gaps < 0)} of {len(gaps)}"
        shares = [mean_and_interval(part, "score above truth a column"), below]
        lines.append([f"{d}, {rho:g}", *shares, mean_and_interval(part, "edge ratio")])
    gaps, ratios = ges.values("score above truth a column"), ges.values("edge ratio")
    xges = sample.where(method="XGES").values("score above truth a column")
    return [
        f"GES ends below the true graph's score on {np.count_nonzero(gaps < 0)} of {len(gaps)} "
        f"data sets, and has more edges than the truth on {np.count_nonzero(ratios > 1)}. XGES "
        f"ends below it on {np.count_nonzero(xges < 0)} of {len(xges)}.",
        "",
        *table(["d, ρ", "ΔS of GES", "ΔS < 0", "ζ of GES"], lines),
    ]


def _rank_correlation(first: np.ndarray, second: np.ndarray) -> float:  # type: ignore[type-arg]
    """Spearman's, ties by their mean rank."""
    ranks = []
    for values in (first, second):
        order = np.sort(values)
        low, high = (np.searchsorted(order, values, side=side) for side in ("left", "right"))
        ranks.append((low + high - 1) / 2)
    if np.ptp(ranks[0]) == 0 or np.ptp(ranks[1]) == 0:
        return math.nan
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def score_shd(sample: Sample) -> Lines:
    within = [
        _rank_correlation(part.values("score above truth"), part.values("shd"))
        for part in (sample.where(seed=seed) for seed in sample.levels("seed"))
    ]
    within = [value for value in within if not math.isnan(value)]
    pooled = _rank_correlation(sample.values("score above truth"), sample.values("shd"))
    return [
        f"Rank correlation of score and SHD between the methods on one data set: "
        f"{np.mean(within):.2f} on average over {len(within)} data sets (lowest "
        f"{min(within):.2f}, highest {max(within):.2f}); {pooled:.2f} over all rows together, "
        "with scores counted from the true graph's.",
    ]


def runtime(sample: Sample) -> Lines:
    methods = in_order(sample.levels("method"))
    lines = []
    for d, rho in sorted(_places(sample), key=lambda place: (place[1], place[0])):
        part = sample.where(d=d, rho=rho)
        seconds = {name: part.where(method=name).values("seconds") for name in methods}
        medians = {name: float(np.median(s)) for name, s in seconds.items() if len(s)}
        ratios = [f"{medians['GES'] / medians[name]:.2g}" for name in ("XGES-0", "XGES")]
        cells = [f"{medians[name]:.2g}" if name in medians else "–" for name in methods]
        lines.append([f"{d}, {rho:g}", *cells, *ratios])
    header = ["d, ρ", *methods, "GES / XGES-0", "GES / XGES"]
    return ["Median seconds, and ratios of them:", "", *table(header, lines)]


def evaluations(sample: Sample) -> Lines:
    ratios = []
    for d, rho in _places(sample):
        part = sample.where(d=d, rho=rho)
        ratios.append(
            part.where(method="XGES").mean("evaluations")
            / part.where(method="XGES-0").mean("evaluations")
        )
    ours = Sample.of(row for row in sample.rows if row["method"] != "FLOP")
    return [
        f"XGES looks at {min(ratios):.1f} to {max(ratios):.1f} times as many gains as XGES-0.",
        "",
        *table_of_means(ours, "evaluations", ("d", "rho")),
    ]


def _course(sample: Sample, method: str, setting: str) -> str:
    part = sample.where(method=method)
    levels = part.levels(setting)
    means = [part.where(**{setting: value}).mean("shd") for value in levels]
    best = int(np.nanargmin(means))
    say = power if setting == "n" else figure
    return (
        f"{method}: {figure(means[0])} at {say(levels[0])}, lowest {figure(means[best])} at "
        f"{say(levels[best])}, {figure(means[-1])} at {say(levels[-1])}"
    )


def rows(sample: Sample) -> Lines:
    courses = "; ".join(_course(sample, name, "n") for name in in_order(sample.levels("method")))
    return [f"Mean SHD. {courses}.", "", *table_of_means(sample, "shd", ("n",))]


def double_descent(sample: Sample) -> Lines:
    return [*(_descents(sample, name) for name in ("GES", "GES-r", "XGES")), *rows(sample)[1:]]


def _descents(sample: Sample, method: str) -> str:
    """Say whether mean SHD falls, rises and falls again, with intervals on paired seeds."""
    part = sample.where(method=method)
    levels = part.levels("n")
    values = {n: part.where(n=n).values("shd") for n in levels}
    means = {n: float(v.mean()) for n, v in values.items()}
    best, ends = 0.0, None
    for peak in levels[1:-1]:
        dip = min((n for n in levels if n < peak), key=means.__getitem__)
        low = min((n for n in levels if n > peak), key=means.__getitem__)
        size = min(means[peak] - means[dip], means[peak] - means[low])
        if size > best:
            best, ends = size, (dip, peak, low)
    if ends is None:
        return f"- {method}: no rise of mean SHD with n that is followed by a fall."
    dip, peak, low = ends
    up, down = values[peak] - values[dip], values[low] - values[peak]
    sure = bootstrapped(up)[0] > 0 and bootstrapped(down)[1] < 0
    word = "a double descent" if sure else "no double descent beyond chance"
    return (
        f"- {method}: {word}. Mean SHD {figure(means[dip])} at n = {power(dip)}, "
        f"{figure(means[peak])} at {power(peak)} ({difference(up)} on the same models), "
        f"{figure(means[low])} at {power(low)} ({difference(down)})."
    )


def alpha(sample: Sample) -> Lines:
    courses = "; ".join(_course(sample, n, "alpha") for n in in_order(sample.levels("method")))
    best = {
        name: min(
            sample.where(method=name, alpha=value).mean("shd") for value in sample.levels("alpha")
        )
        for name in ("GES", "XGES")
    }
    return [
        f"Mean SHD. {courses}. GES at its best α has {figure(best['GES'])}, XGES at its "
        f"best {figure(best['XGES'])}.",
        "",
        *table_of_means(sample, "shd", ("alpha",)),
    ]


def edges(sample: Sample) -> Lines:
    by_rows = sample.where(alpha=2.0)
    first, last = by_rows.levels("n")[0], by_rows.levels("n")[-1]
    said = "; ".join(
        f"{name} {figure(by_rows.where(method=name, n=first).mean('edges'))} → "
        f"{figure(by_rows.where(method=name, n=last).mean('edges'))}"
        for name in in_order(sample.levels("method"))
    )
    truth = figure(by_rows.mean("true_edges"))
    return [
        f"Mean number of edges from n = {power(first)} to {power(last)}: {said}; the true "
        f"graphs have {truth}.",
        "",
        *table_of_means(by_rows, "edges", ("n",)),
        "",
        *table_of_means(sample.where(n=10_000), "edges", ("alpha",)),
    ]


def precision_recall(sample: Sample) -> Lines:
    shown = Sample.of(row for row in sample.rows if row["method"] != "OPS")
    lines = []
    for quantity in ("precision", "recall", "f1"):
        best = sum(_is_best(shown.where(d=d, rho=rho), quantity) for d, rho in _places(shown))
        lines.append(f"{quantity} {best}")
    settings = len(_places(shown))
    return [
        f"Of {settings} settings, XGES has the highest mean of the paper's methods in: "
        f"{', '.join(lines)}.",
        "",
        "F1:",
        "",
        *table_of_means(shown, "f1", ("d", "rho")),
    ]


def _is_best(sample: Sample, quantity: str) -> bool:
    means = {name: sample.where(method=name).mean(quantity) for name in sample.levels("method")}
    means.pop("FLOP", None)
    return max(means, key=means.__getitem__).startswith("XGES") and means["XGES"] >= max(
        means.values()
    )


def score_difference(sample: Sample) -> Lines:
    shown = Sample.of(row for row in sample.rows if row["method"] != "OPS")
    gaps = paired(sample, "XGES", "GES", "score above truth")
    xges = sample.where(method="XGES").values("score above truth")
    return [
        f"XGES scores higher than GES on {np.count_nonzero(gaps > 1e-3)} of {len(gaps)} data "
        f"sets, lower on {np.count_nonzero(gaps < -1e-3)}; it ends below the true graph's score on "
        f"{np.count_nonzero(xges < -1e-3)}. Mean score above the true graph's:",
        "",
        *table_of_means(shown, "score above truth", ("d", "rho")),
    ]


def grid(sample: Sample) -> Lines:
    sparse = sample.where(rho=1)
    gaps = paired(sparse, "XGES", "GES", "shd")
    dense = [
        f"ρ = {rho:g}: {difference(paired(sample.where(rho=rho), 'XGES', 'GES', 'shd'))}"
        for rho in sample.levels("rho")[1:]
    ]
    return [
        f"XGES minus GES in SHD on the same data. ρ = 1: {difference(gaps)}; {'; '.join(dense)}.",
        "",
        *table_of_means(sample, "shd", ("d", "rho")),
    ]


def ops(sample: Sample) -> Lines:
    return [
        f"OPS minus GES in SHD: {_by_place(sample, 'OPS', 'GES')}.",
        "",
        f"OPS minus XGES-0: {_by_place(sample, 'OPS', 'XGES-0')}.",
        "",
        *table_of_means(
            Sample.of(r for r in sample.rows if r["method"] in ("GES", "OPS", "XGES-0", "XGES")),
            "shd",
            ("d", "rho"),
        ),
    ]


def noise(sample: Sample) -> Lines:
    levels = sample.levels("noise_max")
    said = []
    for name in in_order(sample.levels("method")):
        first = sample.where(method=name, noise_max=levels[0])
        last = sample.where(method=name, noise_max=levels[-1])
        said.append(f"{name} {figure(first.mean('shd'))} → {figure(last.mean('shd'))}")
    return [
        f"Mean SHD from ε_max = {levels[0]:g} to {levels[-1]:g}: {'; '.join(said)}.",
        "",
        *table_of_means(sample, "shd", ("rho", "noise_max")),
    ]


def negative(sample: Sample) -> Lines:
    return [*ordering(sample), "", *table_of_means(sample, "shd", ("d", "rho"))]


def peers(sample: Sample) -> Lines:
    lines = []
    for d, rho in _places(sample):
        part = sample.where(d=d, rho=rho)
        for name in in_order(part.levels("method")):
            lines.append([f"{d}, {rho:g}", name, *_peer_cells(part.where(method=name))])
    header = ["d, ρ", "method", "SHD", "score above truth", "median s", "ended", "else"]
    return table(header, lines)


def _peer_cells(part: Sample) -> list[str]:
    ended = part.ended()
    statuses = [row["status"] for row in part.rows if row["status"] != "ok"]
    counts = ", ".join(f"{s} × {statuses.count(s)}" for s in sorted(set(statuses)))
    seconds = figure(float(np.median(ended.values("seconds")))) if ended.rows else "–"
    return [
        mean_and_interval(part, "shd"),
        mean_and_interval(part, "score above truth"),
        seconds,
        f"{len(ended.rows)} of {len(part.rows)}",
        counts,
    ]


FIND: dict[str, Callable[[Sample], Lines]] = {
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
    "missed-insert": lambda _: missed_insert.lines(),
    "peers": peers,
}
