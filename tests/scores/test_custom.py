"""Custom scores."""

from __future__ import annotations

import gc
import itertools
import math
import os
import pickle
import signal
import subprocess
import sys
import time
import traceback
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from greedag import XGES, OptionError, Result, SearchInterrupted, _core, learn, score_graph
from greedag.errors import DataError, GreedagError, ScoreError
from greedag.scores.custom import engine_of
from helpers.engine import engine_score
from helpers.paths import ROOT
from helpers.timing import least
from oracle.datasets import Sample, dense, equal_variance, factor, from_rows, normalised
from oracle.local_scores import GaussianBicTwin

FAMILIES = (normalised, equal_variance, equal_variance, dense, factor)
SEARCHES = ("xges", "xges0", "ges", "ges-r", "ops", "fges")
TOLERANCE = 1e-9


def sample_of(seed: int) -> Sample:
    """Draw a data set of at most a dozen columns."""
    rng = np.random.default_rng(seed)
    while True:
        sample = FAMILIES[seed % len(FAMILIES)](rng)
        if sample.d <= 12:
            return sample


def names_of(sample: Sample) -> tuple[str, ...]:
    return tuple(f"x{j}" for j in range(sample.d))


def run(score: Any, d: int, n: int = 100, search: str = "xges", **options: Any) -> Any:
    engine = engine_of(score, tuple(f"x{j}" for j in range(d)), n)
    return _core.search(engine, search, **options)


def same(outcome: _core.SearchOutcome, other: _core.SearchOutcome, size: float = 1.0) -> bool:
    """Assert that two searches took the same course, up to a tie, if any; whether to the end.

    `size` is that of the scores whose differences the gains are.
    """
    for step, twin_step in zip(outcome.trace, other.trace, strict=False):
        assert step[6] == pytest.approx(twin_step[6], rel=TOLERANCE, abs=TOLERANCE * size)
        if step[:6] != twin_step[:6]:
            return False
    assert len(outcome.trace) == len(other.trace)
    assert np.array_equal(outcome.adjacency, other.adjacency)
    assert outcome.score == pytest.approx(other.score, rel=TOLERANCE)
    return True


def test_a_python_twin_of_the_gaussian_bic_takes_the_course_of_the_engines() -> None:
    to_the_end = 0
    for seed in range(50):
        sample = sample_of(seed)
        search = SEARCHES[seed // len(FAMILIES) % len(SEARCHES)]
        twin = GaussianBicTwin(sample)
        native = _core.search(engine_score(sample), search)
        to_the_end += same(run(twin, sample.d, sample.n, search), native, size=sample.n)
        assert set(twin.asked.values()) == {1}
    assert to_the_end >= 40


class Fixed:
    """Rewards 0 → 1 → … by the same gain each, and nothing else."""

    def __init__(self, wait: float = 0.0) -> None:
        self.wait = wait

    def local_score(self, y: int, parents: tuple[int, ...]) -> float:
        time.sleep(self.wait)
        return sum(10.0 if abs(x - y) == 1 else -1.0 for x in parents)


class Answers:
    """Has a function for a method."""

    def __init__(self, answer: Callable[[int, tuple[int, ...]], Any]) -> None:
        self.local_score = answer


def all_calls(search: str) -> int:
    """Return how often a search over six columns asks."""
    calls = 0

    def local_score(y: int, parents: tuple[int, ...]) -> float:
        nonlocal calls
        calls += 1
        return Fixed().local_score(y, parents)

    run(Answers(local_score), 6, search=search)
    return calls


def failing_at(call: int, error: BaseException) -> Answers:
    calls = 0

    def local_score(y: int, parents: tuple[int, ...]) -> float:
        nonlocal calls
        calls += 1
        if calls == call:
            raise error
        return Fixed().local_score(y, parents)

    return Answers(local_score)


@pytest.mark.parametrize("search", SEARCHES)
def test_an_exception_in_any_call_leaves_the_search_as_the_object_that_was_raised(
    search: str,
) -> None:
    for call in range(1, all_calls(search) + 1):
        error = LookupError("no such row")
        with pytest.raises(LookupError) as caught:
            run(failing_at(call, error), 6, search=search)
        assert caught.value is error
        assert traceback.extract_tb(error.__traceback__)[-1].name == "local_score"


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, None, "1.0", 1j, np.zeros(2), object(), 10**400]
)
def test_what_is_no_number_is_named_with_its_column_and_parents(value: object) -> None:
    odd = Answers(lambda y, parents: value if (y, parents) == (3, (1,)) else 0.0)
    with pytest.raises(ScoreError) as caught:
        run(odd, 4)
    assert isinstance(caught.value, GreedagError)
    for part in ("local_score(3, (1,))", "'x3'", "given 'x1'", type(value).__name__, "-inf"):
        assert part in str(caught.value)


def test_a_column_without_parents_needs_a_finite_score() -> None:
    with pytest.raises(ScoreError, match=r"'x1' without parents.* a finite number$"):
        run(Answers(lambda y, parents: -math.inf), 3)


@pytest.mark.parametrize("kind", [int, np.float32, np.float64, np.int64])
def test_numbers_of_every_kind_are_scores(kind: Callable[[float], Any]) -> None:
    score = Answers(lambda y, parents: kind(Fixed().local_score(y, parents)))
    assert same(run(score, 5), run(Fixed(), 5))


def test_minus_infinity_refuses_parents() -> None:
    def local_score(y: int, parents: tuple[int, ...]) -> float:
        return -math.inf if {y, *parents} >= {1, 2} else Fixed().local_score(y, parents)

    outcome = run(Answers(local_score), 4)
    pairs = {frozenset(pair) for pair in np.argwhere(outcome.adjacency).tolist()}
    assert pairs == {frozenset((0, 1)), frozenset((2, 3))}
    assert outcome.score == 20.0
    assert outcome.refused_singular > 0


def test_each_score_is_asked_for_once_and_kept_for_what_comes_after_the_search() -> None:
    sample = sample_of(3)
    twin = GaussianBicTwin(sample)
    engine = engine_of(twin, names_of(sample), sample.n)
    outcome = _core.search(engine, "xges")
    _core.search(engine, "xges")
    edges = [(int(x), int(y)) for x, y in np.argwhere(np.triu(outcome.adjacency))]
    deletes = _core.best_operators(engine, outcome.adjacency, "delete", edges)
    assert len(deletes) == len(edges) > 0
    assert set(twin.asked.values()) == {1}


def test_parents_are_a_tuple_of_ints_in_ascending_order() -> None:
    twin = GaussianBicTwin(sample_of(3))
    run(twin, sample_of(3).d, sample_of(3).n)
    for y, parents in twin.asked:
        assert type(y) is int and type(parents) is tuple and {*map(type, parents)} <= {int}
        assert list(parents) == sorted({*parents} - {y})


def test_the_outcome_does_not_depend_on_threads() -> None:
    sample = sample_of(1)
    twin = GaussianBicTwin(sample)
    many = run(twin, sample.d, sample.n, jobs=4)
    one = run(GaussianBicTwin(sample), sample.d, sample.n)
    assert (many.trace, many.score, many.trials) == (one.trace, one.score, one.trials)
    assert set(twin.asked.values()) == {1}


def test_gains_of_a_score_that_is_not_equivalent_are_those_towards_the_larger_column() -> None:
    weights = np.random.default_rng(0).normal(size=(6, 2**6))
    score = Answers(lambda y, parents: weights[y, sum(1 << x for x in parents)])
    engine = engine_of(score, tuple("abcdef"), 100)
    for x, y, E in ((1, 4, [0, 2]), (4, 1, [0, 2]), (5, 0, []), (0, 5, [])):
        low, high, given = min(x, y), max(x, y), sum(1 << z for z in E)
        expected = weights[high, given | 1 << low] - weights[high, given]
        assert _core.gain(engine, "insert", x, y, E, []) == expected
        assert _core.gain(engine, "delete", x, y, E, []) == -expected
    ended = [_core.search(engine, search, time_limit=10.0) for search in SEARCHES]
    assert not any(outcome.stopped for outcome in ended)


def test_a_loaded_result_says_that_its_score_is_gone(tmp_path: Path) -> None:
    learn(np.eye(5)[:, :3], score=Fixed()).save(tmp_path / "result.json")
    result = Result.load(tmp_path / "result.json")
    for ask in (lambda: result.gap, result.strengths):
        with pytest.raises(DataError, match="your own score, which a file cannot hold"):
            ask()


@pytest.mark.clock
def test_a_time_limit_ends_a_slow_score_with_the_class_so_far() -> None:
    def overshoot() -> float:
        quick, slow = itertools.repeat(0.0, 300), itertools.repeat(0.005)  # 210 calls for a step
        waits = itertools.chain(quick, slow)
        score = Answers(lambda y, parents: Fixed(next(waits)).local_score(y, parents))
        started = time.perf_counter()
        outcome = run(score, 20, time_limit=0.7)
        elapsed = time.perf_counter() - started
        assert elapsed >= 0.7
        assert outcome.stopped == "time limit"
        assert outcome.trace
        assert outcome.score == pytest.approx(sum(step[6] for step in outcome.trace))
        return elapsed - 0.7

    assert least(overshoot, 0.25) <= 0.25


def interrupting_at(call: int) -> tuple[Answers, Callable[[], int]]:
    """Return a score during whose nth call Ctrl-C is pressed, and how often it was called."""
    calls = 0

    def local_score(y: int, parents: tuple[int, ...]) -> float:
        nonlocal calls
        calls += 1
        if calls == call:
            os.kill(os.getpid(), signal.SIGINT)
        return Fixed().local_score(y, parents)

    return Answers(local_score), lambda: calls


@pytest.mark.clock
@pytest.mark.parametrize("search", SEARCHES)
def test_ctrl_c_during_any_call_ends_the_search_with_the_class_so_far(
    search: str, heeds_ctrl_c: None
) -> None:
    for call in range(1, all_calls(search) + 1):
        score, calls = interrupting_at(call)
        outcome = run(score, 6, search=search)
        assert outcome.stopped == "interrupt"
        assert outcome.score == pytest.approx(sum(step[6] for step in outcome.trace))
        assert calls() <= call + 7  # a column's score each, and the call that was interrupted


@pytest.mark.clock
def test_the_second_ctrl_c_ends_the_search_without_a_class(heeds_ctrl_c: None) -> None:
    def local_score(y: int, parents: tuple[int, ...]) -> float:
        os.kill(os.getpid(), signal.SIGINT)
        return 0.0

    with pytest.raises(KeyboardInterrupt):
        run(Answers(local_score), 5)


def test_a_score_that_searches_with_itself_is_refused() -> None:
    engines: list[_core.CustomScore] = []

    def local_score(y: int, parents: tuple[int, ...]) -> float:
        _core.search(engines[0], "ges")
        return 0.0

    engines.append(engine_of(Answers(local_score), ("a", "b"), 100))
    with pytest.raises(ValueError, match="in use by another search"):
        _core.search(engines[0], "ges")


def test_a_score_that_holds_its_own_engine_is_forgotten_with_it() -> None:
    score: Any = Fixed()
    score.engine = engine_of(score, ("a", "b", "c"), 100)
    alive = weakref.ref(score)
    del score
    gc.collect()
    assert alive() is None


def test_the_example_passes_the_check_and_beats_the_gaussian_bic_on_skewed_columns() -> None:
    example = ROOT / "examples" / "custom_score.py"
    told = subprocess.run([sys.executable, example], capture_output=True, text=True, check=True)
    check, gaussian, ranks = told.stdout.splitlines()
    assert check.startswith("score equivalent")
    assert int(ranks.split()[3]) < int(gaussian.split()[2])


def test_a_score_of_other_data_is_refused() -> None:
    score: Any = Fixed()
    score.names = ("a", "b")
    with pytest.raises(DataError, match="columns 'a' and 'b' and the data have 'b' and 'a'"):
        engine_of(score, ("b", "a"), 100)
    score.n = 7
    with pytest.raises(DataError, match="'7' rows and the data have 100"):
        engine_of(score, ("a", "b"), 100)
    score.n = 100
    assert engine_of(score, ("a", "b"), 100).size == 2


# ---- by way of learn


def table(d: int = 4) -> pd.DataFrame:
    """Return columns that no score of greedag's would read."""
    return pd.DataFrame({f"column {j}": [f"{i + j}" for i in range(20)] for j in range(d)})


def test_learn_needs_only_the_names_of_the_columns() -> None:
    result = learn(table(), score=Fixed())
    assert result.cpdag.names == tuple(table().columns)
    assert (result.score, result.n) == (30.0, 20)
    assert (result.settings["score"], result.settings["local_score"]) == ("custom", "Fixed")
    assert "custom, Fixed" in str(result)
    assert {frozenset(edge) for edge in result.cpdag.undirected} == {
        frozenset((f"column {j}", f"column {j + 1}")) for j in range(3)
    }


def test_an_estimator_takes_a_score_of_the_users_own() -> None:
    model = XGES(scoring_method=Fixed()).fit(table())
    assert model.score_ == 30.0
    assert list(model.feature_names_in_) == list(table().columns)


def test_learn_with_a_twin_of_the_gaussian_bic_is_learn_with_the_gaussian_bic() -> None:
    rows = np.random.default_rng(0).normal(size=(500, 5)) @ np.triu(np.ones((5, 5)))
    twin = GaussianBicTwin(from_rows("triangle", rows))
    own, native = learn(rows, score=twin), learn(rows)
    assert own.cpdag == native.cpdag
    assert own.score == pytest.approx(native.score)
    before = sum(twin.asked.values())
    strengths = {(s.a, s.b): s.loss for s in own.strengths()}
    assert strengths == pytest.approx({(s.a, s.b): s.loss for s in native.strengths()}, rel=1e-6)
    assert score_graph(rows, native.cpdag, score=twin) == pytest.approx(native.score)
    assert sum(twin.asked.values()) <= before + 10
    assert own.explain("x0", "x1").strength == pytest.approx(native.explain("x0", "x1").strength)


def test_notes_speak_of_the_score_and_not_of_columns() -> None:
    def local_score(y: int, parents: tuple[int, ...]) -> float:
        return -math.inf if {y, *parents} >= {1, 2} else Fixed().local_score(y, parents)

    (note,) = learn(table(), score=Answers(local_score)).notes
    assert note.endswith("operators were refused because some parents score -inf")


@pytest.mark.parametrize("d", [1, 2])
def test_one_column_and_two_are_enough(d: int) -> None:
    assert learn(table(d), score=Fixed()).score == 10.0 * (d - 1)


@pytest.mark.clock
def test_ctrl_c_in_learn_carries_the_class_so_far(heeds_ctrl_c: None) -> None:
    score, _ = interrupting_at(15)
    with pytest.raises(SearchInterrupted) as caught:
        learn(table(6), score=score)
    assert isinstance(caught.value.result, Result)
    assert caught.value.result.stopped == "interrupt"


def test_an_exception_leaves_learn_unchanged() -> None:
    error = LookupError("no such row")
    with pytest.raises(LookupError) as caught:
        learn(table(), score=failing_at(5, error))
    assert caught.value is error


def test_learn_says_what_is_no_score() -> None:
    with pytest.raises(OptionError, match="local_score"):
        learn(table(), score=object())  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="alpha must be left out"):
        learn(table(), score=Fixed(), alpha=2.0)
    for missing in ("drop", "em", "test-wise"):
        with pytest.raises(OptionError, match=f"missing must be left out.*'{missing}'"):
            learn(table(), score=Fixed(), missing=missing)
    for kinds in ("continuous", {"x0": "discrete"}):
        with pytest.raises(OptionError, match="kinds must be left out"):
            learn(table(), score=Fixed(), kinds=kinds)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="2-D"):
        learn(np.zeros(5), score=Fixed())
    score: Any = Fixed()
    score.n = 21
    with pytest.raises(DataError, match="'21' rows"):
        learn(table(), score=score)


def test_a_result_is_copied_and_stored_without_the_engine(tmp_path: Path) -> None:
    result = learn(table(), score=Fixed())
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert again.strengths() == result.strengths()
    result.save(tmp_path / "result.json")
    loaded = Result.load(tmp_path / "result.json")
    assert loaded == result
    with pytest.raises(DataError):
        loaded.strengths()
