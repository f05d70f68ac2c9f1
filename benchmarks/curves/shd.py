"""Curved tables: the additive score beside the Gaussian BIC, bins with BDeu, and other programs.

``python benchmarks/curves/shd.py [--seeds 10] [--first 0] [--columns 30] [--rows 2000] [--peers]
[--save]``

Each column is a sum of curves of its standardised parents plus noise of standard deviation 0.5;
1.5 parents a column on average. What was measured is kept in ``--stored`` (build/curves), so that a
second call runs only what is missing; ``--fresh`` runs all again. ``--peers`` shows what
peer_runs.py has found on the same tables. Tables have numbers, the seeds of tables.py count from
there: ``--first`` is the number of the first.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))
from judged import Judged, class_of, judged, mean, nearer, with_error
from peer_runs import ENVIRONMENT_OF, STORED, TOO_SLOW, load
from tables import CURVES, NOISES, Cell, cells, table_of

from greedag import Result, learn
from greedag.scores import BDeu, GaussianBIC
from page import publish
from report import parser, table

Rows = NDArray[np.float64]
BINS = 4


def binned(rows: Rows) -> Result:
    """Learn with BDeu from columns cut into bins of equal frequency."""
    cuts = np.arange(1, BINS) / BINS
    codes = [np.searchsorted(np.quantile(column, cuts), column) for column in rows.T]
    return learn(np.column_stack(codes), kinds="discrete", score=BDeu())


METHODS: dict[str, Callable[[Rows], Result]] = {
    "additive": lambda rows: learn(rows, score="additive"),
    "Gaussian BIC": lambda rows: learn(rows, score=GaussianBIC()),
    f"{BINS} bins, BDeu": binned,
}
OURS, LINEAR, BINNED = METHODS
SKIPPED = {BINNED: 100}
"""Methods that are not run with so many columns or more."""


def measure(method: str, cell: Cell, seed: int) -> Judged:
    """Run one of our methods on one table."""
    drawn = table_of(cell, seed)
    start = time.process_time()
    result = METHODS[method](drawn.data)
    seconds = time.process_time() - start
    return judged(drawn, result.graph.to_matrix(), result.cpdag.to_matrix(), seconds)


def warm_up() -> None:
    """Run each method once, as peers are: what the first search loads counts for none of them."""
    rows = table_of(Cell("tanh", "gaussian", 3, 200), 0).data
    for method in METHODS.values():
        method(rows)


class Store:
    """What was measured, by method and table."""

    def __init__(self, folder: Path, *, fresh: bool) -> None:
        self._path = folder / "ours.json"
        folder.mkdir(parents=True, exist_ok=True)
        known = self._path.exists() and not fresh
        self._runs: dict[str, Any] = json.loads(self._path.read_text()) if known else {}

    def get(self, method: str, cell: Cell, seed: int) -> Judged:
        """Return what a method reached on a table, running it if need be."""
        key = f"{method}|{cell.key}-{seed}"
        if key not in self._runs:
            self._runs[key] = asdict(measure(method, cell, seed))
            self._path.write_text(json.dumps(self._runs), encoding="utf-8")
        return Judged(**self._runs[key])


def cell_row(store: Store, cell: Cell, seeds: range) -> list[str]:
    """Return a row of the table of a grid, printing how far it is."""
    reached = {
        method: [store.get(method, cell, seed) for seed in seeds]
        for method in METHODS
        if cell.d < SKIPPED.get(method, math.inf)
    }
    ours, linear = reached[OURS], reached[LINEAR]
    print(cell.key, *(f"{mean(r.shd for r in runs):.1f}" for runs in reached.values()), flush=True)
    bins = reached.get(BINNED)
    claimed = sum(run.right + run.wrong for run in ours)
    return [
        *(curve_name(cell), cell.noise, f"{cell.d}", f"{cell.n:,}"),
        with_error(run.shd for run in ours),
        with_error(run.shd for run in linear),
        f"{mean(run.shd for run in ours) / max(mean(run.shd for run in linear), 0.1):.2f}",
        with_error(run.shd for run in bins) if bins else "",
        share(sum(run.right for run in ours), sum(run.edges for run in ours)),
        share(sum(run.wrong for run in ours), claimed),
        share(sum(run.right for run in linear), sum(run.edges for run in linear)),
        f"{mean(run.seconds for run in ours):.3f}",
        f"{mean(run.seconds for run in linear):.3f}",
    ]


def curve_name(cell: Cell) -> str:
    """Return the name of a cell's curves, with their bound if there is one."""
    return cell.curve if math.isinf(cell.limit) else f"{cell.curve}, limit {cell.limit:g}"


def share(part: int, whole: int) -> str:
    """Return a percentage."""
    return f"{part / whole:.0%}" if whole else ""


HEADER = [
    *("curve", "noise", "d", "n", "additive", "Gaussian BIC", "ratio", f"{BINS} bins, BDeu"),
    *("true arrows found", "false arrows", "true arrows, Gaussian BIC"),
    *("additive, CPU s", "Gaussian BIC, CPU s"),
]


def peer_rows(store: Store, grid: list[Cell], chosen: Any) -> Iterator[list[str]]:
    """Yield what peers reached in each cell, beside the additive score on the same tables."""
    for cell in grid:
        for method in chosen.methods:
            runs = {
                int(key.rpartition("-")[2]): run
                for key, run in load(method, chosen.peer_stored).items()
                if key.rpartition("-")[0] == cell.key
            }
            if runs:
                yield [*cell_names(cell), method, *peer_cells(store, cell, runs, chosen.peer_limit)]


def cell_names(cell: Cell) -> list[str]:
    """Return what names a cell in a table."""
    return [curve_name(cell), f"{cell.d}", f"{cell.n:,}"]


def peer_cells(store: Store, cell: Cell, runs: dict[int, Any], limit: float) -> list[str]:
    """Return what a peer reached on the tables of a cell that it finished."""
    done = [seed for seed, run in sorted(runs.items()) if "edges" in run]
    ours = [store.get(OURS, cell, seed) for seed in (done or sorted(runs))]
    seconds = mean(run.seconds for run in ours)
    if not done:
        reasons = {run["failed"] for run in runs.values()}
        known = reasons == {TOO_SLOW}
        return [
            f"{len(runs)}",
            "" if known else "; ".join(reasons),
            with_error(run.shd for run in ours),
            *("", "", ""),
            f"> {limit:g}" if known else "",
            f"> {limit / seconds:,.0f}" if known else "",
        ]
    theirs = [peer_judged(cell, seed, runs[seed]) for seed in done]
    edges = sum(run.edges for run in theirs)
    return [
        f"{len(done)}" if len(done) == len(runs) else f"{len(done)} of {len(runs)}",
        with_error(run.shd for run in theirs),
        with_error(run.shd for run in ours),
        nearer([run.shd for run in ours], [run.shd for run in theirs]),
        share(sum(run.right for run in theirs), edges),
        share(sum(run.right for run in ours), edges),
        f"{mean(run.seconds for run in theirs):.2f}",
        f"{mean(run.seconds for run in theirs) / seconds:,.0f}",
    ]


def peer_judged(cell: Cell, seed: int, run: dict[str, Any]) -> Judged:
    """Evaluate what a peer found."""
    found = np.zeros((cell.d, cell.d), dtype=np.uint8)
    if run["edges"]:
        found[tuple(np.array(run["edges"]).T)] = 1
    return judged(table_of(cell, seed), found, class_of(found), run["cpu"])


PEER_HEADER = [
    *("curve", "d", "n", "method", "tables", "SHD", "SHD, ours"),
    *("ours nearer, tied, further", "true arrows", "true arrows, ours", "CPU s", "times ours"),
]


def main() -> None:
    """Run what is missing, and print the tables."""
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=10, help="tables a cell")
    options.add_argument("--first", type=int, default=0, help="number of the first table")
    options.add_argument("--curves", nargs="+", default=CURVES)
    options.add_argument("--noises", nargs="+", default=NOISES[:1])
    options.add_argument("--columns", type=int, nargs="+", default=[10, 30])
    options.add_argument("--rows", type=int, nargs="+", default=[500, 2_000])
    options.add_argument("--limit", type=float, help="bound of what curves see")
    options.add_argument("--peers", action="store_true", help="show what peer_runs.py has found")
    options.add_argument("--methods", nargs="+", default=[*ENVIRONMENT_OF], help="peers to show")
    options.add_argument("--peer-limit", type=float, default=120.0)
    options.add_argument("--stored", type=Path, default=STORED)
    options.add_argument("--peer-stored", type=Path, default=STORED)
    options.add_argument("--fresh", action="store_true", help="run all again")
    options.add_argument("--title", help="of the section")
    chosen = options.parse_args()
    warm_up()
    store = Store(chosen.stored, fresh=chosen.fresh)
    grid = [*cells(chosen.curves, chosen.noises, chosen.columns, chosen.rows, chosen.limit)]
    if chosen.peers:
        rows = [*peer_rows(store, grid, chosen)]
        publish(chosen.title or "Other programs", table(PEER_HEADER, rows), save=chosen.save)
    else:
        seeds = range(chosen.first, chosen.first + chosen.seeds)
        rows = [cell_row(store, cell, seeds) for cell in grid]
        publish(chosen.title or "Curved tables", table(HEADER, rows), save=chosen.save)


if __name__ == "__main__":
    main()
