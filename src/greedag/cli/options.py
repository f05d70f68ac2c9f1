"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from greedag._options import ALL_SEARCHES
from greedag.data.rows import MISSING
from greedag.io.tables import FORMATS
from greedag.scores.penalty import WORDS
from greedag.scores.select import SCORES

Command = TypeVar("Command", bound=Callable[..., Any])


class Alpha(click.ParamType):  # type: ignore[type-arg]
    """A number, or a word for how to choose one."""

    name = "number|" + "|".join(WORDS)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | str:
        """Return the number or the word; what is neither is an error of the command line."""
        if value in WORDS:
            return str(value)
        number: float = click.FLOAT.convert(value, param, ctx)
        return number


table_format_option = click.option(
    "--format",
    "table_format",
    type=click.Choice(FORMATS),
    help="Format of the table; inferred from the suffix if left out.",
)
alpha_option = click.option(
    "--alpha",
    type=Alpha(),
    help="Weight of the penalty; larger gives fewer edges. Default, or auto: for the Gaussian BIC, "
    "the degenerate Gaussian and the additive BIC 2, more for few rows of many columns; 1 for "
    "others. stars, cv and ebic compare many weights: by the stability of their graphs, held-out "
    "rows, or the extended BIC.",
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

_LEARNING = (
    click.option(
        "--sql",
        metavar="QUERY",
        help="Learn from the result of a DuckDB query. DATA is then a database, or left out where "
        "the query names files.",
    ),
    table_format_option,
    click.option(
        "--columns", multiple=True, metavar="NAMES", help="Read only these columns, such as a,b,c."
    ),
    click.option(
        "--drop", multiple=True, metavar="NAMES", help="Leave out these columns, such as id,date."
    ),
    click.option(
        "--search",
        default="xges",
        show_default=True,
        metavar="NAME",
        help=f"One of {', '.join(ALL_SEARCHES)}.",
    ),
    score_option,
    alpha_option,
    kinds_option,
    missing_option,
    weights_option,
    transform_option,
    na_option,
    click.option(
        "--interventions",
        metavar="COLUMN",
        help="Column that names the columns that an experiment set in each row, such as a or a,b; "
        "empty where none was. It is not learned from.",
    ),
    *_KNOWLEDGE,
    click.option(
        "--effort",
        type=float,
        metavar="NUMBER",
        help="How much work to spend on refining the class; 0 is the search alone, inf continues "
        "until the time limit. Default: 1 for xges, 0 for others.",
    ),
    click.option(
        "--clique-cap", type=int, help="Most cliques to enumerate per column; 0 for no limit."
    ),
    click.option("--jobs", "n_jobs", type=int, help="Number of threads; -1 for one per core."),
)


def learning_options(command: Command) -> Command:
    """Add the options that say what to learn from, and how."""
    for option in reversed(_LEARNING):
        command = option(command)
    return command
