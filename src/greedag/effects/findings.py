"""From tests that fail to what is wrong: each misfit once, the clearest first, then signs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from greedag.effects import check_words as words
from greedag.effects.check_records import Misfit
from greedag.effects.fit_tests import (
    DEVIANCE,
    NO_COLUMNS,
    NORMALITY,
    ColumnTests,
    Deviance,
    Left,
    Plan,
    column_tests,
    order_of,
)
from greedag.effects.hidden_causes import tetrad_groups
from greedag.effects.latent_factor import one_cause
from greedag.effects.regressions import Regressions
from greedag.errors import DataError
from greedag.graph.mpdag import MPDAG, Matrix

Floats = NDArray[np.float64]

# A hidden cause shows in some members of a class and not in others.
_MEMBERS = 16


def misfits(
    graph: MPDAG,
    plan: Plan,
    columns: Sequence[ColumnTests],
    parts: Sequence[Deviance | None],
    total: Deviance | None,
    left: Sequence[Left],
    correlation: Floats | None,
    n: float,
) -> tuple[Misfit, ...]:
    """Return what does not fit; `correlation` is None where columns have their own rows."""
    names = graph.names
    groups: list[tuple[int, ...]] = []
    cause: tuple[int, ...] = ()
    if correlation is not None:
        cause = _cause(correlation, n, graph, plan, columns)
        groups = tetrad_groups(correlation, n, plan.dag)
    found = [
        *_hidden(names, columns, cause, groups),
        *_missing(names, columns, cause),
        *_bends(names, columns),
        *_shapes(names, plan, left),
        *_spreads(names, left),
    ]
    if not any(one.is_failure for one in found):
        found += _dependence(names, plan, parts, total)
    return tuple(sorted(found, key=lambda one: (not one.is_failure, one.p_value)))


def _cause(
    correlation: Floats, n: float, graph: MPDAG, plan: Plan, columns: Sequence[ColumnTests]
) -> tuple[int, ...]:
    """Return the columns of a hidden cause that explains what fails; empty if none does."""
    if sum(len(column.missing) for column in columns) < 2:
        return ()
    regressions = Regressions(n, len(correlation), correlation)
    members = []
    for dag in _members(graph, plan):
        other = Plan(dag, order_of(dag), [NO_COLUMNS] * len(dag), plan.levels)
        tests = [column_tests(regressions, other, y) for y in range(len(dag))]
        members.append((dag, {c.y: [x for x, *_ in c.missing] for c in tests}))
    return one_cause(correlation, n, members)


def _members(graph: MPDAG, plan: Plan) -> Iterator[Matrix]:
    """Give the DAG that was tested, and some others of the class."""
    yield plan.dag
    try:
        drawn = graph.sample_dags(_MEMBERS, seed=0)
    except DataError:  # too many to count
        return
    yield from {dag.tobytes(): dag for dag in drawn if (dag != plan.dag).any()}.values()


def _hidden(
    names: Sequence[str],
    columns: Sequence[ColumnTests],
    cause: tuple[int, ...],
    groups: Sequence[tuple[int, ...]],
) -> Iterator[Misfit]:
    """Give a cause by which tests fail, and signs of others in the graph."""
    if cause:
        p_values = [p for c in columns for x, p, _ in c.missing if {c.y, x} & set(cause)]
        yield words.hidden_cause([names[x] for x in cause], min(p_values))
    for group in groups:
        if len(set(group) & set(cause)) < 2:
            yield words.sign_of_cause([names[x] for x in group])


def _missing(
    names: Sequence[str], columns: Sequence[ColumnTests], cause: tuple[int, ...]
) -> Iterator[Misfit]:
    """Give the edges that lack, but for those of columns that a hidden cause explains."""
    for column in columns:
        for x, p_value, correlation in column.missing:
            if not {x, column.y} & set(cause):
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
