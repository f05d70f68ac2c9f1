"""Checkpoints: who goes on from one ends where the undisturbed search does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from greedag import (
    DataError,
    FileError,
    Moments,
    OptionError,
    Progress,
    Result,
    SearchInterrupted,
    learn,
    simulate,
)
from greedag.cli import main
from greedag.io.arrays import load_npz, save_npz
from oracle import discrete

DATA = simulate.linear_gaussian(40, 4.0, 1000, seed=0).data
EFFORT = 10.0


Ended = tuple[Any, ...]


def outcome(result: Result, file: Path) -> Ended:
    """Return how a search ended: the whole result, and all that its last checkpoint says."""
    at = load_npz(file, "checkpoint", 5).meta["at"]
    return result.cpdag, result.score, result.trace, result.counts, result.notes, at


def in_one_go(file: Path, **options: Any) -> Ended:
    return outcome(learn(checkpoint=file, **options), file)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    return in_one_go(tmp_path_factory.mktemp("whole") / "file", data=DATA, effort=EFFORT, seed=3)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "refinement.checkpoint"


def in_pieces(file: Path, seconds: float, jobs: tuple[int, ...], **options: Any) -> tuple[Any, int]:
    """Let a time limit stop a search again and again; return how it ends, and after how many.

    A machine on which the first piece is already the whole gets a tighter limit.
    """
    for piece in range(1, 100):
        result = learn(
            checkpoint=file,
            # Longer each time, because the search before the refinement starts anew.
            time_limit=seconds * 1.3**piece,
            n_jobs=jobs[piece % len(jobs)],
            **options,
        )
        if not result.stopped and piece == 1:
            file.unlink()
            return in_pieces(file, seconds / 4, jobs, **options)
        if not result.stopped:
            return result, piece
    raise AssertionError("it never ends")


@pytest.mark.parametrize("seconds", [0.01, 0.03, 0.07])
@pytest.mark.parametrize("jobs", [(1,), (1, 2, 3)])
def test_a_search_in_pieces_ends_where_the_undisturbed_one_does(
    file: Path, undisturbed: Ended, seconds: float, jobs: tuple[int, ...]
) -> None:
    result, pieces = in_pieces(file, seconds, jobs, data=DATA, effort=EFFORT, seed=3)
    assert pieces > 1
    assert outcome(result, file) == undisturbed


def test_a_discrete_search_in_pieces_ends_where_the_undisturbed_one_does(file: Path) -> None:
    rows = np.array(discrete.random_rows(2, 20, 400))
    options: dict[str, Any] = {"data": rows, "score": "bdeu", "effort": 40.0}
    result, pieces = in_pieces(file, 0.003, (1, 2), **options)
    assert pieces > 1
    assert outcome(result, file) == in_one_go(file.with_name("whole"), **options)


def test_where_no_round_is_kept_the_trace_is_that_of_the_search(file: Path) -> None:
    data = simulate.linear_gaussian(40, 1.0, 1000, seed=3).data
    options: dict[str, Any] = {"data": data, "effort": 20.0}
    result, pieces = in_pieces(file, 0.01, (1, 2), **options)
    assert pieces > 1
    assert result.counts["kept_rounds"] == 0
    assert result.trace == learn(data, effort=0).trace
    assert outcome(result, file) == in_one_go(file.with_name("whole"), **options)


@pytest.mark.parametrize("calls", [1, 2, 4])
def test_who_was_interrupted_goes_on(file: Path, undisturbed: Ended, calls: int) -> None:
    left = calls

    def interrupt(told: Progress) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise KeyboardInterrupt

    try:
        learn(DATA, effort=EFFORT, seed=3, checkpoint=file, progress=interrupt)
    except KeyboardInterrupt as stopped:  # plain, if it had ended already
        if isinstance(stopped, SearchInterrupted):
            assert stopped.result.score <= undisturbed[1]
    result = learn(DATA, effort=EFFORT, seed=3, checkpoint=file, n_jobs=2)
    assert outcome(result, file) == undisturbed


@pytest.mark.clock
def test_a_search_that_was_killed_goes_on_from_its_last_checkpoint(file: Path) -> None:
    program = (
        "import sys, greedag\n"
        "data = greedag.simulate.linear_gaussian(60, 4.0, 1000, seed=1).data\n"
        "greedag.learn(data, effort=1e6, checkpoint=sys.argv[1])\n"
    )
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen([sys.executable, "-c", program, str(file)], env=environment) as process:
        try:
            deadline = time.monotonic() + 30.0
            while not file.exists() and time.monotonic() < deadline:
                time.sleep(0.02)
        finally:
            process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    at = load_npz(file, "checkpoint", 5).meta["at"]
    assert at["round"] > 0
    data = simulate.linear_gaussian(60, 4.0, 1000, seed=1).data
    # An effort that ends some rounds after those that the file has.
    effort = (
        max(at["rounds_without_gain"] / 20.0, at["work"] / (90.0 * at["evaluations"])) * 1.1 + 0.1
    )
    resumed = learn(data, effort=effort, checkpoint=file)
    assert resumed.counts["rounds"] > at["round"]
    whole = in_one_go(file.with_name("whole"), data=data, effort=effort)
    assert outcome(resumed, file) == whole


def test_a_finished_refinement_goes_on_with_a_larger_effort(file: Path) -> None:
    first = learn(DATA, effort=0.5, seed=3, checkpoint=file)
    again = learn(DATA, effort=0.5, seed=3, checkpoint=file)
    assert (again.cpdag, again.score) == (first.cpdag, first.score)
    more = learn(DATA, effort=EFFORT, seed=3, checkpoint=file)
    assert more.counts["rounds"] > first.counts["rounds"]
    assert more.score >= first.score


def test_a_resumed_result_has_a_trace_that_builds_its_class(file: Path) -> None:
    from greedag import _core

    learn(DATA, effort=0.5, checkpoint=file)
    result = learn(DATA, effort=1.0, checkpoint=file)
    graph = np.zeros((40, 40), dtype=np.uint8)
    for step in result.trace:
        graph = _core.apply(graph, step.kind, step.x, step.y, step.T)
    assert np.array_equal(graph, result.cpdag.to_matrix())


# ---- what is refused


@pytest.fixture
def written(file: Path) -> Path:
    learn(DATA, effort=0.3, checkpoint=file)
    assert file.exists()
    return file


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seed": 1}, "seed 0, not 1"),
        ({"alpha": 3.0}, "alpha 2.0, not 3.0"),
        ({"score": "bge"}, "score 'gaussian-bic', not 'bge'"),
        ({"search": "ges", "effort": 1}, "search 'xges', not 'ges'"),
        ({"clique_cap": 8}, "clique_cap 64, not 8"),
    ],
)
def test_checkpoints_of_other_settings_are_refused(
    written: Path, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(OptionError, match=words):
        learn(DATA, checkpoint=written, **options)


def test_checkpoints_of_other_data_are_refused(written: Path) -> None:
    others = {
        "900 in the other": DATA[:900],
        "39 in the other": DATA[:, 1:],
        "the spread of column": DATA * 2.0,
        "the correlations of column": np.random.default_rng(0).permuted(DATA, axis=0),
        "column 0 is": pd.DataFrame(DATA, columns=[f"y{j}" for j in range(40)]),
    }
    for words, data in others.items():
        with pytest.raises(DataError, match=words):
            learn(data, checkpoint=written)


def test_damaged_and_foreign_files_are_refused(written: Path, tmp_path: Path) -> None:
    content = written.read_bytes()
    for spoiled in (content[:-1], content[: len(content) // 2], content[:100] + b"x", b"", b"no"):
        written.write_bytes(spoiled)
        with pytest.raises(FileError):
            learn(DATA, checkpoint=written)
        assert written.read_bytes() == spoiled
    flipped = bytearray(content)
    flipped[len(flipped) // 2] ^= 1
    written.write_bytes(flipped)
    with pytest.raises(FileError, match="damaged"):
        learn(DATA, checkpoint=written)
    saved = tmp_path / "result"
    save_npz(saved, "moments", 1, {}, {})
    with pytest.raises(FileError, match="holds 'moments', not 'checkpoint'"):
        learn(DATA, checkpoint=saved)


@pytest.mark.parametrize(
    "change",
    [
        {"round": -1},
        {"climbed": -1},
        {"score": "high"},
        {"work": float("nan")},
        {"rounds_without_gain": 2**70},
        {"kept": None},
        {"kept": float("inf")},
        {"counts": {}},
        {"capped_targets": [40]},
        {"trace": [["insert", 0, 40, [], [], [], 1.0]]},
        {"trace": [["insert", 0, 1, [], [], [], float("inf")]]},
    ],
)
def test_numbers_that_no_refinement_has_are_refused(written: Path, change: dict[str, Any]) -> None:
    stored = load_npz(written, "checkpoint", 5)
    meta = {**stored.meta, "at": {**stored.meta["at"], **change}}
    save_npz(written, "checkpoint", 5, stored.arrays, meta)
    with pytest.raises(FileError):
        learn(DATA, checkpoint=written)


def test_files_of_an_earlier_version_are_refused(written: Path) -> None:
    stored = load_npz(written, "checkpoint", 5)
    save_npz(written, "checkpoint", 1, stored.arrays, stored.meta)
    with pytest.raises(FileError, match="written by an earlier version of greedag; delete"):
        learn(DATA, checkpoint=written)


def test_a_graph_that_is_no_class_is_refused(written: Path) -> None:
    stored = load_npz(written, "checkpoint", 5)
    for adjacency in (np.ones((39, 39)), np.triu(np.ones((40, 40))), np.ones((40, 39))):
        arrays = {**stored.arrays, "adjacency": adjacency.astype(np.uint8)}
        save_npz(written, "checkpoint", 5, arrays, stored.meta)
        with pytest.raises(FileError):
            learn(DATA, checkpoint=written)


def test_a_checkpoint_without_a_refinement_is_refused(file: Path) -> None:
    for options in ({"effort": 0}, {"search": "ges"}):
        with pytest.raises(OptionError, match="effort 0 has none"):
            learn(DATA, checkpoint=file, **options)
    assert not file.exists()


def test_a_score_of_your_own_has_no_checkpoint(file: Path) -> None:
    class Own:
        def local_score(self, y: int, parents: tuple[int, ...]) -> float:
            return -float(len(parents))

    for data in (DATA, Moments.from_data(DATA)):
        with pytest.raises(OptionError, match="a custom score cannot be checkpointed"):
            learn(data, score=Own(), effort=1, checkpoint=file)


def test_nothing_is_written_where_the_best_class_is_computed(file: Path) -> None:
    result = learn(DATA[:, :12], checkpoint=file)
    assert result.gap == 0.0
    assert result.counts["rounds"] == 0
    assert not file.exists()
    learn(DATA[:, :6] > 0.0, score="bdeu", checkpoint=file)
    assert file.exists()


def test_a_folder_that_is_not_there_is_an_error_before_the_search(tmp_path: Path) -> None:
    with pytest.raises(FileError):
        learn(DATA, checkpoint=tmp_path / "nowhere" / "file", progress=lambda told: 1 / 0)


# ---- the command line


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(DATA, columns=[f"x{j}" for j in range(40)]).to_csv("table.csv", index=False)
    return "table.csv"


def test_the_command_line_takes_effort_seed_and_checkpoint(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["learn", table, "--effort", "2", "--seed", "5", "--out", "graph.json"]
    assert main([*command, "--checkpoint", "at"]) == 0
    assert capsys.readouterr().out.startswith("xges, alpha 2: 40 columns")
    result = Result.load("graph.json")
    assert (result.settings["effort"], result.settings["seed"]) == (2.0, 5)
    assert result.cpdag == learn(pd.read_csv(table), effort=2, seed=5).cpdag
    assert Path("at").exists()
    assert main([*command, "--checkpoint", "at"]) == 0
    assert Result.load("graph.json").cpdag == result.cpdag
    assert main(["learn", table, "--effort", "0", "--out", "graph.json", "--quiet"]) == 0
    assert Result.load("graph.json").cpdag == learn(pd.read_csv(table), effort=0).cpdag


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--effort", "-1"], 2, "effort must be"),
        (["--effort", "nan"], 2, "effort must be"),
        (["--effort", "much"], 2, "--effort"),
        (["--effort", "inf"], 2, "set a --time-limit"),
        (["--effort", "1", "--search", "exact"], 2, "leaves nothing to refine"),
        (["--seed", "-1"], 2, "seed must be"),
        (["--seed", "1.5"], 2, "--seed"),
        (["--effort", "0", "--checkpoint", "at"], 2, "effort 0 has none"),
        (["--checkpoint", "nowhere/at"], 3, "cannot write 'nowhere/at'"),
        (["--checkpoint", "table.csv"], 3, "is an input and would be overwritten"),
    ],
)
def test_the_command_line_refuses_what_python_refuses(
    table: str,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    code: int,
    words: str,
) -> None:
    assert main(["learn", table, *options]) == code
    assert words in capsys.readouterr().err
