"""Whether a graph and its model fit the data: the check behind :meth:`Result.check`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag._options import as_real
from greedag.effects.check_records import ColumnFit, CurveTest, MarkovTest, ModelCheck, TestKind
from greedag.effects.findings import misfits
from greedag.effects.fit_tests import (
    DEVIANCE,
    LINEARITY,
    MARKOV,
    NO_COLUMNS,
    NORMALITY,
    SPREAD,
    ColumnTests,
    Deviance,
    Left,
    Plan,
    column_tests,
    deviances,
    left_of,
    order_of,
    total_deviance,
)
from greedag.effects.regressions import Regressions, correlations_with_curves, ranks_of
from greedag.effects.residuals import LEAST_ROWS
from greedag.effects.rows_to_check import PURPOSE, RowsToCheck, rows_to_check
from greedag.errors import DataError, OptionError, counted_rows, quoted
from greedag.graph.mpdag import Matrix
from greedag.result.result import Result
from greedag.statistics.levels import Levels
from greedag.statistics.moments import Moments
from greedag.statistics.tails import uniformity

Floats = NDArray[np.float64]


def check(result: Result, data: Any = None, *, level: float = 0.05, **said: Any) -> ModelCheck:
    """Check a model; see :meth:`Result.check`."""
    share = as_real(level)
    if not 0.0 < share < 1.0:
        raise OptionError(f"level must be between 0 and 1; got {quoted(level)}")
    rows = rows_to_check(result, data, said)
    if isinstance(rows.statistics, Levels):
        from greedag.effects.discrete_check import check_levels

        return check_levels(result, rows, share)
    return _check_linear(result, rows, share)


def _check_linear(result: Result, rows: RowsToCheck, level: float) -> ModelCheck:
    """Check a linear model with normal noise."""
    by_column = _moments(result, rows.statistics)
    values, why_not = _usable(rows)
    plan = _plan(result, level, has_rows=values is not None)
    _check_rows(plan, by_column)
    known = {id(moments): moments.correlation for moments in by_column}
    correlations = [known[id(moments)] for moments in by_column]
    counts = [float(moments.n) for moments in by_column]
    parts = deviances(correlations, counts, plan)
    if values is None:
        regressions = map(Regressions, counts, [len(by_column)] * len(counts), correlations)
        columns = [column_tests(each, plan, y) for y, each in enumerate(regressions)]
        left: list[Left] = []
    else:
        ranks = ranks_of(values)
        whole = correlations_with_curves(values, ranks, correlations[0])
        regression = Regressions(counts[0], len(counts), whole)
        columns = [column_tests(regression, plan, y) for y in range(len(counts))]
        left = [left_of(column, values, ranks, plan) for column in columns]
    names, total = result.cpdag.names, total_deviance(parts)
    one_table = correlations[0] if len(known) == 1 else None
    found = misfits(result.graph, plan, columns, parts, total, left, one_table, counts[0])
    return ModelCheck(
        names=tuple(names[y] for y in plan.order),
        n=rows.statistics.n,
        level=level,
        is_held_out=rows.is_held_out,
        tests=_markov_tests(names, plan, columns),
        curves=_curve_tests(names, plan, columns),
        columns=tuple(
            _column_fit(names[y], columns[y], parts[y], left[y] if left else None)
            for y in plan.order
        ),
        deviance=None if total is None else total.value,
        freedom=0 if total is None else total.freedom,
        p_value=None if total is None else total.p_value,
        kinds=_kinds(plan, level, columns, parts, total, left),
        misfits=found,
        not_done=why_not,
    )


def _moments(result: Result, statistics: Any) -> list[Moments]:
    """Return for each column the moments of the rows in which it was not set."""
    many = hasattr(statistics, "by_column")
    found = statistics.by_column() if many else [statistics] * result.cpdag.d
    if not isinstance(found[0], Moments):
        score = result.settings.get("score")
        raise DataError(
            f"{PURPOSE} knows linear models of continuous columns and tables of discrete ones; "
            f"this result was scored by {score}",
            remedy="learn the graph, or that of some columns, with score='gaussian-bic' or "
            "'discrete-bic', and check that",
            code="no-check",
        )
    return list(found)


def _usable(rows: RowsToCheck) -> tuple[Floats | None, str]:
    """Return the rows to test shapes on, or why they are not tested."""
    if rows.values is not None and len(rows.values) < LEAST_ROWS:
        return None, f"that takes {LEAST_ROWS} rows"
    return rows.values, rows.why_not


def _check_rows(plan: Plan, by_column: Sequence[Moments]) -> None:
    for y, moments in enumerate(by_column):
        parents = len(plan.parents(y))
        if moments.n < parents + 4 or parents >= (moments.rank or moments.d):
            raise DataError(
                f"column {quoted(moments.names[y])} has {parents} parents, too many for a test in "
                f"{counted_rows(moments.n)} rows",
                remedy="check the model on more rows",
                code="too-few-rows",
                columns=(moments.names[y],),
            )


def _plan(result: Result, level: float, *, has_rows: bool) -> Plan:
    """Plan the tests: the level is shared by their kinds, and within each by its tests."""
    dag = result.best_dag
    plan = Plan(
        dag, order_of(dag), _curved(result, dag) if has_rows else [NO_COLUMNS] * len(dag), {}
    )
    others = [len(plan.others(y)) for y in range(len(dag))]
    counts = {MARKOV: sum(others), DEVIANCE: sum(map(bool, others)) + 1 if sum(others) else 0}
    if has_rows:
        counts[LINEARITY] = sum(map(len, plan.curved))
        counts[NORMALITY] = 2 * len(dag)
        counts[SPREAD] = int(dag.any(axis=0).sum())
    done = {kind: count for kind, count in counts.items() if count}
    plan.levels.update({kind: level / len(done) / count for kind, count in done.items()})
    return plan


def _curved(result: Result, dag: Matrix) -> list[NDArray[np.intp]]:
    """Return for each column those whose curves are tried: earlier ones, and undirected edges.

    Where the graph leaves a direction open, a curve may show in the other one only.
    """
    matrix = result.graph.to_matrix()
    is_open = (matrix > 0) & (matrix.T > 0)
    order = order_of(dag)
    found = []
    for y in range(len(dag)):
        tried = {*order[: order.index(y)], *np.flatnonzero(is_open[:, y]).tolist()}
        found.append(np.array(sorted(tried), dtype=np.intp))
    return found


def _kinds(
    plan: Plan,
    level: float,
    columns: Sequence[ColumnTests],
    parts: Sequence[Deviance | None],
    total: Deviance | None,
    left: Sequence[Left],
) -> tuple[TestKind, ...]:
    p_values: dict[str, list[float]] = {
        MARKOV: [p for column in columns for p in column.markov.p_values.tolist()],
        DEVIANCE: [part.p_value for part in (*parts, total) if part is not None],
        LINEARITY: [p for column in columns for p in column.curves.p_values.tolist()],
        NORMALITY: [p for one in left for p in (one.shape.skewness_p, one.shape.kurtosis_p)],
        SPREAD: [one.spread for one in left if one.spread is not None],
    }
    found = []
    for name, single in plan.levels.items():
        count = round(level / len(plan.levels) / single)
        smallest = min(p_values[name], default=1.0)
        found.append(TestKind(name, count, min(1.0, smallest * count), level / len(plan.levels)))
    return tuple(found)


def _markov_tests(
    names: Sequence[str], plan: Plan, columns: Sequence[ColumnTests]
) -> tuple[MarkovTest, ...]:
    found = [
        MarkovTest(names[c.y], names[x], tuple(names[p] for p in plan.parents(c.y)), float(r), p)
        for c in columns
        for x, r, p in zip(
            c.markov.columns, c.markov.correlations, c.markov.p_values.tolist(), strict=True
        )
    ]
    return tuple(sorted(found, key=lambda test: test.p_value))


def _curve_tests(
    names: Sequence[str], plan: Plan, columns: Sequence[ColumnTests]
) -> tuple[CurveTest, ...]:
    found = [
        CurveTest(names[x], names[c.y], bool(plan.dag[x, c.y] or plan.dag[c.y, x]), gain, p)
        for c in columns
        for x, gain, p in zip(
            c.curves.columns, c.curves.gains.tolist(), c.curves.p_values.tolist(), strict=True
        )
    ]
    return tuple(sorted(found, key=lambda test: test.p_value))


def _column_fit(
    name: str, tests: ColumnTests, deviance: Deviance | None, left: Left | None
) -> ColumnFit:
    p_values = tests.markov.p_values
    some = len(p_values) > 0
    shape = None if left is None else left.shape
    return ColumnFit(
        column=name,
        tests=len(p_values),
        share_below=float(np.mean(p_values < 0.05)) if some else None,
        uniformity=uniformity(p_values)[1] if some else None,
        deviance=None if deviance is None else deviance.value,
        freedom=len(p_values),
        p_value=None if deviance is None else deviance.p_value,
        skewness=None if shape is None else shape.skewness,
        kurtosis=None if shape is None else shape.kurtosis,
        normality=None
        if shape is None
        else min(1.0, 2.0 * min(shape.skewness_p, shape.kurtosis_p)),
        spread=None if left is None else left.spread,
    )
