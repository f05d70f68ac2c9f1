"""The naive C++ twin of the six searches, compiled on first use and called through ctypes."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Nodes = tuple[int, ...]
Entry = tuple[str, int, int, Nodes, Nodes, Nodes, float]
"""Kind, x, y, T (C of a delete), E, F and gain of one operator."""

KINDS = ("delete", "reverse", "insert")
MAX_NODES = 128
HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build" / "oracle"

_Words = ctypes.POINTER(ctypes.c_uint64)
_Local = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int, _Words)
_Gain = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int, ctypes.c_int, _Words)
_Emit = ctypes.CFUNCTYPE(
    None, ctypes.c_int, ctypes.c_int, ctypes.c_int, _Words, _Words, _Words, ctypes.c_double
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a search ends with: the CPDAG, its total score and the operators that led there."""

    adjacency: NDArray[np.uint8]
    score: float
    trace: list[Entry]


def search(
    correlation: NDArray[np.float64],
    variances: NDArray[np.float64],
    n: int,
    alpha: float,
    name: str,
    *,
    keep_forbidden: bool = False,
) -> Outcome:
    """Run one of "xges", "xges0", "ges", "ges-r", "ops", "fges" from the empty graph.

    Parameters
    ----------
    correlation : ndarray of shape (d, d)
        Correlations, exactly symmetric.
    variances : ndarray of shape (d,)
        Biased variances.
    n : int
        Number of rows.
    alpha : float
        Weight of the penalty.
    name : str
        Name of the search.
    keep_forbidden : bool
        Never lift the forbidden inserts of an accepted trial, and do not polish.
    """
    d = len(correlation)
    if d > MAX_NODES:
        raise ValueError(f"the naive twin takes at most {MAX_NODES} nodes, not {d}")
    adjacency = np.zeros((d, d), dtype=np.uint8)
    score = ctypes.c_double()
    trace, emit = _collector()
    failed = _library().naive_search(
        np.ascontiguousarray(correlation, dtype=np.float64).ctypes,
        np.ascontiguousarray(variances, dtype=np.float64).ctypes,
        d,
        ctypes.c_double(n),
        ctypes.c_double(alpha),
        name.encode(),
        int(keep_forbidden),
        adjacency.ctypes,
        ctypes.byref(score),
        emit,
    )
    if failed:
        raise ValueError(f"the naive twin of {name!r} failed")
    return Outcome(adjacency, score.value, trace)


def search_by(
    local_score: Callable[[int, Nodes], float],
    d: int,
    n: int,
    name: str,
    gain: Callable[[int, int, Nodes], float] | None = None,
) -> Outcome:
    """Run a search as :func:`search` does, by a local score of a node and its parents.

    With a gain of joining x and y given E, gains need not be differences of local scores.
    """
    adjacency = np.zeros((d, d), dtype=np.uint8)
    score = ctypes.c_double()
    trace, emit = _collector()
    local = _Local(lambda y, parents: local_score(y, _nodes(parents)))
    given = _Gain() if gain is None else _Gain(lambda x, y, E: gain(x, y, _nodes(E)))
    size, rows = ctypes.c_int(d), ctypes.c_double(n)
    if _library().naive_search_by(
        local, given, size, rows, name.encode(), adjacency.ctypes, ctypes.byref(score), emit
    ):
        raise ValueError(f"the naive twin of {name!r} failed")
    return Outcome(adjacency, score.value, trace)


def valid_operators(adjacency: NDArray[np.uint8], kind: str) -> list[Entry]:
    """Return every valid operator of a kind ("insert", "delete" or "reverse"), with gain 0."""
    trace, emit = _collector()
    matrix = np.ascontiguousarray(adjacency, dtype=np.uint8)
    _library().naive_operators(matrix.ctypes, len(matrix), KINDS.index(kind), emit)
    return trace


def apply(
    adjacency: NDArray[np.uint8], kind: str, x: int, y: int, T: Iterable[int]
) -> NDArray[np.uint8]:
    """Return the CPDAG that a valid operator leads to."""
    matrix = np.array(adjacency, dtype=np.uint8, order="C")
    mask = sum(1 << v for v in T)
    words = (ctypes.c_uint64 * 2)(mask & (2**64 - 1), mask >> 64)
    if _library().naive_apply(matrix.ctypes, len(matrix), KINDS.index(kind), x, y, words):
        raise ValueError(f"{kind} {x} {y} leads to a graph without a member DAG")
    return matrix


def _collector() -> tuple[list[Entry], Callable[..., None]]:
    """Return a list and the C callback that appends one operator to it."""
    entries: list[Entry] = []

    def emit(kind: int, x: int, y: int, T: object, E: object, F: object, gain: float) -> None:
        entries.append((KINDS[kind], x, y, _nodes(T), _nodes(E), _nodes(F), gain))

    return entries, _Emit(emit)


def _nodes(words: object) -> Nodes:
    mask = words[0] | words[1] << 64  # type: ignore[index]
    return tuple(v for v in range(mask.bit_length()) if mask >> v & 1)


@cache
def _library() -> ctypes.CDLL:
    """Compile the twin unless its exact source has been compiled already, and load it."""
    sources = sorted([*HERE.glob("naive_*.cpp"), *HERE.glob("naive_*.hpp")])
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    target = BUILD / f"naive_search-{digest}.so"
    if not target.exists():
        _compile(HERE / "naive_search.cpp", target)
    return ctypes.CDLL(str(target))


def _compile(source: Path, target: Path) -> None:
    """Build a shared library and move it into place whole, so that parallel runs do not clash."""
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        raise RuntimeError("the naive twin needs a C++20 compiler: install g++ or set CXX")
    flags = ["-std=c++20", "-O2", "-ffp-contract=off", "-shared", "-fPIC"]
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        built = Path(folder) / target.name
        subprocess.run([*compiler.split(), *flags, str(source), "-o", str(built)], check=True)
        built.replace(target)
