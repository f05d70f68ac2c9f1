"""The environments that other programs live in, build/peers/<name>, and rows to give to them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from greedag import Moments

ENVIRONMENTS = Path(__file__).resolve().parents[2] / "build" / "peers"


@dataclass(frozen=True, slots=True)
class Peer:
    """A package, what pip installs for it, and the largest case it is tried on."""

    name: str
    requirements: tuple[str, ...]
    largest: int


PEERS = (
    Peer("flopsearch", ("flopsearch==0.3.0", "numpy==1.26.4"), 500),
    # It uses numba only where SciPy is installed too.
    Peer("xges", ("xges==0.1.6", "numba==0.59.1", "scipy==1.13.1", "numpy==1.26.4"), 100),
    Peer("ges", ("ges==1.1.0", "numpy==1.26.4"), 50),
    Peer("causal-learn", ("causal-learn==0.1.4.8",), 50),
)
PGMPY = Peer("pgmpy", ("pgmpy==1.1.0",), 25)


def interpreter(peer: Peer, environments: Path = ENVIRONMENTS) -> Path | None:
    """Return the interpreter of a peer's environment; none if the peer is not installed there."""
    folder = environments / peer.name
    installed = folder / "installed"
    if not installed.exists() or installed.read_text(encoding="utf-8") != _wanted(peer):
        return None
    return folder / "bin" / "python"


def python_of(peer: Peer) -> str:
    """Return the interpreter of a peer's environment, installing the peer if need be."""
    python = interpreter(peer)
    if python is None:
        folder = ENVIRONMENTS / peer.name
        python = folder / "bin" / "python"
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--quiet"]
        subprocess.run([*pip, *peer.requirements], check=True)
        (folder / "installed").write_text(_wanted(peer), encoding="utf-8")
    return str(python)


def _wanted(peer: Peer) -> str:
    return "\n".join(peer.requirements)


def rows_with(moments: Moments) -> NDArray[np.float64]:
    """Return rows whose covariance is that of the moments, to rounding."""
    n = int(moments.n)
    drawn = np.random.default_rng(0).standard_normal((n, moments.d))
    white, _ = np.linalg.qr(drawn - drawn.mean(axis=0))
    factor = np.linalg.cholesky(moments.covariance)
    return np.ascontiguousarray(np.sqrt(n) * white @ factor.T)
