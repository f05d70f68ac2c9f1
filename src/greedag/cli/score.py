"""``greedag score``: how well a given graph fits a table."""

from __future__ import annotations

import click

from greedag import score_graph
from greedag._options import fields_by_name
from greedag.cli.graphs import read_graph
from greedag.cli.main import said_warnings, say
from greedag.cli.options import (
    alpha_option,
    dag_option,
    kinds_option,
    missing_option,
    na_option,
    score_option,
    table_format_option,
    transform_option,
    weights_option,
)
from greedag.cli.tables import options_from
from greedag.io.tables import ColumnSelection
from greedag.scores.penalty import AlphaName
from greedag.scores.select import ScoreName, checked_score, loaded_for


@click.command("score")
@click.argument("data")
@click.argument("graph")
@table_format_option
@score_option
@alpha_option
@kinds_option
@missing_option
@weights_option
@transform_option
@na_option
@dag_option
def score_command(
    data: str,
    graph: str,
    table_format: str | None,
    score: ScoreName,
    alpha: float | AlphaName | None,
    kinds: tuple[str, ...],
    missing: str,
    weights: str | None,
    transform: tuple[str, ...],
    na: tuple[str, ...],
    as_dag: bool,
) -> None:
    """Print the score of GRAPH on DATA; higher is better.

    The columns that GRAPH names are read from DATA, others left out.

    \b
    Examples:
      greedag score table.csv graph.json
      greedag score table.parquet theory.dot --dag --alpha 1
      greedag score survey.csv theory.dot --dag --score bdeu
    """
    chosen = checked_score(score, alpha)  # before the table is read
    cpdag = read_graph(graph, as_dag=as_dag)
    about = options_from(kinds=kinds, missing=missing, weights=weights, transform=transform, na=na)
    columns = ColumnSelection(keep=cpdag.names)
    table = loaded_for(chosen, [data], about, table_format=table_format, columns=columns)
    with said_warnings():
        total = score_graph(table, cpdag, score=score, alpha=alpha, **fields_by_name(about))
    say(repr(total))
