"""Refinements of the engine against their slow twin: the same class, score and rounds."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from greedag import _core, simulate
from helpers.engine import engine_score
from oracle import refining
from oracle.datasets import Sample, from_rows


def problem_of(sample: Sample) -> refining.Problem:
    """Return what the twin asks for; gains to the last bit those of the engine."""
    score = engine_score(sample)

    @cache
    def gain(x: int, y: int, E: frozenset[int]) -> float:
        return _core.gain(score, "insert", x, y, sorted(E), [])

    return refining.Problem(
        gain,
        member=_core.dag_of_cpdag,
        class_of=_core.cpdag_of_dag,
        score=score.of_dag,
        xges=lambda graph: _core.search(score, "xges", start=graph).adjacency,
        min_gain=max(1e-7, 1e-13 * sample.n),
    )


def first(start: _core.SearchOutcome, effort: float) -> _core.Refinement:
    """Return where a refinement starts that only kicks without success will end."""
    return _core.Refinement(
        adjacency=start.adjacency,
        score=start.score,
        effort=effort,
        evaluations=1e18,
        work=0.0,
        round=0,
        kept=0,
        rounds_without_gain=0,
        climbed=0,
        needs_xges=False,
    )


def compare(sample: Sample, effort: float, seed: int) -> int:
    """Refine a class both ways; return how many rounds were kept."""
    score = engine_score(sample)
    start = _core.search(score, "xges")
    options = {"effort": effort, "seed": seed, "jobs": 1 + seed % 2}
    found = _core.search(score, "xges", resume=first(start, effort), **options)
    twin = refining.refine(problem_of(sample), start.adjacency, effort, seed)
    assert np.array_equal(found.adjacency, twin.graph)
    assert found.score == twin.score
    assert found.refinement is not None
    assert (found.refinement.round, found.refinement.kept) == (twin.rounds, twin.kept)
    return twin.kept


@pytest.mark.parametrize("effort", [0.3, 1.0])
def test_few_columns(effort: float) -> None:
    kept = 0
    for seed in range(12):
        data = simulate.linear_gaussian(13 + seed % 5, 4.0, 200 + 100 * seed, seed=seed).data
        kept += compare(from_rows("", data), effort, seed)
    assert kept > 5


@pytest.mark.parametrize("d", [33, 60])
def test_columns_that_are_climbed_with_in_several_rounds(d: int) -> None:
    kept = 0
    for seed in range(3):
        data = simulate.linear_gaussian(d, 5.0, 1000, seed=seed).data
        kept += compare(from_rows("", data), 0.1, seed)
    assert kept > 0
