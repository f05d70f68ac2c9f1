"""Time limits and Ctrl-C are kept in every phase, whatever the score."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

import overshoot
from greedag import Levels, OptionError, TimeLimitError, learn, score_graph, simulate
from greedag._progress import LONG, check_time, interruptible, seconds_left, time_limited
from greedag.cli import main
from helpers.timing import least

BOUND = 0.25
DRAWN = simulate.linear_gaussian(6, 2.0, 500, seed=0)
CUT = ("time limit", "TimeLimitError", "exit code 2")
# Another case takes the same way through the code; benchmarks/overshoot.py measures these too.
ALIKE = (
    *("reading, CSV with text", "counting, levels of text", "collinearity, collinear"),
    *("binding, BGe", "search, extended BIC", "search, BGe", "search, discrete BIC"),
    *("search, BDeu, many levels", "exact, BGe", "exact, BDeu", "exact, degenerate Gaussian"),
)
CASES = [case for case in overshoot.CASES if case.name not in ALIKE]


@pytest.mark.clock
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_takes_long_ends_a_quarter_of_a_second_after_its_limit_and_after_ctrl_c(
    case: overshoot.Case,
) -> None:
    call = case.prepare()

    def late() -> float:
        seconds, end = overshoot.by_limit(case, call)
        overshoot.settle()
        assert end in CUT
        return seconds

    def delay() -> float:
        seconds, end = overshoot.by_ctrl_c(case, call)
        overshoot.settle()
        assert end in ("KeyboardInterrupt", "SearchInterrupted")
        return seconds

    if case.has_limit:
        assert least(late, BOUND) <= BOUND
    assert least(delay, BOUND) <= BOUND


def test_a_limit_of_nothing_leaves_the_empty_class_of_a_small_table() -> None:
    result = learn(DRAWN.data, time_limit=0.0)
    assert result.stopped == "time limit"
    assert not result.cpdag.directed and not result.cpdag.undirected


def test_a_limit_that_passes_before_the_search_says_where_and_what_to_do() -> None:
    with time_limited(0.05), pytest.raises(TimeLimitError) as caught:
        time.sleep(0.12)
        check_time("reading the table", 1000, 5000)
    text = str(caught.value)
    assert "0.05 s ran out while reading the table, after 1,000 of 5,000 rows" in text
    assert "time_limit" in text and "Moments" in text
    assert "--time-limit" in caught.value.shown(command=True)
    assert caught.value.code == "time-limit"


def test_preparing_is_given_a_tenth_of_a_second_whatever_the_limit() -> None:
    with time_limited(0.0):
        check_time("reading the table")
        assert seconds_left() == 0.0
    check_time("reading the table")
    assert seconds_left() is None


def test_of_two_limits_the_earlier_counts() -> None:
    with time_limited(10.0):
        with time_limited(1000.0):
            assert (seconds_left() or 1000.0) <= 10.0
        with time_limited(1.0):
            assert (seconds_left() or 1000.0) <= 1.0
        with time_limited(None):
            assert 1.0 < (seconds_left() or 0.0) <= 10.0


@pytest.mark.clock
def test_the_command_says_that_its_limit_has_passed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    call = overshoot.read_json_lines()
    assert call(0.3) == 2
    said = capsys.readouterr().err
    assert said.startswith("greedag: the time limit of 0.3 s ran out while reading the table")
    assert "--time-limit" in said and "Moments" not in said


def test_the_command_refuses_limits_that_are_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", __file__, "--format", "csv", "--time-limit", "-1"]) == 2
    assert "--time-limit must be" in capsys.readouterr().err
    with pytest.raises(OptionError):
        learn(DRAWN.data, time_limit=-1)


def test_an_interruptible_call_answers_raises_and_knows_its_limit() -> None:
    assert interruptible("it ran", LONG, divmod, 7, 3) == (2, 1)
    with pytest.raises(ZeroDivisionError):
        interruptible("it ran", LONG, divmod, 7, 0)
    with time_limited(100.0):
        assert interruptible("it ran", LONG, seconds_left) is not None
    here = threading.current_thread()
    assert interruptible("it ran", LONG - 1, threading.current_thread) is here
    assert interruptible("it ran", LONG, threading.current_thread) is not here


def test_a_call_that_nobody_waits_for_any_longer_ends_at_its_next_look() -> None:
    looks, ended = [], threading.Event()

    def endless() -> None:
        try:
            while True:
                time.sleep(0.01)
                looks.append(1)
                check_time("it ran")
        finally:
            ended.set()

    with time_limited(0.15), pytest.raises(TimeLimitError, match="while it ran"):
        interruptible("it ran", LONG, endless)
    assert ended.wait(5.0)
    assert looks


def test_a_stopped_search_of_many_rows_knows_the_score_of_its_class() -> None:
    levels = Levels.from_data(overshoot.codes(150_000, 8, 6))
    for score in ("bdeu", "discrete-bic"):
        result = learn(levels, score=score, time_limit=0.4)
        again = score_graph(levels, result.cpdag, score=score)
        assert result.score == pytest.approx(again, rel=1e-12)


def test_a_search_is_the_same_with_a_limit_that_is_not_met() -> None:
    table = np.round(DRAWN.data)
    numbers = {"kinds": "continuous"}
    cases: list[dict[str, Any]] = [numbers, {"score": "bdeu"}, {"search": "exact", **numbers}]
    for options in cases:
        limited = learn(table, time_limit=1000.0, **options)
        free = learn(table, **options)
        assert (limited.cpdag, limited.score, limited.trace) == (free.cpdag, free.score, free.trace)
