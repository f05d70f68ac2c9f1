"""From tests that fail to what is wrong: each misfit once, the clearest first, and signs at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from greedag.effects import check_words as words
from greedag.effects.check_records import Misfit
from greedag.effects.fit_tests import DEVIANCE, NORMALITY, ColumnTests, Deviance, Left, Plan
from greedag.effects.hidden_causes import HiddenCause, hidden_causes

Floats = NDArray[np.float64]


def misfits(
    names: Sequence[str],
    plan: Plan,
    columns: Sequence[ColumnTests],
    parts: Sequence[Deviance | None],
    total: Deviance | None,
    left: Sequence[Left],
    correlation: Floats | None,
    n: float,
) -> tuple[Misfit, ...]:
    """Return what does not fit; `correlation` is None where columns have their own rows."""
    lacking = _lacking(columns)
    causes: list[HiddenCause] = []
    if correlation is not None:
        causes = hidden_causes(correlation, n, plan.dag, lacking)
    found = [
        *_hidden(names, causes, lacking),
        *_missing(names, columns, causes),
        *_bends(names, columns),
        *_shapes(names, plan, left),
        *_spreads(names, left),
    ]
    if not any(one.is_failure for one in found):
        found += _dependence(names, plan, parts, total)
    return tuple(sorted(found, key=lambda one: (not one.is_failure, one.p_value)))


def _lacking(columns: Sequence[ColumnTests]) -> dict[frozenset[int], float]:
    """Return the pairs that depend on each other beyond the graph, with p-values."""
    return {frozenset((c.y, x)): p for c in columns for x, p, _ in c.missing}


def _hidden(
    names: Sequence[str],
    causes: Sequence[HiddenCause],
    lacking: dict[frozenset[int], float],
) -> Iterator[Misfit]:
    for cause in causes:
        inside = [p for pair, p in lacking.items() if pair <= set(cause.columns)]
        yield words.hidden_cause(
            [names[x] for x in cause.columns],
            cause.tetrads,
            min(inside, default=1.0),
            is_failure=bool(inside),
        )


def _missing(
    names: Sequence[str], columns: Sequence[ColumnTests], causes: Sequence[HiddenCause]
) -> Iterator[Misfit]:
    for column in columns:
        for x, p_value, correlation in column.missing:
            if not any({x, column.y} <= set(cause.columns) for cause in causes):
                yield words.missing_edge(names[column.y], names[x], correlation, p_value)


def _bends(names: Sequence[str], columns: Sequence[ColumnTests]) -> Iterator[Misfit]:
    """Give the curves that lack, of two directions the one that gains more."""
    best: dict[frozenset[int], tuple[float, float, int, int]] = {}
    for column in columns:
        for x, p_value, gain in column.bends:
            pair = frozenset((x, column.y))
            best[pair] = max(best.get(pair, (-np.inf, 1.0, 0, 0)), (gain, p_value, x, column.y))
    for gain, p_value, x, y in best.values():
        yield words.bend(names[x], names[y], gain, p_value)


def _shapes(names: Sequence[str], plan: Plan, left: Sequence[Left]) -> Iterator[Misfit]:
    level = plan.levels.get(NORMALITY, 0.0)
    for name, one in zip(names, left, strict=False):
        shape = one.shape
        if shape.kurtosis_p < level:
            yield words.tails(name, shape.kurtosis, shape.kurtosis_p)
        elif shape.skewness_p < level:
            yield words.skewness(name, shape.skewness, shape.skewness_p)


def _spreads(names: Sequence[str], left: Sequence[Left]) -> Iterator[Misfit]:
    for name, one in zip(names, left, strict=False):
        if one.spread_by is not None and one.spread is not None:
            yield words.changing_spread(name, names[one.spread_by], one.spread)


def _dependence(
    names: Sequence[str],
    plan: Plan,
    parts: Sequence[Deviance | None],
    total: Deviance | None,
) -> list[Misfit]:
    """Return the columns whose deviance alone fails; if none does, perhaps the whole."""
    level = plan.levels.get(DEVIANCE, 0.0)
    found = [
        words.dependence(name, part.p_value)
        for name, part in zip(names, parts, strict=True)
        if part is not None and part.p_value < level
    ]
    if not found and total is not None and total.p_value < level:
        found.append(words.dependence("", total.p_value))
    return found
