"""Runs a peer in its own environment, and tells apart why it may have nothing to show."""

from __future__ import annotations

import signal
import subprocess
import tempfile
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import numpy as np

from greedag import CPDAG, Moments
from greedag.errors import DataError
from paper.methods.base import Found, absent, failed, too_slow
from speed.environments import PEERS, PGMPY, Peer, interpreter, rows_with

WARM_UP = 300.0
"""Seconds that a program may take before its clock starts."""
INSTALLED = {peer.name: peer for peer in (*PEERS, PGMPY)}


def environment(adapter: ModuleType) -> Peer:
    """Return what an adapter's package needs."""
    return INSTALLED[adapter.ENVIRONMENT]


def find(
    adapter: ModuleType,
    method: str,
    moments: Moments,
    alpha: float,
    limit: float,
    environments: Path,
) -> Found:
    """Run one method of a peer on rows that have the moments."""
    peer = environment(adapter)
    python = interpreter(peer, environments)
    if python is None:
        raise absent(f"{peer.requirements[0]} is not installed")
    with tempfile.TemporaryDirectory() as folder:
        rows, matrix = Path(folder) / "rows.npy", Path(folder) / "matrix.npy"
        np.save(rows, rows_with(moments))
        name = adapter.__name__.rpartition(".")[2]
        # Copied, because this package may be in an archive that was sent to a worker.
        for file in ("driver.py", f"{name}.py"):
            (Path(folder) / file).write_bytes(files("paper.methods").joinpath(file).read_bytes())
        driver = str(Path(folder) / "driver.py")
        command = [str(python), driver, name, method, str(alpha), str(limit)]
        seconds = _run([*command, str(rows), str(matrix)], limit)
        return Found(_class(np.load(matrix), moments.names), seconds)


def _run(command: list[str], limit: float) -> float:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit + WARM_UP)
    except subprocess.TimeoutExpired:
        raise too_slow(limit) from None
    if done.returncode == -signal.SIGALRM:
        raise too_slow(limit)
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise failed(said[-1][:200] if said else f"ended with code {done.returncode}")
    return float(done.stdout.splitlines()[-1])


def _class(matrix: np.ndarray, names: tuple[str, ...]) -> CPDAG:  # type: ignore[type-arg]
    try:
        return CPDAG.from_matrix(matrix, names)
    except DataError as error:
        raise failed(f"what it returned is not a class: {error}"[:200]) from None
