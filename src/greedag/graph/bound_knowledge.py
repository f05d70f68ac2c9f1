"""Knowledge about the columns of one table: names and patterns resolved, contradictions found.

Removing arcs that are not required never breaks a statement. So there is a graph that fulfils all
statements exactly if the graph of the required arcs alone does, and only that one is checked.
"""

from __future__ import annotations

import fnmatch
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from greedag import _core
from greedag.errors import KnowledgeError, columns_listed, quoted, unknown_column
from greedag.graph.knowledge import Knowledge, Statement

Arc = tuple[int, int]
_PATTERN = re.compile(r"[*?\[]")
# Statements along a path, in a message.
_MOST_STATEMENTS = 10


@dataclass(frozen=True, slots=True)
class _Resolved:
    """A statement with the columns that its first and its second name stand for."""

    statement: Statement
    first: tuple[int, ...]
    second: tuple[int, ...]

    def bans(self) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Iterate over tails and heads: no arc leads from any of these to any of those."""
        kind = self.statement.kind
        if kind in ("forbidden", "exogenous", "terminal", "not_adjacent", "forbidden_within"):
            yield self.first, self.second
        if kind in ("before", "required", "not_adjacent"):
            yield self.second, self.first


@dataclass(frozen=True, eq=False, repr=False)
class BoundKnowledge:
    """Knowledge about given columns, without contradictions; made by :meth:`Knowledge.bind`.

    Columns are given by their index.

    Attributes
    ----------
    knowledge : Knowledge
        What is known, as it was said.
    names : tuple of str
        The columns, in their order.
    tiers : tuple of int
        The tier of each column, -1 for none; empty if there are no tiers.
    """

    knowledge: Knowledge
    names: tuple[str, ...]
    tiers: tuple[int, ...]
    _resolved: tuple[_Resolved, ...]

    @cached_property
    def required(self) -> dict[Arc, Statement]:
        """The required arcs, as tail and head, each with the statement that requires it."""
        arcs: dict[Arc, Statement] = {}
        for said in self._of("required"):
            for arc in _arcs(said.first, said.second):
                arcs.setdefault(arc, said.statement)
        return arcs

    @cached_property
    def before(self) -> dict[Arc, Statement]:
        """Pairs of columns, the second never an ancestor of the first; tiers are not among them."""
        pairs: dict[Arc, Statement] = {}
        for said in self._of("before"):
            for pair in _arcs(said.first, said.second):
                pairs.setdefault(pair, said.statement)
        return pairs

    @cached_property
    def engine(self) -> _core.Knowledge:
        """The same, as the engine takes it."""
        return _core.Knowledge(
            len(self.names),
            required=list(self.required),
            forbidden=self._forbidden(),
            tiers=list(self.tiers),
            before=list(self.before),
        )

    def forbids(self, x: int, y: int) -> bool:
        """Whether no graph that fulfils the knowledge can have the arc x → y, by one statement."""
        return next(self._against(x, y), None) is not None

    def statements_against(self, x: int, y: int) -> tuple[Statement, ...]:
        """Return the statements that forbid x → y, each by itself."""
        return tuple(dict.fromkeys(self._against(x, y)))

    def statements_excluding(self, x: int, y: int) -> tuple[Statement, ...]:
        """Return statements that no graph with x → y fulfils together; none if some graph does."""
        against = self.statements_against(x, y)
        if against or not self.required:
            return against
        above, below = self._reached(x, upwards=True), self._reached(y, upwards=False)
        for u in above:
            for v in below:
                said = self._tiers_against(u, v)
                if (v, u) in self.before:
                    said = (self.before[v, u], *said)
                if u == v or said:
                    path = [*above[u], *below[v]]
                    return tuple(dict.fromkeys([*said, *(self.required[arc] for arc in path)]))
        return ()

    def statements_for(
        self, tail: int, head: int, a: int = -1, b: int = -1
    ) -> tuple[Statement, ...]:
        """Return the statements that direct an edge tail → head.

        Parameters
        ----------
        tail, head : int
            The edge.
        a, b : int, optional
            If the edge is directed because b must not be an ancestor of a: those two.
        """
        if a < 0:
            return self.statements_against(head, tail)
        said = [one.statement for one in self._of("before") if a in one.first and b in one.second]
        return tuple(said) + self._tiers_against(b, a)

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All that is said, in the order of :attr:`Knowledge.statements`."""
        tiers = self.knowledge._statements("tiers") if self.tiers else ()
        kinds = [field.name for field in fields(Knowledge)]
        found = [*tiers, *(said.statement for said in self._resolved)]
        return tuple(sorted(found, key=lambda statement: kinds.index(statement.kind)))

    def without(self, statement: Statement) -> BoundKnowledge:
        """Return the same knowledge of the same columns but for one statement."""
        key = statement._key()
        left = tuple(one for one in self._resolved if one.statement._key() != key)
        tiers = () if statement.kind == "tiers" else self.tiers
        # Once the tiers are gone, what was said of one is said of a group.
        said = statement if self.tiers else replace(statement, tier=None)
        return BoundKnowledge(self.knowledge.without(said), self.names, tiers, left)

    def __repr__(self) -> str:
        return f"<{repr(self.knowledge)[1:-1]}, bound to {len(self.names)} columns>"

    def _of(self, kind: str) -> Iterator[_Resolved]:
        return (said for said in self._resolved if said.statement.kind == kind)

    def _against(self, x: int, y: int) -> Iterator[Statement]:
        by_tail, by_head = self._bans
        yield from (statement for tails, statement in by_head.get(y, ()) if x in tails)
        yield from (statement for heads, statement in by_tail.get(x, ()) if y in heads)
        yield from self._tiers_against(x, y)

    def _reached(self, start: int, *, upwards: bool) -> dict[int, tuple[Arc, ...]]:
        """Return the columns that required arcs lead to, with the arcs on the way."""
        found: dict[int, tuple[Arc, ...]] = {start: ()}
        queue = deque([start])
        while queue:
            here = queue.popleft()
            for arc in self.required:
                near, far = arc[::-1] if upwards else arc
                if near == here and far not in found:
                    found[far] = (*found[here], arc)
                    queue.append(far)
        return found

    def _tiers_against(self, x: int, y: int) -> tuple[Statement, ...]:
        """Return the statement of the tiers if x is in a later one than y."""
        is_later = bool(self.tiers) and -1 < self.tiers[y] < self.tiers[x]
        return self.knowledge._statements("tiers") if is_later else ()

    @cached_property
    def _bans(self) -> tuple[Bans, Bans]:
        """What forbids arcs, by tail and by head: each statement by whichever are fewer."""
        by_tail: Bans = {}
        by_head: Bans = {}
        for said in self._resolved:
            for tails, heads in said.bans():
                few, many, index = (
                    (tails, heads, by_tail) if len(tails) < len(heads) else (heads, tails, by_head)
                )
                others = frozenset(many)
                for column in few:
                    index.setdefault(column, []).append((others, said.statement))
        return by_tail, by_head

    def _forbidden(self) -> list[Arc]:
        """Return the arcs that statements other than tiers, orders and required arcs forbid."""
        d = len(self.names)
        bans = [
            np.add.outer(np.array(tails) * d, np.array(heads)).ravel()
            for said in self._resolved
            if said.statement.kind not in ("required", "before")
            for tails, heads in said.bans()
            if tails and heads
        ]
        if not bans:
            return []
        cells = np.sort(np.concatenate(bans))
        tails, heads = np.divmod(cells, d)
        kept = (tails != heads) & (np.diff(cells, prepend=-1) > 0)
        if self.tiers:
            tiers = np.array(self.tiers)
            # The tiers forbid these by themselves.
            kept &= (tiers[heads] < 0) | (tiers[tails] <= tiers[heads])
        return list(zip(tails[kept].tolist(), heads[kept].tolist(), strict=True))


Bans = dict[int, list[tuple[frozenset[int], Statement]]]


def bind(knowledge: Knowledge, names: tuple[str, ...]) -> BoundKnowledge:
    """Resolve knowledge against columns; see :meth:`Knowledge.bind`."""
    columns = _Columns(names)
    tiers = _tier_of_each(knowledge, columns)
    resolved = tuple(
        _resolve(statement, columns, tiers)
        for statement in knowledge.statements
        if statement.kind != "tiers"
    )
    bound = BoundKnowledge(knowledge, names, tiers, resolved)
    _check_forbidden(bound)
    order = _checked_order(bound)
    _check_tiers(bound, order)
    _check_before(bound, order)
    return bound


class _Columns:
    """The columns of a table, found by name or by pattern."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.everywhere = tuple(range(len(names)))
        self._place = {name: place for place, name in enumerate(names)}
        self._matches: dict[str, tuple[int, ...]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._place

    def of(self, name: str, statement: Statement) -> tuple[int, ...]:
        """Return the columns that a name of a statement stands for."""
        if name in self._place:
            return (self._place[name],)
        if name not in self._matches:
            self._matches[name] = self._matching(name, statement)
        return self._matches[name]

    def _matching(self, name: str, statement: Statement) -> tuple[int, ...]:
        if not _PATTERN.search(name):
            raise KnowledgeError(
                f'the knowledge "{statement}" names a column that is not there: '
                f"{unknown_column(name, self.names)}",
                remedy="correct the name or leave the statement out",
                code="knowledge-unknown-column",
                columns=[name],
                statements=[statement],
            )
        matches = re.compile(fnmatch.translate(name)).match
        found = tuple(place for place, column in enumerate(self.names) if matches(column))
        if not found:
            raise KnowledgeError(
                f'in the knowledge "{statement}" the pattern {quoted(name)} matches no column; '
                f"there are {columns_listed(self.names)}",
                remedy="correct the pattern or leave the statement out",
                code="knowledge-no-match",
                statements=[statement],
            )
        return found


def _tier_of_each(knowledge: Knowledge, columns: _Columns) -> tuple[int, ...]:
    """Return the tier of each column, -1 for none; a name comes before all patterns."""
    if not knowledge.tiers:
        return ()
    (statement,) = knowledge._statements("tiers")
    tier_of = [-1] * len(columns.names)
    # Names first: a column that one of them means is taken when the patterns come.
    for exact in (True, False):
        taken = [tier >= 0 for tier in tier_of]
        for number, tier in enumerate(knowledge.tiers):
            for name in tier:
                if (name in columns) == exact:
                    for place in columns.of(name, statement):
                        if not taken[place]:
                            _put(tier_of, place, number, columns.names, statement)
    return tuple(tier_of)


def _put(
    tier_of: list[int], place: int, number: int, names: Sequence[str], statement: Statement
) -> None:
    if tier_of[place] not in (-1, number):
        raise KnowledgeError(
            f"column {quoted(names[place])} is in two tiers, {tier_of[place]} and {number} "
            f'(counting from 0) of "{statement}"',
            remedy="leave it in one of them",
            code="knowledge-two-tiers",
            columns=[names[place]],
            statements=[statement],
        )
    tier_of[place] = number


def _resolve(statement: Statement, columns: _Columns, tiers: tuple[int, ...]) -> _Resolved:
    if statement.tier is not None:
        group = tuple(place for place, tier in enumerate(tiers) if tier == statement.tier)
        return _Resolved(statement, group, group)
    found = [columns.of(name, statement) for name in statement.columns]
    if statement.kind == "exogenous":
        return _Resolved(statement, columns.everywhere, found[0])
    if statement.kind == "terminal":
        return _Resolved(statement, found[0], columns.everywhere)
    if statement.kind == "forbidden_within":
        group = tuple(sorted({place for places in found for place in places}))
        found = [group, group]
    first, second = found
    if len(first) == len(second) == 1 and first == second:
        raise _about_one_column(statement, columns.names[first[0]])
    return _Resolved(statement, first, second)


def _about_one_column(statement: Statement, name: str) -> KnowledgeError:
    return KnowledgeError(
        f'the knowledge "{statement}" speaks of one column only, {quoted(name)}, but takes two',
        remedy="name another column"
        if statement.kind != "forbidden_within"
        else "write a group as a list within the list: forbidden_within=[['a', 'b']]",
        code="knowledge-self",
        columns=[name],
        statements=[statement],
    )


def _arcs(tails: tuple[int, ...], heads: tuple[int, ...]) -> Iterator[Arc]:
    return ((tail, head) for tail in tails for head in heads if tail != head)


def _check_forbidden(bound: BoundKnowledge) -> None:
    """Raise if a required arc is forbidden, by anything but an order or another required arc."""
    for (tail, head), statement in bound.required.items():
        against = [
            other
            for other in bound._against(tail, head)
            if other.kind not in ("required", "before", "tiers")
        ]
        if against:
            a, b = bound.names[tail], bound.names[head]
            raise _conflict(
                f"the edge {quoted(a)} → {quoted(b)} is required and forbidden",
                [statement, against[0]],
                code="knowledge-required-forbidden",
                columns=[a, b],
            )


def _checked_order(bound: BoundKnowledge) -> list[int]:
    """Return the columns with required arcs, causes first, if there is no cycle."""
    children = _children(bound)
    waiting: dict[int, int] = {}
    for tail, head in bound.required:
        waiting[head] = waiting.get(head, 0) + 1
        waiting.setdefault(tail, 0)
    order = [column for column, count in waiting.items() if count == 0]
    for column in order:  # which grows meanwhile
        for child in children.get(column, ()):
            waiting[child] -= 1
            if waiting[child] == 0:
                order.append(child)
    if len(order) < len(waiting):
        raise _cyclic(bound, {column for column, count in waiting.items() if count > 0})
    return order


def _cyclic(bound: BoundKnowledge, left: set[int]) -> KnowledgeError:
    # Every column left has a parent that is left, so walking from child to parent must repeat.
    parent = {head: tail for tail, head in bound.required if tail in left and head in left}
    walk: dict[int, None] = {}
    column = next(head for head in parent)
    while column not in walk:
        walk[column] = None
        column = parent[column]
    steps = list(walk)
    cycle = [column, *steps[steps.index(column) :][::-1]]
    return _conflict(
        "the required edges make a cycle",
        [bound.required[arc] for arc in pairwise(cycle)],
        code="knowledge-cycle",
        columns=[bound.names[place] for place in cycle[:-1]],
    )


def _check_tiers(bound: BoundKnowledge, order: Sequence[int]) -> None:
    """Raise if required arcs lead from a tier to an earlier one, through whatever columns."""
    if not bound.tiers:
        return
    children = _children(bound)
    # Of each column: the latest tier among it and its ancestors, and the step towards it.
    latest = list(bound.tiers)
    towards: dict[int, int] = {}
    for column in order:
        if latest[column] > bound.tiers[column] >= 0:
            path = [column]
            while path[-1] in towards:
                path.append(towards[path[-1]])
            raise _against_order(bound, path[::-1], bound.knowledge._statements("tiers")[0])
        for child in children.get(column, ()):
            if latest[column] > latest[child]:
                latest[child], towards[child] = latest[column], column


def _check_before(bound: BoundKnowledge, order: Sequence[int]) -> None:
    """Raise if required arcs lead from b to a where a comes before b."""
    if not bound.before:
        return
    children = _children(bound)
    # Sets of columns, as the bits of a number.
    below: dict[int, int] = {}
    for column in reversed(order):
        for child in children.get(column, ()):
            below[column] = below.get(column, 0) | below.get(child, 0) | 1 << child
    for (a, b), statement in bound.before.items():
        if below.get(b, 0) >> a & 1:
            raise _against_order(bound, _path(b, a, _reached(b, children)), statement)


def _reached(start: int, children: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Return the descendants of a column, each with the parent that a shortest path passes."""
    came_from: dict[int, int] = {}
    queue = deque([start])
    while queue:
        column = queue.popleft()
        for child in children.get(column, ()):
            if child not in came_from:
                came_from[child] = column
                queue.append(child)
    return came_from


def _path(start: int, end: int, came_from: Mapping[int, int]) -> list[int]:
    path = [end]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    return path[::-1]


def _children(bound: BoundKnowledge) -> dict[int, list[int]]:
    children: dict[int, list[int]] = {}
    for tail, head in bound.required:
        children.setdefault(tail, []).append(head)
    return children


def _against_order(bound: BoundKnowledge, path: list[int], order: Statement) -> KnowledgeError:
    names = [bound.names[place] for place in path]
    return _conflict(
        f"the required edges make {quoted(names[0])} an ancestor of {quoted(names[-1])}, which "
        "comes before it",
        [*(bound.required[arc] for arc in pairwise(path)), order],
        code="knowledge-order",
        columns=names,
    )


def _conflict(
    what: str, statements: Sequence[Statement], *, code: str, columns: Sequence[str]
) -> KnowledgeError:
    distinct = list(dict.fromkeys(statements))
    shown = [f'"{statement}"' for statement in distinct]
    if len(shown) > _MOST_STATEMENTS:
        shown[_MOST_STATEMENTS - 1 : -1] = [f"… ({len(shown) - _MOST_STATEMENTS} more)"]
    said = shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " and " + shown[-1]
    return KnowledgeError(
        f"the knowledge contradicts itself: {what}, by {said}",
        remedy="remove or correct one of these statements",
        code=code,
        columns=columns,
        statements=distinct,
    )
