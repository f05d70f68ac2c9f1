"""Names of columns, checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from greedag.errors import DataError, DataTypeError, listed, quoted


def checked_names(labels: Iterable[object]) -> tuple[str, ...]:
    """Return labels as names: text, none empty, all distinct."""
    labels = tuple(labels)
    names = tuple(str(label) for label in labels)
    for place, (label, name) in enumerate(zip(labels, names, strict=True)):
        if isinstance(label, tuple):
            raise DataError(
                f"column {place} has the name {quoted(label)} of several levels; flatten the "
                "names first, such as df.columns = ['_'.join(map(str, c)) for c in df.columns]"
            )
        if not name.strip() or label is None or label != label:
            raise DataError(
                f"column {place} (counting from 0) has no name (it is {quoted(label)}); "
                "give every column a name of its own"
            )
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataError(
            f"several columns are called {listed(repeated)}; rename or drop them so that every "
            "name is used once"
        )
    return names


def names_of(names: Iterable[object], d: int) -> tuple[str, ...]:
    """Return the names that a caller gives to `d` columns, if there is one for each."""
    # A set has no order, so that its names could end at the wrong columns.
    if not hasattr(names, "__getitem__") or isinstance(names, (str, bytes, dict)):
        raise DataTypeError(f"names must be a list of {d} names, got {quoted(names)}")
    checked = checked_names(names)
    if len(checked) != d:
        raise DataError(f"there are {len(checked)} names for {d} columns; pass one for each")
    return checked


def default_names(d: int) -> tuple[str, ...]:
    """Return the names of columns that have none of their own."""
    return tuple(f"x{column}" for column in range(d))
