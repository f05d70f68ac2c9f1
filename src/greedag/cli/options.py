"""Options that several commands share."""

from __future__ import annotations

import click

from greedag.data.rows import MISSING
from greedag.io.tables import FORMATS
from greedag.scores.select import SCORES

table_format_option = click.option(
    "--format",
    "table_format",
    type=click.Choice(FORMATS),
    help="Format of the table; without it, the suffix tells.",
)
alpha_option = click.option(
    "--alpha",
    type=float,
    help="Weight of the penalty; larger gives fewer edges. Left out: 2 for the Gaussian BIC and "
    "the degenerate Gaussian, 1 for others.",
)
score_option = click.option(
    "--score",
    default="auto",
    show_default=True,
    metavar="NAME",
    help=f"What to maximise: auto, {', '.join(SCORES)}. auto goes by the kinds of the columns.",
)
_MISSING = (
    "Missing values: empty, NA, N/A, NaN, null, #N/A and their like. drop leaves out their rows; "
    "em estimates the moments of continuous columns from what is there; test-wise uses, for each "
    "gain of discrete columns, the rows that have all of its columns."
)
missing_option = click.option(
    "--missing", type=click.Choice(MISSING), default="error", show_default=True, help=_MISSING
)
recorded_missing_option = click.option(
    "--missing", type=click.Choice(MISSING), help=f"{_MISSING} Left out: as it was learned."
)
weights_option = click.option(
    "--weights",
    metavar="COLUMN",
    help="This column says how many rows each row stands for, and is no part of the table.",
)
kinds_option = click.option(
    "--kinds",
    multiple=True,
    metavar="LIST",
    help="Which columns hold quantities and which levels, such as a=discrete,b=continuous, or one "
    "word for all. Left out, a column of text is discrete and one of numbers continuous.",
)
transform_option = click.option(
    "--transform",
    multiple=True,
    metavar="LIST",
    help="Learn from columns on another scale, such as a=log,b=normal-scores, or one word for all "
    "continuous columns: log, log1p (the logarithm of 1 + x), normal-scores (ranks as normal "
    "quantiles).",
)
na_option = click.option(
    "--na",
    multiple=True,
    metavar="LIST",
    help="Further values that stand for missing ones, such as '*,?' or -999. Repeatable.",
)
dag_option = click.option(
    "--dag", "as_dag", is_flag=True, help="The file holds a DAG; take the class of it."
)
