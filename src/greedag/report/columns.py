"""The columns: what their moments say, what should worry the reader, and the table of them.

The *variance inflation* of a column is 1 / (1 - R²), with R² that of its regression on all other
columns: 1 if it has nothing in common with them, infinite if they determine it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from greedag.data.table import Floats
from greedag.drawing.labels import amount, amount_of_log, count, in_words
from greedag.graph.cpdag import CPDAG, Matrix
from greedag.result.result import Result
from greedag.statistics.levels import Levels
from greedag.statistics.mixed import MixedTable
from greedag.statistics.moments import Moments

# Columns beyond these are not listed, so that the file stays small.
MOST_LISTED = 500
INFLATED = 10.0
NARROW = 1e-5
ROWS_PER_COLUMN = 10
# Inverting the correlations takes about d³ operations.
_MOST_INVERTED = 2000
# A column with fewer degrees of freedom left is fitted mostly by chance.
LEAST_FREEDOM = 10
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """What is known of every column; None where it is not known."""

    mean: Floats | None
    log_spread: Floats
    inflation: Floats | None
    closest: tuple[tuple[int, float], ...]


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


def summarise(moments: Moments) -> ColumnSummary:
    """Return spread, mean, variance inflation and the most correlated other column of each."""
    correlation = moments.correlation
    return ColumnSummary(
        mean=moments.mean,
        log_spread=moments.log_variances / 2.0,
        inflation=_inflation(moments, correlation),
        closest=_closest(correlation),
    )


def overfitted(n: float, dag: Matrix) -> list[int]:
    """Return the columns that have nearly as many parents in a member as there are rows."""
    parents = dag.sum(axis=0, dtype=np.int64)
    return np.flatnonzero((parents > 0) & (n - parents - 1 < LEAST_FREEDOM)).tolist()


def warnings(
    moments: Moments, columns: ColumnSummary, shown: Sequence[str], fitted: Sequence[int] = ()
) -> Iterator[str]:
    """Yield what should make a reader careful, most serious first.

    Parameters
    ----------
    moments, columns : Moments, ColumnSummary
        The data, and what :func:`summarise` says of them.
    shown : sequence of str
        The names as shown.
    fitted : sequence of int
        The columns that :func:`overfitted` returns.
    """
    yield from _few_rows(moments)
    yield from _overfitted(moments.n, shown, fitted)
    yield from _collinear(columns, shown)
    yield from _narrow(columns, shown)


def _inflation(moments: Moments, correlation: Floats) -> Floats | None:
    if moments.rank_limited or moments.d > _MOST_INVERTED:
        return None
    try:
        inverse = np.linalg.inv(correlation)
    except np.linalg.LinAlgError:
        return None
    # Rounding may leave less than 1, which no regression can give.
    inflation: Floats = np.maximum(inverse.diagonal(), 1.0)
    return inflation


def _closest(correlation: Floats) -> tuple[tuple[int, float], ...]:
    size = np.abs(correlation)
    np.fill_diagonal(size, -1.0)
    other = size.argmax(axis=1)
    return tuple((int(j), float(correlation[i, j])) for i, j in enumerate(other))


def _few_rows(moments: Moments) -> Iterator[str]:
    n, d = moments.n, moments.d
    if moments.rank_limited:
        yield (
            f"There are no more rows ({n:,}) than columns ({d:,}). The edges are hints, not "
            "findings: with so few rows many other graphs fit about as well."
        )
    elif n < ROWS_PER_COLUMN * d:
        yield (
            f"There are only {amount(n / d, 2)} rows per column ({n:,} rows, {d:,} columns). Weak "
            "edges and directions may change with another sample."
        )


def _overfitted(n: float, shown: Sequence[str], fitted: Sequence[int]) -> Iterator[str]:
    if not fitted:
        return
    has, its = ("has", "its") if len(fitted) == 1 else ("have", "their")
    yield (
        f"{count(len(fitted), 'column')} {has} nearly as many parents as there are rows ({n:,}): "
        f"{in_words([shown[i] for i in fitted], _MOST_NAMED)}. So many parents fit anything: the "
        f"strengths of {its} edges mean nothing, and coefficients are left out."
    )


def _collinear(columns: ColumnSummary, shown: Sequence[str]) -> Iterator[str]:
    if columns.inflation is None:
        return
    inflated = np.flatnonzero(columns.inflation >= INFLATED)
    if not inflated.size:
        return
    worst = inflated[np.argsort(-columns.inflation[inflated], kind="stable")]
    named = in_words([_collinear_column(columns, shown, int(i)) for i in worst], _MOST_NAMED)
    have = "has" if len(worst) == 1 else "have"
    yield (
        f"{count(len(worst), 'column')} {have} a variance inflation of {INFLATED:g} or more, so "
        f"that the others nearly determine {'it' if len(worst) == 1 else 'them'}: "
        f"{named}. Which of them an edge goes to is less certain than its strength "
        "suggests."
    )


def _collinear_column(columns: ColumnSummary, shown: Sequence[str], i: int) -> str:
    assert columns.inflation is not None
    other, correlation = columns.closest[i]
    return (
        f"{shown[i]} ({amount(float(columns.inflation[i]))}; correlation "
        f"{correlation:.3f} with {shown[other]})"
    )


def _narrow(columns: ColumnSummary, shown: Sequence[str]) -> Iterator[str]:
    if columns.mean is None:
        return
    with np.errstate(divide="ignore"):
        relative = columns.log_spread - np.log(np.abs(columns.mean))
    narrow = np.flatnonzero(relative < np.log(NARROW))
    if narrow.size:
        named = in_words([shown[i] for i in narrow.tolist()], _MOST_NAMED)
        yield (
            f"{count(int(narrow.size), 'column')} nearly constant: the standard deviation is less "
            f"than {NARROW:g} of the mean ({named}). Check that no digits were lost to rounding; "
            "subtract a constant before storing such values."
        )


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
            inflation=None if summary.inflation is None else _inflation_cell(summary.inflation[i]),
            closest=_closest_text(summary, i, shown),
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


def _inflation_cell(inflation: np.float64) -> Cell:
    number = float(inflation)
    text = amount(number) if math.isfinite(number) else "infinite"
    return Cell(text, repr(number), number >= INFLATED)


def _closest_text(summary: ColumnSummary, i: int, shown: tuple[str, ...]) -> str:
    if not summary.closest:
        return ""
    other, correlation = summary.closest[i]
    return f"{shown[other]} ({correlation:.2f})".replace("(-", "(−")


def data_part(result: Result, shown: tuple[str, ...]) -> dict[str, Any]:
    """Return the values of the section on the data."""
    moments = result.moments
    if moments is None:
        part: dict[str, Any] = {"warnings": [], "data_notes": [_without_moments(result)]}
        return part | {"columns": [], "with_mean": False, "with_inflation": False}
    summary = summarise(moments)
    fitted = overfitted(result.n, result.cpdag.to_dag())
    found = list(warnings(moments, summary, shown, fitted))
    return {
        "warnings": found,
        "data_notes": list(_data_notes(summary, found, result.cpdag.d)),
        "with_mean": summary.mean is not None,
        "with_inflation": summary.inflation is not None,
        "columns": column_table(result.cpdag, summary, shown, MOST_LISTED),
    }


def _without_moments(result: Result) -> str:
    statistics = result.statistics
    if statistics is None:
        return "The data are not part of this result, so nothing can be said about them here."
    if isinstance(statistics, Levels):
        return f"{count(len(statistics.counts), 'distinct row')} of discrete columns."
    only = "Means, spreads and correlations are shown for tables of continuous columns only."
    if isinstance(statistics, MixedTable):
        continuous = statistics.kinds.count("continuous")
        discrete = count(len(statistics.kinds) - continuous, "discrete column")
        return f"{count(result.n, 'row')} of {continuous:,} continuous and {discrete}. {only}"
    return "The data were only seen by your own score, so nothing can be said about them here."


def _data_notes(summary: ColumnSummary, found: list[str], d: int) -> Iterator[str]:
    if found:
        yield "The summary says what calls for care."
    else:
        yield "Nothing in the number of rows, the spreads or the correlations calls for care."
    if summary.inflation is None:
        yield (
            "Variance inflation is left out: it takes more rows than columns, and is computed for "
            "at most 2,000 columns."
        )
    else:
        yield (
            "Variance inflation is 1 / (1 − R²) of a column regressed on all others: 1 if it has "
            "nothing in common with them. From 10 on it deserves attention."
        )
    if d > MOST_LISTED:
        yield f"Only the first {MOST_LISTED:,} of {d:,} columns are listed."
