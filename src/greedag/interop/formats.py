"""Graphs in files, in the format that the suffix names."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from greedag.errors import DataError, FileError, OptionError, quoted, quoted_path
from greedag.graph.mpdag import MPDAG, graph_of
from greedag.interop.dagitty import from_dagitty, to_dagitty
from greedag.interop.dot import from_dot, to_dot
from greedag.interop.edge_list import from_edge_list, to_edge_list
from greedag.interop.graphml import from_graphml, to_graphml
from greedag.interop.json_document import from_json, to_json
from greedag.interop.matrices import from_npz, to_npz
from greedag.interop.tetrad import from_tetrad, to_tetrad
from greedag.io.atomic import FilePath, read_bytes, write_atomic
from greedag.result.result import Result

MAX_BYTES = 2**28


@dataclass(frozen=True, slots=True)
class _Format:
    encode: Callable[[MPDAG], bytes]
    decode: Callable[[bytes, bool], MPDAG]


def _text_format(encode: Callable[[MPDAG], str], decode: Callable[..., MPDAG]) -> _Format:
    return _Format(
        lambda cpdag: encode(cpdag).encode(),
        lambda content, as_dag: decode(_decoded(content), as_dag=as_dag),
    )


_DOT = _text_format(to_dot, from_dot)
_FORMATS = {
    ".json": _Format(
        lambda cpdag: to_json(cpdag).encode(),
        lambda content, as_dag: from_json(content, as_dag=as_dag),
    ),
    ".dot": _DOT,
    ".gv": _DOT,
    ".graphml": _Format(
        lambda cpdag: to_graphml(cpdag).encode(),
        lambda content, as_dag: from_graphml(content, as_dag=as_dag),
    ),
    ".txt": _text_format(to_tetrad, from_tetrad),
    ".csv": _text_format(to_edge_list, from_edge_list),
    ".dagitty": _text_format(to_dagitty, from_dagitty),
    ".npz": _Format(to_npz, lambda content, as_dag: from_npz(content, as_dag=as_dag)),
}
SUFFIXES = tuple(_FORMATS)


def write(path: FilePath, graph: MPDAG | Result) -> None:
    """Write a graph to a file, whole or not at all, in the format that the suffix names.

    Parameters
    ----------
    path : path-like
        ``.json``, ``.dot`` or ``.gv``, ``.graphml``, ``.txt`` (Tetrad), ``.csv`` (edge list),
        ``.dagitty`` or ``.npz``. A file that exists is replaced.
    graph : CPDAG, MPDAG or Result
        Of a result, JSON keeps all that ``Result.load`` needs, other formats the graph.

    Raises
    ------
    OptionError
        If the suffix is none of these.
    DataError
        If the format cannot hold a name; nothing is written then.
    FileError
        If the file cannot be written.
    """
    form = check_suffix(path)
    if not isinstance(graph, (MPDAG, Result)):
        raise OptionError(f"only a CPDAG or a Result can be written, not {type(graph).__name__}")
    content = form.encode(graph_of(graph))
    if isinstance(graph, Result) and form is _FORMATS[".json"]:
        graph.save(path)
    else:
        write_atomic(path, [content])


def read(path: FilePath, *, as_dag: bool = False) -> MPDAG:
    """Read a graph from a file, in the format that the suffix names.

    Parameters
    ----------
    path : path-like
        A file with one of the suffixes that :func:`write` knows.
    as_dag : bool
        Take the edges as a DAG and return its class. Without it, edges that form a DAG but not a
        CPDAG are refused.

    Returns
    -------
    CPDAG or MPDAG
        An MPDAG where knowledge has directed some edges, and left others undirected.

    Raises
    ------
    OptionError
        If the suffix is none of these.
    FileError
        If the file is missing, too large, broken, or does not hold such a graph, naming the
        line where there is one.
    """
    form = check_suffix(path)
    content = read_bytes(path, most=MAX_BYTES)
    try:
        return form.decode(content, as_dag)
    except DataError as error:
        raise FileError(
            f"{quoted_path(path)}: ", *error.problem, remedy=error.remedy, code=error.code
        ) from error


def check_suffix(path: FilePath) -> _Format:
    """Return the format of a suffix; raise if there is none."""
    suffix = os.path.splitext(os.fspath(path))[1] if isinstance(path, (str, os.PathLike)) else ""
    form = _FORMATS.get(str(suffix).lower())
    if form is None:
        raise OptionError(
            f"the suffix of {quoted_path(path)}, {quoted(suffix)}, names no format; choose one of "
            f"{', '.join(SUFFIXES)}"
        )
    return form


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"line {line}: not UTF-8 text ({error.reason}); save it as UTF-8"
        ) from error
