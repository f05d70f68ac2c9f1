"""DOT, the language of Graphviz.

``"a" -> "b"`` is a → b; ``"a" -> "b" [dir=none]`` is a - b. Names are quoted, with ``"`` and the
backslash escaped by a backslash. NUL and lone surrogates cannot be held.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

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
from greedag.interop.dot_grammar import Dialect, Parser, Statement

_ESCAPED = re.compile(r'\\(["\\])')
_DIALECT = Dialect(
    kinds=frozenset({"digraph", "graph"}),
    edge_marks=frozenset({"->", "--"}),
    # A backslash guards whatever follows, so that \\" ends a string and \" does not.
    pattern=re.compile(
        r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|^\#[^\n]*)
        |(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")
        |(?P<word>[^\W\d]\w*|-?(?:\.\d+|\d+(?:\.\d*)?))
        |(?P<mark>->|--|[{}\[\];,=])""",
        re.VERBOSE | re.DOTALL | re.MULTILINE,
    ),
    unquote=lambda inside: _ESCAPED.sub(r"\1", inside),
    defaults=frozenset({"graph", "node", "edge"}),
)
_ARROWS = {"dir", "arrowhead", "arrowtail"}


def to_dot(cpdag: GraphLike) -> str:
    """Return a graph as DOT: ``->`` for a directed edge, ``-> … [dir=none]`` for an undirected one.

    Parameters
    ----------
    cpdag : CPDAG, MPDAG or Result
        The graph.

    Returns
    -------
    str
        A ``digraph`` with every column, in order, then every edge.

    Raises
    ------
    DataError
        If a name holds NUL or a lone surrogate.

    Examples
    --------
    >>> from greedag import CPDAG
    >>> print(to_dot(CPDAG.from_dag([[0, 1], [0, 0]], names=["rain", "mud"])), end="")
    digraph {
      "rain";
      "mud";
      "rain" -> "mud" [dir=none];
    }
    """
    cpdag = graph_of(cpdag)
    check_names(cpdag.names, "DOT", text_problem)
    lines = [f"  {_id(name)}{_label(name)};" for name in cpdag.names]
    lines += [f"  {_id(a)} -> {_id(b)};" for a, b in cpdag.directed]
    lines += [f"  {_id(a)} -> {_id(b)} [dir=none];" for a, b in cpdag.undirected]
    return "\n".join(["digraph {", *lines, "}", ""])


def from_dot(text: str, *, as_dag: bool = False) -> MPDAG:
    """Read a graph from DOT: what :func:`to_dot` writes, and plain graphs of other programs.

    Parameters
    ----------
    text : str
        A ``digraph``, where ``a -> b`` is a → b and ``dir=none`` makes it a - b, or a ``graph``,
        where ``a -- b`` is a - b. Identifiers are the names; labels, colours and the like are
        ignored. Ports, subgraphs, HTML and other heads of arrows are refused.
    as_dag : bool
        Take the edges as a DAG and return its class.

    Raises
    ------
    DataError
        Naming the line.
    """
    check_type(text, str)
    builder = GraphBuilder()
    parser = Parser(text, _DIALECT)
    for statement in parser.statements():
        with located(statement.line):
            _add(builder, statement, parser.kind)
    return builder.graph(as_dag=as_dag)


def _add(builder: GraphBuilder, statement: Statement, kind: str) -> None:
    if not statement.names:
        if _ARROWS & statement.attributes.keys():
            raise DataError("arrows set for all edges are not read; set dir at each edge")
        return
    if not statement.marks:
        builder.column(statement.names[0])
        return
    wanted = "->" if kind == "digraph" else "--"
    odd = next((mark for mark in statement.marks if mark != wanted), "")
    if odd:
        raise DataError(f"{odd!r} in a {kind}; edges of a {kind} are written {wanted!r}")
    direction = _direction(statement.attributes) if kind == "digraph" else "none"
    for a, b in zip(statement.names, statement.names[1:], strict=False):
        # Both ends are named first, so that columns keep the order of their mention.
        builder.column(a)
        builder.column(b)
        tail, head = (b, a) if direction == "back" else (a, b)
        builder.edge(tail, head, UNDIRECTED if direction == "none" else DIRECTED)


def _direction(attributes: Mapping[str, str]) -> str:
    direction = attributes.get("dir", "forward")
    other = {"arrowhead", "arrowtail"} & attributes.keys()
    if other or direction not in ("forward", "back", "none"):
        shown = other.pop() if other else f"dir={direction}"
        raise DataError(
            f"an edge with {quoted(shown)} is not read; an edge of a CPDAG has dir=forward, "
            "dir=back or dir=none"
        )
    return direction


def _id(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _label(name: str) -> str:
    # Graphviz shows the identifier as a label, in which it reads backslashes and entities.
    return f" [label={_id(name.replace('&', '&amp;'))}]" if set("&\\") & set(name) else ""
