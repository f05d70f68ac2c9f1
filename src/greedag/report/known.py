"""What was known beforehand: the section of the report, and the options that say it again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from greedag.drawing.labels import amount, count
from greedag.graph.knowledge import Knowledge
from greedag.result.result import Result
from greedag.search.knowledge_cost import KnowledgeCost

# Seconds that the cost of knowledge may take in a report.
_COST_SECONDS = 2.0
_MOST_LISTED = 200
_NOT_PLAIN = re.compile(r'[">→,<]|^\s|\s$|-$')
FILE = "knowledge.json"


@dataclass(frozen=True, slots=True)
class StatementRow:
    """One statement as listed.

    Attributes
    ----------
    text : str
        What is known.
    edges : int
        How many edges it directs that the data alone leave undirected.
    cost : str
        By how much the score could rise without it; a question mark where that is not known.
    is_costly : bool
        Whether it could rise at all.
    """

    text: str
    edges: int
    cost: str
    is_costly: bool


def known_part(result: Result) -> dict[str, Any]:
    """Return the values of the section on what was known."""
    assert result.knowledge is not None
    cost = result.knowledge_cost(time_limit=_COST_SECONDS) if result.has_data else None
    costs = {} if cost is None else {str(one.statement): one.cost for one in cost.statements}
    directing = _directing(result)
    rows = [
        StatementRow(
            str(said),
            directing[str(said)],
            _cost_shown(costs.get(str(said))),
            costs.get(str(said), 0.0) > 0.0,
        )
        for said in result.knowledge.statements
    ]
    rows.sort(key=lambda row: -costs.get(row.text, -1.0))
    return {
        "known": rows[:_MOST_LISTED],
        "known_notes": list(_notes(result, len(rows))),
        "costs": ["What it costs is not known without the data."] if cost is None else _said(cost),
    }


def _cost_shown(cost: float | None) -> str:
    if cost is None:
        return "?"
    return amount(cost) if cost else "0"


def _directing(result: Result) -> Counter[str]:
    """Return how many edges each statement directs."""
    reasons = result.graph.reasons().values()
    return Counter(
        str(said) for why in reasons if why.rule == "knowledge" for said in why.statements
    )


def _notes(result: Result, statements: int) -> Iterator[str]:
    known, reasons = result.graph.known, result.graph.reasons()
    follow = sum(reasons[edge].rule != "knowledge" for edge in known)
    if known:
        rules = f", {follow:,} of them only by Meek's rules" if follow else ""
        yield (
            f"What was known directs {count(len(known), 'edge')} that the data alone would leave "
            f"undirected{rules}. All graphs found agree with it."
        )
    else:
        yield "All graphs found agree with it. It directs no edge that the data leave undirected."
    if statements > _MOST_LISTED:
        yield f"{_MOST_LISTED:,} of {statements:,} statements are listed, the costliest first."
    yield "The cost of a statement is how much the score could rise without it."


def _said(cost: KnowledgeCost) -> list[str]:
    """Say what the data say against statements."""
    said = cost.sentences()
    if cost.unknown or cost.stopped:
        said.append("A report spends two seconds on this; result.knowledge_cost() takes its time.")
    return said


def in_python(knowledge: Knowledge) -> str:
    """Return the argument of `learn` that says it again."""
    said = ", ".join(f"{name}={value!r}" for name, value in knowledge.to_dict().items())
    return f"knowledge=greedag.Knowledge({said})"


def in_shell(knowledge: Knowledge) -> tuple[list[str], list[str]]:
    """Return the options that say it again, and lines of comment that belong to them."""
    said = knowledge.to_dict()
    plain = {"tiers", "required", "forbidden"}.issuperset(said)
    names = [name for statement in knowledge.statements for name in statement.columns]
    if not plain or any(_NOT_PLAIN.search(name) for name in names):
        hint = f"# {FILE} holds what was known: in Python, result.knowledge.save({FILE!r})."
        return ["--knowledge", FILE], [hint]
    tiers = " < ".join(", ".join(tier) for tier in knowledge.tiers)
    words = ["--tiers", tiers] if tiers else []
    for option, pairs in (("--require", knowledge.required), ("--forbid", knowledge.forbidden)):
        for a, b in pairs:
            words += [option, f"{a}>{b}"]
    return words, []
