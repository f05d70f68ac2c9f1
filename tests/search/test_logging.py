"""The logger `greedag`: what is logged at which level, and that it is silent by default."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from greedag import Progress, exact, learn, simulate
from greedag._progress import LOGGER, logged_progress
from greedag.cli import main

DATA = simulate.linear_gaussian(15, 1.5, 500, seed=0).data


def lines_of(caplog: pytest.LogCaptureFixture, level: int = logging.INFO) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == level]


def test_phases_are_logged_with_their_seconds(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "greedag")
    result = learn(DATA)
    read, bound, refined, found, *notes = lines_of(caplog)
    assert read.startswith("read 500 rows of 15 columns in 0.")
    assert bound.startswith("bound the score gaussian-bic in 0.")
    rounds, kept = result.counts["rounds"], result.counts["kept_rounds"]
    assert refined == f"refined in {rounds} rounds, {kept} of which improved the score"
    assert found.startswith(f"xges completed in {result.timings['search']:.3f} s: score ")
    assert notes == [f"note: {note}" for note in result.notes]
    assert {record.name for record in caplog.records} == {"greedag"}


def test_a_search_that_was_stopped_is_logged_as_such(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "greedag")
    learn(simulate.linear_gaussian(100, 3.0, 500, seed=0).data, time_limit=0.0)
    assert any(line.startswith("xges stopped by time limit in") for line in lines_of(caplog))


def test_debugging_adds_settings_and_counts(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "greedag")
    result = learn(DATA)
    logged = lines_of(caplog, logging.DEBUG)
    assert f"settings {dict(result.settings)}" in logged
    assert f"counts {dict(result.counts)}" in logged


def test_progress_is_logged_once_a_second_and_passed_on_each_time(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG, "greedag")
    times = iter([0.0, 0.5, 1.0, 1.5, 2.5])
    monkeypatch.setattr("greedag._progress.time.monotonic", lambda: next(times))
    passed: list[Progress] = []
    report = logged_progress(passed.append)
    given = [Progress(seconds, -1.0, 2, 3, 0) for seconds in (0.5, 1.0, 1.5, 2.5)]
    for progress in given:
        report(progress)
    assert passed == given
    assert lines_of(caplog, logging.DEBUG) == [f"searching: {given[1]}", f"searching: {given[3]}"]


def test_the_result_does_not_depend_on_logging(caplog: pytest.LogCaptureFixture) -> None:
    silent = learn(DATA)
    caplog.set_level(logging.DEBUG, "greedag")
    assert learn(DATA) == silent


def test_em_the_gap_and_the_report_are_logged(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.INFO, "greedag")
    incomplete = np.where(np.random.default_rng(0).random(DATA.shape) < 0.05, np.nan, DATA)
    result = learn(incomplete, missing="em", search="xges0")
    assert result.gap >= 0.0
    report = tmp_path / "report.html"
    result.report(report)
    logged = "\n".join(lines_of(caplog))
    for line in ("EM took ", "bounded the score by ", f"wrote the report {report} in "):
        assert f"\n{line}" in f"\n{logged}"


def test_nothing_is_logged_unless_the_program_sets_it_up() -> None:
    code = (
        "from greedag import learn, simulate\n"
        "learn(simulate.linear_gaussian(5, 1.0, 100, seed=0).data)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "table.csv"
    header = ",".join(f"x{j}" for j in range(DATA.shape[1]))
    np.savetxt(path, DATA, delimiter=",", header=header, comments="")
    return str(path)


def test_the_command_logs_to_stderr_when_asked_to(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", table, "-v"]) == 0
    verbose = capsys.readouterr()
    assert "greedag: read 500 rows of 15 columns in " in verbose.err
    assert "greedag: xges completed in " in verbose.err
    assert "settings" not in verbose.err
    assert main(["learn", table, "-vv"]) == 0
    more = capsys.readouterr()
    assert "greedag: settings {" in more.err
    assert more.out == verbose.out
    handlers, level = list(LOGGER.handlers), LOGGER.level
    assert main(["learn", table]) == 0
    assert capsys.readouterr().err == ""
    assert (LOGGER.handlers, LOGGER.level) == (handlers, level)
    assert not any(type(handler).__name__ == "_LogLines" for handler in handlers)


def test_an_exact_search_logs_no_refinement(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "greedag")
    exact(DATA[:, :5])
    assert not any(line.startswith("refined") for line in lines_of(caplog))
    assert any(line.startswith("exact completed in") for line in lines_of(caplog))
