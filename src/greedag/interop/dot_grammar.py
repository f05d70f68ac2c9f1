"""The grammar that DOT and dagitty share: a graph in braces, of nodes, edges and attributes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from greedag.errors import DataError, quoted


class Token(NamedTuple):
    """One word of the text. Kinds: ``word``, ``string``, ``mark``, ``end``."""

    kind: str
    text: str
    line: int


class Statement(NamedTuple):
    """A node (`marks` empty) or a chain of edges, with the attributes after it."""

    line: int
    names: tuple[str, ...]
    marks: tuple[str, ...]
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Dialect:
    """What differs between the languages.

    Attributes
    ----------
    kinds : frozenset of str
        Words that may start a graph.
    edge_marks : frozenset of str
        Marks between two nodes.
    pattern : re.Pattern
        Groups ``skip``, ``string``, ``word`` and ``mark``; what fits none is an error.
    unquote : callable
        Turns the inside of a string into the name that it stands for.
    defaults : frozenset of str
        Unquoted words that start a list of attributes for all that follows.
    """

    kinds: frozenset[str]
    edge_marks: frozenset[str]
    pattern: re.Pattern[str]
    unquote: Callable[[str], str]
    defaults: frozenset[str] = field(default_factory=frozenset)


class Parser:
    """Reads one graph.

    Attributes
    ----------
    kind : str
        The word that started the graph, in lower case.
    """

    def __init__(self, text: str, dialect: Dialect) -> None:
        self._dialect = dialect
        self._tokens = _tokens(text, dialect)
        self._token = next(self._tokens)
        self.kind = ""

    def statements(self) -> Iterator[Statement]:
        """Yield the statements in order; the first step reads the head of the graph."""
        if self._is_word("strict"):
            self._advance()
        self.kind = self._name().lower()
        if self.kind not in self._dialect.kinds:
            raise self._unexpected(f"one of {', '.join(sorted(self._dialect.kinds))}", self.kind)
        if self._token.kind in ("word", "string"):
            self._advance()
        self._take("{")
        while not self._is_mark("}"):
            if self._is_mark(";"):
                self._advance()
            else:
                yield from self._statement()
        self._advance()
        if self._token.kind != "end":
            raise self._unexpected("the end of the graph")

    def _statement(self) -> Iterator[Statement]:
        line = self._token.line
        is_default = self._token.kind == "word" and (
            self._token.text.lower() in self._dialect.defaults
        )
        names, marks = [self._name()], []
        if self._is_mark("="):
            self._advance()
            self._name()
            return
        while self._token.kind == "mark" and self._token.text in self._dialect.edge_marks:
            marks.append(self._token.text)
            self._advance()
            names.append(self._name())
        attributes = self._attributes()
        if is_default:
            names = []
        yield Statement(line, tuple(names), tuple(marks), attributes)

    def _attributes(self) -> dict[str, str]:
        found = {}
        while self._is_mark("["):
            self._advance()
            while not self._is_mark("]"):
                key = self._name().lower()
                found[key] = ""
                if self._is_mark("="):
                    self._advance()
                    found[key] = self._name()
                if self._is_mark(",") or self._is_mark(";"):
                    self._advance()
            self._advance()
        return found

    def _name(self) -> str:
        token = self._token
        if token.kind not in ("word", "string"):
            raise self._unexpected("a name")
        self._advance()
        return token.text

    def _take(self, mark: str) -> None:
        if not self._is_mark(mark):
            raise self._unexpected(repr(mark))
        self._advance()

    def _is_mark(self, text: str) -> bool:
        return self._token.kind == "mark" and self._token.text == text

    def _is_word(self, text: str) -> bool:
        return self._token.kind == "word" and self._token.text.lower() == text

    def _advance(self) -> None:
        if self._token.kind != "end":
            self._token = next(self._tokens)

    def _unexpected(self, wanted: str, found: str | None = None) -> DataError:
        shown = self._token.text if found is None else found
        what = "the text ends" if self._token.kind == "end" else f"found {quoted(shown)}"
        return DataError(f"line {self._token.line}: {what} where {wanted} should be; correct it")


def _tokens(text: str, dialect: Dialect) -> Iterator[Token]:
    position, line = 0, 1
    while position < len(text):
        match = dialect.pattern.match(text, position)
        if match is None:
            raise DataError(
                f"line {line}: cannot read {quoted(text[position : position + 20])}; only nodes, "
                "edges and their attributes are read"
            )
        kind, found = match.lastgroup, match.group()
        if kind == "string":
            yield Token("string", dialect.unquote(found[1:-1]), line)
        elif kind in ("word", "mark"):
            yield Token(kind, found, line)
        line += found.count("\n")
        position = match.end()
    yield Token("end", "", line)
