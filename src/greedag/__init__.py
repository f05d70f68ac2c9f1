"""Causal structure from a table: greedy search over Markov equivalence classes."""

from importlib import import_module
from typing import TYPE_CHECKING

from greedag import metrics, scores
from greedag.errors import (
    CollinearError,
    DataError,
    DataTypeError,
    FileError,
    GreedagError,
    GreedagWarning,
    MissingExtraError,
    OptionError,
    ScoreError,
    SearchInterrupted,
)
from greedag.estimators import FGES, GES, OPS, XGES
from greedag.graph import CPDAG
from greedag.graph_score import score_graph
from greedag.learning import learn
from greedag.levels import Levels
from greedag.mixed import MixedTable
from greedag.moments import Moments
from greedag.optimum import exact
from greedag.progress import Progress
from greedag.result import Operator, Result

if TYPE_CHECKING:
    from greedag import interop, simulate
    from greedag.coefficients import Coefficient, Coefficients
    from greedag.compare import Comparison, Pair
    from greedag.explanation import Direction, Explanation, Strength
    from greedag.scores.equivalence import ScoreCheck, check_score
    from greedag.view.notebook import View

__version__ = "0.1.0"

__all__ = [
    "CPDAG",
    "FGES",
    "GES",
    "OPS",
    "XGES",
    "Coefficient",
    "Coefficients",
    "CollinearError",
    "Comparison",
    "DataError",
    "DataTypeError",
    "Direction",
    "Explanation",
    "FileError",
    "GreedagError",
    "GreedagWarning",
    "Levels",
    "MissingExtraError",
    "MixedTable",
    "Moments",
    "Operator",
    "OptionError",
    "Pair",
    "Progress",
    "Result",
    "ScoreCheck",
    "ScoreError",
    "SearchInterrupted",
    "Strength",
    "View",
    "__version__",
    "check_score",
    "exact",
    "interop",
    "learn",
    "metrics",
    "score_graph",
    "scores",
    "simulate",
]

# What most programs do not need is loaded when it is asked for.
_LATE = {
    "check_score": "greedag.scores.equivalence",
    "ScoreCheck": "greedag.scores.equivalence",
    "Coefficient": "greedag.coefficients",
    "Coefficients": "greedag.coefficients",
    "Comparison": "greedag.compare",
    "Direction": "greedag.explanation",
    "Explanation": "greedag.explanation",
    "Pair": "greedag.compare",
    "Strength": "greedag.explanation",
    "View": "greedag.view.notebook",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    if name in ("interop", "simulate"):
        return import_module(f"greedag.{name}")
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module 'greedag' has no attribute {name!r}")
