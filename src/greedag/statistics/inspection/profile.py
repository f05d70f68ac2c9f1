"""One look at each column: what it holds, which values are missing, how they are spread."""

from __future__ import annotations

import datetime
import numbers
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from greedag.data.kinds import are_few
from greedag.data.markers import number_in
from greedag.data.missing import Mask
from greedag.data.source import Floats, MemorySource
from greedag.errors import DataTypeError

Holds = Literal["numbers", "text", "truth", "dates", "mixed", "other", "nothing"]
_DATES = (
    r"\d{4}-\d{1,2}-\d{1,2}([ T]\d.*)?",
    r"\d{4}/\d{1,2}(/\d{1,2})?( \d.*)?",
    r"\d{1,2}[/.-]\d{1,2}[/.-](\d{2}|\d{4})( \d.*)?",
    r"\d{4}-\d{2}",
    r"\d{4}-?Q[1-4]",
    r"(\d{1,2}[ -])?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?[ ,-].*\d{2,4}",
    r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[ap]m)?",
)
_DATE = re.compile("|".join(f"({pattern})" for pattern in _DATES), re.IGNORECASE)
_LOOKED_AT = 500
# Numbers as they are written for people: 1,251 or $3.50 or 0.35%.
_FORMATTED = re.compile(
    r"[-+(]?\s*[$€£¥]?\s*[-+]?(\d{1,3}([,' ]\d{3})+|\d+)?([.,]\d+)?\s*[%€$£¥]?\)?"
)


@dataclass(eq=False)
class Profile:
    """A column, and what a look at its values shows.

    Attributes
    ----------
    name : str
    holds : str
        What its values are.
    missing : ndarray of bool
        Which are missing.
    values : ndarray
        As the table holds them; what stands where they are missing means nothing.
    is_category : bool
        Whether the table itself says that they are levels.
    is_ordered : bool
        Whether the levels have an order there.
    """

    name: str
    holds: Holds
    missing: Mask
    values: NDArray[Any]
    is_category: bool = False
    is_ordered: bool = False
    type_names: tuple[str, ...] = field(default=())

    @property
    def n(self) -> int:
        """Number of values that are there."""
        return len(self.missing) - self.n_missing

    @cached_property
    def n_missing(self) -> int:
        """Number of values that are missing."""
        return int(self.missing.sum())

    @cached_property
    def numbers(self) -> Floats:
        """The column as doubles, NaN where it is missing."""
        doubles = np.asarray(self.values, dtype=np.float64)
        return np.where(self.missing, np.nan, doubles) if self.n_missing else doubles

    @cached_property
    def ascending(self) -> Floats:
        """The finite numbers in ascending order."""
        numbers = self.numbers
        return np.sort(numbers[np.isfinite(numbers)])

    @cached_property
    def distinct(self) -> int:
        """Number of distinct values."""
        if self.holds != "numbers":
            return len(self.levels)
        return int((np.diff(self.ascending) != 0.0).sum()) + int(self.ascending.size > 0)

    @property
    def first(self) -> Any:
        """The first value that is there."""
        return self.values[int(np.argmax(~self.missing))]

    @cached_property
    def is_whole(self) -> bool:
        """Whether all numbers are whole."""
        return bool((self.ascending == np.rint(self.ascending)).all())

    @cached_property
    def _encoded(self) -> tuple[NDArray[np.int64], dict[Any, int]]:
        places: dict[Any, int] = {}
        codes = np.full(len(self.missing), -1, dtype=np.int64)
        present = self.values[~self.missing].tolist()
        try:
            found = [places.setdefault(value, len(places)) for value in present]
        except TypeError:  # values that cannot be hashed
            found = [places.setdefault(repr(value), len(places)) for value in present]
        codes[~self.missing] = found
        return codes, places

    @property
    def codes(self) -> NDArray[np.int64]:
        """For each row the place of its value, in the order in which they come; -1 if missing."""
        return self._encoded[0]

    @property
    def levels(self) -> tuple[Any, ...]:
        """The distinct values, in the order in which they come."""
        return tuple(self._encoded[1])

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How often each level occurs."""
        return np.bincount(self.codes[~self.missing], minlength=len(self.levels))

    @cached_property
    def spelled_numbers(self) -> float:
        """Which part of a text spells numbers, be it with a percent sign or the like."""
        if self.holds != "text" or not self.levels:
            return 0.0
        spelled = np.array([is_number(str(level)) for level in self.levels])
        return float(self.counts[spelled].sum() / self.counts.sum())

    @cached_property
    def is_date(self) -> bool:
        """Whether it holds dates or times."""
        if self.holds == "dates":
            return True
        if self.holds == "text" and self.levels:
            looked = self.levels[:_LOOKED_AT]
            fitting = sum(_DATE.fullmatch(str(level).strip()) is not None for level in looked)
            return fitting >= 0.95 * len(looked)
        return self.holds == "numbers" and _are_written_dates(self.ascending)

    @cached_property
    def is_sorted(self) -> bool:
        """Whether the rows are in order of this column, which has more than a few values."""
        if self.holds == "numbers":
            numbers = self.numbers[~self.missing]
            if self.distinct <= 2:
                return False
            steps = np.diff(numbers)
            return bool((steps >= 0.0).all() or (steps <= 0.0).all())
        codes = self.codes[~self.missing]
        return len(self.levels) > 1 and bool((np.diff(codes) >= 0).all())

    @property
    def has_few(self) -> bool:
        """Whether it holds numbers with so few values that they may be codes."""
        if self.holds != "numbers":
            return False
        return are_few(self.distinct, self.n, are_floats=not self.is_whole)


def profiles_of(source: MemorySource) -> list[Profile]:
    """Look at every column of a table."""
    return [_profile(source, j) for j in range(source.shape[1])]


def is_number(text: str) -> bool:
    """Whether a text spells a number, as computers or as people write it."""
    if number_in(text) is not None:
        return True
    has_digit = any(letter.isdigit() for letter in text)
    return has_digit and _FORMATTED.fullmatch(text.strip()) is not None


def _profile(source: MemorySource, j: int) -> Profile:
    name = source.names[j]
    try:
        values = source.values(j)
    except DataTypeError:
        return Profile(name, "other", source.missing(j), np.full(source.n, None))
    held, missing = np.ma.getdata(values), source.missing(j)
    kind = held.dtype.kind
    is_category = source.is_category(j)
    if missing.all():
        return Profile(name, "nothing", missing, held)
    if is_category:
        ordered = source.is_ordered(j)
        return Profile(name, "text", missing, held.astype(object), True, ordered)
    if kind in "iuf":
        return Profile(name, "numbers", missing, held)
    if kind == "b":
        return Profile(name, "truth", missing, held)
    if kind in "mM":
        return Profile(name, "dates", missing, held)
    if kind in "UST":
        return Profile(name, "text", missing, held.astype(object))
    if kind == "O":
        return _profile_of_objects(name, held, missing)
    return Profile(name, "other", missing, held)


def _profile_of_objects(name: str, held: NDArray[Any], missing: Mask) -> Profile:
    types = set(map(type, held[~missing].tolist()))
    names = tuple(sorted(kind.__name__ for kind in types))
    if all(issubclass(kind, (bool, np.bool_)) for kind in types):
        return Profile(name, "truth", missing, held)
    if all(issubclass(kind, str) for kind in types):
        return Profile(name, "text", missing, held)
    dates = (datetime.date, datetime.time, datetime.timedelta, np.datetime64)
    if all(issubclass(kind, dates) for kind in types):
        return Profile(name, "dates", missing, held)
    if all(issubclass(kind, numbers.Real) for kind in types):
        try:
            doubles = np.array(
                [np.nan if m else float(v) for v, m in zip(held, missing, strict=True)]
            )
            return Profile(name, "numbers", missing, doubles)
        except OverflowError:
            return Profile(name, "other", missing, held, type_names=names)
    are_scalars = all(issubclass(kind, (str, numbers.Real, *dates)) for kind in types)
    holds: Holds = "mixed" if are_scalars and len(types) > 1 else "other"
    return Profile(name, holds, missing, held, type_names=names)


def _are_written_dates(ascending: Floats) -> bool:
    """Whether whole numbers are dates such as 20240131."""
    if ascending.size < 2 or not 1.8e7 < ascending[0] <= ascending[-1] < 2.2e7:
        return False
    month, day = ascending // 100 % 100, ascending % 100
    is_whole = (ascending == np.rint(ascending)).all()
    return bool(is_whole and ((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all())
