"""What every score has, and what it is given."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol

from greedag import _core
from greedag._options import fields_by_name
from greedag.data.kinds import Kind
from greedag.data.rows import SelectedRows
from greedag.errors import DataError, Note, OptionError, only_python, option, quoted
from greedag.statistics.fingerprint import Fingerprint

Option = float | int | str | None


class Statistics(Protocol):
    """What a score needs of a table: `Moments`, `Levels`, `MixedTable`, …"""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""

    @property
    def n(self) -> float:
        """Number of rows."""

    def fingerprint(self) -> Fingerprint | None:
        """Return a fingerprint by which the data can be recognised, if they are known."""


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """Statistics of a table, whether their names are the table's own, and what to note."""

    statistics: Any
    has_own_names: bool
    notes: tuple[Note, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What was said about the table, as results list it."""
    files: tuple[str, ...] = ()
    """Where the table was read from, if its files are known by name."""
    rows: tuple[SelectedRows, ...] = ()
    """What was counted, for counting parts of it: all rows, or those of each environment."""
    kinds: tuple[Kind, ...] = ()
    """As the score was told them."""
    held_out: Any = None
    """Statistics of the rows that are not learned from, if some are held out."""
    held_out_rows: tuple[SelectedRows, ...] = ()
    """These rows, as `rows`."""


class Score(ABC):
    """A score with its options, before it has met data, and the facts about it.

    Attributes
    ----------
    name : str
        By which `learn` knows it.
    needs : type
        The statistics that it is computed from.
    takes : str or None
        The kind that it takes every column for; None if columns may be of either.
    least : tuple of int
        The fewest rows and columns.
    missing : tuple of str
        What it can do about missing values, and the reason why nothing else.
    refuses_exact_fits : bool
        Whether parents that determine a column are refused, as are collinear columns.
    in_words : str
        What it is, for a report.
    effects : str
        Which forms of effects it knows, in sentences for a report.
    overlooks : tuple of str
        Which it does not know, in a few words each; none if it knows all, or that is not known.
    is_equivalent : bool
        Whether all members of a class score the same. If not, the search is among DAGs.
    directs_by : str
        The kind of evidence by which it directs edges that a class leaves undirected; empty if it
        directs none.
    least_share : float
        The part of the strength of an edge that its margin must be, for its direction to count as
        told by the data.
    chooses_alpha : bool
        Whether its alpha depends on the numbers of rows and columns where `learn` is given none.
    before : mapping
        Options that older files do not hold, with what the score then did.
    """

    __slots__ = ()

    name: ClassVar[str]
    needs: ClassVar[type]
    takes: ClassVar[Kind | None] = None
    least: ClassVar[tuple[int, int]] = (1, 1)
    missing: ClassVar[tuple[str, ...]] = ("error", "drop")
    missing_reason: ClassVar[str] = ""
    refuses_exact_fits: ClassVar[bool] = False
    in_words: ClassVar[str]
    effects: ClassVar[str]
    overlooks: ClassVar[tuple[str, ...]] = ()
    is_equivalent: ClassVar[bool] = True
    directs_by: ClassVar[str] = ""
    least_share: ClassVar[float] = 0.0
    chooses_alpha: ClassVar[bool] = False
    before: ClassVar[Mapping[str, Option]] = {}

    # By name, as results list them among their settings.
    options: Callable[..., Mapping[str, Option]] = fields_by_name

    def with_alpha(self, alpha: float) -> Score:
        """Return the score with another weight of the penalty, if it has one."""
        score: Any = self
        changed: Score = replace(score, alpha=alpha)
        return changed

    def check_missing(self, missing: str) -> None:
        """Raise if this score cannot treat missing values so."""
        if missing not in self.missing:
            *words, last = (f"'{word}'" for word in self.missing)
            raise OptionError(
                f"missing must be {', '.join(words)} or {last}: {self.missing_reason}; "
                f"got {quoted(missing)}",
                code="missing-option",
            )

    def check_few_columns(self, statistics: Statistics) -> None:
        """Raise if an exact search would compare the sets of too many columns."""
        most, why = self.most_exact(statistics)
        d = len(statistics.names)
        if d > most:
            raise DataError(
                f"an exact search{why} takes at most {most} columns, because it compares all sets "
                f"of them; the table has {d}: choose {most} of them, or ",
                option("search", "xges"),
                only_python(", whose result.gap bounds how much the score can still rise"),
                code="too-many-columns",
            )

    def most_exact(self, statistics: Any) -> tuple[int, str]:
        """Return how many columns an exact search takes, and the reason if they are few."""
        return _core.MOST_EXACT, ""

    @abstractmethod
    def prepare(self, rows: SelectedRows, kinds: tuple[Kind, ...]) -> Prepared:
        """Return the statistics of a table, whose columns are of certain kinds."""

    def prepared(self, statistics: Any) -> Prepared:
        """Return statistics that were counted elsewhere."""
        return Prepared(statistics, False, notes_of(statistics))

    def linear(self, statistics: Any) -> _core.Score | None:
        """Return a score of lines on the same statistics, whose class a search starts from."""
        return None

    def least_margin(self, statistics: Any) -> float:
        """Return the margin above which the direction of an edge counts as told by the data."""
        return math.inf

    @abstractmethod
    def bind(self, statistics: Any, *, check: bool = True) -> _core.Score:
        """Return the engine's score of these data, or say why they cannot be scored.

        Without `check`, data that have passed before are not looked at again.
        """


class LocalScore(Protocol):
    """What a custom score offers."""

    def local_score(self, y: int, parents: tuple[int, ...], /) -> float:
        """Score a column, given by index, with its parents, in ascending order."""


def notes_of(statistics: Any) -> tuple[Note, ...]:
    """Return what statistics have to note of themselves."""
    return tuple(statistics.notes()) if hasattr(statistics, "notes") else ()
