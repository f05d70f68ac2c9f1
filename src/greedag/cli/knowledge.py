"""What the options of a command say about the graph: a file, tiers, arcs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from greedag.errors import OptionError, quoted
from greedag.graph.knowledge import Knowledge

_NAME = r'\s*(?:"((?:[^"]|"")+)"|([^">→]+?))\s*'
_ARC = re.compile(f"{_NAME}(?:-*>|→){_NAME}")


def knowledge_from(
    *,
    path: str | None = None,
    tiers: str | None = None,
    forbid: Sequence[str] = (),
    require: Sequence[str] = (),
) -> Knowledge | None:
    """Read and merge the options ``--knowledge``, ``--tiers``, ``--forbid`` and ``--require``.

    Returns
    -------
    Knowledge or None
        None if no option was given.

    Raises
    ------
    OptionError
        If an arc cannot be read.
    FileError
        If the file cannot be read.
    KnowledgeError
        If the tiers cannot be read, or contradict those of the file.
    """
    if path is None and tiers is None and not forbid and not require:
        return None
    said = Knowledge(
        required=[_arc("--require", text) for text in require],
        forbidden=[_arc("--forbid", text) for text in forbid],
        tiers=tiers or "",
    )
    return said if path is None else Knowledge.load(path) | said


def _arc(option: str, text: str) -> tuple[str, str]:
    match = _ARC.fullmatch(text)
    if match is None:
        raise OptionError(
            f"{option}: cannot read {quoted(text)}; write tail and head as in {option} 'a>b', with "
            "double quotes around a name that holds >"
        )
    quoted_tail, tail, quoted_head, head = match.groups()
    return _name(quoted_tail, tail), _name(quoted_head, head)


def _name(quoted_name: str | None, plain: str) -> str:
    return plain if quoted_name is None else quoted_name.replace('""', '"')
