"""``greedag simulate``: a table whose true class is known."""

from __future__ import annotations

import csv
import gzip
import io
import os
from collections.abc import Mapping, Sequence
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from greedag import simulate
from greedag.cli.graphs import check_graph_paths, write_graph
from greedag.cli.main import check_outputs, write_all
from greedag.errors import OptionError, quoted
from greedag.io.atomic import write_atomic
from greedag.io.tables import DELIMITERS
from greedag.simulate.curves import NOISES
from greedag.simulate.experiments import TARGET


@click.command("simulate")
@click.option("--d", type=int, required=True, help="Number of columns.")
@click.option("--rho", type=float, required=True, help="Mean number of parents.")
@click.option("--n", type=int, required=True, help="Number of rows.")
@click.option(
    "--seed", type=int, required=True, help="Random seed; the same seed gives the same table."
)
@click.option(
    "--curve",
    metavar="CURVES",
    help="Effects are curves: linear, tanh, sin, square, cube, exp, abs or steps, several of them "
    "with commas between, or mixture for any of them.",
)
@click.option(
    "--noise",
    type=click.Choice([*NOISES]),
    help="Distribution of the noise beside curves.  [default: gaussian]",
)
@click.option(
    "--discrete",
    metavar="COUNT",
    help="Number of discrete columns beside curves, or their share, such as 0.5.  [default: 0]",
)
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="COLUMNS",
    help="Add n rows in which these columns, with commas between, are set from outside; the table "
    "gets a column 'target'. May be repeated.",
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
def simulate_command(
    d: int,
    rho: float,
    n: int,
    seed: int,
    curve: str | None,
    noise: str | None,
    discrete: str | None,
    targets: tuple[str, ...],
    out: str,
    truth: str | None,
) -> None:
    """Draw a random model and write rows from it.

    The model is linear with Gaussian noise, unless --curve, --noise or --discrete ask for an
    additive one.

    \b
    Examples:
      greedag simulate --d 10 --rho 2 --n 1000 --seed 0 --out table.csv --truth truth.json
      greedag simulate --d 10 --rho 2 --n 1000 --seed 0 --curve tanh,square --out curved.csv
      greedag simulate --d 10 --rho 2 --n 300 --seed 0 --target x1 --target x2,x3 --out lab.csv
    """
    check_graph_paths([truth] if truth else [])
    delimiter = _delimiter(out)
    check_outputs(out, truth)
    drawn: simulate.Simulation | simulate.AdditiveSimulation
    if curve is None and noise is None and discrete is None:
        drawn = simulate.linear_gaussian(d, rho, n, seed=seed)
    else:
        drawn = simulate.additive(
            d,
            rho,
            n,
            seed=seed,
            curve=_curves(curve or "mixture"),
            noise=noise or "gaussian",
            discrete=_count(discrete or "0"),
        )
    text = _text(_columns(drawn, targets, n, seed), delimiter)
    writers = [(out, lambda path: _write(path, text))]
    if truth is not None:
        dag = [(drawn.names[i], drawn.names[j]) for i, j in np.argwhere(drawn.dag)]
        model = {"seed": seed, "rho": rho, "n": n, "dag": dag}
        if isinstance(drawn, simulate.AdditiveSimulation):
            model["curves"] = [(*pair, name) for pair, name in drawn.curves.items()]
        writers.append((truth, lambda path: write_graph(path, drawn.cpdag, model)))
    write_all(writers)


def _curves(text: str) -> str | list[str]:
    names = [name.strip() for name in text.split(",")]
    return names if len(names) > 1 else names[0]


def _count(text: str) -> float:
    """Return a number of columns, or a share if there is a point in it."""
    try:
        return int(text) if text.strip().isdigit() else float(text)
    except ValueError:
        raise OptionError(
            f"--discrete must be a number of columns or a share; got {quoted(text)}"
        ) from None


def _columns(
    drawn: simulate.Simulation | simulate.AdditiveSimulation,
    targets: Sequence[str],
    n: int,
    seed: int,
) -> Mapping[str, NDArray[Any]]:
    """Return the columns of the table, by name, with rows of experiments if there are any."""
    data = drawn.data
    columns = data if isinstance(data, dict) else dict(zip(drawn.names, data.T, strict=True))
    if not targets:
        return columns
    sets = [[name.strip() for name in names.split(",")] for names in targets]
    pooled = simulate.interventions(drawn, sets, n, seed=seed).pooled
    plain = {**columns, TARGET: np.full(n, "")}
    return {name: np.concatenate([plain[name], pooled[name]]) for name in pooled}


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


def _text(columns: Mapping[str, NDArray[Any]], delimiter: str) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
    return text.getvalue()
