"""Two classes over the same columns, edge by edge."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from greedag._options import RUN_OPTIONS
from greedag.drawing.labels import cell_width, padded, printable
from greedag.errors import DataTypeError
from greedag.graph.mpdag import MPDAG, edge_mark, graph_of
from greedag.metrics import aligned
from greedag.result.result import Result, data_of
from greedag.statistics.fingerprint import difference

_DIFFERENCES = ("reversed", "directed", "undirected", "extra", "missing")


@dataclass(frozen=True, slots=True)
class Pair:
    """The edge between two columns in one class and in another.

    Attributes
    ----------
    a, b : str
        The columns. If the first class has a directed edge between them, or only the second class
        has an edge and it is directed, that edge runs from a to b.
    here, there : str
        ``"→"``, ``"←"``, ``"-"`` or empty, read from a to b, in the first and second class.
    """

    a: str
    b: str
    here: str
    there: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two classes share and where they differ. ``str()`` of it is a small table.

    Attributes
    ----------
    shared : tuple of Pair
        The same edge in both.
    reversed : tuple of Pair
        Directed in both, one way in the first and the other way in the second: a contradiction.
    directed : tuple of Pair
        Directed in the first, undirected in the second: the first says more, and the second
        does not contradict it.
    undirected : tuple of Pair
        Undirected in the first, directed in the second.
    extra : tuple of Pair
        Adjacent in the first class only.
    missing : tuple of Pair
        Adjacent in the second class only.
    score_difference : float or None
        Score of the first less that of the second, if both are results of the same data with the
        same score.
    """

    shared: tuple[Pair, ...]
    reversed: tuple[Pair, ...]
    directed: tuple[Pair, ...]
    undirected: tuple[Pair, ...]
    extra: tuple[Pair, ...]
    missing: tuple[Pair, ...]
    score_difference: float | None = None

    @property
    def turned(self) -> tuple[Pair, ...]:
        """Adjacent in both, but not by the same edge: reversed, or directed in only one."""
        return self.reversed + self.directed + self.undirected

    @property
    def shd(self) -> int:
        """Structural Hamming distance: how many pairs have different edges."""
        return len(self.turned) + len(self.extra) + len(self.missing)

    def __str__(self) -> str:
        head = (
            f"{len(self.shared)} shared, {len(self.reversed)} reversed, {len(self.directed)} "
            f"directed in the first only, {len(self.undirected)} in the second only, "
            f"{len(self.extra)} extra, {len(self.missing)} missing; SHD {self.shd}"
        )
        if self.score_difference is not None:
            head += f"; score {self.score_difference:+.6g}"
        rows = [
            (kind, _edge(pair.a, pair.here, pair.b), _edge(pair.a, pair.there, pair.b))
            for kind in (*_DIFFERENCES, "shared")
            for pair in getattr(self, kind)
        ]
        width = max((cell_width(here) for _, here, _ in rows), default=0)
        return "\n".join([head, *(f"{k:<12}{padded(h, width)}  {t}".rstrip() for k, h, t in rows)])

    def _repr_html_(self) -> str:
        from greedag.drawing.fragments import Column, fragment, paragraph, table

        head, *_ = str(self).split("\n")
        marks = Column("first", "marks"), Column("second", "marks")
        columns = [Column("", "word"), Column("edge", "name"), *marks, Column("", "name")]
        kinds = [item.name for item in fields(self) if isinstance(getattr(self, item.name), tuple)]
        rows = [
            (kind, pair.a, pair.here or "·", pair.there or "·", pair.b)
            for kind in [*kinds[1:], kinds[0]]
            for pair in getattr(self, kind)
        ]
        return fragment([paragraph(head), *(table(columns, rows) if rows else [])])


def compare(result: Result, other: Result | MPDAG) -> Comparison:
    """Compare a result with another one or with a class; see :meth:`Result.compare`."""
    if isinstance(other, Result):
        scores = result.score - other.score if _is_same_task(result, other) else None
        return compare_graphs(graph_of(result), graph_of(other), scores)
    if not isinstance(other, MPDAG):
        kind = type(other).__name__
        raise DataTypeError(f"compare takes a Result or a CPDAG, not {kind}")
    return compare_graphs(graph_of(result), other)


def compare_graphs(one: MPDAG, other: MPDAG, score_difference: float | None = None) -> Comparison:
    """Compare two classes over the same columns, in any order.

    Parameters
    ----------
    one, other : CPDAG or MPDAG
        The first and the second class.
    score_difference : float, optional
        To be kept with the comparison.

    Raises
    ------
    DataError
        If they have different columns.
    """
    first, second = aligned(one, other)
    found: dict[str, list[Pair]] = {kind: [] for kind in ("shared", *_DIFFERENCES)}
    adjacent = first | first.T | second | second.T
    for i, j in np.argwhere(np.triu(adjacent)).tolist():
        here, there = (edge_mark(m, i, j) for m in (first, second))
        if (here or there) == "←":
            i, j = j, i
            here, there = (edge_mark(m, i, j) for m in (first, second))
        found[_kind(here, there)].append(Pair(one.names[i], one.names[j], here, there))
    pairs = {kind: tuple(among) for kind, among in found.items()}
    return Comparison(**pairs, score_difference=score_difference)


def _kind(here: str, there: str) -> str:
    """Name what two edges between the same columns have to do with each other."""
    if here == there:
        return "shared"
    if not here or not there:
        return "extra" if here else "missing"
    if "-" not in (here, there):
        return "reversed"
    return "undirected" if here == "-" else "directed"


def _is_same_task(one: Result, other: Result) -> bool:
    if _score_of(one) != _score_of(other):
        return False
    if one.statistics is not None and one.statistics is other.statistics:
        return True
    known = data_of(one), data_of(other)
    return known[0] is not None and known[1] is not None and not difference(known[0], known[1])


def _score_of(result: Result) -> dict[str, object]:
    settings = {"score": "gaussian-bic", **result.settings}
    return {name: value for name, value in settings.items() if name not in RUN_OPTIONS}


def _edge(a: str, mark: str, b: str) -> str:
    return f"{printable(a)} {mark} {printable(b)}" if mark else "·"
