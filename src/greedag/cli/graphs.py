"""Graphs and results in files, as the commands read and write them.

A ``.json`` file that ``greedag learn`` writes holds the whole result; every other format holds the
class.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from greedag import CPDAG, MPDAG, Result, interop
from greedag._options import DataOptions
from greedag.data.rows import LoadedTable
from greedag.errors import FileError, quoted_path
from greedag.graph.mpdag import graph_of
from greedag.interop.formats import check_suffix
from greedag.io.tables import ColumnSelection
from greedag.result.serialization import recorded, result_document, save_graph
from greedag.scores.select import loaded_for

_TRIED_NAMES = 64
_HEAD_OF_RESULT = re.compile(rb'\s*\{\s*"format"\s*:\s*"greedag result"')


class Opened(NamedTuple):
    """A result without its data, a table, and what is said about the table."""

    result: Result
    table: LoadedTable
    about: DataOptions


def check_graph_paths(paths: Sequence[str], names: Sequence[str] = ()) -> None:
    """Raise unless the suffix of each path names a format, and that can hold these columns.

    Raises
    ------
    OptionError, DataError
        Before any work is lost.
    """
    for path in paths:
        form = check_suffix(path)
        # Some at a time: a matrix of all columns of a wide table would be large.
        for start in range(0, len(names), _TRIED_NAMES):
            some = names[start : start + _TRIED_NAMES]
            form.encode(CPDAG.from_matrix(np.zeros((len(some), len(some))), some))


def write_graph(path: str, graph: MPDAG | Result, more: Mapping[str, object] | None = None) -> None:
    """Write a class or a result in the format of the suffix; JSON also holds `more`."""
    if _suffix(path) != ".json":
        interop.write(path, graph)
    elif isinstance(graph, Result):
        graph.save(path)
    else:
        save_graph(path, graph, more)


def read_graph(path: str, *, as_dag: bool = False) -> MPDAG:
    """Read the class from a file of any format."""
    return read_any(path, as_dag=as_dag)[0]


def read_any(path: str, *, as_dag: bool = False) -> tuple[MPDAG, Result | None]:
    """Read a class and, if the file has it, the result that it belongs to."""
    if _holds_result(path):
        result = Result.load(path)
        return graph_of(result), result
    return interop.read(path, as_dag=as_dag), None


def plain_result(path: str) -> Result:
    """Read a result without its data.

    Raises
    ------
    FileError
        If the file holds no result.
    """
    _, result = read_any(path)
    if result is None:
        raise FileError(
            f"{quoted_path(path)} holds a class but not how it was found; give a .json file that "
            "greedag learn --out wrote"
        )
    return result


def with_table(path: str, data: str, said: DataOptions, table_format: str | None) -> Opened:
    """Read a result and a table with its columns; what is not said of it is as it was recorded."""
    result = plain_result(path)
    about = recorded(result, said)
    columns = ColumnSelection(keep=result.cpdag.names)
    table = loaded_for(result.objective, [data], about, table_format=table_format, columns=columns)
    return Opened(result, table, about)


def result_json(result: Result) -> str:
    """Return a result as one line of JSON in plain ASCII, whatever the terminal's encoding."""
    record = json.loads(result_document(result))
    # The checksum is that of the file's bytes, and this is no file.
    del record["checksum"]
    return json.dumps(record).replace("\x7f", "\\u007f")


def _holds_result(path: str) -> bool:
    if _suffix(path) != ".json" or not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            return bool(_HEAD_OF_RESULT.match(file.read(256)))
    except OSError as error:
        raise FileError(f"cannot read {quoted_path(path)}: {error.strerror or error}") from error


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].lower()
