"""The stored cases: covariances drawn once, and what other programs reached on them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from greedag import Moments, _core
from greedag.graph.mpdag import Matrix

DATA = Path(__file__).resolve().parents[1] / "data"
ALPHA = 2.0


@dataclass(frozen=True, slots=True)
class Case:
    """Moments, and the facts that the folder's reference.json has about them."""

    name: str
    moments: Moments
    recorded: dict[str, Any]

    @property
    def d(self) -> int:
        """Number of columns."""
        return self.moments.d

    @property
    def rho(self) -> float:
        """Mean number of parents in the graph that the data were drawn from."""
        return float(self.recorded["rho"])

    def score(self, dag: Matrix) -> float:
        """Score of a DAG, and so of its class."""
        statistics = (self.moments.correlation, self.moments.log_variances, self.moments.n)
        return _core.GaussianBic(*statistics, ALPHA).of_dag(dag)


def stored_cases(folder: Path = DATA) -> Iterator[Case]:
    """Load the cases of a folder one after the other, small and sparse ones first.

    The folder holds a .npz file (covariance with divisor n, n) for each entry of its
    reference.json.
    """
    recorded = json.loads((folder / "reference.json").read_text(encoding="utf-8"))["cases"]
    for name in sorted(recorded, key=lambda name: (recorded[name]["d"], recorded[name]["rho"])):
        with np.load(folder / f"{name}.npz") as arrays:
            moments = Moments(n=int(arrays["n"]), covariance=arrays["covariance"])
        yield Case(name, moments, recorded[name])
