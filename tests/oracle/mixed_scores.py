"""Local scores straight from their formulas, one node and one parent set at a time.

Extended BIC: Foygel & Drton (2010). BGe: Kuipers, Moffa & Heckerman (2014), equation (A.15) ff.
Degenerate Gaussian: Andrews, Ramsey & Cooper (2019). Conditional Gaussian: the same (2018).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Local = Callable[[int, Sequence[int]], float]


def extended_bic(table: Floats, gamma: float, alpha: float) -> Local:
    """Return s(y, P) of the extended BIC, by regressing y on P."""
    n, d = table.shape

    def local(y: int, parents: Sequence[int]) -> float:
        design = np.column_stack([np.ones(n), table[:, list(parents)]])
        fitted = design @ np.linalg.lstsq(design, table[:, y], rcond=None)[0]
        variance = np.mean((table[:, y] - fitted) ** 2)
        per_parent = alpha / 2 * math.log(n) + 2 * gamma * math.log(d)
        return (
            -n / 2 * (1 + math.log(variance)) - alpha / 2 * math.log(n) - per_parent * len(parents)
        )

    return local


def bge(
    table: Floats, alpha_mu: float, alpha_w: float, nu: Floats, edge_penalty: float = 0.0
) -> Local:
    """Return s(y, P) of the BGe score: log p(y and P) - log p(P), less a penalty per parent."""
    n, d = table.shape
    t = alpha_mu * (alpha_w - d - 1) / (alpha_mu + 1)
    centred = table - table.mean(axis=0)
    gap = nu - table.mean(axis=0)
    posterior = t * np.eye(d) + centred.T @ centred
    posterior += n * alpha_mu / (n + alpha_mu) * np.outer(gap, gap)

    def log_gamma(size: int, x: float) -> float:
        terms = (math.lgamma(x + (1 - j) / 2) for j in range(1, size + 1))
        return size * (size - 1) / 4 * math.log(math.pi) + sum(terms)

    def log_probability(nodes: list[int]) -> float:
        size = len(nodes)
        prior, after = (alpha_w - d + size) / 2, (n + alpha_w - d + size) / 2
        return (
            size / 2 * math.log(alpha_mu / (n + alpha_mu))
            - size * n / 2 * math.log(math.pi)
            + log_gamma(size, after)
            - log_gamma(size, prior)
            + prior * size * math.log(t)
            - after * np.linalg.slogdet(posterior[np.ix_(nodes, nodes)])[1]
        )

    return lambda y, parents: (
        log_probability([*parents, y])
        - log_probability(list(parents))
        - edge_penalty * len(parents)
    )


def degenerate_gaussian(
    columns: Sequence[NDArray], discrete: Sequence[bool], alpha: float
) -> Local:
    """Return s(y, P) of the degenerate Gaussian score: a Gaussian BIC of one-hot columns."""
    n = len(columns[0])
    blocks = [
        one_hot(column) if discrete[node] else column[:, None]
        for node, column in enumerate(columns)
    ]

    def joint(nodes: list[int]) -> float:
        if not nodes:
            return 0.0
        table = np.hstack([blocks[node] for node in nodes])
        k = table.shape[1]
        covariance = np.cov(table, rowvar=False, bias=True).reshape(k, k)
        likelihood = -n / 2 * (k + np.linalg.slogdet(covariance)[1])
        return likelihood - alpha / 2 * math.log(n) * k * (k + 1) / 2

    return lambda y, parents: joint([*parents, y]) - joint(list(parents))


def one_hot(column: NDArray) -> Floats:
    """Return a column of zeros and ones for each level but one."""
    # Which one is left out makes no difference to any determinant.
    return np.column_stack([column == level for level in np.unique(column)[:-1]]).astype(float)


def conditional_gaussian(
    columns: Sequence[NDArray], discrete: Sequence[bool], alpha: float
) -> Local:
    """Return s(y, P) of the conditional Gaussian BIC, cell by cell."""
    n = len(columns[0])

    def joint(nodes: list[int]) -> float:
        levels = [node for node in nodes if discrete[node]]
        reals = [node for node in nodes if not discrete[node]]
        c = len(reals)
        values = np.column_stack([columns[node] for node in reals]) if c else np.empty((n, 0))
        cells: dict[tuple, list[int]] = {}
        for row in range(n):
            cells.setdefault(tuple(columns[node][row] for node in levels), []).append(row)
        total = 0.0
        for rows in cells.values():
            a = len(rows)
            total += a * math.log(a / n)
            if c:
                total -= a / 2 * (c + log_det(values[rows] if a > c + 5 else values, values))
        q = math.prod(len(np.unique(columns[node])) for node in levels)
        return total - alpha / 2 * math.log(n) * (q * c * (c + 1) / 2 + q - 1)

    return lambda y, parents: joint([*parents, y]) - joint(list(parents))


def log_det(rows: Floats, all_rows: Floats) -> float:
    """Return the log-determinant of covariances; those of all rows where there is none."""
    c = rows.shape[1]
    unit = np.cov(rows / all_rows.std(axis=0), rowvar=False, bias=True).reshape(c, c)
    if np.linalg.eigvalsh(unit)[0] <= 1e-11:
        rows = all_rows
    return float(np.linalg.slogdet(np.cov(rows, rowvar=False, bias=True).reshape(c, c))[1])
