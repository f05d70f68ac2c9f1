"""Rows of experiments: distance to the true interventional class, beside GIES and pooled rows.

``python benchmarks/curves/interventions.py [--seeds 10] [--columns 10 20 50] [--experiments 1 5]
[--shifts 0 2] [--gies PYTHON] [--limit 600] [--title TITLE] [--save]`` prints what this run
measured; without ``--experiments`` there are 1, half as many as columns, and as many.

Each set has observed rows and experiments on one column each, 300 rows an environment. PYTHON is
an interpreter that has the package gies; without it, GIES is left out. A cell in which it passes
the limit, in CPU seconds, is not tried with further seeds. All figures of a row are of the same
sets, but where GIES passed the limit.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))
from judged import distance, mean, nearer, with_error

from greedag import learn
from greedag.graph.interventional import interventional_class
from greedag.simulate import Experiments, interventions, linear_gaussian
from page import publish
from report import ONE_THREAD, parser, table

ROWS, DENSITY, FIRST_SEED = 300, 2.0, 175_000
DRIVER = Path(__file__).with_name("gies_driver.py")

REMARKS = (
    "Mean distance to the true interventional class, with its standard error: 300 rows observed",
    "and 300 for each experiment on one column; `shift` is by how many standard deviations targets",
    "are set above their mean. gies centres each environment by itself, so that a shift makes no",
    "difference to it; it has no figures where it was not run, or took more than {limit:g} CPU",
    "seconds for a set.",
)

Matrix = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Cell:
    """Columns, experiments, and by how many standard deviations targets are shifted."""

    d: int
    experiments: int
    shift: float


@dataclass(frozen=True, slots=True)
class Drawn:
    """A set of rows, the columns that were set in each environment, and the truth."""

    rows: Experiments
    targets: list[list[int]]
    truth: Matrix

    @classmethod
    def of(cls, cell: Cell, seed: int) -> Drawn:
        """Draw a model, choose the columns to set, and draw rows."""
        model = linear_gaussian(cell.d, DENSITY, 1, seed=FIRST_SEED + seed)
        chosen = np.random.default_rng([FIRST_SEED, seed, cell.d]).permutation(cell.d)
        targets = [[], *([int(j)] for j in chosen[: cell.experiments])]
        rows = interventions(model, targets, ROWS, seed=seed, shift=cell.shift)
        return cls(rows, targets, interventional_class(model.dag, targets).to_matrix())

    def tables(self) -> list[NDArray[np.float64]]:
        """Return the rows of each environment."""
        return [np.asarray(rows) for rows, _ in self.rows.environments]


def by_experiments(drawn: Drawn) -> tuple[int, float]:
    """Return the distance of what is learned from the environments, and CPU seconds."""
    start = time.process_time()
    found = learn([*drawn.rows.environments])
    return distance(found.graph.to_matrix(), drawn.truth), time.process_time() - start


def by_pooled_rows(drawn: Drawn) -> tuple[int, float]:
    """Return the same where nothing is said of experiments."""
    start = time.process_time()
    found = learn(np.concatenate(drawn.tables()))
    return distance(found.cpdag.to_matrix(), drawn.truth), time.process_time() - start


def by_gies(drawn: Drawn, python: str, limit: float) -> tuple[int, float] | None:
    """Return the same for GIES; None if it takes too long."""
    found = gies_graph(drawn.tables(), drawn.targets, python, limit)
    return None if found is None else (distance(found[0], drawn.truth), found[1])


def gies_graph(
    tables: list[NDArray[np.float64]], targets: list[list[int]], python: str, limit: float = 3600.0
) -> tuple[Matrix, float] | None:
    """Return what GIES finds, and CPU seconds; None if it takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        rows, matrix = Path(folder) / "rows.npz", Path(folder) / "matrix.npy"
        np.savez(rows, *tables)
        command = [python, str(DRIVER), str(limit), str(rows), json.dumps(targets), str(matrix)]
        environment = {**os.environ, **ONE_THREAD}
        environment.pop("PYTHONPATH", None)
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode < 0:
            return None
        if done.returncode:
            raise RuntimeError(done.stderr[-2000:])
        return np.load(matrix), float(done.stdout.splitlines()[-1])


def measure(cell: Cell, chosen: object, is_slow: bool, seed: int) -> dict[str, tuple[int, float]]:
    """Run all methods on one set."""
    drawn = Drawn.of(cell, seed)
    found = {"experiments": by_experiments(drawn), "pooled": by_pooled_rows(drawn)}
    if chosen.gies is not None and not is_slow:
        gies = by_gies(drawn, chosen.gies, chosen.limit)
        if gies is not None:
            found["gies"] = gies
    return found


def row(cell: Cell, runs: dict[str, list[tuple[int, float]]]) -> list[str]:
    """Return a row of the table."""
    shown = [f"{cell.d}", f"{cell.experiments}", f"{cell.shift:g}", f"{len(runs['experiments'])}"]
    for method in ("experiments", "gies", "pooled"):
        shown.append(with_error(shd for shd, _ in runs[method]) if runs[method] else "")
    ours, theirs = ([shd for shd, _ in runs[method]] for method in ("experiments", "gies"))
    shown.append(nearer(ours[: len(theirs)], theirs) if theirs else "")
    for method in ("experiments", "gies"):
        shown.append(f"{mean(s for _, s in runs[method]):.2g}" if runs[method] else "")
    return shown


def main() -> None:
    """Measure, and print the table."""
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--columns", type=int, nargs="+", default=[10, 20, 50])
    options.add_argument("--experiments", type=int, nargs="+")
    options.add_argument("--shifts", type=float, nargs="+", default=[0.0, 2.0])
    options.add_argument("--gies", metavar="PYTHON")
    options.add_argument("--limit", type=float, default=600.0)
    options.add_argument("--title", default="Interventions")
    chosen = options.parse_args()
    rows = []
    for d, shift in product(chosen.columns, chosen.shifts):
        for experiments in chosen.experiments or (1, d // 2, d):
            cell, runs = Cell(d, experiments, shift), defaultdict(list)
            for seed in range(chosen.seeds):
                is_slow = seed > len(runs["gies"])
                for method, run in measure(cell, chosen, is_slow, seed).items():
                    runs[method].append(run)
            rows.append(row(cell, runs))
            print(" ".join(rows[-1]), flush=True)
    header = ["d", "experiments", "shift", "sets", "SHD greedag", "SHD gies", "SHD pooled rows"]
    header += ["greedag nearer than gies, tied, further", "greedag, CPU s", "gies, CPU s"]
    remarks = "\n".join(REMARKS).format(limit=chosen.limit)
    publish(chosen.title, [*table(header, rows), "", remarks], save=chosen.save)


if __name__ == "__main__":
    main()
