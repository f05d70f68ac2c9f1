"""Progress: what is told, when, on which thread, and that the outcome does not depend on it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone

from greedag import (
    FGES,
    GES,
    OPS,
    XGES,
    OptionError,
    Progress,
    Result,
    SearchInterrupted,
    learn,
    simulate,
)
from greedag._options import SEARCHES
from greedag._progress import ProgressLine

DRAWN = simulate.linear_gaussian(8, 1.5, 1000, seed=11)
ONE_THREAD = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


@pytest.fixture(scope="module")
def long_table() -> np.ndarray:
    """A table whose search, with the options below, goes on for minutes."""
    rng = np.random.default_rng(0)
    return 3.0 * rng.standard_normal((500, 1)) + rng.standard_normal((500, 60))


LONG = {"alpha": 0.01, "clique_cap": 0}


class Teller:
    """Keeps what it is told, and where."""

    def __init__(self) -> None:
        self.told: list[Progress] = []
        self.times: list[float] = []
        self.threads: set[int] = set()

    def __call__(self, progress: Progress) -> None:
        self.told.append(progress)
        self.times.append(time.perf_counter())
        self.threads.add(threading.get_ident())


@pytest.mark.clock
@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_told_is_the_start_of_the_trace(long_table: np.ndarray, jobs: int) -> None:
    teller = Teller()
    result = learn(long_table, effort=0, time_limit=1.0, n_jobs=jobs, progress=teller, **LONG)
    assert result.stopped == "time limit"
    assert len(teller.told) > 3
    empty = result.score - sum(op.gain for op in result.trace)
    for progress in teller.told:
        steps = result.trace[: progress.steps]
        assert progress.score == pytest.approx(empty + sum(op.gain for op in steps), rel=1e-9)
        kinds = [op.kind for op in steps]
        assert progress.edges == kinds.count("insert") - kinds.count("delete")


@pytest.mark.clock
@pytest.mark.parametrize("effort", [0.0, 1.0])
def test_seconds_scores_steps_and_trials_only_rise(effort: float) -> None:
    teller = Teller()
    data = simulate.linear_gaussian(250, 5.0, 2000, seed=0).data
    result = learn(data, effort=effort, time_limit=1.0, progress=teller)
    for before, after in zip(teller.told, teller.told[1:], strict=False):
        assert before.seconds < after.seconds
        assert before.score <= after.score + 1e-12 * abs(after.score)  # sums round
        # What a refinement finds has another trace.
        assert before.steps <= after.steps or effort > 0.0
        assert before.trials <= after.trials
    assert any(progress.trials for progress in teller.told)
    assert result.counts["trials"] > 0


@pytest.mark.clock
@pytest.mark.parametrize("jobs", [1, 2])
def test_progress_is_told_at_most_ten_times_a_second_on_the_calling_thread(
    long_table: np.ndarray, jobs: int
) -> None:
    teller = Teller()
    learn(long_table, time_limit=0.8, n_jobs=jobs, progress=teller, **LONG)
    # The last call is made when the search has ended, however short before the other was.
    assert np.diff(teller.times[:-1]).min() >= 0.1
    assert len(teller.told) >= 4
    assert teller.threads == {threading.get_ident()}


def test_a_search_in_another_thread_tells_that_thread(long_table: np.ndarray) -> None:
    teller = Teller()
    run = threading.Thread(
        target=lambda: learn(long_table, time_limit=0.3, progress=teller, **LONG)
    )
    run.start()
    run.join()
    assert len(teller.threads) == 1
    assert threading.get_ident() not in teller.threads


@pytest.mark.parametrize("search", SEARCHES)
def test_the_last_word_is_the_result_and_the_result_does_not_depend_on_progress(
    search: str,
) -> None:
    teller = Teller()
    result = learn(DRAWN.data, search=search, progress=teller)
    assert result == learn(DRAWN.data, search=search)
    edges = len(result.cpdag.directed) + len(result.cpdag.undirected)
    assert teller.told[-1] == Progress(
        result.timings["search"], result.score, edges, len(result.trace), result.counts["trials"]
    )


def test_a_long_search_that_is_told_of_finds_what_a_silent_one_finds() -> None:
    data = simulate.linear_gaussian(150, 5.0, 1000, seed=2).data
    teller = Teller()
    assert learn(data, progress=teller) == learn(data)
    assert teller.told


@pytest.mark.clock
@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_callback_raises_ends_the_search_and_travels_out_unchanged(
    long_table: np.ndarray, jobs: int
) -> None:
    raised = ZeroDivisionError("mine")
    calls = []

    def fail(progress: Progress) -> None:
        calls.append(progress)
        raise raised

    started = time.perf_counter()
    with pytest.raises(ZeroDivisionError) as caught:
        learn(long_table, n_jobs=jobs, progress=fail, **LONG)
    assert time.perf_counter() - started < 5.0
    assert caught.value is raised
    assert len(calls) == 1


def test_what_a_callback_raises_at_the_end_travels_out_too() -> None:
    def fail(progress: Progress) -> None:
        raise LookupError("at the end")

    with pytest.raises(LookupError, match="at the end"):
        learn(DRAWN.data, progress=fail)


def test_a_callback_stops_the_search_as_ctrl_c_does(long_table: np.ndarray) -> None:
    def stop_at_twenty(progress: Progress) -> None:
        if progress.edges >= 20:
            raise KeyboardInterrupt

    with pytest.raises(SearchInterrupted) as caught:
        learn(long_table, progress=stop_at_twenty, **LONG)
    result = caught.value.result
    assert isinstance(result, Result)
    assert result.stopped == "interrupt"
    assert len(result.cpdag.directed) + len(result.cpdag.undirected) >= 20


@pytest.mark.parametrize("kind", [XGES, GES, OPS, FGES])
def test_estimators_take_progress_as_an_option(kind: type[XGES]) -> None:
    teller = Teller()
    model = kind(progress=teller)
    assert clone(model).progress is not None
    assert model.fit(DRAWN.data).score_ == teller.told[-1].score
    assert repr(kind(progress=True)) == f"{kind.__name__}(progress=True)"


@pytest.mark.parametrize("wrong", [1, "yes", 0.5, [print]])
def test_wrong_values_are_refused_before_the_data_are_read(wrong: object) -> None:
    with pytest.raises(OptionError, match="progress must be"):
        learn(object(), progress=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("silent", [None, False])
def test_no_progress_says_nothing(silent: bool | None, capsys: pytest.CaptureFixture[str]) -> None:
    learn(DRAWN.data, progress=silent)
    assert capsys.readouterr() == ("", "")


def test_true_ends_with_one_plain_line_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = learn(DRAWN.data, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("\n")
    assert len(err.splitlines()) == 1
    assert f"score {result.score:.10g}" in err


def test_plain_lines_come_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(float(second) for second in range(100))
    monkeypatch.setattr("greedag._progress.time.monotonic", lambda: next(clock))
    stream = io.StringIO()
    line = ProgressLine(stream)
    for second in range(1, 22):
        line(Progress(float(second), -1.0, 1, 1, 0))
    line.end()
    seconds = [text.split(" s:")[0] for text in stream.getvalue().splitlines()]
    assert seconds == ["5.0", "10.0", "15.0", "20.0", "21.0"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_one_line_that_is_written_over(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(float(second) for second in range(100))
    monkeypatch.setattr("greedag._progress.time.monotonic", lambda: next(clock))
    stream = Terminal()
    line = ProgressLine(stream)
    for steps in (1000, 7):
        line(Progress(1.0, -1.0, 2, steps, 0))
    line.end()
    first, second, last = stream.getvalue().removeprefix("\r").partition("\r")
    assert first == "1.0 s: score -1, 2 edges, 1000 steps"
    assert last == "1.0 s: score -1, 2 edges, 7 steps   \n"
    assert second == "\r"


def test_a_stream_that_nobody_reads_does_not_end_the_search() -> None:
    script = """
        import os, sys
        import numpy as np
        import greedag
        data = greedag.simulate.linear_gaussian(6, 1.0, 100, seed=0).data
        os.close(2)
        print(greedag.learn(data, progress=True) == greedag.learn(data))
        sys.stderr = None
        print(greedag.learn(data, progress=True) == greedag.learn(data))
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        stdout=subprocess.PIPE,
        text=True,
        env=ONE_THREAD,
    )
    assert run.stdout.split() == ["True", "True"]


def test_ctrl_c_in_the_last_call_keeps_the_result() -> None:
    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(SearchInterrupted) as caught:
        learn(DRAWN.data, progress=interrupt)
    assert caught.value.result == learn(DRAWN.data)
