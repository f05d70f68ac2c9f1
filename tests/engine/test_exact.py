"""The best class of all, found by dynamic programming."""

from __future__ import annotations

import functools
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import greedag
from greedag import DataError, Moments, Progress, Result, SearchInterrupted, _core, learn, simulate
from greedag._options import SEARCHES
from greedag.scores import BDeu, DiscreteBIC
from greedag.scores.custom import engine_of
from greedag.statistics.levels import Levels
from helpers.engine import engine_score
from helpers.mixed_data import scores_and_twins
from helpers.timing import least
from oracle import brute_force, discrete
from oracle.datasets import Sample, dense, factor, from_rows, random_sample, tied, wide
from oracle.exact import optimum, optimum_by
from oracle.local_scores import K2, GaussianBicTwin

Local = Callable[[int, tuple[int, ...]], float]
TOLERANCE = 1e-9


def small_sample(seed: int, d: int) -> Sample:
    rng = np.random.default_rng([seed, d])
    table = simulate.linear_gaussian(d, min(2.0, 0.4 * d), int(rng.integers(30, 2000)), seed=seed)
    return from_rows(f"small d={d}", table.data, float(rng.choice([1.0, 2.0])))


def every_score(seed: int, d: int) -> dict[str, tuple[_core.Score, Local]]:
    """Return each score of the engine with its twin."""
    rows = discrete.random_rows(seed, d, 60)
    levels = Levels.from_data(np.array(rows))
    sample = small_sample(seed, d)
    twin = GaussianBicTwin(sample)
    names = tuple(f"x{j}" for j in range(d))
    return {
        "gaussian-bic": (engine_score(sample), twin.local_score),
        "discrete-bic": (
            DiscreteBIC(alpha=1.0).bind(levels),
            lambda y, parents: discrete.bic(rows, y, parents, alpha=1.0),
        ),
        "bdeu": (
            BDeu(equivalent_sample_size=5.0).bind(levels),
            lambda y, parents: discrete.bdeu(rows, y, parents, ess=5.0),
        ),
        "custom": (engine_of(twin, names, sample.n), twin.local_score),
        **scores_and_twins(d, 60, seed=seed),
    }


SCORES = tuple(every_score(0, 2))


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("d", [2, 3, 4])
def test_it_is_the_best_class_of_all_dags(name: str, d: int) -> None:
    space = brute_force.atlas(d)
    for seed in range(2 if name == "conditional-gaussian" else 5):
        engine, score_of = every_score(seed, d)[name]
        local = functools.cache(score_of)
        totals = {
            place: sum(
                local(y, tuple(x for x in range(d) if parents[y] >> x & 1)) for y in range(d)
            )
            for place, members in enumerate(space.members)
            for parents in [brute_force.parent_sets(d, members[0])]
        }
        best = max(totals, key=totals.__getitem__)
        outcome = _core.search(engine, "exact")
        assert outcome.score == pytest.approx(totals[best], rel=TOLERANCE)
        others = [total for place, total in totals.items() if place != best]
        if not others or totals[best] - max(others) > 1e-6:
            found = brute_force.from_matrix(outcome.adjacency)
            assert found == space.cpdags[best]


# The twin of the conditional Gaussian is slow.
@pytest.mark.parametrize(
    ("name", "d"),
    [(name, d) for name in SCORES for d in (5, 6, 8) if d < 6 or name != "conditional-gaussian"],
)
def test_its_score_is_that_of_slow_dynamic_programming(name: str, d: int) -> None:
    for seed in range(2):
        engine, local = every_score(seed, d)[name]
        best = optimum_by(local, d)
        outcome = _core.search(engine, "exact")
        assert outcome.score == pytest.approx(best, rel=TOLERANCE)
        assert (outcome.stopped, outcome.trace) == ("", [])


@pytest.mark.parametrize("d", [9, 11, 12])
def test_its_gaussian_bic_is_the_optimum_of_the_twin(d: int) -> None:
    sample = small_sample(3, d)
    best = optimum(sample.covariance, sample.n, sample.alpha)
    assert _core.search(engine_score(sample), "exact").score == pytest.approx(best, rel=TOLERANCE)


def test_more_columns_than_a_block_holds_give_the_optimum_of_their_parts() -> None:
    # Beyond 16 columns sets are taken in blocks. Parts that are exactly uncorrelated have a best
    # class each, and together the best of all.
    parts = [small_sample(seed, 6) for seed in range(3)]
    correlation = np.eye(18)
    for i, part in enumerate(parts):
        correlation[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = part.correlation
    order = np.random.default_rng(0).permutation(18)
    mixed = np.ascontiguousarray(correlation[np.ix_(order, order)])
    whole = _core.search(_core.GaussianBic(mixed, np.zeros(18), 500, 2.0), "exact")
    best = [
        _core.search(_core.GaussianBic(part.correlation, np.zeros(6), 500, 2.0), "exact")
        for part in parts
    ]
    assert whole.score == pytest.approx(sum(part.score for part in best), rel=TOLERANCE)
    back = np.argsort(order)
    found = np.asarray(whole.adjacency)[np.ix_(back, back)]
    for i, part in enumerate(best):
        block = slice(6 * i, 6 * i + 6)
        assert np.array_equal(found[block, block], part.adjacency)
        assert found[block].sum() == found[:, block].sum() == found[block, block].sum()


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_no_search_scores_higher(first: int) -> None:
    reached = 0
    drawn = [random_sample(seed) for seed in range(first, first + 20)]
    tables = [sample for sample in drawn if sample.d <= 14]
    assert len(tables) >= 5
    for sample in tables:
        engine = engine_score(sample)
        best = _core.search(engine, "exact").score
        margin = TOLERANCE * abs(best) + 1e-7
        scores = {search: _core.search(engine, search).score for search in SEARCHES}
        assert all(score <= best + margin for score in scores.values()), sample.name
        reached += scores["xges"] >= best - margin
    assert reached >= len(tables) / 4


@pytest.mark.parametrize("family", [dense, factor, tied])
def test_the_outcome_is_a_class_and_the_same_every_time(family: Callable[..., Sample]) -> None:
    for seed in range(5):
        sample = family(np.random.default_rng(seed))
        outcome = _core.search(engine_score(sample), "exact")
        again = _core.search(engine_score(sample), "exact")
        assert np.array_equal(outcome.adjacency, again.adjacency)
        assert outcome.score == again.score
        best = optimum(sample.covariance, sample.n, sample.alpha)
        assert outcome.score == pytest.approx(best, rel=TOLERANCE)
        member = _core.dag_of_cpdag(outcome.adjacency)
        assert np.array_equal(_core.cpdag_of_dag(member), outcome.adjacency)


def residual_variances(sample: Sample, adjacency: NDArray[np.uint8]) -> list[float]:
    dag = _core.dag_of_cpdag(adjacency)
    parts = []
    for y in range(sample.d):
        parents = np.flatnonzero(dag[:, y])
        R = sample.correlation
        weights = np.linalg.lstsq(R[np.ix_(parents, parents)], R[parents, y], rcond=None)[0]
        parts.append(float(1.0 - R[parents, y] @ weights))
    return parts


@pytest.mark.parametrize("seed", range(8))
def test_sets_that_would_fit_exactly_are_refused(seed: int) -> None:
    sample = wide(np.random.default_rng(seed))
    outcome = _core.search(engine_score(sample), "exact")
    assert math.isfinite(outcome.score)
    assert min(residual_variances(sample, outcome.adjacency)) > 1e-12
    for search in SEARCHES:
        assert _core.search(engine_score(sample), search).score <= outcome.score + 1e-6


def test_an_exact_copy_of_a_column_is_never_its_parent_nor_beside_it() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 5))
    rows[:, 3] = rows[:, 0]
    rows[:, 4] += rows[:, 0]
    sample = from_rows("copy", rows)
    outcome = _core.search(engine_score(sample), "exact")
    adjacency = np.asarray(outcome.adjacency)
    assert adjacency[0, 3] == adjacency[3, 0] == 0
    assert math.isfinite(outcome.score)
    with pytest.raises(greedag.CollinearError):
        greedag.exact(rows)


def test_a_score_that_is_not_equivalent_gives_a_class_no_worse_than_a_search() -> None:
    for seed in range(5):
        rows = np.array(discrete.random_rows(seed, 5, 80))
        names = tuple("abcde")
        outcome = _core.search(engine_of(K2(rows), names, 80), "exact")
        greedy = _core.search(engine_of(K2(rows), names, 80), "xges0")
        assert outcome.score >= greedy.score


def test_each_local_score_of_ones_own_is_asked_for_once() -> None:
    sample = small_sample(0, 6)
    twin = GaussianBicTwin(sample)
    _core.search(engine_of(twin, tuple("abcdef"), sample.n), "exact")
    assert set(twin.asked.values()) == {1}
    assert len(twin.asked) == 6 * 2**5


# What users call


TABLE = pd.DataFrame(simulate.linear_gaussian(7, 2.0, 500, seed=4).data, columns=list("abcdefg"))


def test_exact_and_the_search_of_that_name_are_one() -> None:
    result = greedag.exact(TABLE, alpha=1.0)
    assert isinstance(result, Result)
    assert result == learn(TABLE, search="exact", alpha=1.0)
    assert result.search == "exact"
    assert result.trace == ()
    assert result.settings["alpha"] == 1.0
    assert result.cpdag.names == tuple("abcdefg")
    assert result.score >= learn(TABLE, alpha=1.0).score
    assert "exact" in str(result)


def test_explanations_reports_and_files_work_without_a_trace(tmp_path: os.PathLike[str]) -> None:
    result = greedag.exact(TABLE)
    said = str(result.explain("a", "b"))
    assert "worth" in said or "not adjacent" in said
    assert len(result.strengths()) == len(result.cpdag.directed) + len(result.cpdag.undirected)
    path = os.path.join(tmp_path, "result.json")
    result.save(path)
    assert Result.load(path, data=TABLE) == result
    page = os.path.join(tmp_path, "report.html")
    result.report(page)
    with open(page, encoding="utf-8") as file:
        assert "The search was exact and took no steps" in file.read()


def test_one_column_has_one_class() -> None:
    outcome = _core.search(_core.GaussianBic(np.eye(1), np.zeros(1), 100, 2.0), "exact")
    assert np.array_equal(outcome.adjacency, [[0]])
    assert outcome.score == pytest.approx(-50.0 - math.log(100), rel=TOLERANCE)
    result = greedag.exact(pd.DataFrame({"a": ["u", "v", "u"]}))
    assert result.cpdag.d == 1


@pytest.mark.parametrize(("strength", "edges"), [(1.0, 1), (0.0, 0)])
def test_two_columns_are_joined_if_that_pays(strength: float, edges: int) -> None:
    x, noise = np.random.default_rng(0).normal(size=(2, 100))
    table = np.column_stack([x, strength * x + noise])
    result = greedag.exact(table)
    assert len(result.cpdag.undirected) == edges
    assert result.score == learn(table).score


def test_too_many_columns_are_refused_before_any_work() -> None:
    with pytest.raises(DataError, match=r"at most 25 columns.*has 26.*search='xges'.*gap"):
        greedag.exact(np.random.default_rng(0).normal(size=(100, 26)))

    class Own:
        def local_score(self, y: int, parents: tuple[int, ...]) -> float:
            raise AssertionError

    with pytest.raises(DataError, match=r"custom score takes at most 20 columns.*has 21"):
        greedag.exact(np.random.default_rng(0).normal(size=(100, 21)), score=Own())


def slow_moments(d: int) -> Moments:
    loadings = np.random.default_rng(0).uniform(0.5, 1.5, d)
    return Moments(n=1000, covariance=np.outer(loadings, loadings) + np.eye(d))


@pytest.mark.clock
@pytest.mark.parametrize("time_limit", [0.0, 0.5])
def test_a_time_limit_leaves_the_class_of_xges0_and_claims_nothing(time_limit: float) -> None:
    def overshoot() -> float:
        started = time.perf_counter()
        result = greedag.exact(slow_moments(24), time_limit=time_limit)
        elapsed = time.perf_counter() - started - result.timings["moments"]
        assert result.stopped == "time limit"
        assert any("other graphs may score higher" in note for note in result.notes)
        assert result == learn(slow_moments(24), search="exact", time_limit=0.0) or time_limit
        return elapsed - time_limit

    assert least(overshoot, 0.25) <= 0.25


@pytest.mark.clock
def test_ctrl_c_and_progress_are_heard(heeds_ctrl_c: None) -> None:
    told: list[Progress] = []
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(SearchInterrupted) as caught:
        greedag.exact(slow_moments(24), progress=told.append)
    timer.join()
    result = caught.value.result
    assert isinstance(result, Result)
    assert result.stopped == "interrupt"
    assert told
    assert told[-1].score == pytest.approx(result.score, rel=TOLERANCE)


def test_too_little_memory_is_an_error_that_says_what_is_needed() -> None:
    program = (
        "import resource, numpy as np, greedag\n"
        "moments = greedag.Moments(n=100, covariance=np.eye(25))\n"
        "resource.setrlimit(resource.RLIMIT_AS, (400_000_000, 400_000_000))\n"
        "try:\n    greedag.exact(moments)\n"
        "except MemoryError as error:\n    print(error)\n"
    )
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert ended.stdout == "an exact search of 25 columns needs 744 MB\n"


def test_the_command_line_has_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from greedag.cli import main

    table = tmp_path / "table.csv"
    TABLE.to_csv(table, index=False)
    out = tmp_path / "graph.json"
    assert main(["learn", str(table), "--search", "exact", "--out", str(out)]) == 0
    assert "exact" in capsys.readouterr().out
    best = greedag.exact(TABLE)
    assert Result.load(out).cpdag == best.cpdag
    assert Result.load(out).score == pytest.approx(best.score, rel=TOLERANCE)


def test_all_kinds_of_tables_are_taken() -> None:
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"a": rng.normal(size=300), "b": rng.choice(["u", "v", "w"], 300)})
    table["c"] = table["a"] + (table["b"] == "u") + rng.normal(size=300)
    assert greedag.exact(table).settings["score"] == "degenerate-gaussian"
    assert greedag.exact(table[["b"]].assign(d=table["c"] > 0)).settings["score"] == "bdeu"
    holes = TABLE.mask(rng.random(TABLE.shape) < 0.05)
    assert greedag.exact(holes, missing="drop").n < 500
    weights = rng.integers(0, 3, 500)
    repeated = TABLE.loc[np.repeat(np.arange(500), weights)]
    weighted = greedag.exact(TABLE, sample_weight=weights)
    assert weighted.cpdag == greedag.exact(repeated).cpdag
