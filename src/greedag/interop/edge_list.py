"""CSV edge list, with the columns ``from``, ``edge`` and ``to``.

``a,directed,b`` is a → b; ``a,undirected,b`` is a - b. First comes a row ``a,,`` for each column,
which keeps their order and those without edges. Names that a spreadsheet would run as a formula get
an apostrophe in front, as `greedag.io.spreadsheet_cells` says.
"""

from __future__ import annotations

import csv
import io
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
from greedag.io.spreadsheet_cells import cell_of, name_in

_HEADER = ["from", "edge", "to"]
_KINDS = {
    **dict.fromkeys((DIRECTED, "→", "->", "-->"), DIRECTED),
    **dict.fromkeys((UNDIRECTED, "-", "--", "---"), UNDIRECTED),
}


def to_edge_list(cpdag: GraphLike) -> str:
    """Return a graph as CSV text: ``directed`` edges read from ``from`` to ``to``.

    Parameters
    ----------
    cpdag : CPDAG, MPDAG or Result
        The graph.

    Returns
    -------
    str
        Every field is quoted; first a row for each column, then one for each edge.

    Raises
    ------
    DataError
        If a name holds NUL or a lone surrogate.

    Examples
    --------
    >>> from greedag import CPDAG
    >>> print(to_edge_list(CPDAG.from_dag([[0, 1], [0, 0]], names=["rain", "mud"])), end="")
    "from","edge","to"
    "rain","",""
    "mud","",""
    "rain","undirected","mud"
    """
    cpdag = graph_of(cpdag)
    check_names(cpdag.names, "CSV", text_problem)
    text = io.StringIO()
    # Unquoted, a lone carriage return in a name would end the row.
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(_HEADER)
    writer.writerows((cell_of(name), "", "") for name in cpdag.names)
    writer.writerows((cell_of(a), DIRECTED, cell_of(b)) for a, b in cpdag.directed)
    writer.writerows((cell_of(a), UNDIRECTED, cell_of(b)) for a, b in cpdag.undirected)
    return text.getvalue()


def from_edge_list(text: str, *, as_dag: bool = False) -> MPDAG:
    """Read a graph from CSV text.

    Parameters
    ----------
    text : str
        The header ``from,edge,to``, then rows. ``edge`` is ``directed`` (or ``→``, ``->``,
        ``-->``), ``undirected`` (or ``-``, ``--``, ``---``), or empty in a row that names a column.
    as_dag : bool
        Take the edges as a DAG and return its class.

    Raises
    ------
    DataError
        Naming the line.
    """
    check_type(text, str)
    builder, rows = GraphBuilder(), _rows(text)
    _, header = next(rows, (0, []))
    if header != _HEADER:
        raise DataError(f"line 1: the header must be {','.join(_HEADER)}; correct it")
    for line, row in rows:
        with located(line):
            _add(builder, row)
    return builder.graph(as_dag=as_dag)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise DataError(f"line {reader.line_num}: not valid CSV: {error}; correct it") from error


def _add(builder: GraphBuilder, row: list[str]) -> None:
    if len(row) != len(_HEADER):
        raise DataError(f"{len(row)} fields; a row has {len(_HEADER)}, quote names with commas")
    a, kind, b = name_in(row[0]), row[1].strip(), name_in(row[2])
    if kind in _KINDS:
        builder.column(a)
        builder.edge(a, b, _KINDS[kind])
    elif kind or b:
        raise DataError(f"an edge {quoted(kind)} is not read; write {DIRECTED} or {UNDIRECTED}")
    else:
        builder.column(a)
