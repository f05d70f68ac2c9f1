"""pgmpy.

A ``pgmpy.base.PDAG``: ``directed_edges`` holds (a, b) for a → b, ``undirected_edges`` holds (a, b)
for a - b. The class is a ``networkx.DiGraph`` that has arcs both ways for an undirected edge.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from greedag.errors import DataError, listed, require
from greedag.graph.mpdag import MPDAG, GraphLike, graph_of
from greedag.interop.networkx import add_arcs, from_networkx


def to_pgmpy(cpdag: GraphLike) -> Any:
    """Return a graph as ``pgmpy.base.PDAG``; its nodes are in column order.

    Parameters
    ----------
    cpdag : CPDAG, MPDAG or Result
        The graph.

    Returns
    -------
    pgmpy.base.PDAG
        Also a ``networkx.DiGraph``, as :func:`to_networkx` returns it.

    Raises
    ------
    MissingExtraError
        If pgmpy is not installed.
    """
    cpdag = graph_of(cpdag)
    pdag = require("pgmpy.base", "interop").PDAG()
    # The constructor takes edges as sets: nodes would come in a different order at each run, and
    # those without edges not at all.
    pdag.add_nodes_from(cpdag.names)
    add_arcs(pdag, cpdag)
    pdag.directed_edges = set(cpdag.directed)
    pdag.undirected_edges = set(cpdag.undirected)
    return pdag


def from_pgmpy(graph: Any, *, names: Iterable[str] | None = None, as_dag: bool = False) -> MPDAG:
    """Read a graph of pgmpy.

    Parameters
    ----------
    graph : pgmpy.base.PDAG or pgmpy.base.DAG
        Arcs both ways are an undirected edge. A graph with latent variables is refused.
    names : list of str, optional
        The nodes in the order that the columns should have. pgmpy itself keeps no order when it
        makes or copies a ``PDAG``.
    as_dag : bool
        Take the edges as a DAG and return its class, which a ``DAG`` or a model needs.

    Raises
    ------
    DataError
        If the graph is not the CPDAG, or with `as_dag` the DAG, that it should be.
    """
    latents = sorted(getattr(graph, "latents", ()) or (), key=str)
    if latents:
        raise DataError(f"{listed(latents)}: latent variables have no place in a CPDAG")
    return from_networkx(graph, names=names, as_dag=as_dag)
