"""The numbers behind each figure, as tables of Markdown."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from paper import missed_insert
from paper.numbers import difference, figure, mean_and_interval, paired, places, table_of_means
from paper.sample import Floats, Sample
from paper.style import in_order
from speed.report import table

Lines = list[str]
BY_SIZE = ("d", "rho")


def _without(sample: Sample, *methods: str) -> Sample:
    return Sample.of(row for row in sample.rows if row["method"] not in methods)


def main(sample: Sample) -> Lines:
    parts = ((d, rho, sample.where(d=d, rho=rho)) for d, rho in places(sample))
    gaps = "; ".join(
        f"d = {d}, ρ = {rho:g}: {difference(paired(part, 'XGES', 'FLOP', 'shd'))}"
        for d, rho, part in parts
    )
    flop = f"XGES minus FLOP (20 restarts) in SHD: {gaps}."
    return [
        *table_of_means(_without(sample, "OPS"), "shd", BY_SIZE),
        "",
        flop,
        *wrong_effects(sample),
    ]


def wrong_effects(sample: Sample) -> Lines:
    """Return the table of the distances between effects, of methods that it was measured for."""
    judged = Sample.of(row for row in sample.rows if "aid" in row)
    if not judged.rows:
        return []
    found = table_of_means(_without(judged, "OPS"), "wrong effects", BY_SIZE)
    left_out = sorted(set(sample.levels("method")) - set(judged.levels("method")))
    without = f" (not measured for {', '.join(left_out)})" if left_out else ""
    return ["", f"AID, the effects that come out wrong, in % of all{without}:", "", *found]


def failure(sample: Sample) -> Lines:
    lines = []
    for d, rho in places(sample):
        cells = [f"{d}, {rho:g}"]
        for method in ("GES", "XGES"):
            part = sample.where(d=d, rho=rho, method=method)
            gaps = part.values("score above truth a column")
            cells += [
                mean_and_interval(part, "score above truth a column"),
                f"{np.count_nonzero(gaps < 0)} of {len(gaps)}",
                mean_and_interval(part, "edge ratio"),
            ]
        lines.append(cells)
    header = [f"{q}, {m}" for m in ("GES", "XGES") for q in ("ΔS", "ΔS < 0", "ζ")]
    return table(["d, ρ", *header], lines)


def _rank_correlation(first: Floats, second: Floats) -> float:
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
    parts = (sample.where(seed=seed) for seed in sample.levels("seed"))
    found = [_rank_correlation(p.values("score above truth"), p.values("shd")) for p in parts]
    within = [value for value in found if not math.isnan(value)]
    return [
        "Rank correlation of score and SHD between the methods on one data set: "
        f"{np.mean(within):.2f} on average over {len(within)} data sets, from {min(within):.2f} to "
        f"{max(within):.2f}.",
    ]


def runtime(sample: Sample) -> Lines:
    methods = in_order(sample.levels("method"))
    lines = []
    for d, rho in sorted(places(sample), key=lambda place: (place[1], place[0])):
        part = sample.where(d=d, rho=rho)
        seconds = [part.where(method=name).values("seconds") for name in methods]
        cells = [f"{np.median(found):.2g}" if len(found) else "–" for found in seconds]
        lines.append([f"{d}, {rho:g}", *cells])
    return ["Median seconds:", "", *table(["d, ρ", *methods], lines)]


def edges(sample: Sample) -> Lines:
    truth = figure(sample.where(n=10_000, alpha=2.0).mean("true_edges"))
    by_rows = table_of_means(sample.where(alpha=2.0), "edges", ("n",))
    by_penalty = table_of_means(sample.where(n=10_000), "edges", ("alpha",))
    return [f"The true graphs have {truth} edges on average.", "", *by_rows, "", *by_penalty]


def precision_recall(sample: Sample) -> Lines:
    lines: Lines = []
    for quantity, name in (("precision", "Precision"), ("recall", "Recall"), ("f1", "F1")):
        lines += [f"{name}:", "", *table_of_means(_without(sample, "OPS"), quantity, BY_SIZE), ""]
    return lines[:-1]


def score_difference(sample: Sample) -> Lines:
    below = "; ".join(
        f"{name} {np.count_nonzero(sample.where(method=name).values('score above truth') < -1e-3)}"
        for name in in_order(sample.levels("method"))
    )
    return [
        f"Data sets on which a method ends below the true graph's score, of "
        f"{len(sample.where(method='XGES').rows)}: {below}.",
        "",
        *table_of_means(_without(sample, "OPS"), "score above truth", BY_SIZE),
    ]


def peers(sample: Sample) -> Lines:
    lines = []
    for d, rho in places(sample):
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


def _means(*along: str, quantity: str = "shd") -> Callable[[Sample], Lines]:
    return lambda sample: table_of_means(sample, quantity, along)


FIND: dict[str, Callable[[Sample], Lines]] = {
    "main": main,
    "failure": failure,
    "score-shd": score_shd,
    "runtime": runtime,
    "rows": _means("n"),
    "alpha": _means("alpha"),
    "edges": edges,
    "precision-recall": precision_recall,
    "score-difference": score_difference,
    "grid": _means("d", "rho"),
    "evaluations": _means("d", "rho", quantity="evaluations"),
    "ops": _means("d", "rho"),
    "double-descent": _means("d", "rho", "n"),
    "noise": _means("rho", "noise_max"),
    "negative": _means("d", "rho"),
    "missed-insert": lambda _: missed_insert.lines(),
    "peers": peers,
}
