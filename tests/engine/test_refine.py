"""Refinements: never below the search they start from, and the same whenever they are run again."""

from __future__ import annotations

import itertools
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import greedag
from greedag import (
    XGES,
    DataError,
    Moments,
    OptionError,
    Progress,
    SearchInterrupted,
    _core,
    learn,
    score_graph,
    simulate,
)
from greedag._options import SEARCHES
from greedag.scores import BDeu, DiscreteBIC
from greedag.scores.custom import engine_of
from greedag.statistics.levels import Levels
from helpers.engine import engine_score, everything
from helpers.mixed_data import scores_and_twins
from oracle import discrete
from oracle.datasets import Sample, from_rows, random_sample, wide
from oracle.local_scores import K2, GaussianBicTwin

ROUNDING = 1e-9


def hard_sample(seed: int, d: int = 20, n: int = 1000) -> Sample:
    """Draw a table of few columns with many edges, where XGES is often below the best class."""
    return from_rows(f"hard {seed}", simulate.linear_gaussian(d, 4.0, n, seed=seed).data)


def hard_score(seed: int, d: int = 20, n: int = 1000) -> _core.Score:
    return engine_score(hard_sample(seed, d, n))


def dag_score(score: _core.Score, adjacency: np.ndarray) -> float:
    """Return the sum of local scores of a member of a class."""
    dag = _core.dag_of_cpdag(adjacency)
    return sum(score.local_score(y, np.flatnonzero(dag[:, y]).tolist()) for y in range(score.size))


def replayed(score: _core.Score, found: _core.SearchOutcome) -> np.ndarray:
    """Return where a trace leads from the empty graph, each operator and gain checked."""
    graph = np.zeros((score.size, score.size), dtype=np.uint8)
    for kind, x, y, T, E, F, gain in found.trace:
        assert (x, y, T, E, F) in _core.valid_operators(graph, kind)
        assert gain == pytest.approx(_core.gain(score, kind, x, y, E, F), rel=1e-7, abs=1e-7)
        graph = _core.apply(graph, kind, x, y, T)
    return graph


def every_score(seed: int) -> dict[str, _core.Score]:
    """Return an engine of each kind of score, of more columns than are searched exactly."""
    d = 14
    rows = discrete.random_rows(seed, d, 150)
    levels = Levels.from_data(np.array(rows))
    small = hard_sample(seed, 7, 100)
    names = tuple(f"x{j}" for j in range(7))
    mixed = {name: score for name, (score, _) in scores_and_twins(d, 80, seed=seed).items()}
    return mixed | {
        "gaussian-bic": hard_score(seed, d, 200),
        "discrete-bic": DiscreteBIC(alpha=1.0).bind(levels),
        "bdeu": BDeu(equivalent_sample_size=5.0).bind(levels),
        "own": engine_of(GaussianBicTwin(small), names, small.n),
        "own, not equivalent": engine_of(K2(np.array(rows)[:, :7]), names, len(rows)),
    }


# ---- against the search alone


@pytest.mark.parametrize("search", SEARCHES)
def test_effort_0_is_the_search_alone(search: str) -> None:
    for seed in range(12):
        score = engine_score(random_sample(seed))
        plain = _core.search(score, search)
        assert plain.refinement is None
        assert everything(_core.search(score, search, effort=0.0, seed=3)) == everything(plain)


def test_the_paper_s_search_is_what_effort_0_asks_for() -> None:
    data = simulate.linear_gaussian(20, 4.0, 1000, seed=0).data
    plain = _core.search(engine_score(from_rows("", data)), "xges")
    for result in (learn(data, effort=0), XGES(effort=0).fit(data).result_):
        assert result.counts["rounds"] == 0
        assert [step.kind for step in result.trace] == [step[0] for step in plain.trace]
        assert np.array_equal(result.cpdag.to_matrix(), plain.adjacency)


def test_a_refinement_never_ends_below_the_search_and_mostly_above_on_hard_tables() -> None:
    above = 0
    for seed in range(20):
        score = hard_score(seed)
        alone = _core.search(score, "xges").score
        refined = _core.search(score, "xges", effort=1.0)
        assert refined.score >= alone
        above += refined.score > alone + 1e-6
    assert above >= 10


def test_a_refinement_never_ends_below_the_search_on_tables_of_every_family() -> None:
    for seed in range(120):
        score = engine_score(random_sample(seed))
        alone = _core.search(score, "xges").score
        assert _core.search(score, "xges", effort=2.0, seed=seed).score >= alone


@pytest.mark.parametrize("seed", range(3))
def test_a_refinement_never_ends_below_the_search_with_any_score(seed: int) -> None:
    for name, score in every_score(seed).items():
        alone = _core.search(score, "xges")
        refined = _core.search(score, "xges", effort=1.0)
        assert refined.score >= alone.score, name
        assert refined.score == pytest.approx(dag_score(score, refined.adjacency), rel=ROUNDING)


@pytest.mark.parametrize("search", SEARCHES)
def test_every_search_can_be_refined(search: str) -> None:
    for seed in range(3):
        score = hard_score(seed, 15)
        alone = _core.search(score, search)
        refined = _core.search(score, search, effort=1.0)
        assert refined.score >= alone.score
        assert np.array_equal(replayed(score, refined), refined.adjacency)


def test_what_a_refinement_finds_is_a_local_optimum_of_xges() -> None:
    for seed in range(6):
        score = hard_score(seed)
        refined = _core.search(score, "xges", effort=1.0)
        again = _core.search(score, "xges", start=refined.adjacency)
        assert again.trace == []


def test_more_effort_reaches_what_many_more_rounds_reach() -> None:
    reached = 0
    for seed in range(8):
        score = hard_score(seed, 25)
        best = max(_core.search(score, "xges", effort=10.0, seed=s).score for s in range(2))
        reached += _core.search(score, "xges", effort=3.0).score >= best - 1e-6
    assert reached >= 6


@pytest.mark.parametrize("d", [13, 32, 33, 70])
def test_the_least_effort_climbs_with_every_column_and_then_ends(d: int) -> None:
    found = _core.search(hard_score(0, d), "xges", effort=1e-9)
    assert found.refinement is not None
    assert found.refinement.round == math.ceil(d / 32)
    assert found.refinement.climbed == found.refinement.round
    assert found.refinement.rounds_without_gain == 0


# ---- against the best class of all


@pytest.mark.parametrize("d", [2, 3, 6, 9, 12])
def test_of_at_most_twelve_columns_the_best_class_is_found_and_the_gap_is_0(d: int) -> None:
    for seed in range(4):
        moments = Moments.from_data(
            simulate.linear_gaussian(d, min(4.0, 0.45 * (d - 1)), 300, seed=seed).data
        )
        best, found = greedag.exact(moments), learn(moments)
        assert found.score == pytest.approx(best.score, rel=ROUNDING)
        assert found.gap == 0.0
        assert found.settings["effort"] == 1.0


def test_of_more_columns_it_is_nearly_always_found_with_some_effort() -> None:
    hits = 0
    for seed in range(8):
        moments = Moments.from_data(simulate.linear_gaussian(14, 3.0, 500, seed=seed).data)
        best, found = greedag.exact(moments), learn(moments, effort=10.0)
        assert found.score <= best.score + 1e-7
        hits += found.score >= best.score - 1e-6
    assert hits >= 7


# ---- the trace and the numbers


@pytest.mark.parametrize("seed", range(6))
def test_the_trace_builds_the_class_by_valid_operators_whose_gains_add_up(seed: int) -> None:
    for score in (hard_score(seed), engine_score(random_sample(seed)), every_score(seed)["bdeu"]):
        found = _core.search(score, "xges", effort=1.0)
        assert np.array_equal(replayed(score, found), found.adjacency)
        empty = dag_score(score, np.zeros_like(found.adjacency))
        gains = sum(step[6] for step in found.trace)
        assert found.score - empty == pytest.approx(gains, rel=1e-9, abs=1e-6)
        assert found.score == pytest.approx(dag_score(score, found.adjacency), rel=ROUNDING)


def test_a_result_says_that_it_was_refined() -> None:
    data = simulate.linear_gaussian(20, 4.0, 1000, seed=1).data
    alone, refined = learn(data, effort=0), learn(data, seed=7)
    assert refined.score > alone.score
    assert (refined.settings["effort"], refined.settings["seed"]) == (1.0, 7)
    assert refined.counts["rounds"] > refined.counts["kept_rounds"] > 0
    assert any("a refinement step improved" in note for note in refined.notes)
    assert not any("refining" in note for note in alone.notes)
    assert refined.score == pytest.approx(score_graph(data, refined.cpdag), rel=ROUNDING)


def test_a_report_says_why_a_refined_trace_may_fall(tmp_path: Path) -> None:
    result = learn(simulate.linear_gaussian(20, 4.0, 1000, seed=2).data)
    assert {step.kind for step in result.trace if step.gain < 0} == {"insert"}
    page = tmp_path / "report.html"
    result.report(page)
    text = page.read_text(encoding="utf-8")
    assert "A refinement step improved the result; the plot shows" in text
    assert "taken out on trial" not in text


# ---- the same again


@pytest.mark.parametrize("effort", [0.5, 3.0])
def test_the_outcome_is_bit_for_bit_the_same_on_any_number_of_threads(effort: float) -> None:
    # 70 columns are climbed with in several rounds.
    scores = [hard_score(seed, d) for seed, d in enumerate((20, 20, 20, 70))]
    scores += [engine_score(random_sample(seed)) for seed in range(4)]
    for seed, score in enumerate(scores):
        alone = everything(_core.search(score, "xges", effort=effort, seed=seed))
        for jobs in (1, 2, 3):
            found = _core.search(score, "xges", effort=effort, seed=seed, jobs=jobs)
            assert everything(found) == alone


def test_every_score_gives_the_same_on_any_number_of_threads() -> None:
    for name, score in every_score(1).items():
        alone = everything(_core.search(score, "xges", effort=1.0))
        assert everything(_core.search(score, "xges", effort=1.0, jobs=3)) == alone, name


def test_seeds_lead_different_ways() -> None:
    score = hard_score(3, 25)
    rounds = {
        _core.search(score, "xges", effort=1.0, seed=seed).score_evaluations
        for seed in (0, 1, 2, 2**64 - 1)
    }
    assert len(rounds) > 1


# ---- stopping


def slow_table() -> np.ndarray:
    """Return a table whose refinement goes on for long."""
    return simulate.linear_gaussian(60, 4.0, 1000, seed=2).data


@pytest.mark.clock
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_time_limit_ends_an_endless_refinement_with_the_best_class(n_jobs: int) -> None:
    data = slow_table()
    started = time.perf_counter()
    result = learn(data, effort=float("inf"), time_limit=1.0, n_jobs=n_jobs)
    assert time.perf_counter() - started < 3.0
    assert result.stopped == "time limit"
    assert result.counts["rounds"] > 0
    assert result.score > learn(data, effort=0).score
    assert result.score == pytest.approx(score_graph(data, result.cpdag), rel=ROUNDING)


def test_a_time_limit_of_nothing_ends_before_the_refinement() -> None:
    result = learn(slow_table(), effort=5.0, time_limit=0.0)
    assert result.stopped == "time limit"
    assert result.counts["rounds"] == 0


@pytest.mark.clock
def test_progress_never_falls_while_a_class_is_refined() -> None:
    # So many edges that the first report comes before the best class on any machine.
    data = simulate.linear_gaussian(120, 5.0, 1000, seed=2).data
    told: list[Progress] = []
    result = learn(data, effort=float("inf"), time_limit=1.5, progress=told.append)
    assert len(told) > 5
    for before, after in itertools.pairwise(told):
        assert after.score >= before.score - 1e-6
    assert told[-1].score == pytest.approx(result.score)
    assert len({step.score for step in told}) > 1


def test_progress_never_falls_while_xges_goes_on_from_what_was_refined() -> None:
    # With so many edges that last search takes long enough for a report.
    for seed in range(2):
        told: list[Progress] = []
        data = simulate.linear_gaussian(100, 6.0, 1000, seed=seed).data
        result = learn(data, effort=0.3, progress=told.append)
        assert result.counts["kept_rounds"] > 0
        for before, after in itertools.pairwise(told):
            assert after.score >= before.score - 1e-6
            assert after.edges > 0 or before.edges == 0


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_in_the_progress_ends_with_the_best_class(n_jobs: int) -> None:
    data = slow_table()
    least = learn(data, effort=0).score

    def interrupt(told: Progress) -> None:
        if told.score > least + 1.0:
            raise KeyboardInterrupt

    with pytest.raises(SearchInterrupted) as caught:
        learn(data, effort=1000.0, progress=interrupt, n_jobs=n_jobs)
    assert caught.value.result.stopped == "interrupt"
    assert caught.value.result.score > least


def test_what_the_progress_raises_is_raised() -> None:
    def fail(told: Progress) -> None:
        raise RuntimeError("enough")

    for n_jobs in (1, 3):
        with pytest.raises(RuntimeError, match="enough"):
            learn(slow_table(), effort=1000.0, progress=fail, n_jobs=n_jobs)


def test_what_a_score_raises_while_it_is_refined_is_raised() -> None:
    sample = hard_sample(1, 9, 300)
    twin = GaussianBicTwin(sample)
    calls, most = 0, 10**9

    def local_score(y: int, parents: tuple[int, ...]) -> float:
        nonlocal calls
        calls += 1
        if calls > most:
            raise RuntimeError("no more")
        return twin.local_score(y, parents)

    twin_of = type("Own", (), {"local_score": staticmethod(local_score)})
    names = tuple(f"x{j}" for j in range(sample.d))
    _core.search(engine_of(twin_of(), names, sample.n), "xges")
    most, calls = calls + 5, 0
    with pytest.raises(RuntimeError, match="no more"):
        _core.search(engine_of(twin_of(), names, sample.n), "xges", effort=100.0)


@pytest.mark.clock
def test_ctrl_c_ends_a_refinement_with_the_best_class() -> None:
    program = (
        "import signal, greedag\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "data = greedag.simulate.linear_gaussian(60, 4.0, 1000, seed=2).data\n"
        "least = greedag.learn(data, effort=0).score\n"
        "tell = lambda told: told.score > least + 1.0 and print('better', flush=True)\n"
        "try:\n    greedag.learn(data, effort=1e6, n_jobs=2, progress=tell)\n"
        "except greedag.SearchInterrupted as interrupt:\n"
        "    print(interrupt.result.stopped, interrupt.result.score > least)\n"
    )
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "better\n"
            process.send_signal(signal.SIGINT)
            printed, _ = process.communicate(timeout=10)
        finally:
            process.kill()
    assert printed.replace("better\n", "") == "interrupt True\n"


# ---- options


@pytest.mark.parametrize("effort", [-1, -0.5, float("nan"), "1", "much", True, [1], float("-inf")])
def test_efforts_out_of_range_are_refused(effort: Any) -> None:
    with pytest.raises(OptionError, match="effort must be a number, 0 or more"):
        learn(np.eye(3), effort=effort)


def test_an_endless_effort_needs_a_time_limit() -> None:
    for limit in (None, float("inf")):
        with pytest.raises(OptionError, match="set a time_limit"):
            learn(np.eye(3), effort=float("inf"), time_limit=limit)


def test_an_exact_search_takes_no_effort() -> None:
    data = simulate.linear_gaussian(5, 1.0, 100, seed=0).data
    with pytest.raises(OptionError, match="leaves nothing to refine"):
        learn(data, search="exact", effort=1)
    assert learn(data, search="exact", effort=0).score == greedag.exact(data).score


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "0", None, True, float("nan")])
def test_seeds_out_of_range_are_refused(seed: Any) -> None:
    with pytest.raises(OptionError, match="seed must be a whole number"):
        learn(np.eye(3), seed=seed)


def test_the_effort_is_1_for_xges_and_0_for_other_searches() -> None:
    data = simulate.linear_gaussian(5, 1.0, 100, seed=0).data
    for search in SEARCHES:
        expected = 1.0 if search == "xges" else 0.0
        assert learn(data, search=search).settings["effort"] == expected
    assert XGES(extended=False).fit(data).result_.settings["effort"] == 0.0


def test_the_estimator_has_effort_and_seed() -> None:
    data = simulate.linear_gaussian(20, 4.0, 1000, seed=2).data
    model = XGES(effort=2.0, seed=5)
    assert model.get_params()["effort"] == 2.0
    assert model.get_params()["seed"] == 5
    assert repr(model) == "XGES(effort=2.0, seed=5)"
    assert model.fit(data).result_ == learn(data, effort=2.0, seed=5)
    assert model.set_params(effort=0).fit(data).result_ == learn(data, effort=0, seed=5)


# ---- batches


def test_further_rows_are_refined_too_and_the_trace_builds_the_class() -> None:
    data = simulate.linear_gaussian(20, 4.0, 2000, seed=4).data
    for effort in (0.0, 20.0):
        model = XGES(effort=effort).fit(data[:1000]).partial_fit(data[1000:])
        result, score = model.result_, engine_score(from_rows("", data))
        graph = np.zeros((20, 20), dtype=np.uint8)
        for step in result.trace:
            graph = _core.apply(graph, step.kind, step.x, step.y, step.T)
        assert np.array_equal(graph, result.cpdag.to_matrix())
        has_leapt = any("a refinement step improved" in note for note in result.notes)
        assert has_leapt == (effort > 0.0)
        if has_leapt:  # else the first gains are those on the rows seen first
            empty = dag_score(score, np.zeros((20, 20), dtype=np.uint8))
            gains = sum(step.gain for step in result.trace)
            assert empty + gains == pytest.approx(result.score, rel=1e-9)
        assert result.score == pytest.approx(score_graph(data, result.cpdag), rel=ROUNDING)


# ---- tables that are hard on rounding


def hostile_tables() -> dict[str, Callable[[], np.ndarray]]:
    rng = np.random.default_rng(0)
    factor = 3.0 * rng.normal(size=(500, 1)) + rng.normal(size=(500, 30))
    copies = rng.normal(size=(200, 5))
    return {
        "one factor": lambda: factor,
        "no more rows than columns": lambda: rng.normal(size=(18, 20)),
        "nearly collinear": lambda: np.hstack(
            [copies + 1e-5 * rng.normal(size=(200, 5)) for _ in range(4)]
        ),
        "independent": lambda: rng.normal(size=(100, 20)),
        "whole numbers": lambda: rng.integers(0, 12, size=(60, 18)).astype(float),
    }


@pytest.mark.parametrize("effort", [1.0, 5.0])
@pytest.mark.parametrize("name", hostile_tables())
def test_hostile_tables_end_soon_and_not_below_the_search(name: str, effort: float) -> None:
    data = hostile_tables()[name]()
    alone = learn(data, effort=0)
    started = time.perf_counter()
    result = learn(data, effort=effort, time_limit=20.0)
    assert time.perf_counter() - started < 15.0
    assert result.score >= alone.score
    assert result.score == pytest.approx(score_graph(data, result.cpdag), rel=1e-9, abs=1e-6)


def test_collinear_columns_are_still_refused_by_name() -> None:
    rng = np.random.default_rng(1)
    data = rng.normal(size=(100, 15))
    data[:, 3] = data[:, 1] + data[:, 2]
    with pytest.raises(DataError, match="collinear"):
        learn(data, effort=1)


def test_wide_and_tiny_tables_are_refined_without_harm() -> None:
    for seed in range(20):
        score = engine_score(wide(np.random.default_rng(seed)))
        alone = _core.search(score, "xges")
        refined = _core.search(score, "xges", effort=5.0)
        assert refined.score >= alone.score
        assert all(np.isfinite(step[6]) for step in refined.trace)
    for d in (1, 2):
        levels = Levels.from_data(np.array(discrete.random_rows(0, d, 50)))
        score = BDeu(equivalent_sample_size=1.0).bind(levels)
        refined = _core.search(score, "xges", effort=5.0, jobs=2)
        assert refined.score >= _core.search(score, "xges").score
