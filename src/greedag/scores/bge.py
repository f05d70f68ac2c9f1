"""The marginal likelihood of continuous columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from greedag import _core
from greedag._options import as_real
from greedag._progress import interruptible
from greedag.data.table import Floats
from greedag.errors import DataError, OptionError, quoted
from greedag.scores.base import Option
from greedag.scores.gaussian import MomentScore
from greedag.statistics.moments import Moments

_LARGEST_PRIOR = 1e9


@dataclass(frozen=True, slots=True)
class BGe(MomentScore):
    """The marginal likelihood of linear Gaussian models under a normal-Wishart prior.

    The score of Geiger & Heckerman (2002), as corrected by Kuipers, Moffa & Heckerman (2014),
    times a prior of the graph by which each edge is independently there or not. The prior's scale
    is t times the identity, t = alpha_mu (alpha_w - d - 1) / (alpha_mu + 1), and its mean is that
    of the data, unless `nu` says otherwise.

    In other programs columns are taken in their own units and all graphs are equally likely, which
    is ``BGe(units="given", edge_penalty=0)``: then columns of small numbers get many false edges.

    Parameters
    ----------
    alpha_mu : float
        How many rows the prior of the means is worth.
    alpha_w : float, optional
        Degrees of freedom of the prior of the covariances, above d + 1; d + 2 if left out.
    nu : float, optional
        The prior's mean, of every column, in its own units; that of the data if left out.
    units : str
        ``"standard"`` divides each column by its standard deviation first, so that its units do
        not matter; ``"given"`` takes it as it is.
    edge_penalty : float, optional
        What each edge takes from the score: minus the logarithm of its prior odds, the same for
        every edge. log(d) / 2 if left out, which :doc:`did best </scores>` of what was tried;
        0 for none.
    """

    alpha_mu: float = 1.0
    alpha_w: float | None = None
    nu: float | None = None
    units: str = "standard"
    edge_penalty: float | None = None
    name: ClassVar[str] = "bge"
    in_words: ClassVar[str] = (
        "BGe: the log probability of these edges and of the data, under a normal-Wishart prior of "
        "linear equations"
    )
    before: ClassVar[Mapping[str, Option]] = {"units": "given", "edge_penalty": 0.0}
    least: ClassVar[tuple[int, int]] = (2, 1)

    def __post_init__(self) -> None:
        for option in ("alpha_mu", "alpha_w"):
            value = getattr(self, option)
            if value is None and option == "alpha_w":
                continue
            number = as_real(value)
            if not 0.0 < number <= _LARGEST_PRIOR:
                raise OptionError(
                    f"{option} must be a number above 0, at most 1e9; got {quoted(value)}"
                )
            object.__setattr__(self, option, number)
        if self.nu is not None:
            if not np.isfinite(as_real(self.nu)):
                raise OptionError(f"nu must be a finite number or None; got {quoted(self.nu)}")
            object.__setattr__(self, "nu", as_real(self.nu))
        if self.units not in ("standard", "given"):
            raise OptionError(f"units must be 'standard' or 'given'; got {quoted(self.units)}")
        if self.edge_penalty is not None:
            number = as_real(self.edge_penalty)
            if not 0.0 <= number <= _LARGEST_PRIOR:
                raise OptionError(
                    "edge_penalty must be a number, 0 or more, at most 1e9, or None; got "
                    f"{quoted(self.edge_penalty)}"
                )
            object.__setattr__(self, "edge_penalty", number)

    def bind(self, statistics: Moments, *, check: bool = True) -> _core.Score:
        """Return the engine's score of these moments.

        Exactly collinear columns are allowed: the prior makes every set of columns measurable.
        Constant ones are not, as for every score.
        """
        if check:
            statistics.log_variances  # noqa: B018 - says which column is constant
        d = statistics.d
        alpha_w = d + 2.0 if self.alpha_w is None else self.alpha_w
        if not alpha_w > d + 1:
            raise OptionError(
                f"alpha_w must be above the number of columns and 1, {d + 1}; got {alpha_w:g}"
            )
        return interruptible("preparing the score", d**3 // 4096, self._bound, statistics, alpha_w)

    def _bound(self, statistics: Moments, alpha_w: float) -> _core.Score:
        t = self.alpha_mu * (alpha_w - statistics.d - 1) / (self.alpha_mu + 1)
        posterior = self._posterior(statistics, t)
        variances = posterior.diagonal().copy()
        scale = 1.0 / np.sqrt(variances)
        correlation = posterior * scale[:, np.newaxis] * scale
        np.fill_diagonal(correlation, 1.0)
        inverse = _inverse_diagonal(posterior)
        return _core.Bge(
            np.ascontiguousarray((correlation + correlation.T) / 2.0),
            np.log(variances),
            statistics.n,
            alpha_mu=self.alpha_mu,
            alpha_w=alpha_w,
            t=t,
            edge_penalty=self._edge_penalty(statistics.d),
            least_residual=_least_residual(inverse, t),
            has_singular_sets=not _is_regular(inverse * variances),
        )

    def _edge_penalty(self, d: int) -> float:
        return math.log(d) / 2.0 if self.edge_penalty is None else self.edge_penalty

    def _posterior(self, moments: Moments, t: float) -> Floats:
        is_standard = self.units == "standard"
        posterior = moments.n * (moments.correlation if is_standard else moments.covariance)
        posterior[np.diag_indices(moments.d)] += t
        if self.nu is not None:
            if moments.mean is None:
                raise DataError("BGe with nu needs the means of the data; give Moments mean=")
            gap = self.nu - moments.mean
            if is_standard:
                gap = gap / moments.deviations
            posterior += (
                moments.n * self.alpha_mu / (moments.n + self.alpha_mu) * np.outer(gap, gap)
            )
        return posterior


def _inverse_diagonal(posterior: Floats) -> Floats:
    """Return the diagonal of the inverse, infinite where there is none."""
    try:
        return np.linalg.inv(posterior).diagonal().astype(np.float64)
    except np.linalg.LinAlgError:
        return np.full(len(posterior), np.inf)


def _is_regular(inflation: Floats) -> bool:
    """Whether no set of columns is singular to rounding: the engine's rule, for all of them."""
    return bool(inflation.min() > 0.0 and inflation.sum() <= _core.MOST_INFLATION)


def _least_residual(inverse: Floats, t: float) -> float:
    """Return a variance that no column's residual, given any others, falls short of.

    The least is that given all others, 1 / (R⁻¹)_xx. It is never below t, but for rounding.
    """
    least = 0.5 / float(inverse.max())
    return max(t, least) if least > 0.0 else t
