"""XGES with its refinement beside FLOP and BOSS, on data sets drawn for this run.

``python benchmarks/rivals.py [--seeds 25] [--boss 5] [--large 2] [--save]`` prints what this run
measured. CPU seconds of one thread each, in turn on the same tables.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from greedag import CPDAG, Moments, _core, exact, learn, metrics
from greedag.simulate import Simulation, linear_gaussian

sys.path.insert(0, str(Path(__file__).parent / "speed"))
from peers import PEERS, python_of
from report import Section, parser, publish, table

SMALL = ((25, 3), (25, 4), (50, 3), (50, 4))
LARGE = ((100, 3), (200, 2))
ROWS, ALPHA, FIRST_SEED, SLOW = 10_000, 2.0, 92_000, 600.0
DRIVER = Path(__file__).with_name("effort_driver.py")


@dataclass(frozen=True, slots=True)
class Reached:
    """What one method reached on one data set."""

    score: float
    shd: int
    seconds: float


class Table:
    """One data set, and methods on it."""

    def __init__(self, d: int, rho: int, seed: int) -> None:
        self.drawn: Simulation = linear_gaussian(d, rho, ROWS, seed=seed)
        self.moments = Moments.from_data(self.drawn.data)
        self.score = _core.GaussianBic(
            self.moments.correlation, self.moments.log_variances, ROWS, ALPHA
        )

    def ours(self, effort: float, time_limit: float | None = None) -> Reached:
        """XGES from the rows, reading them included."""
        start = time.process_time()
        result = learn(self.drawn.data, alpha=ALPHA, effort=effort, time_limit=time_limit)
        seconds = time.process_time() - start
        return Reached(result.score, metrics.shd(result.cpdag, self.drawn.cpdag), seconds)

    def rival(self, name: str, python: str) -> Reached:
        """FLOP or BOSS."""
        with tempfile.TemporaryDirectory() as folder:
            rows, matrix = Path(folder) / "rows.npy", Path(folder) / "matrix.npy"
            np.save(rows, self.drawn.data)
            command = [python, str(DRIVER), name, str(rows), str(matrix)]
            done = subprocess.run(
                command, check=True, stdout=subprocess.PIPE, text=True, timeout=SLOW
            )
            return self._judged(
                np.load(matrix), json.loads(done.stdout.splitlines()[-1])["seconds"]
            )

    def _judged(self, matrix: NDArray[np.uint8], seconds: float) -> Reached:
        cpdag = CPDAG.from_matrix(matrix)
        score = self.score.of_dag(cpdag.to_dag())
        return Reached(score, metrics.shd(cpdag, self.drawn.cpdag), seconds)


def at_least(ours: list[Reached], theirs: list[Reached]) -> str:
    """On how many data sets ours scores at least what theirs does."""
    reached = sum(
        a.score >= b.score - 1e-9 * abs(b.score) for a, b in zip(ours, theirs, strict=True)
    )
    return f"{reached} of {len(ours)}"


def mean(values: Iterator[float]) -> float:
    """Mean, for any iterator."""
    return statistics.mean(values)


def shown(runs: list[Reached]) -> str:
    """SHD and seconds."""
    return f"{mean(r.shd for r in runs):.1f} / {mean(r.seconds for r in runs):.3f}"


def against_flop(grid: tuple[tuple[int, int], ...], seeds: int, flop: str) -> Iterator[list[str]]:
    """A row for each size: XGES beside FLOP with 20 and 100 restarts."""
    for d, rho in grid:
        runs: dict[str, list[Reached]] = {name: [] for name in ("0", "1", "limit", "20", "100")}
        for seed in range(FIRST_SEED, FIRST_SEED + (seeds if d < 50 else (seeds + 1) // 2)):
            drawn = Table(d, rho, seed)
            runs["0"].append(drawn.ours(0.0))
            runs["1"].append(drawn.ours(1.0))
            runs["20"].append(drawn.rival("flop-20", flop))
            runs["100"].append(drawn.rival("flop-100", flop))
            # What the default has reached already needs no more time.
            is_there = runs["1"][-1].score >= runs["100"][-1].score
            limit = runs["100"][-1].seconds
            runs["limit"].append(runs["1"][-1] if is_there else drawn.ours(float("inf"), limit))
        ratio = mean(r.seconds for r in runs["1"]) / mean(r.seconds for r in runs["20"])
        tenth = mean(r.seconds for r in runs["1"]) / mean(r.seconds for r in runs["100"])
        yield [
            f"{d}, {rho}",
            at_least(runs["0"], runs["100"]),
            at_least(runs["1"], runs["100"]),
            at_least(runs["limit"], runs["100"]),
            *(shown(runs[name]) for name in ("0", "1", "20", "100")),
            f"{ratio:.2f} / {tenth:.3f}",
        ]
        print(f"FLOP, d = {d}, rho = {rho} done", file=sys.stderr, flush=True)


def against_boss(seeds: int, boss: str) -> Iterator[list[str]]:
    """A row for each size: XGES beside BOSS."""
    for d, rho in SMALL:
        ours, theirs = [], []
        for seed in range(FIRST_SEED, FIRST_SEED + seeds):
            drawn = Table(d, rho, seed)
            ours.append(drawn.ours(1.0))
            theirs.append(drawn.rival("boss", boss))
        above = mean(a.score - b.score for a, b in zip(ours, theirs, strict=True))
        ratio = mean(r.seconds for r in ours) / mean(r.seconds for r in theirs)
        yield [f"{d}, {rho}", f"{above:+.1f}", shown(ours), shown(theirs), f"1/{1 / ratio:.0f}"]
        print(f"BOSS, d = {d}, rho = {rho} done", file=sys.stderr, flush=True)


def against_optimum(seeds: int) -> Iterator[list[str]]:
    """A row for each small size: how often the default finds the best class of all."""
    for d, rho, n in ((8, 2, 500), (10, 2, 500), (10, 3, 10_000), (12, 2, 500), (12, 3, 10_000)):
        found = {0.0: 0, 1.0: 0}
        for seed in range(FIRST_SEED, FIRST_SEED + seeds):
            moments = Moments.from_data(linear_gaussian(d, rho, n, seed=seed).data)
            best = exact(moments, alpha=ALPHA).score
            for effort in found:
                score = learn(moments, alpha=ALPHA, effort=effort).score
                found[effort] += score >= best - 1e-9 * abs(best)
        yield [f"{d}, {rho}", f"{n:,}", *(f"{count} of {seeds}" for count in found.values())]


def main() -> None:
    """Measure and publish."""
    options = parser(__doc__)
    options.add_argument(
        "--seeds", type=int, default=25, help="data sets a size beside FLOP; half from d = 50"
    )
    options.add_argument("--boss", type=int, default=5, help="data sets a size beside BOSS")
    options.add_argument("--large", type=int, default=2, help="data sets of 100 and 200 columns")
    chosen = options.parse_args()
    pythons = {peer.name: python_of(peer) for peer in PEERS if peer.name != "ges"}
    flop_header = [
        *("d, ρ", "effort 0 ≥ FLOP100", "default ≥ FLOP100", "in FLOP100's time"),
        *("effort 0", "default", "FLOP20", "FLOP100", "time to FLOP20 / FLOP100"),
    ]
    lines = [
        f"Seeds from {FIRST_SEED}, n = {ROWS:,}, alpha {ALPHA:g}. Cells of methods: mean SHD / "
        "mean CPU seconds, ours with reading the rows. In FLOP100's time, only tables on which the "
        "default scored less than FLOP100 were searched again.",
        "",
        *table(flop_header, against_flop(SMALL, chosen.seeds, pythons["flopsearch"])),
        *(list(against_flop_lines(chosen.large, pythons["flopsearch"])) if chosen.large else []),
        "",
        "BOSS is causal-learn's.",
        "",
        *table(
            ["d, ρ", "score above BOSS", "default", "BOSS", "time"],
            against_boss(chosen.boss, pythons["causal-learn"]),
        ),
        "",
        "The best class of all, by `greedag.exact`:",
        "",
        *table(["d, ρ", "n", "effort 0", "default"], against_optimum(4 * chosen.seeds)),
    ]
    publish(Section("rivals", "Beside FLOP, BOSS and the optimum", lines, None), save=chosen.save)


def against_flop_lines(seeds: int, flop: str) -> Iterator[str]:
    """The rows of the larger sizes."""
    for cells in against_flop(LARGE, seeds, flop):
        yield "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
