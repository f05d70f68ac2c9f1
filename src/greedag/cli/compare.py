"""``greedag compare``: two classes, edge by edge."""

from __future__ import annotations

import click

from greedag.cli.graphs import read_any
from greedag.cli.main import say
from greedag.result.compare import compare_graphs


@click.command("compare")
@click.argument("one")
@click.argument("other")
def compare_command(one: str, other: str) -> None:
    """Print where the classes in two files differ and what they share.

    "turned": joined in both, but not directed alike; "extra": joined in ONE only; "missing": joined
    in OTHER only. SHD counts the pairs that differ.

    \b
    Example:
      greedag compare graph.json truth.json
    """
    first, first_result = read_any(one)
    second, second_result = read_any(other)
    if first_result is not None and second_result is not None:
        return say(str(first_result.compare(second_result)))
    say(str(compare_graphs(first, second)))
