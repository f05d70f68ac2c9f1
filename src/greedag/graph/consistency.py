"""What makes a matrix the matrix of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from greedag.errors import DataError, DataTypeError, quoted
from greedag.graph.mpdag import Matrix, edge_mark

# Of a cycle, in a message.
_MOST_NAMED = 10


def checked_matrix(matrix: ArrayLike) -> Matrix:
    """Return an adjacency matrix, square and of zeros and ones, as bytes."""
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


def require_acyclic(cells: Matrix, labels: tuple[str, ...], what: str) -> None:
    """Raise if the arrows of a matrix have a cycle, naming one."""
    cycle = _find_cycle(cells)
    if cycle:
        shown = [quoted(labels[i]) for i in cycle]
        if len(shown) > _MOST_NAMED:
            shown[_MOST_NAMED - 1 : -1] = [f"… ({len(shown) - _MOST_NAMED} more) …"]
        path = " → ".join(shown)
        raise DataError(
            f"not {what}: it has the cycle {path}; remove or reverse one of its edges",
            code="cycle",
            columns=[labels[i] for i in cycle[:-1]],
        )


def edge_text(cells: Matrix, i: int, j: int, labels: tuple[str, ...]) -> str:
    """Return an edge as it is shown in a message."""
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
