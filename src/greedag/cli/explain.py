"""``greedag explain``: why two columns are adjacent, or are not."""

from __future__ import annotations

import click

from greedag import Result
from greedag._options import fields_by_name
from greedag.cli.graphs import plain_result
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
from greedag.io.tables import ColumnSelection
from greedag.result.serialization import recorded
from greedag.scores.select import loaded_for


@click.command("explain")
@click.argument("result")
@click.argument("a")
@click.argument("b")
@click.option(
    "--data", required=True, metavar="FILE", help="The table that RESULT was learned from."
)
@table_format_option
@kinds_option
@recorded_missing_option
@weights_option
@transform_option
@na_option
def explain_command(
    result: str,
    a: str,
    b: str,
    data: str,
    table_format: str | None,
    kinds: tuple[str, ...],
    missing: str | None,
    weights: str | None,
    transform: tuple[str, ...],
    na: tuple[str, ...],
) -> None:
    """Explain why columns A and B are adjacent in RESULT, or why they are not.

    RESULT is a .json file that learn wrote; the table is needed to score the alternatives.
    Options given to learn need not be repeated.

    \b
    Example:
      greedag explain graph.json rain harvest --data table.csv
    """
    plain = plain_result(result)
    about = recorded(
        plain,
        options_from(kinds=kinds, missing=missing, weights=weights, transform=transform, na=na),
    )
    columns = ColumnSelection(keep=plain.cpdag.names)
    table = loaded_for(plain.objective, [data], about, table_format=table_format, columns=columns)
    with said_warnings():
        loaded = Result.load(result, table, **fields_by_name(about))
    say(str(loaded.explain(a, b)))
