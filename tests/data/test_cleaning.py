"""Tables as a caller wants them read: without columns, on other scales, with markers as missing."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import greedag
from greedag import DataError, DataTypeError, FileError, Moments, OptionError, Result, learn
from greedag._progress import time_limited
from greedag.cli import main
from greedag.data.rows import LoadedTable
from greedag.data.transforms import normal_quantiles, normal_scores
from greedag.statistics.levels import Levels
from greedag.statistics.opening import open_any
from oracle.ranks import slow_normal_scores

N = 200
RNG = np.random.default_rng(3)
A = RNG.normal(size=N)
B = A + RNG.normal(size=N)
FRAME = pd.DataFrame(
    {"a": A, "b": B, "c": np.exp(B + 0.5 * RNG.normal(size=N)), "id": [f"r{i}" for i in range(N)]}
)
PLAIN = FRAME.drop(columns="id")
Road = Callable[[pd.DataFrame, Path], Any]


def stored(write: Callable[[pd.DataFrame, Path], Any], name: str) -> Road:
    def road(frame: pd.DataFrame, folder: Path) -> Path:
        write(frame, folder / name)
        return folder / name

    return road


ROADS: dict[str, Road] = {
    "pandas": lambda frame, _: frame,
    "polars": lambda frame, _: pl.DataFrame(frame.to_dict("list"), strict=False),
    "lazy": lambda frame, _: pl.DataFrame(frame.to_dict("list"), strict=False).lazy(),
    "arrow": lambda frame, _: pa.table({c: list(frame[c]) for c in frame}),
    "dict of lists": lambda frame, _: frame.to_dict("list"),
    "dict of series": lambda frame, _: {c: frame[c] for c in frame},
    "dict of arrays": lambda frame, _: {c: frame[c].to_numpy() for c in frame},
    "csv": stored(lambda frame, path: frame.to_csv(path, index=False), "t.csv"),
    "text of a path": lambda frame, folder: str(ROADS["csv"](frame, folder)),
    "tsv": stored(lambda frame, path: frame.to_csv(path, index=False, sep="\t"), "t.tsv"),
    "parquet": stored(lambda frame, path: frame.to_parquet(path), "t.parquet"),
    "json lines": stored(
        lambda frame, path: frame.to_json(path, orient="records", lines=True, double_precision=15),
        "t.jsonl",
    ),
}


def assert_same(result: Result, expected: Result) -> None:
    assert result.cpdag == expected.cpdag
    assert result.score == pytest.approx(expected.score, rel=1e-9)


@pytest.mark.parametrize("road", ROADS)
def test_columns_are_dropped_and_transformed_on_every_road(road: str, tmp_path: Path) -> None:
    data = ROADS[road](FRAME, tmp_path)
    expected = learn(PLAIN.assign(c=np.log(PLAIN["c"])))
    result = learn(data, drop="id", transform={"c": "log"})
    assert_same(result, expected)
    assert result.settings["drop"] == ("id",)
    assert result.settings["transform"] == {"c": "log"}
    ranks = PLAIN.apply(lambda column: slow_normal_scores(list(column)))
    assert_same(learn(data, drop=["id"], transform="normal-scores"), learn(ranks))
    with pytest.raises(DataError, match=r"no column 'idd' \(did you mean 'id'\?\)"):
        learn(data, drop=["idd"])
    with pytest.raises(DataError, match="no column is left"):
        learn(data, drop=list(FRAME))
    with pytest.raises(DataError, match=r"'a' holds \d+ .* of 0 or less, .*'normal-scores'"):
        learn(data, drop="id", transform={"a": "log"})


def marked_frame() -> pd.DataFrame:
    rows = np.arange(N)
    text = [str(v) if k % 20 else "*" for k, v in enumerate(FRAME["a"])]
    return PLAIN.assign(a=text, b=np.where(rows % 25 == 3, -999.0, PLAIN["b"]))


MARKED = marked_frame()
HOLES = PLAIN.assign(
    a=PLAIN["a"].where(np.arange(N) % 20 > 0), b=PLAIN["b"].where(np.arange(N) % 25 != 3)
)


@pytest.mark.parametrize("road", ROADS)
def test_markers_are_missing_values_on_every_road(road: str, tmp_path: Path) -> None:
    data = ROADS[road](MARKED, tmp_path)
    for missing in ("drop", "em"):
        result = learn(data, na=["*", -999], missing=missing)
        assert_same(result, learn(HOLES, missing=missing))
        (note,) = [note for note in result.notes if note.code == "na"]
        assert note.counts == {"a": 10, "b": 8}
        assert note.startswith("18 values ('*' and '-999') in 'a' (10) and 'b' (8) were taken")
        assert result.settings["na"] == ("*", -999)
    with pytest.raises(DataError, match=r"'a' holds 10 value.*missing or not finite"):
        learn(data, na=["*", -999])


@pytest.mark.parametrize("markers", [["*", "-999"], ["*", -999.0], [" * ", "-999.00"]])
def test_markers_may_be_numbers_or_texts_that_spell_them(markers: list[Any]) -> None:
    assert_same(learn(MARKED, na=markers, missing="em"), learn(HOLES, missing="em"))


def test_arrays_have_markers_too() -> None:
    numbers = np.where(np.isnan(HOLES), -999.0, HOLES)
    expected = learn(HOLES.to_numpy(), missing="em")
    assert_same(learn(numbers, na=-999, missing="em"), expected)
    assert_same(learn(MARKED.to_numpy(), na=["*", -999], missing="em"), expected)
    whole = np.round(PLAIN * 100).astype(int).to_numpy().copy()
    whole[5, 1] = -9999
    holes = np.where(whole == -9999, np.nan, whole)
    assert_same(learn(whole, na=-9999, missing="em"), learn(holes, missing="em"))


def test_a_marker_matches_no_truth_value_and_no_other_text() -> None:
    text = np.where(B > 0, "1", np.where(A > 0, "x", "y"))
    frame = pd.DataFrame({"a": A > 0, "b": text, "c": RNG.integers(0, 3, N)})
    result = learn(frame, na=["*", "z"], kinds={"c": "discrete"})
    (note,) = [note for note in result.notes if note.code == "na"]
    assert note == "no value is '*' and 'z', so na changed nothing"
    ones = learn(frame, na=1, kinds={"c": "discrete"}, missing="test-wise", score="bdeu")
    (note,) = [note for note in ones.notes if note.code == "na"]
    assert set(note.counts) == {"b", "c"}


def test_text_that_holds_more_than_numbers_stays_text_and_categories_stay_categories() -> None:
    text = np.where(B > 0, "1", np.where(A > 0, "2", "?"))
    levels = pd.Categorical(RNG.choice(["1", "2", "?"], N))
    frame = pd.DataFrame({"a": A, "b": text, "c": levels, "d": PLAIN["c"]})
    with pytest.warns(greedag.GreedagWarning, match="'b' holds numbers with"):
        result = learn(frame, na="?", missing="drop")
    assert result.settings["kinds"] == {
        "a": "continuous",
        "b": "continuous",
        "c": "discrete",
        "d": "continuous",
    }
    more = frame.assign(b=np.where(A > 1, "x", text))
    kinds = learn(more, na=["?"], missing="drop").settings["kinds"]
    assert kinds["b"] == "discrete"


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_files_with_markers_in_the_first_row_and_beside_other_missing_values(
    name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    if name == "t.csv":
        path.write_text("a,b\n*,1\n2,NA\n 3 , * \n1,7\n4,2\n6,1\n", encoding="utf-8")
    else:
        rows = [("*", 1), (2, None), (3, "*"), (1, 7), (4, 2), (6, 1)]
        text = "".join(f'{{"a": {_json(a)}, "b": {_json(b)}}}\n' for a, b in rows)
        path.write_text(text, encoding="utf-8")
    result = learn(path, na="*", missing="drop", kinds="continuous")
    assert result.n == 3
    (note,) = [note for note in result.notes if note.code == "na"]
    assert note.counts == {"a": 1, "b": 1}
    with pytest.raises(FileError, match=r"line \d"):
        learn(path, na="*")  # the other one is named by its line
    with pytest.raises((FileError, DataError)):
        learn(path, missing="drop", kinds="continuous")


def _json(value: object) -> str:
    return "null" if value is None else f'"{value}"' if isinstance(value, str) else str(value)


def test_fast_and_careful_readers_agree_on_markers(tmp_path: Path) -> None:
    from greedag.io.cells import ColumnPlan
    from greedag.io.text import CsvTable

    path = tmp_path / "t.csv"
    path.write_text('a,b\n1.5,x\n*,*\n"?",NA\n -2e3 ,"y"\n,z\n', encoding="utf-8")
    na = frozenset({"*", "?"})
    plans = {
        "a": ColumnPlan("a", na=na, allow_missing=True),
        "b": ColumnPlan("b", role="levels", na=na, allow_missing=True),
    }
    table = CsvTable(str(path), ",", na)
    (fast,), (careful,) = (
        list(table.fast_chunks(plans, 10)),
        list(table.careful_chunks(plans, 10)),
    )
    assert fast["b"].to_pylist() == careful["b"].to_pylist() == ["x", "*", None, "y", "z"]
    for read in (fast, careful):
        values = read["a"].to_pylist()
        assert values[0] == 1.5 and values[3] == -2000.0 and values[4] is None
        assert math.isnan(values[1]) and math.isnan(values[2])


def test_normal_scores_equal_those_of_a_slow_twin() -> None:
    for values in (A, np.round(A, 1), np.zeros(7), np.array([2.0])):
        assert normal_scores(values) == pytest.approx(slow_normal_scores(list(values)), abs=1e-14)
    weights = RNG.integers(1, 5, N)
    tied = np.round(A, 1)
    expected = slow_normal_scores(list(np.repeat(tied, weights)))
    found = np.repeat(normal_scores(tied, weights.astype(float)), weights)
    assert found == pytest.approx(expected, abs=1e-14)


def test_normal_quantiles_are_exact_to_rounding() -> None:
    shares = np.concatenate([np.linspace(1e-6, 1 - 1e-6, 2001), 10.0 ** -np.arange(1, 300, 7)])
    expected = [statistics.NormalDist().inv_cdf(share) for share in shares]
    assert normal_quantiles(shares) == pytest.approx(expected, rel=1e-14)


def test_rows_that_count_are_ranked_and_weights_count_rows() -> None:
    weights = RNG.integers(0, 3, N)
    twice = PLAIN.loc[np.repeat(np.arange(N), weights)]
    result = learn(PLAIN, transform="normal-scores", sample_weight=weights)
    assert_same(result, learn(twice, transform="normal-scores"))
    dropped = learn(HOLES, transform="normal-scores", missing="drop")
    assert_same(dropped, learn(HOLES.dropna(), transform="normal-scores"))
    ranks = HOLES.apply(lambda column: slow_normal_scores(list(column)))
    kept = learn(HOLES, transform="normal-scores", missing="em")
    assert_same(kept, learn(ranks, missing="em"))


def test_infinite_values_have_no_rank() -> None:
    for value in (np.inf, -np.inf):
        with pytest.raises(DataError, match="missing or not finite"):
            learn(PLAIN.assign(a=PLAIN["a"].where(A[3] != A, value)), transform="normal-scores")


def test_scales_that_make_no_sense_are_refused() -> None:
    counts = PLAIN.assign(c=np.floor(PLAIN["c"]))
    with pytest.raises(DataError, match="with 'log1p', the logarithm of 1"):
        learn(counts, transform={"c": "log"})
    assert learn(counts, transform={"c": "log1p"}).settings["transform"] == {"c": "log1p"}
    with pytest.raises(DataError, match=r"2 columns hold such values: 'a' \(\d+\) and 'b'") as told:
        learn(PLAIN, transform="log")
    assert "log1p" not in str(told.value)
    with pytest.raises(DataError, match="of -1 or less, where log1p is undefined"):
        learn(PLAIN, transform="log1p")
    with pytest.raises(DataError, match="not for the discrete column 'id'"):
        learn(FRAME, transform={"id": "log"})
    with pytest.raises(DataError, match="no continuous column"):
        learn(FRAME[["id"]].assign(x="a"), transform="log")
    with pytest.raises(OptionError, match=r"'Log' \(did you mean 'log'\?\)"):
        learn(PLAIN, transform="Log")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="constant column"):
        learn(PLAIN.assign(k=1.0), transform={"k": "log"})
    for wrong in (3, [1]):
        with pytest.raises(OptionError, match="transform must be"):
            learn(PLAIN, transform=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [3, {"a": 1}, b"a"])
def test_lists_of_columns_that_are_none_are_refused(wrong: Any) -> None:
    with pytest.raises(OptionError, match="drop must be a list"):
        learn(PLAIN, drop=wrong)


@pytest.mark.parametrize("wrong", [[None], [True], {"a": "*"}, [math.nan], b"*"])
def test_markers_that_are_none_are_refused(wrong: Any) -> None:
    with pytest.raises(OptionError, match="na must be a list of texts and numbers"):
        learn(PLAIN, na=wrong)


def test_statistics_have_no_rows_to_change() -> None:
    moments = Moments.from_data(PLAIN)
    assert_same(learn(moments, drop="a"), learn(PLAIN.drop(columns="a")))
    for options in ({"transform": "log"}, {"na": "*"}):
        with pytest.raises(DataError, match="Moments has no rows"):
            learn(moments, **options)
    levels = Levels.from_data(FRAME[["id"]].assign(x="a"))
    with pytest.raises(DataError, match="a column cannot be removed from Levels"):
        learn(levels, drop="x")


def test_own_scores_have_rows_of_their_own() -> None:
    class Flat:
        def local_score(self, y: int, parents: tuple[int, ...]) -> float:
            return 0.0

    with pytest.raises(OptionError, match="transform must be left out"):
        learn(PLAIN, score=Flat(), transform="log")
    with pytest.raises(OptionError, match="na must be left out"):
        learn(PLAIN, score=Flat(), na="*")
    assert learn(FRAME, score=Flat(), drop="id").cpdag.d == 3


def test_estimators_take_them_too() -> None:
    model = greedag.XGES(drop=["id"], transformation={"c": "log"}).fit(FRAME)
    assert_same(model.result_, learn(FRAME, drop="id", transform={"c": "log"}))
    assert not hasattr(model, "transform")
    both = greedag.GES(drop=["id"], transformation={"c": "log"}, na=["*"], missing="drop")
    marked = FRAME.assign(a=MARKED["a"])
    both.partial_fit(marked[:100]).partial_fit(marked[100:])
    assert both.result_.settings["transform"] == {"c": "log"}
    assert "10 values of all batches were taken as missing" in both.result_.notes
    ranks = greedag.XGES(drop="id", transformation="normal-scores").fit(FRAME)
    with pytest.raises(OptionError, match="ranks among all rows"):
        ranks.partial_fit(FRAME)


def test_weights_may_be_a_column() -> None:
    weights = RNG.integers(0, 3, N)
    expected = learn(PLAIN, sample_weight=weights)
    result = learn(PLAIN.assign(w=weights), sample_weight="w")
    assert_same(result, expected)
    assert result.settings["sample_weight"] == "w"
    assert expected.settings["sample_weight"] is True
    with pytest.raises(OptionError, match="sample_weight needs 'w', which drop leaves out"):
        learn(PLAIN.assign(w=weights), sample_weight="w", drop="w")
    with pytest.raises(DataError, match="the weight of row 7"):
        learn(PLAIN.assign(w=[None if k == 7 else 1.0 for k in range(N)]), sample_weight="w")


def test_clusters_drop_and_take_logarithms_and_say_what_they_cannot() -> None:
    frames = pytest.importorskip("dask.dataframe")
    arrays = pytest.importorskip("dask.array")
    table = frames.from_pandas(FRAME, npartitions=3)
    expected = learn(PLAIN.assign(c=np.log(PLAIN["c"])))
    assert_same(learn(table, drop="id", transform={"c": "log"}), expected)
    rows = arrays.from_array(PLAIN.to_numpy(), chunks=(50, 2))
    assert_same(learn(rows, drop="x0"), learn(PLAIN.to_numpy(), drop="x0"))
    with pytest.raises(DataTypeError, match=r"on the cluster, for example with \.replace"):
        learn(table, drop="id", na="*")
    with pytest.raises(DataTypeError, match=r"call its \.compute\(\) first"):
        learn(table, drop="id", transform="normal-scores")


def test_mappings_of_columns_are_tables() -> None:
    columns = {"a": A.tolist(), "b": pl.Series(B), "c": PLAIN["c"].to_numpy()}
    assert_same(learn(columns), learn(PLAIN))
    assert Moments.from_data(columns, names=["u", "v", "w"]).names == ("u", "v", "w")
    with pytest.raises(DataError, match="'b' has 199 values, 'a' has 200"):
        learn({"a": A, "b": B[1:]})
    with pytest.raises(DataTypeError, match="column 'b' has 2 dimensions"):
        learn({"a": A, "b": np.c_[A, B]})
    with pytest.raises(DataTypeError, match="column 'b' is of type str"):
        learn({"a": A, "b": "text"})
    with pytest.raises(DataError, match="minimum of 2"):
        learn({})
    with pytest.raises(DataError, match="has no name"):
        learn({"": A, "b": B})


def test_names_of_files_open_whatever_they_hold(tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", PLAIN.to_numpy())
    np.savez(tmp_path / "t.npz", **{c: PLAIN[c].to_numpy() for c in PLAIN})
    Moments.from_data(PLAIN).save(tmp_path / "m.npz")
    assert learn(tmp_path / "t.npy").score == pytest.approx(learn(PLAIN).score)
    for name in ("t.npz", "m.npz"):
        assert_same(learn(str(tmp_path / name)), learn(PLAIN))
    assert isinstance(open_any(tmp_path / "m.npz").table, Moments)
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    opened = open_any(str(tmp_path / "t.csv"))
    assert isinstance(opened, LoadedTable) and opened.names == tuple(FRAME)
    assert open_any(FRAME).names == open_any(FRAME.to_dict("list")).names == tuple(FRAME)
    with pytest.raises(FileError, match="there is no file"):
        learn(["ab", "cd"])
    with pytest.raises(FileError, match="unknown format"):
        path = tmp_path / "t.xyz"
        path.write_text("a,b\n", encoding="utf-8")
        learn(path)


def test_the_command_takes_them_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "t.csv", str(tmp_path / "r.json")
    MARKED.assign(id=FRAME["id"]).to_csv(path, index=False)
    said = ["--na", "*", "--na", "-999", "--transform", "c=log,b=normal-scores"]
    command = ["learn", str(path), "--drop", "id", "--missing", "em", *said, "--out", out]
    assert main(command) == 0
    assert "18 values" in capsys.readouterr().out
    transform: Any = {"c": "log", "b": "normal-scores"}
    expected = learn(HOLES, missing="em", transform=transform)
    assert_same(Result.load(out), expected)
    # What was said when it was learned need not be said again, nor may it be contradicted.
    assert main(["explain", out, "a", "b", "--data", str(path)]) == 0
    assert main(["explain", out, "a", "b", "--data", str(path), "--transform", "c=log1p"]) == 2
    assert "other data" in capsys.readouterr().err
    assert main(["score", str(path), out, "--missing", "em", *said]) == 0
    assert float(capsys.readouterr().out) == pytest.approx(expected.score, rel=1e-9)
    assert main(["learn", str(path), "--transform", "c=logg"]) == 2
    assert "--transform: cannot read 'c=logg'" in capsys.readouterr().err


def test_coefficients_say_in_which_units_they_are() -> None:
    result = learn(PLAIN, transform={"c": "log", "a": "normal-scores"})
    found = result.coefficients()
    assert found.units == {"c": "log(c)", "a": "standard deviations of normal scores"}
    assert str(found).endswith("Units: c in log(c) and a in standard deviations of normal scores.")
    assert set(learn(PLAIN, transform="normal-scores").coefficients().units) == {"a", "b", "c"}
    assert learn(PLAIN).coefficients().units == {}
    assert "Units" not in str(learn(PLAIN).coefficients())


def test_kinds_of_dropped_columns_and_no_markers_do_no_harm() -> None:
    result = learn(PLAIN, drop=["c"], kinds={"c": "discrete"}, na=[])
    assert result.cpdag == learn(PLAIN[["a", "b"]]).cpdag and not result.notes


def test_numbers_as_text_beside_markers_are_read_from_json_lines(tmp_path: Path) -> None:
    text = [f"{value:.3f}" if value > -1 else "*" for value in A]
    PLAIN.assign(a=text).to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    options: dict[str, Any] = {"na": ["*"], "missing": "drop"}
    judged = learn(tmp_path / "t.jsonl", **options)
    stated = learn(tmp_path / "t.jsonl", kinds={"a": "continuous"}, **options)
    assert judged.cpdag == stated.cpdag and judged.score == stated.score


def test_an_index_without_a_name_may_be_dropped_as_pandas_calls_it(tmp_path: Path) -> None:
    PLAIN.to_csv(tmp_path / "t.csv")
    result = learn(tmp_path / "t.csv", drop=["Unnamed: 0", "c"])
    assert result.cpdag.names == ("a", "b") and not result.notes


def test_a_limit_is_kept_between_the_columns_of_normal_scores() -> None:
    with time_limited(0.0), pytest.raises(greedag.TimeLimitError, match="transforming columns"):
        time.sleep(0.12)
        normal_scores(np.arange(10.0))
