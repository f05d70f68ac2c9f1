"""Scores of continuous columns: the BIC, and the BIC for many columns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from greedag import _core
from greedag._options import as_real, checked_alpha
from greedag.data.kinds import Kind
from greedag.data.rows import SelectedRows
from greedag.errors import OptionError, quoted
from greedag.scores.base import Prepared, Score
from greedag.statistics.collinearity import check_collinear
from greedag.statistics.moments import Moments, count_moments

_LARGEST_GAMMA = 1e300


class MomentScore(Score):
    """What scores of continuous columns share: they are computed from moments."""

    __slots__ = ()

    needs: ClassVar[type] = Moments
    takes: ClassVar[Kind | None] = "continuous"
    least: ClassVar[tuple[int, int]] = (3, 2)
    missing: ClassVar[tuple[str, ...]] = ("error", "drop", "em")
    effects: ClassVar[str] = (
        "Only linear effects of continuous columns are considered. Effects that average out along "
        "a line are missed; categories coded as numbers mislead."
    )
    overlooks: ClassVar[tuple[str, ...]] = ("non-linear effects",)
    missing_reason: ClassVar[str] = "test-wise deletion is for discrete columns"

    def prepare(self, rows: SelectedRows, kinds: tuple[Kind, ...]) -> Prepared:
        """Return the moments of a table."""
        moments, notes = count_moments(rows)
        return Prepared(moments, rows.source.has_own_names, notes)


@dataclass(frozen=True, slots=True)
class GaussianBIC(MomentScore):
    """The BIC of linear Gaussian models, the score of continuous columns.

    Parameters
    ----------
    alpha : float
        Weight of the penalty, alpha/2 log n for each edge; larger gives fewer edges.
    """

    alpha: float = 2.0
    name: ClassVar[str] = "gaussian-bic"
    in_words: ClassVar[str] = (
        "The Gaussian BIC: how well linear equations with these edges fit, minus α/2 · log(rows) "
        "for each parameter"
    )
    refuses_exact_fits: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", checked_alpha(self.alpha))

    def bind(self, statistics: Moments, *, check: bool = True) -> _core.Score:
        """Return the engine's score of these moments; DataError if columns are collinear."""
        correlation = check_collinear(statistics) if check else statistics.correlation
        logs, n, rank = statistics.log_variances, statistics.n, statistics.rank
        return _core.GaussianBic(correlation, logs, n, self.alpha, rank=rank)


@dataclass(frozen=True, slots=True)
class ExtendedBIC(MomentScore):
    """The Gaussian BIC with a further penalty on edges, which grows with the number of columns.

    The more columns there are, the more graphs have the same number of edges, and some of them fit
    well by chance. This penalty, of Chen & Chen (2008) and, for graphs, of Foygel &
    Drton (2010), makes up for that::

        s(y, P) = -n/2 (1 + log var(y|P)) - alpha/2 log n (|P| + 1) - 2 gamma log d |P|

    Parameters
    ----------
    gamma : float
        Weight of the further penalty, 0 or more, often 0.5 or 1; with 0 this is the Gaussian BIC.
    alpha : float
        Weight of the penalty of the BIC itself.
    """

    gamma: float = 0.5
    alpha: float = 1.0
    name: ClassVar[str] = "extended-bic"
    in_words: ClassVar[str] = (
        "The extended BIC: the Gaussian BIC minus 2 · γ · log(columns) for each edge"
    )
    refuses_exact_fits: ClassVar[bool] = True

    def __post_init__(self) -> None:
        gamma = as_real(self.gamma)
        if not 0.0 <= gamma <= _LARGEST_GAMMA:
            raise OptionError(
                f"gamma must be a number, 0 or more, at most 1e300; got {quoted(self.gamma)}"
            )
        object.__setattr__(self, "gamma", gamma)
        object.__setattr__(self, "alpha", checked_alpha(self.alpha))

    def bind(self, statistics: Moments, *, check: bool = True) -> _core.Score:
        """Return the engine's score of these moments; DataError if columns are collinear."""
        correlation = check_collinear(statistics) if check else statistics.correlation
        return _core.GaussianBic(
            correlation,
            statistics.log_variances,
            statistics.n,
            self.alpha,
            self.extra(statistics.d),
            statistics.rank,
        )

    def extra(self, d: int) -> float:
        """Return the further penalty of an edge among so many columns."""
        return 2.0 * self.gamma * math.log(d)
