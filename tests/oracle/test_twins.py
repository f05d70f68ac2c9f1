"""The twins beside one another, so that a mismatch with the engine can be laid at its door."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from oracle import brute_force as bf
from oracle import naive_search
from oracle.datasets import Sample, from_rows
from oracle.exact import optimum

SEARCHES = ("xges0", "xges", "ges", "ges-r", "ops", "fges")
REACHED = {
    "insert": bf.reached_by_adding,
    "delete": bf.reached_by_removing,
    "reverse": bf.reached_by_turning,
}


def random_table(seed: int, d: int) -> Sample:
    rng = np.random.default_rng([seed, d])
    return from_rows("random", rng.normal(size=(300, d)) @ (np.eye(d) + rng.normal(size=(d, d))))


def class_scores(sample: Sample, space: bf.Atlas) -> list[float]:
    local = bf.local_scores(sample.covariance, sample.n, sample.alpha)
    return [bf.dag_score(sample.d, dags[0], local) for dags in space.members]


@pytest.mark.parametrize("kind", REACHED)
@pytest.mark.parametrize("d", [2, 3, 4])
def test_naive_operators_reach_exactly_the_classes_of_brute_force(d: int, kind: str) -> None:
    space = bf.atlas(d)
    number = {cpdag: place for place, cpdag in enumerate(space.cpdags)}
    for cpdag, expected in zip(space.cpdags, REACHED[kind](space), strict=True):
        matrix = bf.to_matrix(d, cpdag)
        found: dict[tuple[int, int], set[int]] = {}
        for _, x, y, T, *_ in naive_search.valid_operators(matrix, kind):
            outcome = bf.from_matrix(naive_search.apply(matrix, kind, x, y, T))
            found.setdefault((x, y), set()).add(number[outcome])
        assert found == expected


@pytest.mark.parametrize("seed", range(5))
def test_exact_optimum_is_the_best_of_all_dags(seed: int) -> None:
    sample = random_table(seed, 4)
    best = max(class_scores(sample, bf.atlas(4)))
    assert optimum(sample.covariance, sample.n, sample.alpha) == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_naive_trace_adds_up_to_the_score_of_its_class(seed: int) -> None:
    sample = random_table(seed, 4)
    space = bf.atlas(4)
    score = dict(zip(space.cpdags, class_scores(sample, space), strict=True))
    for name in SEARCHES:
        outcome = run(sample, name)
        expected = score[bf.from_matrix(outcome.adjacency)]
        assert outcome.score == pytest.approx(expected, rel=1e-12)
        assert score[0] + sum(entry[6] for entry in outcome.trace) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(10))
def test_naive_xges0_ends_where_no_neighbouring_class_scores_higher(seed: int) -> None:
    sample = random_table(seed, 4)
    space = bf.atlas(4)
    scores = class_scores(sample, space)
    place = space.cpdags.index(bf.from_matrix(run(sample, "xges0").adjacency))
    for reach in REACHED.values():
        for classes in reach(space)[place].values():
            assert all(scores[other] <= scores[place] + 1e-6 for other in classes)


@pytest.mark.parametrize("seed", range(10))
def test_naive_ges_follows_the_best_neighbouring_class_of_brute_force(seed: int) -> None:
    sample = random_table(seed, 4)
    space = bf.atlas(4)
    scores = class_scores(sample, space)
    place = space.cpdags.index(0)
    for reach in (bf.reached_by_adding(space), bf.reached_by_removing(space)):
        while True:
            nearby = set().union(*reach[place].values())
            best = max(nearby, key=scores.__getitem__, default=place)
            if scores[best] <= scores[place]:
                break
            place = best
    assert np.array_equal(run(sample, "ges").adjacency, matrix_of(space, place))


def run(sample: Sample, name: str) -> naive_search.Outcome:
    return naive_search.search(sample.correlation, sample.variances, sample.n, sample.alpha, name)


def matrix_of(space: bf.Atlas, place: int) -> NDArray[np.uint8]:
    return bf.to_matrix(space.d, space.cpdags[place])
