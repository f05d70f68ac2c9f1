"""Small mixed tables for tests, and the scores of them that are compared with their twins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from greedag import Moments, _core
from greedag.scores import BGe, ConditionalGaussian, DegenerateGaussian, ExtendedBIC
from greedag.statistics.mixed import MixedTable
from oracle import mixed_scores as twins

Columns = list[NDArray]


def columns(d: int, n: int, *, seed: int, discrete: float = 0.5) -> tuple[Columns, list[bool]]:
    """Return columns that depend on each other, some of which are cut into levels."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n, d)) @ (np.eye(d) + 0.6 * rng.normal(size=(d, d))) + rng.normal(
        size=d
    )
    is_discrete = [bool(cut) for cut in rng.random(d) < discrete]
    cuts = [np.sort(rng.uniform(0.15, 0.85, rng.integers(1, 4))) for _ in range(d)]
    made = [
        np.digitize(table[:, j], np.quantile(table[:, j], cuts[j]))
        if is_discrete[j]
        else table[:, j]
        for j in range(d)
    ]
    return made, is_discrete


def mixed_table(made: Columns, is_discrete: list[bool]) -> MixedTable:
    """Return the table of some columns."""
    names = [f"x{j}" for j in range(len(made))]
    kinds = {
        name: "discrete" if cut else "continuous"
        for name, cut in zip(names, is_discrete, strict=True)
    }
    return MixedTable.from_data(np.column_stack(made), kinds=kinds)


def scores_and_twins(d: int, n: int, *, seed: int) -> dict[str, tuple[_core.Score, twins.Local]]:
    """Return each score of this kind, with its twin, on a table of its own."""
    real = np.column_stack(columns(d, n, seed=seed, discrete=0.0)[0])
    moments = Moments.from_data(real)
    made, is_discrete = columns(d, n, seed=seed)
    table = mixed_table(made, is_discrete)
    nu = np.full(d, 0.5)
    return {
        "extended-bic": (
            ExtendedBIC(gamma=0.7, alpha=1.5).bind(moments),
            twins.extended_bic(real, 0.7, 1.5),
        ),
        "bge": (
            BGe(alpha_mu=2.0, alpha_w=d + 3.5, nu=0.5, units="given", edge_penalty=0.7).bind(
                moments
            ),
            twins.bge(real, 2.0, d + 3.5, nu, 0.7),
        ),
        "degenerate-gaussian": (
            DegenerateGaussian(alpha=1.5).bind(table),
            twins.degenerate_gaussian(made, is_discrete, 1.5),
        ),
        "conditional-gaussian": (
            ConditionalGaussian(alpha=1.5).bind(table),
            twins.conditional_gaussian(made, is_discrete, 1.5),
        ),
    }
