"""``greedag explain``: why two columns are joined, or are not."""

from __future__ import annotations

import click

from greedag import MixedTable, Moments
from greedag.cli.columns import Choice
from greedag.cli.graphs import plain_result, read_result
from greedag.cli.options import kinds_option, table_format_option
from greedag.cli.output import say
from greedag.cli.reading import OF_LEVELS, Reading, kinds_from
from greedag.cli.tables import Request, read_table


@click.command("explain")
@click.argument("result")
@click.argument("a")
@click.argument("b")
@click.option(
    "--data", required=True, metavar="FILE", help="The table that RESULT was learned from."
)
@table_format_option
@kinds_option
def explain_command(
    result: str, a: str, b: str, data: str, table_format: str | None, kinds: tuple[str, ...]
) -> None:
    """Say why the columns A and B are joined in RESULT, or why they are not.

    RESULT is a .json file that learn wrote; the table is needed to score what was not done.
    Give --kinds as it was given to learn.

    \b
    Example:
      greedag explain graph.json rain harvest --data table.csv
    """
    plain = plain_result(result)
    reading = Reading(str(plain.settings.get("score", "gaussian-bic")), kinds_from(kinds))
    table = read_table(Request((data,), table_format, Choice(keep=plain.cpdag.names), reading))
    if not isinstance(table, Moments) and reading.score not in OF_LEVELS:
        table = MixedTable.from_data(table, kinds=reading.kinds)
    say(str(read_result(result, table).explain(a, b)))
