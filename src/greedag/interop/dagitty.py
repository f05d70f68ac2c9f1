"""dagitty, the model code of the program and R package of that name.

``"a" -> "b"`` is a → b; ``"a" -- "b"`` is a - b, in a graph of type ``pdag``. Names are quoted,
with ``"`` written as ``\\"``. The language has no escape for control characters or for a backslash
at the end, and does not let a variable be called ``graph`` or ``node``: such names are refused.
"""

from __future__ import annotations

import re

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

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ESCAPED = re.compile(r'\\(?:(")|[\r\n]+)')
_RESERVED = ("graph", "node")
_LATENT = {"latent", "l", "unobserved", "u"}
_DIALECT = Dialect(
    kinds=frozenset({"dag", "pdag", "graph", "digraph"}),
    edge_marks=frozenset({"->", "--", "<-", "<->", "@->", "<-@", "@-@", "@--", "--@"}),
    # A backslash guards nothing but a quote: \\" is a backslash and a quote.
    pattern=re.compile(
        r"""(?P<skip>\s+)
        |(?P<string>"(?:[^"\\]|\\"|\\(?!"))*")
        |(?P<mark><->|@->|<-@|--@|@-@|@--|->|<-|--|[{}\[\];,=])
        |(?P<word>-?[0-9a-zA-Z_.]+)""",
        re.VERBOSE,
    ),
    unquote=lambda inside: _ESCAPED.sub(lambda match: match[1] or "", inside),
)


def to_dagitty(cpdag: GraphLike) -> str:
    """Return a graph as dagitty code: ``->`` for a directed edge, ``--`` for an undirected one.

    Parameters
    ----------
    cpdag : CPDAG, MPDAG or Result
        The graph.

    Returns
    -------
    str
        A ``pdag``; in R: ``dagitty(readr::read_file(path))``.

    Raises
    ------
    DataError
        If a name holds a control character or a lone surrogate, ends in a backslash, or is
        ``graph`` or ``node``.
    """
    cpdag = graph_of(cpdag)
    check_names(cpdag.names, "dagitty code", _problem)
    lines = [_id(name) for name in cpdag.names]
    lines += [f"{_id(a)} -> {_id(b)}" for a, b in cpdag.directed]
    lines += [f"{_id(a)} -- {_id(b)}" for a, b in cpdag.undirected]
    return "\n".join(["pdag {", *lines, "}", ""])


def from_dagitty(text: str, *, as_dag: bool = False) -> MPDAG:
    """Read a graph from dagitty code.

    Parameters
    ----------
    text : str
        A ``pdag`` or a ``dag``: ``a -> b`` and ``b <- a`` are a → b, ``a -- b`` is a - b. Roles and
        positions are ignored. Latent variables, ``<->`` and marks with ``@`` are refused, since a
        CPDAG has none; so are groups in braces.
    as_dag : bool
        Take the edges as a DAG and return its class.

    Raises
    ------
    DataError
        Naming the line.
    """
    check_type(text, str)
    builder = GraphBuilder()
    for statement in Parser(text, _DIALECT).statements():
        with located(statement.line):
            _add(builder, statement)
    return builder.graph(as_dag=as_dag)


def _add(builder: GraphBuilder, statement: Statement) -> None:
    if not statement.marks and _LATENT & statement.attributes.keys():
        raise DataError(
            f"{quoted(statement.names[0])} is latent; a CPDAG has observed columns only"
        )
    for name in statement.names:
        builder.column(name)
    pairs = zip(statement.names, statement.names[1:], strict=False)
    for (a, b), mark in zip(pairs, statement.marks, strict=True):
        if mark == "--":
            builder.edge(a, b, UNDIRECTED)
        elif mark in ("->", "<-"):
            builder.edge(*((a, b) if mark == "->" else (b, a)), DIRECTED)
        else:
            raise DataError(f"an edge {mark!r} is not read: a CPDAG has '->' and '--' only")


def _problem(name: str) -> str:
    control = _CONTROL.search(name)
    if control:
        return f"it holds the control character {control.group()!a}"
    if name.endswith("\\"):
        return "it ends in a backslash"
    if name in _RESERVED:
        return "it is a reserved word of the language"
    return text_problem(name)


def _id(name: str) -> str:
    return '"' + name.replace('"', '\\"') + '"'
