"""The score of continuous columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from greedag import _core
from greedag._options import checked_alpha
from greedag.data.rows import count_rows
from greedag.data.table import Floats, is_distributed
from greedag.scores.base import Counted, Option
from greedag.statistics.collinearity import check_collinear
from greedag.statistics.moments import Moments


@dataclass(frozen=True, slots=True)
class GaussianBIC:
    """The BIC of linear Gaussian models, the score of continuous columns.

    Parameters
    ----------
    alpha : float
        Weight of the penalty, alpha/2 log n for each edge; larger gives fewer edges.
    """

    alpha: float = 2.0
    name: ClassVar[str] = "gaussian-bic"

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", checked_alpha(self.alpha))

    def options(self) -> Mapping[str, Option]:
        """Return the options by name."""
        return {"alpha": self.alpha}

    def count(self, data: Any, *, weights: Floats | None = None, missing: str = "error") -> Counted:
        """Return the moments of a table."""
        if is_distributed(data):
            from greedag.statistics.dask import has_own_names

            return Counted(Moments.from_data(data), has_own_names(data))
        found = count_rows(data, weights=weights, missing=missing)
        return Counted(found.moments, found.named, found.notes)

    def engine(self, statistics: Moments, *, check: bool = True) -> _core.Score:
        """Return the engine's score of these moments; DataError if columns are collinear."""
        correlation = check_collinear(statistics) if check else statistics.correlation
        return _core.GaussianBic(correlation, statistics.log_variances, statistics.n, self.alpha)
