"""``greedag score``: how well a given graph fits a table."""

from __future__ import annotations

import click

from greedag import score_graph
from greedag.cli.columns import Choice
from greedag.cli.graphs import read_graph
from greedag.cli.options import alpha_option, dag_option, table_format_option
from greedag.cli.output import say
from greedag.cli.tables import Request, read_tables


@click.command("score")
@click.argument("data")
@click.argument("graph")
@table_format_option
@alpha_option
@dag_option
def score_command(
    data: str, graph: str, table_format: str | None, alpha: float, as_dag: bool
) -> None:
    """Print the score of GRAPH on DATA; higher is better.

    The columns that GRAPH names are read from DATA, others left out.

    \b
    Examples:
      greedag score table.csv graph.json
      greedag score table.parquet theory.dot --dag --alpha 1
    """
    cpdag = read_graph(graph, as_dag=as_dag)
    moments = read_tables(Request((data,), table_format, Choice(keep=cpdag.names)))
    say(repr(score_graph(moments, cpdag, alpha=alpha)))
