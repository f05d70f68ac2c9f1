"""How far a learned graph is from the true one."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from greedag.errors import DataError, OptionError, listed, quoted
from greedag.graph.identification import STRATEGIES, Strategy, wrong_effects
from greedag.graph.mpdag import MPDAG, GraphLike, Matrix, graph_of


class PrecisionRecallF1(NamedTuple):
    """Precision, recall and F1 of a learned class; see :func:`precision_recall_f1`."""

    precision: float
    recall: float
    f1: float


class PrecisionRecall(NamedTuple):
    """Precision and recall of one feature of a learned class.

    See :func:`adjacency_precision_recall` and :func:`arrowhead_precision_recall`.
    """

    precision: float
    recall: float


def shd(a: GraphLike, b: GraphLike) -> int:
    """Structural Hamming distance: how many pairs of columns have different edges.

    A pair counts once, whether its edge is missing, extra, reversed, or directed in only one of
    the two. Columns are matched by name.

    Parameters
    ----------
    a, b : CPDAG, MPDAG or Result
        Classes over the same columns, in any order.

    Returns
    -------
    int
        0 if and only if the two are the same class.
    """
    first, second = aligned(a, b)
    differs = first != second
    return int(np.count_nonzero(np.triu(differs | differs.T)))


def precision_recall_f1(found: GraphLike, true: GraphLike) -> PrecisionRecallF1:
    """Evaluate a learned class as a classifier of ordered pairs.

    A class contains the pair (i, j) if it has i → j or i - j, so an undirected edge stands for
    two pairs. Precision is the share of the found pairs that are true, recall the share of the
    true pairs that are found, F1 their harmonic mean. A share of nothing counts as 1: an empty
    class makes no false claim.

    Parameters
    ----------
    found, true : CPDAG, MPDAG or Result
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


def adjacency_precision_recall(found: GraphLike, true: GraphLike) -> PrecisionRecall:
    """Evaluate the adjacencies of a learned class, whatever the direction: Tetrad's AP and AR.

    Counted are unordered pairs of columns with an edge of any kind between them.

    Parameters
    ----------
    found, true : CPDAG, MPDAG or Result
        Classes over the same columns, in any order.

    Returns
    -------
    PrecisionRecall
        Two numbers between 0 and 1; nan where there is nothing to take a share of.
    """
    guess, truth = aligned(found, true)
    return _shares(np.triu(guess | guess.T), np.triu(truth | truth.T))


def arrowhead_precision_recall(found: GraphLike, true: GraphLike) -> PrecisionRecall:
    """Evaluate the directed edges of a learned class: Tetrad's AHP and AHR.

    Counted are ordered pairs (x, y) with x → y. Edges that are undirected in a class have no
    arrowhead there: one that is directed in the learned class alone is a false arrowhead, one that
    is directed in the true class alone a missed one.

    Parameters
    ----------
    found, true : CPDAG, MPDAG or Result
        Classes over the same columns, in any order.

    Returns
    -------
    PrecisionRecall
        Two numbers between 0 and 1; nan where there is nothing to take a share of.
    """
    guess, truth = aligned(found, true)
    return _shares(guess > guess.T, truth > truth.T)


def aid(
    truth: GraphLike | ArrayLike, guess: GraphLike | ArrayLike, *, kind: Strategy = "ancestor"
) -> int:
    """Adjustment identification distance: for how many ordered pairs the effect comes out wrong.

    For each pair (x, y), the guess says that x has no effect on y, that the effect cannot be told
    from its graph, or which columns to adjust for. The true graph judges whether that is so [1]_.

    Parameters
    ----------
    truth, guess : CPDAG, MPDAG, Result or array_like
        Graphs over the same columns, in any order. A matrix has ``m[i, j] = 1`` for i → j, and
        1 both ways for i - j: that of a DAG or of an MPDAG.
    kind : str
        What the guess adjusts for: ``"ancestor"``, all ancestors of x; ``"parent"``, its parents;
        ``"oset"``, the set with the least variance.

    Returns
    -------
    int
        From 0 to d (d - 1). Unlike :func:`shd`, it depends on which of the two is true.

    References
    ----------
    .. [1] Henckel, Würtzen & Weichwald, "Adjustment identification distance", UAI 2024.

    Examples
    --------
    >>> chain, reversed_chain = [[0, 1, 0], [0, 0, 1], [0, 0, 0]], [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    >>> aid(chain, chain), aid(chain, reversed_chain)
    (0, 6)
    """
    if kind not in STRATEGIES:
        raise OptionError(f"kind must be one of {listed(STRATEGIES)}; got {quoted(kind)}")
    return wrong_effects(*aligned(_graph(truth), _graph(guess)), kind)


def sid(truth: GraphLike | ArrayLike, guess: GraphLike | ArrayLike) -> int:
    """Structural intervention distance between DAGs: effects that come out wrong.

    The guess adjusts for the parents of the column that is changed [1]_. It is the
    :func:`aid` of kind ``"parent"``, between DAGs.

    Parameters
    ----------
    truth, guess : MPDAG or array_like
        DAGs over the same columns, in any order.

    Returns
    -------
    int
        From 0 to d (d - 1).

    References
    ----------
    .. [1] Peters & Bühlmann, "Structural intervention distance for evaluating causal graphs",
       Neural Computation 2015.
    """
    graphs = _graph(truth), _graph(guess)
    for graph, name in zip(graphs, ("truth", "guess"), strict=True):
        if graph.undirected:
            raise DataError(
                f"the structural intervention distance is one between DAGs; {name} has undirected "
                "edges; use aid"
            )
    return wrong_effects(*aligned(*graphs), "parent")


def _graph(graph: GraphLike | ArrayLike) -> MPDAG:
    """Return a graph as it is, that of a result, and that of a matrix."""
    if isinstance(graph, (np.ndarray, list, tuple)):
        return MPDAG.from_matrix(graph)
    return graph_of(graph)  # type: ignore[arg-type]


def aligned(a: GraphLike, b: GraphLike) -> tuple[Matrix, Matrix]:
    """Return both matrices in the column order of `a`."""
    a, b = graph_of(a), graph_of(b)
    if set(a.names) != set(b.names):
        odd = sorted(set(a.names) ^ set(b.names))
        raise DataError(f"the two graphs have different columns; only one has {listed(odd)}")
    position = {name: i for i, name in enumerate(b.names)}
    order = [position[name] for name in a.names]
    return a.to_matrix(), b.to_matrix()[np.ix_(order, order)]


def _shares(guess: NDArray[Any], truth: NDArray[Any]) -> PrecisionRecall:
    """Return how much of what is guessed is true, and of what is true is guessed."""
    hits = int(np.count_nonzero(guess & truth))
    claimed, present = int(np.count_nonzero(guess)), int(np.count_nonzero(truth))
    return PrecisionRecall(
        hits / claimed if claimed else math.nan, hits / present if present else math.nan
    )
