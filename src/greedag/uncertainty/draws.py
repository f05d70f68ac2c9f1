"""Draws from the rows of a table, each to be learned from as a whole table would be."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from greedag._options import LearnOptions
from greedag.data.table import Floats
from greedag.errors import DataError, OptionError, quoted
from greedag.scores.base import Prepared, Score
from greedag.scores.blocks import Blocks, Counts, blocks_of, log_rows
from greedag.scores.interventional import Interventional
from greedag.scores.select import checked_score, prepare
from greedag.search.learn import with_chosen_alpha
from greedag.statistics.moments import Moments

Kind = Literal["halves", "bootstrap", "parametric"]
KINDS: tuple[Kind, ...] = ("halves", "bootstrap", "parametric")
_LARGEST_ALPHA = 1e300


class Draws(ABC):
    """Draws from a table, by number: the same for the same seed, in whatever order."""

    @abstractmethod
    def statistics(self, draw: int) -> Any:
        """Return what a score needs of a draw."""

    @abstractmethod
    def score(self, score: Score, statistics: Any, n: float) -> Score:
        """Return the score of a draw, from that of all n rows."""


@dataclass(frozen=True, slots=True)
class Halves(Draws):
    """Pairs of halves of the rows that have none in common (Shah & Samworth 2013).

    Draws 0 and 1 are such a pair, and so on. A half is penalised as all rows are: with the penalty
    of half the rows, more false edges would pass than in a search on all of them.
    """

    blocks: Blocks
    seed: int

    def counts(self, draw: int) -> Counts:
        """Return how often each block is drawn: once or never."""
        random = np.random.default_rng([self.seed, 0, draw // 2])
        chosen = [_half(random, size) for size in self.blocks.groups]
        first = np.concatenate(chosen)
        return first if draw % 2 == 0 else 1 - first

    def statistics(self, draw: int) -> Any:
        """Return what a score needs of a half."""
        return self.blocks.statistics(self.counts(draw))

    def score(self, score: Score, statistics: Any, n: float) -> Score:
        """Return the score with the penalty of all n rows."""
        return _penalised(score, lambda alpha: alpha * log_rows(n) / log_rows(statistics.n))


def _half(random: np.random.Generator, size: int) -> Counts:
    chosen = np.zeros(size, dtype=np.intp)
    # Of an odd number, either half may get one more.
    half = (size + int(random.integers(2))) // 2
    chosen[random.permutation(size)[:half]] = 1
    return chosen


@dataclass(frozen=True, slots=True)
class Bootstrap(Draws):
    """As many rows as there are, drawn with replacement.

    A draw has chance in it twice: that of the table, and that of drawing. This favours edges, for
    which half a point a parameter makes up in part (Steck & Jaakkola 2003).
    """

    blocks: Blocks
    seed: int

    def statistics(self, draw: int) -> Any:
        """Return what a score needs of a draw."""
        random = np.random.default_rng([self.seed, 1, draw])
        counts = [random.multinomial(size, np.full(size, 1 / size)) for size in self.blocks.groups]
        return self.blocks.statistics(np.concatenate(counts).astype(np.intp))

    def score(self, score: Score, statistics: Any, n: float) -> Score:
        """Return the score with half a point more for each parameter."""
        return _corrected(score, statistics.n)


@dataclass(frozen=True, slots=True)
class Parametric(Draws):
    """Moments of normal tables that are drawn from the moments of a table, without its rows."""

    whole: Moments
    root: Floats
    seed: int

    def statistics(self, draw: int) -> Moments:
        """Return the moments of as many rows, drawn from a normal distribution with these."""
        random = np.random.default_rng([self.seed, 2, draw])
        whole, d = self.whole, self.whole.d
        # Bartlett: a triangle of chi and normal variables in place of n rows.
        triangle = np.tril(random.standard_normal((d, d)), -1)
        triangle[np.diag_indices(d)] = np.sqrt(random.chisquare(whole.n - 1.0 - np.arange(d)))
        factor = self.root @ triangle
        zeros = np.zeros(d)
        scaled = factor @ factor.T / whole.n
        return Moments._of_units(whole.n, whole.names, zeros, zeros, scaled, whole._exponent, d + 1)

    def score(self, score: Score, statistics: Any, n: float) -> Score:
        """Return the score with half a point more for each parameter, as for a bootstrap."""
        return _corrected(score, n)


def _root(moments: Moments) -> Floats:
    try:
        return np.linalg.cholesky(moments._scaled).astype(np.float64, copy=False)
    except np.linalg.LinAlgError:
        raise DataError(
            "tables cannot be drawn from these moments: columns are collinear, or there are "
            "fewer rows than columns",
            remedy="drop columns, or pass the table itself",
            code="singular-moments",
        ) from None


def _corrected(score: Score, n: float) -> Score:
    return _penalised(score, lambda alpha: alpha + 1.0 / log_rows(n))


def _penalised(score: Score, change: Any) -> Score:
    """Return a score with another weight of the penalty, if it has one."""
    if isinstance(score, Interventional):
        return replace(score, score=_penalised(score.score, change))
    given: Any = score
    if not hasattr(given, "alpha"):
        return score
    changed: Score = replace(given, alpha=min(change(given.alpha), _LARGEST_ALPHA))
    return changed


def prepared_for_draws(data: Any, options: LearnOptions) -> tuple[Score, Prepared]:
    """Return the score and the statistics of all rows, with the rows to draw from."""
    score = checked_score(options.score, options.alpha)
    return with_chosen_alpha(*prepare(data, score, options.alpha, options.table), options)


def draws_of(prepared: Prepared, kind: str, seed: int) -> Draws:
    """Return draws of a kind from a table.

    Raises
    ------
    OptionError
        If there is no such kind, or it does not go with the data.
    DataError
        If there are no rows to draw from.
    """
    if kind not in KINDS:
        raise OptionError(f"kind must be 'halves', 'bootstrap' or 'parametric'; got {quoted(kind)}")
    if kind == "parametric":
        moments = _moments(prepared.statistics)
        return Parametric(moments, _root(moments), seed)
    blocks = blocks_of(prepared, seed)
    return Halves(blocks, seed) if kind == "halves" else Bootstrap(blocks, seed)


def _moments(statistics: Any) -> Moments:
    if not isinstance(statistics, Moments):
        raise OptionError(
            "kind must be 'halves' or 'bootstrap': parametric draws are normal tables, and the "
            f"score needs {type(statistics).__name__}; got 'parametric'"
        )
    if statistics.n <= statistics.d:
        raise DataError(
            f"parametric draws need more rows than columns; got {statistics.n:.10g} rows of "
            f"{statistics.d} columns",
            remedy="pass the table itself and draw halves",
            code="few-rows",
        )
    return statistics
