"""Seconds of XGES on one thread and on two, in turn, in one run.

``python benchmarks/speed/threads.py [--save]``. On a machine whose cores are busy with other
things the ratio says more about those.
"""

from __future__ import annotations

from typing import Any

from greedag import Moments, learn
from greedag.simulate import linear_gaussian
from report import Section, parser, publish, table

SIZES = ((100, 3), (200, 2), (200, 3), (200, 4), (500, 2), (500, 3), (1000, 2), (2000, 2))
ROWS, SEED, JOBS, ROUNDS = 10_000, 8_000, 2, 7


def measure(d: int, rho: int) -> dict[str, Any]:
    """Return the least seconds of several rounds on each number of threads."""
    moments = Moments.from_data(linear_gaussian(d, rho, ROWS, seed=SEED).data)
    runs: dict[int, list[float]] = {1: [], JOBS: []}
    scores = set()
    for _ in range(ROUNDS):
        for jobs, seconds in runs.items():
            result = learn(moments, effort=0, n_jobs=jobs)
            seconds.append(result.timings["search"])
            scores.add((result.score, result.trace))
    if len(scores) != 1:
        raise RuntimeError(f"d = {d}, ρ = {rho}: the outcome depends on the number of threads")
    return {"d": d, "rho": rho, "one": min(runs[1]), "several": min(runs[JOBS])}


def section(found: list[dict[str, Any]]) -> Section:
    """Return the table of ratios."""
    about = (
        f"Seconds in the search, n = {ROWS:,}, least of {ROUNDS} rounds that take turns. Scores "
        "and traces were compared and are the same to the last bit."
    )
    header = ["d, ρ", "one thread, s", f"{JOBS} threads, s", "ratio"]
    rows = [
        [
            f"{at['d']}, {at['rho']}",
            f"{at['one']:.4f}",
            f"{at['several']:.4f}",
            f"{at['one'] / at['several']:.2f}",
        ]
        for at in found
    ]
    return Section("threads", "XGES on two threads", [about, "", *table(header, rows)], found)


def main() -> None:
    """Measure and publish."""
    chosen = parser(__doc__).parse_args()
    publish(section([measure(d, rho) for d, rho in SIZES]), save=chosen.save)


if __name__ == "__main__":
    main()
