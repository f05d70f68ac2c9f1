"""Statistics that are put together from blocks of rows are those of the rows themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from greedag import simulate
from greedag._options import DataOptions, LearnOptions
from greedag.errors import DataError
from greedag.scores.blocks import MOST_BLOCKS, blocks_of
from greedag.statistics.block_sums import dealt_out
from greedag.statistics.moments import Moments
from greedag.uncertainty.draws import draws_of, prepared_for_draws

SEED = 3


def prepared(data: Any, score: Any = "auto", **options: Any) -> Any:
    return prepared_for_draws(data, LearnOptions(score=score, table=DataOptions(**options)))


def table(n: int = 1000, d: int = 5) -> Any:
    return simulate.linear_gaussian(d, 1.5, n, seed=SEED).data


def rows_of(n: int, counts: Any) -> Any:
    """Return the rows of blocks, by the dealing out itself."""
    places = dealt_out(n, len(counts), SEED)
    return np.concatenate([np.repeat(p, c) for p, c in zip(places, counts, strict=True)])


def random_counts(blocks: int, seed: int, most: int = 1) -> Any:
    return np.random.default_rng(seed).integers(0, most + 1, blocks)


@pytest.mark.parametrize("n", [3, 100, 256, 257, 1000, 5000])
def test_every_row_is_in_one_block_and_blocks_are_of_about_one_size(n: int) -> None:
    places = dealt_out(n, min(n, MOST_BLOCKS), SEED)
    assert sorted(np.concatenate(places).tolist()) == list(range(n))
    sizes = [len(part) for part in places]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("n", [50, 1000])
def test_moments_of_blocks_are_those_of_their_rows(n: int, most: int) -> None:
    data = table(n) * 1e3 + 1e6
    blocks = blocks_of(prepared(data)[1], SEED)
    counts = random_counts(blocks.groups[0], 1, most)
    found, true = blocks.statistics(counts), Moments.from_data(data[rows_of(n, counts)])
    assert found.n == true.n
    np.testing.assert_allclose(found.mean, true.mean, rtol=1e-13)
    np.testing.assert_allclose(found.covariance, true.covariance, rtol=1e-9, atol=1e-9)


def test_moments_of_weighted_blocks_are_those_of_their_rows() -> None:
    data, weights = table(), np.random.default_rng(0).uniform(0.1, 3.0, 1000)
    blocks = blocks_of(prepared(data, sample_weight=weights)[1], SEED)
    counts = random_counts(blocks.groups[0], 1)
    rows = rows_of(1000, counts)
    found, true = blocks.statistics(counts), Moments.from_data(data[rows], weights=weights[rows])
    assert found.n == pytest.approx(true.n, rel=1e-12)
    np.testing.assert_allclose(found.covariance, true.covariance, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("weight", [0.05, 20.0])
def test_there_are_as_many_blocks_as_rows_whatever_they_weigh(weight: float) -> None:
    _, rows = prepared(table(90), sample_weight=np.full(90, weight))
    assert blocks_of(rows, SEED).groups == (90,)


def test_columns_of_extreme_scales_keep_their_digits() -> None:
    data = table() * np.array([1e-300, 1e300, 1.0, 1e-5, 1e8])
    blocks = blocks_of(prepared(data)[1], SEED)
    counts = random_counts(blocks.groups[0], 1)
    found, true = blocks.statistics(counts), Moments.from_data(data[rows_of(1000, counts)])
    np.testing.assert_allclose(found.correlation, true.correlation, atol=1e-12)
    np.testing.assert_allclose(found.log_variances, true.log_variances, rtol=1e-12)


def test_blocks_of_all_kinds_of_tables_add_up_to_the_whole(tmp_path: Path) -> None:
    """A draw of every block once has the statistics of all rows."""
    numbers = table()
    frame = pd.DataFrame(numbers, columns=list("abcde"))
    mixed = frame.assign(b=np.where(frame.b > 0, "up", "down"))
    discrete = (frame > 0).astype("category")
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    curved = simulate.additive(4, 1.0, 300, seed=1, curve="tanh").data
    for data, score in (
        (path, "gaussian-bic"),
        (frame, "bge"),
        (mixed, "degenerate-gaussian"),
        (mixed, "conditional-gaussian"),
        (discrete, "bdeu"),
        (curved, "additive"),
        (mixed, "additive"),
    ):
        chosen, ready = prepared(data, score)
        blocks = blocks_of(ready, SEED)
        every = np.ones(sum(blocks.groups), dtype=np.intp)
        found, true = blocks.statistics(every), ready.statistics
        edge = np.zeros((len(true.names),) * 2, dtype=np.uint8)
        edge[0, 1] = edge[2, 1] = 1
        scores = [chosen.bind(each).of_dag(edge) for each in (found, true)]
        assert scores[0] == pytest.approx(scores[1], rel=1e-10), score


def test_missing_values_are_estimated_anew_for_each_draw() -> None:
    data = table()
    data[::7, 0] = np.nan
    blocks = blocks_of(prepared(data, missing="em")[1], SEED)
    counts = random_counts(blocks.groups[0], 1)
    true = Moments.from_data(data[np.sort(rows_of(1000, counts))], missing="em")
    np.testing.assert_allclose(blocks.statistics(counts).covariance, true.covariance, rtol=1e-9)


def test_environments_are_drawn_apart() -> None:
    frame = pd.DataFrame(table(), columns=list("abcde"))
    frame["target"] = np.where(np.arange(1000) < 400, "a", "")
    blocks = blocks_of(prepared(frame, interventions="target")[1], SEED)
    assert len(blocks.groups) == 2
    counts = np.concatenate([np.repeat(1, blocks.groups[0]), np.repeat(0, blocks.groups[1])])
    found = blocks.statistics(counts)
    assert len(found.targets) == 1
    assert found.n in (400, 600)
    draws = draws_of(prepared(frame, interventions="target")[1], "halves", 0)
    sizes = [each.n for each in draws.statistics(0).counted]
    # Of 256 blocks of one or two rows, half: ± 4 rows, of which 20 are five times as much.
    assert abs(min(sizes) - 200) <= 20
    assert abs(max(sizes) - 300) <= 20


def test_halves_of_a_pair_have_no_row_in_common_and_all_rows_together() -> None:
    draws = draws_of(prepared(table(999))[1], "halves", 5)
    for pair in range(4):
        one, other = draws.counts(2 * pair), draws.counts(2 * pair + 1)
        assert set((one + other).tolist()) == {1}
        assert abs(int(one.sum()) - int(other.sum())) <= 1


def test_draws_are_the_same_for_the_same_seed_only() -> None:
    ready = prepared(table())[1]
    for kind in ("halves", "bootstrap", "parametric"):
        first = draws_of(ready, kind, 1).statistics(4)
        assert first == draws_of(ready, kind, 1).statistics(4)
        assert first != draws_of(ready, kind, 2).statistics(4)


def test_parametric_draws_have_the_moments_they_are_drawn_from_on_average() -> None:
    ready = prepared(table(200, 3))[1]
    draws, whole = draws_of(ready, "parametric", 0), ready.statistics
    mean = sum(draws.statistics(draw).covariance for draw in range(2000)) / 2000
    deviation = whole.deviations[:, None] * whole.deviations
    # The error of a mean of 2,000 covariances of 200 rows is about 1/√(200 · 2,000) = 0.0016 sd.
    assert np.abs(mean / deviation - whole.correlation * 199 / 200).max() < 0.0016 * 6


def test_statistics_without_rows_cannot_be_drawn_from() -> None:
    with pytest.raises(DataError, match="no rows to draw from"):
        draws_of(prepared(Moments.from_data(table()))[1], "halves", 0)


def test_discrete_rows_with_fractional_weights_are_drawn_in_parts() -> None:
    data = np.array([["a", "x"], ["b", "y"], ["a", "y"], ["b", "x"]])
    ready = prepared(data, sample_weight=[2.5, 1.25, 3.0, 1.0])[1]
    blocks = blocks_of(ready, SEED)
    assert blocks.groups == (9,)
    assert blocks.statistics(np.ones(9, dtype=np.intp)) == ready.statistics
