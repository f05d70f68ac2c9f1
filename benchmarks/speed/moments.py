"""`Moments.from_data` beside `numpy.cov`: seconds and memory on 100,000 rows of 200 columns.

``python benchmarks/speed/moments.py [--save]``
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from greedag import Moments
from report import Section, parser, publish, table

ROWS, COLUMNS, ROUNDS = 100_000, 200, 7


def containers() -> dict[str, Any]:
    """Return the same table in every container."""
    rows = np.random.default_rng(0).standard_normal((ROWS, COLUMNS))
    columns = {f"x{j}": rows[:, j].copy() for j in range(COLUMNS)}
    return {
        "NumPy, by rows": rows,
        "NumPy, by columns": np.asfortranarray(rows),
        "pandas, one block": pd.DataFrame(rows),
        "pandas, column by column": pd.DataFrame(columns),
        "polars": pl.DataFrame(columns),
        "Arrow": pa.table(columns),
    }


def seconds(call: Callable[[Any], Any], data: Any) -> float:
    """Return the seconds of one call."""
    start = time.perf_counter()
    call(data)
    return time.perf_counter() - start


def extra_memory(data: Any) -> float:
    """Return the most memory that counting takes beside the table, as a part of the table's."""
    tracemalloc.start()
    Moments.from_data(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / (ROWS * COLUMNS * 8)


def covariance(rows: Any) -> Any:
    """Return what the moments are compared with."""
    return np.cov(rows, rowvar=False, bias=True)


def measure() -> dict[str, Any]:
    """Return least seconds of all, taken in turn, and memory."""
    tables = containers()
    plain = tables["NumPy, by rows"]
    taken: dict[str, list[float]] = {name: [] for name in ("numpy.cov", *tables)}
    for _ in range(ROUNDS):
        taken["numpy.cov"].append(seconds(covariance, plain))
        for name, data in tables.items():
            taken[name].append(seconds(Moments.from_data, data))
    return {
        "seconds": {name: min(found) for name, found in taken.items()},
        "extra memory": {name: extra_memory(data) for name, data in tables.items()},
    }


def section(found: dict[str, Any]) -> Section:
    """Return the table."""
    base = found["seconds"]["numpy.cov"]
    about = (
        f"{ROWS:,} rows of {COLUMNS} doubles, one thread, least of {ROUNDS} rounds that take "
        "turns; `numpy.cov` reads the array by rows. Extra memory is the peak of what Python "
        "allocates beside the table, as a part of the table's own."
    )
    rows = [
        [name, f"{took:.3f}", f"{took / base:.2f}", _part(found["extra memory"].get(name))]
        for name, took in found["seconds"].items()
    ]
    header = ["table", "seconds", "of numpy.cov's", "extra memory"]
    return Section("moments", "Moments", [about, "", *table(header, rows)], found)


def _part(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def main() -> None:
    """Measure and publish."""
    chosen = parser(__doc__).parse_args()
    publish(section(measure()), save=chosen.save)


if __name__ == "__main__":
    main()
