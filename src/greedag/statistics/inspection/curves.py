"""Effects that bend, for which a score of curves is better than one of lines."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from greedag.data.source import Floats
from greedag.statistics.curves import curves_of, most_curves
from greedag.statistics.inspection.draft import Draft, plural
from greedag.statistics.sample import ValueSample

# Looking at all pairs takes time that grows with the square of their number.
_MOST_COLUMNS = 300
LOOKED_AT = 2048
"""How many rows to look at, at most."""
_LEAST_ROWS = 100
_COLUMNS_EACH = 6
# By chance, a curve gains so many points on a line in one pair of many thousands.
_LEAST_GAIN = 10.0
_SHOWN = 5
_MOST_EXPLAINED = 1.0 - 1e-9


def may_bend(n: int, d: int) -> bool:
    """Whether there are rows enough to see curves, and not too many continuous columns."""
    return n >= _LEAST_ROWS and 2 <= d <= _MOST_COLUMNS


def look_at_curves(draft: Draft, names: Sequence[str], values: Sequence[Floats]) -> None:
    """Find pairs of continuous columns, complete and as they are learned from, that bend."""
    gains = curve_gains(values)
    either = np.triu(np.maximum(gains, gains.T), 1)
    pairs = np.argwhere(either > _LEAST_GAIN)
    if not len(pairs):
        return
    best = sorted(pairs.tolist(), key=lambda pair: -either[pair[0], pair[1]])
    bent = [(j, i) if gains[j, i] > gains[i, j] else (i, j) for i, j in best[:_SHOWN]]
    more = f", and {plural(len(best) - _SHOWN, 'more pair')}" if len(best) > _SHOWN else ""
    draft.add(
        "curves",
        "info",
        list(dict.fromkeys(names[j] for pair in bent for j in pair)),
        ", ".join(f"{names[x]!r} and {names[y]!r} ({gains[x, y]:.0f} points)" for x, y in bent)
        + more
        + ": a curve fits better than a line",
        why="scores of lines miss what bends, and may add edges in its place",
        remedy="learn with score 'additive', which fits curves; they help to tell directions if "
        "noise is about normal",
    )


def curve_gains(values: Sequence[Floats]) -> Floats:
    """Return by how many points, penalty included, a curve of x fits y better than a line does.

    Each y is a column, each x a row; 0 where a line is as good.
    """
    n = len(values[0])
    curves = most_curves(n, len(values))
    bases = [curves_of(ValueSample.of(column, np.ones(n)), curves) for column in values]
    rows = np.ones(n, dtype=bool)
    for basis, column in zip(bases, values, strict=True):
        rows &= np.abs(basis.standardised(column)) <= basis.reach
    expanded = [
        _unit(basis.columns(column[rows])[:, :_COLUMNS_EACH])
        for basis, column in zip(bases, values, strict=True)
    ]
    response = np.column_stack([columns[:, 0] for columns in expanded])
    correlations = np.hstack(expanded).T @ response / len(response)
    starts = np.cumsum([columns.shape[1] for columns in expanded])[:-1]
    gains = np.array([_gain(part, n) for part in np.split(correlations, starts)])
    np.fill_diagonal(gains, 0.0)
    return gains


def _gain(correlations: Floats, n: int) -> Floats:
    """Return the gains of curves of one column, given the correlations with its basis."""
    # The columns of a basis are uncorrelated, so that what they explain adds up.
    explained = np.cumsum(correlations**2, axis=0)
    left = np.log1p(-np.minimum(explained, _MOST_EXPLAINED))
    penalty = math.log(n) * np.arange(len(left))[:, np.newaxis]
    best: Floats = ((left[0] - left) * (n / 2.0) - penalty).max(axis=0)
    return best


def _unit(columns: Floats) -> Floats:
    """Return columns with mean 0 and variance 1; constant ones as 0."""
    centred = columns - columns.mean(axis=0)
    deviation = centred.std(axis=0)
    unit: Floats = centred / np.where(deviation > 0.0, deviation, 1.0)
    return unit
