"""The graph that a search returns: a maximally oriented partially directed acyclic graph.

A *member* of a graph is a DAG with its skeleton, its v-structures and its directed edges. A
*directed* edge a → b points the same way in every member; an *undirected* edge a - b points one way
in some members and the other way in others. The members of a Markov equivalence class share the
edges of its CPDAG, see `cpdag`; knowledge and evidence direct more.
Matrices read ``A[i, j] = 1, A[j, i] = 0`` as i → j, and both 1 as i - j.

Drawing and counting members are imported by the methods that use them, so that importing greedag
stays light.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from numbers import Integral
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from greedag import _core
from greedag._options import checked_whole
from greedag.data.names import graph_names, own_names
from greedag.drawing.labels import printable
from greedag.errors import DataError, DataTypeError, quoted, unknown_column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from greedag.drawing.notebook import View
    from greedag.graph.cpdag import CPDAG
    from greedag.graph.orientation import Direction, Evidence

Matrix = NDArray[np.uint8]
Pair = tuple[str, str]
Edge = tuple[int, int]

# Beyond it, a file of a few hundred kilobytes would ask for gigabytes: the matrix has d × d cells.
MAX_COLUMNS_READ = 20_000
# Graphs that counting members may look at, a few seconds' work.
MOST_STEPS = 100_000
# How an edge reads from i to j, by the entries [i, j] and [j, i].
_MARKS = {(1, 1): "-", (1, 0): "→", (0, 1): "←", (0, 0): ""}


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MPDAG:
    """A set of Markov equivalent DAGs that share some directed edges.

    Build one with :meth:`from_cpdag`, from a class and what is known about it, or with
    :meth:`from_matrix`; both check what they are given. A :class:`CPDAG` is the graph of a whole
    class. Two are equal when they have the same columns in the same order and the same edges.

    Attributes
    ----------
    names : tuple of str
        Column names, in the order of the matrix.

    Examples
    --------
    >>> from greedag import CPDAG
    >>> chain = CPDAG.from_dag([[0, 1, 0], [0, 0, 1], [0, 0, 0]], names=["a", "b", "c"])
    >>> graph = MPDAG.from_cpdag(chain, [("a", "b")])
    >>> graph.directed, graph.size(), chain.size()
    ((('a', 'b'), ('b', 'c')), 1, 3)
    >>> graph.reason("b", "c").rule
    'meek-1'
    """

    names: tuple[str, ...]
    # bytes, not an array: equality, hash and immutability then also hold after copying and
    # unpickling, which hand back writable arrays.
    _cells: bytes
    # The edges that knowledge itself directs, with the statements that do.
    _given: tuple[tuple[Edge, tuple[Any, ...]], ...] = ()
    # Those that evidence directs, where knowledge does not.
    _evidence: tuple[tuple[Edge, Evidence], ...] = ()

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, names: Iterable[str] | None = None) -> MPDAG:
        """Return the graph with this matrix.

        Parameters
        ----------
        matrix : array_like of shape (d, d)
            Zeros and ones, zero diagonal. The labels of a data frame are its names.
        names : list of str, optional
            Column names; ``x0``, ``x1``, … when left out, if the matrix has no labels.

        Raises
        ------
        DataError
            If no DAG is a member, naming a directed cycle or the columns that none can be ordered
            on; if Meek's rules direct a further edge, naming both; or if labels of rows, labels of
            columns and `names` differ.
        """
        from greedag.graph import closure, consistency

        names = own_names(matrix, names)
        cells = consistency.checked_matrix(matrix)
        labels = graph_names(names, len(cells))
        closure.require_closed(cells, labels)
        return MPDAG(labels, cells.tobytes())

    @classmethod
    def from_cpdag(
        cls,
        cpdag: MPDAG,
        orientations: Iterable[Pair] = (),
        *,
        knowledge: Any = None,
        evidence: Iterable[Evidence] = (),
    ) -> MPDAG:
        """Return the members of a class that agree with what is known, and with evidence.

        Parameters
        ----------
        cpdag : CPDAG or MPDAG
            The class, or part of it.
        orientations : iterable of (str, str)
            Edges that are known to point from the first column to the second.
        knowledge : Knowledge, optional
            Statements about the graph.
        evidence : iterable of Evidence
            What directs further edges. Interventions come before curves.

        Raises
        ------
        KnowledgeError
            If no member agrees, naming edges or statements that contradict each other.
        """
        from greedag.graph import closure

        graph = closure.oriented(cpdag, orientations, knowledge)
        return closure.with_evidence(graph, tuple(evidence))

    @property
    def cpdag(self) -> CPDAG:
        """The class that all members belong to."""
        from greedag.graph.cpdag import CPDAG

        return CPDAG.from_dag(self.to_dag(), self.names)

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def directed(self) -> tuple[Pair, ...]:
        """Directed edges as (tail, head) names, sorted by column index."""
        tails, heads, is_directed = self._arcs()
        return self._named(tails[is_directed], heads[is_directed])

    @property
    def undirected(self) -> tuple[Pair, ...]:
        """Undirected edges, each once, the column that comes first named first."""
        tails, heads, is_directed = self._arcs()
        once = ~is_directed & (tails < heads)
        return self._named(tails[once], heads[once])

    @property
    def known(self) -> tuple[Pair, ...]:
        """Directed edges that rest on knowledge: the class alone leaves them undirected."""
        return self._directed_by("knowledge")

    @property
    def by_evidence(self) -> Mapping[Pair, str]:
        """Directed edges that rest on evidence, each with its kind; see `Evidence`.

        Class and knowledge leave them undirected.
        """
        from greedag.graph.orientation import EVIDENCE

        return {edge: kind for kind in EVIDENCE for edge in self._directed_by(kind)}

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

        return self._listed(ancestry.Paths(self._view()).ancestors(self.index(name)))

    def descendants(self, name: str) -> tuple[str, ...]:
        """Return the columns that are descendants of this one in every member."""
        from greedag.graph import ancestry

        return self._listed(ancestry.Paths(self._view()).descendants(self.index(name)))

    def possible_ancestors(self, name: str) -> tuple[str, ...]:
        """Return the columns that are ancestors of this one in at least one member."""
        from greedag.graph import ancestry

        return self._listed(ancestry.Paths(self._view()).possible_ancestors(self.index(name)))

    def possible_descendants(self, name: str) -> tuple[str, ...]:
        """Return the columns that are descendants of this one in at least one member."""
        from greedag.graph import ancestry

        return self._listed(ancestry.Paths(self._view()).possible_descendants(self.index(name)))

    def reason(self, a: str, b: str) -> Direction:
        """Return why the edge between two columns has its direction, or none.

        Raises
        ------
        DataError
            If the two are not adjacent.
        """
        from greedag.graph.orientation import Direction

        mark = self.edge(a, b)
        if not mark:
            raise DataError(
                f"{quoted(a)} and {quoted(b)} are not adjacent; name the two ends of an edge"
            )
        ends = (as_name(b), as_name(a)) if mark == "←" else (as_name(a), as_name(b))
        if mark == "-":
            return Direction("both", ())
        tail, head = map(self.index, ends)
        return next(why for _, why in self._derived((tail, head)))

    def reasons(self) -> dict[Pair, Direction]:
        """Return why each directed edge, given as (tail, head), is directed.

        Edges of the class rest on its skeleton and v-structures alone, others on knowledge or
        evidence, too. An edge comes after those that its reason rests on. Where it is not known
        which edges were given, as in a graph made from a matrix, those count as given that follow
        from no others.
        """
        names = self.names
        return {(names[tail], names[head]): why for (tail, head), why in self._derived()}

    def _derived(self, only: Edge | None = None) -> Iterator[tuple[Edge, Direction]]:
        """Give directed edges, all or one of them, with the reasons why they are directed."""
        from greedag.graph.orientation import RULES, Direction

        said, evidence = dict(self._given), dict(self._evidence)
        for tail, head, number, *nodes in _core.derive(self._view(), [*said, *evidence]):
            edge = (tail, head)
            if only is not None and edge != only:
                continue
            why = Direction(RULES[number], self._listed(node for node in nodes if node >= 0))
            if why.rule == "knowledge" and (found := evidence.get(edge)):
                why = Direction(found.kind, (), evidence=found)
            elif why.rule == "knowledge":
                why = Direction(why.rule, (), said.get(edge, ()))
            yield edge, why

    def size(self, limit: int = MOST_STEPS) -> int:
        """Return the number of members, exactly.

        For a class, and wherever knowledge leaves no edge directed between columns that undirected
        edges connect, it takes polynomial time. Tiers that name all columns never do. Otherwise no
        fast method is known.

        Parameters
        ----------
        limit : int, default 100,000
            Give up after so many steps.

        Raises
        ------
        DataError
            If the limit is reached.
        """
        most = checked_whole("limit", limit, least=0)
        from greedag.graph import clique_picking

        cells = self._view()
        if clique_picking.is_chain_graph(cells):
            return clique_picking.size(cells)
        from greedag.graph import buckets

        return buckets.size(cells, most)

    def dags(self, limit: int | None = None) -> Iterator[Matrix]:
        """Iterate over the matrices of the members, each once, always in the same order.

        Each is made when it is asked for, so that iterating over a large class takes no memory.

        Parameters
        ----------
        limit : int, optional
            Stop after this many.
        """
        most = None if limit is None else checked_whole("limit", limit, least=0)
        from greedag.graph import buckets

        return islice(buckets.every(self._view()), most)

    def sample_dags(self, k: int, seed: int | None = None) -> list[Matrix]:
        """Return the matrices of members drawn at random, independently and each equally likely.

        Parameters
        ----------
        k : int
            How many; the same member may occur more than once.
        seed : int, optional
            The same seed gives the same members; left out, they differ at each call.

        Raises
        ------
        DataError
            If the members are too hard to count; see :meth:`size`.
        """
        start = None if seed is None else checked_whole("seed", seed, least=0)
        count = checked_whole("k", k, least=0)
        from greedag.graph import clique_picking

        cells = self._view()
        if clique_picking.is_chain_graph(cells):
            return clique_picking.sample(cells, count, start)
        from greedag.graph import buckets

        return buckets.sample(cells, count, start, MOST_STEPS)

    def to_matrix(self) -> Matrix:
        """Return a writable copy of the matrix."""
        return self._view().copy()

    def to_dag(self) -> Matrix:
        """Return the matrix of one member DAG, always the same one."""
        cells = self._view()
        try:
            return np.asarray(_core.dag_of_cpdag(cells), dtype=np.uint8)
        except ValueError:  # Edges are directed within the parts that undirected edges connect.
            from greedag.graph import closure

            return closure.extension(cells)[0]

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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MPDAG):
            return NotImplemented
        return self.names == other.names and self._cells == other._cells

    def __hash__(self) -> int:
        return hash((self.names, self._cells))

    def __repr__(self) -> str:
        directed, undirected = len(self.directed), len(self.undirected)
        kind = type(self).__name__
        return f"<{kind}: {self.d} columns, {directed} directed and {undirected} undirected edges>"

    def __str__(self) -> str:
        lines = [f"{printable(a)} → {printable(b)}" for a, b in self.directed]
        lines += [f"{printable(a)} - {printable(b)}" for a, b in self.undirected]
        return "\n".join(lines) if lines else "(no edges)"

    def _view(self) -> Matrix:
        return np.frombuffer(self._cells, dtype=np.uint8).reshape(self.d, self.d)

    def _directed_by(self, source: str) -> tuple[Pair, ...]:
        from greedag.graph import closure

        before, after = closure.stages(self)[source]
        return self._named(*np.nonzero((after > after.T) & (before & before.T == 1)))

    def _arcs(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
        """Return where the matrix holds ones, row by row, and which of these are directed edges."""
        cells = self._view()
        # Of bytes, numpy would make a mask first.
        tails, heads = np.divmod(np.flatnonzero(cells.view(np.bool_)), max(self.d, 1))
        return tails, heads, cells[heads, tails] == 0

    def _named(self, tails: NDArray[np.intp], heads: NDArray[np.intp]) -> tuple[Pair, ...]:
        pairs = zip(tails.tolist(), heads.tolist(), strict=True)
        return tuple((self.names[i], self.names[j]) for i, j in pairs)

    def _listed(self, columns: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.names[i] for i in columns)


class HasCPDAG(Protocol):
    """Whatever holds a class, such as a `Result`, and perhaps what is known of it as `graph`."""

    @property
    def cpdag(self) -> CPDAG: ...


GraphLike = MPDAG | HasCPDAG


def graph_of(graph: GraphLike) -> MPDAG:
    """Return a graph as it is, and that of a result."""
    found: object = graph
    if not isinstance(graph, MPDAG):
        found = getattr(graph, "graph", None) or getattr(graph, "cpdag", None)
    if not isinstance(found, MPDAG):
        kind = type(graph).__name__
        raise DataTypeError(
            f"expected a CPDAG, an MPDAG or a Result, got {kind}; use CPDAG.from_matrix or from_dag"
        )
    return found


def edge_mark(cells: Matrix, i: int, j: int) -> str:
    """Return the edge of a matrix as read from i to j; see :meth:`MPDAG.edge`."""
    return _MARKS[int(cells[i, j]), int(cells[j, i])]


def as_name(label: str) -> str:
    """Return an integer as text, which is the name of the column that it labels."""
    is_whole = isinstance(label, Integral) and not isinstance(label, bool)
    return str(label) if is_whole else label
