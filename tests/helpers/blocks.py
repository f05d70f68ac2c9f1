"""Blocks of curves and indicators for the engine's additive score, and tables that bend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from greedag import _core
from oracle.additive import AdditiveTwin

Floats = NDArray[np.float64]
CURVES = (
    *(np.tanh, np.sin, np.abs, np.square, lambda z: z, lambda z: 0.5 * z),
    lambda z: np.floor(z + 0.3).clip(-1.0, 1.0),
)


@dataclass
class Blocks:
    """What the additive score is made of."""

    gram: Floats
    starts: list[int]
    steps: list[int]
    responses: list[int]
    log_variances: Floats
    n: float
    alpha: float = 2.0

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.responses)

    def engine(self) -> _core.AdditiveBic:
        """Return the engine's score."""
        return _core.AdditiveBic(
            *(self.gram, self.starts, self.steps, self.responses),
            *(self.log_variances, self.n, self.alpha),
        )

    def twin(self) -> AdditiveTwin:
        """Return the slow score."""
        return AdditiveTwin(
            *(self.gram, self.starts, self.steps, self.responses),
            *(list(self.log_variances), self.n, self.alpha),
        )


def bent_table(d: int, n: int, *, seed: int, density: float = 0.4) -> Floats:
    """Return columns that are sums of curves of earlier ones, and noise."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n, d))
    for y in range(1, d):
        for x in np.flatnonzero(rng.random(y) < density):
            z = table[:, x] / table[:, x].std()
            table[:, y] += CURVES[rng.integers(len(CURVES))](rng.uniform(0.5, 2.0) * z)
    return table


def blocks_of(
    columns: Sequence[Floats],
    discrete: Sequence[bool],
    *,
    curves: int,
    steps: int = 0,
    alpha: float = 2.0,
) -> Blocks:
    """Return the blocks of columns: of continuous ones polynomials and steps, else indicators."""
    made = [
        indicators(column) if is_discrete else curves_and_steps(column, curves, steps)
        for column, is_discrete in zip(columns, discrete, strict=True)
    ]
    table = np.hstack(made)
    n = len(table)
    centred = table - table.mean(axis=0)
    starts = np.cumsum([0, *(block.shape[1] for block in made)])
    responses = [
        block.shape[1] if is_discrete else 1
        for block, is_discrete in zip(made, discrete, strict=True)
    ]
    log_variances = [
        0.0 if is_discrete else np.log(np.var(column))
        for column, is_discrete in zip(columns, discrete, strict=True)
    ]
    return Blocks(
        np.ascontiguousarray(centred.T @ centred / n),
        starts.tolist(),
        [0 if is_discrete else steps for is_discrete in discrete],
        responses,
        np.array(log_variances),
        float(n),
        alpha,
    )


def polynomials(column: Floats, curves: int) -> Floats:
    """Return a standardised column and polynomials of its normal-like scale, orthonormal."""
    z = (column - column.mean()) / column.std()
    powers = np.tanh(z)[:, None] ** np.arange(2, curves + 2)
    basis = np.linalg.qr(np.column_stack([np.ones_like(z), z, powers]))[0][:, 1:]
    block = basis * np.sqrt(len(z))
    block[:, 0] = z
    return block


def curves_and_steps(column: Floats, curves: int, steps: int) -> Floats:
    """Return a column, polynomials of it, and steps at its quantiles."""
    places = np.quantile(column, np.arange(1, steps + 1) / (steps + 1))
    return np.hstack([polynomials(column, curves), column[:, None] > places])


def indicators(column: Floats) -> Floats:
    """Return a column of zeros and ones for each level but one."""
    return np.column_stack([column == level for level in np.unique(column)[:-1]]).astype(float)


def cut(column: Floats, levels: int) -> Floats:
    """Return a column cut into levels."""
    return np.digitize(column, np.quantile(column, np.arange(1, levels) / levels)).astype(float)


def mixed_blocks(
    d: int, n: int, *, seed: int, curves: int = 4, steps: int = 0, alpha: float = 2.0
) -> Blocks:
    """Return the blocks of a table that bends, a third of whose columns are cut into levels."""
    rng = np.random.default_rng(seed)
    table = bent_table(d, n, seed=seed)
    discrete = (rng.random(d) < 1 / 3).tolist()
    columns = [
        cut(table[:, j], int(rng.integers(2, 5))) if discrete[j] else table[:, j] for j in range(d)
    ]
    return blocks_of(columns, discrete, curves=curves, steps=steps, alpha=alpha)
