"""Custom scores: any object that computes local scores.

Such an object has a method ``local_score(y, parents)``. It is given the index of a column and the
indices of its parents, a tuple in ascending order, and returns a number, higher for better. The
total score of a DAG is the sum over its columns. ``-inf`` says that a set of parents cannot be
scored; a column without parents must have a finite score. If the object has ``names`` or ``n``,
they are compared with those of the data. What the columns hold is its own affair, so that
``kinds``, ``missing`` and ``sample_weight`` are left out.

The numbers depend on nothing but the arguments, because each is asked for once and kept (up to a
million of them). Unless it says otherwise, the score is *score equivalent*: DAGs of one class score
the same. A search goes from class to class, so with a score that is not it would depend on the
order of the columns what it finds: the gain of an edge between two columns is that of the one on
the left becoming a parent of the one on the right, given the same others.
:func:`greedag.check_score` tests a score. One that tells DAGs of a class apart has
``is_equivalent = False``. Then the search is among DAGs, and ``result.graph`` directs each edge
whose other direction scores lower in every DAG of the class; ``search="orders"`` searches so with
any score.

What the method raises leaves the search as it is. On Ctrl-C or at a time limit, only the scores of
the class so far are still asked for, at most one per column. The search runs on one thread.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NoReturn, TypeGuard

from greedag import _core
from greedag.data.kinds import Kind
from greedag.data.rows import SelectedRows
from greedag.errors import DataError, OptionError, ScoreError, listed, quoted
from greedag.scores.base import LocalScore, Option, Prepared, Score, Statistics

LocalScoreFunction = Callable[[int, tuple[int, ...]], float]


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of a table's columns, and how many rows it has."""

    names: tuple[str, ...]
    n: float

    def fingerprint(self) -> None:
        """Return None: what the columns hold is not known here."""


@dataclass(frozen=True, slots=True, eq=False)
class CustomScore(Score):
    """A custom score, as one of greedag's. Made by `learn`, not by users.

    Parameters
    ----------
    score : object with local_score
        The score.
    """

    score: LocalScore
    # An explanation goes on with what the search has asked for.
    _engines: dict[Columns, _core.CustomScore] = field(default_factory=dict, init=False, repr=False)
    name: ClassVar[str] = "custom"
    needs: ClassVar[type] = Columns
    in_words: ClassVar[str] = "Your custom score"
    effects: ClassVar[str] = (
        "Which forms of effects are considered is up to your custom score. So is whether all "
        "members of a class fit equally well, which greedag.check_score tests."
    )
    directs_by: ClassVar[str] = "score"
    missing: ClassVar[tuple[str, ...]] = ("error",)

    @property
    def is_equivalent(self) -> bool:  # type: ignore[override]
        """Whether all members of a class score the same, as the score itself says."""
        return bool(getattr(self.score, "is_equivalent", True))

    def least_margin(self, statistics: Statistics) -> float:
        """Return what is rounding: the score itself tells directions."""
        return _core.min_gain(statistics.n)

    def options(self) -> Mapping[str, Option]:
        """Return the class of the score, for settings to show."""
        return {"local_score": type(self.score).__name__}

    def check_missing(self, missing: str) -> None:
        """Raise unless nothing is said about missing values."""
        if missing != "error":
            raise OptionError(
                "missing must be left out: a custom score reads its own rows; handle missing "
                f"values there; got {quoted(missing)}"
            )

    def most_exact(self, statistics: Statistics) -> tuple[int, str]:
        """Return how many columns an exact search takes, and the reason."""
        return _core.MOST_EXACT_OWN_SCORE, " with a custom score"

    def prepare(self, rows: SelectedRows, kinds: tuple[Kind, ...]) -> Prepared:
        """Return the columns of a table; what they hold is not looked at."""
        if rows.weights is not None:
            raise OptionError("a custom score reads its own rows; apply weights there")
        columns = Columns(rows.source.names, rows.source.n)
        return Prepared(columns, rows.source.has_own_names)

    def prepared(self, statistics: Statistics) -> Prepared:
        """Return the columns of what was counted elsewhere."""
        return Prepared(Columns(tuple(statistics.names), statistics.n), False)

    def bind(self, statistics: Columns, *, check: bool = True) -> _core.Score:
        """Return the engine's score; DataError if the score is of other data."""
        if check or statistics not in self._engines:
            made = engine_of(self.score, statistics.names, statistics.n)
            self._engines[statistics] = made
        return self._engines[statistics]

    def __reduce__(self) -> tuple[Any, ...]:
        # The engine's side cannot be copied to another process, and is made again where needed.
        return CustomScore, (self.score,)


def is_custom(score: object) -> TypeGuard[LocalScore]:
    """Whether an object is a custom score."""
    return not isinstance(score, type) and callable(getattr(score, "local_score", None))


def engine_of(score: LocalScore, names: Sequence[str], n: float) -> _core.CustomScore:
    """Return the engine's side of a custom score.

    Parameters
    ----------
    score : object with local_score
        The score; its ``names`` and ``n``, if it has any, must be those that follow.
    names : sequence of str
        The columns, in the order of the indices that the score is asked about.
    n : float
        Number of rows; gains up to ``_core.min_gain(n)`` are taken for rounding.

    Raises
    ------
    DataError
        If the score belongs to other data.
    """
    _check_fits(score, names, n)

    def complain(y: int, parents: tuple[int, ...], value: object) -> NoReturn:
        raise no_score(score, y, parents, value, names)

    return _core.CustomScore(score.local_score, complain, len(names), _core.min_gain(n))


def no_score(
    score: object, y: int, parents: Sequence[int], value: object, names: Sequence[str]
) -> ScoreError:
    """Return the error for a local score that is not a number."""
    given = f"given {listed([names[x] for x in parents])}" if parents else "without parents"
    also = ", or -inf for parents that cannot be scored" if parents else ""
    return ScoreError(
        f"{type(score).__name__}.local_score({y}, {tuple(parents)}), the score of column "
        f"{quoted(names[y])} {given}, is {quoted(value)} of type {type(value).__name__}; it must "
        f"be a finite number{also}"
    )


def is_local_score(value: object, *, has_parents: bool) -> bool:
    """Whether a value may be returned as a local score."""
    try:
        number = math.nan if isinstance(value, (str, bytes)) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False
    return math.isfinite(number) or (has_parents and number == -math.inf)


def _check_fits(score: Any, names: Sequence[str], n: float) -> None:
    own_names, own_n = getattr(score, "names", None), getattr(score, "n", None)
    if isinstance(own_names, Iterable) and tuple(map(str, own_names)) != tuple(names):
        raise DataError(
            f"the score is of the columns {listed(tuple(own_names))} and the data have "
            f"{listed(names)}; give both the same columns in the same order"
        )
    if isinstance(own_n, numbers.Real) and own_n != n:
        raise DataError(
            f"the score is of {quoted(own_n)} rows and the data have {n}; "
            "pass the data that the score was made from"
        )
