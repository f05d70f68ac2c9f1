"""What can be said of the columns from their moments, and what should worry the reader.

The *variance inflation* of a column is 1 / (1 - R²), with R² that of its regression on all other
columns: 1 if it has nothing in common with them, infinite if they determine it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from greedag.data.table import Floats
from greedag.graph.cpdag import Matrix
from greedag.report.numbers import amount, count
from greedag.statistics.moments import Moments

INFLATED = 10.0
NARROW = 1e-5
ROWS_A_COLUMN = 10
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
    elif n < ROWS_A_COLUMN * d:
        yield (
            f"There are only {amount(n / d, 2)} rows a column ({n:,} rows, {d:,} columns). Weak "
            "edges and directions may change with another sample."
        )


def _overfitted(n: float, shown: Sequence[str], fitted: Sequence[int]) -> Iterator[str]:
    if not fitted:
        return
    has, its = ("has", "its") if len(fitted) == 1 else ("have", "their")
    yield (
        f"{count(len(fitted), 'column')} {has} nearly as many parents as there are rows ({n:,}): "
        f"{_named(fitted, shown)}. So many parents fit anything: the strengths of {its} edges say "
        "nothing, and coefficients are left out."
    )


def _named(columns: Sequence[int], shown: Sequence[str]) -> str:
    named = [shown[i] for i in columns[:_MOST_NAMED]]
    if len(columns) > _MOST_NAMED:
        named.append(f"{len(columns) - _MOST_NAMED:,} more")
    return ", ".join(named)


def _collinear(columns: ColumnSummary, shown: Sequence[str]) -> Iterator[str]:
    if columns.inflation is None:
        return
    inflated = np.flatnonzero(columns.inflation >= INFLATED)
    if not inflated.size:
        return
    worst = inflated[np.argsort(-columns.inflation[inflated], kind="stable")]
    named = [_collinear_column(columns, shown, int(i)) for i in worst[:_MOST_NAMED]]
    if len(worst) > _MOST_NAMED:
        named.append(f"{len(worst) - _MOST_NAMED:,} more")
    have = "has" if len(worst) == 1 else "have"
    yield (
        f"{count(len(worst), 'column')} {have} a variance inflation of {INFLATED:g} or more, so "
        f"that the others nearly determine {'it' if len(worst) == 1 else 'them'}: "
        f"{'; '.join(named)}. Which of them an edge goes to is less certain than its strength says."
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
        named = _named(narrow.tolist(), shown)
        yield (
            f"{count(int(narrow.size), 'column')} nearly constant: the spread is less than "
            f"{NARROW:g} of the mean ({named}). Check that digits were not lost to "
            "rounding; subtract a constant before storing such values."
        )
