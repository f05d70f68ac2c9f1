"""The tables of these benchmarks: curves, noise, columns, rows, about 1.5 parents a column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from greedag.simulate import AdditiveSimulation, additive

RHO, FIRST_SEED = 1.5, 170_000
CURVES = ("tanh", "sin", "square", "cube", "exp", "abs", "steps", "mixture")
NOISES = ("gaussian", "uniform", "laplace")
LIMITS = {"exp": 5.0, "mixture": 5.0}
"""Bounds of what curves see: exponentials of exponentials leave a table of a single row."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What the tables of a cell have in common."""

    curve: str
    noise: str
    d: int
    n: int
    limit: float = math.inf

    @property
    def key(self) -> str:
        """Name of the cell."""
        bounded = "" if math.isinf(self.limit) else f"-{self.limit:g}"
        return f"{self.curve}-{self.noise}-{self.d}-{self.n}{bounded}"


def cells(
    curves: Iterable[str],
    noises: Iterable[str],
    columns: Iterable[int],
    rows: Iterable[int],
    limit: float | None = None,
) -> Iterator[Cell]:
    """Yield all cells of a grid; without a limit, each curve has its own."""
    for d, n, noise, curve in product(columns, rows, noises, curves):
        yield Cell(curve, noise, d, n, limit or LIMITS.get(curve, math.inf))


def table_of(cell: Cell, seed: int) -> AdditiveSimulation:
    """Draw a table of a cell."""
    return additive(
        cell.d,
        RHO,
        cell.n,
        seed=FIRST_SEED + seed,
        curve=cell.curve,
        noise=cell.noise,
        limit=cell.limit,
    )
