"""JSON: ``directed`` holds [tail, head] for a → b, ``undirected`` holds [a, b] for a - b.

These are greedag's own files, with a version and a checksum. They can hold every name of whole
characters. Of a result, the class is read.
"""

from __future__ import annotations

import re

from greedag.errors import DataError, FileError, quoted
from greedag.graph.mpdag import MPDAG, GraphLike, graph_of
from greedag.interop.builder import check_type, graph_from
from greedag.io.checked_json import document, parse_document
from greedag.result.serialization import GRAPH, RESULT, graph_record, matrix_of

# Two lone surrogates that JSON would merge into one character.
_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def to_json(cpdag: GraphLike) -> str:
    """Return a graph as JSON: pairs under ``directed`` are [tail, head].

    Parameters
    ----------
    cpdag : CPDAG, MPDAG or Result
        The graph.

    Returns
    -------
    str
        An object with ``format``, ``version``, ``names``, ``directed``, ``undirected`` and
        ``checksum``.

    Raises
    ------
    DataError
        If a name holds two halves of a character as if they were two characters.
    """
    cpdag = graph_of(cpdag)
    halved = next((name for name in cpdag.names if _HALVES.search(name)), None)
    if halved is not None:
        raise DataError(
            f"column {quoted(halved)} cannot be written as JSON: it contains "
            "surrogates; rename the column"
        )
    return document(graph_record(cpdag))


def from_json(text: str | bytes, *, as_dag: bool = False) -> MPDAG:
    """Read a graph from JSON.

    Parameters
    ----------
    text : str or bytes
        What :func:`to_json`, ``Result.save`` or ``greedag learn --out`` wrote, or the same fields
        written by hand; a checksum may be left out, and must match if it is there.
    as_dag : bool
        Take the edges as a DAG and return its class.

    Raises
    ------
    DataError
        If the text is damaged, of another format or version, or not of a CPDAG.
    """
    check_type(text, str, bytes)
    content = text.encode("utf-8", "backslashreplace") if isinstance(text, str) else text
    try:
        record = parse_document(content, GRAPH | RESULT, "JSON")
        names, matrix = matrix_of("JSON", record)
    except FileError as error:
        raise DataError(str(error)) from error
    if record.get("kind") == MPDAG.__name__ and not as_dag:
        return MPDAG.from_matrix(matrix, names)
    return graph_from(matrix, names, as_dag=as_dag)
