"""Exact posteriors: seconds, memory, and how far they are from other sums over the same DAGs.

``python benchmarks/posterior.py [--columns 5 8 12 16 20] [--peer PYTHON] [--save]``. Up to five
columns, every DAG is listed. From eight to sixteen, `sumu` (PyPI) gets the same local scores, with
the interpreter that ``--peer`` names; its ``aps`` sums with a uniform prior. Each run is a process
of its own, so that its memory can be told.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag import _core, posterior, simulate
from greedag._options import DataOptions
from greedag.scores import BGe
from greedag.scores.select import prepare
from speed.report import Section, parser, publish, table

SCORE = BGe(edge_penalty=0.0)
PARENTS, ROWS, SEED = 2.0, 200, 9_000
MOST_LISTED = 5
PEER = """
import json, sys, time
import numpy as np
import sumu
scores = np.load(sys.argv[1])
start = time.process_time()
logs = np.asarray(sumu.aps(scores, as_dict=False, normalize=True))
seconds = time.process_time() - start
status = open("/proc/self/status").read()
megabytes = int(status.partition("VmHWM:")[2].split()[0]) / 1024
np.save(sys.argv[2], logs)
print(json.dumps([seconds, megabytes]))
"""
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Run:
    """One posterior: CPU seconds and peak memory, of another program too if it ran."""

    columns: int
    prior: str
    seconds: float
    megabytes: float
    beside: str = ""
    difference: float | None = None
    peer_seconds: float | None = None
    peer_megabytes: float | None = None


def data_of(d: int) -> Any:
    """Return the table of so many columns."""
    return simulate.linear_gaussian(d, PARENTS, ROWS, seed=SEED).data


def peak_megabytes() -> float:
    """Return the peak of this process alone; ``ru_maxrss`` starts at what its parent held."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def compute(d: int, prior: Any, file: str) -> None:
    """Compute one posterior, print its cost, and store the probabilities of arrows."""
    data = data_of(d)
    start = time.process_time()
    found = posterior(data, score=SCORE, prior=prior)
    seconds = time.process_time() - start
    megabytes = peak_megabytes()
    np.save(file, found.directed)
    print(json.dumps([seconds, megabytes]))


def local_scores(d: int) -> Floats:
    """Return the score of each column by its set of parents, as a mask of the other columns."""
    _, prepared = prepare(data_of(d), SCORE, None, DataOptions())
    bound = SCORE.bind(prepared.statistics)
    scores = np.empty((d, 1 << (d - 1)))
    for y in range(d):
        others = [x for x in range(d) if x != y]
        for mask in range(1 << (d - 1)):
            bits = (mask >> place & 1 for place in range(d - 1))
            scores[y, mask] = bound.local_score(y, list(compress(others, bits)))
    return scores


def listed(scores: Floats, prior: str) -> Floats:
    """Return the probabilities of arrows as sums over a list of all DAGs."""
    from oracle import posterior as twin

    d = len(scores)
    tables = []
    for y in range(d):
        low = (1 << y) - 1
        masks = np.arange(1 << d)
        tables.append(scores[y, (masks & low) | (masks >> 1 & ~low)])
    return twin.probabilities(tables, prior).edges


def arrows(logs: Floats) -> Floats:
    """Return the probabilities of arrows, given those of each column's sets of parents."""
    d = len(logs)
    found = np.zeros((d, d))
    for y in range(d):
        for place, x in enumerate(x for x in range(d) if x != y):
            has_x = np.arange(1 << (d - 1)) >> place & 1 == 1
            found[x, y] = np.exp(logs[y, has_x]).sum()
    return found


def run(command: list[str]) -> list[float] | None:
    """Return the seconds and megabytes that a process prints, or None if it failed."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr.strip().splitlines()[-1:], file=sys.stderr)
        return None
    seconds, megabytes = json.loads(done.stdout.splitlines()[-1])
    return [seconds, megabytes]


def measure(d: int, prior: str, peer: str, folder: Path) -> Run:
    """Compute one posterior in a process of its own, and compare it."""
    file = str(folder / "directed.npy")
    cost = run([sys.executable, __file__, "--one", str(d), prior, file])
    if cost is None:
        raise SystemExit(f"no posterior of {d} columns")
    own = Run(d, prior, *cost)
    print(f"{d} columns, prior {prior}, done", file=sys.stderr, flush=True)
    if d <= MOST_LISTED:
        difference = np.abs(listed(local_scores(d), prior) - np.load(file)).max()
        return Run(d, prior, *cost, "all DAGs listed", float(difference))
    if prior != "uniform":
        return own
    scores, logs = str(folder / "scores.npy"), str(folder / "logs.npy")
    np.save(scores, local_scores(d))
    other = run([peer, "-c", PEER, scores, logs])
    if other is None:
        return own
    difference = np.abs(arrows(np.load(logs)) - np.load(file)).max()
    return Run(d, prior, *cost, "sumu", float(difference), *other)


def cells(one: Run) -> list[object]:
    """Return a row of the table."""
    seconds = "" if one.peer_seconds is None else f"{one.peer_seconds:.2f}"
    megabytes = "" if one.peer_megabytes is None else f"{one.peer_megabytes:.0f}"
    difference = "" if one.difference is None else f"{one.difference:.1e}"
    own = [f"{one.seconds:.2f}", f"{one.megabytes:.0f}"]
    return [one.columns, one.prior, *own, one.beside, difference, seconds, megabytes]


def main() -> None:
    """Measure and publish."""
    if "--one" in sys.argv:
        d, prior, file = sys.argv[-3:]
        compute(int(d), prior, file)
        return
    options = parser(__doc__)
    options.add_argument("--columns", type=int, nargs="+", default=[5, 8, 12, 14, 16, 20])
    options.add_argument("--peer", default=sys.executable, help="an interpreter that has sumu")
    chosen = options.parse_args()
    sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
    most = {"orders": _core.MOST_POSTERIOR, "uniform": _core.MOST_PAIRS_OF_SETS}
    with tempfile.TemporaryDirectory() as folder:
        runs = [
            measure(d, prior, chosen.peer, Path(folder))
            for d in chosen.columns
            for prior in most
            if d <= most[prior]
        ]
    about = (
        f"`posterior()` by BGe on one thread, {ROWS} rows, {PARENTS:g} parents per column, seed "
        f"{SEED}: CPU seconds from the table to all probabilities of arrows and paths (with more "
        f"than {_core.MOST_PAIRS_OF_SETS} columns, paths from 10,000 draws), and the peak of "
        "memory, which is about 40 MB before any sums. Beside it, the largest difference of an "
        "arrow's probability. sumu 0.1.2 is given our local scores, whose time does not count for "
        "it, and computes probabilities of sets of parents, none of paths."
    )
    heads = ["columns", "prior", "seconds", "MB", "beside", "difference", "its seconds", "its MB"]
    lines = [about, "", *table(heads, map(cells, runs))]
    data = [asdict(one) for one in runs]
    publish(Section("posterior", "Exact posteriors", lines, data), save=chosen.save)


if __name__ == "__main__":
    main()
