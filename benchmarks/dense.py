"""The default on tables driven by hidden factors, whose graphs are dense, beside FLOP.

``python benchmarks/dense.py [--seeds 5] [--cases 10x1 20x1 … 100x3] [--save]``: columns × factors.
CPU seconds of one thread each, in turn on the same rows. FLOP has no restarts, and draws its own
order, so that its class differs from run to run. It is installed into an environment of its own, as
by benchmarks/speed/peers.py.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from greedag import CPDAG, Moments, _core, learn

sys.path.insert(0, str(Path(__file__).parent / "speed"))
from peers import PEERS, python_of
from report import Section, parser, publish, table

CASES = ("10x1", "20x1", "50x1", "100x1", "200x1", "30x3", "100x3")
ROWS, ALPHA = 10_000, 2.0
DRIVER = Path(__file__).with_name("effort_driver.py")


@dataclass(frozen=True, slots=True)
class Run:
    """The default and FLOP on one table: CPU seconds, and how far our score is above FLOP's."""

    seconds: float
    flop_seconds: float
    above: float


def factor_rows(d: int, factors: int, seed: int) -> NDArray[np.float64]:
    """Each column a sum of the factors, weighted by U(0.5, 1.5), plus unit noise."""
    rng = np.random.default_rng(seed)
    loadings = rng.uniform(0.5, 1.5, (factors, d))
    return rng.normal(size=(ROWS, factors)) @ loadings + rng.normal(size=(ROWS, d))


def flop(rows: NDArray[np.float64], python: str) -> tuple[CPDAG, float]:
    """Return the class that FLOP finds without restarts, and its CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        stored, matrix = Path(folder) / "rows.npy", Path(folder) / "matrix.npy"
        np.save(stored, rows)
        command = [python, str(DRIVER), "flop-0", str(stored), str(matrix)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        said = json.loads(done.stdout.splitlines()[-1])
        return CPDAG.from_matrix(np.load(matrix)), said["seconds"]


def compared(d: int, factors: int, seed: int, python: str) -> Run:
    """Run both on one table, ours with reading the rows."""
    rows = factor_rows(d, factors, seed)
    started = time.process_time()
    result = learn(rows, alpha=ALPHA)
    seconds = time.process_time() - started
    theirs, flop_seconds = flop(rows, python)
    moments = Moments.from_data(rows)
    score = _core.GaussianBic(moments.correlation, moments.log_variances, ROWS, ALPHA)
    run = Run(seconds, flop_seconds, result.score - score.of_dag(theirs.to_dag()))
    print(f"d {d}, factors {factors}, seed {seed}: {run}", file=sys.stderr, flush=True)
    return run


def cells(case: str, runs: list[Run]) -> list[str]:
    """Return a row of the table."""
    d, _, factors = case.partition("x")
    ours, theirs = (statistics.mean(times) for times in zip(*map(_times, runs), strict=True))
    above = [run.above for run in runs]
    return [
        f"{d}, {factors}",
        f"{ours:.3f}",
        f"{theirs:.3f}",
        f"{theirs / ours:.2f}",
        f"{statistics.mean(above):+.2f}",
        f"{min(above):+.2f} to {max(above):+.2f}",
    ]


def _times(run: Run) -> tuple[float, float]:
    return run.seconds, run.flop_seconds


def main() -> None:
    """Measure and publish."""
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=5, help="tables a case")
    options.add_argument("--cases", nargs="+", default=list(CASES), help="columns x factors")
    chosen = options.parse_args()
    python = python_of(next(peer for peer in PEERS if peer.name == "flopsearch"))
    learn(factor_rows(4, 1, 0), alpha=ALPHA)  # FLOP is imported before its clock starts, too
    found: dict[str, list[Run]] = {}
    for case in chosen.cases:
        d, factors = map(int, case.split("x"))
        found[case] = [compared(d, factors, seed, python) for seed in range(chosen.seeds)]
    about = (
        "Columns that hidden factors drive: sums of the factors, weighted by U(0.5, 1.5), plus "
        f"unit noise; n = {ROWS:,}, alpha {ALPHA:g}, seeds 0 to {chosen.seeds - 1}. Means of CPU "
        "seconds from the rows on, of `learn` with its defaults (XGES, effort 1) and of FLOP "
        "without restarts; ratio: FLOP's over greedag's. Score: of greedag's class minus that of "
        "FLOP's, mean and range."
    )
    header = ["columns, factors", "greedag, s", "FLOP, s", "ratio", "score", "range"]
    lines = [about, "", *table(header, [cells(case, runs) for case, runs in found.items()])]
    data = {case: [asdict(run) for run in runs] for case, runs in found.items()}
    publish(Section("dense", "On dense tables", lines, data), save=chosen.save)


if __name__ == "__main__":
    main()
