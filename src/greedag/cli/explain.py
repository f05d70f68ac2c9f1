"""``greedag explain``: why two columns are joined, or are not."""

from __future__ import annotations

import click

from greedag import Result
from greedag.cli.graphs import plain_result
from greedag.cli.main import said_warnings, say
from greedag.cli.options import (
    kinds_option,
    missing_option,
    table_format_option,
    weights_option,
)
from greedag.cli.tables import load_table
from greedag.io.tables import ColumnSelection


@click.command("explain")
@click.argument("result")
@click.argument("a")
@click.argument("b")
@click.option(
    "--data", required=True, metavar="FILE", help="The table that RESULT was learned from."
)
@table_format_option
@kinds_option
@missing_option
@weights_option
def explain_command(
    result: str,
    a: str,
    b: str,
    data: str,
    table_format: str | None,
    kinds: tuple[str, ...],
    missing: str,
    weights: str | None,
) -> None:
    """Say why the columns A and B are joined in RESULT, or why they are not.

    RESULT is a .json file that learn wrote; the table is needed to score what was not done.
    Give --kinds, --missing and --weights as they were given to learn.

    \b
    Example:
      greedag explain graph.json rain harvest --data table.csv
    """
    plain = plain_result(result)
    table = load_table(
        [data],
        table_format=table_format,
        columns=ColumnSelection(keep=plain.cpdag.names),
        score=str(plain.settings.get("score", "gaussian-bic")),
        kinds=kinds,
        missing=missing,
        weights=weights,
    )
    with said_warnings():
        loaded = Result.load(result, table.table, **table.options())
    say(str(loaded.explain(a, b)))
