"""The road from a table to a result is short: few files, few hops, and the table opened once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from greedag import learn, simulate
from greedag.cli import main
from helpers.road import Road, road_of

MOST_FILES = 10
MOST_HOPS = 30
MOST_FILES_OF_THE_COMMAND = 30
OPENING = ("data/source.py", "open_table")


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    drawn = simulate.linear_gaussian(8, 1.5, 1000, seed=0)
    return pd.DataFrame(drawn.data, columns=list("abcdefgh"))


@pytest.fixture(scope="module")
def of_learn(table: pd.DataFrame) -> Road:
    return road_of(lambda: learn(table))


def test_learning_from_a_frame_passes_few_files_and_hops_between_them(of_learn: Road) -> None:
    assert len(of_learn.files) <= MOST_FILES, " ".join(sorted(of_learn.files))
    assert len(of_learn.hops) <= MOST_HOPS, "\n".join(map(str, of_learn.hops))


def test_learning_from_a_frame_opens_it_once(of_learn: Road) -> None:
    assert of_learn.calls[OPENING] == 1


def test_the_command_passes_few_files(table: pd.DataFrame, tmp_path: Path) -> None:
    source, report = tmp_path / "table.csv", tmp_path / "report.html"
    np.savetxt(source, table, delimiter=",", header=",".join(table.columns), comments="")
    command = ["learn", str(source), "--report", str(report), "--quiet"]
    road = road_of(lambda: main(command))
    assert report.exists()
    assert len(road.files) <= MOST_FILES_OF_THE_COMMAND, " ".join(sorted(road.files))
