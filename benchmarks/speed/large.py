"""Wide tables: seconds and peak memory of `learn`, each run in a process of its own.

``python benchmarks/speed/large.py [--columns 5000 10000 20000] [--jobs 1] [--save]``. Drawing
a table takes several d × d matrices of memory, more than learning from it.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from greedag import learn
from greedag.simulate import linear_gaussian
from report import Section, parser, publish, table

RHO, ROWS, SEED = 1, 2_000, 1
METHODS: dict[str, dict[str, Any]] = {
    "default": {},
    "XGES, effort 0": {"effort": 0},
    "XGES-0": {"search": "xges0"},
}


def draw(columns: int, path: str) -> None:
    """Draw a table and store it."""
    np.save(path, linear_gaussian(columns, RHO, ROWS, seed=SEED).data)


def run(path: str, method: str, jobs: int) -> dict[str, Any]:
    """Learn from a stored table, and say what that took."""
    rows = np.load(path)
    start = time.perf_counter()
    result = learn(rows, **METHODS[method], n_jobs=jobs)
    return {
        "seconds": time.perf_counter() - start,
        **result.timings,
        "score": result.score,
        "edges": len(result.cpdag.directed) + len(result.cpdag.undirected),
        "gibibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }


def in_own_process(*call: object) -> Any:
    """Call one of the functions above in a fresh process, whose memory is its own."""
    command = [sys.executable, __file__, "--call", json.dumps(call)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(answer)


def measure(columns: int, jobs: int) -> list[dict[str, Any]]:
    """Measure each method on one table."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "rows.npy")
        in_own_process("draw", columns, path)
        for method in METHODS:
            took = in_own_process("run", path, method, jobs)
            found.append({"d": columns, "name": method, **took})
            print(found[-1], file=sys.stderr, flush=True)
    return found


def section(found: list[dict[str, Any]], jobs: int) -> Section:
    """Return the table."""
    about = (
        f"`learn(rows, n_jobs={jobs})` with n = {ROWS:,} and ρ = {RHO}: seconds from the table to "
        "the result, in the moments and their checks, and in the search; peak memory of the "
        "whole process. The default is XGES with effort 1."
    )
    header = ["d", "search", "all, s", "moments, s", "search, s", "peak, GiB", "edges"]
    rows = [
        [
            f"{at['d']:,}",
            at["name"],
            *(f"{at[name]:.1f}" for name in ("seconds", "moments", "search", "gibibytes")),
            f"{at['edges']:,}",
        ]
        for at in found
    ]
    return Section("large", "Wide tables", [about, "", *table(header, rows)], found)


def main() -> None:
    """Measure and publish, or do what the parent process asks for."""
    options = parser(__doc__)
    options.add_argument("--columns", type=int, nargs="+", default=[5_000, 10_000, 20_000])
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--call", help="used by the tool itself")
    chosen = options.parse_args()
    if chosen.call:
        name, *arguments = json.loads(chosen.call)
        print(json.dumps({"draw": draw, "run": run}[name](*arguments)))
        return
    found = [at for columns in chosen.columns for at in measure(columns, chosen.jobs)]
    publish(section(found, chosen.jobs), save=chosen.save)


if __name__ == "__main__":
    main()
