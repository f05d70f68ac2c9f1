"""networkx.

A ``DiGraph`` whose arc (a, b) is a → b; arcs (a, b) and (b, a) together are a - b. Each arc has the
attribute ``edge``, ``"directed"`` or ``"undirected"``. Nodes are the names, in column order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from greedag.data.names import graph_names
from greedag.errors import DataError, DataTypeError, listed, quoted, require
from greedag.graph.mpdag import MPDAG, GraphLike, graph_of
from greedag.interop.builder import DIRECTED, UNDIRECTED, GraphBuilder


def to_networkx(cpdag: GraphLike) -> Any:
    """Return a graph as ``networkx.DiGraph``: arc (a, b) is a → b, arcs both ways are a - b.

    Parameters
    ----------
    cpdag : CPDAG, MPDAG or Result
        The graph.

    Returns
    -------
    networkx.DiGraph
        ``graph.edges[a, b]["edge"]`` is ``"directed"`` or ``"undirected"``.

    Raises
    ------
    MissingExtraError
        If networkx is not installed.
    """
    cpdag = graph_of(cpdag)
    graph = require("networkx", "interop").DiGraph()
    graph.add_nodes_from(cpdag.names)
    add_arcs(graph, cpdag)
    return graph


def from_networkx(graph: Any, *, names: Iterable[str] | None = None, as_dag: bool = False) -> MPDAG:
    """Read a graph of networkx.

    Parameters
    ----------
    graph : networkx.DiGraph or networkx.Graph
        Nodes are strings. The arc (a, b) is a → b; arcs both ways, or an edge of a ``Graph``, are
        a - b. Attributes are ignored.
    names : list of str, optional
        The nodes in the order that the columns should have; that of the graph when left out.
    as_dag : bool
        Take the edges as a DAG and return its class.

    Raises
    ------
    DataError
        If the graph is not the CPDAG, or with `as_dag` the DAG, that it should be.
    """
    if not all(hasattr(graph, name) for name in ("nodes", "edges", "is_directed")):
        raise DataTypeError(f"expected a graph of networkx, got {type(graph).__name__}")
    if graph.is_multigraph():
        raise DataTypeError("a multigraph is not read; convert it with nx.DiGraph(graph)")
    odd = next((node for node in graph.nodes if not isinstance(node, str)), None)
    if odd is not None:
        raise DataTypeError(
            f"nodes must be strings, the node {quoted(odd)} is of type {type(odd).__name__}; "
            "rename nodes with nx.relabel_nodes(graph, str)"
        )
    builder = GraphBuilder(graph.nodes if names is None else _same_nodes(names, graph.nodes))
    for a, b in graph.edges:
        builder.arc(a, b)
        if not graph.is_directed():
            builder.arc(b, a)
    return builder.graph(as_dag=as_dag)


def add_arcs(graph: Any, cpdag: MPDAG) -> None:
    """Add the edges to a ``DiGraph``, an undirected one as arcs both ways."""
    graph.add_edges_from(cpdag.directed, edge=DIRECTED)
    graph.add_edges_from(cpdag.undirected, edge=UNDIRECTED)
    graph.add_edges_from(((b, a) for a, b in cpdag.undirected), edge=UNDIRECTED)


def _same_nodes(names: Iterable[str], nodes: Collection[str]) -> tuple[str, ...]:
    unshared = sorted(set(names) ^ set(nodes), key=str)
    if unshared:
        raise DataError(
            f"names and nodes differ: only one of the two has {listed(unshared)}; name every node "
            "of the graph"
        )
    return graph_names(names, len(nodes))
