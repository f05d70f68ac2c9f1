"""How far the score of a result can still rise at most."""

from __future__ import annotations

import math
import os
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import greedag
import greedag.result.optimality_gap
from greedag import DataError, Moments, Result, _core, learn, score_graph, simulate
from greedag.scores import BDeu, BGe, ConditionalGaussian, DegenerateGaussian, ExtendedBIC
from oracle import discrete
from oracle.datasets import Sample, random_sample
from oracle.dependence import least_dependence
from oracle.exact import optimum_by
from oracle.local_scores import K2, GaussianBicTwin

ROUNDING = 1e-9


def bound_of(result: Result) -> float:
    """Return the bound for many columns, whatever their number."""
    return greedag.result.optimality_gap._bound(result)


def moments_of(sample: Sample) -> Moments:
    return Moments(n=sample.n, covariance=sample.covariance)


def small_tables(first: int, most: int) -> list[Sample]:
    drawn = [random_sample(seed) for seed in range(first, first + 40)]
    return [sample for sample in drawn if sample.d <= most and sample.n > sample.d + 1]


@pytest.mark.parametrize("first", range(0, 160, 40))
@pytest.mark.parametrize("score", ["gaussian-bic", ExtendedBIC(gamma=0.5)])
def test_no_graph_scores_more_than_the_bound(first: int, score: Any) -> None:
    tables = small_tables(first, 14)
    assert len(tables) >= 10
    for sample in tables:
        best = greedag.exact(moments_of(sample), score=score)
        for result in (best, learn(moments_of(sample), score=score, search="ges")):
            bound = bound_of(result)
            assert bound >= best.score - ROUNDING * abs(best.score), sample.name
            # All columns joined, which no class but the complete one reaches.
            assert bound < math.inf


@pytest.mark.parametrize("seed", range(12))
def test_no_graph_scores_more_than_the_bound_of_the_degenerate_gaussian(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d, n = int(rng.integers(3, 9)), int(rng.integers(40, 2000))
    table = pd.DataFrame(simulate.linear_gaussian(d, 1.2, n, seed=seed).data)
    table.columns = [f"x{j}" for j in range(d)]
    for name in table.columns[:: int(rng.integers(2, 4))]:
        table[name] = pd.qcut(table[name], int(rng.integers(2, 5)), labels=False).astype(str)
    best = greedag.exact(table, score=DegenerateGaussian(alpha=float(rng.choice([1.0, 2.0]))))
    bound = bound_of(best)
    assert best.score - ROUNDING * abs(best.score) <= bound < math.inf


@pytest.mark.parametrize("seed", range(30))
def test_least_dependences_are_bounds_of_brute_force_and_mostly_attained(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 8))
    drawn = simulate.linear_gaussian(d, min(1.5, 0.4 * d), int(rng.integers(50, 5000)), seed=seed)
    moments = Moments.from_data(drawn.data)
    correlation = moments.correlation
    precision = np.ascontiguousarray(np.linalg.inv(correlation))
    pairs = [(x, y) for x in range(d) for y in range(x)]
    truth = [least_dependence(correlation, moments.n, x, y) for x, y in pairs]
    for enough in (math.log(moments.n), 1e6):
        found = _core.least_dependences(
            correlation, precision, moments.n, pairs, [enough] * len(pairs)
        )
        attained = [
            value == pytest.approx(min(least, enough), rel=1e-3, abs=0.03 * enough)
            for value, least in zip(found, truth, strict=True)
        ]
        assert all(0.0 <= value <= least + 1e-9 for value, least in zip(found, truth, strict=True))
        assert all(attained)


def test_a_strong_edge_is_proven_among_many_columns() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(5000, 60))
    rows[:, 1] += rows[:, 0]
    moments = Moments.from_data(rows)
    precision = np.ascontiguousarray(np.linalg.inv(moments.correlation))
    found = _core.least_dependences(
        moments.correlation, precision, 5000, [(0, 1), (2, 3)], [10.0, 10.0]
    )
    assert found[0] == 10.0
    assert found[1] < 1.0


def test_matrices_and_pairs_that_do_not_fit_are_refused() -> None:
    eye = np.eye(3)
    with pytest.raises(ValueError, match="do not fit"):
        _core.least_dependences(eye, np.eye(2), 10, [], [])
    with pytest.raises(ValueError, match="enough"):
        _core.least_dependences(eye, eye, 10, [(0, 1)], [])
    with pytest.raises(IndexError):
        _core.least_dependences(eye, eye, 10, [(0, 3)], [1.0])


@pytest.mark.parametrize("search", ["xges", "ges", "fges"])
def test_with_few_columns_it_is_the_distance_to_the_optimum(search: str) -> None:
    distances = []
    for seed in range(12):
        table = simulate.linear_gaussian(7, 2.5, 300, seed=seed).data
        result, best = learn(table, search=search, effort=0), greedag.exact(table)
        assert result.gap == pytest.approx(best.score - result.score, abs=1e-6)
        assert best.gap == 0.0
        distances.append(result.gap)
    assert 0.0 in distances
    assert max(distances) > 0.0


def test_it_is_0_for_the_optimum_itself_and_rises_for_worse_graphs() -> None:
    table = simulate.linear_gaussian(8, 2.0, 1000, seed=3).data
    best = greedag.exact(table)
    assert replace(best, search="xges").gap == 0.0
    stopped = learn(table, search="xges0", time_limit=0.0)
    assert stopped.gap == pytest.approx(best.score - stopped.score, abs=1e-6)


def test_a_stopped_exact_search_does_not_claim_the_optimum() -> None:
    table = simulate.linear_gaussian(9, 3.0, 1000, seed=1).data
    stopped = greedag.exact(table, time_limit=0.0)
    assert stopped.gap == pytest.approx(greedag.exact(table).score - stopped.score, abs=1e-6)
    assert stopped.gap > 0.0


@pytest.mark.parametrize("d", [30, 60])
def test_with_many_columns_the_true_graph_is_within_it(d: int) -> None:
    for seed in range(3):
        drawn = simulate.linear_gaussian(d, 2.0, 2000, seed=seed)
        result = learn(drawn.data, search="xges0")
        truth = score_graph(drawn.data, drawn.cpdag)
        better = max(truth, learn(drawn.data).score)
        assert 0.0 <= better - result.score <= result.gap + 1e-6
        # The crudest of bounds, each column with its best parents, is worse by orders.
        assert result.gap < 0.2 * abs(result.score)


def test_scores_that_look_at_rows_have_a_gap_for_few_columns_of_few_rows() -> None:
    rows = pd.DataFrame(np.array(discrete.random_rows(0, 5, 200))).astype(str)
    rows.columns = list("abcde")
    for score in (BDeu(), ConditionalGaussian(), BGe()):
        table = rows if score.name != "bge" else np.random.default_rng(0).normal(size=(50, 5))
        result = learn(table, score=score)
        best = greedag.exact(table, score=score)
        assert result.gap == pytest.approx(best.score - result.score, abs=1e-6)
    for d, is_known in ((14, True), (18, False)):
        wide = pd.DataFrame(np.array(discrete.random_rows(0, d, 200))).astype(str)
        wide.columns = [f"x{j}" for j in range(d)]
        assert (learn(wide, score="bdeu").gap < math.inf) == is_known


def test_a_score_of_ones_own_is_asked_for_all_parents_of_up_to_12_columns() -> None:
    table = simulate.linear_gaussian(5, 1.0, 200, seed=0).data
    sample = Sample("own", 200, 2.0, np.corrcoef(table.T), table.var(axis=0))
    twin = GaussianBicTwin(sample)
    result = learn(table, score=twin)
    assert result.gap == pytest.approx(learn(table).gap, abs=1e-6)
    assert len(twin.asked) == 5 * 2**4

    class Flat:
        def local_score(self, y: int, parents: tuple[int, ...]) -> float:
            return -float(len(parents))

    assert learn(np.zeros((5, 13)), score=Flat()).gap == math.inf


def test_an_exact_search_by_a_score_that_is_not_equivalent_says_what_a_dag_may_gain() -> None:
    above = []
    for seed in range(20):
        rows = np.array(discrete.random_rows(seed, 4, 60))
        result = greedag.exact(rows, score=K2(rows))
        best = optimum_by(K2(rows).local_score, 4)
        assert result.gap == pytest.approx(best - result.score, abs=1e-6)
        assert (result.gap > 0.0) == any("is_equivalent = False" in note for note in result.notes)
        above.append(result.gap > 0.0)
    assert any(above)


def test_where_all_columns_fit_exactly_nothing_is_known() -> None:
    table = np.random.default_rng(0).normal(size=(20, 25))
    assert learn(table).gap == math.inf


def test_it_is_computed_once_and_needs_the_data(tmp_path: os.PathLike[str]) -> None:
    table = simulate.linear_gaussian(6, 2.0, 200, seed=0).data
    result = learn(table)
    assert result.gap is result.gap
    assert pickle.loads(pickle.dumps(result)).gap == result.gap
    assert replace(result, score=result.score - 1.0).gap == pytest.approx(result.gap + 1.0)
    path = os.path.join(tmp_path, "result.json")
    result.save(path)
    with pytest.raises(DataError, match="the gap needs the data"):
        Result.load(path).gap  # noqa: B018
    assert Result.load(path, data=table).gap == result.gap
    greedag.exact(table).save(path)
    assert Result.load(path).gap == 0.0
