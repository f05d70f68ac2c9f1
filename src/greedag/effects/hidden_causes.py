"""Signs of a hidden common cause in a graph: columns, all adjacent, that vary as if by one factor.

Given their observed parents, the covariances of columns with one common cause are products of two
loadings, so that all *tetrads* vanish: s₁₂ s₃₄ = s₁₃ s₂₄ = s₁₄ s₂₃ (Spearman). Edges among as many
columns would not make them vanish. The test is Wald's, with the covariances of covariances of a
normal table (Bollen & Ting, 1993).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from greedag.graph.mpdag import Matrix
from greedag.statistics.tails import chi2_tail, t_two_sided

Floats = NDArray[np.float64]

# Tetrads count as vanishing above this p-value, correlations as there below the other.
_VANISHES, _IS_THERE = 0.01, 1e-4
_MOST_QUARTETS = 20_000
_PAIRS = list(combinations(range(4), 2))


def tetrad_groups(correlation: Floats, n: float, dag: Matrix) -> list[tuple[int, ...]]:
    """Find columns, all adjacent, that seem to share a hidden cause; no two groups share two.

    Parameters
    ----------
    correlation : ndarray of shape (d, d)
    n : float
        Number of rows.
    dag : ndarray of shape (d, d)
        The graph.
    """
    accepted = {}
    for place, four in enumerate(_cliques_of_four((dag + dag.T) > 0)):
        if place >= _MOST_QUARTETS:
            break
        p_value = _one_factor(correlation, n, dag, four)
        if p_value > _VANISHES:
            accepted[four] = p_value
    return _apart(_merged(accepted))


def tetrad_test(covariance: Floats, n: float) -> float:
    """Return the p-value that the tetrads of four columns vanish."""
    s = covariance
    pairs = [(0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2)]
    value = np.array([s[pair] for pair in pairs])
    of_products = np.array(
        [[s[a, c] * s[b, e] + s[a, e] * s[b, c] for c, e in pairs] for a, b in pairs]
    )
    tetrads = np.array([value[0] * value[1] - value[2] * value[3]] * 2)
    tetrads[1] = value[0] * value[1] - value[4] * value[5]
    slopes = np.zeros((2, 6))
    slopes[:, 0], slopes[:, 1] = value[1], value[0]
    slopes[0, 2], slopes[0, 3] = -value[3], -value[2]
    slopes[1, 4], slopes[1, 5] = -value[5], -value[4]
    spread = slopes @ of_products @ slopes.T
    if np.linalg.cond(spread) > 1e12:
        return 0.0
    statistic = n * float(tetrads @ np.linalg.solve(spread, tetrads))
    return float(chi2_tail(statistic, 2)[0])


def _one_factor(correlation: Floats, n: float, dag: Matrix, four: tuple[int, ...]) -> float:
    """Return the p-value of one common cause of four columns, 0 if that could not be."""
    inside = list(four)
    parents = [int(x) for x in np.flatnonzero(dag[:, inside].any(axis=1)) if x not in four]
    block = correlation[np.ix_(inside, inside)]
    if parents:
        across = correlation[np.ix_(parents, inside)]
        block = block - across.T @ np.linalg.solve(correlation[np.ix_(parents, parents)], across)
    rows = n - len(parents) - 1
    scale = np.sqrt(np.maximum(block.diagonal(), 1e-12))
    unit = block / np.outer(scale, scale)
    r = np.array([unit[pair] for pair in _PAIRS])
    if rows < 10 or (t_two_sided(r * np.sqrt(rows / (1.0 - r**2)), rows) > _IS_THERE).any():
        return 0.0
    for a, b, c in combinations(range(4), 3):
        products = (unit[a, b] * unit[a, c] / unit[b, c], unit[a, b] * unit[b, c] / unit[a, c])
        loadings = (*products, unit[a, c] * unit[b, c] / unit[a, b])
        if not all(0.0 < square < 1.0 for square in loadings):
            return 0.0
    return tetrad_test(unit, rows)


def _cliques_of_four(adjacent: NDArray[np.bool_]) -> Iterable[tuple[int, ...]]:
    def later(among: NDArray[np.intp], x: int) -> NDArray[np.intp]:
        kept: NDArray[np.intp] = among[(among > x) & adjacent[x, among]]
        return kept

    everything = np.arange(len(adjacent))
    for a in everything.tolist():
        beside_a = later(everything, a)
        for b in beside_a.tolist():
            beside_b = later(beside_a, b)
            for c in beside_b.tolist():
                for e in later(beside_b, c).tolist():
                    yield a, b, c, e


def _merged(accepted: dict[tuple[int, ...], float]) -> list[tuple[int, ...]]:
    """Return the largest sets all of whose quartets are accepted, found one column at a time."""
    columns = sorted({x for four in accepted for x in four})
    found = []
    for four in sorted(accepted, key=lambda four: -accepted[four]):
        group = list(four)
        for x in columns:
            triples = combinations(sorted(group), 3)
            if x not in group and all(tuple(sorted((*t, x))) in accepted for t in triples):
                group.append(x)
        found.append(tuple(sorted(group)))
    return sorted(found, key=lambda group: -len(group))


def _apart(found: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Leave out what shares two columns with one before."""
    kept: list[tuple[int, ...]] = []
    for one in found:
        if all(len(set(one) & set(other)) < 2 for other in kept):
            kept.append(one)
    return kept
