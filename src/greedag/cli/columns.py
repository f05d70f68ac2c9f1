"""Which columns of a table to read."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass

from greedag.errors import DataError, OptionError, listed, quoted, unknown_column


@dataclass(frozen=True, slots=True)
class Choice:
    """Columns to keep, all if there are none, and columns to leave out."""

    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    def positions(self, names: Sequence[str]) -> list[int]:
        """Return the places of the chosen columns among `names`, in the order that was asked for.

        Raises
        ------
        DataError
            If there is no such column, or none is left.
        """
        for name in (*self.keep, *self.drop):
            if name not in names:
                raise unknown_column(name, names)
        dropped = set(self.drop)
        place = {name: j for j, name in enumerate(names)}
        chosen = [place[name] for name in (self.keep or names) if name not in dropped]
        if not chosen:
            raise DataError("no column is left; drop fewer of them")
        return chosen

    def with_weights(self, name: str | None) -> Choice:
        """Return the choice with a column of weights among those to keep.

        Raises
        ------
        OptionError
            If it is among those to leave out.
        """
        if name in self.drop:
            raise OptionError(f"--weights needs {quoted(name)}, which --drop leaves out")
        if name is None or not self.keep or name in self.keep:
            return self
        return Choice((*self.keep, name), self.drop)


def choice_of(columns: Sequence[str], drop: Sequence[str]) -> Choice:
    """Read the options ``--columns`` and ``--drop``: lists with commas, each given any number of
    times.

    Raises
    ------
    OptionError
        If a list cannot be read or names a column twice.
    """
    return Choice(_split("--columns", columns), _split("--drop", drop))


def _split(option: str, lists: Sequence[str]) -> tuple[str, ...]:
    try:
        # As a line of a CSV file, so that a name with a comma can be quoted.
        rows = list(csv.reader(lists, skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise OptionError(
            f"{option}: cannot read {listed(lists)} as names with commas between: {error}"
        ) from error
    names = [name for row in rows for name in row]
    if len(rows) != len(lists) or not all(names) or any(not row for row in rows):
        raise OptionError(f"{option} holds an empty name; give names with commas between")
    twice = next((name for j, name in enumerate(names) if name in names[:j]), None)
    if twice is not None:
        raise OptionError(f"{option} names {quoted(twice)} twice")
    return tuple(names)
