"""``greedag explain``: why two columns are joined, or are not."""

from __future__ import annotations

import click

from greedag.cli.columns import Choice
from greedag.cli.graphs import names_in_result, read_result
from greedag.cli.options import table_format_option
from greedag.cli.output import say
from greedag.cli.tables import Request, read_tables


@click.command("explain")
@click.argument("result")
@click.argument("a")
@click.argument("b")
@click.option(
    "--data", required=True, metavar="FILE", help="The table that RESULT was learned from."
)
@table_format_option
def explain_command(result: str, a: str, b: str, data: str, table_format: str | None) -> None:
    """Say why the columns A and B are joined in RESULT, or why they are not.

    RESULT is a .json file that learn wrote; the table is needed to score what was not done.

    \b
    Example:
      greedag explain graph.json rain harvest --data table.csv
    """
    names = names_in_result(result)
    moments = read_tables(Request((data,), table_format, Choice(keep=names)))
    say(str(read_result(result, moments).explain(a, b)))
