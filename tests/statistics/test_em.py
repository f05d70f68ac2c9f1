"""EM moments: exact on complete data, a slow twin's on others, better than dropping rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from greedag import Moments
from greedag._options import DataOptions
from greedag.data.missing import Mask
from greedag.data.table import Floats
from greedag.errors import DataError, GreedagWarning
from greedag.scores import GaussianBIC
from greedag.scores.select import prepare
from greedag.statistics.em import (
    MOST_ITERATIONS,
    _distinct_rows,
    effective_rows,
    estimate,
    together,
)
from oracle.em import em_moments


def drawn(n: int, d: int, share: float, seed: int) -> tuple[Floats, Mask]:
    """Return a correlated normal table, and which of its values are missing at random."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
    missing = rng.random((n, d)) < share
    missing[missing.all(axis=1), 0] = False
    return table, missing


def with_holes(table: Floats, missing: Mask) -> Floats:
    return np.where(missing, np.nan, table)


def test_complete_data_give_their_own_moments() -> None:
    table, _ = drawn(500, 4, 0.0, 0)
    found = estimate(table, np.zeros(table.shape, dtype=bool))
    whole = Moments.from_data(table)
    np.testing.assert_allclose(found.covariance, whole.covariance, rtol=1e-12)
    np.testing.assert_allclose(found.mean, whole.mean, rtol=1e-12)
    assert (found.n, found.iterations) == (500, 2)
    assert Moments.from_data(table, missing="em") == whole


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighted", [False, True])
def test_em_ends_where_the_twin_ends(seed: int, weighted: bool) -> None:
    table, missing = drawn(60, 4, 0.25, seed)
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.2, 3.0, 60) if weighted else None
    found = estimate(table, missing, weights)
    mean, covariance = em_moments(with_holes(table, missing), weights)
    assert found.has_converged
    np.testing.assert_allclose(found.mean, mean, atol=1e-7)
    np.testing.assert_allclose(found.covariance, covariance, atol=1e-6)


def test_rows_of_one_pattern_count_as_they_would_apart() -> None:
    table, missing = drawn(400, 3, 0.0, 5)
    missing[:300, 1] = True
    mean, covariance = em_moments(with_holes(table, missing))
    found = estimate(table, missing)
    np.testing.assert_allclose(found.covariance, covariance, atol=1e-6)
    np.testing.assert_allclose(found.mean, mean, atol=1e-7)


def test_with_values_missing_by_chance_em_is_nearer_to_the_truth_than_dropping() -> None:
    errors: dict[str, list[float]] = {"em": [], "drop": []}
    for seed in range(10):
        table, missing = drawn(1000, 6, 0.2, seed)
        truth = Moments.from_data(table).correlation
        for way, found in errors.items():
            moments = Moments.from_data(with_holes(table, missing), missing=way)
            found.append(float(np.abs(moments.correlation - truth).mean()))
    assert all(em < drop for em, drop in zip(errors["em"], errors["drop"], strict=True))
    assert np.mean(errors["em"]) < 0.5 * np.mean(errors["drop"])


def test_values_missing_by_what_is_seen_bias_dropping_but_not_em() -> None:
    rng = np.random.default_rng(1)
    a = rng.normal(size=20_000)
    b = a + rng.normal(size=20_000)
    holes = np.column_stack([a, np.where(a > 0.5, np.nan, b)])
    em = Moments.from_data(holes, missing="em")
    dropped = Moments.from_data(holes, missing="drop")
    assert em.mean is not None and dropped.mean is not None
    assert abs(em.mean[1]) < 0.05 < 0.3 < abs(dropped.mean[1])
    assert abs(em.variances[1] - 2.0) < 0.1 < 0.3 < abs(dropped.variances[1] - 2.0)


def test_scale_shift_and_order_do_not_matter() -> None:
    table, missing = drawn(300, 4, 0.2, 2)
    plain = Moments.from_data(with_holes(table, missing), missing="em")
    moved = with_holes(table * [1e150, 1.0, 1e-150, 1.0] + [0.0, 1e6, 0.0, 0.0], missing)
    far = Moments.from_data(moved, missing="em")
    np.testing.assert_allclose(far.correlation, plain.correlation, atol=1e-8)
    assert far.n == plain.n
    turned = Moments.from_data(moved[::-1, ::-1], missing="em")
    np.testing.assert_allclose(turned.correlation[::-1, ::-1], far.correlation, atol=1e-8)


def test_the_effective_number_of_rows_is_the_mean_over_pairs() -> None:
    present = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=bool)
    counts = together(present, None)
    np.testing.assert_array_equal(counts, [[3, 2, 1], [2, 2, 1], [1, 1, 1]])
    assert effective_rows(counts) == (2 + 1 + 1) / 3
    weighted = together(present, np.array([1.0, 0.5, 2.0, 4.0]))
    assert weighted[0, 1] == 1.5


@pytest.mark.parametrize("container", [pd.DataFrame, np.ma.masked_invalid, np.asarray])
def test_holes_are_known_in_every_container(container: Any) -> None:
    table, missing = drawn(200, 3, 0.2, 3)
    holes = with_holes(table, missing)
    _, counted = prepare(container(holes), GaussianBIC(), None, DataOptions(missing="em"))
    plain = Moments.from_data(holes, missing="em", names=counted.statistics.names)
    assert counted.statistics == plain
    assert f"{missing.sum()} of 600 values" in counted.notes[0]
    assert "by EM in" in counted.notes[0]


def test_integers_with_holes_are_read() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 100, (100, 2))
    frame = pd.DataFrame(values, columns=["a", "b"]).astype("Int64")
    frame.loc[3, "a"] = pd.NA
    holes = values.astype(float)
    holes[3, 0] = np.nan
    assert Moments.from_data(frame, missing="em") == Moments.from_data(
        holes, missing="em", names=["a", "b"]
    )


# ---- what cannot be estimated


def test_columns_without_any_value_are_named() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "gone": [np.nan] * 3, "b": [1.0, np.nan, 0.0]})
    for way in ("em", "drop"):
        with pytest.raises(DataError, match="no value in any of 3 rows of column 'gone'"):
            Moments.from_data(frame, missing=way)


def test_columns_never_seen_together_are_named() -> None:
    table, missing = drawn(50, 3, 0.0, 0)
    missing[:25, 0] = missing[25:, 2] = True
    with pytest.raises(DataError, match="'x0' and 'x2' have no row with both values"):
        Moments.from_data(with_holes(table, missing), missing="em")


def test_constant_and_dependent_columns_are_named() -> None:
    table, missing = drawn(200, 4, 0.2, 0)
    table[:, 1] = 7.0
    with pytest.raises(DataError, match="constant column 'x1'"):
        Moments.from_data(with_holes(table, missing), missing="em")
    table[:, 1] = 2.0 * table[:, 0] - table[:, 3]
    missing[:100] = False
    with pytest.raises(DataError, match="columns 'x0', 'x1' and 'x3' determine each other"):
        Moments.from_data(with_holes(table, missing), missing="em")


def test_infinite_values_are_no_missing_ones() -> None:
    table, _ = drawn(50, 2, 0.0, 0)
    table[3, 0], table[7, 1] = np.nan, np.inf
    for way in ("em", "drop"):
        with pytest.raises(DataError, match=r"'x1' holds 1 value.*inf"):
            Moments.from_data(table, missing=way)


def test_a_limit_of_iterations_that_is_met_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_ITERATIONS == 1000
    monkeypatch.setattr("greedag.statistics.em.MOST_ITERATIONS", 3)
    table, missing = drawn(100, 4, 0.3, 0)
    with pytest.warns(GreedagWarning, match="EM did not converge in 3 iterations") as told:
        _, counted = prepare(
            with_holes(table, missing), GaussianBIC(), None, DataOptions(missing="em")
        )
    assert told[0].filename == __file__
    assert "did not converge" in counted.notes[1]


@pytest.mark.parametrize("d", [1, 8, 63, 64, 65, 130])
def test_distinct_patterns_are_those_of_numpy(d: int) -> None:
    present = np.random.default_rng(d).random((300, d)) < (0.5 if d < 10 else 0.98)
    packed = np.packbits(present, axis=1)
    _, first, member = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    found_first, found_member = _distinct_rows(present)
    np.testing.assert_array_equal(found_first, first)
    np.testing.assert_array_equal(found_member, member.ravel())
