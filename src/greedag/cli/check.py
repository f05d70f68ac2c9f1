"""``greedag check``: whether a graph and its model fit a table."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

import click

from greedag._options import fields_by_name
from greedag.cli.graphs import with_table
from greedag.cli.main import said_warnings, say
from greedag.cli.options import (
    kinds_option,
    na_option,
    recorded_missing_option,
    table_format_option,
    transform_option,
    weights_option,
)
from greedag.cli.tables import options_from
from greedag.effects.check_records import ModelCheck
from greedag.effects.model_check import check


@click.command("check")
@click.argument("result")
@click.option(
    "--data",
    required=True,
    metavar="FILE",
    help="The table to check it on: best of rows that RESULT was not learned from.",
)
@click.option(
    "--level",
    type=float,
    default=0.05,
    show_default=True,
    help="How often a true model may fail.",
)
@click.option("--json", "as_json", is_flag=True, help="Print all tests as one JSON object.")
@table_format_option
@kinds_option
@recorded_missing_option
@weights_option
@transform_option
@na_option
def check_command(
    result: str,
    data: str,
    level: float,
    as_json: bool,
    table_format: str | None,
    kinds: tuple[str, ...],
    missing: str | None,
    weights: str | None,
    transform: tuple[str, ...],
    na: tuple[str, ...],
) -> None:
    """Check whether RESULT fits a table, and say what does not fit and what to do.

    RESULT is a .json file that learn wrote. Columns that are not adjacent are tested for
    independence, effects for curves, and noise for its shape and spread. Options given to learn
    need not be repeated.

    \b
    Examples:
      greedag check graph.json --data other_rows.csv
      greedag check graph.json --data other_rows.csv --json | jq .passed

    Exit codes: 0 done, whether it fits or not; 2 wrong input.
    """
    said = options_from(kinds=kinds, missing=missing, weights=weights, transform=transform, na=na)
    plain, table, about = with_table(result, data, said, table_format)
    with said_warnings():
        found = check(plain, table, level=level, **fields_by_name(about))
    if as_json:
        return say(_document(found))
    say(str(found))
    say("")
    say(repr(found.table()))


def _document(found: ModelCheck) -> str:
    """Return a check as one line of JSON."""
    tests = [asdict(test) for test in found.tests]
    for test in tests:
        if math.isnan(test["correlation"]):
            test["correlation"] = None  # JSON has no nan
    record = {
        "passed": found.passed,
        "rows": found.n,
        "level": found.level,
        "held_out": found.is_held_out,
        "deviance": found.deviance,
        "freedom": found.freedom,
        "p_value": found.p_value,
        "kinds": [{**asdict(kind), "passed": kind.passed} for kind in found.kinds],
        "misfits": [asdict(misfit) for misfit in found.misfits],
        "columns": [asdict(column) for column in found.columns],
        "tests": tests,
        "not_done": found.not_done,
    }
    return json.dumps(record).replace("\x7f", "\\u007f")
