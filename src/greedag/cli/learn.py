"""``greedag learn``: from a table to its class."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, cast

import click

from greedag import Result, SearchInterrupted, learn
from greedag._options import ALL_SEARCHES, DataOptions, checked_time_limit, fields_by_name
from greedag._progress import time_limited
from greedag.cli.graphs import check_graph_paths, result_json, write_graph
from greedag.cli.main import (
    INTERRUPTED,
    check_inputs_stay,
    check_outputs,
    said_warnings,
    say,
    shown_progress,
    write_all,
)
from greedag.cli.options import (
    alpha_option,
    kinds_option,
    knowledge_options,
    missing_option,
    na_option,
    score_option,
    table_format_option,
    transform_option,
    weights_option,
)
from greedag.cli.tables import options_from, selection_from
from greedag.data.kinds import Kind
from greedag.errors import Note, OptionError
from greedag.errors import require as require_package
from greedag.io.sql import files_named
from greedag.io.tables import ColumnSelection, files_of
from greedag.scores.select import checked_score, loaded_for


@click.command("learn")
@click.argument("data", nargs=-1)
@click.option(
    "--sql",
    metavar="QUERY",
    help="Learn from the result of a DuckDB query. DATA is then a database, or left out where "
    "the query names files.",
)
@table_format_option
@click.option(
    "--columns", multiple=True, metavar="NAMES", help="Read only these columns, such as a,b,c."
)
@click.option(
    "--drop", multiple=True, metavar="NAMES", help="Leave out these columns, such as id,date."
)
@click.option(
    "--search",
    default="xges",
    show_default=True,
    metavar="NAME",
    help=f"One of {', '.join(ALL_SEARCHES)}.",
)
@score_option
@alpha_option
@kinds_option
@missing_option
@weights_option
@transform_option
@na_option
@click.option(
    "--interventions",
    metavar="COLUMN",
    help="Column that names the columns that an experiment set in each row, such as a or a,b; "
    "empty where none was. It is not learned from.",
)
@knowledge_options
@click.option(
    "--effort",
    type=float,
    metavar="NUMBER",
    help="Work to spend on refining the class, as a multiple of the search's; 0 is the search "
    "alone, inf continues until the time limit. Default: 1 for xges, 0 for others.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Random seed of the refinement."
)
@click.option(
    "--checkpoint",
    metavar="FILE",
    help="Store the state of the refinement in this file, and resume from it if it exists.",
)
@click.option(
    "--time-limit",
    type=float,
    metavar="SECONDS",
    help="Stop after so many seconds, reading included, with the best class so far.",
)
@click.option(
    "--clique-cap", type=int, help="Most cliques to enumerate per column; 0 for no limit."
)
@click.option("--jobs", "n_jobs", type=int, help="Number of threads; -1 for one per core.")
@click.option(
    "--out",
    multiple=True,
    metavar="FILE",
    help="Write the class to this file, in the format of its suffix; .json keeps the whole "
    "result. Repeatable.",
)
@click.option("--report", metavar="FILE", help="Write a report to this HTML file.")
@click.option(
    "--fix",
    is_flag=True,
    help="Inspect the table first, fix what can be fixed, and say what was done; see greedag "
    "inspect. Options given explicitly take precedence.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
@click.option("--quiet", is_flag=True, help="Print only errors, and show no progress.")
def learn_command(
    data: tuple[str, ...],
    sql: str | None,
    table_format: str | None,
    columns: tuple[str, ...],
    drop: tuple[str, ...],
    score: str,
    alpha: float | None,
    kinds: tuple[str, ...],
    missing: str,
    weights: str | None,
    transform: tuple[str, ...],
    na: tuple[str, ...],
    interventions: str | None,
    knowledge_file: str | None,
    tiers: str | None,
    forbid: tuple[str, ...],
    require: tuple[str, ...],
    checkpoint: str | None,
    out: tuple[str, ...],
    report: str | None,
    fix: bool,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> int:
    """Learn the class of DATA and print its edges.

    DATA is a table: CSV or TSV with a header line, Parquet, JSON lines, .npy, .npz, or saved
    moments. Several files, and those that a quoted pattern matches, are parts of one table. A
    column whose first value is not a number is discrete; in all others every value must be a
    number, unless --kinds says discrete. On Ctrl-C the best class so far is printed and written.

    \b
    Examples:
      greedag learn table.csv
      greedag learn table.csv --drop id,date --out graph.json --report report.html
      greedag learn part1.parquet part2.parquet --jobs -1 --time-limit 60
      greedag learn table.csv --effort inf --time-limit 600 --checkpoint table.checkpoint
      greedag learn survey.csv --score discrete-bic
      greedag learn patients.csv --kinds ward=discrete,stage=discrete
      greedag learn visits.csv --missing drop --weights count --na '*,-999'
      greedag learn cells.csv --transform normal-scores
      greedag learn knockouts.csv --interventions gene
      greedag learn --sql "SELECT a, b, c FROM 'data/*.parquet' WHERE a > 0"
      greedag learn table.csv --fix --report report.html
      greedag learn table.csv --tiers 'age,sex < smoking < cancer' --forbid 'income>cancer'
      greedag learn table.csv --json | jq .directed

    Exit codes: 0 done, 2 wrong input, 3 a file cannot be written, 130 interrupted.
    """
    if out:
        check_graph_paths(out)
    check_outputs(*out, report, checkpoint)
    known = [] if knowledge_file is None else [knowledge_file]
    check_inputs_stay([*_inputs(data, sql), *known], *out, report, checkpoint)
    if report is not None:
        require_package("jinja2", "report")
    if known or tiers is not None or forbid or require:
        from greedag.cli.knowledge import knowledge_from

        options["knowledge"] = knowledge_from(
            path=knowledge_file, tiers=tiers, forbid=forbid, require=require
        )
    chosen = checked_score(score, alpha)
    about = DataOptions(missing=missing, sample_weight=weights, interventions=interventions)
    if kinds or transform or na:
        about = options_from(
            kinds=kinds, missing=missing, weights=weights, transform=transform, na=na
        )
        about = replace(about, interventions=interventions)
    selection = selection_from(columns, drop) if columns or drop else None
    done: tuple[Note, ...] = ()
    limit = options["time_limit"]
    with nullcontext() if limit is None else time_limited(checked_time_limit(limit)):
        if fix:
            selection, about, done = _fixed(
                data,
                sql,
                table_format=table_format,
                selection=selection,
                about=about,
                takes=None if chosen is None else chosen.takes,
                quiet=quiet,
            )
        with said_warnings(quiet=quiet):
            table = loaded_for(
                chosen, data, about, sql=sql, table_format=table_format, columns=selection
            )
        if out:
            check_graph_paths(out, table.names)
        options |= {"score": score, "alpha": alpha, "checkpoint": checkpoint}
        result, code = _search(table, quiet=quiet, **fields_by_name(about), **options)
    if done:
        result = replace(result, notes=(*result.notes, *done))
    if as_json:
        say(result_json(result))
    elif not quiet:
        say(str(result))
    writers = [(path, lambda path: write_graph(path, result)) for path in out]
    if report is not None:
        title = _title(data, sql)
        writers.append((report, lambda path: result.report(path, title=title)))
    write_all(writers)
    return code


def _title(data: Sequence[str], sql: str | None) -> str:
    """Return the heading of a report: the name of the table's file, if it is only one."""
    files = files_of(data) if sql is None else []
    name = os.path.basename(files[0]) if len(files) == 1 else ""
    return os.path.splitext(name)[0].strip("-")


def _fixed(
    data: tuple[str, ...],
    sql: str | None,
    *,
    table_format: str | None,
    selection: ColumnSelection | None,
    about: DataOptions,
    takes: Kind | None,
    quiet: bool,
) -> tuple[ColumnSelection | None, DataOptions, tuple[Note, ...]]:
    """Inspect a table, and return how to read it and what to say of it, with notes on fixes."""
    from greedag.cli.inspect import fixed, inspection_of
    from greedag.statistics.inspection.draft import Given

    if sql is not None:
        raise OptionError("--fix excludes --sql; greedag inspect --sql shows what to fix")
    if about.interventions is not None:
        raise OptionError("--fix excludes --interventions; greedag inspect shows what to fix")
    found = inspection_of(
        data,
        table_format=table_format,
        columns=selection,
        kinds=about.kinds,
        weights=about.sample_weight,
        given=Given(about.transform or {}, about.missing, takes, about.na or ()),
    )
    selection, merged, notes = fixed(found, selection, fields_by_name(about))
    if not quiet:
        for note in notes or ("nothing to fix was found",):
            say(f"greedag: {note}", sys.stderr)
    return selection, DataOptions(**merged), notes


def _inputs(data: Sequence[str], sql: str | None) -> list[str]:
    """Return the files that are to be read."""
    if sql is not None:
        return [*data, *files_named(sql)]
    if not data:
        raise click.UsageError("Missing argument 'DATA...'", click.get_current_context())
    return files_of(data)


def _search(table: Any, *, quiet: bool, **options: Any) -> tuple[Result, int]:
    with said_warnings(quiet=quiet):
        try:
            with shown_progress(quiet=quiet) as progress:
                result = learn(table, progress=progress, **options)
                code = 0
        except SearchInterrupted as interrupt:
            result, code = cast(Result, interrupt.result), INTERRUPTED
    return result, code
