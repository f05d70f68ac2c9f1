"""The engine on the samples of the oracle."""

from __future__ import annotations

from typing import Any

from greedag import _core
from oracle.datasets import Sample

COUNTERS = (
    "score_evaluations",
    "sweeps",
    "trials",
    "accepted_trials",
    "capped_targets",
    "capped_trials",
    "refused_singular",
    "cycles",
)
COUNTERS_OF_ROUNDS = ("round", "kept", "rounds_without_gain", "climbed", "work")


def engine_score(sample: Sample) -> _core.Score:
    """Return the engine's score of a sample."""
    return _core.GaussianBic(sample.correlation, sample.log_variances, sample.n, sample.alpha)


def everything(found: _core.SearchOutcome) -> tuple[Any, ...]:
    """Return all that a search says, but for its seconds."""
    counters = {name: getattr(found, name) for name in COUNTERS}
    refinement = {name: getattr(found.refinement, name, None) for name in COUNTERS_OF_ROUNDS}
    graph = found.adjacency.tobytes()
    return found.score, graph, found.trace, counters, refinement, found.has_jumped
