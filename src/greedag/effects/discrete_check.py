"""Whether a graph of discrete columns fits: Markov tests by Pearson's χ² of counted levels.

There is a table of two columns for each combination of the parents' levels, and the statistics of
all these add up. Where cells are too few for that to be χ² distributed, a test is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from greedag.effects import check_words as words
from greedag.effects.check_records import ColumnFit, MarkovTest, ModelCheck, TestKind
from greedag.effects.fit_tests import MARKOV, order_of
from greedag.effects.rows_to_check import PURPOSE, RowsToCheck
from greedag.errors import DataError
from greedag.result.result import Result
from greedag.statistics.levels import Levels
from greedag.statistics.tails import chi2_tail, uniformity

_LEAST_EXPECTED = 5.0
_NOT_DONE = "columns are discrete"


def check_levels(result: Result, rows: RowsToCheck, level: float) -> ModelCheck:
    """Check a graph of discrete columns."""
    levels: Levels = rows.statistics
    if levels.missing:
        raise DataError(
            f"{PURPOSE} needs complete rows; {levels.missing} values are missing",
            remedy="pass rows as data=, with missing='drop' or without missing values",
            code="missing-values",
        )
    dag, names = result.best_dag, levels.names
    order = order_of(dag)
    tests = []
    for place, y in enumerate(order):
        parents = np.flatnonzero(dag[:, y]).tolist()
        given = tuple(names[x] for x in parents)
        for x in (x for x in order[:place] if not dag[x, y]):
            p_value = independence(levels, y, x, parents)
            if p_value is not None:
                tests.append(MarkovTest(names[y], names[x], given, float("nan"), p_value))
    tests.sort(key=lambda test: test.p_value)
    single = level / max(len(tests), 1)
    failing = [test for test in tests if test.p_value < single]
    smallest = tests[0].p_value * len(tests) if tests else 1.0
    return ModelCheck(
        names=tuple(names[y] for y in order),
        n=levels.n,
        level=level,
        is_held_out=rows.is_held_out,
        tests=tuple(tests),
        curves=(),
        columns=tuple(_column_fit(names[y], tests) for y in order),
        deviance=None,
        freedom=0,
        p_value=None,
        kinds=(TestKind(MARKOV, len(tests), min(1.0, smallest), level),),
        misfits=tuple(
            words.missing_edge(test.column, test.other, float("nan"), test.p_value)
            for test in failing
        ),
        not_done=_NOT_DONE,
    )


def independence(levels: Levels, y: int, x: int, given: Sequence[int]) -> float | None:
    """Return the p-value that two columns are independent given others; None of too few rows."""
    table = _tables(levels, y, x, given)
    rows, columns = table.sum(axis=2), table.sum(axis=1)
    whole = rows.sum(axis=1)
    expected = rows[:, :, np.newaxis] * columns[:, np.newaxis, :] / whole[:, np.newaxis, np.newaxis]
    there = expected > 0.0
    freedom = int((((rows > 0).sum(axis=1) - 1) * ((columns > 0).sum(axis=1) - 1)).sum())
    if freedom < 1 or whole.sum() < _LEAST_EXPECTED * there.sum():
        return None
    squares = (table - expected)[there] ** 2 / expected[there]
    return float(chi2_tail(squares.sum(), freedom)[0])


def _tables(levels: Levels, y: int, x: int, given: Sequence[int]) -> NDArray[np.float64]:
    """Return how often levels of two columns occur together, by what others are."""
    keys = np.zeros(len(levels.counts), dtype=np.intp)
    for column in given:
        keys = keys * levels.sizes[column] + levels.codes[column]
        keys = np.unique(keys, return_inverse=True)[1].reshape(-1)
    sizes = (int(keys.max(initial=0)) + 1, levels.sizes[y], levels.sizes[x])
    cells = (keys * sizes[1] + levels.codes[y]) * sizes[2] + levels.codes[x]
    counts = np.bincount(cells, levels.counts, minlength=int(np.prod(sizes)))
    return np.asarray(counts.reshape(sizes), dtype=np.float64)


def _column_fit(name: str, tests: Sequence[MarkovTest]) -> ColumnFit:
    p_values = np.array([test.p_value for test in tests if test.column == name])
    some = len(p_values) > 0
    return ColumnFit(
        column=name,
        tests=len(p_values),
        share_below=float(np.mean(p_values < 0.05)) if some else None,
        uniformity=uniformity(p_values)[1] if some else None,
        deviance=None,
        freedom=0,
        p_value=None,
    )
