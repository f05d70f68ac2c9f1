"""Options that several commands share, and the table that they describe."""

from __future__ import annotations

import csv
from collections.abc import Sequence

import click

from greedag.data.kinds import KINDS, Kind, Kinds
from greedag.data.rows import MISSING
from greedag.errors import OptionError, listed, quoted
from greedag.io.cells import Role
from greedag.io.sql import open_database, open_query
from greedag.io.tables import FORMATS, ColumnSelection, ReadOptions
from greedag.scores.select import SCORES
from greedag.statistics.loading import LoadedTable, load, load_files

_OF_NUMBERS = ("gaussian-bic", "extended-bic", "bge")
_OF_LEVELS = ("discrete-bic", "bdeu")

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
missing_option = click.option(
    "--missing",
    type=click.Choice(MISSING),
    default="error",
    show_default=True,
    help="Missing values: empty, NA, N/A, NaN, null, #N/A and their like. drop leaves out their "
    "rows; em estimates the moments of continuous columns from what is there; test-wise uses, for "
    "each gain of discrete columns, the rows that have all of its columns.",
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
dag_option = click.option(
    "--dag", "as_dag", is_flag=True, help="The file holds a DAG; take the class of it."
)


def load_table(
    data: Sequence[str],
    *,
    sql: str | None = None,
    table_format: str | None = None,
    columns: ColumnSelection = ColumnSelection(),  # noqa: B008
    score: str,
    kinds: Sequence[str],
    missing: str,
    weights: str | None,
) -> LoadedTable:
    """Load the table that the options of a command describe; see `load_files`."""
    told = kinds_from(kinds)
    options = ReadOptions(
        format=table_format,
        columns=columns,
        usual=_usual_role(score),
        kinds=told,
        weights=weights,
        allow_missing=missing != "error",
    )
    words = (told,) if isinstance(told, str) else (told or {}).values()
    has_rows_of_numbers = missing == "error" and "discrete" not in words
    may_count = has_rows_of_numbers and score in (*_OF_NUMBERS, "auto")
    if sql is not None:
        if table_format is not None or columns != ColumnSelection():
            raise OptionError(
                "--sql goes without --format, --columns and --drop; select columns in it"
            )
        return _load_query(sql, data, options, missing=missing, may_count=may_count)
    # Weights are left to learn, which says what they did.
    may_count = may_count and weights is None
    return load_files(data, options, missing=missing, may_count=may_count)


def _load_query(
    query: str, data: Sequence[str], options: ReadOptions, *, missing: str, may_count: bool
) -> LoadedTable:
    if len(data) > 1:
        raise OptionError(f"--sql takes one DuckDB database as DATA, or none; got {len(data)}")
    database = open_database(data[0]) if data else None
    opened = open_query(query, database, options)
    return load(opened, options, missing=missing, may_count=may_count)


def _usual_role(score: str) -> Role:
    if score in _OF_NUMBERS:
        return "numbers"
    return "levels" if score in _OF_LEVELS else "open"


def selection_from(columns: Sequence[str], drop: Sequence[str]) -> ColumnSelection:
    """Read the options ``--columns`` and ``--drop``: lists of names, given any number of times.

    Raises
    ------
    OptionError
        If a list cannot be read or names a column twice.
    """
    return ColumnSelection(_names("--columns", columns), _names("--drop", drop))


def kinds_from(lists: Sequence[str]) -> Kinds | None:
    """Read the option ``--kinds``: one word for all columns, or ``a=discrete,b=continuous``.

    Raises
    ------
    OptionError
        If it is neither, or says something of a column twice.
    """
    if len(lists) == 1 and lists[0] in KINDS:
        return lists[0]
    told: dict[str, Kind] = {}
    for item in _items("--kinds", lists):
        name, _, word = item.rpartition("=")
        if not name or word not in KINDS:
            raise OptionError(
                f"--kinds: cannot read {quoted(item)}; give continuous or discrete for all "
                "columns, or a list such as a=discrete,b=continuous"
            )
        if name in told:
            raise OptionError(f"--kinds names {quoted(name)} twice")
        told[name] = word
    return told or None


def _names(option: str, lists: Sequence[str]) -> tuple[str, ...]:
    names = _items(option, lists)
    twice = next((name for j, name in enumerate(names) if name in names[:j]), None)
    if twice is not None:
        raise OptionError(f"{option} names {quoted(twice)} twice")
    return tuple(names)


def _items(option: str, lists: Sequence[str]) -> list[str]:
    """Return the items of lists with commas."""
    try:
        # As a line of a CSV file, so that a name with a comma can be quoted.
        rows = list(csv.reader(lists, skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise OptionError(
            f"{option}: cannot read {listed(lists)} as a list with commas between: {error}"
        ) from error
    items = [item for row in rows for item in row]
    if len(rows) != len(lists) or not all(rows) or not all(items):
        raise OptionError(f"{option} is empty or holds an empty item; put commas between items")
    return items
