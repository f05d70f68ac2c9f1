"""What draws agree on: the shares of them in which two columns are adjacent, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from greedag._options import as_real
from greedag.drawing.labels import printable
from greedag.errors import DataError, FileError, Note, OptionError, counted_rows, quoted
from greedag.graph.mpdag import MPDAG, Matrix
from greedag.io.arrays import load_npz, save_npz
from greedag.io.atomic import FilePath, damaged
from greedag.result.result import ReadOnlyDict
from greedag.result.serialization import note_of, note_record
from greedag.scores.base import Score
from greedag.uncertainty.false_edges import expected_false
from greedag.uncertainty.pair_table import PairShares, PairTable, states_of
from greedag.uncertainty.run_draws import packed_size

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from greedag.graph.knowledge import Knowledge

Floats = NDArray[np.float64]

_STORED = ("stability", 1)
_CAPTION = (
    "Drawn is the medoid, the draw that differs least from all others; pale edges are found in few "
    "draws. A share of draws is no probability that the edge is true."
)
# A consensus is sought from the orders of so many draws.
_STARTS = 20


@dataclass(frozen=True, eq=False, repr=False)
class Stability:
    """How often the searches of many draws of the rows find each edge.

    Make one with :func:`greedag.stability`. Matrices have a row and a column for each of `names`.

    Attributes
    ----------
    names : tuple of str
        The columns.
    n : int or float
        Number of rows that were drawn from.
    kind : str
        ``"halves"``, ``"bootstrap"`` or ``"parametric"``.
    search : str
        Name of the search.
    settings : mapping
        The options that it ran with, as those of a result.
    notes : tuple of Note
        What a reader should know.
    stopped : str
        Empty if all draws were learned from, else ``"time limit"`` or ``"interrupt"``.
    places : tuple of int
        The numbers of the draws that were learned from.
    packed : ndarray
        For each of them the matrix of its graph, as bits.
    knowledge : Knowledge or None
        What was known beforehand.
    statistics, objective
        The data and the score, which a consensus needs; None if it was loaded from a file.
    """

    names: tuple[str, ...]
    n: float
    kind: str
    search: str
    settings: Mapping[str, Any]
    notes: tuple[Note, ...]
    stopped: str
    places: tuple[int, ...]
    packed: NDArray[np.uint8]
    knowledge: Knowledge | None = None
    statistics: Any = None
    objective: Score | None = field(default=None)

    @property
    def draws(self) -> int:
        """Number of draws that were learned from."""
        return len(self.places)

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def heading(self) -> str:
        """One line: the draws, the rows, and the mean number of edges."""
        what = {"halves": "halves", "bootstrap": "bootstrap draws", "parametric": "normal draws"}
        return (
            f"{self.draws} {what[self.kind]} of {counted_rows(self.n)} rows, {self.d} columns: "
            f"{np.triu(self.adjacent, 1).sum():.1f} edges on average"
        )

    @property
    def adjacent(self) -> Floats:
        """Share of the draws in which two columns are adjacent; symmetric."""
        return self._shares[0]

    @property
    def directed(self) -> Floats:
        """Share of the draws with an arrow from the column of the row to that of the column."""
        return self._shares[1]

    @property
    def undirected(self) -> Floats:
        """Share of the draws with an undirected edge; symmetric."""
        return self._shares[2]

    @cached_property
    def ancestor(self) -> Floats:
        """Share of the draws in which the row's column is an ancestor of the other in every member.

        It may have an effect, directly or through others. Computed on first use.
        """
        total = np.zeros((self.d, self.d))
        for matrix, count in self._distinct():
            total += count * self._ancestors(matrix)
        return _read_only(total / self.draws)

    def graphs(self) -> Iterator[MPDAG]:
        """Give the graph of each draw."""
        for matrix in self._matrices():
            yield self._graph(matrix)

    def pair(self, a: str, b: str) -> PairShares:
        """Return the shares of two columns."""
        index = MPDAG(self.names, b"").index
        return self._pair(index(a), index(b))

    def table(self, threshold: float = 0.0) -> PairTable:
        """Return the pairs that are adjacent in a share of the draws or more, most stable first.

        Parameters
        ----------
        threshold : float, default 0
            Least share; with 0, all pairs that any draw finds.
        """
        least = checked_share(threshold)
        found = np.triu(self.adjacent, 1)
        pairs = [self._pair(i, j) for i, j in np.argwhere((found > 0.0) & (found >= least))]
        pairs.sort(key=lambda pair: (-pair.adjacent, -pair.forward))
        return PairTable(pairs)

    def medoid(self) -> MPDAG:
        """Return the graph of a draw from which those of the others differ least, by mean SHD."""
        counts = self._counts()
        best, least = self._matrix(0), np.inf
        for matrix, _ in self._distinct():
            states = states_of(matrix)
            unlike = self.draws - np.take_along_axis(counts, states[np.newaxis], 0)[0]
            distance = float(np.triu(unlike, 1).sum())
            if distance < least:
                best, least = matrix, distance
        return self._graph(best)

    def mean_distance(self, graph: MPDAG) -> float:
        """Return the mean SHD between a graph over the same columns and those of the draws."""
        from greedag.metrics import aligned

        _, states = aligned(self._graph(self._matrix(0)), graph)
        agree = np.take_along_axis(self._counts(), states_of(states)[np.newaxis], 0)[0]
        return float(np.triu(self.draws - agree, 1).sum()) / self.draws

    def consensus(self, threshold: float = 0.5) -> MPDAG:
        """Return the class of the best-scoring graph whose adjacencies are the stable ones.

        Stable pairs, taken one by one, need not make a class: their arrows may form a cycle. So of
        the draws only the adjacencies are taken, and all rows direct them. The search is among
        orders of the columns, from those of the draws; with many columns, there may be a
        better graph that it does not find.

        Parameters
        ----------
        threshold : float, default 0.5
            Share of the draws in which a stable pair is adjacent.

        Returns
        -------
        CPDAG or MPDAG
            An MPDAG with knowledge, and where experiments or curves direct edges.

        Raises
        ------
        DataError
            If it was loaded from a file, which holds no data.
        """
        from greedag.uncertainty.consensus import best_dag, graph_of

        if self.statistics is None or self.objective is None:
            raise DataError(
                "a consensus needs the data, which a file of stability does not hold",
                remedy="call stability() again, or use medoid()",
                code="no-data",
            )
        stable = self.adjacent >= max(checked_share(threshold), 0.5 / self.draws)
        known = None if self.knowledge is None else self.knowledge.bind(self.names)
        bound = self.objective.bind(self.statistics, check=False)
        starts = (self._graph(matrix).to_dag() for matrix, _ in self._distinct()[:_STARTS])
        dag = best_dag(bound, stable, [self.medoid().to_dag(), *starts], known)
        if dag is None:
            raise DataError(
                "no graph with these adjacencies agrees with what is known",
                remedy="choose another threshold",
                code="no-consensus",
            )
        return graph_of(dag, self.objective, bound, self.statistics, known)

    def expected_false(self, threshold: float) -> float:
        """Return a bound on the expected number of false edges at a threshold.

        It is that of Shah & Samworth (2013) on pairs that are adjacent in a share of the halves or
        more, though a half finds them adjacent no more often than it does a pair drawn at random.
        It assumes that rows are independent, and that the shares of such pairs have a single peak.
        It is no bound on edges that a hidden cause makes.

        Parameters
        ----------
        threshold : float
            Share of the draws, above 0.5.

        Raises
        ------
        OptionError
            If draws are not halves, or the threshold is not above 0.5.
        """
        if self.kind != "halves":
            raise OptionError(
                f"the number of false edges is bounded for halves only; got {quoted(self.kind)}"
            )
        share = as_real(threshold)
        if not 0.5 < share <= 1.0:
            raise OptionError(
                f"threshold must be a share above 0.5, at most 1; got {quoted(threshold)}"
            )
        pairs = len({place // 2 for place in self.places if place ^ 1 in self.places})
        if not pairs:
            raise DataError("there is no pair of halves yet; allow more time", code="no-draws")
        q = float(np.triu(self.adjacent, 1).sum())
        return expected_false(q, self.d * (self.d - 1) // 2, share, pairs)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the shares of arrows as a heat map, with causes in rows and effects in columns.

        An undirected edge counts half in each direction.

        Parameters
        ----------
        ax : Axes, optional
            Axes of matplotlib; new ones if left out.
        """
        from greedag.drawing.heat_map import heat_map

        shares = self.directed + self.undirected / 2.0
        what = "share of draws, an undirected edge half each way"
        return heat_map(self.names, shares, what, ax=ax)

    def save(self, path: FilePath) -> None:
        """Write the draws to a file, in one step: whole or not at all.

        Parameters
        ----------
        path : path-like
            The file, an .npz archive whatever its name; one that exists is replaced.
        """
        known = None if self.knowledge is None else self.knowledge.to_dict()
        meta = {
            "names": list(self.names),
            "n": self.n,
            "kind": self.kind,
            "search": self.search,
            "settings": dict(self.settings),
            "notes": [note_record(note) for note in self.notes],
            "stopped": self.stopped,
            "knowledge": known,
        }
        places = np.array(self.places, dtype=np.int64)
        save_npz(path, *_STORED, {"places": places, "graphs": self.packed}, meta)

    @classmethod
    def load(cls, path: FilePath) -> Stability:
        """Read what :meth:`save` wrote.

        Parameters
        ----------
        path : path-like
            The file.

        Raises
        ------
        FileError
            If there is no such file, or it is damaged or holds something else.
        """
        stored = load_npz(path, *_STORED)
        try:
            return _restored(path, stored.meta, stored.arrays)
        except FileError:
            raise
        except (DataError, LookupError, TypeError, ValueError) as error:
            raise damaged(path) from error

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stability):
            return NotImplemented
        mine, theirs = (
            (one.names, one.n, one.kind, one.search, dict(one.settings), one.places)
            for one in (self, other)
        )
        return mine == theirs and np.array_equal(self.packed, other.packed)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Stability: {self.heading}>"

    def __str__(self) -> str:
        notes = [f"note: {printable(note)}" for note in self.notes]
        return "\n".join([self.heading, repr(self.table()), *notes])

    def _repr_html_(self) -> str:
        from greedag.drawing.notebook import view_of_shares

        found = np.argwhere(np.triu(self.adjacent, 1) > 0.0).tolist()
        return view_of_shares(
            self.medoid(),
            {(i, j): float(self.adjacent[i, j]) for i, j in found},
            heading=self.heading,
            caption=_CAPTION,
            table=self.table().html(),
            notes=self.notes,
        )

    @cached_property
    def _shares(self) -> tuple[Floats, Floats, Floats]:
        """Shares of adjacencies, of arrows and of undirected edges."""
        counts = self._counts()
        forward, undirected = counts[1], counts[3]
        adjacent = forward + forward.T + undirected
        shares = (each / self.draws for each in (adjacent, forward, undirected))
        one, two, three = (_read_only(each) for each in shares)
        return one, two, three

    @cached_property
    def _all_counts(self) -> Floats:
        counts = np.zeros((4, self.d, self.d))
        for matrix, count in self._distinct():
            states = states_of(matrix)
            for state in range(4):
                counts[state] += count * (states == state)
        return _read_only(counts)

    def _counts(self) -> Floats:
        """Return how many draws have no edge, an arrow, the reverse one, or an undirected edge."""
        return self._all_counts

    def _distinct(self) -> list[tuple[Matrix, int]]:
        """Return the distinct graphs, the most frequent first, and how many draws have each."""
        found: dict[bytes, int] = {}
        for row in self.packed:
            key = row.tobytes()
            found[key] = found.get(key, 0) + 1
        often = sorted(found.items(), key=lambda item: -item[1])
        return [(self._unpacked(np.frombuffer(key, np.uint8)), count) for key, count in often]

    def _matrices(self) -> Iterator[Matrix]:
        for place in range(self.draws):
            yield self._matrix(place)

    def _matrix(self, place: int) -> Matrix:
        return self._unpacked(self.packed[place])

    def _unpacked(self, bits: NDArray[np.uint8]) -> Matrix:
        return np.unpackbits(bits, count=self.d**2).reshape(self.d, self.d)

    def _graph(self, matrix: Matrix) -> MPDAG:
        return MPDAG(self.names, np.ascontiguousarray(matrix).tobytes())

    def _ancestors(self, matrix: Matrix) -> Matrix:
        from greedag.graph.ancestry import Paths

        paths, found = Paths(matrix), np.zeros((self.d, self.d), dtype=np.uint8)
        for x in range(self.d):
            found[x, paths.descendants(x)] = 1
        return found

    def _pair(self, i: int, j: int) -> PairShares:
        if self.directed[j, i] > self.directed[i, j]:
            i, j = j, i
        return PairShares(
            self.names[i],
            self.names[j],
            float(self.adjacent[i, j]),
            float(self.directed[i, j]),
            float(self.directed[j, i]),
            float(self.undirected[i, j]),
        )


def _read_only(array: Floats) -> Floats:
    array.setflags(write=False)
    return array


def checked_share(threshold: float) -> float:
    """Return a share of the draws, or raise OptionError."""
    share = as_real(threshold)
    if not 0.0 <= share <= 1.0:
        raise OptionError(f"threshold must be a share from 0 to 1; got {quoted(threshold)}")
    return share


def _restored(
    path: FilePath, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> Stability:
    from greedag.graph.knowledge import knowledge_of

    names, packed = tuple(map(str, meta["names"])), arrays["graphs"]
    places = tuple(arrays["places"].tolist())
    if packed.shape != (len(places), packed_size(len(names))) or not places:
        raise ValueError("graphs of other columns")
    return Stability(
        names=names,
        n=meta["n"],
        kind=str(meta["kind"]),
        search=str(meta["search"]),
        settings=ReadOnlyDict(meta["settings"]),
        notes=tuple(note_of(path, note) for note in meta["notes"]),
        stopped=str(meta["stopped"]),
        places=places,
        packed=packed,
        knowledge=None if meta["knowledge"] is None else knowledge_of(meta["knowledge"]),
    )
