"""Whether a DAG fulfils what users say of it, each statement read word by word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from itertools import product
from typing import Any

Pairs = frozenset[tuple[str, str]]


@cache
def meant(name: str, names: tuple[str, ...]) -> list[str]:
    """Return the columns that a name or a pattern stands for."""
    return [name] if name in names else [c for c in names if fnmatchcase(c, name)]


def pairs(said: Sequence[str], names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Iterate over the pairs of different columns that a pair of patterns stands for."""
    first, second = (meant(name, names) for name in said)
    return ((a, b) for a, b in product(first, second) if a != b)


def tier_of(name: str, tiers: Sequence[Sequence[str]], names: tuple[str, ...]) -> int | None:
    """Return the tier of a column; one that names it comes before those with patterns."""
    named = [k for k, tier in enumerate(tiers) if name in tier]
    matched = [k for k, tier in enumerate(tiers) if any(name in meant(p, names) for p in tier)]
    return next(iter(named or matched), None)


def in_two_tiers(said: Mapping[str, Any], names: tuple[str, ...]) -> bool:
    """Whether the tiers put a column into two of them."""
    for name in names:
        named = {k for k, tier in enumerate(said["tiers"]) if name in tier}
        matched = {
            k for k, tier in enumerate(said["tiers"]) for p in tier if name in meant(p, names)
        }
        if len(named or matched) > 1:
            return True
    return False


def fulfils(arcs: Pairs, above: Pairs, names: tuple[str, ...], said: Mapping[str, Any]) -> bool:
    """Whether a DAG fulfils all statements.

    Parameters
    ----------
    arcs : frozenset of (x, y)
        Its arcs x → y.
    above : frozenset of (x, y)
        The pairs of which x is an ancestor of y.
    names : tuple of str
        The columns.
    said : mapping
        Every argument of `greedag.Knowledge`, as lists.
    """
    tier = {name: tier_of(name, said["tiers"], names) for name in names}
    for required in said["required"]:
        if any(pair not in arcs for pair in pairs(required, names)):
            return False
    for forbidden in said["forbidden"]:
        if any(pair in arcs for pair in pairs(forbidden, names)):
            return False
    for apart in said["not_adjacent"]:
        if any((a, b) in arcs or (b, a) in arcs for a, b in pairs(apart, names)):
            return False
    for order in said["before"]:
        if any((b, a) in above for a, b in pairs(order, names)):
            return False
    for late, early in above:
        if tier[late] is not None and tier[early] is not None and tier[late] > tier[early]:
            return False
    for group in said["forbidden_within"]:
        inside = (
            [name for name in names if tier[name] == group]
            if isinstance(group, int)
            else [name for pattern in group for name in meant(pattern, names)]
        )
        if any(a in inside and b in inside for a, b in arcs):
            return False
    causes = [name for pattern in said["exogenous"] for name in meant(pattern, names)]
    effects = [name for pattern in said["terminal"] for name in meant(pattern, names)]
    return not any(b in causes or a in effects for a, b in arcs)
