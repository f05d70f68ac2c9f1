"""How fast tables are read from files: MB of file per second of CPU time.

``python benchmarks/speed/reading.py [--rows 20000] [--rounds 5] [--against PYTHON]`` writes a table
of 200 columns as CSV and Parquet, and reads each with ``Moments.from_file`` and with ``greedag
learn`` up to the search, one thread each. With ``--against``, the interpreter of an environment
that has another version takes turns with this one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

COLUMNS = 200
THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class _ReadError(Exception):
    """Raised where the search would begin."""


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU time that something takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def read_by_command(path: str) -> None:
    """Run ``greedag learn`` up to the search."""
    from greedag import _core
    from greedag.cli import main

    def stop(*_: object, **__: object) -> None:
        raise _ReadError

    _core.search = stop  # type: ignore[assignment]
    try:
        main(["learn", path])
    except _ReadError:
        return
    raise RuntimeError(f"{path} could not be read")


def measure(folder: Path) -> dict[str, float]:
    """Read every file in every way, once to warm up, and return MB per second."""
    from greedag import Moments

    rates = {}
    for path in sorted(map(str, folder.glob("table.*"))):
        megabytes = os.path.getsize(path) / 1e6
        for way, read in (("from_file", Moments.from_file), ("greedag learn", read_by_command)):
            read(path)
            took = min(seconds(lambda read=read, path=path: read(path)) for _ in range(3))
            rates[f"{Path(path).suffix[1:]:8}{way}"] = megabytes / took
    return rates


def write_tables(folder: Path, rows: int) -> None:
    """Write one table of numbers in two formats."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet

    values = np.random.default_rng(0).normal(size=(rows, COLUMNS))
    names = [f"x{j}" for j in range(COLUMNS)]
    with open(folder / "table.csv", "w", encoding="utf-8") as file:
        file.write(",".join(names) + "\n")
        file.writelines(",".join(map(repr, row)) + "\n" for row in values.tolist())
    table = pa.table(dict(zip(names, np.asfortranarray(values).T, strict=True)))
    pa.parquet.write_table(table, folder / "table.parquet")


def main() -> None:
    """Print the rates of each version."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--against", metavar="PYTHON")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure)))
        return
    pythons = [sys.executable, *([given.against] if given.against else [])]
    found: dict[str, list[dict[str, float]]] = {python: [] for python in pythons}
    with tempfile.TemporaryDirectory() as folder:
        write_tables(Path(folder), given.rows)
        for _ in range(given.rounds):
            for python in pythons:
                # Another version is found where its own interpreter finds it.
                own = os.environ if python == sys.executable else os.environ | {"PYTHONPATH": ""}
                command = [python, __file__, "--measure", folder]
                run = subprocess.run(command, env={**own, **THREADS}, capture_output=True)
                found[python].append(json.loads(run.stdout))
    for case in found[sys.executable][0]:
        rates = [median(run[case] for run in runs) for runs in found.values()]
        print(f"{case:24}" + "".join(f"{rate:8.0f} MB/s" for rate in rates))


if __name__ == "__main__":
    main()
