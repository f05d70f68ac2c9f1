"""One search run by the engine and by the naive twin, and where the two part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from greedag import _core
from helpers.engine import engine_score
from oracle import naive_search
from oracle.datasets import Sample

SEARCHES = ("xges0", "xges", "ges", "ges-r", "ops", "fges")
TOLERANCE = 1e-9
TIME_LIMIT = 60.0
"""Seconds after which an engine search that does not end counts as a mismatch."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One search run by both: how many operators were compared, and the first difference."""

    case: str
    operators: int
    difference: str


def run_engine(sample: Sample, name: str, **options: Any) -> _core.SearchOutcome:
    """Run a search in the engine, every set enumerated and tried."""
    return _core.search(engine_score(sample), name, clique_cap=0, trial_cap=0, **options)


def run_twin(sample: Sample, name: str, **options: Any) -> naive_search.Outcome:
    """Run a search in the twin."""
    statistics = (sample.correlation, sample.variances, sample.n, sample.alpha, name)
    return naive_search.search(*statistics, **options)


def compare(sample: Sample, name: str) -> Comparison:
    """Run a search in the engine and in the twin."""
    case = f"{sample.name} n={sample.n} alpha={sample.alpha} {name}"
    engine = run_engine(sample, name, time_limit=TIME_LIMIT)
    if engine.stopped:
        return Comparison(case, 0, f"engine stopped by its {engine.stopped}")
    try:
        twin = run_twin(sample, name)
    except ValueError as failure:
        return Comparison(case, 0, str(failure))
    return Comparison(case, len(twin.trace), first_difference(engine, twin))


def compare_all(sample: Sample) -> list[Comparison]:
    """Compare every search on one data set."""
    return [compare(sample, name) for name in SEARCHES]


def first_difference(engine: _core.SearchOutcome, twin: naive_search.Outcome) -> str:
    """Say where the two outcomes part, or return nothing."""
    for place, (found, expected) in enumerate(zip(engine.trace, twin.trace, strict=False)):
        if not is_same_entry(found, expected):
            return f"entry {place}: engine {found}, twin {expected}"
    if len(engine.trace) != len(twin.trace):
        return f"engine took {len(engine.trace)} operators, twin {len(twin.trace)}"
    if not np.array_equal(engine.adjacency, twin.adjacency):
        return "final classes differ"
    return "" if is_close(engine.score, twin.score) else f"score {engine.score}, {twin.score}"


def is_same_entry(found: naive_search.Entry, expected: naive_search.Entry) -> bool:
    """Tell whether two operators are equal and their gains equal to rounding."""
    return found[:6] == expected[:6] and is_close(found[6], expected[6])


def is_close(a: float, b: float) -> bool:
    """Tell whether two numbers are equal to rounding."""
    return abs(a - b) <= TOLERANCE * max(abs(a), abs(b))
