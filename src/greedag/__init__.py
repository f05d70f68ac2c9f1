"""Causal structure from a table: greedy search over Markov equivalence classes."""

from importlib import import_module
from typing import TYPE_CHECKING

from greedag import metrics, scores
from greedag._progress import DrawsDone, PosteriorProgress, Progress, RowsRead, SearchesDone
from greedag.errors import (
    CollinearError,
    DataError,
    DataTypeError,
    FileError,
    GreedagError,
    GreedagWarning,
    KnowledgeError,
    MissingExtraError,
    OptionError,
    ScoreError,
    SearchInterrupted,
    TimeLimitError,
)
from greedag.estimators import FGES, GES, OPS, XGES
from greedag.graph.cpdag import CPDAG
from greedag.graph.mpdag import MPDAG
from greedag.result.result import Operator, Result
from greedag.result.score_graph import score_graph
from greedag.search.learn import exact, learn
from greedag.statistics.levels import Levels
from greedag.statistics.mixed import MixedTable
from greedag.statistics.moments import Moments

if TYPE_CHECKING:
    from greedag import interop, simulate
    from greedag.drawing.notebook import View
    from greedag.effects.check_records import ModelCheck
    from greedag.effects.effect import Effect, PossibleEffect
    from greedag.effects.effect_tables import Effects, EffectsMatrix, Prediction
    from greedag.graph.knowledge import Knowledge
    from greedag.graph.orientation import Direction, Evidence
    from greedag.result.coefficients import Coefficient, Coefficients
    from greedag.result.compare import Comparison, Pair
    from greedag.result.curve import Curve
    from greedag.result.edges import Strength, TurnedClass
    from greedag.result.explain import Explanation
    from greedag.scores.check import ScoreCheck, check_score
    from greedag.search.knowledge_cost import KnowledgeCost, StatementCost
    from greedag.statistics.inspection.finding import Finding, Inspection
    from greedag.statistics.inspection.inspect import inspect
    from greedag.statistics.lagged import Lagged, lagged
    from greedag.uncertainty.choose import Choice
    from greedag.uncertainty.class_path import Path
    from greedag.uncertainty.pair_table import PairProbabilities, PairShares
    from greedag.uncertainty.path import path
    from greedag.uncertainty.path_table import Lifetime, PathStep
    from greedag.uncertainty.posterior import posterior
    from greedag.uncertainty.posterior_result import Posterior
    from greedag.uncertainty.shares import Stability
    from greedag.uncertainty.stability import stability

__version__ = "0.1.0"

__all__ = [
    "CPDAG",
    "FGES",
    "GES",
    "MPDAG",
    "OPS",
    "XGES",
    "Choice",
    "Coefficient",
    "Coefficients",
    "CollinearError",
    "Comparison",
    "Curve",
    "DataError",
    "DataTypeError",
    "Direction",
    "DrawsDone",
    "Effect",
    "Effects",
    "EffectsMatrix",
    "Evidence",
    "Explanation",
    "FileError",
    "Finding",
    "GreedagError",
    "GreedagWarning",
    "Inspection",
    "Knowledge",
    "KnowledgeCost",
    "KnowledgeError",
    "Lagged",
    "Levels",
    "Lifetime",
    "MissingExtraError",
    "MixedTable",
    "ModelCheck",
    "Moments",
    "Operator",
    "OptionError",
    "Pair",
    "PairProbabilities",
    "PairShares",
    "Path",
    "PathStep",
    "PossibleEffect",
    "Posterior",
    "PosteriorProgress",
    "Prediction",
    "Progress",
    "Result",
    "RowsRead",
    "ScoreCheck",
    "ScoreError",
    "SearchInterrupted",
    "SearchesDone",
    "Stability",
    "StatementCost",
    "Strength",
    "TimeLimitError",
    "TurnedClass",
    "View",
    "__version__",
    "check_score",
    "exact",
    "inspect",
    "interop",
    "lagged",
    "learn",
    "metrics",
    "path",
    "posterior",
    "score_graph",
    "scores",
    "simulate",
    "stability",
]

# What most programs do not need is loaded when it is asked for.
_LATE = {
    "check_score": "greedag.scores.check",
    "ScoreCheck": "greedag.scores.check",
    "Finding": "greedag.statistics.inspection.finding",
    "Inspection": "greedag.statistics.inspection.finding",
    "inspect": "greedag.statistics.inspection.inspect",
    "Coefficient": "greedag.result.coefficients",
    "Coefficients": "greedag.result.coefficients",
    "Comparison": "greedag.result.compare",
    "Curve": "greedag.result.curve",
    "Direction": "greedag.graph.orientation",
    "Evidence": "greedag.graph.orientation",
    "Explanation": "greedag.result.explain",
    "Knowledge": "greedag.graph.knowledge",
    "KnowledgeCost": "greedag.search.knowledge_cost",
    "Lagged": "greedag.statistics.lagged",
    "lagged": "greedag.statistics.lagged",
    "Pair": "greedag.result.compare",
    "Posterior": "greedag.uncertainty.posterior_result",
    "posterior": "greedag.uncertainty.posterior",
    "StatementCost": "greedag.search.knowledge_cost",
    "Strength": "greedag.result.edges",
    "TurnedClass": "greedag.result.edges",
    "View": "greedag.drawing.notebook",
    "PairProbabilities": "greedag.uncertainty.pair_table",
    "Choice": "greedag.uncertainty.choose",
    "Lifetime": "greedag.uncertainty.path_table",
    "Path": "greedag.uncertainty.class_path",
    "PathStep": "greedag.uncertainty.path_table",
    "path": "greedag.uncertainty.path",
    "PairShares": "greedag.uncertainty.pair_table",
    "Stability": "greedag.uncertainty.shares",
    "Effect": "greedag.effects.effect",
    "ModelCheck": "greedag.effects.check_records",
    "Effects": "greedag.effects.effect_tables",
    "EffectsMatrix": "greedag.effects.effect_tables",
    "PossibleEffect": "greedag.effects.effect",
    "Prediction": "greedag.effects.effect_tables",
    "stability": "greedag.uncertainty.stability",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    if name in ("interop", "simulate"):
        return import_module(f"greedag.{name}")
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module 'greedag' has no attribute {name!r}")
