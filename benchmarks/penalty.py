"""Which penalty: distance from the truth by rows, columns and density, for choices of alpha.

``python benchmarks/penalty.py [--methods 1 2 extended-bic auto] [--columns …] [--rows …] [--save]``

A method is a number, which is alpha, ``extended-bic``, or a word that ``learn`` takes as alpha.
Runs are kept in ``--stored`` (penalty/runs.csv), so that a second call adds only what is missing,
other methods for instance; ``--merge FILE …`` adds what was stored elsewhere. A search that exceeds
``--limit`` seconds counts with the class that it has by then, and is marked. The default of alpha
was chosen on seeds from 600,000 to 1,000,000; the page is about others, from 1,000,000 on.
"""

from __future__ import annotations

import csv
import math
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from greedag import Moments, Result, learn, metrics, simulate
from penalty_page import page
from speed.report import parser

FOLDER = Path(__file__).with_name("penalty")
PAGE, WIDE = FOLDER / "RESULTS.md", FOLDER / "wide.md"
METHODS = ("1", "2", "extended-bic", "auto")
FURTHER = ("stars", "cv")
"""Methods that search parts of the rows many times, and run on part of the grid."""
COLUMNS = (10, 25, 50, 100, 200, 500, 1_000, 2_000)
ROWS = (50, 100, 200, 500, 1_000, 2_000, 10_000, 100_000)
PARENTS = (1, 2, 4)
GRAPHS = ("uniform", "scale-free")
FIRST_SEED = 1_000_000
MOST_DRAWN = 2_000
"""Moments of more rows are drawn without the rows."""


class Cell(NamedTuple):
    """What tables have in common."""

    graph: str
    rho: int
    d: int
    n: int


@dataclass(frozen=True, slots=True)
class Run:
    """What a method reached on one table."""

    graph: str
    rho: int
    d: int
    n: int
    seed: int
    method: str
    alpha: float
    shd: int
    precision: float
    recall: float
    edges: int
    seconds: float
    stopped: str

    @property
    def cell(self) -> Cell:
        """The cell of its table."""
        return Cell(self.graph, self.rho, self.d, self.n)

    @property
    def key(self) -> tuple[Cell, int, str]:
        """What no two runs have in common."""
        return self.cell, self.seed, self.method


class Store:
    """Runs in a file, one a line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.runs: dict[Any, Run] = {}
        if path.exists():
            self.runs = {run.key: run for run in loaded(path)}

    def add(self, run: Run) -> None:
        """Keep a run, here and in the file."""
        is_first = not self.path.exists()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8", newline="") as file:
            lines = csv.writer(file, lineterminator="\n")
            if is_first:
                lines.writerow(field.name for field in fields(Run))
            lines.writerow(astuple(run))
        self.runs[run.key] = run

    def merge(self, paths: Iterable[Path]) -> None:
        """Add the runs of other files that are missing here, or were stopped here."""
        for run in (run for path in paths for run in loaded(path)):
            if run.key not in self.runs or (self.runs[run.key].stopped and not run.stopped):
                self.add(run)

    def forget_stopped(self, grid: Iterable[Cell]) -> None:
        """Forget the runs in cells that ran out of time, so that they are run again."""
        among = set(grid)
        gone = [key for key, run in self.runs.items() if run.stopped and run.cell in among]
        for key in gone:
            del self.runs[key]

    def rewrite(self) -> None:
        """Write the file anew, in order, each run once."""
        written = Store(self.path.with_suffix(".tmp"))
        for run in sorted(self.runs.values(), key=lambda run: (*run.cell, run.seed)):
            written.add(run)
        written.path.replace(self.path)


def loaded(path: Path) -> Iterator[Run]:
    """Yield the runs of a file."""
    numbers = {"rho": int, "d": int, "n": int, "seed": int, "shd": int, "edges": int}
    shares = dict.fromkeys(("alpha", "precision", "recall", "seconds"), float)
    read: dict[str, Any] = {**numbers, **shares}
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            yield Run(**{name: read.get(name, str)(value) for name, value in line.items()})


# ---- measuring


def seeds_of(cell: Cell, most: int) -> int:
    """Return how many tables a cell gets: fewer where they are large."""
    return max(1, min(most, 1_000 // cell.d))


def measure(cell: Cell, seed: int, methods: Sequence[str], how: Any) -> Iterator[Run]:
    """Run methods on one table."""
    drawn = simulate.linear_gaussian(
        cell.d, cell.rho, cell.n if cell.n <= MOST_DRAWN else 1, seed=seed, graph=cell.graph
    )
    if cell.n <= MOST_DRAWN:
        moments = Moments.from_data(drawn.data)
    else:
        moments = drawn.moments(cell.n, seed=seed)
    for method in methods:
        start = time.process_time()
        result = learned(drawn.data if method in FURTHER else moments, method, how)
        seconds = time.process_time() - start
        yield judged(cell, seed, method, result, drawn.cpdag, seconds)


def learned(data: Any, method: str, how: Any) -> Result:
    """Learn by a method."""
    if method == "extended-bic":
        return learn(data, score=method, **how)
    return learn(data, alpha=as_alpha(method), **how)


def as_alpha(method: str) -> Any:
    """Return what a method is to `learn`: a number, or a word."""
    try:
        return float(method)
    except ValueError:
        return method


def judged(cell: Cell, seed: int, method: str, result: Result, true: Any, seconds: float) -> Run:
    """Compare what was found with the truth."""
    precision, recall = metrics.adjacency_precision_recall(result.cpdag, true)
    alpha = float(result.settings["alpha"])
    if method == "extended-bic":
        alpha += 2.0 * math.log(cell.d) / math.log(cell.n)
    return Run(
        *cell,
        seed,
        method,
        round(alpha, 4),
        metrics.shd(result.cpdag, true),
        round(precision, 4),
        round(recall, 4),
        len(result.cpdag.directed) + len(result.cpdag.undirected),
        round(seconds, 3),
        result.stopped or "",
    )


def fill(store: Store, grid: Sequence[Cell], chosen: Any) -> None:
    """Run what is missing."""
    how = {"time_limit": chosen.limit, "effort": chosen.effort}
    for cell in grid:
        for seed in range(chosen.first_seed, chosen.first_seed + seeds_of(cell, chosen.seeds)):
            left = [at for at in chosen.methods if (cell, seed, at) not in store.runs]
            for run in measure(cell, seed, left, how) if left else ():
                store.add(run)
        print(*cell, file=sys.stderr, flush=True)


def main() -> None:
    """Measure what is missing, and print the tables."""
    options = parser(__doc__)
    options.add_argument("--methods", nargs="+", default=METHODS)
    options.add_argument("--columns", type=int, nargs="+", default=COLUMNS)
    options.add_argument("--rows", type=int, nargs="+", default=ROWS)
    options.add_argument("--parents", type=int, nargs="+", default=PARENTS)
    options.add_argument("--graphs", nargs="+", default=GRAPHS)
    options.add_argument("--seeds", type=int, default=10, help="tables a cell, at most")
    options.add_argument("--first-seed", type=int, default=FIRST_SEED)
    options.add_argument("--limit", type=float, default=20.0, help="seconds a search")
    options.add_argument("--effort", type=float, help="as learn's")
    options.add_argument("--stored", type=Path, default=FOLDER / "runs.csv")
    options.add_argument("--only-page", action="store_true", help="measure nothing")
    options.add_argument("--redo-stopped", action="store_true", help="run again what was stopped")
    options.add_argument("--merge", type=Path, nargs="+", default=[], metavar="FILE")
    chosen = options.parse_args()
    grid = [Cell(*at) for at in product(chosen.graphs, chosen.parents, chosen.columns, chosen.rows)]
    store = Store(chosen.stored)
    store.merge(chosen.merge)
    if chosen.redo_stopped:
        store.forget_stopped(grid)
    if not chosen.only_page:
        fill(store, grid, chosen)
    store.rewrite()
    further = [at for at in FURTHER if any(run.method == at for run in store.runs.values())]
    wide = WIDE.read_text(encoding="utf-8").splitlines() if WIDE.exists() else ()
    lines = page(store.runs.values(), METHODS, further, wide)
    if chosen.save:
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
