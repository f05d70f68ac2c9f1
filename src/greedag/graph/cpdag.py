"""A Markov equivalence class, held as its completed partially directed acyclic graph.

What the class shares with other graphs is in `mpdag`.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from greedag import _core
from greedag.data.names import graph_names, labels_among, own_names, places_of
from greedag.errors import DataError
from greedag.graph import consistency
from greedag.graph.mpdag import MPDAG, Matrix, Pair


class CPDAG(MPDAG):
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

    __slots__ = ()
    # Nothing but skeleton and v-structures directs its edges.
    known = ()
    by_evidence = MappingProxyType[Pair, str]({})

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
        cells = consistency.checked_matrix(matrix)
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
        cells = consistency.checked_matrix(matrix)
        labels = graph_names(names, len(cells))
        consistency.require_acyclic(cells, labels, "a DAG")
        return cls(labels, _class_of(cells).tobytes())

    @property
    def cpdag(self) -> CPDAG:
        """The class itself."""
        return self

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


def checked_member(graph: MPDAG, dag: ArrayLike) -> Matrix:
    """Return the matrix of a DAG in the order of a graph that it is a member of.

    Raises
    ------
    DataError
        If it is none.
    """
    labels = labels_among(dag, graph.names)
    cells = consistency.checked_matrix(dag)
    if len(cells) != graph.d:
        raise DataError(f"the DAG has shape {cells.shape}; the class has {graph.d} columns")
    order = places_of(graph.names, labels)
    member = np.ascontiguousarray(cells[np.ix_(order, order)])
    given = graph.to_matrix()
    agrees = not (member & given.T & (1 - given)).any()
    if CPDAG.from_dag(member, graph.names) != graph.cpdag:
        raise DataError(
            "this DAG is not a member of the class: it has other edges or v-structures; take one "
            "from cpdag.to_dag() or cpdag.dags()"
        )
    if not agrees:
        i, j = np.argwhere(member & given.T & (1 - given))[0].tolist()
        raise DataError(
            f"this DAG is a member of the class but not of the graph, in which all have "
            f"{consistency.edge_text(given, j, i, graph.names)}; take one from graph.to_dag() or "
            "graph.dags()"
        )
    return member


def _require_complete(cells: Matrix, labels: tuple[str, ...]) -> None:
    hint = "if this is the matrix of a DAG, use CPDAG.from_dag"
    try:
        completed = _class_of(np.asarray(_core.dag_of_cpdag(cells), dtype=np.uint8))
    except ValueError as error:
        consistency.require_acyclic(cells & (1 - cells.T), labels, "a CPDAG")
        raise DataError(f"not a CPDAG: it has no consistent DAG extension; {hint}") from error
    differing = np.argwhere(cells != completed)
    if len(differing):
        i, j = (int(k) for k in differing[0])
        if cells[j, i] and not cells[i, j]:
            i, j = j, i
        given, right = (consistency.edge_text(m, i, j, labels) for m in (cells, completed))
        raise DataError(f"not a CPDAG: {given} would be {right} in its completion; {hint}")


def _class_of(dag: Matrix) -> Matrix:
    return np.asarray(_core.cpdag_of_dag(dag), dtype=np.uint8)
