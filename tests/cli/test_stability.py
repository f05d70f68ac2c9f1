"""``greedag stability``: what it prints and writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from greedag import Moments, Stability, simulate, stability
from greedag.cli import main

DRAWN = simulate.linear_gaussian(6, 1.5, 400, seed=3)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a table."""
    monkeypatch.chdir(tmp_path)
    sizes = ["--d", "6", "--rho", "1.5", "--n", "400", "--seed", "3"]
    assert main(["simulate", *sizes, "--out", "data.csv"]) == 0
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> tuple[str, str]:
    """Run the command on the table, and return what it printed to both streams."""
    capsys.readouterr()
    assert main(["stability", "data.csv", *arguments]) == code
    output = capsys.readouterr()
    return output.out, output.err


def shares_of(found: Stability) -> list[dict[str, object]]:
    """Return all pairs as the command writes them."""
    fields = ("a", "b", "adjacent", "forward", "backward", "undirected")
    return [{name: getattr(pair, name) for name in fields} for pair in found.table()]


def test_the_pairs_are_those_of_the_function(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed, said = run(capsys, "--draws", "12", "--seed", "5", "--threshold", "0", "--json")
    record = json.loads(printed)
    found = stability("data.csv", draws=12, seed=5)
    assert record["pairs"] == shares_of(found)
    assert (record["kind"], record["draws"], record["rows"]) == ("halves", 12, 400)
    assert record["columns"] == list(DRAWN.names)
    assert said == ""


def test_only_pairs_from_the_threshold_on_are_printed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = stability("data.csv", draws=12)
    stable, others = len(found.table(0.9)), len(found.table())
    assert 0 < stable < others
    printed, _ = run(capsys, "--draws", "12", "--threshold", "0.9")
    lines = printed.splitlines()
    assert lines[0] == found.heading
    assert lines[2].split()[:3] == ["a", "b", "adjacent"]
    assert sum("█" in line for line in lines) == stable
    assert f"{others - stable} more are found in fewer draws" in printed
    assert f"{stable} pairs are adjacent in 90 % of the draws or more" in printed


def test_files_hold_all_pairs_and_all_draws(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = ("--out", "pairs.json", "--out", "draws.npz", "--plot", "shares.png")
    assert run(capsys, "--draws", "6", *outputs, "--quiet") == ("", "")
    found = stability("data.csv", draws=6)
    assert json.loads(Path("pairs.json").read_text())["pairs"] == shares_of(found)
    assert np.array_equal(Stability.load("draws.npz").packed, found.packed)
    assert Path("shares.png").read_bytes().startswith(b"\x89PNG")


def test_what_was_drawn_is_kept_in_a_checkpoint(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "--draws", "4", "--checkpoint", "draws.checkpoint")
    longer, _ = run(capsys, "--draws", "8", "--checkpoint", "draws.checkpoint", "--json")
    afresh, _ = run(capsys, "--draws", "8", "--json")
    assert longer == afresh
    _, said = run(capsys, "--draws", "8", "--seed", "1", "--checkpoint", "draws.checkpoint", code=2)
    assert "draws.checkpoint" in said


def test_options_of_the_search_are_those_of_learn(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = DRAWN.names[:2]
    options = ("--drop", DRAWN.names[5], "--alpha", "3", "--forbid", f"{a}>{b}", "--search", "ges")
    printed, _ = run(capsys, "--draws", "6", *options, "--json", "--threshold", "0")
    found = stability(
        "data.csv",
        draws=6,
        drop=DRAWN.names[5],
        alpha=3.0,
        search="ges",
        knowledge={"forbidden": [(a, b)]},
    )
    assert json.loads(printed)["pairs"] == shares_of(found)


def test_moments_are_drawn_from_by_parametric_draws_only(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Moments.from_data(DRAWN.data, names=DRAWN.names).save("moments.npz")
    assert main(["stability", "moments.npz", "--kind", "parametric", "--draws", "4"]) == 0
    assert "4 normal draws of 400 rows" in capsys.readouterr().out
    assert main(["stability", "moments.npz", "--draws", "4"]) == 2
    assert "parametric" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--draws", "1"], "draws must be a whole number, 2 or more"),
        (["--threshold", "1.5"], "threshold must be a share from 0 to 1"),
        (["--out", "pairs.csv"], "--out: shares cannot be written as '.csv'"),
        (["--plot", "shares.txt"], "--plot: a heat map cannot be written as '.txt'"),
        (["--kind", "jackknife"], "'jackknife' is not one of"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    printed, complaint = run(capsys, *options, code=2)
    assert printed == ""
    assert said in complaint
    assert complaint.count("\n") == 1


def test_a_time_limit_keeps_the_draws_that_are_done(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed, _ = run(capsys, "--draws", "1000000", "--time-limit", "1", "--json")
    record = json.loads(printed)
    assert 0 < record["draws"] < 1_000_000
    assert record["stopped"] == "time limit"
