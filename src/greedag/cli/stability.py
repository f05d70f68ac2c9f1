"""``greedag stability``: how often the searches of many draws of the rows find each edge."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import asdict, replace
from typing import Any, cast

import click

from greedag import SearchInterrupted, Stability, stability
from greedag._options import checked_time_limit, fields_by_name
from greedag._progress import time_limited
from greedag.cli.learn import input_files, knowledge_given
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
from greedag.drawing.labels import printable
from greedag.errors import OptionError, quoted
from greedag.errors import require as require_package
from greedag.io.atomic import write_text_atomic
from greedag.scores.select import checked_score, loaded_for
from greedag.uncertainty.draws import KINDS
from greedag.uncertainty.shares import checked_share
from greedag.uncertainty.words import false_in_words

_DRAWINGS = (".png", ".svg", ".pdf")


@click.command("stability")
@click.argument("data", nargs=-1)
@learning_options
@click.option(
    "--draws", type=int, default=100, show_default=True, help="Number of draws to learn from."
)
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="halves",
    show_default=True,
    help="What to draw: halves of the rows, in pairs that share none; as many rows as there are "
    "with replacement, which favours edges; or normal tables with the same moments, where there "
    "are no rows.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="Random seed of the draws and of the searches.",
)
@click.option(
    "--threshold",
    type=float,
    default=0.5,
    show_default=True,
    metavar="SHARE",
    help="Print the pairs that are adjacent in this share of the draws or more; 0 prints all that "
    "any draw finds.",
)
@click.option(
    "--checkpoint",
    metavar="FILE",
    help="Store the draws that are done in this file, and resume from it if it exists.",
)
@click.option(
    "--time-limit",
    type=float,
    metavar="SECONDS",
    help="Stop after so many seconds, reading included, with the draws that are done.",
)
@click.option(
    "--out",
    multiple=True,
    metavar="FILE",
    help="Write all pairs to this .json file, or all draws to this .npz file, which Stability.load "
    "reads. Repeatable.",
)
@click.option(
    "--plot", metavar="FILE", help="Draw the shares as a heat map: a .png, .svg or .pdf file."
)
@click.option("--json", "as_json", is_flag=True, help="Print the pairs as one JSON object.")
@click.option("--quiet", is_flag=True, help="Print only errors, and show no progress.")
def stability_command(
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
    threshold: float,
    checkpoint: str | None,
    out: tuple[str, ...],
    plot: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> int:
    """Learn from many draws of the rows of DATA, and print how often each edge is found.

    DATA and the options of the search are those of greedag learn. The share of draws that find an
    edge tells how much it depends on which rows happen to be in the table; it is no probability
    that the edge is true. On Ctrl-C the draws that are done are printed and written.

    \b
    Examples:
      greedag stability table.csv
      greedag stability table.csv --draws 200 --threshold 0.9 --jobs -1
      greedag stability table.csv --out pairs.json --out draws.npz --plot shares.png
      greedag stability table.csv --time-limit 600 --checkpoint draws.checkpoint
      greedag stability moments.npz --kind parametric
      greedag stability table.csv --json | jq '.pairs[] | select(.adjacent > 0.9)'

    Exit codes: 0 done, 2 wrong input, 3 a file cannot be written, 130 interrupted.
    """
    checked_share(threshold)
    _check_suffixes(out, plot)
    check_outputs(*out, plot, checkpoint)
    check_inputs_stay(input_files(data, sql, knowledge_file), *out, plot, checkpoint)
    if plot is not None:
        require_package("matplotlib", "plot")
    options["knowledge"] = knowledge_given(knowledge_file, tiers, forbid, require)
    chosen = checked_score(score, alpha)
    about = options_from(kinds=kinds, missing=missing, weights=weights, transform=transform, na=na)
    about = replace(about, interventions=interventions)
    selection = selection_from(columns, drop) if columns or drop else None
    options |= {"score": score, "alpha": alpha, "checkpoint": checkpoint}
    limit = options["time_limit"]
    with nullcontext() if limit is None else time_limited(checked_time_limit(limit)):
        with said_warnings(quiet=quiet):
            table = loaded_for(
                chosen, data, about, sql=sql, table_format=table_format, columns=selection
            )
        found, code = drawn(table, quiet=quiet, **fields_by_name(about), **options)
    if as_json:
        say(_document(found, threshold))
    elif not quiet:
        say("\n".join(_lines(found, threshold)))
    writers = [(path, lambda path: _write(path, found)) for path in out]
    if plot is not None:
        writers.append((plot, lambda path: _draw_shares(path, found)))
    write_all(writers)
    return code


def _check_suffixes(out: tuple[str, ...], plot: str | None) -> None:
    """Raise unless the suffixes of files to be written name a format, before any work is lost."""
    for path in out:
        if _suffix(path) not in (".json", ".npz"):
            raise OptionError(
                f"--out: shares cannot be written as {quoted(_suffix(path))}; name the file .json "
                "for the pairs, or .npz for the draws"
            )
    if plot is not None and _suffix(plot) not in _DRAWINGS:
        raise OptionError(
            f"--plot: a heat map cannot be written as {quoted(_suffix(plot))}; name the file "
            ".png, .svg or .pdf"
        )


def drawn(table: Any, *, quiet: bool, **options: Any) -> tuple[Stability, int]:
    """Learn from draws of a table, and return what was found with the exit code."""
    with said_warnings(quiet=quiet):
        try:
            with shown_progress(quiet=quiet) as progress:
                return stability(table, progress=progress, **options), 0
        except SearchInterrupted as interrupt:
            return cast(Stability, interrupt.result), INTERRUPTED


def _lines(found: Stability, threshold: float) -> Iterator[str]:
    """Give what is printed: a heading, the pairs, and what they mean."""
    yield found.heading
    yield ""
    pairs, others = found.table(threshold), len(found.table())
    yield repr(pairs) if pairs else f"(no pair is adjacent in {100.0 * threshold:g} % of the draws)"
    yield ""
    if len(pairs) < others:
        yield f"{others - len(pairs)} more are found in fewer draws; --threshold 0 lists them."
    yield from false_in_words(found, threshold)
    yield from (f"note: {printable(note)}" for note in found.notes)


def _document(found: Stability, threshold: float = 0.0) -> str:
    """Return the pairs as one line of JSON."""
    record = {
        "kind": found.kind,
        "draws": found.draws,
        "rows": found.n,
        "columns": found.names,
        "pairs": [asdict(pair) for pair in found.table(threshold)],
        "notes": [*map(str, found.notes)],
        "stopped": found.stopped,
    }
    return json.dumps(record).replace("\x7f", "\\u007f")


def _write(path: str, found: Stability) -> None:
    if _suffix(path) == ".npz":
        found.save(path)
    else:
        write_text_atomic(path, _document(found) + "\n")


def _draw_shares(path: str, found: Stability) -> None:
    import matplotlib as mpl

    # Files are drawn without a display, whatever the user's settings say.
    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure = found.plot().get_figure()
    assert figure is not None
    figure.savefig(path, dpi=150)  # type: ignore[union-attr]
    plt.close("all")


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].lower()
