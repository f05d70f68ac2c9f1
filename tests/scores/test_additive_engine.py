"""The engine's additive score against its definition, and against the scores that it extends."""

from __future__ import annotations

import math

import numpy as np
import pytest

from greedag import Moments, _core
from greedag.scores import DegenerateGaussian, GaussianBIC
from helpers.blocks import Blocks, bent_table, blocks_of, cut, mixed_blocks
from helpers.mixed_data import columns, mixed_table
from oracle.brute_force import all_dags, to_matrix


def assert_equals_its_twin(
    blocks: Blocks, *, sets: int, most: int, seed: int = 0
) -> tuple[int, int]:
    """Compare scores and columns on random parent sets; count raised parents, and steps."""
    rng = np.random.default_rng(seed)
    engine, twin = blocks.engine(), blocks.twin()
    raised = steps = 0
    for _ in range(sets):
        y, *others = (int(node) for node in rng.permutation(blocks.size))
        parents = others[: rng.integers(0, most + 1)]
        chosen = twin.chosen(y, parents)
        expected = twin.local_score(y, parents)
        assert engine.local_score(y, parents) == pytest.approx(expected, rel=1e-9)
        if chosen is None:
            assert engine.chosen(y, parents) == []
            continue
        assert engine.chosen(y, parents) == [sorted(chosen[x]) for x in parents]
        for x in parents:
            first_step = blocks.starts[x + 1] - blocks.starts[x] - blocks.steps[x]
            raised += len(chosen[x]) > 1
            steps += sum(column >= first_step for column in chosen[x])
    return raised, steps


def test_local_scores_and_columns_are_those_of_the_definition() -> None:
    raised = 0
    for seed in range(6):
        raised += assert_equals_its_twin(mixed_blocks(8, 300, seed=seed), sets=40, most=7)[0]
    assert raised > 200


def test_so_they_are_with_steps() -> None:
    steps = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        table = bent_table(6, 500, seed=seed)
        for y in range(1, 6):
            for x in rng.permutation(y)[:2]:
                table[:, y] += 2.0 * (np.digitize(table[:, x], rng.normal(size=2)) % 2)
        columns = [*table.T, cut(table[:, 5], 3)]
        blocks = blocks_of(columns, [False] * 6 + [True], curves=3, steps=9)
        steps += assert_equals_its_twin(blocks, sets=30, most=5)[1]
    assert steps > 60


def test_so_they_are_with_more_curves_than_one_raise_may_add() -> None:
    table = bent_table(5, 600, seed=4, density=0.8)
    wave = np.sin(5.0 * np.tanh(table[:, 0] / table[:, 0].std()) * 3.0)
    blocks = blocks_of([*table.T, wave], [False] * 6, curves=14, steps=6)
    [columns] = blocks.engine().chosen(5, [0])
    assert sum(column < 15 for column in columns) > 10
    assert_equals_its_twin(blocks, sets=40, most=5)


def test_so_they_are_with_blocks_of_different_lengths_and_an_own_penalty() -> None:
    table = bent_table(6, 500, seed=3)
    lengths, steps = [1, 2, 3, 4, 5, 6], [0, 0, 5, 1, 4, 2]
    whole = blocks_of(list(table.T), [False] * 6, curves=5, steps=5, alpha=0.5)
    kept = [11 * j + c for j in range(6) for c in (*range(lengths[j]), *range(6, 6 + steps[j]))]
    blocks = Blocks(
        np.ascontiguousarray(whole.gram[np.ix_(kept, kept)]),
        np.cumsum([0, *(a + b for a, b in zip(lengths, steps, strict=True))]).tolist(),
        steps,
        [1] * 6,
        whole.log_variances,
        whole.n,
        whole.alpha,
    )
    assert_equals_its_twin(blocks, sets=60, most=5)


def test_an_effect_that_jumps_has_steps_and_one_that_bends_has_none() -> None:
    rng = np.random.default_rng(15)
    x = rng.normal(size=2000)
    jumps, bends = np.sign(x) + (x > 1.0), np.tanh(x)
    for effect, has_steps in ((jumps, True), (bends, False)):
        y = effect + 0.5 * rng.normal(size=2000)
        blocks = blocks_of([x, y], [False, False], curves=10, steps=19)
        [columns] = blocks.engine().chosen(1, [0])
        assert (columns[-1] > 10) == has_steps
        if has_steps:
            assert len(columns) < 8  # curves would need all ten


@pytest.mark.parametrize("n", [9, 14, 25])
def test_few_rows_are_refused_as_defined(n: int) -> None:
    for seed in range(4):
        blocks = mixed_blocks(7, n, seed=seed, curves=3)
        assert_equals_its_twin(blocks, sets=30, most=6, seed=seed)


def test_a_copy_of_a_parent_is_refused_and_a_noisy_copy_is_not() -> None:
    rng = np.random.default_rng(5)
    table = bent_table(4, 400, seed=5, density=1.0)
    copy, noisy = 3.0 - table[:, 0], table[:, 0] + 1e-3 * rng.normal(size=400)
    blocks = blocks_of([*table.T, copy, noisy], [False] * 6, curves=4)
    engine = blocks.engine()
    assert engine.local_score(3, [0, 4]) == -math.inf
    assert engine.chosen(3, [0, 4]) == []
    assert engine.local_score(0, [4]) == -math.inf
    assert math.isfinite(engine.local_score(3, [0, 5]))
    assert 4 not in dict(engine.inserts(3, [0]))
    assert engine.inserts(3, [0, 4]) == []
    assert_equals_its_twin(blocks, sets=80, most=4)


def test_columns_that_share_their_curves_raise_what_is_left() -> None:
    table = bent_table(3, 400, seed=6)
    mirrored = np.abs(table[:, 0])  # its curves are nearly those of the column itself
    blocks = blocks_of([*table.T, mirrored, table[:, 0] ** 2], [False] * 5, curves=6)
    assert_equals_its_twin(blocks, sets=60, most=4)


def test_an_exact_curve_is_no_error() -> None:
    x = np.random.default_rng(7).normal(size=300)
    blocks = blocks_of([x, np.tanh(x / x.std()) ** 2], [False, False], curves=4)
    score = blocks.engine().local_score(1, [0])
    assert math.isfinite(score)
    assert score == pytest.approx(blocks.twin().local_score(1, [0]), rel=1e-9)


def test_gains_are_differences_of_local_scores() -> None:
    rng = np.random.default_rng(8)
    for seed in range(5):
        blocks = mixed_blocks(8, 400, seed=seed)
        engine, twin = blocks.engine(), blocks.twin()
        for _ in range(6):
            y, *others = (int(node) for node in rng.permutation(8))
            parents = sorted(others[: rng.integers(0, 5)])
            before = twin.local_score(y, parents)
            for x, gain in engine.inserts(y, parents):
                after = twin.local_score(y, sorted([*parents, x]))
                assert gain == pytest.approx(after - before, abs=1e-7)


def test_gains_are_differences_to_the_last_bit_so_that_threads_agree() -> None:
    engine = mixed_blocks(9, 300, seed=21).engine()
    for y, parents in ((0, [3, 7]), (4, [0, 1, 8]), (8, [])):
        before = engine.local_score(y, parents)
        for x, gain in engine.inserts(y, parents):
            assert gain == engine.local_score(y, [x, *parents]) - before


def test_next_to_no_insert_that_gains_is_filtered_out_and_many_that_lose_are() -> None:
    rng = np.random.default_rng(13)
    losing = kept_losing = gaining = 0
    dropped = []
    for seed in range(5):
        table = bent_table(20, 1000, seed=seed, density=0.15)
        columns = [cut(table[:, 0], 3), cut(table[:, 1], 9), *table.T[2:]]
        blocks = blocks_of(columns, [True, True] + [False] * 18, curves=6)
        engine = blocks.engine()
        for _ in range(30):
            y = int(rng.integers(2, 20))
            others = [x for x in rng.permutation(20).tolist() if x != y]
            parents = others[: rng.integers(0, 5)]
            before, kept = engine.local_score(y, parents), dict(engine.inserts(y, parents))
            for x in set(others) - set(parents):
                gain = engine.local_score(y, [x, *parents]) - before
                gaining += gain > 1e-7
                losing += gain < 0
                kept_losing += gain < 0 and x in kept
                if gain > 1e-7 and x not in kept:
                    dropped.append(gain)
    assert gaining > 500
    assert len(dropped) <= gaining / 200
    assert max(dropped, default=0.0) < 20.0
    assert kept_losing < losing / 2


def test_no_insert_that_gains_is_filtered_out_where_nothing_bends() -> None:
    rng = np.random.default_rng(14)
    table = rng.normal(size=(800, 15)) @ (np.eye(15) + 0.2 * rng.normal(size=(15, 15)))
    engine = blocks_of(list(table.T), [False] * 15, curves=5).engine()
    gaining = 0
    for _ in range(100):
        y, *others = (int(node) for node in rng.permutation(15))
        parents = others[: rng.integers(0, 6)]
        before, kept = engine.local_score(y, parents), dict(engine.inserts(y, parents))
        for x in set(others) - set(parents):
            gain = engine.local_score(y, [x, *parents]) - before
            gaining += gain > 1e-7
            assert gain <= 1e-7 or x in kept
    assert gaining > 200


def test_without_curves_it_is_the_gaussian_bic() -> None:
    table = bent_table(7, 500, seed=9) * [1, 10, 0.1, 1, 1, 1, 1]
    blocks = blocks_of(list(table.T), [False] * 7, curves=0)
    gaussian = GaussianBIC().bind(Moments.from_data(table))
    additive = blocks.engine()
    rng = np.random.default_rng(9)
    for _ in range(100):
        y, *others = (int(node) for node in rng.permutation(7))
        parents = others[: rng.integers(0, 7)]
        expected = gaussian.local_score(y, parents)
        assert additive.local_score(y, parents) == pytest.approx(expected, rel=1e-12)


def test_linear_data_have_the_gaussian_bic_although_curves_are_offered() -> None:
    rng = np.random.default_rng(10)
    table = rng.normal(size=(5000, 5)) @ (np.eye(5) + 0.3 * rng.normal(size=(5, 5)))
    additive = blocks_of(list(table.T), [False] * 5, curves=4, steps=20).engine()
    gaussian = GaussianBIC().bind(Moments.from_data(table))
    for y in range(5):
        parents = [x for x in range(5) if x != y]
        assert additive.chosen(y, parents) == [[0]] * 4
        expected = gaussian.local_score(y, parents)
        assert additive.local_score(y, parents) == pytest.approx(expected, rel=1e-12)


def test_without_curves_discrete_columns_have_the_degenerate_gaussian_score() -> None:
    rng = np.random.default_rng(11)
    for seed in range(3):
        made, is_discrete = columns(7, 400, seed=seed)
        degenerate = DegenerateGaussian().bind(mixed_table(made, is_discrete))
        additive = blocks_of(made, is_discrete, curves=0).engine()
        for _ in range(50):
            y, *others = (int(node) for node in rng.permutation(7))
            parents = others[: rng.integers(0, 6)]
            expected = degenerate.local_score(y, parents)
            assert additive.local_score(y, parents) == pytest.approx(expected, rel=1e-9)


def test_a_discrete_child_has_linear_parents_only_even_with_two_levels() -> None:
    x = np.random.default_rng(12).normal(size=2000)
    for levels in (2, 3):
        blocks = blocks_of([x, cut(np.abs(x), levels)], [False, True], curves=4)
        assert blocks.engine().chosen(1, [0]) == [[0]]
        assert blocks.engine().chosen(0, [1]) == [[*range(levels - 1)]]


def test_the_exact_search_finds_the_best_of_all_dags() -> None:
    for seed in range(4):
        score = mixed_blocks(4, 200, seed=seed).engine()
        best = max(score.of_dag(to_matrix(4, graph)) for graph in all_dags(4))
        assert _core.search(score, "exact").bound == pytest.approx(best, abs=1e-7)


def test_blocks_that_do_not_fit_are_refused() -> None:
    good = mixed_blocks(4, 100, seed=1)
    for starts, steps, responses in (
        (good.starts[:-1], good.steps, good.responses),
        ([0, *good.starts[:-1]], good.steps, good.responses),
        (good.starts, good.steps, [*good.responses[:-1], 7]),
        (good.starts, good.steps, good.responses[:-1]),
        (good.starts, good.steps[:-1], good.responses),
        (good.starts, [*good.steps[:-1], 9], good.responses),
        (good.starts, [*good.steps[:-1], -1], good.responses),
    ):
        with pytest.raises(ValueError, match="blocks do not fit"):
            _core.AdditiveBic(good.gram, starts, steps, responses, good.log_variances, 100.0, 2.0)
    still = good.gram.copy()
    still[2, 2] = 0.0
    with pytest.raises(ValueError, match="does not vary"):
        _core.AdditiveBic(
            *(still, good.starts, good.steps, good.responses), good.log_variances, 100.0, 2.0
        )
