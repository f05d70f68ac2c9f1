"""What changes along a path of penalties: steps and lifetimes of edges, as records and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from greedag.drawing.labels import cell_width, labels, padded
from greedag.graph.mpdag import MPDAG
from greedag.uncertainty.pair_table import states_of

_MOST_LINES = 40
_NAME_CELLS = 32


@dataclass(frozen=True, slots=True)
class PathStep:
    """The class of one alpha.

    Attributes
    ----------
    alpha : float
        Weight of the penalty.
    edges, directed : int
        Number of edges of the graph, and how many of them are directed.
    changes : int
        SHD from the graph of the next smaller alpha; 0 for the smallest.
    score : float
        With this alpha; scores of different alphas cannot be compared.
    ebic : float
        The extended BIC with gamma 0.5, which can be; higher is better.
    chosen_by : tuple of str
        The ways to choose that were tried on this path, and chose this alpha.
    """

    alpha: float
    edges: int
    directed: int
    changes: int
    score: float
    ebic: float
    chosen_by: tuple[str, ...] = ()


class PathTable(tuple[PathStep, ...]):
    """The classes along a path, by alpha: a tuple that is shown as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(_steps(self))

    def _repr_html_(self) -> str:
        from greedag.drawing.fragments import fragment

        return fragment(self.html())

    def html(self) -> list[str]:
        """Return the lines of a table for a notebook."""
        from greedag.drawing.fragments import Column, table

        columns = [*(Column(head, "number") for head in _HEADS[:-1]), Column(_HEADS[-1])]
        return table(columns, [_cells(step) for step in self])


_HEADS = ("alpha", "edges", "directed", "changes", "score", "extended BIC", "chosen by")


def _cells(step: PathStep) -> tuple[str, ...]:
    return (
        f"{step.alpha:g}",
        str(step.edges),
        str(step.directed),
        str(step.changes),
        f"{step.score:.2f}",
        f"{step.ebic:.2f}",
        ", ".join(step.chosen_by),
    )


def _steps(steps: Sequence[PathStep]) -> Iterator[str]:
    rows = [_HEADS, *map(_cells, steps)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for *numbers, last in rows:
        shown = [f"{text:>{width}}" for text, width in zip(numbers, widths, strict=False)]
        yield "  ".join([*shown, last]).rstrip()


@dataclass(frozen=True, slots=True)
class Lifetime:
    """The alphas at which two columns are adjacent.

    Attributes
    ----------
    a, b : str
        The columns; a → b is at least as frequent as b → a.
    least, most : float
        The least and the largest alpha at which they are.
    marks : tuple of str
        For each alpha of the path, ascending, ``"→"``, ``"←"``, ``"-"``, or ``""`` where they are
        not adjacent.
    """

    a: str
    b: str
    least: float
    most: float
    marks: tuple[str, ...]


class Lifetimes(tuple[Lifetime, ...]):
    """Edges, those that outlive others first: a tuple that is shown as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(_lives(self)) or "(no edges)"

    def _repr_html_(self) -> str:
        from greedag.drawing.fragments import Column, fragment, paragraph, table

        if not self:
            return fragment([paragraph("(no edges)")])
        columns = [Column("a", "name"), Column("b", "name"), Column("least", "number")]
        columns += [Column("most", "number"), Column("by alpha, ascending", "signs")]
        rows = [(e.a, e.b, f"{e.least:g}", f"{e.most:g}", _line(e)) for e in self]
        return fragment(table(columns, rows))


def _line(edge: Lifetime) -> str:
    return "".join(mark or "·" for mark in edge.marks)


def _lives(edges: Sequence[Lifetime]) -> Iterator[str]:
    shown = edges[:_MOST_LINES]
    if not shown:
        return
    names = list(dict.fromkeys(name for edge in shown for name in (edge.a, edge.b)))
    short = dict(zip(names, labels(names, _NAME_CELLS, cell_width), strict=True))
    left, right = (
        max(cell_width(head), *(cell_width(short[getattr(edge, head)]) for edge in shown))
        for head in ("a", "b")
    )
    yield f"{'a':<{left}}  {'b':<{right}}  {'least':>6}  {'most':>6}  by alpha, ascending"
    for edge in shown:
        yield (
            f"{padded(short[edge.a], left)}  {padded(short[edge.b], right)}  "
            f"{edge.least:>6g}  {edge.most:>6g}  {_line(edge)}"
        )
    if len(edges) > len(shown):
        yield f"… and {len(edges) - len(shown)} more"


def lifetimes_of(alphas: Sequence[float], graphs: Sequence[MPDAG]) -> Lifetimes:
    """Return the lifetimes of all edges of graphs, of which each belongs to an alpha, ascending."""
    names = graphs[0].names
    states = np.array([states_of(graph.to_matrix()) for graph in graphs])
    found = []
    for i, j in np.argwhere(np.triu(states.any(axis=0), 1)).tolist():
        own = states[:, i, j].tolist()
        if own.count(2) > own.count(1):
            i, j = j, i
            own = states[:, i, j].tolist()
        alive = [alpha for alpha, state in zip(alphas, own, strict=True) if state]
        marks = tuple(_MARKS[state] for state in own)
        found.append(Lifetime(names[i], names[j], alive[0], alive[-1], marks))
    # Those that are adjacent at more alphas first, where they end at the same.
    found.sort(key=lambda edge: (-edge.most, edge.marks.count("")))
    return Lifetimes(found)


_MARKS = ("", "→", "←", "-")
