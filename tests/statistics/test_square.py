"""Large matrices part by part: the parts cover each entry once, and no second matrix is made."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from greedag.statistics import scatter as module
from greedag.statistics.moments import Moments
from greedag.statistics.scatter import mirror, strips, upper_tiles

SIZES = [1, 2, 511, 512, 513, 1100]


@pytest.mark.parametrize("d", SIZES)
def test_strips_cover_every_row_once(d: int) -> None:
    assert [row for rows in strips(d) for row in range(rows.start, rows.stop)] == list(range(d))


@pytest.mark.parametrize("d", SIZES)
def test_tiles_and_their_mirror_images_cover_every_entry_once(d: int) -> None:
    count = np.zeros((d, d), dtype=int)
    for rows, columns in upper_tiles(d):
        count[rows, columns] += 1
        if rows != columns:
            count[columns, rows] += 1
    assert (count == 1).all()


@pytest.mark.parametrize("d", SIZES)
def test_mirrored_tiles_repeat_the_upper_triangle_below(d: int) -> None:
    matrix = np.random.default_rng(0).normal(size=(d, d))
    expected = np.triu(matrix) + np.triu(matrix, 1).T
    for tile in upper_tiles(d):
        mirror(matrix, tile)
    assert np.array_equal(matrix, expected)


@pytest.mark.parametrize("n", [30, 700])
@pytest.mark.parametrize("order", ["C", "F"])
def test_tiles_do_not_change_the_moments(
    order: str, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = np.random.default_rng(0).normal(size=(n, 50)) + np.arange(50.0)
    data = np.array(data, order=order)  # type: ignore[call-overload]
    monkeypatch.setattr(module, "_TILE", 7)
    monkeypatch.setattr(module, "_STRIP_VALUES", 120)
    found = Moments.from_data(data)
    assert np.allclose(found.covariance, np.cov(data, rowvar=False, bias=True), atol=1e-14)
    assert np.array_equal(found.covariance, found.covariance.T)
    assert np.allclose(found.correlation, np.corrcoef(data, rowvar=False), atol=1e-14)
    assert np.array_equal(found.correlation, found.correlation.T)
    parts = Moments.from_data(data[:11]) + Moments.from_data(data[11:])
    assert np.allclose(parts.correlation, found.correlation, atol=1e-14)
    assert np.array_equal(parts.covariance, parts.covariance.T)


def test_tiles_do_not_change_how_a_given_covariance_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = np.cov(np.random.default_rng(0).normal(size=(90, 20)), rowvar=False)
    given += 1e-12 * np.random.default_rng(1).normal(size=given.shape)
    monkeypatch.setattr(module, "_TILE", 7)
    found = Moments(n=90, covariance=given).covariance
    assert np.array_equal(found, found.T)
    assert np.allclose(found, (given + given.T) / 2, rtol=1e-15, atol=1e-16)
    given[3, 17] += 1e-3
    with pytest.raises(ValueError, match="not symmetric: for columns 'x3' and 'x17'"):
        Moments(n=90, covariance=given)


WIDE = np.random.default_rng(0).normal(size=(40, 2000))
COUNTED = Moments.from_data(WIDE)
WORK: dict[str, Callable[[], object]] = {
    "counting": lambda: Moments.from_data(WIDE),
    "correlation": lambda: COUNTED.correlation,
    "merging": lambda: COUNTED + COUNTED,
}


@pytest.mark.parametrize("work", WORK)
def test_wide_tables_need_no_second_matrix(work: str) -> None:
    WORK[work]()
    tracemalloc.start()
    WORK[work]()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.3 * 8 * COUNTED.d**2
