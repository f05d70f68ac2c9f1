"""Effects of one column on another, member by member, in the population."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

Matrix = Any


def covariance(dag: Matrix, random: np.random.Generator) -> Any:
    """Return the covariance matrix of a linear model with this DAG and random coefficients."""
    d = len(dag)
    weights = dag * random.uniform(0.3, 1.5, (d, d)) * random.choice([-1.0, 1.0], (d, d))
    spread = np.linalg.inv(np.eye(d) - weights)
    return spread.T @ np.diag(random.uniform(0.5, 2.0, d)) @ spread


def coefficient(covariance: Any, x: int, y: int, others: Iterable[int]) -> float:
    """Return the coefficient of x in the regression of y on x and others."""
    given = [x, *others]
    return float(np.linalg.solve(covariance[np.ix_(given, given)], covariance[given, y])[0])


def effect(covariance: Any, dag: Matrix, x: int, y: int) -> float:
    """Return the effect of x on y if a DAG is true: that of x given its parents."""
    parents = np.flatnonzero(dag[:, x])
    return 0.0 if y in parents else coefficient(covariance, x, y, parents)


def joint_effects(covariance: Any, dag: Matrix, xs: Sequence[int], y: int) -> Any:
    """Return the effects on y of columns that are all set, if a DAG is true.

    Each column is regressed on its parents; then those that are set lose theirs.
    """
    d = len(dag)
    weights = np.zeros((d, d))
    for v in range(d):
        parents = np.flatnonzero(dag[:, v])
        if v not in xs and len(parents):
            among = covariance[np.ix_(parents, parents)]
            weights[parents, v] = np.linalg.solve(among, covariance[parents, v])
    return np.linalg.inv(np.eye(d) - weights)[list(xs), y]


def distribution(rows: Any, x: int, y: int, others: Sequence[int], value: Any, level: Any) -> float:
    """Return P(y = level | do(x = value)) by counting rows, stratum by stratum."""
    total, kept = 0.0, 0
    for stratum in {tuple(row) for row in rows[:, list(others)]}:
        inside = rows[(rows[:, list(others)] == stratum).all(axis=1)]
        there = inside[inside[:, x] == value]
        if len(there):
            total += len(inside) * float(np.mean(there[:, y] == level))
            kept += len(inside)
    return total / kept


def effects(covariance: Any, dags: Sequence[Matrix], x: int, y: int) -> dict[float, float]:
    """Return the effects of x on y over some DAGs, each with the share of DAGs that have it."""
    found: dict[float, float] = {}
    for dag in dags:
        value = effect(covariance, dag, x, y)
        known = next((other for other in found if abs(other - value) < 1e-7), value)
        found[known] = found.get(known, 0.0) + 1.0 / len(dags)
    return found


def descendants(dag: Matrix, x: int) -> set[int]:
    """Return x and what follows it."""
    found, front = {x}, [x]
    while front:
        for y in np.flatnonzero(dag[front.pop()]):
            if int(y) not in found:
                found.add(int(y))
                front.append(int(y))
    return found


def is_valid(dag: Matrix, x: int, y: int, given: set[int]) -> bool:
    """Return whether adjusting for a set gives the effect of x on y if a DAG is true.

    No column of the set follows one on a causal path, and the set separates x from y once the
    first edges of causal paths are taken away (Shpitser, VanderWeele & Robins 2010).
    """
    causal = {v for v in descendants(dag, x) - {x} if y in descendants(dag, v)}
    if given & {w for v in causal for w in descendants(dag, v)} or given & {x, y}:
        return False
    cut = dag.copy()
    cut[x, [v for v in causal if dag[x, v]]] = 0
    return is_separated(cut, x, y, given)


def is_separated(dag: Matrix, x: int, y: int, given: set[int]) -> bool:
    """Return whether a set separates x from y: in the moral graph of their ancestors."""
    kept = {v for v in range(len(dag)) if descendants(dag, v) & ({x, y} | given)}
    linked = np.zeros_like(dag)
    for v in kept:
        family = [v, *(int(p) for p in np.flatnonzero(dag[:, v]) if p in kept)]
        for a in family:
            for b in family:
                if a != b:
                    linked[a, b] = 1
    linked[list(given), :] = 0
    linked[:, list(given)] = 0
    return y not in descendants(linked, x)
