"""The score of additive models, whose effects may bend."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from greedag import _core
from greedag._options import checked_alpha
from greedag.data.kinds import Kind
from greedag.data.rows import SelectedRows
from greedag.scores.base import Prepared, Score, notes_of
from greedag.statistics.basis import BasisMoments, count_basis
from greedag.statistics.collinearity import check_collinear


@dataclass(frozen=True, slots=True)
class AdditiveBIC(Score):
    """The BIC of additive models: each column is a sum of curves of its parents, plus noise.

    A continuous parent enters by itself, by as many curves of it, the smoothest first, as raise the
    score, and by steps (0 up to some value, 1 above it) where its effect jumps; a discrete one by
    an indicator (0/1) column for each level but one. With k columns of all parents together, where
    a step counts twice, for its height and its place::

        s(y, P) = -n/2 (1 + log var(y|P)) - alpha/2 log n (k + 1)

    Members of a class need not score the same: where an effect bends, a curve from cause to effect
    leaves noise that is alike everywhere, and one from effect to cause does not. This is right
    where noise is about normal and added to the effects. Where effects are linear and noise is far
    from normal, curves may point the wrong way.

    Discrete columns have effects of degree 1 from continuous ones, as in the degenerate Gaussian
    score; without curves this is that score, and without discrete columns the Gaussian BIC.

    Parameters
    ----------
    alpha : float
        Weight of the penalty, alpha/2 log n for each column; larger gives fewer edges and
        straighter effects.
    """

    alpha: float = 2.0
    name: ClassVar[str] = "additive"
    needs: ClassVar[type] = BasisMoments
    least: ClassVar[tuple[int, int]] = (3, 2)
    missing_reason: ClassVar[str] = (
        "EM is for linear models of continuous columns, and test-wise deletion for discrete ones"
    )
    is_equivalent: ClassVar[bool] = False
    directs_by: ClassVar[str] = "curve"
    # Where a line has noise that is not normal, the regression of the cause on the effect bends a
    # little, and a wrong direction has a margin of up to some hundredths of the edge's strength.
    least_share: ClassVar[float] = 0.1
    in_words: ClassVar[str] = (
        "The additive BIC: how well sums of curves of the parents fit, minus α/2 · log(rows) for "
        "each parameter"
    )
    effects: ClassVar[str] = (
        "Effects of continuous columns on continuous ones may bend, and their curves help to tell "
        "directions; on the levels of discrete columns they are taken as linear. Effects add up: "
        "that of one column is taken to be the same whatever the values of another. Noise is taken "
        "to be about normal; if it is far from that, curves may point the wrong way."
    )
    overlooks: ClassVar[tuple[str, ...]] = ("effects that differ by the values of another column",)
    chooses_alpha: ClassVar[bool] = True
    refuses_exact_fits: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", checked_alpha(self.alpha))

    def prepare(self, rows: SelectedRows, kinds: tuple[Kind, ...]) -> Prepared:
        """Return the moments of curves of a table, whose columns are of certain kinds."""
        counted = count_basis(rows, kinds)
        return Prepared(counted, rows.source.has_own_names, notes_of(counted))

    def bind(self, statistics: BasisMoments, *, check: bool = True) -> _core.Score:
        """Return the engine's score of these moments; DataError if columns are collinear."""
        plain, plain_starts = statistics.embedded()
        if check:
            statistics.check_variation()
            check_collinear(plain, _owners(statistics.names, plain_starts))
        # Refuses a column that is constant in these rows.
        logs = np.add.reduceat(plain.log_variances, plain_starts[:-1])
        correlation, starts, steps = statistics.correlation()
        widths = np.diff(starts).tolist()
        responses = [
            1 if kind == "continuous" else width
            for kind, width in zip(statistics.kinds, widths, strict=True)
        ]
        return _core.AdditiveBic(
            correlation, starts, steps, responses, logs, statistics.n, self.alpha
        )

    def least_margin(self, statistics: BasisMoments) -> float:
        """Return the penalty of a curve, above which the direction of an edge counts as told."""
        return 0.5 * self.alpha * math.log(statistics.n)

    def linear(self, statistics: BasisMoments) -> _core.Score:
        """Return the engine's score of the same data without curves.

        That is the Gaussian BIC, or the degenerate Gaussian if some column is discrete.
        """
        plain, starts = statistics.embedded()
        logs, n, rank = plain.log_variances, plain.n, plain.rank
        if "discrete" not in statistics.kinds:
            return _core.GaussianBic(plain.correlation, logs, n, self.alpha, rank=rank)
        return _core.DegenerateGaussian(plain.correlation, logs, starts, n, self.alpha, rank)


def _owners(names: tuple[str, ...], starts: list[int]) -> list[str]:
    """Return which column each column without curves stands for."""
    widths = np.diff(starts).tolist()
    return [name for name, width in zip(names, widths, strict=True) for _ in range(width)]
