"""The graph that a search returns: a completed partially directed acyclic graph.

A *member* of a class is one of its DAGs. A *directed* edge a → b points the same way in every
member; an *undirected* edge a - b points one way in some members and the other way in others.
Matrices read ``A[i, j] = 1, A[j, i] = 0`` as i → j, and both 1 as i - j.

Drawing and counting members are imported by the methods that use them, so that importing greedag
stays light.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from numbers import Integral
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from greedag import _core
from greedag._options import checked_whole
from greedag.data.names import graph_names, labels_among, own_names, places_of
from greedag.drawing.labels import printable
from greedag.errors import DataError, DataTypeError, quoted, unknown_column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from greedag.drawing.notebook import View

Matrix = NDArray[np.uint8]
Pair = tuple[str, str]

# Beyond it, a file of a few hundred kilobytes would ask for gigabytes: the matrix has d × d cells.
MAX_COLUMNS_READ = 20_000
# Of a cycle, in a message.
_MOST_NAMED = 10
# How an edge reads from i to j, by the entries [i, j] and [j, i].
_MARKS = {(1, 1): "-", (1, 0): "→", (0, 1): "←", (0, 0): ""}


@dataclass(frozen=True, slots=True, repr=False)
class CPDAG:
    """A Markov equivalence class of DAGs, held as its CPDAG.

    Build one with :meth:`from_matrix` or :meth:`from_dag`, which check what they are given.
    Two are equal when they have the same columns in the same order and the same edges.

    Attributes
    ----------
    names : tuple of str
        Column names, in the order of the matrix.

    Examples
    --------
    >>> graph = CPDAG.from_dag([[0, 1, 0], [0, 0, 0], [0, 1, 0]], names=["a", "b", "c"])
    >>> graph.directed
    (('a', 'b'), ('c', 'b'))
    >>> graph.parents("b"), graph.edge("b", "a"), graph.size()
    (('a', 'c'), '←', 1)
    """

    names: tuple[str, ...]
    # bytes, not an array: equality, hash and immutability then also hold after copying and
    # unpickling, which hand back writable arrays.
    _cells: bytes

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, names: Iterable[str] | None = None) -> CPDAG:
        """Return the class with this matrix as its CPDAG.

        Parameters
        ----------
        matrix : array_like of shape (d, d)
            Zeros and ones, zero diagonal. The labels of a data frame are its names.
        names : list of str, optional
            Column names; ``x0``, ``x1``, … when left out, if the matrix has no labels.

        Raises
        ------
        DataError
            If the matrix is not that of a CPDAG, naming a directed cycle or an edge that differs;
            or if labels of rows, labels of columns and `names` differ.
        """
        names = own_names(matrix, names)
        cells = _checked_matrix(matrix)
        labels = graph_names(names, len(cells))
        _require_complete(cells, labels)
        return cls(labels, cells.tobytes())

    @classmethod
    def from_dag(cls, matrix: ArrayLike, names: Iterable[str] | None = None) -> CPDAG:
        """Return the equivalence class of a DAG, given by its matrix.

        Parameters
        ----------
        matrix : array_like of shape (d, d)
            Zeros and ones; ``A[i, j] = 1`` is i → j. The labels of a data frame are its names.
        names : list of str, optional
            Column names; ``x0``, ``x1``, … when left out, if the matrix has no labels.

        Raises
        ------
        DataError
            If there is a cycle, naming one; or if labels of rows, labels of columns and `names`
            differ.
        """
        names = own_names(matrix, names)
        cells = _checked_matrix(matrix)
        labels = graph_names(names, len(cells))
        _require_acyclic(cells, labels, "DAG")
        return cls(labels, _class_of(cells).tobytes())

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def directed(self) -> tuple[Pair, ...]:
        """Directed edges as (tail, head) names, sorted by column index."""
        cells = self._view()
        return self._named((cells == 1) & (cells.T == 0))

    @property
    def undirected(self) -> tuple[Pair, ...]:
        """Undirected edges, each once, the column that comes first named first."""
        cells = self._view()
        return self._named(np.triu(cells & cells.T) == 1)

    @property
    def v_structures(self) -> tuple[tuple[str, str, str], ...]:
        """Every a → middle ← b without an edge between a and b, as (a, middle, b).

        a comes before b in the order of the columns; sorted by middle, a and b.
        """
        cells = self._view()
        apart = np.triu((cells | cells.T) == 0, k=1)
        found = []
        for middle, name in enumerate(self.names):
            parents = np.flatnonzero(cells[:, middle] > cells[middle])
            ends = self._listed(parents)
            pairs = np.argwhere(apart[np.ix_(parents, parents)])
            found += [(ends[i], name, ends[j]) for i, j in pairs]
        return tuple(found)

    def index(self, name: str) -> int:
        """Return the index of a column, counted from 0.

        An integer stands for the column of that name, as tables without names have them.

        Raises
        ------
        DataError
            If there is no column of this name; the message suggests a similar one.
        """
        try:
            return self.names.index(as_name(name))
        except ValueError:
            raise unknown_column(name, self.names) from None

    def edge(self, a: str, b: str) -> str:
        """Return the edge as read from a to b: ``"→"``, ``"←"``, ``"-"``, or ``""`` for none."""
        return edge_mark(self._view(), self.index(a), self.index(b))

    def parents(self, name: str) -> tuple[str, ...]:
        """Return the columns with a directed edge into this one."""
        cells, i = self._view(), self.index(name)
        return self._listed(np.flatnonzero(cells[:, i] > cells[i]))

    def children(self, name: str) -> tuple[str, ...]:
        """Return the columns that this one has a directed edge into."""
        cells, i = self._view(), self.index(name)
        return self._listed(np.flatnonzero(cells[i] > cells[:, i]))

    def neighbors(self, name: str) -> tuple[str, ...]:
        """Return the columns that an undirected edge connects with this one."""
        cells, i = self._view(), self.index(name)
        return self._listed(np.flatnonzero(cells[i] & cells[:, i]))

    def adjacent(self, name: str) -> tuple[str, ...]:
        """Return the columns that an edge of any kind connects with this one."""
        cells, i = self._view(), self.index(name)
        return self._listed(np.flatnonzero(cells[i] | cells[:, i]))

    def markov_blanket(self, name: str) -> tuple[str, ...]:
        """Return the parents, the children and the other parents of the children of this column.

        They are the same columns in every member: given them, it is independent of all others.
        """
        cells, i = self._view(), self.index(name)
        blanket = cells[i] | cells[:, i]
        # Parents of one child that are not adjacent make a v-structure, which every member has.
        for child in np.flatnonzero(cells[i] > cells[:, i]):
            blanket |= cells[:, child] > cells[child]
        blanket[i] = 0
        return self._listed(np.flatnonzero(blanket))

    def ancestors(self, name: str) -> tuple[str, ...]:
        """Return the columns that are ancestors of this one in every member.

        There may be more of them than directed paths show: with a - x - b, a → y and b → y, where
        a and b are not adjacent, every member has x → a or x → b.
        """
        from greedag.graph import ancestry

        return self._listed(ancestry.ancestors(self._view(), self.index(name)))

    def descendants(self, name: str) -> tuple[str, ...]:
        """Return the columns that are descendants of this one in every member."""
        from greedag.graph import ancestry

        return self._listed(ancestry.descendants(self._view(), self.index(name)))

    def size(self) -> int:
        """Return the number of members, exactly, in polynomial time."""
        from greedag.graph import clique_picking

        return clique_picking.size(self._view())

    def dags(self, limit: int | None = None) -> Iterator[Matrix]:
        """Iterate over the matrices of the members, each once, always in the same order.

        Each is made when it is asked for, so that iterating over a large class takes no memory.

        Parameters
        ----------
        limit : int, optional
            Stop after this many.
        """
        most = None if limit is None else checked_whole("limit", limit, least=0)
        from greedag.graph import members

        return islice(members.every(self._view()), most)

    def sample_dags(self, k: int, seed: int | None = None) -> list[Matrix]:
        """Return the matrices of members drawn at random, independently and each equally likely.

        Parameters
        ----------
        k : int
            How many; the same member may occur more than once.
        seed : int, optional
            The same seed gives the same members; left out, they differ at each call.
        """
        start = None if seed is None else checked_whole("seed", seed, least=0)
        from greedag.graph import clique_picking

        return clique_picking.sample(self._view(), checked_whole("k", k, least=0), start)

    def to_matrix(self) -> Matrix:
        """Return a writable copy of the matrix."""
        return self._view().copy()

    def to_dag(self) -> Matrix:
        """Return the matrix of one member DAG, always the same one."""
        return _member_of(self._view())

    def view(self, *, focus: str | None = None, distance: int = 1) -> View:
        """Draw the class for a notebook or a file: the graph and the table of edges.

        Parameters
        ----------
        focus : str, optional
            Column to show with its neighbourhood. Left out: the whole class, if it has at most
            100 columns, else the neighbourhood of the best connected column.
        distance : int, default 1
            How many edges the neighbourhood reaches.

        Returns
        -------
        View
            Shown by a notebook; ``.svg`` and ``.html`` hold the text, ``.save(path)`` writes it.

        Raises
        ------
        DataError
            If there is no column of that name.
        """
        from greedag.drawing.notebook import view

        return view(self, focus=focus, distance=distance)

    def plot(self, ax: Axes | None = None, *, focus: str | None = None, distance: int = 1) -> Axes:
        """Draw the class with matplotlib, on given axes or on a new figure; return the axes.

        `focus` and `distance` are those of :meth:`view`.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        from greedag.drawing.plot import plot

        return plot(self, ax, focus=focus, distance=distance)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return self.view()._repr_mimebundle_()

    def __repr__(self) -> str:
        directed, undirected = len(self.directed), len(self.undirected)
        return f"<CPDAG: {self.d} columns, {directed} directed and {undirected} undirected edges>"

    def __str__(self) -> str:
        lines = [f"{printable(a)} → {printable(b)}" for a, b in self.directed]
        lines += [f"{printable(a)} - {printable(b)}" for a, b in self.undirected]
        return "\n".join(lines) if lines else "(no edges)"

    def _view(self) -> Matrix:
        return np.frombuffer(self._cells, dtype=np.uint8).reshape(self.d, self.d)

    def _named(self, mask: NDArray[np.bool_]) -> tuple[Pair, ...]:
        return tuple((self.names[i], self.names[j]) for i, j in np.argwhere(mask))

    def _listed(self, columns: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.names[i] for i in columns)


class HasCPDAG(Protocol):
    """Whatever holds a class, such as a `Result`."""

    @property
    def cpdag(self) -> CPDAG: ...


GraphLike = CPDAG | HasCPDAG


def graph_of(graph: GraphLike) -> CPDAG:
    """Return a class as it is, and that of a result."""
    cpdag = graph if isinstance(graph, CPDAG) else getattr(graph, "cpdag", None)
    if not isinstance(cpdag, CPDAG):
        kind = type(graph).__name__
        raise DataTypeError(
            f"expected a CPDAG or a Result, got {kind}; use CPDAG.from_matrix or from_dag"
        )
    return cpdag


def edge_mark(cells: Matrix, i: int, j: int) -> str:
    """Return the edge of a matrix as read from i to j; see :meth:`CPDAG.edge`."""
    return _MARKS[int(cells[i, j]), int(cells[j, i])]


def checked_member(cpdag: CPDAG, dag: ArrayLike) -> Matrix:
    """Return the matrix of a DAG in the order of a class that it is a member of.

    Raises
    ------
    DataError
        If it is none.
    """
    labels = labels_among(dag, cpdag.names)
    cells = _checked_matrix(dag)
    if len(cells) != cpdag.d:
        raise DataError(f"the DAG has shape {cells.shape}; the class has {cpdag.d} columns")
    order = places_of(cpdag.names, labels)
    member = np.ascontiguousarray(cells[np.ix_(order, order)])
    if CPDAG.from_dag(member, cpdag.names) != cpdag:
        raise DataError(
            "this DAG is not a member of the class: it has other edges or v-structures; take one "
            "from cpdag.to_dag() or cpdag.dags()"
        )
    return member


def as_name(label: str) -> str:
    """Return an integer as text, which is the name of the column that it labels."""
    is_whole = isinstance(label, Integral) and not isinstance(label, bool)
    return str(label) if is_whole else label


def _checked_matrix(matrix: ArrayLike) -> Matrix:
    try:
        given = np.asarray(matrix)
    except ValueError as error:
        raise DataError(f"the matrix is not rectangular: {error}") from error
    if given.ndim != 2 or given.shape[0] != given.shape[1]:
        raise DataError(f"an adjacency matrix is square; this one has shape {given.shape}")
    if given.size == 0:
        raise DataError("the adjacency matrix is empty; give at least one column")
    if given.dtype.kind not in "biuf":
        raise DataTypeError(f"adjacency entries are 0 or 1; this matrix holds {given.dtype}")
    _require_binary(given)
    return np.ascontiguousarray(given, dtype=np.uint8)


def _require_binary(given: NDArray[Any]) -> None:
    wrong = np.argwhere((given != 0) & (given != 1))
    if len(wrong):
        i, j = wrong[0]
        raise DataError(f"adjacency entries are 0 or 1; entry [{i}, {j}] is {given[i, j]}")
    loops = np.flatnonzero(np.diagonal(given))
    if len(loops):
        raise DataError(f"the diagonal must be zero; entry [{loops[0]}, {loops[0]}] is 1")


def _require_complete(cells: Matrix, labels: tuple[str, ...]) -> None:
    hint = "if this is the matrix of a DAG, use CPDAG.from_dag"
    try:
        completed = _class_of(_member_of(cells))
    except ValueError as error:
        _require_acyclic(cells & (1 - cells.T), labels, "CPDAG")
        raise DataError(f"not a CPDAG: it has no consistent DAG extension; {hint}") from error
    differing = np.argwhere(cells != completed)
    if len(differing):
        i, j = (int(k) for k in differing[0])
        if cells[j, i] and not cells[i, j]:
            i, j = j, i
        given, right = (_edge_text(m, i, j, labels) for m in (cells, completed))
        raise DataError(f"not a CPDAG: {given} would be {right} in its completion; {hint}")


def _require_acyclic(cells: Matrix, labels: tuple[str, ...], what: str) -> None:
    cycle = _find_cycle(cells)
    if cycle:
        shown = [quoted(labels[i]) for i in cycle]
        if len(shown) > _MOST_NAMED:
            shown[_MOST_NAMED - 1 : -1] = [f"… ({len(shown) - _MOST_NAMED} more) …"]
        path = " → ".join(shown)
        raise DataError(
            f"not a {what}: it has the cycle {path}; remove or reverse one of its edges",
            code="cycle",
            columns=[labels[i] for i in cycle[:-1]],
        )


def _class_of(dag: Matrix) -> Matrix:
    return np.asarray(_core.cpdag_of_dag(dag), dtype=np.uint8)


def _member_of(cpdag: Matrix) -> Matrix:
    return np.asarray(_core.dag_of_cpdag(cpdag), dtype=np.uint8)


def _edge_text(cells: Matrix, i: int, j: int, labels: tuple[str, ...]) -> str:
    return f"{quoted(labels[i])} {edge_mark(cells, i, j) or '…'} {quoted(labels[j])}"


def _find_cycle(cells: Matrix) -> list[int]:
    """Return the nodes of one directed cycle, first one repeated at the end; empty if none."""
    parents_left = cells.sum(axis=0, dtype=np.int64)
    alive = np.ones(len(cells), dtype=bool)
    while (sources := np.flatnonzero(alive & (parents_left == 0))).size:
        alive[sources] = False
        parents_left -= cells[sources].sum(axis=0, dtype=np.int64)
    if not alive.any():
        return []
    # Every node left has a parent that is left, so walking from child to parent must repeat.
    node = int(np.flatnonzero(alive)[0])
    steps: dict[int, int] = {}
    while node not in steps:
        steps[node] = len(steps)
        node = int(np.flatnonzero(alive & (cells[:, node] == 1))[0])
    return [node, *list(steps)[steps[node] :][::-1]]
