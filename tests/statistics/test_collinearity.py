"""Columns that are exact combinations of others are found, and one minimal set of them is named."""

from __future__ import annotations

import numpy as np
import pytest

from greedag.errors import CollinearError
from greedag.statistics import collinearity as module
from greedag.statistics.collinearity import check_collinear
from greedag.statistics.moments import Moments


def independent(n: int, d: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, d)) * 10.0 ** np.arange(d).clip(max=8)


def found_set(data: np.ndarray) -> tuple[str, ...]:
    with pytest.raises(CollinearError) as caught:
        check_collinear(Moments.from_data(data))
    assert all(name in str(caught.value) for name in caught.value.columns[:6])
    assert "drop one of these" in str(caught.value)
    return caught.value.columns


@pytest.mark.parametrize(
    "copied",
    [lambda a: a, lambda a: -a, lambda a: 3 * a + 1, lambda a: 1e-200 * a, lambda a: a / 3 - 1e6],
    ids=["copy", "negated", "3a+1", "tiny copy", "shifted"],
)
@pytest.mark.parametrize("n", [10, 1000])
def test_a_copied_column_is_named_with_its_original(copied, n: int) -> None:  # type: ignore[no-untyped-def]
    data = independent(n, 12)
    data[:, 4] = copied(data[:, 9])
    assert found_set(data) == ("x4", "x9")


@pytest.mark.parametrize("size", [2, 3, 5, 19])
@pytest.mark.parametrize("seed", range(5))
def test_a_combination_of_columns_is_named_whole_and_minimal(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = independent(300, 20, seed) + 1e3 * rng.normal(size=20)
    target, *others = rng.permutation(20)[: size + 1]
    scales = data.std(axis=0)
    weights = rng.uniform(0.5, 2, size) * rng.choice([-1, 1], size)
    data[:, target] = (data[:, others] / scales[others]) @ weights + 5.0
    assert found_set(data) == tuple(f"x{j}" for j in sorted([target, *others]))


def test_the_relation_is_written_in_the_units_of_the_columns() -> None:
    data = independent(100, 5)
    data[:, 4] = 3 * data[:, 0] - 0.25 * data[:, 2] + 7
    with pytest.raises(CollinearError, match=r"'x4' = 3 \* 'x0' - 0.25 \* 'x2' \+ constant"):
        check_collinear(Moments.from_data(data))


def test_the_shortest_of_several_relations_is_named() -> None:
    data = independent(300, 20)
    data[:, 3] = data[:, 5:12].sum(axis=1)
    data[:, 17] = data[:, 1] - data[:, 2]
    assert found_set(data) == ("x1", "x2", "x17")


def test_every_smaller_part_of_the_named_set_is_independent() -> None:
    data = independent(300, 8)
    data[:, 6] = data[:, 0] + data[:, 1]
    data[:, 7] = data[:, 1] + data[:, 2] + 1e-3 * data[:, 3]
    columns = [int(name[1:]) for name in found_set(data)]
    for left_out in columns:
        kept = [j for j in columns if j != left_out]
        assert np.linalg.matrix_rank(np.corrcoef(data[:, kept], rowvar=False)) == len(kept)


def test_nearly_collinear_columns_are_not_an_error() -> None:
    data = independent(300, 6)
    data[:, 5] = data[:, 0] + data[:, 1] / 10 + 1e-4 * np.random.default_rng(1).normal(size=300)
    check_collinear(Moments.from_data(data))


def test_collinear_columns_far_from_zero_are_found() -> None:
    data = np.random.default_rng(0).normal(size=(500, 4)) + 1e8
    data[:, 3] = data[:, 0] - data[:, 1] + data[:, 2]
    assert found_set(data) == ("x0", "x1", "x2", "x3")


@pytest.mark.parametrize(
    "order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
)
def test_the_verdict_does_not_depend_on_the_order_of_columns(order: tuple[int, ...]) -> None:
    first, small, smaller = np.random.default_rng(0).normal(size=(3, 2_000))
    columns = [first, first + 1e-3 * small, small + 5e-4 * smaller]
    found = found_set(np.column_stack([columns[j] for j in order]))
    assert found == ("x0", "x1", "x2")


def test_a_given_covariance_is_checked_too() -> None:
    singular = [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0]]
    with pytest.raises(CollinearError) as caught:
        check_collinear(Moments(n=100, covariance=singular, names=["a", "b", "c"]))
    assert caught.value.columns == ("a", "b", "c")


@pytest.mark.parametrize("n", [3, 4, 10, 19, 20, 21, 22])
def test_fewer_rows_than_columns_are_not_an_error(n: int) -> None:
    found = Moments.from_data(independent(n, 20))
    check_collinear(found)
    assert found.rank_limited == (n <= 20)


def test_few_rows_of_lower_rank_still_are_an_error() -> None:
    data = independent(15, 20)
    data[:, 5:] = data[:, :5] @ np.random.default_rng(1).normal(size=(5, 15))
    assert len(found_set(data)) == 6


@pytest.mark.parametrize("blocked", [1, 2, 7])
def test_pivots_do_not_depend_on_the_size_of_their_blocks(
    blocked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PIVOT_BLOCK", blocked)
    data = independent(300, 20)
    data[:, 17] = data[:, 1] / 10 - data[:, 2]
    assert found_set(data) == ("x1", "x2", "x17")


def test_hundreds_of_columns_are_checked() -> None:
    data = np.random.default_rng(0).normal(size=(1000, 600))
    check_collinear(Moments.from_data(data))
    data[:, 500] = data[:, :40].sum(axis=1)
    assert found_set(data) == tuple(f"x{j}" for j in [*range(40), 500])


def test_strongly_correlated_columns_of_full_rank_pass() -> None:
    rng = np.random.default_rng(0)
    factor = rng.normal(size=(2000, 1))
    check_collinear(Moments.from_data(factor + 1e-3 * rng.normal(size=(2000, 300))))


def test_runs_of_columns_are_factored_as_the_whole_matrix_is() -> None:
    rng = np.random.default_rng(0)
    loadings = rng.normal(size=(1300, 1320))
    matrix = loadings @ loadings.T
    module._factor(matrix)
    matrix[-1] = matrix[0]
    matrix[:, -1] = matrix[:, 0]
    matrix[-1, -1] *= 1.0 - 1e-9
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.cholesky(matrix)
    with pytest.raises(np.linalg.LinAlgError):
        module._factor(matrix)
