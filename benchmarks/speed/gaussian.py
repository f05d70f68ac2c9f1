"""The Gaussian BIC on bundled linear Gaussian networks, beside flopsearch.

``python benchmarks/speed/gaussian.py [--seeds 5] [--rows 10000] [--save]``. flopsearch is
installed into an environment of its own, as by benchmarks/speed/peers.py.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np

from greedag import CPDAG, Moments, metrics, score_graph
from networks import GAUSSIAN, draw
from peers import PEERS, Run, python_of, run_once
from report import Section, parser, publish, table

FIRST_SEED, TIMEOUT = 6_000, 600.0
Facts = dict[str, list[float]]


def measure(network: str, rows: int, seeds: int, interpreters: dict[str, str]) -> dict[str, Facts]:
    """Return distances, scores and seconds of each program by data set."""
    found: dict[str, Facts] = {
        program: {"shd": [], "score": [], "seconds": []} for program in interpreters
    }
    for seed in range(FIRST_SEED, FIRST_SEED + seeds):
        drawn = draw(network, rows, seed)
        moments = Moments.from_data(drawn.rows)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "rows.npy"
            np.save(file, drawn.rows)
            for program, python in interpreters.items():
                run = run_once(program, python, file, TIMEOUT)
                if not isinstance(run, Run):
                    raise RuntimeError(f"{program} took more than {TIMEOUT:g} s on {network}")
                cpdag = CPDAG.from_matrix(run.matrix)
                named = CPDAG.from_matrix(run.matrix, drawn.names)
                found[program]["shd"].append(metrics.shd(named, drawn.cpdag))
                found[program]["score"].append(score_graph(moments, cpdag))
                found[program]["seconds"].append(run.seconds)
        print(f"{network}, seed {seed} done", file=sys.stderr, flush=True)
    return found


def main() -> None:
    """Measure and publish."""
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=5)
    options.add_argument("--rows", type=int, default=10_000)
    chosen = options.parse_args()
    flop = next(peer for peer in PEERS if peer.name == "flopsearch")
    interpreters = {"greedag": sys.executable, "flopsearch": python_of(flop)}
    found = {
        network: measure(network, chosen.rows, chosen.seeds, interpreters) for network in GAUSSIAN
    }
    about = (
        f"SHD of the CPDAG / seconds from the rows on; {chosen.rows} rows, seeds {FIRST_SEED} to "
        f"{FIRST_SEED + chosen.seeds - 1}, alpha 2, greedag with its defaults (XGES, "
        "effort 1), FLOP with 20 restarts: means of SHD and medians of seconds. Score: of "
        "greedag's class minus that of FLOP's, mean. One thread."
    )
    rows = []
    for network, facts in found.items():
        above = np.subtract(facts["greedag"]["score"], facts["flopsearch"]["score"])
        cells = [
            f"{statistics.mean(of['shd']):.1f} / {statistics.median(of['seconds']):.3f}"
            for of in facts.values()
        ]
        rows.append([network, *cells, f"{above.mean():+.2f}"])
    lines = [about, "", *table(["network", *interpreters, "score"], rows)]
    publish(Section("gaussian", "On linear Gaussian networks", lines, found), save=chosen.save)


if __name__ == "__main__":
    main()
