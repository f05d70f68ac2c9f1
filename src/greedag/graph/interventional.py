"""Interventional equivalence: what experiments with known targets tell of a DAG.

An experiment sets some columns from outside, its *targets*, which cuts all arrows into them. Two
DAGs of a class can be told apart if some experiment cuts an edge in one and keeps it in the other.
So experiments orient each edge of which exactly one end is a target of some experiment, and what
follows by Meek's rules: the DAGs that are left are the interventional class (Hauser & Bühlmann
2012, Theorem 10).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from greedag.graph import consistency
from greedag.graph.cpdag import CPDAG
from greedag.graph.mpdag import MPDAG, Matrix
from greedag.graph.orientation import Evidence

Targets = Sequence[Iterable[int]]
OrientedArc = tuple[int, int, tuple[tuple[int, ...], ...]]


def interventional_arcs(dag: ArrayLike, targets: Targets) -> list[OrientedArc]:
    """Return the arcs that experiments orient themselves, of those that the class leaves open.

    Parameters
    ----------
    dag : array_like of shape (d, d)
        The matrix of a DAG.
    targets : sequence of sets of int
        The columns that each experiment sets. An empty set is no experiment.

    Returns
    -------
    list of (int, int, tuple of tuple of int)
        Tail, head, and the target sets that hold exactly one of the two, ascending.
    """
    cells = consistency.checked_matrix(dag)
    return _arcs(cells, CPDAG.from_dag(cells).to_matrix(), targets)


def interventional_class(
    dag: ArrayLike, targets: Targets, names: Iterable[str] | None = None
) -> MPDAG:
    """Return the DAGs that neither data nor experiments can tell from this one.

    Parameters
    ----------
    dag : array_like of shape (d, d)
        The matrix of a DAG.
    targets : sequence of sets of int
        The columns that each experiment sets.
    names : iterable of str, optional
        The columns; ``x0``, ``x1``, … if left out.
    """
    cpdag = CPDAG.from_dag(dag, names)
    evidence = interventional_evidence(dag, targets, cpdag.names)
    return MPDAG.from_cpdag(cpdag, evidence=evidence) if evidence else cpdag


def interventional_evidence(
    dag: ArrayLike, targets: Targets, names: Sequence[str]
) -> tuple[Evidence, ...]:
    """Return the arcs of a DAG that experiments orient, with the columns that these set.

    Parameters are those of :func:`interventional_class`.
    """

    def named(columns: Iterable[int]) -> tuple[str, ...]:
        return tuple(names[j] for j in columns)

    return tuple(
        Evidence(names[tail], names[head], "intervention", targets=tuple(map(named, sets)))
        for tail, head, sets in interventional_arcs(dag, targets)
    )


def _arcs(cells: Matrix, of_class: Matrix, targets: Targets) -> list[OrientedArc]:
    families = sorted({tuple(sorted(set(target))) for target in targets})
    is_target = np.zeros((len(families), len(cells)), dtype=bool)
    for row, family in zip(is_target, families, strict=True):
        row[list(family)] = True
    arcs = []
    for tail, head in np.argwhere(cells & of_class & of_class.T).tolist():
        apart = np.flatnonzero(is_target[:, tail] != is_target[:, head])
        if apart.size:
            arcs.append((tail, head, tuple(families[k] for k in apart)))
    return arcs
