"""``greedag convert``: a graph from one format to another."""

from __future__ import annotations

import click

from greedag.cli.graphs import check_graph_paths, read_any, write_graph
from greedag.cli.main import check_inputs_stay, check_outputs, write_all
from greedag.cli.options import dag_option


@click.command("convert")
@click.argument("source")
@click.argument("target")
@dag_option
def convert_command(source: str, target: str, as_dag: bool) -> None:
    """Read the graph in SOURCE and write it to TARGET, each in the format of its suffix.

    A result in .json stays one if TARGET is .json; every other format keeps the class.

    \b
    Examples:
      greedag convert graph.json graph.dot
      greedag convert theory.dot class.graphml --dag
    """
    check_graph_paths([target])
    check_outputs(target)
    check_inputs_stay([source], target)
    graph, result = read_any(source, as_dag=as_dag)
    check_graph_paths([target], graph.names)
    write_all([(target, lambda path: write_graph(path, result or graph))])
