"""Columns that tell the rows apart are named before the search, and refused where they cost."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

from greedag import DataError, Levels, MixedTable, Moments, learn, simulate
from greedag.data.kinds import is_identifier

MIXED = ("degenerate-gaussian", "conditional-gaussian")
DISCRETE = ("bdeu", "discrete-bic")


def measured(n: int, d: int = 11) -> pd.DataFrame:
    """Return continuous columns that depend on each other, as those of breast cancer do."""
    drawn = simulate.linear_gaussian(d, 2.0, n, seed=0).data
    return pd.DataFrame(drawn, columns=[f"c{j}" for j in range(d)])


def coded(n: int, levels: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({name: rng.integers(0, levels, n).astype(str) for name in "abc"})


def ids(n: int) -> list[str]:
    return [f"patient {k:06d}" for k in np.random.default_rng(1).permutation(n)]


@pytest.mark.clock
@pytest.mark.parametrize("score", ["auto", *MIXED])
@pytest.mark.parametrize("n", [569, 7466])
def test_an_identifier_is_refused_at_once_and_named(n: int, score: str) -> None:
    table = measured(n).assign(id=ids(n))
    began = time.perf_counter()
    with pytest.raises(DataError) as caught:
        learn(table, score=score)
    assert time.perf_counter() - began < 1.0
    error = caught.value
    assert (error.code, error.columns, error.counts) == ("identifier", ("id",), {"id": n})
    assert f"column 'id' has {n} levels in {n} rows" in str(error)
    assert "drop=['id']" in str(error)
    assert "--drop id" in error.shown(command=True)


@pytest.mark.parametrize("score", DISCRETE)
def test_discrete_scores_refuse_all_identifiers_together(score: str) -> None:
    table = coded(300).assign(number=range(300), id=ids(300))
    with pytest.raises(DataError, match="like identifiers") as caught:
        learn(table, score=score)
    assert caught.value.counts == {"number": 300, "id": 300}


def test_nine_in_ten_rows_with_a_level_of_their_own_make_an_identifier() -> None:
    assert is_identifier(900, 1000) and is_identifier(1000, 1000) and is_identifier(20, 20)
    assert not is_identifier(899, 1000)
    assert not is_identifier(50, 500)
    assert not is_identifier(19, 19)


@pytest.mark.parametrize(("n", "levels"), [(500, 50), (3000, 300)])
@pytest.mark.parametrize("score", ["auto", *MIXED, *DISCRETE])
def test_columns_with_many_levels_are_learned_from(n: int, levels: int, score: str) -> None:
    places = np.random.default_rng(0).permutation(np.arange(n) % levels)
    table = coded(n).assign(state=[f"state {k}" for k in places])
    if score not in DISCRETE:
        table = table.assign(**measured(n, 3))
    result = learn(table, score=score, effort=0)
    assert result.stopped == ""
    assert not [note for note in result.notes if note.code == "identifier"]


def test_levels_that_would_blow_up_the_embedding_are_refused() -> None:
    table = measured(1000, 3).assign(name=[f"name {k // 1.5:.0f}" for k in range(1000)])
    with pytest.raises(DataError) as caught:
        learn(table)
    assert (caught.value.code, caught.value.columns) == ("identifier", ("name",))
    learn(table, score="conditional-gaussian", effort=0)


def numbered(n: int, start: int = 1) -> np.ndarray:
    return np.random.default_rng(2).permutation(np.arange(start, start + n))


@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.int32])
@pytest.mark.parametrize("start", [0, 1, 1000])
def test_numbers_of_rows_are_noted_among_continuous_columns(dtype: Any, start: int) -> None:
    table = measured(800, 4).assign(row=numbered(800, start).astype(dtype))
    [note] = [note for note in learn(table).notes if note.code == "identifier"]
    assert note.columns == ("row",)
    assert "drop=['row']" in note
    [again] = [n for n in learn(Moments.from_data(table)).notes if n.code == "identifier"]
    assert again == note


def test_numbers_of_rows_are_noted_among_mixed_columns() -> None:
    table = measured(400, 3).assign(row=numbered(400), a=coded(400)["a"])
    for score in MIXED:
        notes = learn(table, score=score, effort=0).notes
        assert [note.columns for note in notes if note.code == "identifier"] == [("row",)]


def test_numbers_that_do_not_count_the_rows_are_not_noted() -> None:
    n = 400
    columns = {
        "twice": np.repeat(np.arange(n // 2), 2),
        "gap": np.append(np.arange(n - 1), n),
        "half": np.arange(n) + 0.5,
        "double": 2 * np.arange(n),
    }
    for name, values in columns.items():
        table = measured(n, 3).assign(**{name: np.random.default_rng(0).permutation(values)})
        assert "identifier" not in {note.code for note in learn(table).notes}, name


def test_tables_counted_elsewhere_are_judged_too() -> None:
    with pytest.raises(DataError, match="like an identifier"):
        learn(Levels.from_data(coded(100).assign(id=ids(100))))
    with pytest.raises(DataError, match="like an identifier"):
        learn(MixedTable.from_data(measured(100, 3).assign(id=ids(100))))


def test_parts_of_a_table_may_have_a_level_for_each_row() -> None:
    table = coded(60).assign(day=[f"day {k % 30}" for k in range(60)])
    parts = [Levels.from_data(table[:30]), Levels.from_data(table[30:])]
    assert learn(parts[0] + parts[1]).n == 60
