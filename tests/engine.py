"""The engine on the samples of the oracle."""

from __future__ import annotations

from greedag import _core
from oracle.datasets import Sample


def engine_score(sample: Sample) -> _core.Score:
    """Return the engine's score of a sample."""
    return _core.GaussianBic(sample.correlation, sample.log_variances, sample.n, sample.alpha)
