"""What every score has, and what it is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from greedag import _core
from greedag.data.table import Floats

Option = float | int | str | None


class Statistics(Protocol):
    """What a score needs of a table: `Moments`, `Levels` or `MixedTable`."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""

    @property
    def n(self) -> float:
        """Number of rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Statistics of a table, whether their names are the table's own, and what to note."""

    statistics: Any
    named: bool
    notes: tuple[str, ...] = ()


class Objective(Protocol):
    """A score with its options, before it has met data."""

    @property
    def name(self) -> str:
        """By which `learn` knows it."""

    def options(self) -> Mapping[str, Option]:
        """Return the options by name, as results list them among their settings."""

    def count(self, data: Any, *, weights: Floats | None = None, missing: str = "error") -> Counted:
        """Return the statistics of a table; statistics of the right kind are passed on.

        Weights are all above 0; ``missing="em"`` asks for estimates from what is there.
        """

    def engine(self, statistics: Any, *, check: bool = True) -> _core.Score:
        """Return the engine's score of these data, or say why they cannot be scored.

        Without `check`, data that have passed before are not looked at again.
        """


class LocalScore(Protocol):
    """What a score of the user's own offers."""

    def local_score(self, y: int, parents: tuple[int, ...], /) -> float:
        """Score a column, given by index, with its parents, in ascending order."""
