"""How far a learned class is from the true one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from greedag.errors import DataError, DataTypeError, listed
from greedag.graph import CPDAG, Matrix


class PrecisionRecallF1(NamedTuple):
    """Precision, recall and F1 of a found class; see :func:`precision_recall_f1`."""

    precision: float
    recall: float
    f1: float


def shd(a: CPDAG, b: CPDAG) -> int:
    """Structural Hamming distance: how many pairs of columns are joined differently.

    A pair counts once, whether an edge is missing, superfluous, turned, or directed in only one
    of the two. Columns are matched by name.

    Parameters
    ----------
    a, b : CPDAG
        Classes over the same columns, in any order.

    Returns
    -------
    int
        0 if and only if the two are the same class.
    """
    first, second = aligned(a, b)
    differs = first != second
    return int(np.count_nonzero(np.triu(differs | differs.T)))


def precision_recall_f1(found: CPDAG, true: CPDAG) -> PrecisionRecallF1:
    """Judge a found class as a classifier of ordered pairs.

    A class contains the pair (i, j) if it has i → j or i - j, so an undirected edge stands for
    two pairs. Precision is the share of the found pairs that are true, recall the share of the
    true pairs that are found, F1 their harmonic mean. A share of nothing is 1: an empty class
    makes no false claim.

    Parameters
    ----------
    found, true : CPDAG
        Classes over the same columns, in any order.

    Returns
    -------
    PrecisionRecallF1
        Three numbers between 0 and 1.
    """
    guess, truth = aligned(found, true)
    hits = int(np.count_nonzero(guess & truth))
    claimed, present = int(np.count_nonzero(guess)), int(np.count_nonzero(truth))
    precision = hits / claimed if claimed else 1.0
    recall = hits / present if present else 1.0
    f1 = 2 * hits / (claimed + present) if claimed + present else 1.0
    return PrecisionRecallF1(precision, recall, f1)


def aligned(a: CPDAG, b: CPDAG) -> tuple[Matrix, Matrix]:
    """Return both matrices in the column order of `a`."""
    for graph in (a, b):
        if not isinstance(graph, CPDAG):
            kind = type(graph).__name__
            raise DataTypeError(f"expected a CPDAG, got {kind}; use CPDAG.from_matrix or from_dag")
    if set(a.names) != set(b.names):
        odd = sorted(set(a.names) ^ set(b.names))
        raise DataError(f"the two graphs have different columns; only one has {listed(odd)}")
    position = {name: i for i, name in enumerate(b.names)}
    order = [position[name] for name in a.names]
    return a.to_matrix(), b.to_matrix()[np.ix_(order, order)]
