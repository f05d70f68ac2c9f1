"""What becomes of all columns when some are set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from greedag.data.table import Floats
from greedag.drawing.labels import printable
from greedag.effects.counts import CountedFits
from greedag.effects.effect_data import fits_of, statistics_of
from greedag.effects.effect_tables import PredictedColumn, Prediction
from greedag.effects.estimate import Estimates
from greedag.errors import OptionError, quoted
from greedag.result.result import Result

# Shares of the members of a graph, with the means that a column then has.
Possible = list[tuple[float, Floats]]


def do(result: Result, values: Mapping[str, Any], *, data: Any = None) -> Prediction:
    """Return what becomes of all columns; see :meth:`Result.do`."""
    if not isinstance(values, Mapping) or not values:
        raise OptionError(
            f"do needs a mapping of columns to values, such as {{'x': 1.5}}; got {quoted(values)}"
        )
    statistics, _ = statistics_of(result, data)
    fits = fits_of(result, statistics)
    changes = {
        result.graph.index(x): fits.change_to(result.graph.index(x), value)
        for x, value in values.items()
    }
    estimates, xs = Estimates(result.graph, fits, changes), sorted(changes)
    rows: list[PredictedColumn] = []
    for y, name in enumerate(result.graph.names):
        found = _as_set(fits, y, values[name]) if y in changes else _after(estimates, xs, y)
        rows += _rows(fits, name, y, found)
    return Prediction(rows)


def _as_set(fits: Any, y: int, value: Any) -> Possible:
    return [(1.0, fits.means_of(y, value))]


def _after(estimates: Estimates, xs: Sequence[int], y: int) -> Possible:
    """Return the means that the graph leaves possible."""
    fits, changes = estimates.fits, {x: estimates.change(x) for x in xs}
    before = fits.means(y)
    if not isinstance(fits, CountedFits):
        found = estimates.of(xs, y)
        return [(one.share, before + one.value) for one in found]
    possible: Possible = []
    for share, active, given in estimates.plans(xs, y):
        after = fits.distribution(active, y, given, changes) if active else before
        possible.append((share, after))
    return possible


def _rows(fits: Any, name: str, y: int, found: Possible) -> list[PredictedColumn]:
    """Return the rows of a column: its mean, or the probability of each level."""
    labels = [printable(str(label)) for label in fits.labels[y]] if y in fits.labels else [""]
    rows = []
    for place, (label, before) in enumerate(zip(labels, fits.means(y).tolist(), strict=True)):
        pairs = sorted((float(after[place]), share) for share, after in found)
        values, shares = zip(*pairs, strict=True)
        rows.append(PredictedColumn(name, label, before, values, shares))
    return rows
