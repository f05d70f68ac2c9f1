"""``greedag explain``: why two columns are adjacent, or are not."""

from __future__ import annotations

import click

from greedag import Result
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


@click.command("explain")
@click.argument("result")
@click.argument("a", required=False)
@click.argument("b", required=False)
@click.option(
    "--data", required=True, metavar="FILE", help="The table that RESULT was learned from."
)
@click.option(
    "--knowledge-cost",
    is_flag=True,
    help="Instead of A and B: what the data say against the knowledge that RESULT agrees with.",
)
@table_format_option
@kinds_option
@recorded_missing_option
@weights_option
@transform_option
@na_option
def explain_command(
    result: str,
    a: str | None,
    b: str | None,
    data: str,
    knowledge_cost: bool,
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
    Examples:
      greedag explain graph.json rain harvest --data table.csv
      greedag explain graph.json --knowledge-cost --data table.csv
    """
    if knowledge_cost == (b is not None) or (knowledge_cost and a is not None):
        raise click.UsageError(
            "give two columns A and B, or --knowledge-cost", click.get_current_context()
        )
    said = options_from(kinds=kinds, missing=missing, weights=weights, transform=transform, na=na)
    _, table, about = with_table(result, data, said, table_format)
    with said_warnings():
        loaded = Result.load(result, table, **fields_by_name(about))
    if a is None or b is None:
        return say(str(loaded.knowledge_cost()))
    say(str(loaded.explain(a, b)))
