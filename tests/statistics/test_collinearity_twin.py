"""The check for collinear columns against a textbook twin, and what it costs."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from greedag import learn
from greedag.errors import CollinearError
from greedag.statistics import collinearity as module
from greedag.statistics.collinearity import check_collinear
from greedag.statistics.moments import Moments
from oracle.pivoted_cholesky import rank, residual_variances

LIMIT = 1e-12


def of_rank(n: int, d: int, independent: int, kept: float, seed: int) -> Moments:
    """Return moments of columns that depend on `independent` ones but for a part `kept`."""
    rng = np.random.default_rng(seed)
    data = rng.normal(size=(n, d))
    mixing = rng.normal(size=(independent, d - independent)) / np.sqrt(independent)
    data[:, independent:] *= np.sqrt(kept)
    data[:, independent:] += data[:, :independent] @ mixing
    return Moments.from_data(data[:, rng.permutation(d)] * 10.0 ** rng.integers(-3, 4, d))


def one_relation(n: int, d: int, size: int, kept: float, seed: int) -> Moments:
    """Return moments where one column depends on `size` others but for a part `kept`."""
    rng = np.random.default_rng(seed)
    data = rng.normal(size=(n, d))
    target, *others = rng.permutation(d)[: size + 1]
    data[:, target] *= np.sqrt(kept)
    data[:, target] += data[:, others] @ rng.choice([-1.0, 1.0], size) / np.sqrt(size)
    return Moments.from_data(data)


def verdict(moments: Moments) -> bool:
    try:
        check_collinear(moments)
    except CollinearError:
        return False
    return True


def check_against_twin(moments: Moments) -> None:
    correlation, most = moments.correlation, moments.n - 1
    left = np.array(residual_variances(correlation, most))
    assert not ((left > LIMIT / 3) & (left < 3 * LIMIT)).any(), "too near the limit to compare"
    expected = rank(correlation, LIMIT, most)
    assert len(module._independent_columns(correlation, most)) == expected
    assert verdict(moments) == (expected == min(moments.d, most))


@pytest.mark.parametrize("block", [1, 5, 256])
@pytest.mark.parametrize("independent", [1, 2, 9, 25, 39])
@pytest.mark.parametrize("kept", [0.0, 1e-4, 1.0])
@pytest.mark.parametrize("n", [12, 40, 41, 300])
def test_matrices_of_every_rank_are_judged_as_by_the_twin(
    n: int, kept: float, independent: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PIVOT_BLOCK", block)
    for seed in range(3):
        check_against_twin(of_rank(n, 40, independent, kept, seed))


@pytest.mark.parametrize("kept", [1e-15, 2e-14, 1e-11, 1e-10])
@pytest.mark.parametrize("size", [1, 2, 10])
@pytest.mark.parametrize("seed", range(5))
def test_columns_near_the_limit_are_judged_as_by_the_twin(
    size: int, kept: float, seed: int
) -> None:
    moments = one_relation(500, 30, size, kept, seed)
    check_against_twin(moments)
    assert verdict(moments) == (kept > LIMIT)


@pytest.mark.parametrize("n", [120, 700])
def test_several_blocks_of_pivots_are_judged_as_by_the_twin(n: int) -> None:
    check_against_twin(of_rank(n, 600, 300, 1e-3, seed=0))
    check_against_twin(of_rank(n, 600, 300, 0.0, seed=0))


@pytest.mark.parametrize("d", [2, 30, 300])
@pytest.mark.parametrize("kept", [0.0, 1e-14, 5e-13])
def test_the_shortcut_never_passes_dependent_columns(d: int, kept: float) -> None:
    for seed in range(5):
        assert not module._surely_independent(one_relation(300 + d, d, 1, kept, seed).correlation)


def test_the_shortcut_settles_ordinary_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_independent_columns", None)
    check_collinear(Moments.from_data(np.random.default_rng(0).normal(size=(900, 300))))


@pytest.mark.parametrize("n", [20, 300])
@pytest.mark.parametrize("kept", [1e-11, 1.0])
def test_the_correlations_are_returned_as_they_are(n: int, kept: float) -> None:
    moments = one_relation(n, 30, 2, kept, seed=0)
    assert np.array_equal(check_collinear(moments), moments.correlation)


def test_a_search_computes_the_correlations_once(monkeypatch: pytest.MonkeyPatch) -> None:
    data = np.random.default_rng(0).normal(size=(100, 4))
    getter, calls = Moments.correlation.fget, []  # type: ignore[attr-defined]

    def counted(moments: Moments) -> np.ndarray:
        calls.append(moments)
        return getter(moments)

    monkeypatch.setattr(Moments, "correlation", property(counted))
    learn(data)
    assert len(calls) == 1


@pytest.mark.parametrize("independent", [60, 99])
def test_few_rows_cost_no_copy_of_the_correlations(independent: int) -> None:
    moments = of_rank(100, 2000, independent, 0.0, seed=0)
    verdict(of_rank(10, 20, 5, 0.0, seed=0))
    tracemalloc.start()
    assert verdict(moments) == (independent == 99)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The correlations themselves, a factor of 100 rows, and its parts.
    assert peak < 1.5 * 8 * moments.d**2
