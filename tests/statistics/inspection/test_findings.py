"""Each kind of finding on a table made to have it, and fixes that learning takes."""

from __future__ import annotations

import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import greedag
from greedag import DataTypeError, FileError, GreedagError, inspect, learn
from helpers.clean_tables import N, clean, noise, with_column


def in_front(name: str, values: Any) -> pd.DataFrame:
    frame = clean()
    frame.insert(0, name, values)
    return frame


def holes(share: float, seed: int = 2) -> np.ndarray:
    return np.where(noise(seed).random(N) < share, np.nan, noise(seed + 9).normal(size=N))


def one_hot() -> pd.DataFrame:
    level = noise().integers(0, 3, N)
    return clean().assign(**{f"is{k}": (level == k).astype(float) for k in range(3)})


TAIL = np.abs(noise(3).standard_t(1.0, N // 2))
CASES: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "text id": ("identifiers", with_column("who", [f"p{i}" for i in range(N)]), {"drop": ["who"]}),
    "whole id": (
        "identifiers",
        with_column("x", noise().permutation(N) + 1000),
        {"drop": ["x"]},
    ),
    "named id": (
        "identifiers",
        with_column("patient_id", noise().choice(10**6, N, replace=False)),
        {"drop": ["patient_id"]},
    ),
    "date type": (
        "dates",
        with_column("day", pd.date_range("2020-01-01", periods=N)),
        {"drop": ["day"]},
    ),
    "date text": (
        "dates",
        with_column("day", [f"{i % 28 + 1}.03.2020" for i in range(N)]),
        {"drop": ["day"]},
    ),
    "constant": ("constant", with_column("c", 1.5), {"drop": ["c"]}),
    "constant text": ("constant", with_column("c", "same"), {"drop": ["c"]}),
    "nearly constant": ("nearly-constant", with_column("c", [0.5] * (N - 1) + [0.7]), {}),
    "copy": (
        "duplicates",
        clean().assign(again=lambda f: 3.0 - 2.0 * f.v1),
        {"drop": ["again"]},
    ),
    "near copy": (
        "duplicates",
        clean().assign(again=lambda f: f.v1 + 1e-5 * noise().normal(size=N)),
        {"drop": ["again"]},
    ),
    "relabelled": (
        "duplicates",
        clean().assign(
            one=noise().choice(["a", "b", "c"], N),
            two=lambda f: f.one.map({"a": "x", "b": "y", "c": "z"}),
        ),
        {"drop": ["two"]},
    ),
    "sum": ("collinear", clean().assign(s=lambda f: f.v0 + f.v1 - f.v3), {"drop": ["s"]}),
    "sum of logarithms": (
        "collinear",
        with_column("income", np.exp(1.5 * noise().normal(size=N))).assign(
            s=lambda f: 2.0 + np.log(f.income)
        ),
        {"drop": ["s"]},
    ),
    "one-hot": ("collinear", one_hot(), {"drop": ["is2"]}),
    "missing": ("missing", with_column("gap", holes(0.1)), {"missing": "drop"}),
    "mostly missing": ("missing", with_column("gap", holes(0.9)), {"drop": ["gap"]}),
    "often missing": ("missing", with_column("gap", holes(0.7)), {"missing": "em"}),
    "question marks": (
        "markers",
        with_column("age", noise().choice(["?", "21", "34", "45.5"], N)),
        {"na": ["?"]},
    ),
    "empty strings": (
        "markers",
        with_column("word", noise().choice(["", "yes", "no"], N)),
        {"na": [""]},
    ),
    "minus 999": (
        "markers",
        with_column("lab", np.where(noise().random(N) < 0.1, -999.0, noise(3).normal(50, 9, N))),
        {"na": [-999]},
    ),
    "refused among numbers": (
        "markers",
        with_column("age", [*map(str, noise().integers(18, 90, N - 3)), *["refused"] * 3]),
        {"na": ["refused"]},
    ),
    "float codes": (
        "codes",
        with_column("code", noise().integers(0, 3, N).astype(float)),
        {"kinds": {"code": "discrete"}},
    ),
    "truth as numbers": (
        "codes",
        with_column("flag", noise().integers(0, 2, N)),
        {"kinds": {"flag": "discrete"}},
    ),
    "counts": (
        "codes",
        with_column("children", np.minimum(noise().poisson(2.5, N), 7)),
        {"kinds": {"children": "continuous"}},
    ),
    "ordered words": (
        "ordered",
        with_column("q", noise().choice(["low", "medium", "high"], N)),
        {},
    ),
    "ordered type": (
        "ordered",
        with_column("q", pd.Categorical(noise().choice(list("abc"), N), ordered=True)),
        {},
    ),
    "rare levels": (
        "rare-levels",
        with_column("g", ["rare"] * 2 + ["a", "b"] * (N // 2 - 1)),
        {},
    ),
    "many levels": (
        "many-levels",
        with_column("city", [f"c{i % 80}" for i in noise().permutation(N)]),
        {"drop": ["city"]},
    ),
    "skew": (
        "skewed",
        with_column("income", np.exp(1.5 * noise().normal(size=N))),
        {"transform": {"income": "log"}},
    ),
    "skew with zeros": (
        "skewed",
        with_column("income", [0.0] * 3 + np.expm1(noise().normal(3.5, 1.0, N - 3)).tolist()),
        {"transform": {"income": "log1p"}},
    ),
    "heavy tails": (
        "heavy-tails",
        with_column("t", noise().permutation(np.outer([1, -1], TAIL).ravel())),
        {"transform": {"t": "normal-scores"}},
    ),
    "an outlier": (
        "outliers",
        with_column("o", [*noise().normal(size=N - 1), 400.0]),
        {"transform": {"o": "normal-scores"}},
    ),
    "infinite": (
        "infinite",
        with_column("r", [np.inf, *noise().normal(size=N - 1)]),
        {"drop": ["r"]},
    ),
    "walk": ("dependent-rows", with_column("w", np.cumsum(noise().normal(size=N))), {}),
    "sorted": ("sorted", with_column("s", np.sort(noise().normal(size=N))), {}),
    "few rows": ("few-rows", clean(n=12, d=6), {}),
    "no more rows than columns": ("few-rows", clean(n=8, d=9), {}),
    "unnamed index": ("index", in_front("Unnamed: 0", range(N)), {"drop": ["Unnamed: 0"]}),
    "row names": ("index", in_front("rownames", range(1, N + 1)), {"drop": ["rownames"]}),
    "mixed types": ("mixed-types", with_column("m", [1, "a", 2.5] * (N // 3)), {"drop": ["m"]}),
    "numbers as text": (
        "numbers-as-text",
        with_column("n", [f"{x:.3f}" for x in noise().normal(size=N)]),
        {"drop": ["n"]},
    ),
    "nearly the same": (
        "duplicates",
        clean().assign(again=lambda f: f.v1 + 1e-4 * noise().normal(size=N)),
        {"drop": ["again"]},
    ),
    "relabelled levels only": (
        "duplicates",
        pd.DataFrame(
            {
                "one": noise().choice(["a", "b", "c"], N),
                "other": noise(2).choice(["a", "b"], N),
            }
        ).assign(two=lambda f: f.one.map({"a": "x", "b": "y", "c": "z"})),
        {"drop": ["two"]},
    ),
    "too many levels beside numbers": (
        "many-levels",
        clean(n=500).assign(city=[f"c{i % 260}" for i in range(500)]),
        {"drop": ["city"]},
    ),
    "too many levels for some scores": (
        "many-levels",
        pd.DataFrame(
            {
                "one": noise().choice(["a", "b"], 500),
                "two": noise(2).choice(["a", "b"], 500),
                "city": [f"c{i % 260}" for i in range(500)],
            }
        ),
        {"drop": ["city"]},
    ),
    "a date a row": (
        "dates",
        with_column("day", pd.date_range("2020-01-01", periods=N).astype(str)),
        {"drop": ["day"]},
    ),
    "thousands": (
        "numbers-as-text",
        with_column("n", [f"{x:,}" for x in noise().integers(100, 90_000, N)]),
        {"drop": ["n"]},
    ),
    "percentages": (
        "numbers-as-text",
        with_column("p", [f"{x:.1f}%" for x in noise().integers(0, 60, N) / 10.0]),
        {"drop": ["p"]},
    ),
    "equal rows": ("equal-rows", pd.concat([clean(n=150)] * 2, ignore_index=True), {}),
    "empty": ("empty", with_column("e", [None] * N), {"drop": ["e"]}),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_found_named_and_mended(case: str) -> None:
    code, table, fixes = CASES[case]
    found = inspect(table)
    finding = next(f for f in found if f.code == code)
    assert all((finding.where, finding.why, finding.remedy))
    for option, value in fixes.items():
        assert found.fixes[option] == value
        assert finding.fix is not None
        assert option in finding.fix
    assert learn(table, **found.fixes).n > 0


@pytest.mark.parametrize("case", CASES)
def test_errors_are_what_learning_refuses(case: str) -> None:
    _, table, _ = CASES[case]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", greedag.GreedagWarning)
        try:
            learn(table, time_limit=1.0)
            refused = False
        except GreedagError:
            refused = True
    assert any(finding.severity == "error" for finding in inspect(table)) == refused


def test_clean_normal_tables_have_no_finding() -> None:
    rng = np.random.default_rng(7)
    alarms = [
        finding
        for seed in range(200)
        for finding in inspect(clean(seed, n=int(rng.integers(40, 400)), d=int(rng.integers(3, 7))))
    ]
    assert len(alarms) <= 4, [str(finding) for finding in alarms]


def messy() -> pd.DataFrame:
    parts = [
        table.drop(columns=["v0", "v1", "v2", "v3"])
        for _, table, _ in CASES.values()
        if len(table) == N and {"v0", "v3"} <= set(table)
    ]
    wide = pd.concat([clean(), *parts], axis=1)
    return wide.loc[:, ~wide.columns.duplicated()].drop(columns="gap").assign(gap=holes(0.1))


def test_all_problems_are_found_at_once_in_any_container_and_mended_together(
    tmp_path: Path,
) -> None:
    table = messy()
    found = inspect(table)
    expected = {"identifiers", "dates", "constant", "duplicates", "collinear", "missing", "markers"}
    expected |= {"codes", "skewed", "heavy-tails", "infinite", "mixed-types", "dependent-rows"}
    assert expected <= {finding.code for finding in found}
    order = [greedag_severity(finding) for finding in found]
    assert order == sorted(order)
    result = learn(table, **found.fixes)
    assert not {"skewed", "few-values"} & {note.code for note in result.notes}
    path = tmp_path / "messy.csv"
    table.to_csv(path, index=False)
    of_file = inspect(path)
    assert {"identifiers", "dates", "collinear"} <= {finding.code for finding in of_file}
    assert learn(path, **of_file.fixes).cpdag.d > 5


def greedag_severity(finding: greedag.Finding) -> int:
    return ("error", "warning", "info").index(finding.severity)


def test_arrays_mappings_and_polars_are_inspected() -> None:
    table = with_column("copy", clean().v0 * 2.0)
    for data in (table.to_numpy(), dict(table), pl.from_pandas(table)):
        found = inspect(data)
        assert [finding.code for finding in found] == ["duplicates"]
        assert learn(data, **found.fixes).cpdag.d == 4


def test_kinds_that_are_stated_are_not_asked_about_and_passed_on() -> None:
    table = with_column("grade", noise().integers(0, 3, N))
    found = inspect(table, kinds={"grade": "continuous"})
    assert not len(found)
    assert found.fixes == {"kinds": {"grade": "continuous"}}


def test_a_marker_that_is_a_value_elsewhere_is_not_replaced() -> None:
    lab = np.where(noise().random(N) < 0.1, -999.0, noise(3).normal(50, 9, N))
    table = with_column("lab", lab).assign(depth=-999.0 - np.arange(N) % 40 * 37.0)
    finding = next(f for f in inspect(table) if f.code == "markers")
    assert finding.columns == ("lab",)
    assert finding.fix is None


def test_symbols_among_levels_are_no_markers() -> None:
    table = with_column("rhesus", noise().choice(["+", "-"], N))
    assert "markers" not in {finding.code for finding in inspect(table)}


def test_discrete_tables_with_many_holes_are_learned_test_wise() -> None:
    rng = noise()
    levels = {f"q{j}": rng.choice(["a", "b", None], 400, p=[0.3, 0.4, 0.3]) for j in range(8)}
    found = inspect(pd.DataFrame(levels))
    assert found.fixes["missing"] == "test-wise"
    assert learn(pd.DataFrame(levels), **found.fixes).n == 400


def test_mixed_tables_lose_the_worst_columns_before_rows() -> None:
    table = with_column("g", noise().choice(["a", "b"], N)).assign(gap=holes(0.95), few=holes(0.05))
    found = inspect(table)
    assert (found.fixes["drop"], found.fixes["missing"]) == (["gap"], "drop")
    assert learn(table, **found.fixes).n > 0.9 * N


def test_duplicate_names_are_named() -> None:
    table = clean()
    table.columns = ["a", "b", "a", "c"]
    found = inspect(table)
    assert [finding.code for finding in found] == ["duplicate-names"]
    assert found.findings[0].columns == ("a",)


def test_what_is_no_table_is_refused_and_a_bad_file_is_a_finding(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no file"):
        inspect(tmp_path / "nothing.csv")
    with pytest.raises(DataTypeError):
        inspect(3)
    path = tmp_path / "ragged.csv"
    path.write_text("a,b\n1,2\n1,2,3\n")
    (finding,) = inspect(path)
    assert (finding.code, finding.severity) == ("unreadable", "error")
    assert "line 3 has 3 fields" in finding.where


def test_wide_tables_say_what_was_not_compared() -> None:
    table = noise().normal(size=(25, 1010))
    assert "not-compared" in {finding.code for finding in inspect(table)}


def test_of_large_files_the_first_rows_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from greedag.statistics.inspection import reading

    monkeypatch.setattr(reading, "_LEAST_ROWS", 50)
    monkeypatch.setattr(reading, "_MOST_VALUES", 100)
    path = tmp_path / "t.csv"
    clean().to_csv(path, index=False)
    assert "first-rows" in {finding.code for finding in inspect(path)}


def test_an_inspection_is_shown_as_text_page_records_and_data() -> None:
    table = with_column("<b>", 1.0)
    found = inspect(table)
    assert len(found) == 1
    assert bool(found)
    assert not inspect(clean())
    assert "ERROR   constant: '<b>' (always 1)" in str(found)
    assert str(inspect(clean())) == "300 rows, 4 columns: nothing found"
    page = found._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert found.table()[0]["fix"] == {"drop": ["<b>"]}
    assert json.loads(json.dumps(found.to_dict()))["fixes"] == {"drop": ["<b>"]}
    assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.clock
def test_inspecting_a_large_table_takes_seconds() -> None:
    import time

    table = noise().normal(size=(20_000, 100))
    started = time.process_time()
    assert not inspect(table)
    assert time.process_time() - started < 3.0
