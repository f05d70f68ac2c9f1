"""Scores of discrete columns. Both are the same for all members of a class.

With ``missing="test-wise"``, the gain of an edge between x and y given E is that of the score on
the m rows that have x, y and all of E, times n/m; the BIC's penalty is that of all n rows. Both
models are compared on the same rows, so that a gain has its right sign in the limit if values are
missing completely at random, and GES then finds the true class. What is lost: gains are no longer
differences of one total. That of a class is taken from one fixed member, as the scores of its
columns alone, each on the rows that have it, times n/m too, and the gains of each one's parents in
ascending order; other members may score otherwise. XGES keeps a trial only if this total rises, so
that it ends; steps in between that run in a cycle are cut, and the result says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from greedag import _core
from greedag._options import as_real, checked_alpha
from greedag._progress import interruptible
from greedag.data.kinds import Kind
from greedag.data.rows import SelectedRows
from greedag.errors import OptionError, quoted
from greedag.scores.base import Prepared, Score, notes_of
from greedag.statistics.levels import Levels, count_levels

_LARGEST_PRIOR = 1e9


class LevelScore(Score):
    """What scores of discrete columns share: they are computed from levels."""

    __slots__ = ()

    needs: ClassVar[type] = Levels
    takes: ClassVar[Kind | None] = "discrete"
    least: ClassVar[tuple[int, int]] = (2, 1)
    missing: ClassVar[tuple[str, ...]] = ("error", "drop", "test-wise")
    effects: ClassVar[str] = (
        "Effects may have any form: each combination of levels of the parents has probabilities of "
        "its own. The order of levels is not used, and where there are many combinations, few rows "
        "are left for each."
    )
    missing_reason: ClassVar[str] = "EM is for continuous columns"

    def most_exact(self, statistics: Levels) -> tuple[int, str]:
        """Return how many columns an exact search takes, and the reason if they are few."""
        if statistics.missing:
            return _core.MOST_EXACT_OWN_SCORE, " with missing values"
        return _core.MOST_EXACT, ""

    def prepare(self, rows: SelectedRows, kinds: tuple[Kind, ...]) -> Prepared:
        """Return the levels of a table."""
        levels = count_levels(rows)
        return Prepared(levels, rows.source.has_own_names, notes_of(levels))


@dataclass(frozen=True, slots=True)
class DiscreteBIC(LevelScore):
    """The BIC of discrete columns: log-likelihood less a penalty for each free probability.

    Missing values may be left out test-wise: see ``greedag.scores.discrete``.

    Parameters
    ----------
    alpha : float
        Weight of the penalty: alpha/2 log n for each of the (r - 1) q probabilities of a column
        with r levels, whose parents have q combinations of levels. 1 is the usual BIC; larger
        gives fewer edges.
    """

    alpha: float = 1.0
    name: ClassVar[str] = "discrete-bic"
    in_words: ClassVar[str] = (
        "The discrete BIC: how well tables of probabilities with these edges fit, minus "
        "α/2 · log(rows) for each probability"
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", checked_alpha(self.alpha))

    def bind(self, statistics: Levels, *, check: bool = True) -> _core.Score:
        """Return the engine's score of these levels; DataError if a column has only one."""
        kind = _core.testwise_bic if statistics.missing else _core.DiscreteBic
        return _bound(kind, statistics, check, self.alpha)


@dataclass(frozen=True, slots=True)
class BDeu(LevelScore):
    """The marginal likelihood of discrete columns under a uniform Dirichlet prior (BDeu).

    Missing values may be left out test-wise: see ``greedag.scores.discrete``.

    Parameters
    ----------
    equivalent_sample_size : float
        How many rows the prior is worth, spread evenly over all combinations of levels; larger
        gives more edges. 1 came nearest to the truth of the networks in ``benchmarks/prior.py``.
    """

    equivalent_sample_size: float = 1.0
    name: ClassVar[str] = "bdeu"
    in_words: ClassVar[str] = (
        "BDeu: the log probability of the data given these edges, under an equivalent uniform "
        "Dirichlet prior"
    )

    def __post_init__(self) -> None:
        rows = as_real(self.equivalent_sample_size)
        if not 0.0 < rows <= _LARGEST_PRIOR:
            raise OptionError(
                "equivalent_sample_size must be a number above 0, at most 1e9; "
                f"got {quoted(self.equivalent_sample_size)}"
            )
        object.__setattr__(self, "equivalent_sample_size", rows)

    def bind(self, statistics: Levels, *, check: bool = True) -> _core.Score:
        """Return the engine's score of these levels; DataError if a column has only one."""
        kind = _core.testwise_bdeu if statistics.missing else _core.BDeu
        return _bound(kind, statistics, check, self.equivalent_sample_size)


def _bound(kind: Any, levels: Levels, check: bool, option: float) -> _core.Score:
    if check:
        levels.check_variation()
    score: _core.Score = interruptible(
        "preparing the score", len(levels.counts), _made, kind, levels, option
    )
    return score


def _made(kind: Any, levels: Levels, option: float) -> Any:
    return kind(levels.codes.astype("uint32"), levels.sizes, levels.counts, option)
