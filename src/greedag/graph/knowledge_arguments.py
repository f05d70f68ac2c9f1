"""Arguments of knowledge, as callers give them, checked: pairs, names, tiers, groups."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

from greedag.errors import KnowledgeError, quoted
from greedag.graph.mpdag import as_name

Pair = tuple[str, str]
Tiers = tuple[tuple[str, ...], ...]

# A name of the text of tiers, quoted or not, and what follows it.
_TIER_NAME = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*|([^",<]*))([,<]|$)')


def read_pairs(kind: str, pairs: Any) -> tuple[Pair, ...]:
    """Return pairs of names, each once."""
    found: dict[Any, Pair] = {}
    for pair in _items(kind, pairs, "pairs such as [('a', 'b')]"):
        ends = None if isinstance(pair, (str, bytes)) else _items(kind, pair, "pairs of names")
        if ends is None or len(ends) != 2:
            raise _unreadable(kind, pair, "pairs such as [('a', 'b')]")
        a, b = (_name(kind, end) for end in ends)
        found.setdefault(frozenset((a, b)) if kind == "not_adjacent" else (a, b), (a, b))
    return tuple(found.values())


def read_names(kind: str, names: Any) -> tuple[str, ...]:
    """Return names, each once; one alone may stand for a list of one."""
    single = isinstance(names, (str, Integral))
    items = [names] if single else _items(kind, names, "names such as ['a', 'b']")
    return tuple(dict.fromkeys(_name(kind, item) for item in items))


def read_tiers(tiers: Any) -> tuple[Tiers, dict[object, int]]:
    """Return tiers that are not empty, and the place of each number that a caller may use."""
    if isinstance(tiers, str):
        numbered: list[tuple[Any, Any]] = list(enumerate(_tiers_from_text(tiers)))
    elif isinstance(tiers, Mapping):
        numbered = _by_number(tiers)
    else:
        numbered = list(enumerate(_items("tiers", tiers, "lists of names, in order")))
    named = [(number, read_names("tiers", tier)) for number, tier in numbered]
    kept = [(number, tier) for number, tier in named if tier]
    # An empty tier has no place, but may be spoken of.
    places = {number: -1 for number, _ in named}
    places.update({number: place for place, (number, _) in enumerate(kept)})
    return tuple(tier for _, tier in kept), places


def _by_number(tiers: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    by_number: dict[Any, list[Any]] = {}
    for name, number in tiers.items():
        if not isinstance(number, Real) or isinstance(number, bool) or number != number:
            raise _unreadable("tiers", number, "a number for each name, such as {'age': 0}")
        by_number.setdefault(number, []).append(name)
    return sorted(by_number.items())


def _tiers_from_text(text: str) -> list[list[str]]:
    if not text.strip():
        return []
    tiers: list[list[str]] = [[]]
    place, mark = 0, ","
    while mark:
        match = _TIER_NAME.match(text, place)
        quoted_name, plain, mark = match.groups() if match else (None, "", "")
        name = plain.strip() if quoted_name is None else quoted_name.replace('""', '"')
        if not name:
            raise KnowledgeError(
                f"cannot read the tiers {quoted(text)}: a name is missing or a quote is not closed",
                remedy='write "age, sex < smoking < cancer", for example, with quotes around '
                "names that hold a comma or <",
                code="knowledge-argument",
            )
        tiers[-1].append(name)
        tiers += [[]] if mark == "<" else []
        place = match.end() if match else place
    return tiers


def names_from_text(text: str) -> list[str]:
    """Return names that are separated by commas, with quotes around those that hold one."""
    tiers = _tiers_from_text(text)
    if len(tiers) != 1:
        raise _unreadable("names", text, "names separated by commas")
    return tiers[0]


def read_groups(groups: Any, places: Mapping[object, int]) -> tuple[int | tuple[str, ...], ...]:
    """Return groups of names, each once; a number is that of a tier."""
    kind = "forbidden_within"
    single = isinstance(groups, (str, Integral))
    found: dict[Any, int | tuple[str, ...]] = {}
    for group in [groups] if single else _items(kind, groups, "tiers or lists of names"):
        if isinstance(group, Real) and not isinstance(group, bool):
            if group not in places:
                raise KnowledgeError(
                    f"forbidden_within: there is no tier {group}; the tiers have the numbers "
                    f"{', '.join(map(str, places)) or '(none)'}",
                    code="knowledge-argument",
                )
            if places[group] >= 0:
                found[places[group]] = places[group]
        else:
            names = read_names(kind, group)
            if not names:
                raise _unreadable(kind, group, "tiers or lists of names")
            found.setdefault(frozenset(names), names)
    return tuple(found.values())


def _items(kind: str, given: Any, wanted: str) -> list[Any]:
    if isinstance(given, (set, frozenset)):
        return sorted(given, key=str)
    if not isinstance(given, Iterable) or isinstance(given, (str, bytes, Mapping)):
        raise _unreadable(kind, given, wanted)
    return list(given)


def _name(kind: str, name: Any) -> str:
    text = as_name(name)
    if not isinstance(text, str) or not text:
        raise _unreadable(kind, name, "names of columns, as text")
    return str(text)


def _unreadable(kind: str, given: object, wanted: str) -> KnowledgeError:
    return KnowledgeError(
        f"{kind}: expected {wanted}; got {quoted(given)}", code="knowledge-argument"
    )
