"""``greedag compare``: two classes, edge by edge."""

from __future__ import annotations

import click

from greedag.cli.graphs import read_any
from greedag.cli.main import say
from greedag.errors import FileError
from greedag.graph.mpdag import MPDAG
from greedag.result.compare import compare_graphs
from greedag.result.result import Result


@click.command("compare")
@click.argument("one")
@click.argument("other")
@click.option(
    "--dag", "may_be_dag", is_flag=True, help="Read DAGs too, and use their equivalence classes."
)
def compare_command(one: str, other: str, may_be_dag: bool) -> None:
    """Print where the classes in two files differ and what they share.

    "reversed": a → b in one and a ← b in the other, a contradiction; "directed": directed in ONE,
    undirected in OTHER, no contradiction; "undirected": the other way around;
    "extra": adjacent in ONE only; "missing": adjacent in OTHER only. SHD counts the pairs that
    differ.

    \b
    Examples:
      greedag compare graph.json other.json
      greedag compare graph.json truth.dot --dag
    """
    first, first_result = _read(one, may_be_dag=may_be_dag)
    second, second_result = _read(other, may_be_dag=may_be_dag)
    if first_result is not None and second_result is not None:
        return say(str(first_result.compare(second_result)))
    say(str(compare_graphs(first, second)))


def _read(path: str, *, may_be_dag: bool) -> tuple[MPDAG, Result | None]:
    """Read a class or, if that may be, a DAG, recognised by its edges."""
    try:
        return read_any(path)
    except FileError as error:
        if not may_be_dag or error.code != "not-completed":
            raise
        return read_any(path, as_dag=True)
