"""What readers and writers share: collecting edges, and refusing names that a format cannot hold.

An *arc* is one arrow of a library that has arrows only; arcs both ways are an undirected edge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import ArrayLike

from greedag.data.names import graph_names
from greedag.errors import DataError, DataTypeError, Spelled, quoted
from greedag.graph.cpdag import CPDAG
from greedag.graph.mpdag import MAX_COLUMNS_READ, MPDAG

DIRECTED, UNDIRECTED = "directed", "undirected"


def check_type(given: object, *kinds: type) -> None:
    """Raise unless what is to be read is of one of these types."""
    if not isinstance(given, kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise DataTypeError(f"expected {wanted}, got {type(given).__name__}")


class GraphBuilder:
    """Columns and edges as they are read, in the order of their first mention."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._index: dict[str, int] = {}
        self._arcs: set[tuple[int, int]] = set()
        for name in names:
            self.column(name)

    def __contains__(self, name: str) -> bool:
        return name in self._index

    def column(self, name: str) -> int:
        """Return the index of a column, which is added if it is new."""
        if not isinstance(name, str):
            raise DataTypeError(f"names must be strings; got {quoted(name)}, rename it")
        if name not in self._index:
            check_size(len(self._index) + 1)
        return self._index.setdefault(name, len(self._index))

    def new_column(self, name: str) -> None:
        """Add a column that must not be there yet."""
        if name in self._index:
            raise DataError(f"the name {quoted(name)} occurs twice; names must differ")
        self.column(name)

    def edge(self, a: str, b: str, kind: str) -> None:
        """Add a → b or a - b, where each pair may have one edge."""
        i, j = self._pair(a, b)
        if (i, j) in self._arcs or (j, i) in self._arcs:
            raise DataError(f"{quoted(a)} and {quoted(b)} have two edges; keep one of them")
        self._arcs |= {(i, j)} if kind == DIRECTED else {(i, j), (j, i)}

    def arc(self, a: str, b: str) -> None:
        """Add one arrow; a second one the other way makes the edge undirected."""
        self._arcs.add(self._pair(a, b))

    def graph(self, *, as_dag: bool) -> MPDAG:
        """Return the graph that the edges are, or with `as_dag` the class of the DAG they are."""
        if not self._index:
            raise DataError("there are no columns; a graph has at least one")
        cells = np.zeros((len(self._index), len(self._index)), dtype=np.uint8)
        for i, j in self._arcs:
            cells[i, j] = 1
        return graph_from(cells, tuple(self._index), as_dag=as_dag)

    def _pair(self, a: str, b: str) -> tuple[int, int]:
        if a == b:
            raise DataError(f"{quoted(a)} has an edge to itself; remove it")
        return self.column(a), self.column(b)


def check_size(columns: int) -> None:
    """Raise if a file has more columns than are read."""
    if columns > MAX_COLUMNS_READ:
        raise DataError(
            f"graphs of more than {MAX_COLUMNS_READ} columns are not read; choose another file"
        )


def graph_from(matrix: ArrayLike, names: Iterable[str] | None, *, as_dag: bool) -> MPDAG:
    """Return the graph of a matrix that reads as ours do: a class or, with more arrows, an MPDAG.

    A DAG with all its arrows is one, too, but is refused: its class may be meant.
    """
    if as_dag:
        return _class_of_dag(matrix, names)
    try:
        return CPDAG.from_matrix(matrix, names)
    except DataError as error:
        if not _is_dag(matrix, names):
            return _other_graph(matrix, names, error)
        # Names and entries are in order: only the completion differs.
        raise DataError(
            "the edges form a DAG, but not a CPDAG: some of them could be reversed without leaving "
            "the class",
            remedy=(
                "pass ",
                Spelled("as_dag=True", "--dag, which compare, convert and score take,"),
                " to take the class of the DAG",
            ),
            code="not-completed",
        ) from error


def _other_graph(matrix: ArrayLike, names: Iterable[str] | None, error: DataError) -> MPDAG:
    """Return an MPDAG; raise what was wrong with it as a class, if it is none."""
    try:
        return MPDAG.from_matrix(matrix, names)
    except DataError:
        raise error from None


def _class_of_dag(matrix: ArrayLike, names: Iterable[str] | None) -> CPDAG:
    cells = np.asarray(matrix)
    if cells.ndim == 2 and cells.shape[0] == cells.shape[1]:
        labels = graph_names(names, len(cells))
        both = np.argwhere(np.triu((cells == 1) & (cells.T == 1), 1))
        if len(both):
            a, b = (quoted(labels[i]) for i in both[0])
            raise DataError(
                f"not a DAG: {a} - {b} is undirected",
                remedy=("leave out ", Spelled("as_dag=True", "--dag")),
            )
    return CPDAG.from_dag(matrix, names)


def _is_dag(matrix: ArrayLike, names: Iterable[str] | None) -> bool:
    try:
        CPDAG.from_dag(matrix, names)
    except DataError:
        return False
    return True


def check_names(names: Iterable[str], form: str, problem: Callable[[str], str]) -> None:
    """Raise for the first name that a format cannot hold.

    Parameters
    ----------
    names : iterable of str
        Column names.
    form : str
        The format, as shown in the message.
    problem : callable
        Says what is wrong with a name; empty if nothing is.
    """
    for name in names:
        reason = problem(name)
        if reason:
            raise DataError(
                f"column {quoted(name)} cannot be written as {form}: {reason}; rename the column, "
                "or write JSON, which holds every name"
            )


def text_problem(name: str) -> str:
    """Say why UTF-8 text that other programs read cannot hold a name; empty if it can."""
    if "\0" in name:
        return "it holds the character NUL"
    lone = next((c for c in name if "\ud800" <= c <= "\udfff"), "")
    return f"it holds the lone surrogate {lone!a}" if lone else ""


@contextmanager
def located(line: int) -> Iterator[None]:
    """Name the line in errors about what stands there."""
    try:
        yield
    except DataError as error:
        raise error.within(f"line {line}: ") from error
