"""Bases of columns, and the moments of what they make of a table."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from greedag import DataError, DataTypeError, GreedagWarning, MixedTable, Moments, OptionError
from greedag.scores import AdditiveBIC
from greedag.scores.select import prepare
from greedag.statistics import basis as counting
from greedag.statistics import sample
from greedag.statistics.basis import BasisMoments
from greedag.statistics.curves import Curves, Indicators, curves_of, most_curves, most_steps
from greedag.statistics.sample import ValueSample
from greedag.statistics.splines import bsplines, full_knots, roughness_matrix, smooth_curves
from oracle import basis as twin


def table(n: int = 700, *, seed: int = 0) -> pd.DataFrame:
    """Return columns that bend, of several sizes: far from 0, skewed, and with few values."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n)
    return pd.DataFrame(
        {
            "x": x,
            "y": 1e6 + 10.0 * (np.tanh(2.0 * x) + 0.5 * rng.standard_normal(n)),
            "z": np.exp(rng.standard_normal(n)) * 1e-3,
            "few": rng.integers(0, 12, n).astype(float),
        }
    )


def mixed(n: int = 700) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return table(n).assign(level=rng.choice(["a", "b", "c"], n))


def same(one: BasisMoments, other: BasisMoments, *, tolerance: float = 1e-9) -> None:
    assert (one.names, one.kinds, one.starts) == (other.names, other.kinds, other.starts)
    assert one.n == pytest.approx(other.n, rel=1e-12)
    assert one.dropped == pytest.approx(other.dropped, rel=1e-12)
    np.testing.assert_allclose(
        one.moments.covariance, other.moments.covariance, rtol=0.0, atol=tolerance
    )
    np.testing.assert_allclose(one.moments.mean, other.moments.mean, rtol=0.0, atol=tolerance)


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    from greedag.io import tables

    monkeypatch.setattr(tables, "_CHUNK_VALUES", 1)
    monkeypatch.setattr(tables, "_LEAST_CHUNK_ROWS", 150)


def sampled(values: Any, weights: Any = None) -> ValueSample:
    values = np.asarray(values, dtype=np.float64)
    return ValueSample.of(values, np.ones(len(values)) if weights is None else np.array(weights))


@pytest.mark.parametrize("inner", [[], [0.0], [-0.7, -0.1, 0.3, 1.1]])
def test_splines_and_their_roughness_are_those_of_the_recursion(inner: list[float]) -> None:
    knots = full_knots(-2.0, np.array(inner), 1.5)
    values = np.array([-2.0, -1.3, -0.7, -0.1, 0.0, 0.29, 1.1, 1.499, 1.5])
    np.testing.assert_allclose(bsplines(values, knots), twin.splines(values, knots), atol=1e-14)
    expected = twin.roughness(knots)
    np.testing.assert_allclose(roughness_matrix(knots), expected, atol=1e-9 * expected.max())


@pytest.mark.parametrize("seed", range(3))
def test_curves_are_those_of_their_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.unique(rng.standard_normal(120) ** (1 + seed % 2))
    weights = rng.integers(1, 4, len(values)).astype(float)
    knots = full_knots(values[0], np.quantile(values, [0.2, 0.4, 0.6, 0.8]), values[-1])
    found = bsplines(values, knots) @ smooth_curves(values, weights, knots)
    expected = twin.curves(values, weights, knots)
    np.testing.assert_allclose(found, expected, atol=1e-7)


def test_a_basis_is_the_standardised_column_and_curves_from_smooth_to_wiggly() -> None:
    values = np.random.default_rng(0).normal(7.0, 3.0, 900)
    basis = curves_of(sampled(values), 11)
    columns = basis.columns(values)
    assert columns.shape == (900, basis.size) == (900, 12)
    np.testing.assert_allclose(columns[:, 0], (values - values.mean()) / values.std())
    np.testing.assert_allclose(columns.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(columns.T @ columns / 900, np.eye(basis.size), atol=1e-9)
    for degree in (2, 3):
        fit = np.polynomial.Polynomial.fit(values, columns[:, degree - 1], degree)
        np.testing.assert_allclose(fit(values), columns[:, degree - 1], atol=1e-9)
    rough = basis.coefficients.T @ roughness_matrix(basis.knots) @ basis.coefficients
    assert (np.diff(rough.diagonal()[2:]) > 0.0).all()


def test_beyond_the_rows_curves_go_on_straight() -> None:
    values = np.random.default_rng(0).uniform(-1.0, 1.0, 500)
    basis = curves_of(sampled(values), 10)
    step = 1e-6
    for end, sign in ((values.max(), 1.0), (values.min(), -1.0)):
        at, near, far = basis.columns(end + sign * np.array([0.0, -step, 2.0]))
        np.testing.assert_allclose(far - at, (at - near) / step * 2.0, rtol=1e-3, atol=1e-3)


def test_more_rows_make_more_curves_and_few_rows_none() -> None:
    rng = np.random.default_rng(0)
    rows = (20, 60, 500, 2000, 9000)
    bases = [BasisMoments.from_data(rng.standard_normal((n, 2))).bases[0] for n in rows]
    assert all(isinstance(basis, Curves) for basis in bases)
    assert [basis.first_step for basis in bases] == [1, 7, 11, 14, 21]
    assert [len(basis.steps) for basis in bases] == [0, 0, 22, 32, 32]
    assert [most_curves(20_000, d) for d in (1, 50, 60, 90, 1000)] == [24, 24, 22, 14, 13]


def test_steps_are_where_they_are_not_too_dear() -> None:
    assert [most_steps(n, 30) for n in (49, 64, 400, 2000, 10**5)] == [0, 8, 20, 32, 0]
    assert [most_steps(2000, d) for d in (1, 50, 100, 200)] == [32, 32, 12, 0]


def test_steps_part_the_rows_evenly_and_never_divide_equal_values() -> None:
    values = np.random.default_rng(2).standard_normal(1000)
    basis = curves_of(sampled(values), 5, 9)
    columns = basis.columns(values)
    assert columns.shape == (1000, 15) == (1000, basis.size)
    assert set(np.unique(columns[:, 6:])) == {0.0, 1.0}
    np.testing.assert_allclose(columns[:, 6:].sum(axis=0), np.arange(900, 0, -100), atol=1)
    few = np.repeat([1.0, 2.0, 5.0, 6.0], [100, 400, 300, 200])
    steps = curves_of(sampled(few), 5, 9).columns(np.array([1.0, 2.0, 5.0, 6.0]))[:, -3:]
    np.testing.assert_array_equal(steps, np.tril(np.ones((4, 3)), -1))


def test_a_step_that_does_not_vary_among_the_rows_is_left_out() -> None:
    frame = table()
    counted = BasisMoments.from_data(frame)
    first = counted.bases[0]
    assert isinstance(first, Curves)
    lower = BasisMoments.from_data(frame[frame["x"] < frame["x"].median()], bases=counted.bases)
    matrix, starts, steps = lower.correlation()
    assert np.isfinite(matrix).all()
    assert 0 < steps[0] < len(first.steps)
    assert starts[1] == first.first_step + steps[0]


@pytest.mark.parametrize(("distinct", "size"), [(1, 1), (2, 1), (3, 2), (4, 3), (5, 4), (7, 6)])
def test_few_distinct_values_make_few_columns(distinct: int, size: int) -> None:
    values = np.random.default_rng(0).integers(0, distinct, 1000).astype(float)
    basis = curves_of(sampled(values), 11)
    assert basis.size == size
    if distinct > 1:
        columns = basis.columns(np.unique(values))
        assert np.linalg.matrix_rank(np.column_stack([np.ones(distinct), columns])) == size + 1


def test_columns_of_any_size_have_the_same_curves() -> None:
    values = np.random.default_rng(0).standard_normal(300)
    plain = curves_of(sampled(values), 9).columns(values)
    for factor, shift in ((1e300, 0.0), (1e-300, 0.0), (1e-310, 0.0), (1.0, 1e9)):
        moved = values * factor + shift
        columns = curves_of(sampled(moved), 9).columns(moved)
        np.testing.assert_allclose(columns, plain, atol=1e-4 if shift or factor < 1e-308 else 1e-9)


def test_curves_of_a_pair_correlate_as_the_table_says() -> None:
    counted = BasisMoments.from_data(table())
    columns = [b.columns(table()[name]) for name, b in zip("xyz", counted.bases, strict=False)]
    columns.append(counted.bases[3].columns(table()["few"]))
    joined = np.hstack(columns)
    assert joined.shape[1] == counted.starts[-1]
    expected = np.cov(joined, rowvar=False, bias=True)
    np.testing.assert_allclose(counted.moments.covariance, expected, atol=1e-10)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files_count_as_their_table_does(tmp_path: Path, suffix: str) -> None:
    frame = table()
    parts = [tmp_path / f"{place}.{suffix}" for place in range(2)]
    for path, part in zip(parts, (frame[:300], frame[300:]), strict=True):
        part.to_csv(path, index=False) if suffix == "csv" else part.to_parquet(path, index=False)
    whole = BasisMoments.from_data(frame)
    streamed = BasisMoments.from_file(parts)
    assert streamed.bases == whole.bases
    same(streamed, whole)


@pytest.mark.usefixtures("small_chunks")
def test_columns_that_may_be_levels_are_asked_about_once(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    table().assign(few=lambda t: t["few"] % 3).to_csv(path, index=False)
    with pytest.warns(GreedagWarning, match="'few' holds numbers") as seen:
        _, prepared = prepare(path, AdditiveBIC())
    assert len(seen) == 1
    assert [note.code for note in prepared.notes].count("few-values") == 1


def test_parts_of_a_large_column_give_the_sample_of_the_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sample, "MOST_VALUES", 100)
    rng = np.random.default_rng(0)
    values = np.round(rng.standard_normal(3000), 3)
    whole = sampled(values)
    assert len(whole.values) == 100
    counts = [np.count_nonzero(values == value) for value in whole.values]
    np.testing.assert_array_equal(whole.weights, counts)
    for cuts in ([1000], [10, 20, 2900], [1]):
        first, *others = np.split(values, cuts)
        merged = sampled(first)
        for other in others:
            merged = sampled(other) + merged
        np.testing.assert_array_equal(merged.values, whole.values)
        np.testing.assert_array_equal(merged.weights, whole.weights)
    few = np.tile(np.arange(50.0), 60)
    np.testing.assert_array_equal(sampled(few).values, np.arange(50.0))
    np.testing.assert_array_equal(sampled(few).weights, np.full(50, 60.0))


def test_a_sample_of_many_values_makes_nearly_the_same_basis(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = np.random.default_rng(0).standard_normal(20_000)
    whole = curves_of(sampled(values), 13)
    monkeypatch.setattr(sample, "MOST_VALUES", 4000)
    part = curves_of(sampled(values), 13)
    np.testing.assert_allclose(part.knots[5:-5], whole.knots[5:-5], atol=0.3)
    columns = part.columns(values)
    np.testing.assert_allclose(columns.std(axis=0), 1.0, atol=0.3)


@pytest.mark.filterwarnings("default::ResourceWarning", "default::DeprecationWarning")
@pytest.mark.parametrize("kind", ["numbers", "mixed"])
def test_dask_partitions_count_as_the_table_does(kind: str) -> None:
    frames = pytest.importorskip("dask.dataframe")
    dask = pytest.importorskip("dask")
    frame = table() if kind == "numbers" else mixed()
    with dask.config.set(scheduler="synchronous"):
        parts = frames.from_pandas(frame, npartitions=3)
        counted = BasisMoments.from_data(parts)
    whole = BasisMoments.from_data(frame)
    assert counted.bases == whole.bases
    same(counted, whole)


def test_weights_count_as_repeated_rows() -> None:
    frame = mixed()
    weights = np.random.default_rng(2).integers(0, 4, len(frame))
    weighted = BasisMoments.from_data(frame, weights=weights)
    repeated = BasisMoments.from_data(frame.loc[frame.index.repeat(weights)])
    assert weighted.n == repeated.n == weights.sum()
    same(weighted, repeated)


def test_rows_with_missing_values_are_dropped_if_asked() -> None:
    frame = mixed()
    holes = frame.copy()
    holes.loc[3, "x"] = math.nan
    holes.loc[5, "level"] = None
    with pytest.raises(DataError, match="missing"):
        BasisMoments.from_data(holes)
    dropped = BasisMoments.from_data(holes, missing="drop")
    assert dropped == BasisMoments.from_data(frame.drop(index=[3, 5]))
    with pytest.raises(OptionError, match="'error' or 'drop'"):
        BasisMoments.from_data(holes, missing="em")


def test_parts_with_the_same_bases_merge() -> None:
    frame = mixed()
    whole = BasisMoments.from_data(frame)
    one = BasisMoments.from_data(frame[:250], bases=whole.bases)
    other = BasisMoments.from_data(frame[250:], bases=whole.bases)
    same(one + other, whole)
    assert one + other != one


def test_parts_with_other_bases_do_not_merge_and_the_error_says_how() -> None:
    frame = table()
    one, other = (BasisMoments.from_data(part) for part in (frame[:300], frame))
    with pytest.raises(DataError, match=r"BasisMoments\.from_data\(more, bases=first\.bases\)"):
        one + other
    with pytest.raises(DataError, match="column"):
        one + BasisMoments.from_data(frame[:300], names=list("abcd"))
    with pytest.raises(TypeError):
        one + Moments.from_data(frame)  # type: ignore[operator]


def test_bases_must_fit_the_table() -> None:
    frame = table()
    bases = BasisMoments.from_data(frame).bases
    with pytest.raises(OptionError, match="one for each of the 2 columns; got 4"):
        BasisMoments.from_data(frame[["x", "y"]], bases=bases)
    with pytest.raises(OptionError, match="kinds must be left out"):
        BasisMoments.from_data(frame, bases=bases, kinds="continuous")
    with pytest.raises(DataError, match="in every row some column is more than ten"):
        BasisMoments.from_data(frame * 1e9, bases=bases)


def test_discrete_columns_become_indicators() -> None:
    frame = mixed()
    counted = BasisMoments.from_data(frame, kinds={"few": "discrete"})
    level = counted.bases[4]
    assert isinstance(level, Indicators) and level.labels == ("a", "b", "c")
    assert level.columns(["c", "a", "b"]).tolist() == [[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
    assert counted.sizes == [0, 0, 0, 12, 3]
    moments, starts = counted.embedded()
    table_moments, table_starts = MixedTable.from_data(frame, kinds={"few": "discrete"}).embedded()
    assert (starts, moments.names) == (table_starts, table_moments.names)
    np.testing.assert_allclose(moments.correlation, table_moments.correlation, atol=1e-9)
    np.testing.assert_allclose(moments.log_variances, table_moments.log_variances, atol=1e-9)
    with pytest.raises(DataError, match="column 'level' has the level 'd'"):
        BasisMoments.from_data(frame.assign(level="d"), bases=counted.bases)


def test_without_curves_they_are_the_moments_of_the_table() -> None:
    frame = table().assign(huge=lambda t: t["x"] * 1e200 + t["y"] * 1e194)
    counted, moments = BasisMoments.from_data(frame), Moments.from_data(frame)
    plain, starts = counted.embedded()
    assert starts == [0, 1, 2, 3, 4, 5]
    assert plain.names == moments.names
    np.testing.assert_allclose(plain.mean, moments.mean, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(plain.log_variances, moments.log_variances, atol=1e-9)
    np.testing.assert_allclose(plain.correlation, moments.correlation, atol=1e-9)
    mine, theirs = counted.fingerprint(), moments.fingerprint()
    assert mine.log_variances == pytest.approx(theirs.log_variances, abs=1e-9)
    assert mine.mixtures == pytest.approx(theirs.mixtures, abs=1e-9)


def test_rows_that_would_determine_every_curve_are_left_out_and_noted() -> None:
    frame = table(2000)[["x", "y"]]
    wild = frame.copy()
    wild.loc[[7, 9], "x"] = [1e9, -1e4]
    wild.loc[9, "y"] = 1e12
    counted = BasisMoments.from_data(wild)
    assert (counted.n, counted.dropped, counted.beyond) == (1998, 2, (2.0, 1.0))
    same_rows = BasisMoments.from_data(frame.drop(index=[7, 9]))
    smooth = [not name.rpartition(", ")[2].startswith("step") for name in counted.moments.names]
    parts = [
        moments.correlation[np.ix_(smooth, smooth)]
        for moments in (counted.moments, same_rows.moments)
    ]
    np.testing.assert_allclose(*parts, atol=2e-3)
    # Steps move by whole rows: two of 2,000.
    np.testing.assert_allclose(
        counted.moments.correlation, same_rows.moments.correlation, atol=5e-3
    )
    [note] = [note for note in counted.notes() if note.code == "extreme-rows"]
    assert note.startswith("2 of 2000 rows were left out: columns 'x' and 'y'")
    assert note.counts == {"x": 2.0, "y": 1.0}
    assert not list(same_rows.notes())


def test_rare_events_are_not_taken_for_extremes() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.standard_normal(2000), "rare": (rng.random(2000) < 0.004) * 1.0})
    counted = BasisMoments.from_data(frame, kinds="continuous")
    assert counted.n == 2000
    assert counted.bases[1].size == 1


def test_what_a_result_should_say_is_noted() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "row": np.arange(500.0),
            "tails": rng.standard_t(2.2, 500),
            "id": [str(j // 2 if j < 480 else j) for j in range(500)],
        }
    )
    codes = {note.code for note in BasisMoments.from_data(frame).notes()}
    assert (
        {"identifier", "many-levels"}
        <= codes
        <= {*("identifier", "many-levels", "heavy-tails", "extreme-rows")}
    )


def test_they_survive_pickling_and_are_told_apart() -> None:
    counted = BasisMoments.from_data(mixed())
    again = pickle.loads(pickle.dumps(counted))
    assert again == counted and again.bases == counted.bases
    assert again != BasisMoments.from_data(table())
    assert counted.bases[0] != counted.bases[1] and counted.bases[0] != counted.bases[4]
    assert repr(counted) == (
        f"BasisMoments(n=700, d=5, {counted.starts[-1]} columns in all: 'x', 'y', 'z', 'few' and "
        "'level')"
    )


def test_too_many_columns_are_refused_before_they_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(counting, "_MOST_GIB", 1e-5)
    with pytest.raises(DataError, match=r"4 columns make \d+ columns of curves and levels"):
        BasisMoments.from_data(table())


def test_columns_that_hold_no_numbers_are_refused() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "when": pd.to_datetime(["2020-01-01"] * 3)})
    with pytest.raises(DataTypeError, match="when"):
        BasisMoments.from_data(frame)
    with pytest.raises(DataError, match=r"column 'x'.*inf"):
        BasisMoments.from_data({"x": [1.0, math.inf], "y": [1.0, 2.0]})


def test_curves_that_do_not_vary_among_the_rows_are_left_out_of_the_correlations() -> None:
    frame = table()
    bases = BasisMoments.from_data(frame).bases
    counted = BasisMoments.from_data(frame)
    matrix, starts, _ = counted.correlation()
    np.testing.assert_array_equal(matrix, counted.moments.correlation)
    assert starts == counted.starts
    one = BasisMoments.from_data(frame[:1], bases=bases)
    assert one.n == 1
    assert isinstance(bases[0], Curves)
