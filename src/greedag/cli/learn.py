"""``greedag learn``: from a table to its class."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import click

from greedag import Result, SearchInterrupted, learn
from greedag._options import DataOptions, checked_time_limit, checked_whole, fields_by_name
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
from greedag.cli.options import learning_options
from greedag.cli.tables import options_from, selection_from
from greedag.data.kinds import Kind
from greedag.drawing.labels import printable
from greedag.errors import Note, OptionError, TimeLimitError
from greedag.errors import require as require_package
from greedag.io.sql import files_named
from greedag.io.tables import ColumnSelection, files_of
from greedag.scores.penalty import AlphaName
from greedag.scores.select import checked_score, loaded_for

if TYPE_CHECKING:
    from greedag import Knowledge, Stability


@click.command("learn")
@click.argument("data", nargs=-1)
@learning_options
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="Random seed of the refinement, and of --hold-out.",
)
@click.option(
    "--hold-out",
    type=float,
    metavar="SHARE",
    help="Learn from the other rows only, and estimate effects on this share of them, such as 0.5.",
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
    "--out",
    multiple=True,
    metavar="FILE",
    help="Write the class to this file, in the format of its suffix; .json keeps the whole "
    "result. Repeatable.",
)
@click.option("--report", metavar="FILE", help="Write a report to this HTML file.")
@click.option(
    "--stability",
    "draws",
    type=int,
    metavar="DRAWS",
    help="Learn from so many halves of the rows as well, and show in the report how often each "
    "edge is found; see greedag stability.",
)
@click.option(
    "--effects",
    is_flag=True,
    help="With --report: add what changing one column does to another; see greedag effect.",
)
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
    alpha: float | AlphaName | None,
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
    draws: int | None,
    effects: bool,
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
      greedag learn table.csv --report report.html --stability 100
      greedag learn table.csv --tiers 'age,sex < smoking < cancer' --forbid 'income>cancer'
      greedag learn table.csv --json | jq .directed

    Exit codes: 0 done, 2 wrong input, 3 a file cannot be written, 130 interrupted.
    """
    if out:
        check_graph_paths(out)
    _check_draws(draws, report)
    if effects and report is None:
        raise OptionError("--effects are shown in a report; add --report, or use greedag effect")
    check_outputs(*out, report, checkpoint)
    inputs = input_files(data, sql, knowledge_file)
    check_inputs_stay(inputs, *out, report, checkpoint)
    if report is not None:
        require_package("jinja2", "report")
    options["knowledge"] = knowledge_given(knowledge_file, tiers, forbid, require)
    chosen = checked_score(score, alpha)
    about = DataOptions(missing=missing, sample_weight=weights)
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
        options |= fields_by_name(about)
        result, code = _search(table, quiet=quiet, **options)
        found = None
        if draws is not None and code == 0:
            left_out = ("checkpoint", "hold_out")
            drawing = {name: value for name, value in options.items() if name not in left_out}
            found, code = _stability(table, draws, quiet=quiet, **drawing)
    if done:
        result = replace(result, notes=(*result.notes, *done))
    if as_json:
        say(result_json(result))
    elif not quiet:
        say(str(result))
    writers = [(path, lambda path: write_graph(path, result)) for path in out]
    if report is not None:
        title = _title(data, sql)
        writers.append(
            (
                report,
                lambda path: result.report(path, title=title, stability=found, effects=effects),
            )
        )
    write_all(writers)
    return code


def _check_draws(draws: int | None, report: str | None) -> None:
    """Raise unless a report can show what is learned from draws, before any work is lost."""
    if draws is None:
        return
    checked_whole("stability", draws, least=2)
    if report is None:
        raise OptionError(
            "--stability is shown in a report; add --report, or use greedag stability"
        )


def _stability(
    table: Any, draws: int, *, quiet: bool, **options: Any
) -> tuple[Stability | None, int]:
    """Learn from draws; where there is no time for any, warn and go on without them."""
    from greedag.cli.stability import drawn

    try:
        return drawn(table, quiet=quiet, draws=draws, **options)
    except TimeLimitError as error:
        if not quiet:
            say(f"greedag: warning: no shares of draws: {printable(str(error))}", sys.stderr)
        return None, 0


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


def input_files(data: Sequence[str], sql: str | None, knowledge: str | None) -> list[str]:
    """Return the files that are to be read."""
    known = [] if knowledge is None else [knowledge]
    if sql is not None:
        return [*data, *files_named(sql), *known]
    if not data:
        raise click.UsageError("Missing argument 'DATA...'", click.get_current_context())
    return [*files_of(data), *known]


def knowledge_given(
    path: str | None, tiers: str | None, forbid: Sequence[str], require: Sequence[str]
) -> Knowledge | None:
    """Return what the options say is known, None if they say nothing."""
    if path is None and tiers is None and not forbid and not require:
        return None
    from greedag.cli.knowledge import knowledge_from

    return knowledge_from(path=path, tiers=tiers, forbid=forbid, require=require)


def _search(table: Any, *, quiet: bool, **options: Any) -> tuple[Result, int]:
    with said_warnings(quiet=quiet):
        try:
            with shown_progress(quiet=quiet) as progress:
                result = learn(table, progress=progress, **options)
                code = 0
        except SearchInterrupted as interrupt:
            result, code = cast(Result, interrupt.result), INTERRUPTED
    return result, code
