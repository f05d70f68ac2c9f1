"""``greedag inspect`` prints the command that fixes a table, and ``learn --fix`` runs it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from greedag import Result
from greedag.cli import main

N = 250


@pytest.fixture
def path(tmp_path: Path) -> str:
    rng = np.random.default_rng(0)
    size = rng.normal(size=N)
    frame = pd.DataFrame(
        {
            "who": [f"p{i}" for i in range(N)],
            "size": size,
            "weight, kg": size + rng.normal(size=N),
            "income": np.exp(1.4 * rng.normal(size=N)),
            "age": np.where(rng.random(N) < 0.1, "*", rng.integers(18, 80, N).astype(str)),
            "lab": np.where(rng.random(N) < 0.05, -999.0, rng.normal(size=N)),
            "code": rng.integers(0, 3, N),
        }
    )
    frame.to_csv(tmp_path / "messy table.csv", index=False)
    return str(tmp_path / "messy table.csv")


def learned(command: list[str], folder: Path) -> Result:
    out = folder / "out.json"
    assert main([*command, "--out", str(out)]) == 0
    return Result.load(out)


def test_the_command_that_is_printed_does_what_fix_does(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", path]) == 0
    printed = capsys.readouterr().out
    assert "ERROR   identifiers: 'who'" in printed
    name, *command = shlex.split(printed.splitlines()[-1])
    assert (name, command[:2]) == ("greedag", ["learn", path])
    by_hand = learned(command, tmp_path)
    capsys.readouterr()
    fixed = learned(["learn", path, "--fix"], tmp_path)
    said = capsys.readouterr().err
    assert "greedag: fixed identifiers: dropped 'who'\n" in said
    assert "treated '*' and '-999' as missing" in said
    assert (fixed.cpdag, fixed.score, fixed.settings) == (
        by_hand.cpdag,
        by_hand.score,
        by_hand.settings,
    )
    notes = [note for note in fixed.notes if note.code == "fix"]
    assert len(notes) == said.count("fixed ")


def test_options_that_are_given_hold(path: str, tmp_path: Path) -> None:
    given = ["--kinds", "code=continuous", "--transform", "income=normal-scores"]
    result = learned(["learn", path, "--fix", "--quiet", *given, "--drop", "lab"], tmp_path)
    assert "lab" not in result.cpdag.names
    assert result.settings["transform"] == {"income": "normal-scores"}
    assert result.settings["score"] == "gaussian-bic"


@pytest.fixture
def positive(tmp_path: Path) -> str:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(np.exp(1.2 * rng.normal(size=(N, 3))), columns=list("abc"))
    frame["k"] = rng.integers(0, 3, N)
    frame["m"] = np.where(rng.random(N) < 0.1, np.nan, 5.0 + np.log(frame.a))
    frame.to_csv(tmp_path / "pos.csv", index=False)
    return str(tmp_path / "pos.csv")


def test_only_what_is_passed_on_is_announced(
    positive: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = learned(["learn", positive, "--fix", "--transform", "log1p"], tmp_path)
    said = capsys.readouterr().err
    assert result.settings["transform"] == "log1p"
    assert "skewed" not in said
    result = learned(["learn", positive, "--fix", "--transform", "b=normal-scores"], tmp_path)
    said = capsys.readouterr().err
    assert "used log of 'a' and 'c'\n" in said
    assert "fixed missing" not in said
    assert (result.n, "m" in result.cpdag.names) == (N, False)


@pytest.mark.parametrize("given", [["--missing", "em"], ["--score", "extended-bic"]])
def test_fixes_make_no_column_discrete_where_all_must_be_continuous(
    given: list[str], positive: str, tmp_path: Path
) -> None:
    result = learned(["learn", positive, "--fix", "--quiet", "--drop", "a", *given], tmp_path)
    assert result.cpdag.names == ("b", "c", "k", "m")
    assert result.settings["score"] in ("gaussian-bic", "extended-bic")


def test_a_column_that_is_dropped_needs_no_kind(path: str, tmp_path: Path) -> None:
    given = ["--kinds", "who=discrete,code=discrete"]
    result = learned(["learn", path, "--fix", "--quiet", *given], tmp_path)
    assert "who" not in result.cpdag.names


def test_markers_that_are_given_are_missing_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(N, 3)), columns=list("abc"))
    frame["word"] = rng.choice(["yes", "no", "refused"], N, p=[0.5, 0.4, 0.1])
    frame.to_csv(tmp_path / "t.csv", index=False)
    path = str(tmp_path / "t.csv")
    result = learned(["learn", path, "--fix", "--na", "refused"], tmp_path)
    assert "fixed missing: left out rows" in capsys.readouterr().err
    assert result.n == (frame.word != "refused").sum()


def test_the_report_says_what_was_fixed(path: str, tmp_path: Path) -> None:
    report = tmp_path / "r.html"
    assert main(["learn", path, "--fix", "--quiet", "--report", str(report)]) == 0
    assert "Fixed identifiers: dropped" in report.read_text()


def test_findings_are_printed_as_json(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", path, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["fixes"]["drop"] == ["who"]
    assert record["findings"][0]["severity"] == "error"


def test_a_clean_table_needs_no_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "clean.csv"
    pd.DataFrame(np.random.default_rng(1).normal(size=(90, 3)), columns=list("abc")).to_csv(
        path, index=False
    )
    assert main(["inspect", str(path)]) == 0
    assert capsys.readouterr().out == "90 rows, 3 columns: nothing found\n"
    assert main(["learn", str(path), "--fix"]) == 0
    assert "nothing to fix was found" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["inspect"], "Missing argument"),
        (["inspect", "{path}", "--drop", "nosuch"], "no column 'nosuch'"),
        (["inspect", "{path}", "--kinds", "nosuch=discrete"], "no column 'nosuch'"),
        (["inspect", "nothing.csv"], "there is no file"),
        (["learn", "--sql", "SELECT 1", "--fix"], "--fix excludes --sql"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    command: list[str], words: str, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([part.format(path=path) for part in command]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_a_query_is_inspected(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("duckdb")
    assert main(["inspect", "--sql", f"SELECT * FROM '{path}'"]) == 0
    assert "identifiers: 'who'" in capsys.readouterr().out
