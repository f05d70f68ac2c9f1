"""What draws cost: CPU seconds beside the searches and the passes over rows they consist of.

``python benchmarks/stability/cost.py [--columns 50] [--rows 100000 1000000] [--draws 100]
[--repeats 4] [--turns 6] [--save]`` prints what this run measured. Tables of more than a million
rows are read from a Parquet file.

What else the machine does changes CPU seconds less than those of the clock, but by a tenth still.
So what is compared takes turns, and the least seconds of each count. What two threads gain can only
be seen on the clock.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import distributed
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))
from greedag import Stability, learn, simulate, stability
from greedag._options import LearnOptions
from greedag.uncertainty.draws import draws_of, prepared_for_draws
from page import publish
from report import parser, table

SEED = 184_000
ALPHA = 2.0
IN_MEMORY = 1_000_000
OPTIONS = LearnOptions(alpha=ALPHA)


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Return the seconds that some work takes."""
    start = clock()
    work()
    return clock() - start


@contextmanager
def rows_of(d: int, n: int) -> Iterator[Any]:
    """Give a table: an array, or a file if there are many rows."""
    chunk = min(n, IN_MEMORY)
    drawn = simulate.linear_gaussian(d, 2.0, chunk, seed=SEED)
    if n <= IN_MEMORY:
        yield drawn.data
        return
    # Of the same model: rows are noise times the effects of all columns on all.
    effects = np.linalg.inv(np.eye(d) - drawn.weights)
    random = np.random.default_rng(SEED)
    with TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        schema = pa.schema([(name, pa.float64()) for name in drawn.names])
        with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as file:
            for _ in range(n // chunk):
                values = (random.standard_normal((chunk, d)) * drawn.noise_sd) @ effects
                file.write_table(pa.table([*values.T], schema=schema))
        yield path


def row(d: int, n: int, draws: int, repeats: int) -> list[str]:
    """Return a row of the table of costs."""
    with rows_of(d, n) as data:
        score, prepared = prepared_for_draws(data, OPTIONS)
        halves = draws_of(prepared, "halves", 0)
        parts = [halves.statistics(draw) for draw in range(draws)]

        def search_all() -> None:
            for part in parts:
                learn(part, score=halves.score(score, part, prepared.statistics.n))

        works = (
            lambda: prepared_for_draws(data, OPTIONS),
            search_all,
            lambda: stability(data, draws=draws, alpha=ALPHA),
        )
        runs = [[seconds(work) for work in works] for _ in range(repeats)]
    passed, searched, drawn = np.min(runs, axis=0)
    return [
        *(f"{d}", f"{n:,}", f"{passed:.3f}", f"{searched:.2f}", f"{drawn:.2f}"),
        f"{drawn / (searched + 2 * passed):.2f}",
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}",
    ]


def at_a_time(d: int, n: int, draws: int, turns: int) -> list[str]:
    """Return what two threads gain, and whether they and two workers give the same bits."""

    def drawn(**where: Any) -> Stability:
        return stability(data, draws=draws, alpha=ALPHA, **where)

    with rows_of(d, n) as data:
        taken = [
            [seconds(lambda: drawn(n_jobs=jobs), time.perf_counter) for jobs in (1, 2)]  # noqa: B023
            for _ in range(turns)
        ]
        one, two = np.min(taken, axis=0)
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            by_workers = drawn(client=client)
        alone, by_threads = drawn(n_jobs=1), drawn(n_jobs=2)
    same = all(np.array_equal(alone.packed, each.packed) for each in (by_threads, by_workers))
    bits = "the same bits" if same else "other bits"
    return [
        f"{d} columns, {n:,} rows, {draws} draws: on one thread {one:.2f} s of the clock, on two",
        f"{two:.2f} s, {one / two:.2f} times as fast; least of {turns} runs each, taking turns.",
        f"Two threads and two workers of a Dask cluster give {bits}.",
        f"Load of the machine's {os.cpu_count()} cores at the end: {os.getloadavg()[0]:.0f}.",
    ]


HEADER = [
    *("d", "n", "pass, s", "searches, s", "draws, s"),
    *("draws / (searches + 2 passes)", "memory, MB"),
]


def main() -> None:
    """Measure, and print the table."""
    options = parser(__doc__)
    options.add_argument("--columns", type=int, default=50)
    options.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    options.add_argument("--draws", type=int, default=100)
    options.add_argument("--repeats", type=int, default=4)
    options.add_argument("--turns", type=int, default=6)
    chosen = options.parse_args()
    rows = []
    for n in chosen.rows:
        rows.append(row(chosen.columns, n, chosen.draws, chosen.repeats))
        print(*rows[-1], flush=True)
    lines = [
        *table(HEADER, rows),
        "",
        f"CPU seconds of {chosen.draws} draws; searches are those on the moments of these draws.",
        "",
        *at_a_time(chosen.columns, chosen.rows[0], chosen.draws, chosen.turns),
    ]
    publish("Cost", lines, save=chosen.save)


if __name__ == "__main__":
    main()
