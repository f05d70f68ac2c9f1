"""What changing a column would do: all effects for a chooser, the surest ones as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from greedag.drawing.labels import count
from greedag.effects.ask import Question
from greedag.effects.effect import Effect
from greedag.effects.effect_tables import effect_cells
from greedag.effects.estimate import Estimates
from greedag.errors import DataError, counted_rows
from greedag.result.result import Result

# Pairs of more columns would make the page long to write and to load.
_MOST_COLUMNS = 40
_MOST_ROWS = 30
_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A row of the table: names as shown, a number to sort by, and cells."""

    x: str
    y: str
    value: float
    effect: str
    interval: str
    how: str


def changes_part(result: Result, shown: tuple[str, ...]) -> dict[str, Any]:
    """Return what the section shows; nothing where effects cannot be estimated."""
    nothing: dict[str, Any] = {"changes": {}, "change_rows": [], "change_notes": []}
    if not result.has_data or not 2 <= result.graph.d <= _MOST_COLUMNS:
        return nothing
    try:
        found = _possible(result)
    except DataError:
        return nothing
    rows = [
        ChangeRow(shown[x], shown[y], effect.values[0], *effect_cells(effect))
        for (x, y), effect in sorted(found.items(), key=_by_certainty)[:_MOST_ROWS]
    ]
    sentences: dict[int, dict[int, list[str]]] = {}
    for (x, y), effect in found.items():
        sentences.setdefault(x, {})[y] = list(effect.answers())
    return {
        "changes": sentences,
        "change_rows": rows,
        "change_notes": list(_notes(result, found, len(rows))),
    }


def _possible(result: Result) -> dict[tuple[int, int], Effect]:
    """Return the effects that the graph leaves possible."""
    question = Question(result, None, _LEVEL)
    estimates = Estimates(result.graph, question.fits)
    found = {}
    for x in range(result.graph.d):
        for y in range(result.graph.d):
            if x != y and estimates.paths.possible_descendants(x) >> y & 1:
                found[x, y] = question.asked(estimates, [x], y, {}, settles=False)
    return found


def _by_certainty(item: tuple[tuple[int, int], Effect]) -> tuple[float, tuple[int, int]]:
    """Order effects by how far they are from zero at the least, in standard errors."""
    pair, effect = item
    sizes = [
        abs(one.value) / one.standard_error if one.standard_error else 0.0
        for one in effect.possible
    ]
    return -min(sizes), pair


def _notes(result: Result, found: dict[tuple[int, int], Effect], rows: int) -> list[str]:
    if not found:
        return ["By this graph, changing one column changes no other."]
    one = next(iter(found.values()))
    if one.is_held_out:
        said = [
            f"Estimated from {counted_rows(one.n)} rows that were held out: the graph was not "
            "learned from them, so that intervals are honest if it is right."
        ]
    else:
        said = [
            "Estimated from the rows that the graph was learned from, which makes intervals too "
            "narrow. Learn with hold_out=0.5 to keep other rows for this."
        ]
    if rows < len(found):
        said.append(f"The table shows the {rows} surest of {count(len(found), 'effect')}.")
    return said
