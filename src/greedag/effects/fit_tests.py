"""The tests of a linear model with normal noise, column by column.

Each column is tested against the columns before it in the order of one DAG. What fails is added to
its regression, the most telling first, and the rest is tested again: so a missing edge is told from
those that only follow from it, and a curve from the changing spread that it leaves behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from greedag.effects.regressions import Regressions, Tests, curves
from greedag.effects.residuals import Shape, residuals, shape_of, spread_by, spread_test
from greedag.graph.mpdag import Matrix
from greedag.statistics.tails import chi2_tail, f_tail

Floats = NDArray[np.float64]

MARKOV, DEVIANCE, LINEARITY = "markov", "deviance", "linearity"
NORMALITY, SPREAD = "normality", "spread"
NO_COLUMNS: NDArray[np.intp] = np.empty(0, dtype=np.intp)


def order_of(dag: Matrix) -> list[int]:
    """Return the columns, parents before children; of those that could come next, the first."""
    waiting = dag.sum(axis=0).astype(int)
    left = list(range(len(dag)))
    order: list[int] = []
    while left:
        x = next(x for x in left if not waiting[x])
        left.remove(x)
        order.append(x)
        waiting[np.flatnonzero(dag[x])] -= 1
    return order


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What is tested of each column, and at which level each single test fails.

    Attributes
    ----------
    dag : ndarray of shape (d, d)
    order : list of int
        The columns, parents before children.
    curved : list of ndarray
        For each column those whose curves are tried in it.
    levels : mapping of str to float
        For each kind of test that is done, the level of a single one.
    """

    dag: Matrix
    order: list[int]
    curved: list[NDArray[np.intp]]
    levels: dict[str, float]

    def parents(self, y: int) -> list[int]:
        """Return the parents of a column."""
        return [int(x) for x in np.flatnonzero(self.dag[:, y])]

    def others(self, y: int) -> NDArray[np.intp]:
        """Return the columns before y that are not its parents."""
        before = self.order[: self.order.index(y)]
        return np.array([x for x in before if not self.dag[x, y]], dtype=np.intp)


@dataclass(slots=True, eq=False)
class ColumnTests:
    """What was tested of one column.

    Attributes
    ----------
    y : int
        The column.
    markov, curves : Tests
        Of the model as it is.
    missing, bends : list of (int, float, float)
        Columns and curves that the model lacks: which, p-value, and correlation or gain.
    given : list of int
        What explains the column once these are added, as places of :class:`Regressions`.
    """

    y: int
    markov: Tests
    curves: Tests
    missing: list[tuple[int, float, float]] = field(default_factory=list)
    bends: list[tuple[int, float, float]] = field(default_factory=list)
    given: list[int] = field(default_factory=list)


def column_tests(regressions: Regressions, plan: Plan, y: int) -> ColumnTests:
    """Test a column, and find what its regression lacks."""
    given, others, curved = plan.parents(y), plan.others(y), plan.curved[y]
    found = ColumnTests(
        y,
        regressions.columns_missing(y, given, others),
        regressions.curves_missing(y, given, curved),
        given=given,
    )
    lines, bends = found.markov, found.curves
    while True:
        line = _best(lines, plan.levels.get(MARKOV, 0.0))
        bend = _best(bends, plan.levels.get(LINEARITY, 0.0))
        if line is None and bend is None:
            return found
        if bend is None or (line is not None and lines.gains[line] >= bends.gains[bend]):
            assert line is not None
            _add_line(found, lines, line)
        else:
            _add_bend(found, bends, bend, regressions)
        inside = set(found.given)
        lines = regressions.columns_missing(
            y, found.given, np.array([x for x in others if x not in inside], dtype=np.intp)
        )
        bent = {x for x, *_ in found.bends}
        bends = regressions.curves_missing(
            y, found.given, np.array([x for x in curved if x not in bent], dtype=np.intp)
        )


def _best(tests: Tests, level: float) -> int | None:
    """Return the place of the test that fails most clearly, None if none does."""
    failing = np.flatnonzero(tests.p_values < level)
    return int(failing[tests.gains[failing].argmax()]) if len(failing) else None


def _add_line(found: ColumnTests, tests: Tests, place: int) -> None:
    x = int(tests.columns[place])
    found.missing.append((x, float(tests.p_values[place]), float(tests.correlations[place])))
    found.given = [*found.given, x]


def _add_bend(found: ColumnTests, tests: Tests, place: int, regressions: Regressions) -> None:
    x = int(tests.columns[place])
    found.bends.append((x, float(tests.p_values[place]), float(tests.gains[place])))
    line = [] if x in found.given else [x]
    found.given = [*found.given, *line, *regressions.curves_of(x)]


@dataclass(frozen=True, slots=True)
class Deviance:
    """What all earlier columns explain beyond the parents, in likelihood; see `ColumnFit`."""

    value: float
    freedom: int
    p_value: float


def deviances(
    correlations: Sequence[Floats], rows: Sequence[float], plan: Plan
) -> list[Deviance | None]:
    """Return the deviance of each column; None where there are too few rows, or no other columns.

    The correlations and numbers of rows are those that each column is tested on.
    """
    factors: dict[int, Floats | None] = {}
    found: list[Deviance | None] = []
    for y, (correlation, n) in enumerate(zip(correlations, rows, strict=True)):
        if id(correlation) not in factors:
            factors[id(correlation)] = _factor(correlation[np.ix_(plan.order, plan.order)])
        factor, place = factors[id(correlation)], plan.order.index(y)
        parents = plan.parents(y)
        freedom, rest = place - len(parents), n - 1.0 - place
        if factor is None or freedom < 1 or rest < 1.0:
            found.append(None)
            continue
        left = Regressions(n, len(correlation), correlation).left(y, parents).variances[y]
        ratio = max(float(left / factor[place, place] ** 2), 1.0)
        value = (rest + freedom / 2.0 - 1.0) * float(np.log(ratio))
        p_value = float(f_tail((ratio - 1.0) * rest / freedom, freedom, rest)[0])
        found.append(Deviance(value, freedom, p_value))
    return found


def _factor(correlation: Floats) -> Floats | None:
    try:
        return np.asarray(np.linalg.cholesky(correlation), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None


def total_deviance(parts: Sequence[Deviance | None]) -> Deviance | None:
    """Return the sum of deviances, which are independent if the model is true."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    value, freedom = sum(part.value for part in known), sum(part.freedom for part in known)
    return Deviance(value, freedom, float(chi2_tail(value, freedom)[0]))


@dataclass(frozen=True, slots=True)
class Left:
    """What is left of a column, tested: its shape, its spread, and what that changes with most."""

    shape: Shape
    spread: float | None
    spread_by: int | None


def left_of(found: ColumnTests, values: Floats, ranks: Floats, plan: Plan) -> Left:
    """Test what the regression of a column leaves, once all that it lacks is added."""
    d = values.shape[1]
    lines = [x for x in found.given if x < d]
    bent = [x for x, *_ in found.bends]
    columns = np.hstack([values[:, lines], curves(ranks[:, bent])])
    left = residuals(values[:, found.y], columns)
    shape = shape_of(left)
    if not plan.parents(found.y):
        return Left(shape, None, None)
    spread = spread_test(left, ranks[:, lines])
    changes = spread < plan.levels.get(SPREAD, 0.0)
    return Left(shape, spread, spread_by(left, ranks, lines) if changes else None)
