"""Tables with no more rows than columns: parent sets that would fit exactly are excluded."""

import itertools
from typing import Any

import numpy as np
import pytest

import greedag
from greedag.errors import CollinearError, DataError
from greedag.scores import DegenerateGaussian, ExtendedBIC, GaussianBIC
from greedag.statistics.mixed import MixedTable
from greedag.statistics.moments import Moments

SCORES = ["gaussian-bic", "extended-bic"]
# The order of rows moved the scores of these by 1e-6 to 2e-5 of themselves, where residuals at
# rounding counted.
TABLES = [(14, 24, 22), (16, 34, 45), (13, 38, 4), (12, 24, 3)]


def few_rows(n: int, d: int, seed: int) -> Any:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(n, d))
    weights = np.triu(random.normal(size=(d, d)) * (random.random((d, d)) < 2.0 / d), 1)
    for j in range(d):
        rows[:, j] += rows @ weights[:, j]
    return rows


def least_squares_score(rows: Any, dag: Any, *, alpha: float, extra: float) -> float:
    """The score of a DAG by an orthogonal decomposition of the rows, without any moments."""
    n, d = rows.shape
    centred = rows - rows.mean(axis=0)
    total = 0.0
    for y in range(d):
        parents = np.flatnonzero(dag[:, y])
        basis = np.linalg.qr(centred[:, parents] / centred[:, parents].std(axis=0))[0]
        left = centred[:, y]
        for _ in range(2):
            left = left - basis @ (basis.T @ left)
        total -= n / 2 * (1 + np.log(left @ left / n))
        total -= alpha / 2 * np.log(n) * (len(parents) + 1) + extra * len(parents)
    return total


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize(("n", "d", "seed"), TABLES)
def test_scores_can_be_recomputed_in_any_order_of_rows(
    score: str, n: int, d: int, seed: int
) -> None:
    rows = few_rows(n, d, seed)
    given = 2.0 if score == "gaussian-bic" else None
    result = greedag.learn(rows, score=score, alpha=given)
    assert result.cpdag.to_dag().sum(axis=0).max() + 1 <= n - 1  # the rank
    options = {"alpha": 2.0, "extra": 0.0}
    if score == "extended-bic":
        options = {"alpha": 1.0, "extra": np.log(d)}
    recomputed = least_squares_score(rows, result.cpdag.to_dag(), **options)
    assert result.score == pytest.approx(recomputed, rel=1e-6)
    empty = least_squares_score(rows, np.zeros((d, d)), **options)
    gains = sum(step.gain for step in result.trace)
    assert result.score - empty == pytest.approx(gains, rel=1e-6)
    again = np.random.default_rng(seed).permutation(rows)
    shuffled = greedag.learn(again, score=score, alpha=given)
    assert shuffled.cpdag == result.cpdag
    assert shuffled.score == pytest.approx(result.score, rel=1e-6)


def is_singular(correlation: Any, rank: int, columns: tuple[int, ...]) -> bool:
    """The rule, by the definition of the inverse."""
    if len(columns) > rank:
        return True
    return bool(np.linalg.inv(correlation[np.ix_(columns, columns)]).trace() > 1e8)


@pytest.mark.parametrize("seed", range(3))
def test_the_engine_refuses_the_sets_that_the_definition_refuses(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(6, 9))
    # Nearly collinear among themselves, far from the limit on either side.
    rows[:, 6] = rows[:, 0] + 1e-3 * rows[:, 6]
    rows[:, 7] = rows[:, 1] + 1e-5 * rows[:, 7]
    moments = Moments.from_data(rows)
    scores = [GaussianBIC().bind(moments), ExtendedBIC().bind(moments)]
    mixed = MixedTable(
        moments.names, ("continuous",) * 9, rows.T.copy(), np.empty((0, 6), np.int32), ()
    )
    scores.append(DegenerateGaussian().bind(mixed))
    refused = 0
    for size in range(1, 8):
        for columns in itertools.combinations(range(9), size):
            wanted = is_singular(moments.correlation, 5, columns)
            refused += wanted
            for score in scores:
                finite = np.isfinite(score.local_score(columns[-1], list(columns[:-1])))
                assert finite != wanted
    assert refused > 0


def test_exact_search_refuses_by_the_same_rule() -> None:
    for seed in range(8):
        rows = np.random.default_rng(seed).normal(size=(7, 9))
        best = greedag.exact(rows)
        found = greedag.learn(rows)
        assert best.score == pytest.approx(greedag.score_graph(rows, best), rel=1e-9)
        assert best.score >= found.score - 1e-6
        assert best.cpdag.to_dag().sum(axis=0).max() <= 5
        assert best.gap == found.gap == 0.0
        assert not any(note.code == "unequal-members" for note in found.notes)


@pytest.mark.parametrize("scale", [1e5, 1e6, 1e7])
def test_a_prior_that_is_next_to_nothing_does_not_make_sets_measurable(scale: float) -> None:
    # One factor, so that in spite of the units there are edges.
    random = np.random.default_rng(35)
    rows = scale * (random.normal(size=(7, 12)) + 20.0 * random.normal(size=(7, 1)))
    result = greedag.learn(rows, score="bge")
    assert result.trace
    gains = sum(step.gain for step in result.trace)
    empty = greedag.score_graph(rows, np.zeros((12, 12)), score="bge")
    assert result.score - empty == pytest.approx(gains, rel=1e-6)
    shuffled = greedag.learn(random.permutation(rows), score="bge")
    assert shuffled.score == pytest.approx(result.score, rel=1e-6)


def test_a_graph_with_too_many_parents_is_not_scored() -> None:
    rows = few_rows(6, 9, 0)
    dag = np.zeros((9, 9), dtype=np.uint8)
    dag[:5, 8] = 1
    with pytest.raises(DataError, match=r"5 parents of column 'x8'"):
        greedag.score_graph(rows, dag)
    dag[4, 8] = 0
    assert np.isfinite(greedag.score_graph(rows, dag))


@pytest.mark.parametrize("score", SCORES)
def test_weights_of_zero_and_one_are_the_rows_that_count(score: str) -> None:
    rows = few_rows(30, 12, 0)
    weights = np.zeros(30)
    weights[np.random.default_rng(0).permutation(30)[:9]] = 1.0
    weighted = greedag.learn(rows, score=score, sample_weight=weights)
    alone = greedag.learn(rows[weights > 0.0], score=score)
    assert weighted.cpdag == alone.cpdag
    assert weighted.score == pytest.approx(alone.score, rel=1e-6)
    assert weighted.notes == alone.notes


@pytest.mark.parametrize("score", [*SCORES, "degenerate-gaussian"])
def test_whole_weights_are_repeated_rows(score: str) -> None:
    rows = few_rows(30, 12, 1)
    weights = np.zeros(30)
    random = np.random.default_rng(1)
    weights[random.permutation(30)[:9]] = random.integers(1, 5, size=9)
    weighted = greedag.learn(rows, score=score, sample_weight=weights)
    repeated = greedag.learn(np.repeat(rows, weights.astype(int), axis=0), score=score)
    assert weighted.n == repeated.n > 12
    assert weighted.cpdag == repeated.cpdag
    assert weighted.score == pytest.approx(repeated.score, rel=1e-6)
    if score in SCORES:
        texts = " ".join(str(note) for note in weighted.notes)
        assert "9 distinct rows for 12 columns" in texts


def test_weights_of_few_rows_do_not_hide_collinear_columns() -> None:
    rows = few_rows(9, 12, 2)
    rows[:, 3] = rows[:, 1] - 2.0 * rows[:, 2]
    rows[:, 4:] = rows[:, :1] @ np.ones((1, 8)) + rows[:, 1:3] @ np.ones((2, 8))
    with pytest.raises(CollinearError):
        greedag.learn(rows, sample_weight=np.full(9, 5.0))


def test_fractions_of_many_rows_are_many_rows() -> None:
    rows = few_rows(60, 12, 3)
    moments = Moments.from_data(rows, weights=np.full(60, 0.1))
    assert moments.n == pytest.approx(6.0)
    assert not moments.rank_limited


def test_stored_and_merged_moments_know_how_many_rows_differ(tmp_path: Any) -> None:
    rows = few_rows(9, 12, 4)
    moments = Moments.from_data(rows, weights=np.full(9, 3.0))
    assert (moments.rank, moments.rank_limited) == (8, True)
    moments.save(tmp_path / "moments.npz")
    assert Moments.load(tmp_path / "moments.npz").rank == 8
    parts = [Moments.from_data(part) for part in (rows[:4], rows[4:])]
    assert (parts[0] + parts[1]).rank == 8
