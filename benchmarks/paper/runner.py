"""Runs the cells that have no row yet, on the cores of this machine or on a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from greedag.errors import require
from paper.cells import TIMES, Cell, Row, measure
from paper.methods import ENVIRONMENTS
from paper.progress import Progress
from paper.store import appending, load, rewrite

ONE_THREAD = {f"{pool}_NUM_THREADS": "1" for pool in ("OMP", "OPENBLAS", "MKL", "NUMBA", "RAYON")}


def run(
    wanted: list[Cell],
    path: Path,
    *,
    limit: float,
    jobs: int | None = None,
    cluster: str | None = None,
    environments: Path = ENVIRONMENTS,
) -> None:
    """Append a row for every wanted cell that the file has none for."""
    with appending(path) as append:
        finished = load(path)
        left = [cell for cell in wanted if cell not in finished]
        progress = Progress(len(left), sum(cell.expected_seconds for cell in left))
        work = partial(measure, limit=limit, environments=environments)
        rows = on_cluster(left, work, cluster) if cluster else on_cores(left, work, jobs)
        for row in rows:
            append(row)
            progress.tick(Cell.of(row))


def judge_again(
    wanted: list[Cell], path: Path, *, limit: float, jobs: int | None = None
) -> list[Cell]:
    """Run the cells again whose rows lack a field, and add it; their seconds stay as they were.

    Returns
    -------
    list of Cell
        Those that came out otherwise than before, whose rows stay as they were.
    """
    with appending(path):
        rows, different = load(path), []
        left = [cell for cell in wanted if cell in rows and _lacks_fields(rows[cell])]
        progress = Progress(len(left), sum(cell.expected_seconds for cell in left))
        for row in on_cores(left, partial(measure, limit=limit), jobs):
            cell = Cell.of(row)
            before = rows[cell]
            if all(row.get(name) == before[name] for name in before if name not in TIMES):
                rows[cell] = row | {name: before[name] for name in TIMES}
            else:
                different.append(cell)
            progress.tick(cell)
        rewrite(path, list(rows.values()))
    return different


def _lacks_fields(row: Row) -> bool:
    return row["status"] == "ok" and "aid" not in row


def keep(path: Path, wanted: Callable[[Cell, Row], bool]) -> None:
    """Drop the rows that are not wanted, and sort the others, so that versions can be compared."""
    with appending(path):
        rewrite(path, [row for cell, row in load(path).items() if wanted(cell, row)])


def on_cores(cells: list[Cell], work: Any, jobs: int | None) -> Iterator[Row]:
    """Measure in processes of this machine; rows come as they are done."""
    # Thread pools are made when NumPy is imported, so the workers start afresh.
    os.environ.update(ONE_THREAD)
    pool = ProcessPoolExecutor(
        jobs or len(os.sched_getaffinity(0)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_end_with_parent,
    )
    try:
        for future in as_completed([pool.submit(work, cell) for cell in cells]):
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _end_with_parent() -> None:
    """Let a worker end when its parent is killed, rather than wait for work for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def on_cluster(cells: list[Cell], work: Any, address: str) -> Iterator[Row]:
    """Measure by the workers of a Dask cluster, which need greedag; this package is sent to them.

    Peers run on workers that see this machine's environments under the same path; elsewhere
    they are absent, and their rows say so.
    """
    distributed = require("distributed", "cluster")
    with distributed.Client(address) as client, tempfile.TemporaryDirectory() as folder:
        client.upload_file(str(_archive(Path(folder))))
        futures = client.map(work, cells, pure=False)
        for _, row in distributed.as_completed(futures, with_results=True):
            yield row


def _archive(folder: Path) -> Path:
    """Put the modules that a worker needs into an archive that Python can import from."""
    path, package = folder / "paper.zip", Path(__file__).parent
    with zipfile.ZipFile(path, "w") as archive:
        for file in package.rglob("*.py"):
            archive.write(file, Path("paper") / file.relative_to(package))
        archive.writestr("speed/__init__.py", "")
        archive.write(package.parent / "speed" / "environments.py", "speed/environments.py")
    return path
