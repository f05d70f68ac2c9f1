"""The score of a given graph on given data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from greedag import _core
from greedag._options import DataOptions
from greedag.data.kinds import Kinds
from greedag.data.names import labels_among, places_of
from greedag.data.rows import MissingName
from greedag.errors import DataError, quoted
from greedag.graph.cpdag import CPDAG
from greedag.graph.mpdag import MPDAG, Matrix
from greedag.result.result import Result
from greedag.scores.base import LocalScore, Score
from greedag.scores.penalty import AlphaName
from greedag.scores.select import ScoreName, checked_score, prepare, with_alpha

if TYPE_CHECKING:
    from greedag.data.transforms import Transform


def score_graph(
    data: Any,
    graph: MPDAG | Result | ArrayLike,
    *,
    score: ScoreName | Score | LocalScore = "auto",
    alpha: float | AlphaName | None = None,
    kinds: Kinds | None = None,
    missing: MissingName = "error",
    sample_weight: ArrayLike | str | None = None,
    drop: Sequence[str] | str | None = None,
    transform: Transform | None = None,
    na: Sequence[str | float] | str | float | None = None,
    interventions: str | None = None,
) -> float:
    """Score a graph on data, as a search would score it.

    Parameters
    ----------
    data : table, array_like of shape (n, d), path-like, Moments, Levels or MixedTable
        As for :func:`greedag.learn`.
    graph : CPDAG, MPDAG, Result or array_like of shape (d, d)
        A class, or the matrix of a DAG or of a CPDAG. Columns are matched with those of the data
        by name; those of a matrix without labels are in the order of the data's.
    score : str or score
        As for :func:`greedag.learn`.
    alpha : float or "auto", optional
        Weight of the BIC penalty, as for :func:`greedag.learn`.
    kinds : mapping of str to str, or str, optional
        As for :func:`greedag.learn`.
    missing, sample_weight, drop, transform, na, interventions : optional
        As for :func:`greedag.learn`.

    Returns
    -------
    float
        The score, higher is better. All members of a class have the same, unless rows come from
        experiments: then it is that of the DAG given, of the best DAG of a result, or of one member
        of a graph.

    Raises
    ------
    DataError
        If the graph is not one, has other columns than the data, or fits a column exactly.

    Examples
    --------
    >>> from greedag import learn, simulate
    >>> table = simulate.linear_gaussian(5, 1.0, 1000, seed=0).data
    >>> result = learn(table)
    >>> score_graph(table, result.cpdag) == result.score
    True
    """
    said = DataOptions(kinds, missing, sample_weight, drop, transform, na, interventions)
    found, prepared = prepare(data, checked_score(score, alpha), alpha, said)
    found, prepared = with_alpha(found, prepared, alpha, is_named=isinstance(score, str))
    statistics, names = prepared.statistics, prepared.statistics.names
    dag = _member(graph, names, is_equivalent=getattr(found, "is_equivalent", True))
    bound = found.bind(statistics)
    total = bound.of_dag(dag)
    if not math.isfinite(total):
        raise _not_finite(bound, dag, names)
    return total


def _member(
    graph: MPDAG | Result | ArrayLike, names: tuple[str, ...], *, is_equivalent: bool
) -> Matrix:
    """Return the DAG to score, its columns in the order of the data's."""
    if is_equivalent:
        graph = graph.cpdag if isinstance(graph, Result) else graph
        cpdag = graph.cpdag if isinstance(graph, MPDAG) else _class_of(graph, names)
        return _in_order(cpdag, names).to_dag()
    if isinstance(graph, Result):
        labels, dag = graph.cpdag.names, graph.best_dag
    elif isinstance(graph, MPDAG):
        labels, dag = graph.names, graph.to_dag()
    else:
        labels = labels_among(graph, names)
        shown = _class_of(graph, names)  # which checks it
        cells = np.asarray(graph, dtype=np.uint8)
        dag = shown.to_dag() if (cells & cells.T).any() else cells
    order = places_of(names, labels)
    return np.ascontiguousarray(dag[np.ix_(order, order)])


def _class_of(matrix: ArrayLike, names: tuple[str, ...]) -> CPDAG:
    try:
        cells = np.asarray(matrix)
    except ValueError:
        return CPDAG.from_dag(matrix, names)  # which says what is wrong
    square = cells.ndim == 2 and cells.shape[0] == cells.shape[1]
    if square and len(cells) != len(names):
        raise DataError(f"the graph has {len(cells)} columns and the data have {len(names)}")
    undirected = square and ((cells != 0) & (cells.T != 0)).any()
    labels = labels_among(matrix, names)
    return (CPDAG.from_matrix if undirected else CPDAG.from_dag)(cells, labels)


def _in_order(cpdag: CPDAG, names: tuple[str, ...]) -> CPDAG:
    """Return the class with its columns in another order."""
    if cpdag.names == names:
        return cpdag
    order = places_of(names, cpdag.names)
    return CPDAG.from_matrix(cpdag.to_matrix()[np.ix_(order, order)], names)


def _not_finite(bound: _core.Score, dag: Matrix, names: tuple[str, ...]) -> DataError:
    for y, name in enumerate(names):
        parents = np.flatnonzero(dag[:, y]).tolist()
        if not math.isfinite(bound.local_score(y, parents)):
            return DataError(
                f"the {len(parents)} parents of column {quoted(name)} in the graph are collinear, "
                "fit it exactly, or have too many combinations of levels; pass more rows, or a "
                "graph with fewer edges"
            )
    return DataError("the score of the graph is beyond the range of a double")
