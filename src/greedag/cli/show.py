"""``greedag show``: the edges of a class, or the neighbourhood of one column."""

from __future__ import annotations

import click

from greedag import MPDAG
from greedag.cli.graphs import read_any
from greedag.cli.main import say
from greedag.drawing.labels import printable
from greedag.drawing.text import edge_table


@click.command("show")
@click.argument("graph")
@click.option("--focus", metavar="NAME", help="Show only this column and its edges.")
def show_command(graph: str, focus: str | None) -> None:
    """Print the edges of GRAPH, a file that learn or another program wrote.

    a → b points the same way in every member of the class; a - b fits in either direction.

    \b
    Examples:
      greedag show graph.json
      greedag show graph.dot --focus income
    """
    cpdag, result = read_any(graph)
    if focus is not None:
        return say(_neighbourhood(cpdag, focus))
    edges = len(cpdag.directed) + len(cpdag.undirected)
    heading = f"{cpdag.d} columns, {edges} edges"
    if result is not None:
        heading, *_ = str(result).split("\n")
    notes = result.notes if result is not None else ()
    table = edge_table(cpdag, most=max(edges, 1))
    say("\n".join([heading, table, *(f"note: {note}" for note in notes)]))


def _neighbourhood(cpdag: MPDAG, focus: str) -> str:
    parents, children = cpdag.parents(focus), cpdag.children(focus)
    neighbors, name = cpdag.neighbors(focus), printable(focus)
    lines = [
        f"{name}: parents {len(parents)}, children {len(children)}, undirected {len(neighbors)}",
        *(f"{printable(parent)} → {name}" for parent in parents),
        *(f"{name} → {printable(child)}" for child in children),
        *(f"{name} - {printable(neighbor)}" for neighbor in neighbors),
    ]
    return "\n".join(lines)
