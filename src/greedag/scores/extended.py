"""The BIC for many columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from greedag import _core
from greedag._options import as_real, checked_alpha
from greedag.data.table import Floats
from greedag.errors import OptionError, quoted
from greedag.scores.base import Counted, Option
from greedag.scores.gaussian import GaussianBIC
from greedag.statistics.collinearity import check_collinear
from greedag.statistics.moments import Moments

_LARGEST_GAMMA = 1e300


@dataclass(frozen=True, slots=True)
class ExtendedBIC:
    """The Gaussian BIC with a further penalty on edges, which grows with the number of columns.

    Of all graphs with the same number of edges there are the more, the more columns there are, so
    that some fit well by chance. This penalty, of Chen & Chen (2008) and, for graphs, of Foygel &
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

    def __post_init__(self) -> None:
        gamma = as_real(self.gamma)
        if not 0.0 <= gamma <= _LARGEST_GAMMA:
            raise OptionError(
                f"gamma must be a number, 0 or more, at most 1e300; got {quoted(self.gamma)}"
            )
        object.__setattr__(self, "gamma", gamma)
        object.__setattr__(self, "alpha", checked_alpha(self.alpha))

    def options(self) -> Mapping[str, Option]:
        """Return the options by name."""
        return {"gamma": self.gamma, "alpha": self.alpha}

    def count(self, data: Any, *, weights: Floats | None = None, missing: str = "error") -> Counted:
        """Return the moments of a table."""
        return GaussianBIC().count(data, weights=weights, missing=missing)

    def engine(self, statistics: Moments, *, check: bool = True) -> _core.Score:
        """Return the engine's score of these moments; DataError if columns are collinear."""
        correlation = check_collinear(statistics) if check else statistics.correlation
        return _core.GaussianBic(
            correlation,
            statistics.log_variances,
            statistics.n,
            self.alpha,
            self.extra(statistics.d),
        )

    def extra(self, d: int) -> float:
        """Return the further penalty of an edge among so many columns."""
        return 2.0 * self.gamma * math.log(d)
