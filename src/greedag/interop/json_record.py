"""JSON: ``directed`` holds [tail, head] for a → b, ``undirected`` holds [a, b] for a - b.

Every name of whole characters can be held. Keys beyond those of a graph, such as the score of a
result, are ignored.
"""

from __future__ import annotations

import json
import re
from typing import Any

from greedag.errors import DataError, quoted
from greedag.graph import CPDAG
from greedag.interop.draft import DIRECTED, UNDIRECTED, Draft

FORMAT, VERSION = "greedag graph", 1
# Two lone surrogates that JSON would join to one character.
_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def graph_record(cpdag: CPDAG) -> dict[str, Any]:
    """Return what JSON holds of a graph."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "names": cpdag.names,
        "directed": cpdag.directed,
        "undirected": cpdag.undirected,
    }


def to_json(cpdag: CPDAG) -> str:
    """Return a graph as JSON: pairs under ``directed`` are [tail, head].

    Parameters
    ----------
    cpdag : CPDAG
        The graph.

    Returns
    -------
    str
        An object with ``format``, ``version``, ``names``, ``directed`` and ``undirected``.

    Raises
    ------
    DataError
        If a name holds two halves of a character as if they were two characters.
    """
    halved = next((name for name in cpdag.names if _HALVES.search(name)), None)
    if halved is not None:
        raise DataError(f"column {quoted(halved)} holds a character in two halves; rename it")
    return json.dumps(graph_record(cpdag), ensure_ascii=False, indent=2) + "\n"


def from_json(text: str, *, as_dag: bool = False) -> CPDAG:
    """Read a graph from JSON.

    Parameters
    ----------
    text : str
        What :func:`to_json` or ``greedag learn --out`` wrote.
    as_dag : bool
        Take the edges as a DAG and return its class.

    Raises
    ------
    DataError
        Naming the line or the key.
    """
    try:
        record = json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(f"line {error.lineno}: not valid JSON: {error.msg}; correct it") from error
    except (ValueError, RecursionError) as error:
        raise DataError("not valid JSON: nested too deep or too long a number") from error
    return graph_of_record(record, as_dag=as_dag)


def graph_of_record(record: object, *, as_dag: bool = False) -> CPDAG:
    """Return the graph in what JSON held, if it is one of ours."""
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise DataError(f"no graph of greedag: 'format' is not {FORMAT!r}; choose another file")
    version = record.get("version")
    if type(version) is not int or version < 1:
        raise DataError(f"'version' is {quoted(version)}, not a number from 1; write it again")
    if version > VERSION:
        raise DataError(
            f"version {version} of the format is newer than {VERSION}, the newest known here; "
            "upgrade greedag"
        )
    draft = Draft()
    for name in _listed(record, "names"):
        draft.new_column(name)
    for kind in (DIRECTED, UNDIRECTED):
        for pair in _listed(record, kind):
            draft.edge(*_checked_pair(draft, pair, kind), kind)
    return draft.cpdag(as_dag=as_dag)


def _listed(record: dict[str, Any], key: str) -> list[Any]:
    value = record.get(key)
    if not isinstance(value, list):
        raise DataError(f"{key!r} is missing or no list; write it again")
    return value


def _checked_pair(draft: Draft, pair: object, key: str) -> tuple[str, str]:
    match pair:
        case [str(a), str(b)] if a in draft and b in draft:
            return a, b
    raise DataError(f"{key!r} holds {quoted(pair)}, which is no pair of names; write it again")
