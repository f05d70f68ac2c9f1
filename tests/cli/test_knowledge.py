"""What is known about a graph, on the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from greedag import Knowledge, KnowledgeError, OptionError, Result, simulate
from greedag.cli import main
from greedag.cli.knowledge import knowledge_from

NOISE = np.random.default_rng(3).normal(size=(400, 3))


@pytest.mark.parametrize(
    ("text", "arc"),
    [
        ("a>b", ("a", "b")),
        (" a > b ", ("a", "b")),
        ("a->b", ("a", "b")),
        ("a --> b", ("a", "b")),
        ("a → b", ("a", "b")),
        ("blood pressure>heart-rate", ("blood pressure", "heart-rate")),
        ("lag1_*>x[12]", ("lag1_*", "x[12]")),
        ('"a>b" > c', ("a>b", "c")),
        ('a>"say ""b"""', ("a", 'say "b"')),
        ("a,b>c<d", ("a,b", "c<d")),
    ],
)
def test_arcs_are_read(text: str, arc: tuple[str, str]) -> None:
    assert knowledge_from(forbid=[text]) == Knowledge(forbidden=[arc])
    assert knowledge_from(require=[text]) == Knowledge(required=[arc])


@pytest.mark.parametrize("text", ["", "a", "a>", ">b", "a>b>c", '"a>b', "a b", "a<b", '"">b'])
def test_what_is_no_arc_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match=r"--forbid: cannot read .* as in --forbid 'a>b'"):
        knowledge_from(forbid=[text])


def test_all_options_together_make_one_knowledge(tmp_path: Path) -> None:
    path = str(tmp_path / "known.json")
    Knowledge(tiers="a < b", exogenous=["e"]).save(path)
    known = knowledge_from(path=path, tiers="a < b < c", forbid=["c>d", "d>a"], require=["a>d"])
    assert known == Knowledge(
        tiers="a < b < c",
        exogenous=["e"],
        forbidden=[("c", "d"), ("d", "a")],
        required=[("a", "d")],
    )
    assert knowledge_from() is None
    with pytest.raises(KnowledgeError, match="neither follows from the other"):
        knowledge_from(path=path, tiers="b < a")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a table and knowledge of it."""
    monkeypatch.chdir(tmp_path)
    drawn = simulate.linear_gaussian(3, 1.0, 50, seed=1)
    rows = [",".join(map(str, row)) for row in drawn.data]
    Path("data.csv").write_text("\n".join(["a,b,c", *rows]) + "\n")
    Knowledge(tiers="a < b").save("known.json")
    return tmp_path


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--forbid", "a"], 2, "--forbid: cannot read 'a'"),
        (["--require", "a>b>c"], 2, "--require: cannot read 'a>b>c'"),
        (["--tiers", "a <"], 2, "cannot read the tiers 'a <'"),
        (["--knowledge", "none.json"], 2, "there is no file 'none.json'"),
        (["--knowledge", "data.csv"], 2, "the header must be kind,from,to"),
        (["--knowledge", "known.json", "--tiers", "b < a"], 2, "write one list of tiers\n"),
        (["--knowledge", "known.json", "--out", "known.json"], 3, "known.json"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    code: int,
    message: str,
) -> None:
    assert main(["learn", "data.csv", *options]) == code
    output = capsys.readouterr()
    assert output.out == "" and output.err.count("\n") == 1
    assert message in output.err
    assert Knowledge.load("known.json") == Knowledge(tiers="a < b")


def test_a_class_is_learned_with_what_is_known(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = np.random.default_rng(2).normal(size=(400, 1)) + 0.5 * NOISE
    rows = [",".join(map(str, row)) for row in data]
    Path("chain.csv").write_text("\n".join(["a,b,c", *rows]) + "\n")
    Knowledge(tiers="c < a").save("tiers.json")
    options = ["--knowledge", "tiers.json", "--forbid", "a>b", "--require", "c>b"]
    assert main(["learn", "chain.csv", *options, "--out", "graph.json", "--quiet"]) == 0
    result = Result.load("graph.json")
    assert result.knowledge == Knowledge(
        tiers="c < a", forbidden=[("a", "b")], required=[("c", "b")]
    )
    assert result.cpdag.directed == ()
    assert set(result.graph.directed) == {("c", "a"), ("c", "b"), ("b", "a")}


def test_knowledge_that_contradicts_itself_is_said_in_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", "data.csv", "--tiers", "a < b", "--require", "b>a"]) == 2
    assert '"b → a is required" and "tiers: a < b"' in capsys.readouterr().err
    assert main(["learn", "data.csv", "--require", "b>d"]) == 2
    assert "there is no column 'd'" in capsys.readouterr().err
