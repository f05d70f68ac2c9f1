"""Knowledge as Tetrad's text.

After the line ``/knowledge`` come sections: ``addtemporal`` with a line for each tier, its number
first (``*`` after it: no edges within the tier; ``-``: it causes the next tier only);
``forbiddirect`` and ``requiredirect`` with an arc in each line; ``forbiddengroup`` and
``requiredgroup`` with lines in pairs, all arcs from the names of the one to those of the other.
Empty lines and those that begin with ``//`` are ignored. Names are separated by white space.

Tetrad forbids arcs from later tiers to earlier ones; paths through columns without a tier are not
forbidden there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations

from greedag.errors import KnowledgeError, quoted
from greedag.graph.knowledge import Knowledge, Statement

_SECTIONS = ("addtemporal", "forbiddirect", "requiredirect", "forbiddengroup", "requiredgroup")
_TIER = re.compile(r"(\d{1,9})(\*?)(-?)")
# White space would end a name; patterns and quotes would be taken for part of it.
_BREAKING = re.compile(r"[\s\"*?\[\x00-\x1f\x7f]")


def to_tetrad(knowledge: Knowledge) -> str:
    """Return knowledge as text; see :meth:`Knowledge.to_tetrad`."""
    within = {group for group in knowledge.forbidden_within if isinstance(group, int)}
    forbidden: list[tuple[str, ...]] = []
    for statement in knowledge.statements:
        for name in statement.columns:
            _check_name(name, statement)
        forbidden += _forbidden(statement)
    lines = ["/knowledge", "addtemporal"]
    for number, tier in enumerate(knowledge.tiers):
        mark = "*" if number in within else ""
        lines.append(f"{number + 1}{mark} {' '.join(tier)}")
    lines += ["", "forbiddirect", *(" ".join(arc) for arc in dict.fromkeys(forbidden))]
    lines += ["", "requiredirect", *(" ".join(arc) for arc in knowledge.required), ""]
    return "\n".join(lines)


def _forbidden(statement: Statement) -> list[tuple[str, ...]]:
    """Return the arcs that a statement forbids, one by one."""
    if statement.kind == "forbidden":
        return [statement.columns]
    if statement.kind == "not_adjacent" or (
        statement.kind == "forbidden_within" and statement.tier is None
    ):
        return list(permutations(statement.columns, 2))
    if statement.kind in ("before", "exogenous", "terminal"):
        raise _unwritable(
            statement, "the format knows tiers and arcs only", "say it by tiers or by arcs"
        )
    return []


def _check_name(name: str, statement: Statement) -> None:
    breaking = _BREAKING.search(name)
    if breaking:
        why = f"{quoted(name)} holds {breaking.group()!a}, which the format does not allow"
        raise _unwritable(statement, why, "name each column, without such characters")
    if name.startswith(("//", "/knowledge", *_SECTIONS)):
        raise _unwritable(
            statement, f"{quoted(name)} begins like a comment or a section", "rename the column"
        )


def _unwritable(statement: Statement, why: str, remedy: str) -> KnowledgeError:
    return KnowledgeError(
        f'"{statement}" cannot be written as Tetrad text: {why}',
        remedy=(remedy, ", or save it as .json, .yaml or .csv"),
        code="knowledge-format",
        columns=statement.columns,
        statements=[statement],
    )


def from_tetrad(text: str) -> Knowledge:
    """Read knowledge from text; see :meth:`Knowledge.from_tetrad`."""
    found = _Found()
    section = ""
    group: list[str] | None = None
    for number, line in _lines(text):
        if line.lower() in _SECTIONS:
            _check_ended(group, number)
            section, group = line.lower(), None
        elif not section:
            raise _unreadable(number, f"{quoted(line)} is not one of {', '.join(_SECTIONS)}")
        elif section == "addtemporal":
            found.add_tier(number, line.split())
        elif section in ("forbiddirect", "requiredirect"):
            found.add_arc(number, line.split(), section)
        elif group is None:
            group = line.split()
        else:
            found.add_group(group, line.split(), section)
            group = None
    _check_ended(group, "the last")
    return found.knowledge()


class _Found:
    """What has been read so far."""

    def __init__(self) -> None:
        self._tiers: dict[int, list[str]] = {}
        self._within: set[int] = set()
        self._next_only: set[int] = set()
        self._arcs: dict[str, list[tuple[str, str]]] = {"forbid": [], "requir": []}

    def add_tier(self, number: int, words: list[str]) -> None:
        match = _TIER.fullmatch(words[0])
        if match is None:
            raise _unreadable(number, f"{quoted(words[0])} is not the number of a tier")
        tier = int(match[1])
        self._tiers.setdefault(tier, []).extend(words[1:])
        self._within |= {tier} if match[2] else set()
        self._next_only |= {tier} if match[3] else set()

    def add_arc(self, number: int, words: list[str], section: str) -> None:
        if len(words) != 2:
            raise _unreadable(number, f"{len(words)} names in {section}, where an arc has 2")
        self._arcs[section[:6]].append((words[0], words[1]))

    def add_group(self, tails: list[str], heads: list[str], section: str) -> None:
        self._arcs[section[:6]] += [(a, b) for a in tails for b in heads if a != b]

    def knowledge(self) -> Knowledge:
        numbers = sorted(self._tiers)
        skipped = [
            (a, b)
            for tier in sorted(self._next_only)
            for later in numbers
            if later > tier + 1
            for a in self._tiers[tier]
            for b in self._tiers[later]
        ]
        return Knowledge(
            required=self._arcs["requir"],
            forbidden=self._arcs["forbid"] + skipped,
            tiers=[self._tiers[number] for number in numbers],
            forbidden_within=[numbers.index(tier) for tier in sorted(self._within)],
        )


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith(("//", "/knowledge")):
            yield number, stripped


def _check_ended(group: list[str] | None, number: int | str) -> None:
    if group is not None:
        raise _unreadable(number, "the second line of a group is missing")


def _unreadable(number: int | str, why: str) -> KnowledgeError:
    return KnowledgeError(
        f"line {number}: {why}" if isinstance(number, int) else f"{number} line: {why}",
        remedy="correct it",
        code="knowledge-file",
    )
