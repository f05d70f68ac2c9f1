"""causal-learn.

A ``GeneralGraph`` keeps the marks at the ends of edges in ``graph.graph``: ``[j, i] = 1`` and
``[i, j] = -1`` is i → j; both -1 is i - j. So the mark at j of an edge with i stands in row j.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag.errors import DataError, DataTypeError, quoted, require
from greedag.graph.mpdag import MPDAG, GraphLike, graph_of
from greedag.interop.builder import graph_from

_TAIL, _ARROW = -1, 1


def to_causal_learn(cpdag: GraphLike) -> Any:
    """Return a graph as causal-learn's ``GeneralGraph``.

    Parameters
    ----------
    cpdag : CPDAG, MPDAG or Result
        The graph.

    Returns
    -------
    causallearn.graph.GeneralGraph.GeneralGraph
        ``graph.graph[j, i] = 1`` and ``graph.graph[i, j] = -1`` is i → j, both -1 is i - j.

    Raises
    ------
    MissingExtraError
        If causal-learn is not installed.
    """
    cpdag = graph_of(cpdag)
    library = {
        name: getattr(require(f"causallearn.graph.{name}", "interop"), name)
        for name in ("Edge", "Endpoint", "GeneralGraph", "GraphNode")
    }
    nodes = {name: library["GraphNode"](name) for name in cpdag.names}
    graph = library["GeneralGraph"](list(nodes.values()))
    tail, arrow = library["Endpoint"].TAIL, library["Endpoint"].ARROW
    for edges, end in ((cpdag.directed, arrow), (cpdag.undirected, tail)):
        for a, b in edges:
            graph.add_edge(library["Edge"](nodes[a], nodes[b], tail, end))
    return graph


def from_causal_learn(graph: Any, *, as_dag: bool = False) -> MPDAG:
    """Read a graph of causal-learn.

    Parameters
    ----------
    graph : GeneralGraph or CausalGraph
        What ``ges(…)["G"]`` or ``pc(…)`` return. In ``graph.graph``, ``[j, i] = 1`` and
        ``[i, j] = -1`` is i → j, both -1 is i - j. Circles and edges with two heads are refused.
    as_dag : bool
        Take the edges as a DAG and return its class.

    Raises
    ------
    DataError
        If the graph is not the CPDAG, or with `as_dag` the DAG, that it should be.
    """
    # A CausalGraph, which searches by constraints return, wraps a GeneralGraph.
    general = getattr(graph, "G", graph)
    if not all(hasattr(general, name) for name in ("graph", "get_node_names")):
        raise DataTypeError(f"expected a graph of causal-learn, got {type(graph).__name__}")
    names = tuple(general.get_node_names())
    marks = np.asarray(general.graph)
    _check_marks(marks, names)
    # The tail of i → j stands in [i, j], where our matrices have their 1.
    return graph_from((marks == _TAIL).astype(np.uint8), names, as_dag=as_dag)


def _check_marks(marks: NDArray[Any], names: tuple[str, ...]) -> None:
    absent = (marks == 0) & (marks.T == 0)
    tails = marks == _TAIL
    known = absent | (tails & ((marks.T == _ARROW) | tails.T)) | ((marks == _ARROW) & tails.T)
    odd = np.argwhere(~known)
    if len(odd):
        i, j = odd[0]
        raise DataError(
            f"{quoted(names[i])} and {quoted(names[j])} have the marks {marks[i, j]:g} and "
            f"{marks[j, i]:g} between them; an edge of a CPDAG has a tail and an arrowhead (-1 and "
            "1) or two tails (-1 and -1)"
        )
