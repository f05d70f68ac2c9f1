"""Pairs of columns with shares of draws or probabilities, as records and as tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from greedag.drawing.labels import cell_width, labels, padded
from greedag.graph.mpdag import Matrix

_MOST_LINES = 40
_NAME_CELLS = 32
_BAR = 10
Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class PairShares:
    """How often draws find two columns adjacent, and how.

    Attributes
    ----------
    a, b : str
        The columns; a → b is at least as frequent as b → a.
    adjacent : float
        Share of the draws in which they are adjacent: the sum of the three below.
    forward, backward, undirected : float
        Shares of the draws with a → b, with b → a and with a - b.
    """

    a: str
    b: str
    adjacent: float
    forward: float
    backward: float
    undirected: float


@dataclass(frozen=True, slots=True)
class PairProbabilities:
    """How probable it is that two columns are adjacent, or joined by a directed path.

    Attributes
    ----------
    a, b : str
        The columns; a → b is at least as probable as b → a.
    adjacent : float
        Probability that they are adjacent: the sum of the two below.
    forward, backward : float
        Probabilities of a → b and of b → a.
    path_forward, path_backward : float
        Probabilities that a is an ancestor of b, and that b is one of a.
    """

    a: str
    b: str
    adjacent: float
    forward: float
    backward: float
    path_forward: float
    path_backward: float


def states_of(matrix: Matrix) -> NDArray[np.intp]:
    """Return 0 where there is no edge, 1 for i → j, 2 for j → i and 3 for i - j."""
    states: NDArray[np.intp] = matrix.astype(np.intp) + 2 * matrix.T.astype(np.intp)
    return states


class Pairs(tuple[Record, ...]):
    """Pairs of columns, the surest first: a tuple that is shown as a table."""

    __slots__ = ()
    heads: ClassVar[tuple[str, ...]]
    # Of all columns but the first, as a notebook's table knows them.
    kind: ClassVar[str] = "number"

    @staticmethod
    def cells(pair: Any) -> tuple[str, ...]:
        """Return what the table shows of a pair under `heads`."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n".join(_lines(self)) or "(no edges)"

    def _repr_html_(self) -> str:
        from greedag.drawing.fragments import fragment

        return fragment(self.html())

    def html(self) -> list[str]:
        """Return the lines of a table for a notebook."""
        from greedag.drawing.fragments import Column, paragraph, table

        if not self:
            return [paragraph("(no edges)")]
        first, *others = self.heads
        columns = [
            *(Column(head, "name") for head in ("a", "b")),
            Column(first, "number"),
            Column("", "bar"),
            *(Column(head, self.kind) for head in others),
        ]
        return table(columns, [self._row(pair) for pair in self])

    def _row(self, pair: Any) -> tuple[str, ...]:
        """Return the cells of a row; the strong part of its bar is its most frequent kind."""
        first, *others = self.cells(pair)
        most = max(pair.forward, pair.backward, getattr(pair, "undirected", 0.0))
        return pair.a, pair.b, first, f"{pair.adjacent} {most}", *others


class PairTable(Pairs[PairShares]):
    """Pairs of columns, the most stable first: a tuple that is shown as a table."""

    __slots__ = ()
    heads = ("adjacent", "a → b", "a ← b", "a - b")
    kind = "share"

    @staticmethod
    def cells(pair: PairShares) -> tuple[str, ...]:
        """Return the shares in percent; nothing for none."""
        shares = (pair.adjacent, pair.forward, pair.backward, pair.undirected)
        return tuple(map(in_percent, shares))


def in_percent(share: float) -> str:
    """Return a share as shown, nothing for none; only 1 is 100 %."""
    if not share:
        return ""
    if share < 0.005:
        return "< 1 %"
    return f"{min(round(100.0 * share), 99) if share < 1.0 else 100} %"


class ProbabilityTable(Pairs[PairProbabilities]):
    """Pairs of columns, the most probably adjacent first: a tuple that is shown as a table."""

    __slots__ = ()
    heads = ("adjacent", "a → b", "a ← b", "a → … → b", "a ← … ← b")

    @staticmethod
    def cells(pair: PairProbabilities) -> tuple[str, ...]:
        """Return the probabilities with three decimals; never 0 or 1 for what is not."""
        edges = (pair.adjacent, pair.forward, pair.backward)
        return tuple(map(_decimals, (*edges, pair.path_forward, pair.path_backward)))


def _decimals(probability: float) -> str:
    if 0.0 < probability < 0.0005:
        return "<0.001"
    if 0.9995 <= probability < 1.0:
        return ">0.999"
    return f"{probability:.3f}"


def _lines(pairs: Pairs[Any]) -> Iterator[str]:
    """Give the lines of a table for a terminal, with a bar for how sure an adjacency is."""
    shown = pairs[:_MOST_LINES]
    if not shown:
        return
    names = list(dict.fromkeys(name for pair in shown for name in (pair.a, pair.b)))
    short = dict(zip(names, labels(names, _NAME_CELLS, cell_width), strict=True))
    rows = [(short[pair.a], short[pair.b], *pairs.cells(pair)) for pair in shown]
    heads = ("a", "b", *pairs.heads)
    widths = [max(map(cell_width, cells)) for cells in zip(heads, *rows, strict=True)]
    bars = ("█" * round(_BAR * pair.adjacent) for pair in shown)
    yield _line(heads, "", widths)
    for row, bar in zip(rows, bars, strict=True):
        yield _line(row, bar, widths)
    if len(pairs) > len(shown):
        yield f"… and {len(pairs) - len(shown)} more"


def _line(cells: tuple[str, ...], bar: str, widths: list[int]) -> str:
    names = [padded(name, wide) for name, wide in zip(cells[:2], widths, strict=False)]
    adjacent, *rest = (f"{c:>{wide}}" for c, wide in zip(cells[2:], widths[2:], strict=True))
    return "  ".join([*names, adjacent, f"{bar:<{_BAR}}", *rest]).rstrip()
