"""Square matrices part by part: work on a large one needs no second one of its size."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from greedag.data.table import Floats

Tile = tuple[slice, slice]

_TILE = 512
_STRIP_VALUES = 2**17


def strips(d: int) -> Iterator[slice]:
    """Yield runs of rows, from first to last, each small enough to stay in the cache."""
    step = _STRIP_VALUES // d + 1
    for start in range(0, d, step):
        yield slice(start, min(d, start + step))


def upper_tiles(d: int) -> Iterator[Tile]:
    """Yield rows and columns of tiles that cover the diagonal and all above it, each once."""
    runs = [slice(start, min(d, start + _TILE)) for start in range(0, d, _TILE)]
    for place, rows in enumerate(runs):
        for columns in runs[place:]:
            yield rows, columns


def mirror(matrix: Floats, tile: Tile) -> None:
    """Copy what a tile holds above the diagonal to its place below."""
    rows, columns = tile
    part = matrix[tile]
    if rows == columns:
        np.copyto(part, part.T.copy(), where=np.tri(len(part), k=-1, dtype=bool))
    else:
        matrix[columns, rows] = part.T
