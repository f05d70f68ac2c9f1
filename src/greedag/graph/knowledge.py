"""What is known about a graph before any data are seen.

Knowledge is a list of *statements*: arcs that are required or forbidden, tiers, an order between
two columns, columns without causes or effects. It names columns as users do, and patterns of
columns; :meth:`Knowledge.bind` resolves it against the columns of a table.
"""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from greedag.drawing.labels import label
from greedag.errors import KnowledgeError, listed, only_python, quoted
from greedag.graph.knowledge_arguments import (
    Pair,
    Tiers,
    read_groups,
    read_names,
    read_pairs,
    read_tiers,
)

if TYPE_CHECKING:
    from greedag.graph.bound_knowledge import BoundKnowledge
    from greedag.io.atomic import FilePath

# Of a tier or a group, and of a list of tiers, in a sentence.
_MOST_NAMES = 6
_MOST_TIERS = 8
_MOST_CHARACTERS = 40
_SENTENCES = {
    "required": "{0} → {1} is required",
    "forbidden": "{0} → {1} is forbidden",
    "before": "{0} comes before {1}",
    "exogenous": "{0} is exogenous",
    "terminal": "{0} is terminal",
    "not_adjacent": "{0} and {1} are not adjacent",
}


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that is said about a graph; its text is a sentence.

    Attributes
    ----------
    kind : str
        The argument of :class:`Knowledge` that says it, such as ``"required"``.
    columns : tuple of str
        Names and patterns as they were given; of an arc, tail and head.
    tiers : tuple of tuple of str
        If it says tiers: the columns of each, in order.
    tier : int, optional
        If it forbids edges within a tier: its number, counted from 0.
    """

    kind: str
    columns: tuple[str, ...]
    tiers: Tiers = ()
    tier: int | None = None

    def __str__(self) -> str:
        if self.kind == "tiers":
            shown = [_names_shown(tier) for tier in self.tiers]
            return "tiers: " + " < ".join(_shortened(shown, _MOST_TIERS))
        if self.kind == "forbidden_within":
            where = "among" if self.tier is None else f"within tier {self.tier}:"
            return f"no edges {where} {_names_shown(self.columns)}"
        return _SENTENCES[self.kind].format(*map(_name_shown, self.columns))

    def _key(self) -> tuple[object, ...]:
        """Return what it says, whatever the order of names that have none."""
        ordered = self.kind in ("required", "forbidden", "before")
        columns = self.columns if ordered else frozenset(self.columns)
        return self.kind, columns, tuple(map(frozenset, self.tiers)), self.tier


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Knowledge:
    """What is known about a graph: statements that every graph found must fulfil.

    Columns are named, or matched by patterns of the shell such as ``"lag1_*"`` (``*``, ``?``,
    ``[abc]``; upper and lower case differ). A name that is itself a column is never a pattern. A
    pair of patterns stands for every pair of a column of the one and another column of the other.

    Parameters
    ----------
    required : list of pairs
        ``("a", "b")``: the edge a → b is there.
    forbidden : list of pairs
        ``("a", "b")``: the edge a → b is not there; a ← b may be.
    tiers : list of lists, mapping or str
        Groups of columns in order: no column is an ancestor of one in an earlier tier. Lists of
        names; or each name with its number; or text such as ``"age, sex < smoking < cancer"``. A
        column may be in no tier. One that is named in a tier is not matched by patterns in others.
    forbidden_within : list of int or of lists
        Groups without edges among them: a tier by its number, counted from 0 or as the mapping
        `tiers` has it, a pattern, or a list of names and patterns.
    before : list of pairs
        ``("a", "b")``: b is not an ancestor of a, whatever lies between them.
    exogenous : list of str
        Columns without causes among the columns: no edge into them.
    terminal : list of str
        Columns without effects among the columns: no edge out of them.
    not_adjacent : list of pairs
        ``("a", "b")``: there is no edge between a and b.

    Raises
    ------
    KnowledgeError
        If an argument cannot be read. Contradictions are found by :meth:`bind`.

    Examples
    --------
    >>> known = Knowledge(required=[("smoking", "tar")], tiers="age, sex < smoking < cancer")
    >>> print(known)
    smoking → tar is required
    tiers: age, sex < smoking < cancer
    >>> known | Knowledge(exogenous=["age"])
    <Knowledge: 1 required, tiers, 1 exogenous>
    """

    required: tuple[Pair, ...] = ()
    forbidden: tuple[Pair, ...] = ()
    tiers: Tiers = ()
    forbidden_within: tuple[int | tuple[str, ...], ...] = ()
    before: tuple[Pair, ...] = ()
    exogenous: tuple[str, ...] = ()
    terminal: tuple[str, ...] = ()
    not_adjacent: tuple[Pair, ...] = ()

    def __init__(
        self,
        required: Iterable[Iterable[object]] = (),
        forbidden: Iterable[Iterable[object]] = (),
        tiers: Iterable[object] | Mapping[Any, float] | str = (),
        forbidden_within: Iterable[object] | int | str = (),
        before: Iterable[Iterable[object]] = (),
        exogenous: Iterable[object] = (),
        terminal: Iterable[object] = (),
        not_adjacent: Iterable[Iterable[object]] = (),
    ) -> None:
        named, places = read_tiers(tiers)
        for name, value in (
            ("required", read_pairs("required", required)),
            ("forbidden", read_pairs("forbidden", forbidden)),
            ("tiers", named),
            ("forbidden_within", read_groups(forbidden_within, places)),
            ("before", read_pairs("before", before)),
            ("exogenous", read_names("exogenous", exogenous)),
            ("terminal", read_names("terminal", terminal)),
            ("not_adjacent", read_pairs("not_adjacent", not_adjacent)),
        ):
            object.__setattr__(self, name, value)

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All that is said, each arc, column, pair and group by itself; the tiers are one."""
        return tuple(
            statement for field in fields(self) for statement in self._statements(field.name)
        )

    def without(self, statement: Statement) -> Knowledge:
        """Return the same knowledge but for one statement.

        Without its tiers, edges are still forbidden within those that were forbidden to have any; a
        pattern there matches again what is named in another tier. `BoundKnowledge.without` keeps
        to the columns that it matched.

        Raises
        ------
        KnowledgeError
            If this is not among the statements.
        """
        kind = statement.kind
        left = [other for other in self._statements(kind) if other._key() != statement._key()]
        if len(left) == len(self._statements(kind)):
            raise KnowledgeError(
                f'"{statement}" is not among the statements; choose one of knowledge.statements',
                code="knowledge-argument",
                statements=[statement],
            )
        if kind == "tiers":
            return replace(self, tiers=(), forbidden_within=self._groups())
        if kind == "forbidden_within":
            return replace(self, forbidden_within=tuple(_group(other) for other in left))
        plain = kind in ("exogenous", "terminal")
        said = [other.columns[0] if plain else other.columns for other in left]
        return replace(self, **{kind: said})  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the arguments that make this knowledge, those that are empty left out."""
        said = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: [_plain(item) for item in items] for name, items in said if items}

    def bind(self, names: Iterable[str]) -> BoundKnowledge:
        """Resolve names and patterns against the columns of a table, and check what is said.

        Parameters
        ----------
        names : sequence of str
            The columns, in their order.

        Raises
        ------
        KnowledgeError
            If a column is unknown, a pattern matches none, a column is in two tiers, or no graph
            fulfils all statements; it names those that contradict each other.
        """
        from greedag.graph.bound_knowledge import bind

        return bind(self, tuple(names))

    @classmethod
    def load(cls, path: FilePath) -> Knowledge:
        """Read a file: ``.json``, ``.yaml``, ``.csv`` (kind, from, to), or else Tetrad's text.

        Raises
        ------
        FileError
            If it cannot be read, naming the line where there is one.
        """
        from greedag.graph.knowledge_files import load

        return load(path)

    def save(self, path: FilePath) -> None:
        """Write a file, in the format of its suffix.

        Parameters
        ----------
        path : path-like
            ``.json``, ``.yaml`` or ``.yml``, ``.csv``; ``.txt`` or ``.knowledge`` for Tetrad.

        Raises
        ------
        FileError
            If it cannot be written.
        KnowledgeError
            If the format cannot hold a statement.
        """
        from greedag.graph.knowledge_files import save

        save(self, path)

    def to_tetrad(self) -> str:
        """Return the text that Tetrad reads as knowledge.

        Raises
        ------
        KnowledgeError
            If the format cannot hold a statement: an order without tiers, a pattern.
        """
        from greedag.graph.tetrad_knowledge import to_tetrad

        return to_tetrad(self)

    @classmethod
    def from_tetrad(cls, text: str) -> Knowledge:
        """Read the text that Tetrad writes, from ``/knowledge`` on.

        Raises
        ------
        KnowledgeError
            Naming the line.
        """
        from greedag.graph.tetrad_knowledge import from_tetrad

        return from_tetrad(text)

    def __or__(self, other: object) -> Knowledge:
        if not isinstance(other, Knowledge):
            return NotImplemented
        tiers = _merged_tiers(self, other)
        merged = {
            field.name: getattr(self, field.name) + getattr(other, field.name)
            for field in fields(self)
        }
        within = [
            group
            for one in (self, other)
            for group in (one.forbidden_within if one.tiers == tiers else one._groups())
        ]
        return Knowledge(**{**merged, "tiers": tiers, "forbidden_within": within})

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Knowledge) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self))

    def __repr__(self) -> str:
        counts = [(field.name, len(getattr(self, field.name))) for field in fields(self)]
        said = [
            name if name == "tiers" else f"{count} {name.replace('_', ' ')}"
            for name, count in counts
            if count
        ]
        return f"<Knowledge: {', '.join(said) or 'no statements'}>"

    def __str__(self) -> str:
        return "\n".join(map(str, self.statements)) or "(no statements)"

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{html.escape(str(said))}</li>" for said in self.statements)
        return f"<ul>{items}</ul>" if items else "<p>(no statements)</p>"

    def _key(self) -> frozenset[tuple[object, ...]]:
        return frozenset(statement._key() for statement in self.statements)

    def _statements(self, kind: str) -> tuple[Statement, ...]:
        said = getattr(self, kind)
        if kind == "tiers":
            columns = tuple(name for tier in said for name in tier)
            return (Statement(kind, columns, tiers=said),) if said else ()
        if kind == "forbidden_within":
            return tuple(
                Statement(kind, self.tiers[group], tier=group)
                if isinstance(group, int)
                else Statement(kind, group)
                for group in said
            )
        return tuple(Statement(kind, (c,) if isinstance(c, str) else c) for c in said)

    def _groups(self) -> tuple[tuple[str, ...], ...]:
        """Return the groups without edges among them, tiers by their names."""
        return tuple(self.tiers[g] if isinstance(g, int) else g for g in self.forbidden_within)


KnowledgeLike = Knowledge | Mapping[str, Any] | str | os.PathLike[str]


def coerced(knowledge: object) -> Knowledge | None:
    """Return what a caller passes as knowledge; None if that is nothing.

    Parameters
    ----------
    knowledge : Knowledge, mapping, path-like or None
        Knowledge, the arguments that make it, or a file that holds it.

    Raises
    ------
    KnowledgeError
        If it is something else.
    FileError
        If the file cannot be read.
    """
    if knowledge is None or isinstance(knowledge, Knowledge):
        return knowledge
    if isinstance(knowledge, Mapping):
        return knowledge_of(knowledge)
    if isinstance(knowledge, (str, os.PathLike)):
        return Knowledge.load(knowledge)
    raise KnowledgeError(
        f"knowledge must be a Knowledge, a mapping of its arguments or the name of a file; "
        f"got {quoted(knowledge)} of type {type(knowledge).__name__}",
        remedy='write Knowledge(tiers="age < smoking < cancer"), for example',
        code="knowledge-argument",
    )


def knowledge_of(record: Mapping[Any, Any]) -> Knowledge:
    """Return the knowledge that a mapping of arguments makes; None stands for none."""
    known = [field.name for field in fields(Knowledge)]
    unknown = [key for key in record if key not in known]
    if unknown:
        raise KnowledgeError(
            f"knowledge has no part {listed(unknown)}; its parts are {', '.join(known)}",
            code="knowledge-argument",
        )
    return Knowledge(**{key: value for key, value in record.items() if value is not None})


def _merged_tiers(one: Knowledge, other: Knowledge) -> Tiers:
    """Return the tiers of two, if all that one says of an order follows from the other."""
    if _follows(other.tiers, one.tiers):
        return one.tiers
    if _follows(one.tiers, other.tiers):
        return other.tiers
    statements = one._statements("tiers") + other._statements("tiers")
    raise KnowledgeError(
        f'cannot merge "{statements[0]}" and "{statements[1]}": neither follows from the other',
        remedy=("write one list of tiers", only_python(", or say one of the two with before=")),
        code="knowledge-tiers",
        statements=statements,
    )


def _follows(tiers: Tiers, given: Tiers) -> bool:
    """Whether every column is in given tiers, and those of a later tier are in a later one."""
    place = {name: k for k, tier in enumerate(given) for name in tier}
    if not all(name in place for tier in tiers for name in tier):
        return False
    latest = -1
    for tier in tiers:
        if min(place[name] for name in tier) <= latest:
            return False
        latest = max(place[name] for name in tier)
    return True


def _group(statement: Statement) -> int | tuple[str, ...]:
    return statement.columns if statement.tier is None else statement.tier


def _plain(item: Any) -> Any:
    return list(item) if isinstance(item, tuple) else item


def _names_shown(names: tuple[str, ...]) -> str:
    return ", ".join(map(_name_shown, _shortened(list(names), _MOST_NAMES)))


def _name_shown(name: str) -> str:
    shown = label(name)
    return shown if len(shown) <= _MOST_CHARACTERS else shown[: _MOST_CHARACTERS - 1] + "…"


def _shortened(items: list[str], most: int) -> Iterator[str]:
    if len(items) <= most:
        return iter(items)
    hidden = len(items) - most + 1
    return iter([*items[: most - 2], f"… ({hidden} more)", items[-1]])
