"""The columns of tables that hold levels: how often each level occurs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag.data.table import Floats
from greedag.drawing.labels import amount, count, em_width, label, shortened
from greedag.report.tables import MOST_LISTED, Cell, ColumnRow, Level, degrees_of
from greedag.result.result import Result
from greedag.statistics.levels import Levels
from greedag.statistics.mixed import MixedTable

# The most frequent levels are listed, the others counted.
_MOST_LEVELS = 6
_LEVEL_EM = 18.0


def levels_part(result: Result, shown: tuple[str, ...]) -> dict[str, Any]:
    """Return the values of the section on data that have levels."""
    statistics = result.statistics
    assert isinstance(statistics, (Levels, MixedTable))
    known = list(_of_levels(statistics) if isinstance(statistics, Levels) else _mixed(statistics))
    rows = [
        ColumnRow(name=shown[i], degrees=degrees, **known[i])
        for i, degrees in enumerate(degrees_of(result.graph)[:MOST_LISTED])
    ]
    return {
        "warnings": [],
        "data_notes": list(_notes(result, statistics)),
        "columns": rows,
    }


def _notes(result: Result, statistics: Levels | MixedTable) -> Iterator[str]:
    if isinstance(statistics, Levels):
        yield f"{count(len(statistics.counts), 'distinct row')} of discrete columns."
    else:
        continuous = statistics.kinds.count("continuous")
        discrete = count(len(statistics.kinds) - continuous, "discrete column")
        yield f"{count(result.n, 'row')} of {continuous:,} continuous and {discrete}."
    if result.cpdag.d > MOST_LISTED:
        yield f"Only the first {MOST_LISTED:,} of {result.cpdag.d:,} columns are listed."


def _of_levels(levels: Levels) -> Iterator[dict[str, Any]]:
    for codes, labels in zip(levels.codes, levels.labels, strict=True):
        totals = _totals(codes, levels.counts, len(labels) + 1)
        lacking = totals[len(labels)] / totals.sum()
        missing = Cell(_percent(lacking), repr(float(lacking))) if levels.missing else None
        yield {"missing": missing, **frequencies(labels, totals[:-1])}


def _mixed(table: MixedTable) -> Iterator[dict[str, Any]]:
    values, codes = iter(table.values), iter(zip(table.codes, table.labels, strict=True))
    for kind in table.kinds:
        if kind == "continuous":
            yield {"kind": kind, **_spread(next(values), table.weights)}
        else:
            code, labels = next(codes)
            totals = _totals(code, table.weights, len(labels))
            yield {"kind": kind, **frequencies(labels, totals)}


def _totals(codes: NDArray[Any], weights: Floats | None, size: int) -> Floats:
    return np.bincount(codes, weights=weights, minlength=size).astype(np.float64)


def _spread(values: Floats, weights: Floats | None) -> dict[str, Cell]:
    # In units of the largest, so that no square overflows.
    unit = float(np.abs(values).max()) or 1.0
    mean = float(np.average(values / unit, weights=weights))
    variance = float(np.average((values / unit - mean) ** 2, weights=weights))
    numbers = {"mean": mean * unit, "spread": variance**0.5 * unit}
    return {name: Cell(amount(number), repr(number)) for name, number in numbers.items()}


def frequencies(labels: Sequence[object], totals: Floats) -> dict[str, Any]:
    """Return the most frequent levels with their shares, and how many more there are."""
    shares = totals / (totals.sum() or 1.0)
    order = np.argsort(-shares, kind="stable")[:_MOST_LEVELS]
    before = np.concatenate([[0.0], np.cumsum(shares[order])])
    levels = tuple(
        Level(
            shortened(label(str(labels[i])), _LEVEL_EM, em_width),
            _percent(shares[i]),
            round(100.0 * float(start), 1),
            round(100.0 * float(shares[i]), 1),
        )
        for i, start in zip(order.tolist(), before, strict=False)
    )
    return {"levels": levels, "more_levels": len(labels) - len(levels)}


def _percent(share: float) -> str:
    percent = 100.0 * float(share)
    digits = 1 if 0.0 < percent < 10.0 or 99.0 < percent < 100.0 else 0
    return "under 0.1 %" if 0.0 < percent < 0.05 else f"{percent:.{digits}f} %"
