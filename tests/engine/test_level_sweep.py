"""Inserts of discrete columns scored together: the same gains as one by one, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from greedag import Levels, _core
from greedag.scores import BDeu, DiscreteBIC
from oracle import discrete

SCORES = [BDeu(), BDeu(equivalent_sample_size=30), DiscreteBIC()]
LEAST = 1e-7
"""Gains up to this are rounding."""


def check_sweeps(engine: _core.Score, seed: int, sets: int) -> None:
    """Compare what a sweep keeps of the inserts with all gains, for some random sets."""
    rng = np.random.default_rng(seed)
    for _ in range(sets):
        y, *parents = rng.permutation(engine.size)[: rng.integers(1, 5)].tolist()
        kept = engine.insert_gains(y, parents, with_losses=False)
        one_by_one = engine.insert_gains(y, parents, with_losses=True)
        assert kept == [(x, gain) for x, gain in one_by_one if gain > LEAST]


@pytest.mark.parametrize("score", SCORES, ids=repr)
@pytest.mark.parametrize("seed", range(6))
def test_a_sweep_keeps_all_inserts_that_gain(score: BDeu | DiscreteBIC, seed: int) -> None:
    rows = discrete.random_rows(seed, 14, 60 * 3**seed, most_levels=2 + 2 * seed)
    check_sweeps(score.bind(Levels.from_data(np.array(rows)), check=False), seed, 40)


def random_walk(rng: np.random.Generator, nodes: int, steps: int) -> list[tuple[int, list[int]]]:
    """Return nodes with their parents, each a change of the one before, as in a search."""
    y, parents = 0, set[int]()
    walk = []
    for _ in range(steps):
        x = int(rng.integers(nodes))
        if x == y and parents:  # another member of the same set
            y = sorted(parents)[0]
            parents = parents - {y} | {x}
        elif x != y and len(parents) < 5:
            parents = parents ^ {x}
        else:
            y, parents = x, set()
        walk.append((y, sorted(parents)))
    return walk


@pytest.mark.parametrize("score", SCORES, ids=repr)
@pytest.mark.parametrize("seed", range(4))
def test_gains_do_not_depend_on_what_was_asked_for_before(
    score: BDeu | DiscreteBIC, seed: int
) -> None:
    rows = discrete.random_rows(seed, 9, 90 * 4**seed, most_levels=3 + seed)
    engine = score.bind(Levels.from_data(np.array(rows)), check=False)
    walk = random_walk(np.random.default_rng(seed), 9, 120)
    expected = [
        [(x, gain) for x, gain in engine.insert_gains(y, E, with_losses=True) if gain > LEAST]
        for y, E in walk
    ]
    assert engine.insert_gains_in_turn(walk) == expected


def test_which_inserts_are_left_does_not_depend_on_what_was_asked_for_before() -> None:
    rows = np.random.default_rng(6).integers(0, 40, (300, 10))
    rows[:, 0] = np.arange(300) % 70
    engine = BDeu().bind(Levels.from_data(rows), check=False)
    walk = random_walk(np.random.default_rng(7), 10, 150)
    alone = [engine.insert_gains(y, E, with_losses=False) for y, E in walk]
    assert engine.insert_gains_in_turn(walk) == alone
    assert engine.insert_gains_in_turn(walk[::-1]) == alone[::-1]


@pytest.mark.parametrize("score", SCORES, ids=repr)
@pytest.mark.parametrize("most", [1, 3, 100_000])
def test_rows_that_occur_often_are_counted_digit_by_digit(
    score: BDeu | DiscreteBIC, most: int
) -> None:
    rows = np.array(discrete.random_rows(3, 12, 900))
    weights = np.random.default_rng(most).integers(1, most + 1, len(rows))
    check_sweeps(score.bind(Levels.from_data(rows, weights=weights), check=False), most, 40)


def test_the_gains_are_those_of_the_formulas() -> None:
    rows = discrete.random_rows(8, 9, 700, most_levels=5)
    for score, local in ((BDeu(), discrete.bdeu), (DiscreteBIC(), discrete.bic)):
        engine = score.bind(Levels.from_data(np.array(rows)), check=False)
        for y, parents in ((0, []), (3, [1]), (5, [0, 7]), (8, [1, 2, 3])):
            expected = discrete.insert_gains(rows, y, parents, local)
            kept = dict(engine.insert_gains(y, parents, with_losses=False))
            assert kept == pytest.approx({x: g for x, g in expected.items() if g > LEAST})
            assert len(kept) < len(expected)


def with_a_column_of(levels: int) -> NDArray[np.int64]:
    rows = np.array(discrete.random_rows(1, 6, 4 * levels))
    copied = np.arange(len(rows)) % levels
    return np.column_stack([rows, copied, copied % 5, copied % 3])


@pytest.mark.parametrize("levels", [63, 64, 65, 300])
def test_columns_with_many_levels_are_left_to_be_scored_one_by_one(levels: int) -> None:
    engine = BDeu().bind(Levels.from_data(with_a_column_of(levels)), check=False)
    for y in range(engine.size):
        kept = engine.insert_gains(y, [], with_losses=False)
        gains = engine.insert_gains(y, [], with_losses=True)
        assert [(x, gain) for x, gain in kept if gain > LEAST] == [
            (x, gain) for x, gain in gains if gain > LEAST
        ]
        assert {x for x, gain in kept if gain <= LEAST} <= ({6} if levels > 64 else set())


def test_fractions_of_rows_are_left_to_be_scored_one_by_one() -> None:
    rows = np.array(discrete.random_rows(2, 8, 300))
    weights = np.random.default_rng(0).uniform(0.1, 4.0, len(rows))
    engine = BDeu().bind(Levels.from_data(rows, weights=weights), check=False)
    for y in range(8):
        assert engine.insert_gains(y, [], with_losses=False) == engine.insert_gains(
            y, [], with_losses=True
        )


def test_sets_with_too_many_cells_for_a_table_are_scored_one_by_one() -> None:
    rows = np.random.default_rng(4).integers(0, 40, (200, 20))
    engine = BDeu().bind(Levels.from_data(rows), check=False)
    for size in (2, 3, 6, 12, 15):
        kept = engine.insert_gains(0, list(range(1, size)), with_losses=False)
        gains = engine.insert_gains(0, list(range(1, size)), with_losses=True)
        assert {x: gain for x, gain in kept if gain > LEAST} == {
            x: gain for x, gain in gains if gain > LEAST
        }
