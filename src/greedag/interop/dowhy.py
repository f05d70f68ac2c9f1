"""DoWhy, which estimates effects in one given DAG.

Its graphs are DAGs, so a member of the class must be selected; effects may differ between members.
The arc (a, b) is a → b. Of strings, DoWhy prefers GML; nodes and edges are ``source`` → ``target``.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from greedag.errors import DataError, require
from greedag.graph.cpdag import checked_member
from greedag.graph.mpdag import MPDAG, GraphLike, Matrix, graph_of

# DoWhy recognises files and languages by patterns such as ".dot" and "graph {" anywhere in the
# string; with nothing but letters left, no name can be taken for one.
_PLAIN = re.compile(r"[^A-Za-z0-9_]")


def to_dowhy(cpdag: GraphLike, dag: ArrayLike | None = None) -> Any:
    """Return a member of the class as a ``networkx.DiGraph`` that DoWhy takes as ``graph=``.

    Parameters
    ----------
    cpdag : CPDAG, MPDAG or Result
        The class.
    dag : array_like of shape (d, d), optional
        The member: ``dag[i, j] = 1`` is i → j. Needed as soon as the class has an undirected edge;
        ``cpdag.to_dag()`` is one choice among several.

    Returns
    -------
    networkx.DiGraph
        The arc (a, b) is a → b; nodes are the names, in column order.

    Raises
    ------
    DataError
        If there is a choice and `dag` is not given, or `dag` is not a member of the class.
    MissingExtraError
        If networkx is not installed.
    """
    cpdag = graph_of(cpdag)
    member = _member(cpdag, dag)
    graph = require("networkx", "interop").DiGraph()
    graph.add_nodes_from(cpdag.names)
    graph.add_edges_from((cpdag.names[i], cpdag.names[j]) for i, j in np.argwhere(member))
    return graph


def to_dowhy_gml(cpdag: GraphLike, dag: ArrayLike | None = None) -> str:
    """Return a member of the class as a GML string that DoWhy takes as ``graph=``.

    Parameters
    ----------
    cpdag : CPDAG, MPDAG or Result
        The class.
    dag : array_like of shape (d, d), optional
        The member, as for :func:`to_dowhy`.

    Returns
    -------
    str
        One line of ASCII. Each character of a name that is not a letter, a digit or an underscore
        is written as a numeric entity, which every reader of GML decodes.

    Raises
    ------
    DataError
        If there is a choice and `dag` is not given, or `dag` is not a member of the class.
    """
    cpdag = graph_of(cpdag)
    member = _member(cpdag, dag)
    nodes = [f'node [ id {i} label "{_label(name)}" ]' for i, name in enumerate(cpdag.names)]
    edges = [f"edge [ source {i} target {j} ]" for i, j in np.argwhere(member)]
    return " ".join(["graph [ directed 1", *nodes, *edges, "]"])


def _member(cpdag: MPDAG, dag: ArrayLike | None) -> Matrix:
    if dag is None:
        if cpdag.undirected:
            raise DataError(
                f"the class has {len(cpdag.undirected)} undirected edges, so a member must be "
                "selected; pass dag=cpdag.to_dag() for one of them"
            )
        return cpdag.to_matrix()
    return checked_member(cpdag, dag)


def _label(name: str) -> str:
    return _PLAIN.sub(lambda match: f"&#{ord(match.group())};", name)
