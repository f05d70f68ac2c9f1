"""What an inspection finds, and how it is shown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from greedag.drawing.labels import printable

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
_WIDTH = 96
_HEADS = {"error": "ERROR  ", "warning": "WARNING", "info": "INFO   "}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong or doubtful in a table.

    Attributes
    ----------
    code : str
        What it is, in a word or two that stay the same whatever the wording.
    severity : str
        ``"error"`` if learning would be refused, ``"warning"`` if its result would mislead,
        ``"info"`` for what is good to know.
    columns : tuple of str
        The columns concerned.
    where : str
        Columns, counts and examples.
    why : str
        Why it matters.
    remedy : str
        What to do.
    fix : mapping or None
        What the fixes of the inspection do about it, in options of :func:`greedag.learn`.
    """

    code: str
    severity: Severity
    columns: tuple[str, ...]
    where: str
    why: str
    remedy: str
    fix: Mapping[str, Any] | None = None

    def record(self) -> dict[str, Any]:
        """Return the finding as a plain record."""
        return {
            "code": self.code,
            "severity": self.severity,
            "columns": list(self.columns),
            "where": self.where,
            "why": self.why,
            "remedy": self.remedy,
            "fix": None if self.fix is None else dict(self.fix),
        }

    def __str__(self) -> str:
        return f"{self.code}: {self.where}. {self.why}. {self.remedy}."


@dataclass(frozen=True, slots=True)
class Inspection:
    """Everything that is wrong or doubtful in a table; :func:`greedag.inspect` makes it.

    Its length is the number of findings; iterating gives them, errors first.

    Attributes
    ----------
    findings : tuple of Finding
    fixes : mapping
        Options of :func:`greedag.learn` that fix what can be fixed:
        ``learn(table, **inspect(table).fixes)``.
    n, d : int
        Number of rows and of columns.
    source : str
        The file, where the table is one.
    """

    findings: tuple[Finding, ...]
    fixes: Mapping[str, Any] = field(default_factory=dict)
    n: int = 0
    d: int = 0
    source: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "fixes", MappingProxyType(dict(self.fixes)))

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __reduce__(self) -> tuple[Any, ...]:
        return Inspection, (self.findings, dict(self.fixes), self.n, self.d, self.source)

    def table(self) -> list[dict[str, Any]]:
        """Return the findings as plain records, as a data frame takes them."""
        return [finding.record() for finding in self.findings]

    def to_dict(self) -> dict[str, Any]:
        """Return the whole inspection as plain data."""
        return {
            "rows": self.n,
            "columns": self.d,
            "findings": self.table(),
            "fixes": dict(self.fixes),
        }

    def __str__(self) -> str:
        return "\n".join([self._heading(), *map(_as_text, self.findings), *self._ending()])

    __repr__ = __str__

    def _heading(self) -> str:
        counts = (
            (severity, sum(finding.severity == severity for finding in self))
            for severity in SEVERITIES
        )
        found = ", ".join(_counted(count, word) for word, count in counts if count)
        return f"{self.n:,} rows, {self.d:,} columns: {found or 'nothing found'}"

    def _ending(self) -> Iterator[str]:
        if self.fixes:
            yield "fixes, for learn(table, **inspection.fixes):"
            yield from (f"  {name} = {printable(repr(v))}" for name, v in self.fixes.items())

    def _repr_html_(self) -> str:
        from greedag.drawing.fragments import Column, fragment, paragraph, table

        texts = (Column(head) for head in ("where", "why it matters", "what to do"))
        columns = (Column("", "word"), Column("finding", "word"), *texts)
        rows = [(f.severity, f.code, f.where, f.why, f.remedy) for f in self.findings]
        fixes = [paragraph(f"{name}={value!r}") for name, value in self.fixes.items()]
        heads = ["Fixes, for learn(table, **inspection.fixes):"] if fixes else []
        found = table(columns, rows) if rows else []
        return fragment([paragraph(self._heading()), *found, *map(paragraph, heads), *fixes])


def _as_text(finding: Finding) -> str:
    lines = [f"{_HEADS[finding.severity]} {finding.code}: {printable(finding.where)}"]
    for text in (f"{finding.why}.", f"→ {finding.remedy}."):
        lines += textwrap.wrap(
            printable(text), _WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8
        )
    return "\n".join(lines)


def _counted(count: int, word: str) -> str:
    if word == "info":
        return f"{count} remark{'s' if count > 1 else ''}"
    return f"{count} {word}{'s' if count > 1 else ''}"
