"""What the commands show of results that were learned with knowledge."""

from __future__ import annotations

from pathlib import Path

import pytest

from greedag import Knowledge, Result, simulate
from greedag.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a table."""
    monkeypatch.chdir(tmp_path)
    drawn = simulate.linear_gaussian(3, 1.0, 50, seed=1)
    rows = [",".join(map(str, row)) for row in drawn.data]
    Path("data.csv").write_text("\n".join(["a,b,c", *rows]) + "\n")
    return tmp_path


@pytest.fixture
def learned(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What the command prints; it writes the result with what is known to graph.json."""
    words = ["--tiers", "a < b", "--require", "a>c", "--out", "graph.json", "--out", "graph.dot"]
    assert main(["learn", "data.csv", *words]) == 0
    return capsys.readouterr().out


def test_learn_prints_and_writes_the_graph_with_what_is_known(learned: str) -> None:
    result = Result.load("graph.json")
    assert result.knowledge == Knowledge(tiers="a < b", required=[("a", "c")])
    assert "a → c" in learned and "known" in learned
    assert learned.splitlines()[-1] == "note: 2 statements about what is known were respected"
    assert '"a" -> "c"' in Path("graph.dot").read_text().replace("a -> c", '"a" -> "c"')


def test_commands_on_saved_results_show_what_is_known(
    learned: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", "graph.json"]) == 0
    assert "a → c" in capsys.readouterr().out
    assert main(["convert", "graph.json", "again.json"]) == 0
    assert main(["compare", "graph.json", "again.json"]) == 0
    assert "0 reversed" in (output := capsys.readouterr().out) and "SHD 0" in output
    assert main(["score", "data.csv", "graph.json"]) == 0
    assert float(capsys.readouterr().out) == pytest.approx(Result.load("graph.json").score)
    assert main(["explain", "graph.json", "a", "c", "--data", "data.csv"]) == 0
    assert "a → c is required" in capsys.readouterr().out


def test_the_cost_of_knowledge_is_printed(learned: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "graph.json", "--knowledge-cost", "--data", "data.csv"]) == 0
    output = capsys.readouterr().out
    cost = Result.load("graph.json", "data.csv").knowledge_cost()
    assert output == f"{cost}\n" and output.split()[:2] == ["statement", "cost"]


@pytest.mark.parametrize("words", [["a"], [], ["a", "c", "--knowledge-cost"]])
def test_explain_takes_two_columns_or_the_cost(
    learned: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", "graph.json", *words, "--data", "data.csv"]) == 2
    assert "give two columns A and B, or --knowledge-cost" in capsys.readouterr().err
