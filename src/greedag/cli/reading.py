"""What the cells of a table are read as: numbers, levels, or what their first value is."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from greedag.errors import OptionError, listed, quoted, unknown_column

Kind = Literal["continuous", "discrete"]
Kinds = Mapping[str, Kind] | Kind
Role = Literal["numbers", "levels", "open"]

WORDS = ("continuous", "discrete")
OF_NUMBERS = ("gaussian-bic", "extended-bic", "bge")
OF_LEVELS = ("discrete-bic", "bdeu")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a score and a caller say about the columns of a table."""

    score: str = "gaussian-bic"
    kinds: Kinds | None = None
    missing: str = "error"
    weights: str | None = None

    def role(self, name: str) -> Role:
        """Return what a column is read as; an open one is what its first value is."""
        if name == self.weights:
            return "numbers"
        kind = self.kinds if isinstance(self.kinds, str) else (self.kinds or {}).get(name)
        if kind is not None:
            return "levels" if kind == "discrete" else "numbers"
        if self.score in OF_NUMBERS:
            return "numbers"
        return "levels" if self.score in OF_LEVELS else "open"

    def may_be_missing(self, name: str) -> bool:
        """Whether a column may have missing values, which are left to `learn`."""
        return self.missing != "error" and name != self.weights

    @property
    def takes_moments(self) -> bool:
        """Whether moments of single files will do, if all columns hold numbers."""
        return self.is_of_numbers and self.weights is None

    @property
    def is_of_numbers(self) -> bool:
        """Whether moments will do, if all columns hold numbers."""
        told = (self.kinds,) if isinstance(self.kinds, str) else (self.kinds or {}).values()
        is_whole = self.missing == "error" and "discrete" not in told
        return is_whole and self.score in (*OF_NUMBERS, "auto")

    def check_columns(self, names: Sequence[str]) -> None:
        """Raise if something is said about a column that is not there."""
        if self.weights is not None and self.weights not in names:
            raise unknown_column(self.weights, names)
        for name in () if isinstance(self.kinds, str) else self.kinds or ():
            if name not in names:
                raise unknown_column(name, names)


def kinds_from(lists: Sequence[str]) -> Kinds | None:
    """Read the option ``--kinds``: one word for all columns, or ``a=discrete,b=continuous``.

    Raises
    ------
    OptionError
        If it is neither, or says something of a column twice.
    """
    if len(lists) == 1 and lists[0] in WORDS:
        return cast(Kind, lists[0])
    told: dict[str, Kind] = {}
    for item in _items(lists):
        name, _, word = item.rpartition("=")
        if not name or word not in WORDS:
            raise OptionError(
                f"--kinds: cannot read {quoted(item)}; give continuous or discrete for all "
                "columns, or a list such as a=discrete,b=continuous"
            )
        if name in told:
            raise OptionError(f"--kinds names {quoted(name)} twice")
        told[name] = cast(Kind, word)
    return told or None


def _items(lists: Sequence[str]) -> list[str]:
    try:
        # As a line of a CSV file, so that a name with a comma can be quoted.
        rows = list(csv.reader(lists, skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise OptionError(
            f"--kinds: cannot read {listed(lists)} as a list with commas between: {error}"
        ) from error
    if len(rows) != len(lists) or any(not row for row in rows):
        raise OptionError("--kinds is empty; give a list such as a=discrete,b=continuous")
    return [item for row in rows for item in row]
