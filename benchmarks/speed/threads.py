"""How much sooner XGES ends on two threads than on one, alone and with its refinement.

``python benchmarks/speed/threads.py [--save]``. On a machine whose cores are busy with other
things the ratios say more about those, so a last column tells what the machine itself allows.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any

from greedag import Moments, Result, learn
from greedag.simulate import linear_gaussian
from report import Section, parser, publish, table

SIZES = ((100, 3), (200, 2), (200, 3), (200, 4), (500, 2), (500, 3), (1000, 2), (2000, 2))
EFFORTS = {"default": 1.0, "effort 0": 0.0}
ROWS, SEEDS, SECONDS, LEAST_ROUNDS = 10_000, (8_000, 8_001), 12.0, 7


def rounds(moments: Moments, effort: float) -> list[tuple[float, float, float]]:
    """Time the search on one thread, on two, and two of one thread at once, in turn."""
    outcomes: list[Result] = []

    def search(jobs: int) -> float:
        outcomes.append(learn(moments, effort=effort, n_jobs=jobs))
        return outcomes[-1].timings["search"]

    found: list[tuple[float, float, float]] = []
    end = time.monotonic() + SECONDS
    with ThreadPoolExecutor(2) as pool:
        while time.monotonic() < end or len(found) < LEAST_ROUNDS:
            found.append((search(1), search(2), max(pool.map(search, (1, 1)))))
    if any(outcome != outcomes[0] for outcome in outcomes):
        raise RuntimeError("the outcome depends on the number of threads")
    return found


def measure(d: int, rho: int) -> dict[str, Any]:
    """Return the medians of all rounds at one size."""
    row: dict[str, Any] = {"d": d, "rho": rho}
    limits = []
    for name, effort in EFFORTS.items():
        times = []
        for seed in SEEDS:
            moments = Moments.from_data(linear_gaussian(d, rho, ROWS, seed=seed).data)
            times += rounds(moments, effort)
        limits += [2.0 * one / at_once for one, _, at_once in times]
        row[name] = {
            "seconds": median(one for one, _, _ in times),
            "ratio": median(one / two for one, two, _ in times),
            "rounds": len(times),
        }
    return {**row, "limit": median(limits)}


def section(found: list[dict[str, Any]]) -> Section:
    """Return the table of ratios."""
    about = (
        f"Seconds in the search, n = {ROWS:,}, {len(SEEDS)} data sets a row; the default "
        "(XGES, effort 1) and XGES alone (effort 0). A round runs one thread, two threads, and "
        "two searches of one thread at the same time; ratios are medians over the rounds. The "
        "limit is how much two independent searches bring on this machine. All outcomes were "
        "compared and are the same to the last bit."
    )
    header = ["d, ρ"]
    for name in EFFORTS:
        header += [f"{name}: one thread, s", "two threads", "rounds"]
    rows = []
    for at in found:
        cells = [f"{at['d']}, {at['rho']}"]
        for name in EFFORTS:
            cells += [
                f"{at[name]['seconds']:.4f}",
                f"{at[name]['ratio']:.2f}x",
                str(at[name]["rounds"]),
            ]
        rows.append([*cells, f"{at['limit']:.2f}x"])
    lines = [about, "", *table([*header, "limit"], rows)]
    return Section("threads", "XGES on two threads", lines, found)


def main() -> None:
    """Measure and publish."""
    chosen = parser(__doc__).parse_args()
    publish(section([measure(d, rho) for d, rho in SIZES]), save=chosen.save)


if __name__ == "__main__":
    main()
