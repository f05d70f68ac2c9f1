"""Scores of rows from experiments, against regressions and counts of the rows themselves."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from greedag import _core
from greedag._options import DataOptions
from greedag.errors import DataError, OptionError
from greedag.scores import (
    AdditiveBIC,
    BDeu,
    BGe,
    ConditionalGaussian,
    DegenerateGaussian,
    DiscreteBIC,
    ExtendedBIC,
    GaussianBIC,
)
from greedag.scores.base import Score
from greedag.scores.interventional import Interventional
from greedag.scores.select import prepare
from greedag.statistics.basis import BasisMoments
from greedag.statistics.environments import Environments
from greedag.statistics.moments import Moments
from helpers.experiments import frame, linear_rows, random_dag
from oracle import brute_force as bf
from oracle import discrete as rows_of_levels
from oracle import interventional_scores as twin
from oracle import mixed_scores

TARGETS = [[], [0], [1, 2], [3], [0, 3]]
Local = Callable[[int, Sequence[int]], float]


def tables(seed: int, d: int = 5, n: int = 40) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return linear_rows(random_dag(d, 1.5, rng), TARGETS, n, rng)


def bound(data: object, score: Score, **options: object) -> _core.Score:
    found, prepared = prepare(data, score, None, DataOptions(interventions="set", **options))
    assert isinstance(found, Interventional)
    return found.bind(prepared.statistics)


def assert_same(engine: _core.Score, local: Local) -> None:
    for y in range(engine.size):
        others = [x for x in range(engine.size) if x != y]
        for k in range(4):
            for parents in combinations(others, k):
                right = local(y, parents)
                assert math.isclose(engine.local_score(y, parents), right, rel_tol=1e-9)


def test_gaussian_scores_are_regressions_on_the_rows_in_which_a_column_was_not_set() -> None:
    made = tables(0)
    assert_same(
        bound(frame(made, TARGETS), GaussianBIC(1.5)),
        lambda y, parents: twin.gaussian_bic(y, parents, made, TARGETS, alpha=1.5),
    )
    extra = 2 * 0.5 * math.log(5)
    assert_same(
        bound(frame(made, TARGETS), ExtendedBIC()),
        lambda y, parents: twin.gaussian_bic(y, parents, made, TARGETS, alpha=1.0, extra=extra),
    )


def test_bge_is_that_of_the_rows_in_which_a_column_was_not_set() -> None:
    made = tables(1)
    score = BGe(units="given", nu=0.0, edge_penalty=0.5)

    def local(y: int, parents: Sequence[int]) -> float:
        rows = twin.not_set(y, made, TARGETS)
        return mixed_scores.bge(rows, 1.0, 7.0, np.zeros(5), 0.5)(y, parents)

    assert_same(bound(frame(made, TARGETS), score), local)


def level_tables(seed: int) -> list[np.ndarray]:
    rows = np.array(rows_of_levels.random_rows(seed, 5, 300, most_levels=3))
    made = np.array_split(rows, len(TARGETS))
    made[1][::2, 0] = 7  # a level that occurs only where the column was set
    return made


def level_frame(made: Sequence[np.ndarray]) -> pd.DataFrame:
    whole = frame(made, TARGETS)
    return whole.astype({name: "category" for name in whole.columns[:-1]})


@pytest.mark.parametrize("seed", range(3))
def test_discrete_scores_are_counts_of_the_rows_in_which_a_column_was_not_set(seed: int) -> None:
    made = level_tables(seed)
    assert_same(
        bound(level_frame(made), DiscreteBIC(1.5)),
        lambda y, parents: twin.discrete_bic(y, parents, made, TARGETS, alpha=1.5),
    )
    assert_same(
        bound(level_frame(made), BDeu(2.0)),
        lambda y, parents: twin.bdeu(y, parents, made, TARGETS, prior=2.0),
    )


@pytest.mark.parametrize(
    ("score", "formula"),
    [
        (DegenerateGaussian(1.5), mixed_scores.degenerate_gaussian),
        (ConditionalGaussian(1.5), mixed_scores.conditional_gaussian),
    ],
)
def test_mixed_scores_are_those_of_the_rows_in_which_a_column_was_not_set(
    score: Score, formula: Callable[..., Local]
) -> None:
    made = tables(2)
    for table in made:
        table[:, 4] = np.digitize(table[:, 4], [-0.5, 0.5])
        table[:, 1] = table[:, 1] > 0.4
    is_discrete = [j in (1, 4) for j in range(5)]
    total = sum(map(len, made))

    def local(y: int, parents: Sequence[int]) -> float:
        rows = twin.not_set(y, made, TARGETS)
        alpha = 1.5 * math.log(total) / math.log(len(rows))
        return formula(list(rows.T), is_discrete, alpha)(y, parents)

    kinds = dict.fromkeys(("x1", "x4"), "discrete")
    assert_same(bound(frame(made, TARGETS), score, kinds=kinds), local)


def test_the_additive_score_is_that_of_the_rows_in_which_a_column_was_not_set() -> None:
    made = tables(9, n=60)
    whole = BasisMoments.from_data(np.concatenate(made))
    parts = []
    for y in range(5):
        rows = BasisMoments.from_data(twin.not_set(y, made, TARGETS), bases=whole.bases)
        parts.append(AdditiveBIC(1.5 * math.log(whole.n) / math.log(rows.n)).bind(rows))
    engine = bound(frame(made, TARGETS), AdditiveBIC(1.5))
    assert_same(engine, lambda y, parents: parts[y].local_score(y, parents))


def test_weights_count_rows_and_dropped_rows_do_not() -> None:
    made, rng = tables(3), np.random.default_rng(0)
    whole = frame(made, TARGETS)
    weights = rng.integers(0, 3, len(whole))
    repeated = whole.loc[whole.index.repeat(weights)]
    one = bound(whole, GaussianBIC(), sample_weight=weights)
    other = bound(repeated, GaussianBIC())
    assert_same(one, other.local_score)
    holes = whole.copy()
    holes.loc[::7, "x2"] = np.nan
    one = bound(holes, GaussianBIC(), missing="drop")
    assert_same(one, bound(holes.dropna(subset=["x2"]), GaussianBIC()).local_score)


def test_an_exact_search_finds_the_best_of_all_dags() -> None:
    for seed in range(5):
        made = [table[:, :4] for table in tables(seed, n=15)]
        engine = bound(frame(made, TARGETS), GaussianBIC())
        best = max(engine.of_dag(bf.to_matrix(4, dag)) for dag in bf.all_dags(4))
        found = _core.search(engine, "exact")
        assert math.isclose(found.bound, best, rel_tol=1e-12)


def test_parts_are_kept_alive_and_must_fit() -> None:
    moments = Moments.from_data(tables(0)[0])
    part = GaussianBIC().bind(moments)
    score = _core.ByColumn((part,), [0] * 5)
    right = part.local_score(0, [1])
    del part, moments
    gc.collect()
    assert score.local_score(0, [1]) == right
    other = GaussianBIC().bind(Moments.from_data(tables(0)[1]))
    for parts, part_of in [
        ((), [0] * 5),
        ((other,), [0] * 4),
        ((other,), [1] * 5),
        ((), []),
    ]:
        with pytest.raises(ValueError, match=r"part|column"):
            _core.ByColumn(parts, part_of)


def test_sums_without_some_environments_are_those_of_the_others() -> None:
    rng = np.random.default_rng(5)
    targets = [(), *((j,) for j in range(6)), (0, 1), (2, 3, 4)]
    made = [rng.normal(size=(9, 6)) + rng.normal(size=6) for _ in targets]
    environments = Environments(tuple(targets), tuple(map(Moments.from_data, made)))
    parts, part_of = environments.parts(), environments.part_of
    assert len(parts) == 6
    for y in range(6):
        right = Moments.from_data(twin.not_set(y, made, targets))
        assert parts[part_of[y]].n == right.n
        assert np.allclose(parts[part_of[y]].covariance, right.covariance, rtol=1e-12)


def test_environments_of_two_tables_merge_by_their_targets() -> None:
    made = tables(6)
    _, one = prepare(
        frame(made[:3], TARGETS[:3]), GaussianBIC(), None, DataOptions(interventions="set")
    )
    _, other = prepare(
        frame(made[1:], TARGETS[1:]), GaussianBIC(), None, DataOptions(interventions="set")
    )
    both = one.statistics + other.statistics
    assert both.n == one.statistics.n + other.statistics.n
    assert sorted(both.targets) == sorted(map(tuple, TARGETS))


def test_columns_that_cannot_be_scored_where_they_were_not_set_are_named() -> None:
    made = tables(7)
    still = frame(made, TARGETS)
    still.loc[~still["set"].str.contains("x0"), "x0"] = 1.0
    with pytest.raises(DataError, match="rows in which column 'x0' was not set: constant") as info:
        bound(still, GaussianBIC())
    assert info.value.columns == ("x0",)
    short = pd.concat([frame(made[1:2], [[0]]), frame(made, TARGETS).iloc[:2]])
    with pytest.raises(DataError, match="'x0' was not set in only 2 rows") as info:
        bound(short, GaussianBIC())
    assert info.value.code == "too-few-rows-not-set"


def test_what_does_not_go_with_experiments_is_refused() -> None:
    whole = frame(tables(8), TARGETS)
    for missing, score in (("em", GaussianBIC()), ("test-wise", BDeu())):
        with pytest.raises(OptionError, match="'error' or 'drop' where rows come from experiments"):
            bound(whole, score, missing=missing)


def test_what_counts_as_told_is_up_to_the_score_of_each_column() -> None:
    for score in (AdditiveBIC(), GaussianBIC()):
        found = Interventional(score)
        assert (found.least_share, found.directs_by) == (score.least_share, score.directs_by)
