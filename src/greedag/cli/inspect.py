"""``greedag inspect``: what is wrong or doubtful in a table, and the command that fixes it."""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import click

from greedag.cli.main import said_warnings, say
from greedag.cli.options import kinds_option, table_format_option, weights_option
from greedag.cli.tables import kinds_from, selection_from
from greedag.data.kinds import Kinds
from greedag.errors import DataError, Note, OptionError, all_listed
from greedag.io.tables import ColumnSelection
from greedag.statistics.inspection.draft import Given
from greedag.statistics.inspection.finding import Inspection
from greedag.statistics.inspection.inspect import inspected, unreadable
from greedag.statistics.inspection.reading import read_for_inspection

_TREATED = {
    "drop": "left out rows with missing values",
    "em": "estimated the moments from the observed values by EM",
    "test-wise": "computed each gain from the rows in which all of its columns are observed",
}


@click.command("inspect")
@click.argument("data", nargs=-1)
@click.option("--sql", metavar="QUERY", help="Inspect the result of a DuckDB query, as for learn.")
@table_format_option
@click.option(
    "--columns", multiple=True, metavar="NAMES", help="Read only these columns, such as a,b,c."
)
@click.option(
    "--drop", multiple=True, metavar="NAMES", help="Leave out these columns, such as id,date."
)
@kinds_option
@weights_option
@click.option("--json", "as_json", is_flag=True, help="Print the findings as one JSON object.")
def inspect_command(
    data: tuple[str, ...],
    sql: str | None,
    table_format: str | None,
    columns: tuple[str, ...],
    drop: tuple[str, ...],
    kinds: tuple[str, ...],
    weights: str | None,
    as_json: bool,
) -> int:
    """List everything that is wrong or doubtful in DATA, and how to fix it.

    DATA is a table as for learn. Errors, which learn would refuse, come first. The last line is
    the command that learns from the table with all possible fixes.

    \b
    Examples:
      greedag inspect table.csv
      greedag inspect table.csv --kinds ward=discrete --json
      greedag learn table.csv --fix
    """
    if not data and sql is None:
        raise click.UsageError("Missing argument 'DATA...'", click.get_current_context())
    with said_warnings():
        found = inspection_of(
            data,
            sql=sql,
            table_format=table_format,
            columns=selection_from(columns, drop) if columns or drop else None,
            kinds=kinds_from(kinds),
            weights=weights,
        )
    if as_json:
        say(json.dumps(found.to_dict(), default=str))
        return 0
    say(str(found))
    if found.fixes and sql is None:
        given = _given(table_format, columns, drop, weights)
        say(f"\n{learn_command_for(data, found.fixes, given)}")
    return 0


def inspection_of(
    data: Sequence[str], *, kinds: Kinds | None, given: Given | None = None, **how: Any
) -> Inspection:
    """Inspect the table that the options of a command describe."""
    try:
        table = read_for_inspection(list(data), kinds=kinds, **how)
    except DataError as error:
        if error.code == "unknown-column":
            raise
        return unreadable(error)
    return inspected(table, kinds, given=given)


def learn_command_for(
    data: Sequence[str], fixes: Mapping[str, Any], given: Sequence[str] = ()
) -> str:
    """Return the command that learns from a table with fixes, as it would be typed."""
    words = ["greedag", "learn", *map(shlex.quote, data), *given]
    for name, value in fixes.items():
        if isinstance(value, str):
            words += [f"--{name}", value]
            continue
        items = [f"{k}={v}" for k, v in value.items()] if isinstance(value, Mapping) else value
        text = shlex.quote(_line(items))
        # What starts with a dash could be taken for an option.
        words += [f"--{name}={text}"] if text.startswith("-") else [f"--{name}", text]
    return " ".join(words)


def _line(items: Iterable[object]) -> str:
    """Return items as in a line of a CSV file."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(list(items))
    return line.getvalue()


def _given(
    table_format: str | None, columns: Sequence[str], drop: Sequence[str], weights: str | None
) -> list[str]:
    """Return the options of reading, as they were given."""
    words = [] if table_format is None else ["--format", table_format]
    for flag, lists in (("--columns", columns), ("--drop", drop)):
        words += [word for text in lists for word in (flag, shlex.quote(text))]
    return words + ([] if weights is None else ["--weights", shlex.quote(weights)])


def fixed(
    found: Inspection, selection: ColumnSelection | None, options: Mapping[str, Any]
) -> tuple[ColumnSelection | None, dict[str, Any], tuple[Note, ...]]:
    """Return which columns to read and what to say of them, with fixes, and notes on these.

    What the caller says of a column, or of missing values, holds.
    """
    errors = [f for f in found if f.severity == "error" and f.fix is None]
    if errors and not found.fixes:
        raise OptionError(f"--fix cannot fix this: {errors[0].where}; {errors[0].remedy}")
    fixes, merged = found.fixes, dict(options)
    chosen = selection or ColumnSelection()
    if "drop" in fixes:
        drop = (*chosen.drop, *(name for name in fixes["drop"] if name not in chosen.drop))
        keep = tuple(name for name in chosen.keep if name not in drop)
        selection = ColumnSelection(keep, drop if not keep else chosen.drop)
    for name in ("kinds", "transform"):
        if name in fixes and not isinstance(merged.get(name), str):
            merged[name] = {**fixes[name], **(merged.get(name) or {})}
        if isinstance(merged.get(name), Mapping):
            left_out = fixes.get("drop", ())
            merged[name] = {n: word for n, word in merged[name].items() if n not in left_out}
    if "na" in fixes:
        merged["na"] = list(dict.fromkeys(map(str, [*(merged.get("na") or ()), *fixes["na"]])))
    if "missing" in fixes and merged.get("missing", "error") == "error":
        merged["missing"] = fixes["missing"]
    return selection, merged, tuple(_notes(found, merged))


def _notes(found: Inspection, passed: Mapping[str, Any]) -> Iterator[Note]:
    """Say what is done about each finding, as far as it is passed on."""
    for finding in found:
        fix = {name: _held(value, passed.get(name)) for name, value in (finding.fix or {}).items()}
        done = [_done(name, value) for name, value in fix.items() if value]
        if done:
            text = f"fixed {finding.code}: {'; '.join(done)}"
            yield Note(text, code="fix", columns=finding.columns)


def _held(fix: Any, passed: Any) -> Any:
    """Return the part of a fix that is passed on; what is no mapping is passed on as a whole."""
    if not isinstance(fix, Mapping):
        return fix
    if not isinstance(passed, Mapping):
        return {}
    return {name: word for name, word in fix.items() if passed.get(name) == word}


def _done(name: str, value: Any) -> str:
    if name == "missing":
        return _TREATED[value]
    if name == "drop":
        return f"dropped {all_listed(value)}"
    if name == "na":
        return f"treated {all_listed(value)} as missing"
    parts = []
    for word in dict.fromkeys(value.values()):
        names = all_listed([column for column, given in value.items() if given == word])
        parts.append(f"{word} of {names}" if name == "transform" else f"{names} as {word}")
    return f"used {', '.join(parts)}"
