"""Choosing the weight of a penalty, from graphs and rows by their definitions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np


def instability(graphs: Sequence[Any]) -> float:
    """Return the mean over pairs of 2θ(1 - θ), θ the share of graphs with an edge between them."""
    d, values = len(graphs[0]), []
    for i in range(d):
        for j in range(i + 1, d):
            theta = sum(bool(graph[i][j] or graph[j][i]) for graph in graphs) / len(graphs)
            values.append(2 * theta * (1 - theta))
    return sum(values) / len(values)


def running_maximum(values: Sequence[float]) -> list[float]:
    """Return for each alpha, ascending, the largest instability of it and all larger ones."""
    return [max(values[place:]) for place in range(len(values))]


def stars_choice(values: Sequence[float], threshold: float) -> int:
    """Return the place of the least alpha from which on all are stable; the last if none is."""
    stable = [p for p in range(len(values)) if all(v <= threshold for v in values[p:])]
    return stable[0] if stable else len(values) - 1


def part_alpha(alpha: float, b: float, n: float) -> float:
    """Return the alpha by which the penalty of b rows is b/n of that of n rows."""
    penalty_of_all = alpha / 2 * math.log(n)
    return penalty_of_all * b / n / (math.log(b) / 2)


def normal_log_likelihood(train: Any, test: Any, blocks: Sequence[Any], dag: Any) -> float:
    """Return the log density of rows, by multivariate regressions fitted to other rows.

    Parameters
    ----------
    train, test : ndarray of shape (n, k)
    blocks : sequence of list of int
        The columns that each node stands for.
    dag : ndarray of shape (d, d)
    """
    total = 0.0
    for y, own in enumerate(blocks):
        predictors = [j for p in range(len(blocks)) if dag[p][y] for j in blocks[p]]
        design, new = (np.column_stack([np.ones(len(t)), t[:, predictors]]) for t in (train, test))
        slopes = np.linalg.lstsq(design, train[:, own], rcond=None)[0]
        noise = train[:, own] - design @ slopes
        covariance = noise.T @ noise / len(train)
        for residual in test[:, own] - new @ slopes:
            distance = residual @ np.linalg.inv(covariance) @ residual
            total -= 0.5 * (distance + math.log(np.linalg.det(2 * math.pi * covariance)))
    return total


def discrete_log_likelihood(train: Any, test: Any, dag: Any, sizes: Sequence[int]) -> float:
    """Return the log probability of rows of codes, with half a row more for each level."""
    total = 0.0
    for y, size in enumerate(sizes):
        parents = [p for p in range(len(sizes)) if dag[p][y]]
        seen = Counter((tuple(row[parents]), row[y]) for row in train)
        for row in test:
            cell = tuple(row[parents])
            all_levels = sum(seen[cell, level] for level in range(size))
            total += math.log((seen[cell, row[y]] + 0.5) / (all_levels + 0.5 * size))
    return total


def one_standard_error(values: Any) -> int:
    """Return the last row whose mean is within a standard error of the best row's.

    The error is that of the difference of the two, over the columns.
    """
    means = [float(np.mean(row)) for row in values]
    best = max(range(len(means)), key=lambda k: means[k])
    chosen = best
    for place in range(len(means)):
        gaps = [b - v for b, v in zip(values[best], values[place], strict=True)]
        error = np.std(gaps, ddof=1) / math.sqrt(len(gaps))
        if np.mean(gaps) <= error and place > chosen:
            chosen = place
    return chosen


def extended_bic(rows: Any, dag: Any, gamma: float) -> float:
    """Return the extended BIC of a linear Gaussian DAG, as a score."""
    n, d = rows.shape
    total = 0.0
    for y in range(d):
        parents = [p for p in range(d) if dag[p][y]]
        design = np.column_stack([np.ones(n), rows[:, parents]])
        noise = rows[:, y] - design @ np.linalg.lstsq(design, rows[:, y], rcond=None)[0]
        total -= n / 2 * (1 + math.log(np.mean(noise**2)))
        total -= math.log(n) / 2 * (len(parents) + 1) + 2 * gamma * math.log(d) * len(parents)
    return total
