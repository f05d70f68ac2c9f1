"""Moments of Parquet files larger than memory: seconds, and memory that does not grow with rows.

``python benchmarks/streaming.py [--rows 10000000] [--folder FOLDER] [--save]``

The files are drawn in chunks and deleted at the end: 160 bytes a row, so that ``--rows 100000000``,
the full run, takes 16 GB of disk. Memory is the peak of a process that does nothing else.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parent / "speed"))

from greedag import Moments
from report import Section, parser, publish, table

COLUMNS, CHUNK, PER_FILE = 20, 250_000, 10_000_000
SMALL = 1_000_000
# Counted in a process of its own, whose peak is that of the counting and of the imports. What
# resource.getrusage says would be at least the peak of the process that started it.
COUNTING = """
import json, sys, time
from greedag import Moments
start = time.perf_counter()
moments = Moments.from_file(sys.argv[1])
seconds = time.perf_counter() - start
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024
print(json.dumps({"n": moments.n, "seconds": seconds, "megabytes": peak}))
"""


def write(folder: Path, rows: int) -> float:
    """Write rows of correlated columns, far from 0, in files of some million; return gigabytes."""
    rng = np.random.default_rng(0)
    mixing = rng.normal(size=(COLUMNS, COLUMNS))
    names = [f"x{j}" for j in range(COLUMNS)]
    schema = pa.schema([(name, pa.float64()) for name in names])
    for part, first in enumerate(range(0, rows, PER_FILE)):
        last = min(rows, first + PER_FILE)
        path = folder / f"part-{part:04}.parquet"
        # Random doubles hardly shrink; reading them is then bound by the counting.
        with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
            for start in range(first, last, CHUNK):
                size = min(CHUNK, last - start)
                values = rng.standard_normal((size, COLUMNS)) @ mixing + 1e8
                columns = [np.ascontiguousarray(column) for column in values.T]
                writer.write_table(pa.Table.from_arrays(columns, schema=schema))
    return sum(path.stat().st_size for path in folder.iterdir()) / 1e9


def counted(folder: Path) -> dict[str, float]:
    """Return seconds and peak memory of counting a folder."""
    command = [sys.executable, "-c", COUNTING, str(folder / "*.parquet")]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(answer.stdout)
    return found


def largest_difference(folder: Path) -> float:
    """Return how far moments of files are from those in memory, relative to the deviations."""
    streamed = Moments.from_file(str(folder / "*.parquet"))
    whole = Moments.from_data(pq.read_table(folder))
    scale = np.outer(whole.deviations, whole.deviations)
    return float(np.abs((streamed.covariance - whole.covariance) / scale).max())


def measure(rows: int, parent: str | None) -> dict[str, Any]:
    """Return the figures of a small table and of a large one."""
    free = shutil.disk_usage(parent or tempfile.gettempdir()).free
    if free < 1.2 * rows * COLUMNS * 8:
        raise SystemExit(f"{rows:,} rows need {rows * COLUMNS * 8 / 1e9:.0f} GB of free disk")
    found: dict[str, Any] = {"columns": COLUMNS, "runs": []}
    for size in sorted({SMALL, rows}):
        with tempfile.TemporaryDirectory(dir=parent) as name:
            start = time.perf_counter()
            gigabytes = write(Path(name), size)
            print(f"{size:,} rows written in {time.perf_counter() - start:.0f} s", file=sys.stderr)
            found["runs"].append({"gigabytes": gigabytes, **counted(Path(name))})
            if size == SMALL:
                found["difference"] = largest_difference(Path(name))
    return found


def section(found: dict[str, Any]) -> Section:
    """Return the table."""
    about = (
        f"`Moments.from_file` on Parquet files of {COLUMNS} columns of doubles with mean 1e8 and "
        "standard deviations of a few units, one thread for the sums. Memory is the peak of the "
        f"whole process. On {SMALL:,} rows covariances differ from those counted in memory by at "
        f"most {found['difference']:.1e} of the deviations."
    )
    rows = [
        [
            f"{run['n']:,}",
            f"{run['gigabytes']:.2f}",
            f"{run['seconds']:.1f}",
            f"{run['n'] / run['seconds'] / 1e6:.1f}",
            f"{run['megabytes']:.0f}",
        ]
        for run in found["runs"]
    ]
    header = ["rows", "GB on disk", "seconds", "million rows a second", "peak MB"]
    return Section("streaming", "Beyond memory", [about, "", *table(header, rows)], found)


def main() -> None:
    """Measure and publish."""
    options = parser(__doc__)
    options.add_argument("--rows", type=int, default=10_000_000)
    options.add_argument("--folder", help="where the files are made; the usual one if left out")
    chosen = options.parse_args()
    publish(section(measure(chosen.rows, chosen.folder)), save=chosen.save)


if __name__ == "__main__":
    main()
