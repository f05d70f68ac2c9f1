"""What an inspection says is true: severities, equal rows, columns left out, and rows kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from greedag import GreedagError, inspect, learn
from helpers.clean_tables import N, clean, noise, with_column


def holes(share: float, seed: int = 2) -> np.ndarray:
    return np.where(noise(seed).random(N) < share, np.nan, noise(seed + 9).normal(size=N))


def test_numbers_written_for_people_are_no_identifiers() -> None:
    found = inspect(with_column("n", [f"{x:,}" for x in noise().integers(100, 90_000, N)]))
    assert [finding.code for finding in found] == ["numbers-as-text"]
    assert "convert the column to numbers" in found.findings[0].remedy


@pytest.mark.parametrize(
    "values",
    [
        [f"{x:,}" for x in noise().integers(1000, 1040, N)],
        [f"{x / 10.0}%" for x in noise().integers(0, 40, N)],
        [*map(str, noise().integers(1, 60, N - 9)), *["?"] * 9],
        ["?", *map(str, noise().integers(1, 60, N - 1))],
        noise().choice(["a", "b", ""], N),
    ],
)
def test_errors_in_a_file_are_what_learning_refuses(values: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    with_column("c", values).to_csv(path, index=False)
    try:
        learn(path, time_limit=1.0)
        refused = False
    except GreedagError:
        refused = True
    found = inspect(path)
    assert any(finding.severity == "error" for finding in found) == refused
    assert learn(path, **found.fixes).cpdag.d >= 4


def test_near_copies_are_not_called_copies() -> None:
    (finding,) = inspect(with_column("again", clean().v1 + 1e-4 * noise().normal(size=N)))
    assert (finding.severity, finding.where) == ("warning", "'again' is nearly the same as 'v1'")


def test_identifiers_are_refused_whatever_is_stated() -> None:
    found = inspect(with_column("id", range(N)), kinds={"id": "discrete"})
    assert [(finding.code, finding.severity) for finding in found] == [("identifiers", "error")]
    assert found.fixes == {"drop": ["id"]}


def test_equal_rows_are_equal_in_all_columns() -> None:
    day = pd.date_range("2020-01-01", periods=N).astype(str)
    table = with_column("v0", noise().integers(0, 50, N).astype(float))[["v0"]]
    table = table.assign(v1=noise(2).integers(0, 3, N).astype(float), day=day)
    assert "equal-rows" not in {finding.code for finding in inspect(table)}
    table.loc[0, "v0"], table.loc[1, "v0"] = 0.0, np.nan
    twice = pd.concat([table, table[:9], table[:9].map(lambda _: None)], ignore_index=True)
    (finding,) = (f for f in inspect(twice) if f.code == "equal-rows")
    assert finding.where.startswith("9 of 318 rows")


def test_large_whole_numbers_are_not_rounded_to_equal_rows() -> None:
    table = with_column("v0", np.arange(N) + 2**60)[["v0"]].assign(v1=list(range(30)) * 10)
    assert "equal-rows" not in {finding.code for finding in inspect(table)}


def test_only_numbers_are_advised_a_score_for_numbers() -> None:
    for table, is_advised in ((clean(n=12, d=6), True), (clean(n=12, d=6), False)):
        if not is_advised:
            table["level"] = list("abab") * 3
        (finding,) = (f for f in inspect(table) if f.code == "few-rows")
        assert ("extended-bic" in finding.remedy) == is_advised


def test_columns_dropped_for_missing_values_are_named() -> None:
    table = clean().assign(word=noise().choice(["a", "b"], N), gap=holes(0.9))
    (finding,) = (f for f in inspect(table) if f.code == "missing")
    assert finding.fix == {"drop": ["gap"]}
    assert "'gap'" in finding.remedy


@pytest.mark.parametrize("as_file", [False, True])
def test_weights_and_columns_that_are_dropped_are_not_inspected(
    as_file: bool, tmp_path: Path
) -> None:
    frame = with_column("w", noise().integers(1, 4, N)).assign(who=[f"p{i}" for i in range(N)])
    table: Any = frame
    if as_file:
        table = tmp_path / "t.csv"
        frame.to_csv(table, index=False)
    found = inspect(table, sample_weight="w", drop=["who"])
    assert not len(found)
    assert found.fixes == {"drop": ["who"]}
    assert learn(table, sample_weight="w", **found.fixes).cpdag.d == 4
    for wrong in ({"drop": ["nosuch"]}, {"sample_weight": "nosuch"}):
        with pytest.raises(GreedagError, match="nosuch"):
            inspect(table, **wrong)


def test_rows_are_kept_where_no_column_lacks_values() -> None:
    table = with_column("a", np.exp(1.5 * noise().normal(size=N)))
    table["m"] = np.where(noise(2).random(N) < 0.1, np.nan, 5.0 + np.log(table.a))
    found = inspect(table)
    assert found.fixes == {"drop": ["m"], "transform": {"a": "log"}}
    assert all("missing" not in (finding.fix or {}) for finding in found)
    assert learn(table, **found.fixes).n == N


def test_codes_are_continuous_where_moments_are_estimated() -> None:
    table = clean()[["v0"]].assign(
        code=noise().integers(0, 3, N), one=holes(0.4), two=holes(0.5, 3)
    )
    found = inspect(table)
    assert found.fixes == {"kinds": {"code": "continuous"}, "missing": "em"}
    (finding,) = (f for f in found if f.code == "codes")
    assert finding.fix == {"kinds": {"code": "continuous"}}
    assert "as continuous" in finding.remedy
