"""The engine beside the naive twin: the same operators, in the same order, with the same gains."""

from __future__ import annotations

import pytest

from helpers.differential import SEARCHES, compare, first_difference, run_engine, run_twin
from oracle.datasets import large_sample, random_sample

DATASETS = 160
BLOCK = 20


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("first", range(0, DATASETS, BLOCK))
def test_every_search_takes_the_same_operators_as_its_naive_twin(first: int, name: str) -> None:
    differences = {}
    for seed in range(first, first + BLOCK):
        differences[seed] = compare(random_sample(seed), name).difference
    assert not {seed: difference for seed, difference in differences.items() if difference}


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("d", [50, 100])
def test_every_search_takes_the_same_operators_as_its_naive_twin_on_many_nodes(
    d: int, name: str
) -> None:
    assert compare(large_sample(1, d), name).difference == ""


@pytest.mark.parametrize("seed", range(20))
def test_xges_with_forbids_kept_takes_the_same_operators_as_its_naive_twin(seed: int) -> None:
    sample = large_sample(seed, 25)
    twin = run_twin(sample, "xges", keep_forbidden=True)
    engine = run_engine(sample, "xges", keep_forbidden=True)
    assert first_difference(engine, twin) == ""
