"""Rows of an experiment: chosen by settings, and turned into numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paper.cells import Row

Floats = NDArray[np.float64]
DRAWS = 2000
QUANTITIES: dict[str, Callable[[Row], float]] = {
    "score above truth": lambda row: row["score"] - row["true_score"],
    "score above truth a column": lambda row: (row["score"] - row["true_score"]) / row["d"],
    "edge ratio": lambda row: row["edges"] / row["true_edges"],
    "wrong effects": lambda row: 100.0 * row["aid"] / (row["d"] * (row["d"] - 1)),
    "parents a column": lambda row: row["true_edges"] / row["d"],
}
"""What is computed from several fields of a row."""


def bootstrapped(
    values: Floats, level: float = 0.95, middle: Callable[..., Any] = np.mean
) -> tuple[float, float]:
    """Return a percentile interval for the mean, always the same for the same values.

    `middle` may be another statistic that takes an `axis`, such as the median.
    """
    picks = np.random.default_rng(0).integers(len(values), size=(DRAWS, len(values)))
    drawn = middle(values[picks], axis=1)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


@dataclass(frozen=True, slots=True)
class Sample:
    """Rows, some of which may tell that there is no result."""

    rows: tuple[Row, ...]

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Sample:
        """Take rows in any order."""
        return cls(tuple(rows))

    def where(self, **settings: Any) -> Sample:
        """Keep the rows with these settings."""
        kept = (row for row in self.rows if all(row[k] == v for k, v in settings.items()))
        return Sample(tuple(kept))

    def levels(self, setting: str) -> list[Any]:
        """Return the values of a setting that occur, in ascending order."""
        return sorted({row[setting] for row in self.rows})

    def ended(self) -> Sample:
        """Keep the rows that have a result."""
        return self.where(status="ok")

    def values(self, quantity: str) -> Floats:
        """Return a quantity of all rows that have a result, in the order of their seeds."""
        rows = sorted(self.ended().rows, key=lambda row: row["seed"])
        compute = QUANTITIES.get(quantity, lambda row: row[quantity])
        return np.array([compute(row) for row in rows], dtype=float)

    def mean(self, quantity: str) -> float:
        """Mean over the rows that have a result; NaN if there are none."""
        values = self.values(quantity)
        return float(values.mean()) if len(values) else float("nan")

    def interval(self, quantity: str) -> tuple[float, float]:
        """Bootstrapped 95 % interval of the mean."""
        return bootstrapped(self.values(quantity))
