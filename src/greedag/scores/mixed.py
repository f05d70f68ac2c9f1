"""Scores of continuous and discrete columns together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from greedag import _core
from greedag._options import checked_alpha
from greedag._progress import check_time, interruptible
from greedag.data.kinds import Kind
from greedag.data.rows import SelectedRows
from greedag.data.table import Floats
from greedag.errors import CollinearError, quoted
from greedag.scores.base import Prepared, Score, notes_of
from greedag.statistics.collinearity import check_collinear
from greedag.statistics.mixed import MixedTable, read_mixed
from greedag.statistics.moments import Moments

# Standard deviations: a column that varies less is constant.
_CONSTANT = 1e-6
_DOING = "preparing the score"


class MixedScore(Score):
    """What scores of continuous and discrete columns share: they are computed from the rows."""

    __slots__ = ()

    needs: ClassVar[type] = MixedTable
    least: ClassVar[tuple[int, int]] = (3, 2)
    missing_reason: ClassVar[str] = (
        "EM is for continuous columns alone, and test-wise deletion for discrete ones alone"
    )

    def prepare(self, rows: SelectedRows, kinds: tuple[Kind, ...]) -> Prepared:
        """Return the rows of a table, whose columns are of certain kinds."""
        table = read_mixed(rows, kinds)
        return Prepared(table, rows.source.has_own_names, notes_of(table))


@dataclass(frozen=True, slots=True)
class DegenerateGaussian(MixedScore):
    """The Gaussian BIC with an indicator (0/1) column for each level of a discrete column but one.

    The score of Andrews, Ramsey & Cooper (2019). With the covariances Σ of the k columns that a set
    of columns W becomes::

        S(W) = -n/2 (k + log det Σ) - alpha/2 log n · k (k + 1)/2
        s(y, P) = S(P ∪ y) - S(P)

    Without discrete columns it is the Gaussian BIC. Levels are taken as if they were linear in one
    another and in the continuous columns, which costs few parameters and finds most dependences.
    Columns that determine each other exactly are refused, as they are by the Gaussian BIC. So are
    columns with more than 200 levels that have fewer than two rows each on average, as those of
    identifiers, and levels that make more than 23,000 indicator columns.

    Parameters
    ----------
    alpha : float
        Weight of the penalty; larger gives fewer edges.
    """

    alpha: float = 2.0
    name: ClassVar[str] = "degenerate-gaussian"
    in_words: ClassVar[str] = (
        "The degenerate Gaussian: a Gaussian BIC in which every level of a discrete column but one "
        "becomes a 0/1 indicator column"
    )
    effects: ClassVar[str] = (
        "Effects of continuous columns are taken as linear, also on the levels of discrete ones. "
        "Each level has an effect of its own, but effects add up: that of one column is taken to "
        "be the same at all levels of another. Effects that average out along a line are missed."
    )
    overlooks: ClassVar[tuple[str, ...]] = (
        "non-linear effects of continuous columns",
        "effects that differ between levels of another column",
    )
    chooses_alpha: ClassVar[bool] = True
    refuses_exact_fits: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", checked_alpha(self.alpha))

    def bind(self, statistics: MixedTable, *, check: bool = True) -> _core.Score:
        """Return the engine's score of these rows.

        DataError if columns are collinear, or have so many levels that memory would not do.
        """
        if check:
            statistics.check_variation()
            statistics.check_memory()
        moments, starts = statistics.embedded()
        widths = np.diff(starts).tolist()
        owners = [name for name, k in zip(statistics.names, widths, strict=True) for _ in range(k)]
        correlation = check_collinear(moments, owners) if check else moments.correlation
        return _core.DegenerateGaussian(
            correlation, moments.log_variances, starts, moments.n, self.alpha, moments.rank
        )


@dataclass(frozen=True, slots=True)
class ConditionalGaussian(MixedScore):
    """The BIC of models that are Gaussian given each combination of levels.

    The score of Andrews, Ramsey & Cooper (2018). For a set W of c continuous columns, and discrete
    ones with q combinations of levels, a rows of n in each::

        S(W) = Σ a (log(a/n) - (c + log det Σ_a)/2) - alpha/2 log n · (q c (c + 1)/2 + q - 1)

    and s(y, P) = S(P ∪ y) - S(P). Combinations with at most c + 5 rows, or among which some column
    is a combination of others, take the covariances of all rows. Without discrete columns this is
    the Gaussian BIC, without continuous ones the discrete BIC.

    Parameters
    ----------
    alpha : float
        Weight of the penalty; larger gives fewer edges.
    """

    alpha: float = 1.0
    name: ClassVar[str] = "conditional-gaussian"
    in_words: ClassVar[str] = (
        "The conditional Gaussian BIC: how well linear equations fit for each combination of "
        "levels, and tables of probabilities for the levels, minus α/2 · log(rows) for each "
        "parameter"
    )
    effects: ClassVar[str] = (
        "Within each combination of levels, effects among continuous columns are taken as linear; "
        "they may differ from one combination to another. Effects that average out along a line in "
        "every combination are missed."
    )
    overlooks: ClassVar[tuple[str, ...]] = (
        "non-linear effects among continuous columns within a combination of levels",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", checked_alpha(self.alpha))

    def bind(self, statistics: MixedTable, *, check: bool = True) -> _core.Score:
        """Return the engine's score of these rows.

        DataError if columns are collinear, or levels determine a continuous column.
        """
        if check:
            statistics.check_variation()
        log_variances = np.empty(0)
        if len(statistics.values):
            moments = Moments.from_data(
                statistics.values.T, names=statistics.real_names(), weights=statistics.weights
            )
            if check and moments.d > 1:
                check_collinear(moments)
            log_variances = moments.log_variances
        values = interruptible(_DOING, statistics.values.size, statistics.standardised)
        if check:
            interruptible(_DOING, statistics.rows, _check_determined, statistics, values)
        return interruptible(
            _DOING,
            statistics.rows,
            _core.ConditionalGaussian,
            values,
            statistics.codes,
            statistics.sizes,
            log_variances,
            self.alpha,
            weights=statistics.weights,
        )


def _check_determined(table: MixedTable, values: Floats) -> None:
    """Raise if a continuous column is constant on the rows of every level of a discrete one.

    On so many levels that most have one row, as those of an identifier, that says nothing.
    """
    if not len(values):
        return
    labelled = zip(table.names, table.kinds, strict=True)
    discrete = [name for name, kind in labelled if kind == "discrete"]
    for name, codes in zip(discrete, table.codes, strict=True):
        check_time(_DOING)
        order = np.argsort(codes, kind="stable")
        starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
        if len(codes) < 2 * len(starts):
            continue
        ordered = values[:, order]
        ends = (end.reduceat(ordered, starts, axis=1) for end in (np.maximum, np.minimum))
        widths = np.subtract(*ends).max(axis=1)
        if (widths > _CONSTANT).all():
            continue
        column = table.real_names()[int(np.argmin(widths))]
        raise CollinearError(
            f"column {quoted(column)} is constant within each level of {quoted(name)}, to "
            "a millionth of its spread, so the level determines it",
            remedy="leave out one of the two",
            code="collinear",
            columns=(name, column),
        )
