"""The edges of a class as rows of a table, with their strengths where these are known."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from greedag.graph.cpdag import CPDAG

Edge = tuple[int, int]


class Valued(Protocol):
    """An edge with its strength, as ``result.strengths()`` lists them."""

    @property
    def a(self) -> str: ...
    @property
    def b(self) -> str: ...
    @property
    def loss(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Row:
    """One edge: tail → head, or tail - head with the smaller column first.

    Attributes
    ----------
    tail, head : int
        Columns by index.
    directed : bool
        Whether the edge points the same way in every member.
    loss : float or None
        The strength, if known.
    """

    tail: int
    head: int
    directed: bool
    loss: float | None

    @property
    def mark(self) -> str:
        """The sign between the two names."""
        return "→" if self.directed else "-"


def rows(cpdag: CPDAG, strengths: Iterable[Valued] | None = None) -> list[Row]:
    """Return all edges: strongest first; without strengths, directed ones first."""
    known = losses(cpdag, strengths)
    cells = cpdag.to_matrix().astype(bool)
    found = [
        Row(int(i), int(j), directed, known.get((min(i, j), max(i, j))))
        for directed, mask in ((True, cells & ~cells.T), (False, np.triu(cells & cells.T)))
        for i, j in np.argwhere(mask)
    ]
    return sorted(found, key=lambda row: math.inf if row.loss is None else -row.loss)


def losses(cpdag: CPDAG, strengths: Iterable[Valued] | None) -> dict[Edge, float]:
    """Return the known strengths by columns, the smaller column first."""
    index = {name: i for i, name in enumerate(cpdag.names)}
    known = {}
    for edge in strengths or ():
        a, b = index.get(edge.a), index.get(edge.b)
        if a is not None and b is not None:
            known[min(a, b), max(a, b)] = float(edge.loss)
    return known
