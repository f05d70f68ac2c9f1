"""The command line: ``greedag learn`` and ``greedag simulate``.

Exit codes: 0 done, 2 wrong input (the message goes to stderr), 130 interrupted.
"""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from array import array
from collections.abc import Iterator, Sequence
from typing import Any, TextIO, cast

import numpy as np
from numpy.typing import NDArray

from greedag import CPDAG, Moments, Result, SearchInterrupted, learn, simulate
from greedag.errors import FileError, GreedagError, quoted, require
from greedag.graph import printable
from greedag.options import SEARCHES
from greedag.storage import write_text_atomic

WRONG_INPUT, INTERRUPTED = 2, 130
GRAPH_FORMAT = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        click = require("click", "cli")
        return _run(click, arguments)
    except GreedagError as error:
        _say(f"greedag: {printable(str(error))}", sys.stderr)
        return WRONG_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(click: Any, arguments: Sequence[str] | None) -> int:
    try:
        code = _program(click).main(arguments, prog_name="greedag", standalone_mode=False)
    except click.exceptions.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        error.show()
        return WRONG_INPUT
    return int(code or 0)


def _program(click: Any) -> Any:
    out_help = "Write the class to this JSON file."
    learn_options = [
        click.Argument(["table"]),
        click.Option(["--search"], default="xges", show_default=True, help=", ".join(SEARCHES)),
        click.Option(["--alpha"], default=2.0, show_default=True, help="Weight of the penalty."),
        click.Option(["--time-limit"], type=float, help="Stop after so many seconds."),
        click.Option(["--clique-cap"], type=int, help="Cliques a column; 0 for no cap."),
        click.Option(["--jobs", "n_jobs"], type=int, help="Threads; -1 for one a core."),
        click.Option(["--out"], help=out_help),
    ]
    simulate_options = [
        click.Option(["--d"], type=int, required=True, help="Number of columns."),
        click.Option(["--rho"], type=float, required=True, help="Mean number of parents."),
        click.Option(["--n"], type=int, required=True, help="Number of rows."),
        click.Option(["--seed"], type=int, required=True, help="Same seed, same table."),
        click.Option(["--out"], required=True, help="Write the table to this CSV file."),
        click.Option(["--truth"], help="Write the true class to this JSON file."),
    ]
    about_learn = "Learn the class of TABLE, a CSV file with a line of names, and print its edges."
    about_simulate = "Draw a random linear Gaussian model and write rows from it."
    return click.Group(
        commands=[
            click.Command("learn", callback=_learn, params=learn_options, help=about_learn),
            click.Command(
                "simulate", callback=_simulate, params=simulate_options, help=about_simulate
            ),
        ],
        help="Causal structure from a table.",
    )


def _learn(table: str, out: str | None, **options: Any) -> int:
    names, values = read_csv(table)
    try:
        result = learn(Moments.from_data(values, names=names), **options)
        code = 0
    except SearchInterrupted as interrupt:
        result, code = cast(Result, interrupt.result), INTERRUPTED
    _say(str(result))
    if out is not None:
        write_text_atomic(out, _json(_result_record(result)))
    return code


def _simulate(d: int, rho: float, n: int, seed: int, out: str, truth: str | None) -> int:
    drawn = simulate.linear_gaussian(d, rho, n, seed=seed)
    write_text_atomic(out, _csv_text(drawn.names, drawn.data))
    if truth is not None:
        model = {"seed": seed, "rho": rho, "n": n, "dag": _dag_edges(drawn.dag, drawn.names)}
        write_text_atomic(truth, _json(_graph_record(drawn.cpdag) | model))
    return 0


def _result_record(result: Result) -> dict[str, object]:
    return _graph_record(result.cpdag) | {
        "score": result.score,
        "search": result.search,
        "alpha": result.settings["alpha"],
        "n": result.n,
        "stopped": result.stopped,
        "notes": result.notes,
    }


def _graph_record(graph: CPDAG) -> dict[str, object]:
    return {
        "format": "greedag graph",
        "version": GRAPH_FORMAT,
        "names": graph.names,
        "directed": graph.directed,
        "undirected": graph.undirected,
    }


def _dag_edges(dag: NDArray[np.uint8], names: Sequence[str]) -> list[tuple[str, str]]:
    return [(names[i], names[j]) for i, j in np.argwhere(dag)]


def _json(record: dict[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False, indent=2) + "\n"


def _csv_text(names: Sequence[str], values: NDArray[np.float64]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(values.tolist())
    return text.getvalue()


def _say(text: str, stream: TextIO | None = None) -> None:
    stream = sys.stdout if stream is None else stream
    encoding = stream.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        plain = text.replace("→", "->")
        text = plain.encode(encoding, "backslashreplace").decode(encoding)
    print(text, file=stream, flush=True)


def read_csv(path: str) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Read a CSV file of numbers under one line of names.

    Raises
    ------
    FileError
        Naming the file and, where there is one, the line, the column and the value.
    """
    cells = array("d")
    try:
        # utf-8-sig also swallows the byte-order mark that spreadsheets write.
        with open(path, encoding="utf-8-sig", newline="") as file:
            lines = _numbered_rows(path, file)
            names = _header(path, lines)
            for line, row in lines:
                cells.extend(_numbers(path, line, names, row))
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"cannot read {path!r}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise FileError(f"{path!r} is not UTF-8 text ({error.reason}); save it as UTF-8") from error
    if not cells:
        raise FileError(f"{path!r} has names but no rows of numbers")
    return names, np.frombuffer(cells, dtype=np.float64).reshape(-1, len(names))


def _numbered_rows(path: str, file: TextIO) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, fields); blank lines may only end the file."""
    reader = csv.reader(file, strict=True)
    blank = 0
    try:
        for row in reader:
            if not row:
                blank = blank or reader.line_num
                continue
            if blank:
                raise FileError(f"{path!r}, line {blank} is empty; remove it")
            yield reader.line_num, row
    except csv.Error as error:
        raise FileError(f"{path!r}, line {reader.line_num} is not valid CSV: {error}") from error


def _header(path: str, lines: Iterator[tuple[int, list[str]]]) -> tuple[str, ...]:
    _, fields = next(lines, (0, []))
    if not fields:
        raise FileError(f"{path!r} is empty; the first line must hold the column names")
    names = tuple(field.strip() for field in fields)
    if all(_number(name) is not None for name in names):
        raise FileError(f"{path!r} has no header: line 1 holds only numbers; add a line of names")
    for position, name in enumerate(names, start=1):
        if not name:
            raise FileError(f"{path!r}, line 1: column {position} has no name")
        if name in names[: position - 1]:
            first = names.index(name) + 1
            raise FileError(
                f"{path!r}, line 1: columns {first} and {position} are both {quoted(name)}"
            )
    return names


def _numbers(path: str, line: int, names: Sequence[str], row: Sequence[str]) -> list[float]:
    where = f"{path!r}, line {line}"
    if len(row) != len(names):
        raise FileError(f"{where} has {len(row)} fields; the header has {len(names)}")
    numbers = []
    for name, field in zip(names, row, strict=True):
        number = _number(field)
        if number is None or not math.isfinite(number):
            problem = (
                f"{quoted(field)} is not a finite number"
                if field.strip()
                else "the value is missing"
            )
            raise FileError(
                f"{where}, column {quoted(name)}: {problem}; correct it or drop the row"
            )
        numbers.append(number)
    return numbers


def _number(field: str) -> float | None:
    try:
        # float() would read 1_000, which no other program writes as a number.
        return None if "_" in field else float(field)
    except ValueError:
        return None
