"""What a search can maximise. Each is an object with its options, to be passed as ``score=``."""

from greedag.scores.discrete import BDeu, DiscreteBIC
from greedag.scores.gaussian import GaussianBIC

__all__ = ["BDeu", "DiscreteBIC", "GaussianBIC"]
