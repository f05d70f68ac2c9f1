"""Scores of continuous columns: the BIC, and the BIC for many columns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
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
# The price of an edge where rows are many and columns few.
LEAST_ALPHA = 2.0
# Expected by chance among independent columns.
_FALSE_EDGES_PER_COLUMN, _MOST_FALSE_EDGES = 0.02, 4.0
_DIGITS = 2


def alpha_by_size(n: float, d: int) -> float:
    """Return the weight of the penalty where it is left to greedag, to two decimals.

    An edge between two columns that have nothing to do with each other raises a BIC if chance makes
    twice its log-likelihood ratio, a χ² variable of one degree of freedom, exceed alpha · log n.
    The more pairs of columns there are, the more such edges a fixed alpha lets pass. This one is 2,
    or as much more as it takes for at most one such edge per 50 columns, and four in all, if all d
    columns are independent::

        d (d - 1)/2 · P(χ² > alpha · log n)  ≤  min(d / 50, 4)

    A further parameter that an edge may need, for levels or curves, is penalised in its turn, so
    that such edges are rarer still: what counts is the number of columns. A stricter rule does
    better on sparse graphs, but loses edges of dense ones where rows are many. This one is 2 for
    1,000 rows and more of up to 200 columns.

    Parameters
    ----------
    n : float
        Number of rows, or the sum of their weights.
    d : int
        Number of columns.

    Examples
    --------
    >>> alpha_by_size(10_000, 20), alpha_by_size(100, 100)
    (2.0, 2.72)
    """
    pairs = max(d * (d - 1) / 2.0, 1.0)
    share = min(_FALSE_EDGES_PER_COLUMN * d, _MOST_FALSE_EDGES) / pairs
    deviation = NormalDist().inv_cdf(share / 2.0)  # χ² is its square
    return max(LEAST_ALPHA, round(deviation**2 / math.log(max(n, 2.0)), _DIGITS))


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

    alpha: float = LEAST_ALPHA
    name: ClassVar[str] = "gaussian-bic"
    in_words: ClassVar[str] = (
        "The Gaussian BIC: how well linear equations with these edges fit, minus α/2 · log(rows) "
        "for each parameter"
    )
    chooses_alpha: ClassVar[bool] = True
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
