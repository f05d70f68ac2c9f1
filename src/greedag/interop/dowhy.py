"""DoWhy, which estimates effects in one given DAG.

Its graphs are DAGs, so a member of the class must be selected; effects may differ between members.
Where all members agree on an effect, any of them will do, and :func:`dowhy_model` selects one.
The arc (a, b) is a → b. Of strings, DoWhy prefers GML; nodes and edges are ``source`` → ``target``.
"""

from __future__ import annotations

import importlib
import re
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from greedag.errors import DataError, MissingExtraError, listed, quoted, require
from greedag.graph.adjustment import CausalPaths
from greedag.graph.clique_picking import nodes
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


def dowhy_model(graph: GraphLike, treatment: str, outcome: str, data: Any) -> tuple[Any, Any]:
    """Return what DoWhy estimates an effect from: a model, and an estimand with the adjustment set.

    DoWhy adjusts for the optimal set of the graph, as ``result.effect`` does, and its estimate is
    the same, if it is by linear regression without effect modifiers.

    Parameters
    ----------
    graph : CPDAG, MPDAG or Result
        Whose members must agree on the effect.
    treatment, outcome : str
        The column that is changed, and the one that is looked at.
    data : pandas.DataFrame, or what pandas makes one of
        The rows; an array has the columns of the graph, in their order.

    Returns
    -------
    model : dowhy.CausalModel
        With one member of the graph: all give the same effect.
    estimand : dowhy.causal_identifier.IdentifiedEstimand
        The backdoor variables are the optimal adjustment set.

    Raises
    ------
    DataError
        If the graph does not identify the effect, or says that there is none.
    MissingExtraError
        If DoWhy is not installed.

    Examples
    --------
    Plain linear regression, in which the effect is the same in all rows::

        model, estimand = interop.dowhy_model(result, "x", "y", table)
        model.estimate_effect(
            estimand, method_name="backdoor.linear_regression", effect_modifiers=[]
        )
    """
    known = graph_of(graph)
    adjustment = _adjustment(known, treatment, outcome)
    dowhy, frames = _dowhy("dowhy"), require("pandas", "interop")
    rows = data if isinstance(data, frames.DataFrame) else frames.DataFrame(data)
    if rows is not data and not isinstance(data, dict):
        rows.columns = known.names
    model = dowhy.CausalModel(rows, treatment, outcome, graph=to_dowhy(known, known.to_dag()))
    return model, _estimand(treatment, outcome, adjustment)


def _adjustment(graph: MPDAG, x: str, y: str) -> list[str]:
    """Return the optimal adjustment set, if there is an effect and all members agree on it."""
    i, j = graph.index(x), graph.index(y)
    paths = CausalPaths(graph.to_matrix())
    if i == j or not paths.possible_descendants(i) >> j & 1:
        raise DataError(
            f"the graph has no causal path from {quoted(x)} to {quoted(y)}: there is no effect to "
            "estimate",
            remedy="choose another treatment or outcome",
            code="no-effect",
        )
    chosen = paths.optimal_set(i, j) if paths.is_amenable(i, j) else None
    if chosen is None:
        around = [graph.names[k] for k in nodes(paths.neighbors[i])]
        raise DataError(
            f"the effect of {quoted(x)} on {quoted(y)} is not identified: the graph leaves open "
            f"the direction of the edges between {quoted(x)} and {listed(around)}",
            remedy="add knowledge about them, or see all values that it may have with "
            "result.effect",
            code="not-identified",
        )
    return [graph.names[k] for k in nodes(chosen)]


def _estimand(treatment: str, outcome: str, adjustment: list[str]) -> Any:
    parts = _dowhy("dowhy.causal_identifier")
    expression = parts.construct_adjustment_estimand([treatment], [outcome], adjustment)
    return parts.IdentifiedEstimand(
        None,
        [treatment],
        [outcome],
        estimand_type=parts.EstimandType.NONPARAMETRIC_ATE,
        estimands={"backdoor": expression},
        backdoor_variables={"backdoor": adjustment},
        default_backdoor_id="backdoor",
        identifier_method="backdoor",
    )


def _dowhy(module: str) -> ModuleType:
    # Not `require`: no extra brings a package of this size.
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"this needs the package 'dowhy', which cannot be imported ({error}); install it with: "
            "pip install dowhy"
        ) from error


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
