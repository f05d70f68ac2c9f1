"""Default `learn` on discrete networks, beside other installations and pyAgrum's hill climbing.

``python benchmarks/speed/discrete_learn.py [--networks asia alarm …] [--rows 5000] [--seeds 3]
[--repeats 5] [--greedag PYTHON …] [--agrum PYTHON]``: each PYTHON is an interpreter that has pandas
and another greedag, or pyAgrum. Prints CPU seconds from the data frame on, the least of the
repeats, and scores. Runs take turns, each in a process of its own; networks are those of pgmpy.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import numpy as np


def run(program: str, table: str, repeats: int) -> tuple[float, float]:
    """Return seconds and the score; pyAgrum says none."""
    import pandas as pd

    with np.load(table) as stored:
        names = [str(name) for name in stored["names"]]
        frame = pd.DataFrame(stored["rows"], columns=names).astype(str).astype("category")
    seconds, score = [], float("nan")
    for _ in range(repeats):
        started = time.process_time()
        score = learned_score(frame) if program == "greedag" else climbed(frame)
        seconds.append(time.process_time() - started)
    return min(seconds), score


def learned_score(frame: Any) -> float:
    """Return the score of the class that `learn` finds."""
    from greedag import learn
    from greedag.scores import BDeu

    return float(learn(frame, score=BDeu(), n_jobs=1).score)


def climbed(frame: Any) -> float:
    """Climb with pyAgrum on one thread, by BDeu with the same prior."""
    import pyagrum as gum

    gum.setNumberOfThreads(1)
    learner = gum.BNLearner(frame)
    learner.useGreedyHillClimbing()
    learner.useScoreBDeu()
    learner.useNoPrior()
    learner.learnDAG()
    return float("nan")


def asked(python: str, program: str, table: Path, repeats: int) -> tuple[float, float]:
    """Run in another interpreter."""
    command = [python, __file__, "--run", program, str(table), "--repeats", str(repeats)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, score = json.loads(done.stdout.splitlines()[-1])
    return seconds, score


def compare(network: str, chosen: Any) -> None:
    """Draw tables of one network, and print what each interpreter reaches on them."""
    from networks import draw

    others = [(sys.executable, "greedag"), *((python, "greedag") for python in chosen.greedag)]
    if chosen.agrum:
        others.append((chosen.agrum, "agrum"))
    for seed in range(chosen.first_seed, chosen.first_seed + chosen.seeds):
        drawn = draw(network, chosen.rows, seed)
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "table.npz"
            np.savez(table, names=np.array(drawn.names), rows=drawn.rows)
            found = [asked(*other, table, chosen.repeats) for other in others]
        cells = "".join(f"  {seconds:9.4f} s {score:16.3f}" for seconds, score in found)
        print(f"{network:12} {chosen.rows:8} {seed:4}{cells}", flush=True)


def main() -> None:
    """Measure, or run once for another process."""
    options = ArgumentParser(description=__doc__)
    options.add_argument("--networks", nargs="+", default=["asia", "child", "insurance", "alarm"])
    options.add_argument("--rows", type=int, default=5_000)
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--first-seed", type=int, default=6_000)
    options.add_argument("--repeats", type=int, default=5)
    options.add_argument("--greedag", nargs="*", default=[], metavar="PYTHON")
    options.add_argument("--agrum", metavar="PYTHON")
    options.add_argument("--run", nargs=2, metavar=("PROGRAM", "TABLE"))
    chosen = options.parse_args()
    if chosen.run:
        print(json.dumps(run(*chosen.run, chosen.repeats)))
        return
    for network in chosen.networks:
        compare(network, chosen)


if __name__ == "__main__":
    main()
