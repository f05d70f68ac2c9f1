"""What a search can maximise. Each is an object with its options, to be passed as ``score=``."""

from greedag.scores.additive import AdditiveBIC
from greedag.scores.bge import BGe
from greedag.scores.discrete import BDeu, DiscreteBIC
from greedag.scores.gaussian import ExtendedBIC, GaussianBIC
from greedag.scores.mixed import ConditionalGaussian, DegenerateGaussian

__all__ = [
    "AdditiveBIC",
    "BDeu",
    "BGe",
    "ConditionalGaussian",
    "DegenerateGaussian",
    "DiscreteBIC",
    "ExtendedBIC",
    "GaussianBIC",
]
