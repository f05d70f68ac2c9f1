"""Knowledge in files: JSON and YAML, tables of text, and the text of Tetrad.

JSON and YAML hold the arguments of :class:`Knowledge` by name. A table has the columns ``kind``,
``from`` and ``to``; a row says one thing:

- ``required``, ``forbidden``, ``before``, ``not_adjacent``: a pair of names;
- ``exogenous``, ``terminal``: a name, ``to`` is empty;
- ``tier``: a name and the number of its tier;
- ``forbidden_within``: names separated by commas, or ``from`` empty and the number of a tier.

Names that a spreadsheet would run as a formula get an apostrophe in front, as
`greedag.io.spreadsheet_cells` says.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from greedag.errors import FileError, KnowledgeError, one_line, quoted, quoted_path, require
from greedag.graph.knowledge import Knowledge, Statement, knowledge_of
from greedag.graph.knowledge_arguments import names_from_text
from greedag.graph.tetrad_knowledge import from_tetrad, to_tetrad
from greedag.io.atomic import FilePath, read_bytes, write_text_atomic
from greedag.io.spreadsheet_cells import cell_of, name_in

MAX_BYTES = 2**28
_HEADER = ["kind", "from", "to"]
_PAIRS = ("required", "forbidden", "before", "not_adjacent")
_SINGLE = ("exogenous", "terminal")
_KINDS = (*_PAIRS, *_SINGLE, "tier", "forbidden_within")
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
_WRITE = "write .json, .yaml, .csv, or .txt for Tetrad"


def load(path: FilePath) -> Knowledge:
    """Read a file; see :meth:`Knowledge.load`."""
    content = read_bytes(path, most=MAX_BYTES)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            f"{quoted_path(path)} is not UTF-8 text (byte {error.start}); save it as UTF-8"
        ) from error
    read = _format_of(path, text)
    try:
        return read(text)
    except KnowledgeError as error:
        raise FileError(
            f"{quoted_path(path)} cannot be used as knowledge: ",
            *error.problem,
            remedy=error.remedy,
            code=error.code,
            columns=error.columns,
        ) from error


def save(knowledge: Knowledge, path: FilePath) -> None:
    """Write a file; see :meth:`Knowledge.save`."""
    formats = _FORMATS.get(_suffix(path))
    if formats is None:
        raise KnowledgeError(
            f"cannot infer the format of {quoted_path(path)}",
            remedy=_WRITE,
            code="knowledge-format",
        )
    write_text_atomic(path, formats[1](knowledge))


def to_json(knowledge: Knowledge) -> str:
    """Return the arguments as JSON, a line for each statement."""
    parts = []
    for name, items in knowledge.to_dict().items():
        lines = ",\n".join(f"    {json.dumps(item, ensure_ascii=False)}" for item in items)
        parts.append(f'  "{name}": [\n{lines}\n  ]')
    return "{\n" + ",\n".join(parts) + "\n}\n" if parts else "{}\n"


def from_json(text: str) -> Knowledge:
    """Read arguments from JSON."""
    try:
        record = json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        raise _unreadable(f"it is not valid JSON ({one_line(error)})") from error
    return _knowledge_of(record)


def to_yaml(knowledge: Knowledge) -> str:
    """Return the arguments as YAML, a line for each statement."""
    lines = []
    for name, items in knowledge.to_dict().items():
        lines += [f"{name}:", *(f"  - {_yaml(item)}" for item in items)]
    return "\n".join(lines) + "\n" if lines else "{}\n"


def _yaml(item: int | str | list[str]) -> str:
    if isinstance(item, list):
        return f"[{', '.join(map(_yaml, item))}]"
    if isinstance(item, int):
        return str(item)
    plain = (c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}" for c in item)
    return f'"{"".join(plain)}"'


def from_yaml(text: str) -> Knowledge:
    """Read arguments from YAML."""
    yaml = require("yaml", "cli")
    try:
        # A few aliases could stand for more than fits any memory.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text)):
            raise _unreadable("it holds an alias (*name); write out what it stands for")
        record = yaml.load(text, Loader=_yaml_loader(yaml))
    except (yaml.YAMLError, RecursionError) as error:
        raise _unreadable(f"it is not valid YAML ({one_line(error)})") from error
    return _knowledge_of({} if record is None else record)


def _yaml_loader(yaml: Any) -> Any:
    """Return a loader that reads whole numbers and nulls, and all else as the text that it is.

    By default the names no and 012 would become False and 10.
    """

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            _without_repeats((str(key.value), None) for key, _ in node.value)
            return super().construct_mapping(node, deep=deep)

    whole = re.compile(r"^-?(?:0|[1-9][0-9]*)$")
    Loader.add_implicit_resolver("tag:yaml.org,2002:int", whole, list("-0123456789"))
    Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(?:~|null|)$"), None)
    return Loader


def to_csv(knowledge: Knowledge) -> str:
    """Return a table with a row for each statement, and for each name of a tier."""
    text = io.StringIO()
    # Unquoted, a space before a name or a lone carriage return in it would be lost.
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(_HEADER)
    for statement in knowledge.statements:
        _check_text(statement)
        writer.writerows((kind, cell_of(a), cell_of(b)) for kind, a, b in _rows_of(statement))
    return text.getvalue()


def _check_text(statement: Statement) -> None:
    odd = next((name for name in statement.columns if _NO_TEXT.search(name)), None)
    if odd is not None:
        raise KnowledgeError(
            f'"{statement}" cannot be written as CSV: {quoted(odd)} holds NUL or a lone surrogate',
            remedy="rename the column, or save it as .json or .yaml",
            code="knowledge-format",
            columns=[odd],
            statements=[statement],
        )


def _rows_of(statement: Statement) -> Iterator[tuple[str, str, str]]:
    if statement.kind == "tiers":
        for number, tier in enumerate(statement.tiers):
            yield from (("tier", name, str(number)) for name in tier)
    elif statement.tier is not None:
        yield statement.kind, "", str(statement.tier)
    elif statement.kind == "forbidden_within":
        yield statement.kind, ", ".join(map(_quoted_in_text, statement.columns)), ""
    else:
        first, second = (*statement.columns, "")[:2]
        yield statement.kind, first, second


def _quoted_in_text(name: str) -> str:
    plain = name == name.strip() and not any(mark in name for mark in ',<"')
    return name if plain else '"' + name.replace('"', '""') + '"'


def from_csv(text: str) -> Knowledge:
    """Read a table with the columns kind, from and to."""
    said: dict[str, list[Any]] = {}
    tiers: dict[str, int] = {}
    for line, row in _table(text):
        try:
            _add_row(said, tiers, row)
        except KnowledgeError as error:
            raise error.within(f"line {line}: ") from error
    return Knowledge(**said, tiers=tiers)


def _table(text: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True)
    header = True
    try:
        for row in reader:
            if header and [cell.strip().lower() for cell in row] != _HEADER:
                raise _unreadable(f"the header must be {','.join(_HEADER)}; correct line 1")
            if row and not header:
                yield reader.line_num, row
            header = False
    except csv.Error as error:
        raise _unreadable(f"line {reader.line_num} is not valid CSV: {error}") from error


def _add_row(said: dict[str, list[Any]], tiers: dict[str, int], row: list[str]) -> None:
    if len(row) != len(_HEADER):
        raise _unreadable(
            f"{len(row)} cells, but a row has {len(_HEADER)}; quote names with commas"
        )
    kind, first, second = row[0].strip(), name_in(row[1]), name_in(row[2])
    if kind not in _KINDS:
        raise _unreadable(f"unknown kind {quoted(kind)}; write one of {', '.join(_KINDS)}")
    if kind == "tier":
        if first in tiers:
            raise _unreadable(f"{quoted(first)} has two tiers; leave it in one of them")
        tiers[first] = _number(second)
    elif kind == "forbidden_within":
        group = names_from_text(first) if first.strip() else _number(second)
        said.setdefault(kind, []).append(group)
    elif (kind in _PAIRS) != bool(second) or not first:
        wanted = "from and to" if kind in _PAIRS else "from, and leaves to empty"
        raise _unreadable(f"{kind} takes {wanted}; got {quoted(first)} and {quoted(second)}")
    else:
        said.setdefault(kind, []).append((first, second) if kind in _PAIRS else first)


def _number(cell: str) -> int:
    try:
        return int(cell)
    except ValueError:
        raise _unreadable(f"{quoted(cell)} is not the number of a tier") from None


def _knowledge_of(record: object) -> Knowledge:
    if not isinstance(record, Mapping):
        raise _unreadable("it must hold the parts of knowledge by name, such as required and tiers")
    return knowledge_of(record)


def _without_repeats(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """Return pairs as a mapping, if no key comes twice: the first would be lost."""
    found: dict[Any, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _unreadable(f"{quoted(key)} comes twice; put all of it into one")
        found[key] = value
    return found


def _unreadable(why: str) -> KnowledgeError:
    return KnowledgeError(why, code="knowledge-file")


_FORMATS: dict[str, tuple[Callable[[str], Knowledge], Callable[[Knowledge], str]]] = {
    ".json": (from_json, to_json),
    ".yaml": (from_yaml, to_yaml),
    ".yml": (from_yaml, to_yaml),
    ".csv": (from_csv, to_csv),
    ".txt": (from_tetrad, to_tetrad),
    ".knowledge": (from_tetrad, to_tetrad),
}


def _suffix(path: FilePath) -> str:
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else ""
    return os.path.splitext(name)[1].lower()


def _format_of(path: FilePath, text: str) -> Callable[[str], Knowledge]:
    found = _FORMATS.get(_suffix(path))
    if found is not None:
        return found[0]
    if text.lstrip().startswith("/knowledge"):
        return from_tetrad
    raise FileError(
        f"cannot infer the format of {quoted_path(path)}; use one of the suffixes "
        f"{', '.join(_FORMATS)}"
    )
