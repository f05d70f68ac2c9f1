"""The test of score equivalence, on scores of which it is known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from greedag import check_score, scores
from greedag.errors import OptionError, ScoreError
from oracle.datasets import Sample, equal_variance, random_dag
from oracle.local_scores import K2, GaussianBicTwin


def sample() -> Sample:
    return equal_variance(np.random.default_rng(0))


def k2(d: int = 6) -> K2:
    rng = np.random.default_rng(1)
    dag, rows = random_dag(rng, d, 1.0), rng.integers(0, 3, (500, d))
    for x, y in np.argwhere(dag):
        rows[:, y] = np.where(rng.random(500) < 0.5, rows[:, x], rows[:, y])
    return K2(rows)


def score_of(score: Any, edges: tuple[tuple[int, int], ...]) -> float:
    """Score the nodes that have parents in some direction of the edges."""
    nodes = {node for edge in edges for node in edge}
    return sum(
        score.local_score(y, tuple(sorted(x for x, child in edges if child == y))) for y in nodes
    )


def test_the_gaussian_bic_passes() -> None:
    twin = GaussianBicTwin(sample())
    report = check_score(twin, d=sample().d)
    assert report.ok and report.tries == 200
    assert 0.0 <= report.worst < 1e-6
    assert str(report).startswith("score equivalent on 200 covered reversals")


@pytest.mark.parametrize("seed", range(5))
def test_k2_is_found_out_by_a_pair_of_one_class_that_scores_unequally(seed: int) -> None:
    score = k2()
    report = check_score(score, d=6, seed=seed)
    assert not report.ok
    turned = set(report.dag) ^ set(report.turned)
    (x, y), (y2, x2) = turned
    assert (x, y) == (x2, y2)
    assert report.scores[0] != report.scores[1]
    assert score_of(score, report.dag) - score_of(score, report.turned) == pytest.approx(
        report.scores[0] - report.scores[1]
    )
    assert abs(report.scores[0] - report.scores[1]) == report.worst
    assert "not score equivalent" in str(report)


def test_one_odd_set_of_parents_among_few_columns_is_found() -> None:
    class AlmostEquivalent:
        def local_score(self, y: int, parents: tuple[int, ...]) -> float:
            return -len(parents) + 1e-3 * ((y, parents) == (0, (1, 2)))

    report = check_score(AlmostEquivalent(), d=3)
    assert not report.ok
    assert report.worst == pytest.approx(1e-3)


def test_a_set_that_only_one_direction_refuses_differs_without_bound() -> None:
    class OneWay:
        def local_score(self, y: int, parents: tuple[int, ...]) -> float:
            return -math.inf if y == 0 and parents else 0.0

    report = check_score(OneWay(), d=3)
    assert not report.ok and report.worst == math.inf


def test_the_same_seed_gives_the_same_report() -> None:
    assert check_score(k2(), d=6, seed=3) == check_score(k2(), d=6, seed=3)


def test_names_tell_the_number_of_columns() -> None:
    score: Any = GaussianBicTwin(sample())
    with pytest.raises(OptionError, match="pass the number of columns as d="):
        check_score(score)
    score.names = [f"x{j}" for j in range(sample().d)]
    assert check_score(score, tries=5).tries == 5
    with pytest.raises(OptionError, match="d is 3"):
        check_score(score, d=3)


@pytest.mark.parametrize(
    "options", [{"d": 1}, {"d": "4"}, {"d": 4, "tries": 0}, {"d": 4, "seed": -1}]
)
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        check_score(k2(), **options)


def test_what_is_no_score_is_refused() -> None:
    with pytest.raises(OptionError, match="have a method local_score"):
        check_score(object(), d=3)  # type: ignore[arg-type]
    with pytest.raises(ScoreError, match="is 'nan'"):

        class Broken:
            def local_score(self, y: int, parents: tuple[int, ...]) -> float:
                return math.nan

        check_score(Broken(), d=3)


@pytest.mark.parametrize(
    "score", ["gaussian-bic", "extended-bic", "bge", scores.GaussianBIC(alpha=1.0), "auto"]
)
def test_scores_of_continuous_columns_pass_on_data(score: Any) -> None:
    rows = np.random.default_rng(0).normal(size=(200, 5)) @ np.triu(np.ones((5, 5)))
    assert check_score(score, rows).ok


@pytest.mark.parametrize("score", ["bdeu", "discrete-bic"])
def test_scores_of_discrete_columns_pass_on_data(score: str) -> None:
    assert check_score(score, k2()._rows).ok


@pytest.mark.parametrize("score", ["degenerate-gaussian", "conditional-gaussian", "auto"])
def test_scores_of_mixed_columns_pass_on_data(score: str) -> None:
    rows = k2()._rows
    frame = pd.DataFrame({f"c{j}": rows[:, j] for j in range(6)}).astype("category")
    noise = np.random.default_rng(0).normal(size=(2, len(rows)))
    assert check_score(score, frame.assign(u=rows[:, 0] + noise[0], v=noise[1])).ok


def test_a_score_of_the_users_own_may_come_with_its_data() -> None:
    assert not check_score(k2(), k2()._rows).ok
    with pytest.raises(OptionError, match="d must be left out"):
        check_score(k2(), k2()._rows, d=6)
    with pytest.raises(OptionError, match="without data"):
        check_score("bdeu")
