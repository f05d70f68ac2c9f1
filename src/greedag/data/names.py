"""Names of columns, of tables and of graphs, checked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag.errors import DataError, DataTypeError, listed, quoted

# What the first column is called where R or pandas wrote the names of the rows into a file.
UNNAMED = ("", "Unnamed: 0")
# What Arrow calls an index that has no name.
_UNNAMED = re.compile(r"__index_level_\d+__")


def checked_names(labels: Iterable[object]) -> tuple[str, ...]:
    """Return labels as names: text, none empty, all distinct."""
    labels = tuple(labels)
    names = tuple(str(label) for label in labels)
    for place, (label, name) in enumerate(zip(labels, names, strict=True)):
        if isinstance(label, tuple):
            raise DataError(
                f"column {place} has the multi-level name {quoted(label)}; flatten the "
                "names first, such as df.columns = ['_'.join(map(str, c)) for c in df.columns]"
            )
        if not name.strip() or label is None or label != label:
            raise DataError(
                f"column {place} (counting from 0) has no name (it is {quoted(label)}); "
                "give every column a name of its own"
            )
    _check_distinct(names)
    return names


def names_of(names: Iterable[object], d: int) -> tuple[str, ...]:
    """Return the names that a caller gives to `d` columns, if there is one for each."""
    return checked_names(_one_for_each(names, d))


def graph_names(names: Iterable[object] | None, d: int) -> tuple[str, ...]:
    """Return the names that a caller gives to the `d` columns of a graph; default ones for None.

    Any text will do, if all are distinct: a graph may come from a format that allows more.
    """
    if names is None:
        return default_names(d)
    labels = _one_for_each(names, d)
    odd = next((label for label in labels if not isinstance(label, str)), None)
    if odd is not None:
        raise DataTypeError(f"names must be strings; got {quoted(odd)}")
    checked = tuple(str(label) for label in labels)
    _check_distinct(checked)
    return checked


def default_names(d: int) -> tuple[str, ...]:
    """Return the names of columns that have none of their own."""
    return tuple(f"x{column}" for column in range(d))


def pandas_index(schema: Any) -> tuple[str, ...]:
    """Return the columns of an Arrow schema that hold the index of a pandas frame without a name.

    An index that has been given one may be a variable like any other.
    """
    stored = None
    with suppress(ValueError):  # whoever wrote the file, it may be no JSON
        stored = schema.pandas_metadata
    index = stored.get("index_columns", ()) if isinstance(stored, dict) else ()
    # The index of a frame that was never sorted or cut is a range, and no column.
    return tuple(name for name in schema.names if name in index and _UNNAMED.fullmatch(name))


def are_row_names(values: NDArray[Any]) -> bool:
    """Whether values are whole numbers, each one more than the last, or texts that all differ."""
    if len(values) < 2 or np.ma.is_masked(values):
        return False
    if values.dtype.kind in "iuf":
        return bool((np.diff(values) == 1).all() and values[0] == np.floor(values[0]))
    texts = values.tolist()
    return all(isinstance(text, str) for text in texts) and len(set(texts)) == len(texts)


def own_names(matrix: object, names: Iterable[str] | None) -> Iterable[str] | None:
    """Return the labels of an adjacency matrix that has some, else the names that a caller gives.

    Raises
    ------
    DataError
        If the caller's names are others than the labels.
    """
    labels = _labels_of(matrix)
    if labels is None or names is None:
        return names if labels is None else labels
    given = graph_names(names, len(labels))
    if given != labels and not _is_numbering(labels):
        place, label, name = _first_difference(labels, given)
        raise DataError(
            f"column {place} (counting from 0) of the matrix is labelled {quoted(label)}, but "
            f"names= says {quoted(name)}; leave out names=, or pass the matrix without labels"
        )
    return given


def labels_among(matrix: object, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the labels of an adjacency matrix over columns `names`; those, if it has none."""
    labels = _labels_of(matrix)
    # What pandas numbers by itself says nothing, unless the columns are numbers too.
    if labels is None or (_is_numbering(labels) and set(labels) != set(names)):
        return names
    return labels


def places_of(names: tuple[str, ...], labels: tuple[str, ...]) -> list[int]:
    """Return the places of the data's columns among the labels of a graph.

    Raises
    ------
    DataError
        If the data have other columns.
    """
    odd = sorted(set(labels) ^ set(names))
    if odd:
        raise DataError(
            f"the graph and the data have different columns; only one of them has "
            f"{listed(odd)}; give the data the column names of the graph, for example with "
            "Moments.from_data(table, names=graph.names)"
        )
    place = {label: i for i, label in enumerate(labels)}
    return [place[name] for name in names]


def _labels_of(matrix: Any) -> tuple[str, ...] | None:
    """Return the names that the columns of a table bear, and its rows if they bear any."""
    columns = getattr(matrix, "column_names", getattr(matrix, "columns", None))
    if columns is None:
        return None
    labels = checked_names(columns)
    rows = tuple(str(label) for label in getattr(matrix, "index", labels))
    says_nothing = _is_numbering(rows) and set(rows) != set(labels)
    # A table of another shape is refused by those who read its cells.
    if len(rows) == len(labels) and rows != labels and not says_nothing:
        place, row, label = _first_difference(rows, labels)
        raise DataError(
            f"row {place} (counting from 0) of the matrix is labelled {quoted(row)}, but column "
            f"{place} is {quoted(label)}; put both in the same order, for example with "
            "matrix.loc[names, names]"
        )
    return labels


def _is_numbering(labels: tuple[str, ...]) -> bool:
    return labels == tuple(str(place) for place in range(len(labels)))


def _first_difference(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[int, str, str]:
    return next((i, *pair) for i, pair in enumerate(zip(a, b, strict=True)) if pair[0] != pair[1])


def _one_for_each(names: Iterable[object], d: int) -> tuple[object, ...]:
    """Return what a caller gives as names, if it is in order and one for each of `d` columns."""
    # A set has no order, so that its names could end at the wrong columns.
    if not hasattr(names, "__getitem__") or isinstance(names, (str, bytes, dict)):
        raise DataTypeError(f"names must be a list of {d} names, got {quoted(names)}")
    labels = tuple(names)
    if len(labels) != d:
        raise DataError(f"there are {len(labels)} names for {d} columns; pass one for each")
    return labels


def _check_distinct(names: tuple[str, ...]) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataError(
            f"several columns are called {listed(repeated)}; rename or drop them so that every "
            "name is used once"
        )
