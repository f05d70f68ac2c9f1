"""The columns as the page lists them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from greedag.graph.cpdag import CPDAG
from greedag.report.columns import INFLATED, ColumnSummary
from greedag.report.numbers import amount, amount_of_log


@dataclass(frozen=True, slots=True)
class Cell:
    """A number as shown, and as it is sorted by."""

    text: str
    value: str
    alarming: bool = False


@dataclass(frozen=True, slots=True)
class ColumnRow:
    """One column as listed."""

    name: str
    mean: Cell | None
    spread: Cell
    inflation: Cell | None
    closest: str
    parents: int
    children: int
    neighbors: int


def column_table(
    graph: CPDAG, summary: ColumnSummary, shown: tuple[str, ...], most: int
) -> list[ColumnRow]:
    """Return what is known of each of the first `most` columns, in the order of the table."""
    cells = graph.to_matrix()
    both = cells & cells.T
    parents, children = (cells - both).sum(axis=0), (cells - both).sum(axis=1)
    neighbors = both.sum(axis=0)
    return [
        ColumnRow(
            name=shown[i],
            mean=None if summary.mean is None else _number(float(summary.mean[i])),
            spread=_exponential(float(summary.log_spread[i])),
            inflation=None if summary.inflation is None else _inflation(summary.inflation[i]),
            closest=_closest(summary, i, shown),
            parents=int(parents[i]),
            children=int(children[i]),
            neighbors=int(neighbors[i]),
        )
        for i in range(min(most, graph.d))
    ]


def _number(number: float) -> Cell:
    return Cell(amount(number), repr(number))


def _exponential(log: float) -> Cell:
    # Sorted by the logarithm, which is finite where the spread itself is not.
    return Cell(amount_of_log(log), repr(log))


def _inflation(inflation: np.float64) -> Cell:
    number = float(inflation)
    text = amount(number) if math.isfinite(number) else "infinite"
    return Cell(text, repr(number), number >= INFLATED)


def _closest(summary: ColumnSummary, i: int, shown: tuple[str, ...]) -> str:
    if not summary.closest:
        return ""
    other, correlation = summary.closest[i]
    return f"{shown[other]} ({correlation:.2f})".replace("(-", "(−")
