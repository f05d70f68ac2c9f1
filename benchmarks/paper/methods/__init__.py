"""Every method that a cell may name: ours, and a file a peer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from greedag import Moments
from paper.methods import (
    causal_learn,
    flop,
    ges_python,
    ours,
    peer,
    pgmpy_ges,
    plain_ops,
    xges_authors,
)
from paper.methods.base import Found, NothingFound
from speed.environments import ENVIRONMENTS, interpreter, python_of

__all__ = ["ADAPTERS", "ENVIRONMENTS", "METHODS", "Found", "NothingFound", "find", "install"]

PEER_FILES = (flop, xges_authors, ges_python, causal_learn, pgmpy_ges)
ADAPTERS: dict[str, ModuleType] = {
    method: adapter for adapter in PEER_FILES for method in adapter.METHODS
}
METHODS = (*ours.METHODS, *plain_ops.METHODS, *ADAPTERS)


def find(
    method: str, moments: Moments, alpha: float, limit: float, environments: Path = ENVIRONMENTS
) -> Found:
    """Run a method on moments.

    Raises
    ------
    NothingFound
        If it is absent, fails or takes more than `limit` seconds.
    """
    if method in ours.METHODS:
        return ours.find(method, moments, alpha, limit)
    if method in plain_ops.METHODS:
        return plain_ops.find(moments, alpha, limit)
    return peer.find(ADAPTERS[method], method, moments, alpha, limit, environments)


def install(methods: Iterable[str]) -> None:
    """Install the peers that the methods need; say which cannot be."""
    needed = {ADAPTERS[method].ENVIRONMENT for method in methods if method in ADAPTERS}
    for name in sorted(needed):
        package = peer.INSTALLED[name]
        if interpreter(package) is not None:
            continue
        print(f"installing {name}", file=sys.stderr, flush=True)
        try:
            python_of(package)
        except subprocess.CalledProcessError:
            print(f"{name} cannot be installed here: its rows will say so", file=sys.stderr)
