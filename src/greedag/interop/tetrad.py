"""Tetrad text, which Tetrad and causal-learn save and load.

``1. a --> b`` is a → b; ``2. a --- b`` is a - b. The format has no quoting: names with white space,
control characters, commas or semicolons are refused, as are those that Tetrad would take for
latent or selection variables, ``(a)`` and ``[a]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from greedag.errors import DataError, quoted
from greedag.graph.mpdag import MPDAG, GraphLike, graph_of
from greedag.interop.builder import (
    DIRECTED,
    UNDIRECTED,
    GraphBuilder,
    check_names,
    check_type,
    located,
    text_problem,
)

_NODES, _EDGES = "Graph Nodes:", "Graph Edges:"
_BREAKING = re.compile(r"[\s,;\x00-\x1f\x7f]")
_EDGE = re.compile(r"\d+\.\s+(\S+)\s+(\S+)\s+(\S+)(?:\s.*)?")
_BRACKETS = {"(": ")", "[": "]"}


def to_tetrad(cpdag: GraphLike) -> str:
    """Return a graph as Tetrad text: ``-->`` for a directed edge, ``---`` for an undirected one.

    Parameters
    ----------
    cpdag : CPDAG, MPDAG or Result
        The graph.

    Returns
    -------
    str
        The sections "Graph Nodes:" and "Graph Edges:".

    Raises
    ------
    DataError
        If the format cannot hold a name.

    Examples
    --------
    >>> from greedag import CPDAG
    >>> graph = CPDAG.from_dag([[0, 1, 0], [0, 0, 0], [0, 1, 0]], names=["a", "b", "c"])
    >>> print(to_tetrad(graph), end="")
    Graph Nodes:
    a;b;c
    <BLANKLINE>
    Graph Edges:
    1. a --> b
    2. c --> b
    """
    cpdag = graph_of(cpdag)
    check_names(cpdag.names, "Tetrad text", _problem)
    edges = [f"{a} --> {b}" for a, b in cpdag.directed]
    edges += [f"{a} --- {b}" for a, b in cpdag.undirected]
    numbered = [f"{number}. {edge}" for number, edge in enumerate(edges, start=1)]
    return "\n".join([_NODES, ";".join(cpdag.names), "", _EDGES, *numbered, ""])


def from_tetrad(text: str, *, as_dag: bool = False) -> MPDAG:
    """Read a graph from Tetrad text.

    Parameters
    ----------
    text : str
        ``a --> b`` and ``b <-- a`` are a → b, ``a --- b`` is a - b; what follows an edge is
        ignored. Marks with circles or two heads, latent and selection variables are refused.
    as_dag : bool
        Take the edges as a DAG and return its class.

    Raises
    ------
    DataError
        Naming the line.
    """
    check_type(text, str)
    builder, section, seen = GraphBuilder(), "", set()
    for number, line in _lines(text):
        if line in (_NODES, _EDGES):
            section = line
            seen.add(line)
        elif not line:
            section = ""
        elif section:
            with located(number):
                (_add_nodes if section == _NODES else _add_edge)(builder, line)
    missing = next((header for header in (_NODES, _EDGES) if header not in seen), "")
    if missing:
        raise DataError(
            f"there is no line {missing!r}; this is not Tetrad text, or it is truncated"
        )
    return builder.graph(as_dag=as_dag)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        yield number, line.strip()


def _add_nodes(builder: GraphBuilder, line: str) -> None:
    for name in re.split("[,;]", line):
        problem = _problem(name)
        if problem:
            raise DataError(f"{quoted(name)} cannot be a column: {problem}; rename it")
        builder.new_column(name)


def _add_edge(builder: GraphBuilder, line: str) -> None:
    match = _EDGE.fullmatch(line)
    if match is None:
        raise DataError(f"{quoted(line)} is not an edge; edges look like '1. a --> b'")
    a, mark, b = match.groups()
    unknown = next((name for name in (a, b) if name not in builder), None)
    if unknown is not None:
        raise DataError(f"{quoted(unknown)} is not among the nodes; add it there")
    if mark == "---":
        builder.edge(a, b, UNDIRECTED)
    elif mark in ("-->", "<--"):
        builder.edge(*((a, b) if mark == "-->" else (b, a)), DIRECTED)
    else:
        raise DataError(f"an edge {quoted(mark)} is not read: a CPDAG has '-->' and '---' only")


def _problem(name: str) -> str:
    breaking = _BREAKING.search(name)
    if breaking:
        return f"it holds {breaking.group()!a}, and the format has no quoting"
    if not name:
        return "it is empty"
    if name[0] in _BRACKETS and name[-1] == _BRACKETS[name[0]]:
        return "names in brackets are latent or selection variables there"
    return text_problem(name)
