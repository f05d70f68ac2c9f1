"""The command ``greedag check``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from greedag import learn
from greedag.cli import main


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 800))
    table = pd.DataFrame({"a": a, "b": a**2 + b, "c": c})
    learn(table[:400]).save(tmp_path / "graph.json")
    table[400:].to_csv(tmp_path / "rest.csv", index=False)
    return str(tmp_path / "graph.json"), str(tmp_path / "rest.csv")


def test_a_misfit_is_said_with_its_remedy(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", files[0], "--data", files[1]]) == 0
    said = capsys.readouterr().out
    assert "does not fit these 400 rows" in said and "score='additive'" in said
    assert "column  tests" in said


def test_json_holds_every_test(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", files[0], "--data", files[1], "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["passed"] is False and record["held_out"] is True
    assert {kind["name"] for kind in record["kinds"]} >= {"linearity", "normality"}
    assert any(one["kind"] == "curve" for one in record["misfits"])
    assert main(["check", files[0], "--data", files[1], "--level", "2"]) == 2
