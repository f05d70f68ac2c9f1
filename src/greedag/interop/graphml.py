"""GraphML.

An arc from a to b is a → b; arcs both ways are a - b, since many readers, networkx among them,
refuse a graph that mixes kinds. The data ``edge`` of each arc says ``directed`` or ``undirected``.
The ids of the nodes are the names. Characters that XML 1.0 cannot hold are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.parsers import expat

from greedag.errors import DataError, quoted
from greedag.graph.mpdag import MPDAG, GraphLike, graph_of
from greedag.interop.builder import (
    DIRECTED,
    UNDIRECTED,
    GraphBuilder,
    check_names,
    check_type,
    located,
)

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
# The complement of the production Char of XML 1.0.
_BEYOND_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEAD = (
    '<?xml version="1.0" encoding="utf-8"?>',
    f'<graphml xmlns="{_NAMESPACE}">',
    '  <key id="edge" for="edge" attr.name="edge" attr.type="string"/>',
    '  <graph edgedefault="directed">',
)


def to_graphml(cpdag: GraphLike) -> str:
    """Return a graph as GraphML: an arc from tail to head, or arcs both ways if undirected.

    Parameters
    ----------
    cpdag : CPDAG, MPDAG or Result
        The graph.

    Returns
    -------
    str
        XML in UTF-8, which ``networkx.read_graphml`` reads with the names as nodes.

    Raises
    ------
    DataError
        If a name holds a character that XML cannot hold, such as a control character.
    """
    cpdag = graph_of(cpdag)
    check_names(cpdag.names, "GraphML", _problem)
    lines = [f"    <node id={_attribute(name)}/>" for name in cpdag.names]
    lines += [_arc(a, b, DIRECTED) for a, b in cpdag.directed]
    for a, b in cpdag.undirected:
        lines += [_arc(a, b, UNDIRECTED), _arc(b, a, UNDIRECTED)]
    return "\n".join([*_HEAD, *lines, "  </graph>", "</graphml>", ""])


def from_graphml(text: str | bytes, *, as_dag: bool = False) -> MPDAG:
    """Read a graph from GraphML.

    Parameters
    ----------
    text : str or bytes
        One graph. Ids of nodes are the names. A directed edge is an arc, and arcs both ways are an
        undirected edge; so is one with ``directed="false"``, or any of a graph with
        ``edgedefault="undirected"``. All data are ignored. A document type is refused, because
        the entities that it may declare can grow without bounds.
    as_dag : bool
        Take the edges as a DAG and return its class.

    Raises
    ------
    DataError
        Naming the line.
    """
    check_type(text, str, bytes)
    return _Reader().read(text).graph(as_dag=as_dag)


class _Reader:
    """Collects nodes and edges from the events of the XML parser."""

    def __init__(self) -> None:
        self._builder = GraphBuilder()
        self._graphs = 0
        self._inside = False
        self._default = DIRECTED
        self._arcs: list[tuple[int, str, str, bool]] = []
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start

    def read(self, text: str | bytes) -> GraphBuilder:
        try:
            self._parser.Parse(text, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise DataError(f"line {error.lineno}: not valid XML: {reason}; correct it") from error
        except (LookupError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"its encoding cannot be read ({error}); save it as UTF-8") from error
        if not self._graphs:
            raise DataError("there is no graph in it; choose a GraphML file")
        self._add_edges()
        return self._builder

    def _doctype(self, *_: object) -> None:
        raise DataError(f"line {self._line}: a document type is not read; remove <!DOCTYPE …>")

    @property
    def _line(self) -> int:
        return self._parser.CurrentLineNumber

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = tag.rpartition(" ")[2]
        with located(self._line):
            if not self._inside and element != "graphml":
                raise DataError(
                    f"the document is {quoted(element)}, not 'graphml'; choose another file"
                )
            handlers: dict[str, Callable[[dict[str, str]], None]] = {
                "graph": self._graph,
                "node": self._node,
                "edge": self._edge,
                "hyperedge": self._hyperedge,
            }
            if element in handlers:
                handlers[element](attributes)
        self._inside = True

    def _graph(self, attributes: dict[str, str]) -> None:
        self._graphs += 1
        if self._graphs > 1:
            raise DataError("a second graph is not read; keep one")
        self._default = _value(attributes, "edgedefault")

    def _node(self, attributes: dict[str, str]) -> None:
        self._builder.new_column(_value(attributes, "id"))

    def _edge(self, attributes: dict[str, str]) -> None:
        a, b = _value(attributes, "source"), _value(attributes, "target")
        directed = attributes.get("directed", str(self._default == DIRECTED).lower())
        self._arcs.append((self._line, a, b, directed in ("true", "1")))

    def _hyperedge(self, _: dict[str, str]) -> None:
        raise DataError("hyperedges are not read; an edge of a CPDAG has two columns")

    def _add_edges(self) -> None:
        """Add the edges, whose nodes may come after them in the file."""
        for line, a, b, directed in self._arcs:
            with located(line):
                unknown = next((name for name in (a, b) if name not in self._builder), None)
                if unknown is not None:
                    raise DataError(
                        f"there is no node {quoted(unknown)}; add it or remove the edge"
                    )
                self._builder.arc(a, b)
                if not directed:
                    self._builder.arc(b, a)


def _value(attributes: dict[str, str], key: str) -> str:
    if key not in attributes:
        raise DataError(f"the attribute {key!r} is missing; add it")
    return attributes[key]


def _problem(name: str) -> str:
    beyond = _BEYOND_XML.search(name)
    return f"XML cannot hold the character {beyond.group()!a}" if beyond else ""


def _arc(a: str, b: str, kind: str) -> str:
    return (
        f"    <edge source={_attribute(a)} target={_attribute(b)}>"
        f'<data key="edge">{kind}</data></edge>'
    )


# xml.sax.saxutils has the like, but importing it loads the whole of urllib.
_ESCAPES = str.maketrans(
    {
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
        '"': "&quot;",
        "\t": "&#9;",
        "\n": "&#10;",
        "\r": "&#13;",
    }
)


def _attribute(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'
