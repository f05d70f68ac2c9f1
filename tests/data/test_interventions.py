"""Which columns were set in which rows: what callers say, and what they get wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from greedag._options import DataOptions
from greedag.data.interventions import RowTargets, are_tables_with_targets
from greedag.data.source import open_table
from greedag.errors import DataError, OptionError
from greedag.scores.select import prepare
from greedag.statistics.levels import Levels
from greedag.statistics.mixed import MixedTable
from greedag.statistics.moments import Moments

ROWS = 12


def table(**more: object) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    names = ("a", "b", "b,c", "d e")
    return pd.DataFrame(rng.normal(size=(ROWS, 4)), columns=names).assign(**more)


def cells(*values: object) -> pd.Series:
    return pd.Series([values[i % len(values)] for i in range(ROWS)])


def targets_in(data: object, **options: object) -> set[tuple[str, ...]]:
    _, prepared = prepare(data, None, None, DataOptions(interventions="set", **options))
    found = prepared.statistics
    return {tuple(found.names[j] for j in each) for each in found.targets}


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (cells("", "a"), {(), ("a",)}),
        (cells(None, " a ", np.nan, "b"), {(), ("a",), ("b",)}),
        (cells("a,b", "b ; a", "a|b", "", " "), {(), ("a", "b")}),
        (cells("b,c", "a,", None), {(), ("a",), ("b,c",)}),
        (cells(["a", "d e"], ("b",), [], None), {(), ("a", "d e"), ("b",)}),
        (cells({"b", "a"}, frozenset(), pd.NA), {(), ("a", "b")}),
        (pd.Categorical(cells("a", None, "b")), {(), ("a",), ("b",)}),
    ],
)
def test_targets_are_names_lists_of_names_or_nothing(
    values: object, found: set[tuple[str, ...]]
) -> None:
    assert targets_in(table(set=values)) == found


def test_targets_of_other_tables_are_read_alike() -> None:
    rng = np.random.default_rng(1)
    whole = pl.DataFrame(rng.normal(size=(6, 3)), schema=["a", "b", "c"])
    names = pl.Series("set", [None, "a", "b;c", None, "a", "b;c"])
    expected = {(), ("a",), ("b", "c")}
    assert targets_in(whole.with_columns(names)) == expected
    lists = pl.Series("set", [[], ["a"], ["b", "c"], None, ["a"], ["b", "c"]])
    assert targets_in(whole.with_columns(lists)) == expected
    numbered = pd.DataFrame(rng.normal(size=(6, 3))).assign(set=[np.nan, 0, 1, 2, np.nan, 0])
    assert targets_in(numbered) == {(), ("0",), ("1",), ("2",)}


def test_columns_without_names_are_targets_by_their_places() -> None:
    rng = np.random.default_rng(2)
    found = RowTargets(np.array([(), (2,), "x0"], dtype=object))
    source = open_table(rng.normal(size=(3, 3)))
    assert found.experiments(source).targets == ((), (0,), (2,))


def test_a_target_that_is_no_column_is_named_with_its_rows() -> None:
    with pytest.raises(DataError, match=r"'aa'.*did you mean 'a'.*for 4 rows") as info:
        targets_in(table(set=cells("aa", "", "b")))
    assert (info.value.code, info.value.columns) == ("unknown-target", ("set",))
    assert info.value.counts == {"aa": 4}
    with pytest.raises(DataError, match=r"of 2 such targets: 'q' \(6\) and 'r' \(6\)"):
        targets_in(table(set=cells("q,r", "b")))
    with pytest.raises(DataError, match="names itself") as info:
        targets_in(table(set=cells("set", "")))
    assert info.value.code == "targets-itself"
    with pytest.raises(DataError, match="not a column that is learned from"):
        targets_in(table(set=cells("a", "")), drop="a")


def test_a_column_of_targets_that_is_not_there_or_left_out_is_refused() -> None:
    with pytest.raises(DataError, match="no column 'set'"):
        targets_in(table(sets=""))
    with pytest.raises(OptionError, match="needs 'set', which drop leaves out"):
        targets_in(table(set=""), drop=["set"])
    with pytest.raises(OptionError, match="must be the name of the column"):
        prepare(table(), None, None, DataOptions(interventions=["a"]))


def test_a_column_that_is_set_in_every_row_is_refused() -> None:
    with pytest.raises(DataError, match="column 'a' was set in every row") as info:
        targets_in(table(set=cells("a", "a,b")))
    assert (info.value.code, info.value.columns) == ("always-set", ("a",))


def test_statistics_have_no_rows_to_set_columns_in() -> None:
    moments = Moments.from_data(table())
    for statistics in (moments, Levels.from_data([["a"], ["b"]]), MixedTable.from_data(table())):
        with pytest.raises(DataError, match="no rows, which interventions needs") as info:
            prepare(statistics, None, None, DataOptions(interventions="set"))
        assert info.value.code == "no-rows"
    with pytest.raises(DataError, match="table 2: Moments has no rows"):
        prepare([(table(), None), (moments, "a")], None)


def test_tables_with_targets_are_told_from_rows(tmp_path: Path) -> None:
    rows = np.zeros((3, 2))
    assert are_tables_with_targets([(rows, None), (rows, "a"), (rows, ["a", "b"]), (rows, [0])])
    assert are_tables_with_targets([("seen.csv", None), (tmp_path, ("a",))])
    for data in (
        [(1.0, 2.0), (3.0, 4.0)],
        [("yes", "no"), ("no", "no")],
        [(None, None)],
        [[rows, None]],
        [(rows, None, None)],
        [(rows, 1.5)],
        [],
    ):
        assert not are_tables_with_targets(data)


def test_tables_of_any_kind_and_order_are_put_together(tmp_path: Path) -> None:
    parts = [table(w=2.0), table(w=1.0) + 1.0, table(w=1.0) * 2.0, table(w=1.0) - 3.0]
    parts[1]["w"] = parts[2]["w"] = parts[3]["w"] = 1.0
    parts[2].to_csv(tmp_path / "c.csv", index=False)
    pairs = [
        (parts[0], None),
        (parts[1][parts[1].columns[::-1]], ["a"]),
        (str(tmp_path / "c.csv"), {"b", "a"}),
        (pl.from_pandas(parts[3]), "a"),
    ]
    score, found = prepare(pairs, None, None, DataOptions(sample_weight="w", drop="b,c"))
    names = ["", "a", "b;a", "a"]
    whole = pd.concat([part.assign(set=name) for part, name in zip(parts, names, strict=True)])
    options = DataOptions(sample_weight="w", drop="b,c", interventions="set")
    same, right = prepare(whole, None, None, options)
    assert score == same
    assert found.statistics.targets == right.statistics.targets == ((), (0,), (0, 1))
    assert found.statistics.counted == right.statistics.counted
    assert found.settings["interventions"] == ((), ("a",), ("a", "b"), ("a",))
    assert (found.settings["sample_weight"], found.settings["drop"]) == ("w", ("b,c",))


def test_levels_and_kinds_of_tables_put_together_are_those_of_one_table() -> None:
    whole = table(level=pd.Categorical(cells(1, 2, 3)), word=cells("u", "v"))
    whole = whole.assign(few=cells(0, 1, 2.5))
    _, found = prepare([(whole.iloc[:8], None), (whole.iloc[8:], "word")], None)
    assert found.statistics.kinds[4:] == ("discrete", "discrete", "continuous")
    assert found.statistics.whole().sizes[4:] == [3, 2, 0]


def test_tables_that_do_not_fit_together_are_refused() -> None:
    with pytest.raises(DataError, match=r"table 2 has other columns .*'b'") as info:
        prepare([(table(), None), (table().drop(columns="b"), "a")], None)
    assert info.value.code == "different-columns"
    with pytest.raises(OptionError, match="each table comes with its targets"):
        prepare([(table(), None)], None, None, DataOptions(interventions="set"))
    with pytest.raises(OptionError, match="must be the name of a column of every table"):
        prepare([(table(), None)], None, None, DataOptions(sample_weight=np.ones(ROWS)))
    with pytest.raises(DataError, match="a list of targets names the target 'z'"):
        prepare([(table(), None), (table(), "z")], None)


def test_markers_of_all_tables_are_counted() -> None:
    one, other = table(), table()
    one.loc[0, "a"] = other.loc[3, "a"] = other.loc[4, "b"] = -999
    pairs = [(one, None), (other, "a")]
    _, found = prepare(pairs, None, None, DataOptions(missing="drop", na=-999))
    note = next(note for note in found.notes if note.code == "na")
    assert note.counts == {"a": 2, "b": 1}
    assert found.statistics.n == 2 * ROWS - 3


def test_the_note_counts_the_rows_of_each_environment_and_warns_of_few() -> None:
    _, found = prepare(
        table(set=cells(*[""] * 10, "a", "a,b")), None, None, DataOptions(interventions="set")
    )
    note, few = (note for note in found.notes if "environment" in note)
    assert note.counts == {"observed": 10, "'a'": 1, "'a' + 'b'": 1}
    assert (note.code, note.columns) == ("interventions", ("a", "b"))
    assert few.code == "few-rows-in-environment"
    assert few.counts == {"'a'": 1, "'a' + 'b'": 1}


def test_rows_that_were_only_observed_are_learned_from_as_ever() -> None:
    score, found = prepare(table(set=""), None, None, DataOptions(interventions="set"))
    plain, right = prepare(table(), None)
    assert (score, found.statistics) == (plain, right.statistics)
    assert found.notes[-1].code == "no-interventions"
    assert (found.settings["interventions"], found.settings["drop"]) == (None, ("set",))
