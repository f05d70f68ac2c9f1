"""Searches on several threads: the outcome of one, stopped as soon as one."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import greedag
from greedag import XGES, Moments, OptionError, _core, learn, simulate
from greedag import _options as options
from greedag._options import usable_cores
from helpers.engine import engine_score, everything
from helpers.timing import least
from oracle.datasets import Sample, large_sample, random_sample


def outcome(sample: Sample, search: str, **options: Any) -> tuple[Any, ...]:
    """Run a search and return all that it says, but for its seconds."""
    return everything(_core.search(engine_score(sample), search, **options))


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_xges_is_bit_for_bit_the_same_on_any_number_of_threads(first: int) -> None:
    for seed in range(first, first + 20):
        sample = random_sample(seed)
        alone = outcome(sample, "xges")
        for jobs in (2, 3, 8):
            assert outcome(sample, "xges", jobs=jobs) == alone


@pytest.mark.parametrize(
    "options", [{}, {"clique_cap": 0, "trial_cap": 0}, {"clique_cap": 4}, {"keep_forbidden": True}]
)
def test_xges_is_the_same_with_every_option(options: dict[str, Any]) -> None:
    accepted = 0
    for seed in range(6):
        sample = large_sample(seed, 30)
        alone = outcome(sample, "xges", **options)
        accepted += alone[3]["accepted_trials"]
        assert outcome(sample, "xges", jobs=4, **options) == alone
    assert accepted > 0


@pytest.mark.parametrize("search", ["xges", "xges0", "ges", "fges"])
def test_the_first_look_is_the_same_on_several_threads(search: str) -> None:
    drawn = simulate.linear_gaussian(300, 1.5, 1000, seed=5)
    moments = Moments.from_data(drawn.data)
    sample = Sample("", moments.n, 2.0, moments.correlation, np.exp(moments.log_variances))
    assert outcome(sample, search, jobs=3) == outcome(sample, search)


def test_n_jobs_reaches_the_engine_and_changes_nothing() -> None:
    data = simulate.linear_gaussian(40, 3.0, 2000, seed=1).data
    alone = learn(data)
    for n_jobs in (1, 2, np.int64(3), -1):
        model = XGES(n_jobs=n_jobs).fit(data)
        assert (model.cpdag_, model.score_) == (alone.cpdag, alone.score)
        assert model.result_.trace == alone.trace


@pytest.mark.parametrize("value", [0, -2, 1025, 2.0, "2", True, float("nan"), 10**30])
def test_a_bad_number_of_threads_is_refused(value: Any) -> None:
    with pytest.raises(OptionError, match="n_jobs must be a number of threads"):
        learn(np.eye(3), n_jobs=value)


def test_one_thread_a_core_counts_the_cores_that_may_be_used() -> None:
    assert usable_cores() >= 1
    if hasattr(os, "sched_getaffinity"):
        assert usable_cores() == len(os.sched_getaffinity(0))


def slow_moments() -> Moments:
    """Three hidden factors behind all columns: trials go on for long."""
    loadings = np.random.default_rng(0).uniform(0.5, 1.5, (3, 60))
    return Moments(n=10**4, covariance=loadings.T @ loadings + np.eye(60))


@pytest.mark.clock
@pytest.mark.parametrize("limit", [0.0, 0.5, 2.0])
def test_time_limits_hold_on_two_threads(limit: float) -> None:
    moments = slow_moments()
    before = threading.active_count()

    def overshoot() -> float:
        started = time.perf_counter()
        result = learn(moments, effort=0, time_limit=limit, n_jobs=2)
        elapsed = time.perf_counter() - started - result.timings["moments"]
        assert result.stopped == "time limit"
        return elapsed - limit

    assert least(overshoot, 0.35) <= 0.35
    assert threading.active_count() == before


@pytest.mark.clock
def test_ctrl_c_is_answered_on_two_threads(heeds_ctrl_c: None) -> None:
    moments = slow_moments()

    def interrupt_soon() -> float:
        time.sleep(1.0)
        os.kill(os.getpid(), signal.SIGINT)
        return time.perf_counter()

    def delay() -> float:
        with ThreadPoolExecutor(1) as pool, pytest.raises(greedag.SearchInterrupted) as caught:
            sent = pool.submit(interrupt_soon)
            learn(moments, effort=0, time_limit=30, n_jobs=2)
        assert caught.value.result.stopped == "interrupt"
        return time.perf_counter() - sent.result()

    assert least(delay, 0.5) <= 0.5


@pytest.mark.clock
def test_a_stopped_search_on_two_threads_returns_a_class_that_scores_what_it_says() -> None:
    moments = slow_moments()
    first = learn(moments, search="xges0")
    limit = max(2.0, 6 * first.timings["search"])
    result = learn(moments, effort=0, time_limit=limit, n_jobs=2)
    statistics = (moments.correlation, moments.log_variances, moments.n, 2.0)
    assert _core.GaussianBic(*statistics).of_dag(result.cpdag.to_dag()) == pytest.approx(
        result.score
    )
    assert result.score >= first.score


@pytest.mark.clock
def test_a_search_stopped_on_many_threads_returns_all_that_was_kept() -> None:
    moments = Moments.from_data(simulate.linear_gaussian(50, 4.0, 10_000, seed=3).data)
    statistics = (moments.correlation, moments.log_variances, moments.n, 2.0)
    whole = _core.search(_core.GaussianBic(*statistics), "xges", jobs=8).seconds
    stopped_after_keeping = 0
    for part in np.linspace(0.3, 0.9, 40):
        found = _core.search(
            _core.GaussianBic(*statistics), "xges", jobs=8, time_limit=part * whole
        )
        # A kept trial starts with a delete that loses; every other operator gains.
        assert sum(entry[-1] <= 0.0 for entry in found.trace) == found.accepted_trials
        stopped_after_keeping += bool(found.stopped and found.accepted_trials)
    assert stopped_after_keeping > 0


def test_searches_in_parallel_may_have_threads_of_their_own() -> None:
    data = simulate.linear_gaussian(30, 3.0, 1000, seed=2).data
    alone = learn(data)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: learn(data, n_jobs=2), range(8)))
    assert all(result.trace == alone.trace for result in results)


@pytest.mark.parametrize(
    ("text", "cores"),
    [("200000 100000", 2), ("150000 100000", 2), ("max 100000", 1024), ("", 1024), ("1 0", 1024)],
)
def test_one_thread_a_core_heeds_the_quota_of_a_container(
    text: str, cores: int, tmp_path: Path
) -> None:
    (tmp_path / "cpu.max").write_text(text, encoding="ascii")
    assert options._cores_by_quota(str(tmp_path / "cpu.max")) == cores
    assert options._cores_by_quota(str(tmp_path / "absent")) == 1024
