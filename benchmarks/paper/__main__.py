"""Runs experiments of the paper and draws their figures.

``python -m paper --quick`` with benchmarks/ on the path: the reduced grids, in minutes. Without
``--quick``, the full ones. A run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from paper import page
from paper.experiments import BY_KEY, cells
from paper.methods import METHODS, install
from paper.runner import judge_again, keep, run
from paper.store import load

ROOT = Path(__file__).resolve().parents[2]
QUICK, FULL = ROOT / "build" / "paper-quick", ROOT / "docs"


def main() -> None:
    """Run, then draw."""
    chosen = _options()
    folder = chosen.out or (QUICK if chosen.quick else FULL)
    rows = chosen.rows or folder / "paper" / "rows.jsonl"
    if not chosen.draw:
        _run(chosen, rows)
    if chosen.tidy:
        known = {cell for quick in (True, False) for cell in cells(quick=quick)}
        keep(rows, lambda cell, _: cell in known)
    for path in page.publish(load(rows), folder, quick=chosen.quick):
        print(path)


def _run(chosen: argparse.Namespace, rows: Path) -> None:
    wanted = cells(tuple(chosen.only or BY_KEY), quick=chosen.quick)
    if chosen.methods:
        wanted = [cell for cell in wanted if cell.method in chosen.methods]
    if chosen.again or chosen.retry:
        named = set(wanted)
        keep(rows, lambda c, row: c not in named or (row["status"] == "ok" and not chosen.again))
    if not chosen.cluster:
        install({cell.method for cell in wanted})
    limit = chosen.limit or (20.0 if chosen.quick else 120.0)
    if chosen.judge:
        for cell in judge_again(wanted, rows, limit=limit, jobs=chosen.jobs):
            print(f"came out otherwise than before: {cell}")
        return
    run(wanted, rows, limit=limit, jobs=chosen.jobs, cluster=chosen.cluster)


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(prog="python -m paper", description=__doc__)
    add = options.add_argument
    add("--quick", action="store_true", help="small grids, in minutes")
    add("--only", nargs="+", choices=BY_KEY, metavar="FIGURE", help=", ".join(BY_KEY))
    add("--jobs", type=int, help="worker processes; one a core if left out")
    add("--cluster", metavar="ADDRESS", help="run on the Dask cluster with this scheduler")
    add("--limit", type=float, help="seconds a method may take; 20 if quick, else 120")
    add("--methods", nargs="+", choices=METHODS, metavar="METHOD", help="; ".join(METHODS))
    add("--again", action="store_true", help="run again what is there, to renew its seconds")
    add("--retry", action="store_true", help="run again what was absent, failed or too slow")
    add("--judge", action="store_true", help="add AID to rows without it; keep their seconds")
    add("--draw", action="store_true", help="run nothing, draw what is there")
    add("--tidy", action="store_true", help="sort the rows, and drop those of no figure")
    add("--rows", type=Path, help="file of results, rows.jsonl beside the figures if left out")
    add("--out", type=Path, help=f"folder for page and figures; {FULL} or {QUICK} if left out")
    return options.parse_args()


if __name__ == "__main__":
    main()
