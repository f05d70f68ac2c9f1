"""Options that several commands share."""

from __future__ import annotations

import click

from greedag.cli.tables import FORMATS

table_format_option = click.option(
    "--format",
    "table_format",
    type=click.Choice(FORMATS),
    help="Format of the table; without it, the suffix tells.",
)
alpha_option = click.option(
    "--alpha",
    type=float,
    default=2.0,
    show_default=True,
    help="Weight of the penalty; larger gives fewer edges.",
)
dag_option = click.option(
    "--dag", "as_dag", is_flag=True, help="The file holds a DAG; take the class of it."
)
