"""The command line on tables of levels and of both kinds, and the options that go with them."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from greedag import GreedagWarning, Moments, Result, learn, score_graph
from greedag.cli import main

RNG = np.random.default_rng(7)
N = 600
CLOUDS = RNG.choice(["few", "many", "none"], N)
RAIN = np.where(RNG.random(N) < 0.85, CLOUDS != "none", RNG.random(N) < 0.5)
WET = np.where(RAIN, "yes", RNG.choice(["yes", "no"], N, p=[0.15, 0.85]))
LEVELS = pd.DataFrame(
    {
        "clouds": CLOUDS,
        "rain": np.where(RAIN, "yes", "no"),
        "wet": WET,
        "coin": RNG.choice(["h", "t"], N),
    }
)
LEVEL = 2.0 * RAIN + RNG.normal(size=N)
MIXED = LEVELS.assign(level=LEVEL, flow=LEVEL + RNG.normal(size=N), stage=RNG.integers(1, 4, N))
NUMBERS = MIXED[["level", "flow"]].assign(noise=RNG.normal(size=N))
DIGITS = pd.DataFrame({name: pd.factorize(LEVELS[name])[0] for name in LEVELS})


def write_json_lines(frame: pd.DataFrame, path: Path) -> None:
    rows = json.loads(frame.to_json(orient="records", double_precision=15))
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


WRITERS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    ".csv": lambda frame, path: frame.to_csv(path, index=False),
    ".tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    ".jsonl": write_json_lines,
    ".parquet": lambda frame, path: frame.to_parquet(path),
}
SUFFIXES = tuple(WRITERS)


def table(folder: Path, frame: pd.DataFrame, suffix: str = ".csv", name: str = "table") -> str:
    path = folder / f"{name}{suffix}"
    WRITERS[suffix](frame, path)
    return str(path)


def learned(folder: Path, *arguments: str) -> Result:
    out = str(folder / "result.json")
    assert main(["learn", *arguments, "--out", out, "--quiet"]) == 0
    return Result.load(out)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the one line with which a command refuses."""
    assert main(list(arguments)) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("greedag: ")
    assert output.err.count("\n") == 1
    return output.err


def assert_same(result: Result, expected: Result) -> None:
    assert result.cpdag == expected.cpdag
    assert result.score == pytest.approx(expected.score, rel=1e-12)
    assert result.settings == expected.settings
    assert result.notes == expected.notes


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_table_of_text_is_scored_by_its_levels(tmp_path: Path, suffix: str) -> None:
    result = learned(tmp_path, table(tmp_path, LEVELS, suffix))
    assert result.settings["score"] == "bdeu"
    assert_same(result, learn(LEVELS))
    assert result.cpdag.edge("rain", "wet")


@pytest.mark.parametrize("score", ["discrete-bic", "bdeu"])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_discrete_score_takes_digits_as_levels(tmp_path: Path, suffix: str, score: str) -> None:
    path = table(tmp_path, DIGITS, suffix)
    assert_same(learned(tmp_path, path, "--score", score), learn(DIGITS, score=score))
    if score == "bdeu":
        same = learned(tmp_path, path, "--kinds", "discrete")
        assert same.cpdag == learn(DIGITS, kinds="discrete").cpdag


@pytest.mark.parametrize("score", ["auto", "degenerate-gaussian", "conditional-gaussian"])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_table_of_both_kinds_is_learned_as_in_python(
    tmp_path: Path, suffix: str, score: str
) -> None:
    path = table(tmp_path, MIXED, suffix)
    result = learned(tmp_path, path, "--score", score, "--kinds", "stage=discrete")
    assert_same(result, learn(MIXED, score=score, kinds={"stage": "discrete"}))


@pytest.mark.parametrize("score", ["gaussian-bic", "extended-bic", "bge"])
def test_scores_of_numbers_can_be_chosen(tmp_path: Path, score: str) -> None:
    path = table(tmp_path, NUMBERS)
    result = learned(tmp_path, path, "--score", score, "--kinds", "continuous")
    expected = learn(Moments.from_data(NUMBERS), score=score)
    assert result.cpdag == expected.cpdag
    assert result.settings == expected.settings
    assert result.score == pytest.approx(expected.score, rel=1e-9)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_parts_of_a_table_of_levels_and_quoted_patterns_are_one_table(
    tmp_path: Path, suffix: str
) -> None:
    table(tmp_path, MIXED.iloc[:250], suffix, "part1")
    table(tmp_path, MIXED.iloc[250:], suffix, "part2")
    result = learned(tmp_path, str(tmp_path / f"part*{suffix}"), "--kinds", "stage=discrete")
    assert_same(result, learn(MIXED, kinds={"stage": "discrete"}))


def test_a_column_that_is_all_digits_in_one_part_may_be_text_in_another(tmp_path: Path) -> None:
    frame = DIGITS.astype(str)
    frame.loc[N - 1, "coin"] = "edge"
    parts = [
        table(tmp_path, frame.iloc[:300], name="a"),
        table(tmp_path, frame.iloc[300:], name="b"),
    ]
    assert learned(tmp_path, *parts, "--score", "bdeu").score == pytest.approx(
        learn(frame, score="bdeu").score
    )


def test_parts_with_other_categories_are_one_table(tmp_path: Path) -> None:
    first, rest = LEVELS.iloc[:200], LEVELS.iloc[200:400].astype("category")
    first = first[first["clouds"] != "few"].astype("category")
    parts = [first, rest, LEVELS.iloc[400:]]
    paths = [
        table(tmp_path, part.reset_index(drop=True), suffix, name)
        for part, suffix, name in zip(parts, (".parquet", ".parquet", ".csv"), "abc", strict=True)
    ]
    expected = learn(pd.concat([part.astype(str) for part in parts]))
    assert_same(learned(tmp_path, *paths), expected)


def test_without_pyarrow_a_table_of_text_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    error = refused(capsys, "learn", table(tmp_path, LEVELS))
    assert 'pip install "greedag[io]"' in error


def test_parts_with_other_columns_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = table(tmp_path, LEVELS, name="one")
    other = table(tmp_path, LEVELS.drop(columns="coin"), name="other")
    assert "lacks column 'coin' that" in refused(capsys, "learn", one, other)


def test_a_pattern_that_matches_no_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "no file matches" in refused(capsys, "learn", str(tmp_path / "*.csv"))


def test_1_and_1_0_are_the_same_level(tmp_path: Path) -> None:
    text = DIGITS.astype(str)
    text.loc[::2, "wet"] += ".0"
    path = table(tmp_path, text)
    result = learned(tmp_path, path, "--score", "bdeu")
    assert result.score == pytest.approx(learn(DIGITS, score="bdeu").score)


@pytest.mark.parametrize(
    "levels",
    [
        ("1", "01", "2"),
        ("9007199254740992", "9007199254740993", "7"),
        ("0.1", "0.10000000000000001", "0.2"),
        ("100", "1e2", "+100"),
        ("1,5", "1,50", "2"),
    ],
    ids=str,
)
def test_levels_that_differ_as_text_are_never_one(tmp_path: Path, levels: tuple[str, ...]) -> None:
    text = DIGITS.astype(str).assign(clouds=DIGITS["clouds"].map(dict(enumerate(levels))))
    path, expected = table(tmp_path, text), learn(DIGITS, score="bdeu").score
    assert learned(tmp_path, path, "--score", "bdeu").score == pytest.approx(expected)
    mixed = table(tmp_path, text[["clouds"]].assign(level=LEVEL))
    result = learned(tmp_path, mixed, "--kinds", "clouds=discrete")
    frame = DIGITS[["clouds"]].assign(level=LEVEL)
    assert result.score == pytest.approx(learn(frame, kinds={"clouds": "discrete"}).score)


def test_levels_of_numbers_are_the_same_in_text_and_in_doubles(tmp_path: Path) -> None:
    doubles = DIGITS.astype(float) * 1e-5 - 0.5
    parts = [
        table(tmp_path, doubles.iloc[:300], ".csv"),
        table(tmp_path, doubles.iloc[300:], ".parquet"),
    ]
    result = learned(tmp_path, *parts, "--score", "bdeu")
    assert result.score == pytest.approx(learn(DIGITS, score="bdeu").score)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("frame", [LEVELS, MIXED], ids=["levels", "mixed"])
def test_results_on_levels_are_explained_and_scored(
    tmp_path: Path, suffix: str, frame: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = table(tmp_path, frame, suffix), str(tmp_path / "result.json")
    kinds = ["--kinds", "stage=discrete"] if "stage" in frame else []
    result = learned(tmp_path, path, *kinds)
    assert main(["explain", out, "rain", "wet", "--data", path, *kinds]) == 0
    told = {"stage": "discrete"} if kinds else None
    expected = str(learn(frame, kinds=told).explain("rain", "wet"))
    assert capsys.readouterr().out == expected + "\n"
    assert main(["score", path, out, *kinds]) == 0
    assert float(capsys.readouterr().out) == pytest.approx(result.score, rel=1e-12)


def test_a_graph_is_scored_by_the_score_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = table(tmp_path, DIGITS), str(tmp_path / "result.json")
    cpdag = learned(tmp_path, path, "--score", "bdeu").cpdag
    assert main(["score", path, out, "--score", "discrete-bic", "--alpha", "2"]) == 0
    expected = score_graph(DIGITS, cpdag, score="discrete-bic", alpha=2.0)
    assert float(capsys.readouterr().out) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--score", "bdue"], "unknown score 'bdue' (did you mean 'bdeu'?)"),
        (["--score", ""], "unknown score ''"),
        (["--score", "bdeu", "--alpha", "2"], "alpha must be left out"),
        (["--alpha", "2"], "alpha must be left out"),
        (["--kinds", "levels"], "--kinds: cannot read 'levels'"),
        (["--kinds", ""], "--kinds is empty"),
        (["--kinds", "rain=text"], "--kinds: cannot read 'rain=text'"),
        (["--kinds", "=discrete"], "--kinds: cannot read '=discrete'"),
        (["--kinds", '"rain'], "--kinds: cannot read"),
        (["--kinds", "rain=discrete,rain=discrete"], "--kinds names 'rain' twice"),
        (["--kinds", "rian=discrete"], "there is no column 'rian' (did you mean 'rain'?)"),
        (["--kinds", "rain=continuous"], "column 'rain': 'yes' is not a finite number"),
        (["--missing", "mean"], "'mean' is not one of 'error', 'drop', 'em'"),
        (["--missing", "em"], "EM is for continuous columns"),
        (["--weights", "wieght"], "there is no column 'wieght'"),
        (["--weights", ""], "there is no column ''"),
        (["--weights", "rain"], "column 'rain': 'yes' is not a finite number"),
        (["--weights", "coin", "--drop", "coin"], "--weights needs 'coin', which --drop leaves"),
        (["--sql", "SELECT 1"], "cannot be opened as a DuckDB database"),
        (["--sql", "SELECT 1", "--drop", "coin"], "--sql excludes --format, --columns and"),
        (["--score", "gaussian-bic"], "line 2, column 'clouds'"),
        (["--score", "bdeu", "--kinds", "continuous"], "line 2, column 'clouds'"),
    ],
    ids=str,
)
def test_options_that_make_no_sense_are_refused_in_one_line(
    tmp_path: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = LEVELS.assign(rain=["yes", *LEVELS["rain"][1:]])
    assert message in refused(capsys, "learn", table(tmp_path, frame), *options)


def test_kinds_that_the_score_does_not_take_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = table(tmp_path, DIGITS)
    for score, word in (("bdeu", "continuous"), ("gaussian-bic", "discrete")):
        error = refused(capsys, "learn", path, "--score", score, "--kinds", f"rain={word}")
        assert "kinds contradicts the score for 'rain'" in error


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("a,b\nx,1\ny,2\nx,z\n", [], "line 4, column 'b': 'z' is not a finite number"),
        ("a,b\nx,1\ny,2\n,3\n", [], "line 4, column 'a': the value is missing"),
        ("a,b\nx,1\nNA,2\ny,3\n", [], "line 3, column 'a': the value is missing"),
        ("a,b\nx,1\ny,2\nx,\n", ["--score", "bdeu"], "line 4, column 'b': the value is missing"),
        ("a,b\nx,1\ny\n", [], "line 3 has 1 fields; the header has 2"),
        ("a,b\n", ["--score", "bdeu"], "has a header but no rows"),
        ("a,b\n1_0,2\n1_1,2\n", [], "line 2, column 'a': '1_0' is not a finite number"),
        ("a,b\nx,1\nx,2\nx,3\n", [], "constant column 'a'"),
        ("a;b\nx;1,5\ny;2,5\n", [], "line 2, column 'b': '1,5' is not a finite number; write dec"),
        ("a;b\nx;y\nz;2,5\n", [], "line 3, column 'b': '2,5' is not a finite number; write decim"),
        ("a;b\nx;\nz;2,5\n", ["--missing", "drop"], "line 3, column 'b': '2,5' is not a finite"),
        ("a,b\nx,1\ny,\nx,3\n", [], "line 3, column 'b': the value is missing; correct it, or p"),
        ("a,b\nN/A,1\nx,2\ny,3\n", [], "pass --missing drop to leave out such rows"),
        ("a,b\nx,1\ny,\n", ["--weights", "b"], "line 3, column 'b': the value is missing; correct"),
    ],
    ids=str,
)
def test_a_broken_table_of_levels_is_refused_with_the_place(
    tmp_path: Path,
    content: str,
    options: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "broken.csv"
    path.write_text(content)
    assert message in refused(capsys, "learn", str(path), *options)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"a": "x", "b": 1}\n{"a": "y", "b": "2"}\n', "line 2, column 'b': '2' is not a finite"),
        ('{"a": "x", "b": 1}\n{"a": null, "b": 2}\n', "line 2, column 'a': the value is missing"),
        ('{"a": "x", "b": 1}\n{"a": [1], "b": 2}\n', "line 2, column 'a': '[1]' is not a level"),
    ],
    ids=str,
)
def test_broken_json_lines_of_levels_are_refused_with_the_place(
    tmp_path: Path, content: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(content)
    assert message in refused(capsys, "learn", str(path))


def test_saved_moments_have_no_levels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.bin"
    Moments.from_data(NUMBERS).save(path)
    assert "holds moments, not rows" in refused(capsys, "learn", str(path), "--score", "bdeu")


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_arrays_hold_levels_if_the_score_says_so(tmp_path: Path, suffix: str) -> None:
    path = str(tmp_path / f"table{suffix}")
    if suffix == ".npy":
        np.save(path, DIGITS.to_numpy())
    else:
        np.savez(path, **{name: DIGITS[name].to_numpy() for name in DIGITS})
    expected = learn(DIGITS, score="bdeu").score
    assert learned(tmp_path, path, "--score", "bdeu").score == pytest.approx(expected)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_hostile_levels_do_not_reach_the_terminal_raw(
    tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = {"yes": "\x1b[31m<hr id=x>\u202e", "no": "\x9b2J'; --"}
    frame = LEVELS.replace(hostile).assign(level=LEVEL)
    path, out = table(tmp_path, frame, suffix), str(tmp_path / "result.json")
    report = str(tmp_path / "report.html")
    assert main(["learn", path, "--out", out, "--report", report]) == 0
    assert main(["explain", out, "rain", "wet", "--data", path]) == 0
    assert main(["learn", path, "--score", "gaussian-bic"]) == 2
    constant = frame.assign(coin="\x1b[2J", level="\x1b[31m")
    assert main(["learn", table(tmp_path, constant, suffix, "constant")]) == 2
    output = capsys.readouterr()
    for character in "\x1b\x9b\u202e":
        assert character not in output.out + output.err
    assert "<hr id=x>" not in Path(report).read_text()


def test_warnings_are_lines_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = table(tmp_path, MIXED, ".parquet")
    assert main(["learn", path]) == 0
    errors = capsys.readouterr().err
    assert errors.startswith("greedag: warning: column 'stage' holds numbers with")
    assert errors.count("\n") == 1
    assert main(["learn", path, "--quiet"]) == 0
    assert capsys.readouterr().err == ""


GRADES = NUMBERS.assign(grade=MIXED["stage"], count=np.arange(N))


def told(path: str, *options: str, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(["learn", path, *options, "--effort", "0"]) == 0
    return capsys.readouterr().err


@pytest.mark.parametrize("suffix", [*SUFFIXES, ".npy", ".npz"])
def test_whole_numbers_with_few_values_are_asked_about_as_in_python(
    tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = GRADES[["grade", "count"]].assign(other=RNG.permutation(N))
    if suffix == ".npy":
        path, frame = str(tmp_path / "table.npy"), frame.set_axis(["x0", "x1", "x2"], axis=1)
        np.save(path, frame.to_numpy())
    elif suffix == ".npz":
        path = str(tmp_path / "table.npz")
        np.savez(path, **{name: frame[name].to_numpy() for name in frame})
    else:
        path = table(tmp_path, frame, suffix)
    with pytest.warns(GreedagWarning) as caught:
        learn(frame, effort=0)
    name = frame.columns[0]
    asked = str(caught[0].message).replace(
        f"kinds={{{name!r}: 'discrete'}}", f"--kinds {name}=discrete"
    )
    assert told(path, capsys=capsys) == f"greedag: warning: {asked}\n"
    for option in (f"--kinds={name}=continuous", f"--kinds={name}=discrete", "--score=bge"):
        assert told(path, option, capsys=capsys) == ""


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_whole_numbers_are_asked_about_beside_text_missing_values_and_weights(
    tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    beside_text = table(tmp_path, MIXED, suffix)
    assert "column 'stage' holds numbers with" in told(beside_text, capsys=capsys)
    holes = GRADES.assign(flow=GRADES["flow"].where(GRADES["count"] > 5))
    path = table(tmp_path, holes, suffix, "holes")
    assert "column 'grade' holds" in told(path, "--missing", "drop", capsys=capsys)
    weighed = table(tmp_path, GRADES, suffix, "weighed")
    assert "column 'grade' holds" in told(weighed, "--weights", "count", capsys=capsys)


@pytest.mark.parametrize("frame", [GRADES, MIXED], ids=["numbers", "mixed"])
def test_scoring_warns_in_lines_of_the_command_and_explaining_knows_the_kinds(
    tmp_path: Path, frame: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = table(tmp_path, frame), str(tmp_path / "result.json")
    asked = told(path, "--out", out, capsys=capsys)
    assert main(["score", path, out]) == 0
    assert capsys.readouterr().err == asked
    assert main(["explain", out, "level", "flow", "--data", path]) == 0
    # The result holds what its columns were taken for.
    assert capsys.readouterr().err == ""


def test_a_warning_says_what_the_shell_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = table(tmp_path, GRADES.rename(columns={"grade": 'it\'s a, "b"'}))
    asked = told(path, capsys=capsys)
    option = shlex.split(asked.partition(" pass ")[2].partition("; if not, ")[0])
    assert option[0] == "--kinds"
    assert told(path, *option, capsys=capsys) == ""


def test_values_of_all_parts_are_counted_before_a_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = [GRADES.assign(many=5 * part + GRADES["count"] % 5) for part in range(3)]
    for part, frame in enumerate(parts):
        table(tmp_path, frame, ".csv", f"part{part}")
    assert "column 'grade' holds" in told(str(tmp_path / "*.csv"), capsys=capsys)
    assert "'grade' and 'many' hold" in told(str(tmp_path / "part0.csv"), capsys=capsys)


HOLES = MIXED.drop(columns="stage").mask(np.random.default_rng(1).random((N, 6)) < 0.03)
WEIGHTS = np.random.default_rng(2).integers(0, 4, N)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("columns", [list(LEVELS), ["level", "flow"], list(HOLES)], ids=str)
def test_rows_with_missing_values_are_dropped_if_so_asked(
    tmp_path: Path, suffix: str, columns: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = table(tmp_path, HOLES[columns], suffix), str(tmp_path / "result.json")
    result = learned(tmp_path, path, "--missing", "drop")
    whole = HOLES[columns].dropna()
    expected = learn(whole)
    assert result.cpdag == expected.cpdag
    assert result.score == pytest.approx(expected.score, rel=1e-12)
    assert result.n == len(whole)
    dropped = f"{N - len(whole)} of {N} rows were dropped because they have missing values"
    assert dropped in result.notes
    a, b = columns[:2]
    assert main(["explain", out, a, b, "--data", path, "--missing", "drop"]) == 0
    assert capsys.readouterr().out == f"{expected.explain(a, b)}\n"
    assert main(["score", path, out, "--missing", "drop"]) == 0
    assert float(capsys.readouterr().out) == pytest.approx(expected.score, rel=1e-12)
    assert "missing" in refused(capsys, "learn", path)


@pytest.mark.parametrize("word", ["", " ", "NA", "n/a", "NaN", "null"])
@pytest.mark.parametrize("column", ["clouds", "level"])
def test_words_for_nothing_are_missing_in_every_column(
    tmp_path: Path, word: str, column: str
) -> None:
    frame = MIXED.drop(columns="stage")
    text = frame.astype(str)
    text.loc[[0, 7], column] = word  # the first value of a column must not decide what it holds
    result = learned(tmp_path, table(tmp_path, text), "--missing", "drop")
    assert result.cpdag == learn(frame.drop(index=[0, 7])).cpdag
    assert result.n == N - 2


def test_moments_are_estimated_by_em_if_so_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = NUMBERS.mask(np.random.default_rng(3).random(NUMBERS.shape) < 0.1)
    path, out = table(tmp_path, frame), str(tmp_path / "result.json")
    result = learned(tmp_path, path, "--missing", "em")
    assert_same(result, learn(frame, missing="em"))
    assert main(["explain", out, "level", "flow", "--data", path, "--missing", "em"]) == 0
    expected = str(learn(frame, missing="em").explain("level", "flow"))
    assert capsys.readouterr().out == f"{expected}\n"


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    "frame",
    [LEVELS, NUMBERS, MIXED[["rain", "level", "flow", "clouds"]]],
    ids=["levels", "numbers", "mixed"],
)
def test_a_column_of_weights_counts_rows_and_is_no_column(
    tmp_path: Path, suffix: str, frame: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    path = table(tmp_path, frame.assign(times=WEIGHTS), suffix)
    result = learned(tmp_path, path, "--weights", "times")
    repeated = frame.loc[frame.index.repeat(WEIGHTS)]
    assert result.cpdag == learn(repeated).cpdag
    assert result.score == pytest.approx(learn(repeated).score, rel=1e-9)
    assert result.n == WEIGHTS.sum()
    some = list(frame)[:2]
    part = learned(tmp_path, path, "--weights", "times", "--columns", ",".join(some))
    assert part.cpdag == learn(repeated[some]).cpdag
    out = str(tmp_path / "result.json")
    assert main(["score", path, out, "--weights", "times"]) == 0
    assert float(capsys.readouterr().out) == pytest.approx(part.score, rel=1e-12)
    assert main(["explain", out, *some, "--data", path, "--weights", "times"]) == 0


@pytest.mark.parametrize("value", ["-1", "", "nan", "inf", "many"])
def test_a_weight_that_is_none_is_refused(
    tmp_path: Path, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = LEVELS.assign(times=["1"] * (N - 1) + [value])
    path = table(tmp_path, frame)
    error = refused(capsys, "learn", path, "--weights", "times", "--missing", "drop")
    assert "weight" in error or f"line {N + 1}, column 'times'" in error


@pytest.mark.parametrize("frame", [NUMBERS, LEVELS, MIXED], ids=["numbers", "levels", "mixed"])
def test_a_query_is_a_table(tmp_path: Path, frame: pd.DataFrame) -> None:
    path = table(tmp_path, frame.astype({"stage": float} if "stage" in frame else {}), ".parquet")
    result = learned(tmp_path, "--sql", f"SELECT * FROM '{path}'")
    stated: Any = {"stage": "continuous"} if "stage" in frame else None
    expected = learn(frame, kinds=stated)
    assert result.cpdag == expected.cpdag
    assert result.score == pytest.approx(expected.score, rel=1e-9)


def test_a_query_asks_a_database_and_takes_weights(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = str(tmp_path / "data.duckdb")
    for place, frame in enumerate((NUMBERS, LEVELS)):
        held = frame.assign(times=WEIGHTS)
        with duckdb.connect(path) as connection:
            connection.register("held", held)
            connection.execute(f"CREATE TABLE t{place} AS SELECT * FROM held")
        result = learned(tmp_path, path, "--sql", f"SELECT * FROM t{place}", "--weights", "times")
        repeated = frame.loc[frame.index.repeat(WEIGHTS)]
        assert result.cpdag == learn(repeated).cpdag
        assert result.n == WEIGHTS.sum()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sql", "SELECT nonsense"], "the query failed"),
        (["--sql", "SELECT * FROM 'no.parquet'"], "the query failed"),
        (["--sql", "CREATE TABLE a (b INTEGER)"], "no rows"),
        (["--sql", ""], "the query"),
        (["--sql", "SELECT 1 AS a", "--weights", "b"], "there is no column 'b'"),
        (["no.duckdb", "--sql", "SELECT 1"], "there is no file 'no.duckdb'"),
        (["a", "b", "--sql", "SELECT 1"], "--sql takes one DuckDB database"),
        ([], "Missing argument 'DATA...'"),
    ],
    ids=str,
)
def test_a_query_that_gives_no_table_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in refused(capsys, "learn", *arguments)


def test_missing_levels_are_left_out_of_the_gains_that_they_concern(tmp_path: Path) -> None:
    frame = LEVELS.astype(object).mask(np.random.default_rng(0).random(LEVELS.shape) < 0.1, None)
    for suffix in (".csv", ".parquet"):
        result = learned(tmp_path, table(tmp_path, frame, suffix), "--missing", "test-wise")
        assert result == learn(frame, missing="test-wise")
