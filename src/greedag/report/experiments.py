"""What a report says of experiments: how many rows they have, what they directed, how to repeat."""

from __future__ import annotations

from collections.abc import Iterator

from greedag.drawing.labels import count, in_words, printable
from greedag.errors import Note, counted_rows
from greedag.result.result import Result

_MOST = 5


def learned_by_experiments(result: Result) -> Iterator[str]:
    """Yield how many rows come from experiments, and which directions these tell."""
    note = next((note for note in map(Note, result.notes) if note.code == "interventions"), None)
    if note is None:
        return
    seen = note.counts.get("observed", 0)
    rows = f"{counted_rows(_whole(sum(note.counts.values()) - seen))} of {counted_rows(result.n)}"
    columns = [*map(printable, note.columns)]
    directed = [*result.graph.by_evidence.values()].count("intervention")
    owe = count(directed, "edge owes its", "edges owe their") if directed else "no edge owes its"
    yield (
        f"Experiments set {in_words(columns, most=_MOST)} in {rows} rows, and each column was "
        f"scored on the rows in which it was not set: {owe} direction to that."
    )


def _whole(number: float) -> float:
    return int(number) if float(number).is_integer() else number


def tables_in_python(result: Result) -> str:
    """Return the list of tables, each with its targets, as `learn` takes it."""
    given = result.settings["interventions"]
    names = map(repr, result.files) if len(result.files) == len(given) else _table_names(len(given))
    pairs = zip(names, given, strict=True)
    return "[" + ", ".join(f"({name}, {list(targets) or None!r})" for name, targets in pairs) + "]"


def _table_names(k: int) -> list[str]:
    return [f"table{place + 1}" for place in range(k)]
