"""``greedag simulate``: a table whose true class is known."""

from __future__ import annotations

import csv
import gzip
import io
import os
from collections.abc import Sequence

import click
import numpy as np
from numpy.typing import NDArray

from greedag import simulate
from greedag.cli.graphs import check_graph_paths, write_graph
from greedag.cli.main import check_outputs, write_all
from greedag.errors import OptionError, quoted
from greedag.io.atomic import write_atomic
from greedag.io.tables import DELIMITERS


@click.command("simulate")
@click.option("--d", type=int, required=True, help="Number of columns.")
@click.option("--rho", type=float, required=True, help="Mean number of parents.")
@click.option("--n", type=int, required=True, help="Number of rows.")
@click.option(
    "--seed", type=int, required=True, help="Random seed; the same seed gives the same table."
)
@click.option(
    "--out",
    required=True,
    metavar="FILE",
    help="Write the table to this file: .csv or .tsv, compressed if .gz follows.",
)
@click.option(
    "--truth",
    metavar="FILE",
    help="Write the true class to this file, in the format of its suffix.",
)
def simulate_command(d: int, rho: float, n: int, seed: int, out: str, truth: str | None) -> None:
    """Draw a random linear Gaussian model and write rows from it.

    \b
    Example:
      greedag simulate --d 10 --rho 2 --n 1000 --seed 0 --out table.csv --truth truth.json
    """
    check_graph_paths([truth] if truth else [])
    delimiter = _delimiter(out)
    check_outputs(out, truth)
    drawn = simulate.linear_gaussian(d, rho, n, seed=seed)
    text = _text(drawn.names, drawn.data, delimiter)
    writers = [(out, lambda path: _write(path, text))]
    if truth is not None:
        dag = [(drawn.names[i], drawn.names[j]) for i, j in np.argwhere(drawn.dag)]
        model = {"seed": seed, "rho": rho, "n": n, "dag": dag}
        writers.append((truth, lambda path: write_graph(path, drawn.cpdag, model)))
    write_all(writers)


def _delimiter(path: str) -> str:
    """Return what to write between the columns of a file; one without a suffix is CSV.

    Raises
    ------
    OptionError
        If its suffix is that of another format.
    """
    stem, suffix = os.path.splitext(path.lower())
    if suffix == ".gz":
        suffix = os.path.splitext(stem)[1]
    if suffix and suffix[1:] not in DELIMITERS:
        raise OptionError(
            f"--out: a table cannot be written as {quoted(suffix)}; name the file .csv, .tsv, "
            ".csv.gz "
            "or .tsv.gz"
        )
    return DELIMITERS.get(suffix[1:], ",")


def _write(path: str, text: str) -> None:
    content = text.encode()
    # Without the time, so that the same table is the same file.
    write_atomic(
        path, [gzip.compress(content, mtime=0) if path.lower().endswith(".gz") else content]
    )


def _text(names: Sequence[str], values: NDArray[np.float64], delimiter: str) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(values.tolist())
    return text.getvalue()
