"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from greedag.data.rows import MISSING
from greedag.io.tables import FORMATS
from greedag.scores.select import SCORES

Command = TypeVar("Command", bound=Callable[..., Any])

table_format_option = click.option(
    "--format",
    "table_format",
    type=click.Choice(FORMATS),
    help="Format of the table; inferred from the suffix if left out.",
)
alpha_option = click.option(
    "--alpha",
    type=float,
    help="Weight of the penalty; larger gives fewer edges. Default: 2 for the Gaussian BIC, the "
    "degenerate Gaussian and the additive BIC, 1 for others.",
)
score_option = click.option(
    "--score",
    default="auto",
    show_default=True,
    metavar="NAME",
    help=f"What to maximise: auto, {', '.join(SCORES)}. auto chooses by the kinds of the columns.",
)
_MISSING = (
    "Missing values: empty, NA, N/A, NaN, null, #N/A and the like. drop leaves out their rows; "
    "em estimates the moments of continuous columns from the observed values; test-wise "
    "computes each gain of discrete columns from the rows in which all of its columns are observed."
)
missing_option = click.option(
    "--missing", type=click.Choice(MISSING), default="error", show_default=True, help=_MISSING
)
recorded_missing_option = click.option(
    "--missing", type=click.Choice(MISSING), help=f"{_MISSING} Default: as in RESULT."
)
weights_option = click.option(
    "--weights",
    metavar="COLUMN",
    help="Column that says how many rows each row stands for; it is not learned from.",
)
kinds_option = click.option(
    "--kinds",
    multiple=True,
    metavar="LIST",
    help="Which columns are continuous and which discrete, such as a=discrete,b=continuous, or one "
    "word for all. Left out, a column of text is discrete and one of numbers continuous.",
)
transform_option = click.option(
    "--transform",
    multiple=True,
    metavar="LIST",
    help="Transform columns before learning, such as a=log,b=normal-scores, or one word for all "
    "continuous columns: log, log1p (the logarithm of 1 + x), normal-scores (ranks as normal "
    "quantiles).",
)
na_option = click.option(
    "--na",
    multiple=True,
    metavar="LIST",
    help="Further values to treat as missing, such as '*,?' or -999. Repeatable.",
)
dag_option = click.option(
    "--dag", "as_dag", is_flag=True, help="Read the file as a DAG, and use its equivalence class."
)
_KNOWLEDGE = (
    click.option(
        "--knowledge",
        "knowledge_file",
        metavar="FILE",
        help="What is known about the graph: .json, .yaml, .csv, or Tetrad's text.",
    ),
    click.option(
        "--tiers",
        metavar="TEXT",
        help="Groups of columns in order, such as 'age,sex < smoking < cancer': no column is an "
        "ancestor of one in an earlier group. Names may be patterns, such as 'lag1_*'.",
    ),
    click.option(
        "--forbid",
        multiple=True,
        metavar="ARC",
        help="An edge that is not there, such as 'cancer>age'. Repeatable.",
    ),
    click.option(
        "--require",
        multiple=True,
        metavar="ARC",
        help="An edge that is there, such as 'smoking>cancer'. Repeatable.",
    ),
)


def knowledge_options(command: Command) -> Command:
    """Add the options that say what is known about the graph."""
    for option in reversed(_KNOWLEDGE):
        command = option(command)
    return command
