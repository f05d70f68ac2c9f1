"""What a report gives to repeat its result is run, in Python and in a shell, and compared."""

from __future__ import annotations

import dataclasses
import json
import shlex
import warnings
from collections.abc import Callable
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import greedag
from greedag import Result, learn, scores
from greedag.cli import main
from greedag.report import summary

WHEN = datetime(2026, 1, 1, tzinfo=timezone.utc)
N = 400
RNG = np.random.default_rng(5)


def _numbers() -> pd.DataFrame:
    a, c = RNG.normal(size=(2, N))
    b = a + 0.7 * RNG.normal(size=N)
    d = b - c + 0.5 * RNG.normal(size=N)
    e = np.exp(d + 0.5 * RNG.normal(size=N))
    return pd.DataFrame({"a": a, "b": b, "c": c, "d d": d, "e,1": e})


def _levels() -> pd.DataFrame:
    clouds = RNG.choice(["none", "few", "many"], N)
    rain = np.where(RNG.random(N) < 0.8, clouds != "none", RNG.random(N) < 0.5)
    wet = np.where(RNG.random(N) < 0.9, rain, RNG.random(N) < 0.5)
    return pd.DataFrame({"clouds": clouds, "rain": np.where(rain, "yes", "no"), "wet": wet * 2})


NUMBERS, LEVELS = _numbers(), _levels()
MIXED = NUMBERS.assign(
    stage=(NUMBERS["b"] > 0) * 1 + (NUMBERS["c"] > 0.5), rain=np.where(NUMBERS["a"] > 0, "y", "n")
)
HOLES = NUMBERS.mask(np.random.default_rng(0).random(NUMBERS.shape) < 0.05)
LEVEL_HOLES = LEVELS.astype(object).mask(np.random.default_rng(1).random(LEVELS.shape) < 0.05)
WEIGHTS = np.random.default_rng(2).integers(0, 4, N)
MARKED = NUMBERS.assign(
    b=[v if k % 9 else "*" for k, v in enumerate(NUMBERS["b"])],
    c=NUMBERS["c"].where(np.arange(N) % 11 > 0, -999.0),
    id=np.arange(N),
)

Case = tuple[pd.DataFrame, dict[str, Any]]
CASES: dict[str, Case] = {
    "continuous": (NUMBERS, {}),
    "alpha, search and cap": (NUMBERS, {"alpha": 0.5, "search": "ges-r", "clique_cap": 3}),
    "exact": (NUMBERS, {"search": "exact"}),
    "effort and seed": (NUMBERS, {"effort": 3.0, "seed": 11, "time_limit": 60}),
    "text": (LEVELS, {"kinds": {"wet": "discrete"}}),
    "levels by a score": (LEVELS, {"score": "discrete-bic", "alpha": 2.0}),
    "codes by kinds": (MIXED, {"kinds": {"stage": "discrete"}}),
    "conditional": (
        MIXED,
        {"score": "conditional-gaussian", "alpha": 0.5, "kinds": {"stage": "discrete"}},
    ),
    "missing rows": (HOLES, {"missing": "drop"}),
    "missing, em": (HOLES, {"missing": "em"}),
    "missing, test-wise": (LEVEL_HOLES, {"missing": "test-wise", "score": "bdeu"}),
    "weights": (NUMBERS, {"sample_weight": WEIGHTS}),
    "weights of levels": (LEVELS, {"sample_weight": WEIGHTS, "score": "bdeu"}),
    "weights in a column": (NUMBERS.assign(w=WEIGHTS), {"sample_weight": "w"}),
    "a name that is taken": (NUMBERS.rename(columns={"a": "weight"}), {"sample_weight": WEIGHTS}),
    "drop, transform, na": (
        MARKED,
        {
            "drop": ["id"],
            "transform": {"e,1": "log", "c": "normal-scores"},
            "na": ["*", -999],
            "missing": "em",
        },
    ),
    "one word for all": (MIXED, {"transform": "normal-scores", "kinds": {"stage": "discrete"}}),
    "weighted ranks": (NUMBERS, {"transform": "normal-scores", "sample_weight": WEIGHTS}),
    "truth values as numbers": (MIXED[["a", "b"]].assign(t=MIXED["c"] > 0), {"score": "bge"}),
    "bge": (NUMBERS, {"score": "bge"}),
    "extended": (NUMBERS, {"score": "extended-bic", "alpha": 2.0}),
    "tiers and arcs": (
        NUMBERS,
        {
            "knowledge": {
                "tiers": "a, c < b < d d",
                "required": [("a", "d d")],
                "forbidden": [("b", "c"), ("c", "b")],
            }
        },
    ),
    "knowledge in a file": (
        NUMBERS,
        {"knowledge": {"exogenous": ["c"], "tiers": [["b"], ["e,1"]], "forbidden_within": [0]}},
    ),
}
OF_PYTHON_ONLY: dict[str, Case] = {
    "bge with options": (NUMBERS, {"score": scores.BGe(alpha_mu=5.0, alpha_w=12.0)}),
    "bdeu with options": (LEVELS, {"score": scores.BDeu(equivalent_sample_size=20.0)}),
    "extended with options": (NUMBERS, {"score": scores.ExtendedBIC(gamma=1.0)}),
}
ALL = {**CASES, **OF_PYTHON_ONLY}


def recipes(result: Result) -> tuple[str, str]:
    part = summary.settings_part(result, WHEN, "1")
    return part["python"], part["shell"]


def run_python(code: str, **names: Any) -> Result:
    exec(code, names)
    result = names["result"]
    assert isinstance(result, Result)
    return result


def run_shell(lines: str, capsys: pytest.CaptureFixture[str]) -> Result:
    (command,) = [line for line in lines.splitlines() if not line.startswith("#")]
    program, *words = shlex.split(command)
    assert program == "greedag"
    assert main([*words, "--out", "again.json"]) == 0, capsys.readouterr().err
    assert Path("report.html").exists()
    return Result.load("again.json")


def assert_same(again: Result, result: Result) -> None:
    assert again.cpdag == result.cpdag
    assert again.score == pytest.approx(result.score, rel=1e-9)
    assert again.n == pytest.approx(result.n)
    assert again.knowledge == result.knowledge and again.graph == result.graph


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@cache
def result_of(case: str) -> Result:
    return learned(*ALL[case])


def learned(frame: pd.DataFrame, options: dict[str, Any]) -> Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return learn(frame, **options)


@pytest.mark.parametrize("case", ALL)
def test_the_recipe_in_python_gives_the_same_class(case: str) -> None:
    result = result_of(case)
    code, _ = recipes(result)
    assert_same(run_python(code, table=ALL[case][0], weights=WEIGHTS), result)


@pytest.mark.parametrize("case", CASES)
def test_the_recipe_for_a_shell_gives_the_same_class(
    case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    frame, options = CASES[case]
    result = result_of(case)
    _, lines = recipes(result)
    stored = frame
    if not isinstance(options.get("sample_weight", ""), str):
        words = shlex.split(lines, comments=True)
        stored = frame.assign(**{words[words.index("--weights") + 1]: WEIGHTS})
    stored.to_csv("table.csv", index=False)
    if "--knowledge" in lines:
        assert result.knowledge is not None
        result.knowledge.save("knowledge.json")
    again = run_shell(lines, capsys)
    assert_same(again, result)
    # And its own recipe names the file that it was learned from.
    code, lines = recipes(again)
    assert "'table.csv'" in code and "greedag learn table.csv" in lines
    assert_same(run_python(code.rpartition("\n")[0]), result)


@pytest.mark.parametrize("case", OF_PYTHON_ONLY)
def test_what_a_command_cannot_say_is_no_command(case: str) -> None:
    _, lines = recipes(result_of(case))
    assert lines.startswith("# The command has no option for ") and "\n" not in lines


@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "csv"])
def test_files_are_named_in_the_recipe(suffix: str, capsys: pytest.CaptureFixture[str]) -> None:
    writers: dict[str, Callable[[pd.DataFrame, str], Any]] = {
        "parquet": lambda frame, path: frame.to_parquet(path),
        "csv": lambda frame, path: frame.to_csv(path, index=False),
        "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    }
    for part, rows in (("my part1", slice(0, 150)), ("my part2", slice(150, N))):
        writers[suffix](MIXED[rows], f"{part}.{suffix}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = learn(Path(f"my part1.{suffix}"), drop="stage", transform={"a": "normal-scores"})
        both = learn([f"my part1.{suffix}", f"my part2.{suffix}"], drop="stage")
    for result in (one, both):
        code, lines = recipes(result)
        assert f"'my part1.{suffix}'" in code and f"'my part1.{suffix}'" in lines
        assert_same(run_python(code), result)
        assert_same(run_shell(lines, capsys), result)


def test_columns_that_the_command_chose_are_chosen_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    MIXED.to_csv("table.csv", index=False)
    command = ["learn", "table.csv", "--columns", "a,b,c,d d", "--out", "r.json", "--quiet"]
    assert main(command) == 0
    result = Result.load("r.json")
    assert result.settings["drop"] == ("e,1", "stage", "rain")
    code, lines = recipes(result)
    assert_same(run_python(code), result)
    assert_same(run_shell(lines, capsys), result)


def test_recipes_survive_a_file(tmp_path: Path) -> None:
    for case in ALL:
        result = result_of(case)
        result.save(tmp_path / "r.json")
        loaded = Result.load(tmp_path / "r.json")
        assert loaded == result
        assert dict(loaded.settings) == dict(result.settings)
        assert recipes(loaded) == recipes(result)


def test_batches_are_said_to_be_such() -> None:
    model = greedag.XGES(effort=0).partial_fit(NUMBERS[:200]).partial_fit(NUMBERS[200:])
    code, lines = recipes(model.result_)
    assert "# Learned in batches" in code and lines.startswith("# Learned in batches")


def test_names_cannot_break_out_of_a_recipe(capsys: pytest.CaptureFixture[str]) -> None:
    odd = MIXED.rename(columns={"a": "x'); boom(", "b": "$(boom)", "stage": 'q"q, r'})
    options = {"kinds": {'q"q, r': "discrete"}, "transform": {"$(boom)": "normal-scores"}}
    result = learned(odd, options)
    code, lines = recipes(result)
    assert_same(run_python(code, table=odd), result)
    odd.to_csv("table.csv", index=False)
    assert_same(run_shell(lines, capsys), result)


def test_files_from_before_there_were_such_settings_still_load(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    result = learn(NUMBERS)
    result.save(path)
    record = json.loads(path.read_text(encoding="utf-8"))
    del record["checksum"], record["files"]
    for name in ("kinds", "missing", "sample_weight", "drop", "transform", "na"):
        del record["settings"][name]
    path.write_text(json.dumps(record | {"version": 2}), encoding="utf-8")
    loaded = Result.load(path, NUMBERS)
    assert loaded.cpdag == result.cpdag
    code, _ = recipes(loaded)
    assert_same(run_python(code, table=NUMBERS), result)
    assert dataclasses.replace(loaded, settings=result.settings) == result


def test_a_loaded_result_knows_what_was_said_about_its_data(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    for name in ("drop, transform, na", "missing rows", "weights in a column", "codes by kinds"):
        frame, result = CASES[name][0], result_of(name)
        result.save(path)
        assert Result.load(path, frame).strengths() == result.strengths()
        frame.to_csv(tmp_path / "t.csv", index=False)
        assert Result.load(path, tmp_path / "t.csv").has_data
    with pytest.raises(greedag.DataError, match="other data"):
        Result.load(path, MIXED.iloc[::2])
