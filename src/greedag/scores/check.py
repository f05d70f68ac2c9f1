"""Whether a score gives all DAGs of a class the same."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from greedag import _core
from greedag._options import checked_whole
from greedag.data.names import default_names
from greedag.errors import OptionError, quoted
from greedag.scores.base import LocalScore, Score
from greedag.scores.custom import (
    LocalScoreFunction,
    is_custom,
    is_local_score,
    no_score,
)
from greedag.scores.select import ScoreName, checked_score, prepare

# Scores are sums of many terms: what differs by less than this part of them is rounding.
_ROUNDING = 1e-9
_MOST_PARENTS = 4

Edges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class ScoreCheck:
    """How a score did on DAGs that differ by one covered edge, and so belong to one class.

    Attributes
    ----------
    ok : bool
        Whether all pairs scored the same, up to rounding.
    worst : float
        The largest difference that was seen, as compared with the scores.
    dag, turned : tuple of (int, int)
        The pair of DAGs that shows it: their edges as (parent, child), columns by index. The
        second has one edge of the first reversed.
    scores : tuple of (float, float)
        What the two score, without the columns that have no parents in either.
    tries : int
        How many pairs were scored.
    """

    ok: bool
    worst: float
    dag: Edges
    turned: Edges
    scores: tuple[float, float]
    tries: int

    def __str__(self) -> str:
        if self.ok:
            return (
                f"score equivalent on {self.tries} covered reversals; "
                f"the largest difference is {self.worst:.3g}"
            )
        one, other = (_phrase(edges) for edges in (self.dag, self.turned))
        return (
            f"not score equivalent: {one} scores {self.scores[0]:.10g} and {other} scores "
            f"{self.scores[1]:.10g}, though both belong to one class; what a search over classes "
            "finds with it depends on the order of the columns: to search among DAGs, set "
            "is_equivalent = False on the score, or pass search='orders' to learn"
        )


def check_score(
    score: ScoreName | Score | LocalScore,
    data: Any = None,
    *,
    d: int | None = None,
    tries: int = 200,
    seed: int = 0,
) -> ScoreCheck:
    """Test whether a score is score equivalent, on random covered reversals.

    An edge x → y is *covered* if y has the parents of x and x itself. Turning it stays in the
    class, and such reversals lead from any DAG of a class to any other, so that a score is
    equivalent if and only if none of them changes it.

    Parameters
    ----------
    score : object with local_score, or any score of `learn`
        The score; see :mod:`greedag.scores.custom`.
    data : table, optional
        As for :func:`greedag.learn`; custom scores do not need it.
    d : int, optional
        Number of columns, if there are no data and the score has no ``names``.
    tries : int
        How many reversals to look at.
    seed : int
        Decides which.

    Returns
    -------
    ScoreCheck
        Print it for a sentence.

    Raises
    ------
    OptionError
        If an option is out of range or `d` is not known.
    ScoreError
        If a local score is not a number.

    Examples
    --------
    >>> class FewParents:
    ...     def local_score(self, y, parents):
    ...         return -(len(parents) ** 2)
    >>> check_score(FewParents(), d=5).ok
    True
    """
    asked, columns = _asked(score, data, d)
    tries = checked_whole("tries", tries, least=1)
    random = np.random.default_rng(checked_whole("seed", seed, least=0))
    ask = _checked(asked, columns)
    pairs = [_Pair.drawn(ask, random, len(columns)) for _ in range(tries)]
    worst = max(pairs, key=lambda pair: (pair.share, pair.difference))
    return ScoreCheck(
        ok=worst.share <= _ROUNDING,
        worst=worst.difference,
        dag=worst.edges(worst.x, worst.y),
        turned=worst.edges(worst.y, worst.x),
        scores=worst.scores,
        tries=tries,
    )


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two DAGs in which x and y have the same other parents: with x → y, and with y → x."""

    x: int
    y: int
    parents: tuple[int, ...]
    scores: tuple[float, float]
    size: float

    @classmethod
    def drawn(cls, ask: LocalScoreFunction, random: np.random.Generator, d: int) -> _Pair:
        """Draw and score a pair."""
        others = int(random.integers(0, min(_MOST_PARENTS, d - 2) + 1))
        x, y, *rest = random.choice(d, 2 + others, replace=False).tolist()
        parents = tuple(sorted(rest))
        apart, adjacent = (
            (ask(x, parents), ask(y, parents)),
            (ask(x, tuple(sorted((*parents, y)))), ask(y, tuple(sorted((*parents, x))))),
        )
        scores = (apart[0] + adjacent[1], apart[1] + adjacent[0])
        return cls(x, y, parents, scores, sum(map(abs, (*apart, *adjacent))))

    @property
    def difference(self) -> float:
        """How far apart the two score; sets that cannot be scored are alike."""
        return 0.0 if self.scores[0] == self.scores[1] else abs(self.scores[0] - self.scores[1])

    @property
    def share(self) -> float:
        """The difference as a part of what was summed up."""
        if math.isinf(self.difference) or self.difference == 0.0:
            return self.difference
        return self.difference / max(1.0, self.size)

    def edges(self, parent: int, child: int) -> Edges:
        """Return the edges of the DAG in which one of the two is a parent of the other."""
        return (*((p, q) for p in self.parents for q in (parent, child)), (parent, child))


def _asked(
    score: Any, data: Any, d: int | None
) -> tuple[LocalScore | _core.Score, tuple[str, ...]]:
    """Return what is to be asked for local scores, and the columns."""
    if data is None:
        if not is_custom(score):
            raise OptionError(
                "without data, a score must have a method local_score(y, parents); "
                f"got {quoted(score)}"
            )
        return score, _columns(score, d)
    if d is not None:
        raise OptionError(f"d must be left out beside data; got {quoted(d)}")
    found, prepared = prepare(data, checked_score(score, None))
    statistics = prepared.statistics
    bound = found.bind(statistics)
    return score if is_custom(score) else bound, statistics.names


def _columns(score: Any, d: int | None) -> tuple[str, ...]:
    names = getattr(score, "names", None)
    if d is not None:
        count = checked_whole("d", d, least=2)
    elif names is not None:
        count = len(names)
    else:
        raise OptionError("the score has no names; pass the number of columns as d=")
    if names is not None and len(names) != count:
        raise OptionError(f"d is {count} and the score has {len(names)} names; leave d out")
    if count < 2:
        raise OptionError("equivalence takes at least two columns; the score has one")
    return default_names(count) if names is None else tuple(map(str, names))


def _checked(score: LocalScore | _core.Score, names: tuple[str, ...]) -> LocalScoreFunction:
    """Return the function that computes local scores, each once, and objects to what is none."""

    @cache
    def ask(y: int, parents: tuple[int, ...]) -> float:
        value = score.local_score(y, parents)
        if not is_local_score(value, has_parents=bool(parents)):
            raise no_score(score, y, parents, value, names)
        return float(value)

    return ask


def _phrase(edges: Edges) -> str:
    return "{" + ", ".join(f"{parent} → {child}" for parent, child in edges) + "}"
