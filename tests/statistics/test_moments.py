"""Moments: exact to rounding at every scale, in every split of the rows; collinear sets named."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import tracemalloc
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greedag import learn
from greedag.errors import DataError, FileError
from greedag.io.arrays import save_npz
from greedag.statistics import scatter
from greedag.statistics.collinearity import check_collinear
from greedag.statistics.levels import Levels
from greedag.statistics.mixed import MixedTable
from greedag.statistics.moments import Moments


def sample(n: int = 200, d: int = 5, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)


def exact_covariance(data: np.ndarray) -> list[list[Fraction]]:
    n = len(data)
    columns = [[Fraction(float(v)) for v in column] for column in data.T]
    means = [sum(column) / n for column in columns]
    centred = [[v - mean for v in col] for col, mean in zip(columns, means, strict=True)]
    return [[sum(map(Fraction.__mul__, a, b)) / n for b in centred] for a in centred]


def close(one: Moments, other: Moments, rtol: float = 1e-12) -> bool:
    return (
        np.allclose(one.correlation, other.correlation, rtol=0, atol=rtol)
        and np.allclose(one.log_variances, other.log_variances, rtol=0, atol=10 * rtol)
        and np.allclose(one.mean, other.mean, rtol=rtol, atol=rtol * np.abs(other.mean).max())
    )


def test_from_data_matches_exact_arithmetic() -> None:
    data = sample(50, 3)
    exact = np.array([[float(v) for v in row] for row in exact_covariance(data)])
    found = Moments.from_data(data)
    assert (found.n, found.d, found.names) == (50, 3, ("x0", "x1", "x2"))
    assert np.allclose(found.covariance, exact, rtol=1e-14, atol=1e-15)
    assert np.allclose(found.mean, data.mean(axis=0), rtol=1e-14)
    assert np.array_equal(found.variances, found.covariance.diagonal())
    assert np.allclose(np.exp(found.log_variances), found.variances, rtol=1e-14)


def test_correlation_is_exactly_symmetric_with_an_exact_unit_diagonal() -> None:
    matrix = Moments.from_data(sample(100, 30)).correlation
    assert matrix.dtype == np.float64
    assert matrix.flags.c_contiguous
    assert np.array_equal(matrix, matrix.T)
    assert np.array_equal(matrix.diagonal(), np.ones(30))
    assert np.abs(matrix).max() == 1.0


@pytest.mark.parametrize("mean", [0.0, 1e4, -1e8, 1e10])
def test_large_means_cost_no_digits(mean: float) -> None:
    # Sixteenths stay exact when such a mean is added.
    data = np.round(sample(2000, 4) * 16) / 16
    assert np.allclose(
        Moments.from_data(data + mean).correlation,
        Moments.from_data(data).correlation,
        rtol=0,
        atol=1e-13,
    )


def test_means_that_drift_from_block_to_block_cost_no_digits() -> None:
    data = np.round(sample(30_000, 3) * 16) / 16
    drift = np.arange(30_000)[:, np.newaxis] * np.array([1.0, 0.0, -2.0])
    found = Moments.from_data(data + drift + 1e8).correlation
    assert np.allclose(found, np.corrcoef(data + drift, rowvar=False), rtol=0, atol=1e-13)


@pytest.mark.parametrize("power", [-1060, -1000, -531, -200, 200, 511, 1000, 1019])
def test_scale_changes_nothing_but_the_variances(power: int) -> None:
    data = np.round(sample() * 8) / 8
    data /= 2 ** np.ceil(np.log2(np.abs(data).max()))
    plain, scaled = Moments.from_data(data), Moments.from_data(np.ldexp(data, power))
    assert np.abs(np.ldexp(data, power)).max() < np.inf
    if power >= -1000:
        assert np.array_equal(plain.correlation, scaled.correlation)
    shift = scaled.log_variances - plain.log_variances
    assert np.allclose(shift, 2 * power * np.log(2), rtol=1e-12)


def test_columns_of_opposite_extremes_can_be_used_together() -> None:
    data = sample()
    scales = np.array([1e307, 1e-300, 1.0, 1e-160, 1e160])
    found = Moments.from_data(data * scales)
    assert np.allclose(found.correlation, Moments.from_data(data).correlation, atol=1e-14)
    assert np.allclose(found.mean / scales, data.mean(axis=0), rtol=1e-12)
    check_collinear(found)


@pytest.mark.parametrize(("size", "power"), [(1e-160, -160), (1e300, 300)])
def test_variances_beyond_doubles_are_refused_with_column_and_remedy(
    size: float, power: int
) -> None:
    data = sample(d=3) / np.abs(sample(d=3)).std() * np.array([1.0, size, 1.0])
    found = Moments.from_data(data)
    for name in ("variances", "covariance"):
        with pytest.raises(DataError, match=rf"'x1'.*divide the column by 1e{power}"):
            getattr(found, name)
    assert np.isfinite(found.log_variances).all()


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 64, 199, 200, 1000])
@pytest.mark.parametrize("order", ["C", "F"])
def test_block_size_does_not_matter(rows: int, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = np.array(sample() + 1e6, order=order)  # type: ignore[call-overload]
    whole = Moments.from_data(data)
    monkeypatch.setattr(scatter, "_LEAST_BLOCK_ROWS", rows)
    monkeypatch.setattr(scatter, "_BLOCK_VALUES", 1)
    assert close(Moments.from_data(data), whole)


def test_order_of_rows_does_not_matter() -> None:
    data = sample(5000)
    shuffled = np.random.default_rng(3).permutation(data)
    assert close(Moments.from_data(shuffled), Moments.from_data(data))


@pytest.mark.parametrize(
    "container",
    [
        np.asarray,
        np.asfortranarray,
        np.float32,
        np.float16,
        np.longdouble,
        np.int64,
        pl.DataFrame,
        pd.DataFrame,
        lambda data: pa.table({f"c{j}": column for j, column in enumerate(data.T)}),
    ],
    ids=["C", "F", "f4", "f2", "g", "i8", "polars", "pandas", "Arrow"],
)
def test_counting_needs_no_second_copy_of_the_table(
    container: Callable[[np.ndarray], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = 1e3 * sample(20_000, 20)
    table = container(data)
    monkeypatch.setattr(scatter, "_BLOCK_VALUES", 2**15)
    Moments.from_data(container(data[:100]))
    tracemalloc.start()
    Moments.from_data(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < data.nbytes / 3


@given(st.lists(st.integers(1, 40), min_size=1, max_size=8), st.integers(0, 2**32))
def test_merged_parts_equal_the_whole(sizes: list[int], seed: int) -> None:
    data = sample(sum(sizes) + 10, 3, seed) + 1e5
    parts = np.split(data, np.cumsum(sizes))
    merged = reduce(add, map(Moments.from_data, parts))
    # The means of the parts are rounded to doubles near 1e5.
    assert close(merged, Moments.from_data(data), rtol=1e-9)


def test_parts_may_have_one_row_or_constant_columns() -> None:
    data = sample(30, 3)
    data[:12, 1] = 0.1
    data[20:29, 1] = 0.1
    parts = [Moments.from_data(part) for part in np.split(data, [10, 12, 20, 29])]
    assert close(reduce(add, parts), Moments.from_data(data))


def test_parts_that_are_constant_alike_stay_exactly_constant() -> None:
    data = sample(30, 3)
    data[:, 1] = 0.1
    merged = Moments.from_data(data[:11]) + Moments.from_data(data[11:])
    assert merged.variances[1] == 0.0
    assert merged.mean is not None
    assert merged.mean[1] == 0.1


@pytest.mark.parametrize("size", [1e-308, 1e-160, 1e160, 1e307])
def test_merging_works_at_every_scale(size: float) -> None:
    data = sample(60, 3)
    data /= np.abs(data).max()
    data[:20, 0] = data[0, 0]
    data[20:, 2] += 7.0
    merged = Moments.from_data(data[:20] * size) + Moments.from_data(data[20:] * size)
    assert close(merged, Moments.from_data(data * size), rtol=1e-11)


def test_merging_far_means_with_tiny_spreads_does_not_overflow() -> None:
    tiny = sample(20, 2) * 1e-300
    merged = Moments.from_data(tiny) + Moments.from_data(tiny + 1e300)
    assert np.allclose(merged.correlation, 1.0, atol=1e-14)
    opposite = np.array([[-1.7e308, 1.0], [-1.7e308, 2.0]])
    merged = Moments.from_data(opposite) + Moments.from_data(-opposite)
    assert merged.mean is not None
    assert np.allclose(merged.mean, 0.0, atol=1e292)


def test_merging_different_columns_names_the_difference() -> None:
    def named(*names: str) -> Moments:
        return Moments.from_data(pl.DataFrame(sample(d=len(names)), schema=names))

    with pytest.raises(DataError, match="only one of the two has 'b' and 'z'"):
        named("a", "b") + named("a", "z")
    with pytest.raises(DataError, match="only one of the two has 'c'"):
        named("a", "b") + named("a", "b", "c")
    with pytest.raises(DataError, match=r"column 0 is 'a' in one and 'b' in the other.*same order"):
        named("a", "b") + named("b", "a")


def test_merging_needs_means_and_moments() -> None:
    bare = Moments(n=10, covariance=np.eye(2))
    with pytest.raises(DataError, match="mean="):
        bare + bare
    with pytest.raises(TypeError):
        bare + 1  # type: ignore[operator]


def test_given_covariance_is_kept_exactly() -> None:
    covariance = np.cov(sample(), rowvar=False, bias=True) * np.outer(*[10.0 ** np.arange(5)] * 2)
    covariance = (covariance + covariance.T) / 2
    found = Moments(n=200, covariance=covariance, names=list("abcde"), mean=np.arange(5))
    assert np.array_equal(found.covariance, covariance)
    assert np.array_equal(found.variances, covariance.diagonal())
    assert found.names == ("a", "b", "c", "d", "e")
    assert np.array_equal(found.mean, np.arange(5.0))  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [2, 200, np.int32(200), 200.0, np.float64(1e4), 2**53])
def test_whole_numbers_of_any_type_count_rows(n: int) -> None:
    found = Moments(n=n, covariance=np.eye(2))
    assert found.n == n
    assert type(found.n) is int


def test_single_precision_covariances_are_accepted_with_their_own_rounding() -> None:
    data = sample(500, 20)
    data[:, 3] = data[:, 4] + 1e-4 * data[:, 5]
    covariance = np.cov(data, rowvar=False, bias=True).astype(np.float32)
    covariance[0, 1] *= np.float32(1 + 1e-6)
    assert Moments(n=500, covariance=covariance).d == 20


def test_subnormal_and_huge_covariances_are_kept() -> None:
    for size in (5e-324, 1e-310, 1e308):
        found = Moments(n=10, covariance=[[size, 0.0], [0.0, size]])
        assert np.array_equal(found.variances, [size, size])
        assert np.array_equal(found.correlation, np.eye(2))


@pytest.mark.parametrize("kind", [list, tuple, np.array, pl.Series])
def test_names_may_be_any_sequence(kind: Callable[[list[str]], Sequence[str]]) -> None:
    found = Moments(n=9, covariance=np.eye(2), names=kind(["a", "b"]))
    assert found.names == ("a", "b")
    assert all(type(name) is str for name in found.names)


def test_equality_is_by_value_and_excludes_hashing() -> None:
    data = sample()
    assert Moments.from_data(data) == Moments.from_data(data.tolist())
    assert Moments.from_data(data) != Moments.from_data(data[1:])
    assert Moments(n=9, covariance=np.eye(2)) != Moments(n=9, covariance=np.eye(2), mean=[0, 0])
    assert Moments(n=9, covariance=np.eye(2)) != Moments(n=8, covariance=np.eye(2))
    assert Moments(n=9, covariance=np.eye(2), names=["a", "b"]) != Moments(
        n=9, covariance=np.eye(2), names=["a", "b\0"]
    )
    assert Moments.from_data(data) != "moments"
    with pytest.raises(TypeError, match="unhashable"):
        hash(Moments.from_data(data))


def test_moments_cannot_be_changed() -> None:
    found = Moments.from_data(sample())
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.n = 3  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        found.mean[0] = 3.0  # type: ignore[index]
    covariance = np.eye(2)
    given_matrix = Moments(n=5, covariance=covariance)
    covariance[0, 0] = 7.0
    assert given_matrix.variances[0] == 1.0


def test_copies_and_pickles_are_equal() -> None:
    found = Moments.from_data(sample())
    assert copy.deepcopy(found) == found
    assert pickle.loads(pickle.dumps(found)) == found


def test_repr_is_short() -> None:
    assert repr(Moments(n=9, covariance=np.eye(2))) == "Moments(n=9, d=2: 'x0' and 'x1')"
    many = Moments(n=9, covariance=np.eye(90), names=["x" * 10_000 + str(j) for j in range(90)])
    assert len(repr(many)) < 400


@pytest.mark.parametrize("mean", [True, False])
def test_saved_moments_load_as_they_were(mean: bool, tmp_path: Path) -> None:
    names = ["a\n", "\0", "😀", "\ud800", "x" * 10_000]
    found = Moments(
        n=77,
        covariance=Moments.from_data(sample()).covariance,
        names=names,
        mean=np.arange(5) if mean else None,
    )
    found.save(tmp_path / "m.greedag")
    assert Moments.load(tmp_path / "m.greedag") == found


def test_partial_and_extreme_moments_survive_saving(tmp_path: Path) -> None:
    data = sample(1, 3) * np.array([1e307, 1e-308, 1.0])
    found = Moments.from_data(data)
    found.save(tmp_path / "m")
    assert Moments.load(tmp_path / "m") == found


@pytest.mark.parametrize(
    "change",
    [
        {"scaled": np.eye(3)},
        {"scaled": np.array([[0.5, np.nan], [np.nan, 0.5]])},
        {"scaled": np.array([[0.5, 0.2], [0.1, 0.5]])},
        {"scaled": np.array([[0.5, 0.0], [0.0, -0.5]])},
        {"scaled": np.array([[5.0, 0.0], [0.0, 5.0]])},
        {"scaled": np.zeros(2)},
        {"exponent": np.array([0], dtype=np.int32)},
        {"exponent": np.array([0, 2**31 - 1], dtype=np.int32)},
        {"exponent": np.array([0, -(2**31)], dtype=np.int32)},
        {"mean": np.zeros(3)},
        {"mean": np.array([0.0, np.inf])},
        {"names": ["a"]},
        {"names": ["a", "a"]},
        {"names": None},
        {"names": 3},
        {"n": None},
        {"n": 0},
        {"n": "many"},
        {"n": 10**400},
    ],
    ids=str,
)
def test_stored_moments_that_do_not_fit_together_are_refused(
    change: dict[str, object], tmp_path: Path
) -> None:
    arrays = {
        "scaled": np.eye(2) / 2,
        "exponent": np.array([0, 0], dtype=np.int32),
        "mean": np.zeros(2),
    }
    meta: dict[str, object] = {"n": 5, "names": ["a", "b"]}
    for key, value in change.items():
        (arrays if key in arrays else meta)[key] = value  # type: ignore[index]
    save_npz(tmp_path / "m", "moments", 1, arrays, meta)
    with pytest.raises(FileError, match="save them again"):
        Moments.load(tmp_path / "m")


def test_stored_moments_that_lack_a_part_are_refused(tmp_path: Path) -> None:
    save_npz(tmp_path / "m", "moments", 1, {}, {"n": 5, "names": ["a"]})
    with pytest.raises(FileError, match="save them again"):
        Moments.load(tmp_path / "m")


def test_names_of_a_covariance_frame_and_given_names_are_kept() -> None:
    frame = pd.DataFrame(sample(), columns=list("abcde"))
    assert Moments(n=200, covariance=frame.cov(ddof=0)).names == tuple("abcde")
    assert Moments.from_data(sample(), names=list("vwxyz")).names == tuple("vwxyz")
    with pytest.raises(DataError, match="2 names for 5 columns"):
        Moments.from_data(sample(), names=["a", "b"])


@pytest.mark.parametrize(
    "laid",
    [
        lambda matrix: matrix.T,
        np.asfortranarray,
        lambda matrix: pd.DataFrame(matrix, list("abc"), list("abc")),
        lambda matrix: pd.DataFrame({name: matrix[i] for i, name in enumerate("abc")}),
        lambda matrix: np.repeat(np.repeat(matrix, 2, axis=0), 2, axis=1)[::2, ::2],
    ],
)
def test_a_covariance_may_lie_in_memory_in_any_order(laid: Any) -> None:
    rows = np.random.default_rng(0).normal(size=(200, 3)) @ np.array(
        [[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.5, 1.0]]
    )
    matrix = np.cov(rows.T, bias=True)
    found = learn(Moments(n=200, covariance=laid(matrix)))
    expected = learn(Moments(n=200, covariance=matrix))
    assert found.score == expected.score
    assert np.array_equal(found.cpdag.to_matrix(), expected.cpdag.to_matrix())


def test_what_cannot_be_merged_is_called_by_its_name() -> None:
    whole = np.column_stack([np.arange(9) % 2, np.arange(9.0) ** 2])
    for counted, what in (
        (lambda names: Moments.from_data(whole, names=names), "moments"),
        (lambda names: Levels.from_data(whole, names=names), "levels"),
        (lambda names: MixedTable.from_data(whole, names=names, kinds="continuous"), "rows"),
    ):
        with pytest.raises(DataError, match=f"^{what} of different columns cannot be merged"):
            counted(["a", "b"]) + counted(["a", "c"])


@pytest.mark.parametrize("kind", [Moments, Levels, MixedTable])
@pytest.mark.parametrize("again", [copy.deepcopy, lambda held: pickle.loads(pickle.dumps(held))])
def test_copies_and_unpickled_statistics_are_read_only(kind: Any, again: Any) -> None:
    table = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 3.0]])
    found = again(kind.from_data(table, weights=np.array([1.0, 2.0, 1.0, 1.0])))
    arrays = [getattr(found, name) for name in kind.__slots__]
    held = [array for array in arrays if isinstance(array, np.ndarray)]
    assert len(held) >= 2
    for array in held:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
