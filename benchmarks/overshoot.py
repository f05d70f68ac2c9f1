"""By how much time limits and Ctrl-C are overshot, phase by phase and score by score.

``python benchmarks/overshoot.py [WORD …]`` prints a table of all cases, or of those that have one
of the words in their names. tests/search/test_limits.py holds every case to a quarter of a second.

Each case is a call that takes long by itself. It is cut after a while, by a time limit and by
Ctrl-C, and what counts is how long it goes on after that. On a machine where it ends before, it is
run again and cut earlier.
"""

from __future__ import annotations

import importlib
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from greedag import Levels, MixedTable, Moments, Result, TimeLimitError, learn, simulate
from greedag.cli.main import main, program

Call = Callable[[float | None], object]


@dataclass(frozen=True, slots=True)
class Case:
    """A call that takes long in one phase.

    Attributes
    ----------
    phase, what : str
        Where it takes long, and on what: the score, or the format of a file.
    prepare : callable
        Makes the data, and returns the call, a function of the time limit.
    has_limit : bool
        Whether the call takes a time limit.
    after : float
        When to cut it.
    """

    phase: str
    what: str
    prepare: Callable[[], Call]
    has_limit: bool = True
    after: float = 0.4

    @property
    def name(self) -> str:
        """Phase and score."""
        return f"{self.phase}, {self.what}"


@cache
def folder() -> Path:
    """Return where files are made that are read."""
    return Path(tempfile.mkdtemp(prefix="greedag-overshoot-"))


def random() -> np.random.Generator:
    """Return the same random numbers for each table."""
    return np.random.default_rng(0)


@cache
def numbers(n: int, d: int) -> np.ndarray:
    """Return a table of continuous columns that depend on each other."""
    factors = random().normal(size=(n, 3))
    table: np.ndarray = factors @ random().normal(size=(3, d)) + random().normal(size=(n, d))
    return table


@cache
def codes(n: int, d: int, levels: int) -> np.ndarray:
    """Return a table of discrete columns that depend on each other."""
    draw = random()
    table = draw.integers(0, levels, size=(n, d), dtype=np.int32)
    for j in range(1, d):
        same = draw.random(n) < 0.5
        table[same, j] = table[same, j - 1]
    return table


# ---- reading


def csv_of(name: str, columns: dict[str, np.ndarray]) -> str:
    """Write a CSV file, once."""
    import pyarrow as pa
    from pyarrow import csv

    path = folder() / name
    if not path.exists():
        csv.write_csv(pa.table(columns), path)
    return str(path)


def command(*arguments: str) -> Call:
    """Return a call of the command line, which has nothing left to import."""
    for module in ("pyarrow.csv", "pyarrow.parquet", "duckdb"):
        importlib.import_module(module)
    program()

    def call(limit: float | None) -> object:
        limited = () if limit is None else ("--time-limit", str(limit))
        code = main(["learn", *arguments, "--quiet", "--effort", "0", *limited])
        if code == 130:
            raise KeyboardInterrupt
        return code

    return call


def columns_of(n: int, d: int) -> dict[str, np.ndarray]:
    """Return continuous columns by name."""
    return {f"c{j}": column for j, column in enumerate(numbers(n, d).T)}


def read_csv() -> Call:
    return command(csv_of("numbers.csv", columns_of(1_000_000, 12)))


def read_csv_with_text() -> Call:
    text = random().choice(np.array(["north", "south", "east", "west"]), 1_000_000)
    return command(csv_of("text.csv", {**columns_of(1_000_000, 3), "where": text}))


def read_csv_line_by_line() -> Call:
    path = folder() / "odd.csv"
    if not path.exists():
        lines = [f"{i % 7}.5, nA ,{i % 11}\n" for i in range(600_000)]
        path.write_text("a,b,c\n1,2,3\n" + "".join(lines), encoding="utf-8")
    return command(str(path), "--missing", "em")


def read_parquet() -> Call:
    import pyarrow as pa
    from pyarrow import parquet

    path = folder() / "numbers.parquet"
    if not path.exists():
        parquet.write_table(pa.table(columns_of(1_000_000, 60)), path)
    return command(str(path))


def read_json_lines() -> Call:
    path = folder() / "numbers.jsonl"
    if not path.exists():
        rows = numbers(200_000, 4).tolist()
        path.write_text("".join(f'{{"a":{a},"b":{b},"c":{c},"d":{d}}}\n' for a, b, c, d in rows))
    return command(str(path))


def read_sql() -> Call:
    query = (
        "SELECT random() AS a, random() AS b, hash(i) % 1000 AS c "
        "FROM range(30000000) t(i) ORDER BY a"
    )
    return command("--sql", query)


# ---- counting


def of_table(table: Any, **options: Any) -> Callable[[], Call]:
    """Return a case of `learn` on what a function makes."""

    def prepare() -> Call:
        data = table()
        return lambda limit: learn(data, time_limit=limit, **options)

    return prepare


def text_table() -> Any:
    import pandas as pd

    words = np.array([f"level {k}" for k in range(50)], dtype=object)
    return pd.DataFrame(
        {f"t{j}": words[column] for j, column in enumerate(codes(2_000_000, 4, 50).T)}
    )


def mixed_table(n: int, reals: int, discrete: int, levels: int) -> Any:
    import pandas as pd

    frame = pd.DataFrame(columns_of(n, reals))
    for j, column in enumerate(codes(n, discrete, levels).T):
        frame[f"l{j}"] = pd.Categorical(column)
    return frame


def holed(n: int, d: int) -> np.ndarray:
    table = numbers(n, d).copy()
    table[random().random(table.shape) < 0.1] = np.nan
    return table


def wide_moments(d: int, *, factors: int = 3) -> Moments:
    loadings = random().normal(size=(d, factors))
    covariance = loadings @ loadings.T + np.eye(d)
    return Moments(n=10**6, covariance=covariance)


def collinear_moments(d: int) -> Moments:
    loadings = random().normal(size=(d, d - 1))
    return Moments(n=10**6, covariance=loadings @ loadings.T)


# ---- searching


def dense_moments(d: int) -> Moments:
    """One hidden factor behind all columns: without a cap, no search ends on this."""
    loadings = random().uniform(0.5, 1.5, d)
    return Moments(n=10**6, covariance=np.outer(loadings, loadings) + np.eye(d))


def levels_of(n: int, d: int, levels: int, *, missing: float = 0.0) -> Levels:
    table: Any = codes(n, d, levels)
    if missing:
        table = np.where(random().random(table.shape) < missing, np.nan, table)
        return Levels.from_data(table, missing="test-wise")
    return Levels.from_data(table)


def mixed_rows(n: int, reals: int, discrete: int, levels: int) -> MixedTable:
    return MixedTable.from_data(mixed_table(n, reals, discrete, levels))


class Slow:
    """A score of the user's own that takes its time."""

    def local_score(self, y: int, parents: tuple[int, ...]) -> float:
        time.sleep(0.002)
        return -(len(parents) ** 2) / 10.0


# ---- after the search


def after(attribute: Callable[[Result], object], table: Any, **options: Any) -> Callable[[], Call]:
    """Return a case of what is asked of a result, without a time limit."""

    def prepare() -> Call:
        result = learn(table(), **options)

        def call(limit: float | None) -> object:
            return attribute(result)

        return call

    return prepare


def report(result: Result) -> None:
    result.report(folder() / "report.html")


CASES = (
    Case("reading", "CSV of numbers", read_csv, after=0.25),
    Case("reading", "CSV with text", read_csv_with_text),
    Case("reading", "CSV line by line", read_csv_line_by_line),
    Case("reading", "Parquet", read_parquet, after=0.25),
    Case("reading", "JSON lines", read_json_lines),
    Case("reading", "SQL", read_sql),
    Case("counting", "moments", of_table(lambda: numbers(1_000_000, 60))),
    Case("counting", "levels of numbers", of_table(lambda: codes(1_500_000, 8, 5), score="bdeu")),
    Case("counting", "levels of text", of_table(text_table)),
    Case("counting", "mixed", of_table(lambda: mixed_table(1_000_000, 4, 4, 20))),
    Case(
        "counting",
        "embedding",
        of_table(lambda: mixed_rows(60_000, 2, 2, 400), score="degenerate-gaussian"),
    ),
    Case("EM", "Gaussian", of_table(lambda: holed(4000, 300), missing="em")),
    Case("EM", "few patterns", of_table(lambda: holed(2_000_000, 5), missing="em")),
    Case("collinearity", "independent", of_table(lambda: wide_moments(4000))),
    Case("collinearity", "collinear", of_table(lambda: collinear_moments(1500))),
    Case("binding", "BDeu", of_table(lambda: levels_of(3_000_000, 10, 4), score="bdeu"), after=0.1),
    Case(
        "binding",
        "conditional Gaussian",
        of_table(lambda: mixed_rows(1_000_000, 4, 4, 5), score="conditional-gaussian"),
        after=0.2,
    ),
    Case("binding", "BGe", of_table(lambda: wide_moments(2000), score="bge"), after=0.2),
    Case("search", "Gaussian BIC", of_table(lambda: dense_moments(100), clique_cap=0)),
    Case(
        "search",
        "extended BIC",
        of_table(lambda: dense_moments(100), score="extended-bic", clique_cap=0),
    ),
    Case("search", "BGe", of_table(lambda: dense_moments(100), score="bge", clique_cap=0)),
    Case("search", "wide", of_table(lambda: wide_moments(1200), search="xges"), after=1.0),
    Case("search", "BDeu", of_table(lambda: levels_of(500_000, 20, 4), score="bdeu"), after=1.0),
    Case(
        "search",
        "discrete BIC",
        of_table(lambda: levels_of(500_000, 20, 4), score="discrete-bic"),
        after=1.0,
    ),
    Case(
        "search",
        "BDeu, many levels",
        of_table(lambda: levels_of(300_000, 10, 3000), score="bdeu"),
        after=1.0,
    ),
    Case(
        "search",
        "test-wise",
        of_table(lambda: levels_of(300_000, 12, 4, missing=0.1), score="bdeu", missing="test-wise"),
        after=1.0,
    ),
    Case(
        "search",
        "degenerate Gaussian",
        of_table(lambda: mixed_rows(4_000, 8, 3, 400), score="degenerate-gaussian"),
        after=1.5,
    ),
    Case(
        "search",
        "conditional Gaussian",
        of_table(lambda: mixed_rows(200_000, 8, 6, 5), score="conditional-gaussian"),
        after=1.0,
    ),
    Case("search", "own score", of_table(lambda: numbers(100, 30), score=Slow())),
    Case("exact", "Gaussian BIC", of_table(lambda: dense_moments(24), search="exact"), after=1.0),
    Case("exact", "table", of_table(lambda: dense_moments(23), search="exact"), after=1.2),
    Case("exact", "BGe", of_table(lambda: dense_moments(23), search="exact", score="bge")),
    Case(
        "exact",
        "BDeu",
        of_table(lambda: levels_of(200_000, 12, 4), search="exact", score="bdeu"),
        after=1.0,
    ),
    Case(
        "exact",
        "test-wise",
        of_table(
            lambda: levels_of(200_000, 10, 4, missing=0.1),
            search="exact",
            score="bdeu",
            missing="test-wise",
        ),
        after=1.0,
    ),
    Case(
        "exact",
        "degenerate Gaussian",
        of_table(lambda: mixed_rows(5_000, 9, 3, 150), search="exact", score="degenerate-gaussian"),
        after=1.0,
    ),
    Case(
        "exact",
        "conditional Gaussian",
        of_table(
            lambda: mixed_rows(100_000, 6, 6, 5), search="exact", score="conditional-gaussian"
        ),
        after=1.0,
    ),
    Case("exact", "own score", of_table(lambda: numbers(100, 12), search="exact", score=Slow())),
    Case(
        "gap",
        "Gaussian BIC, exact",
        after(lambda r: r.gap, lambda: dense_moments(20), effort=0, time_limit=0),
        has_limit=False,
        after=0.1,
    ),
    Case(
        "gap",
        "Gaussian BIC, bound",
        after(lambda r: r.gap, lambda: wide_moments(2000), search="ges", time_limit=4),
        has_limit=False,
    ),
    Case(
        "explain",
        "conditional Gaussian",
        after(
            lambda r: r.strengths(),
            lambda: mixed_rows(300_000, 6, 6, 5),
            score="conditional-gaussian",
            search="ges",
            time_limit=20,
        ),
        has_limit=False,
    ),
    Case(
        "report",
        "Gaussian BIC",
        after(report, lambda: simulate.linear_gaussian(700, 2.0, 2000, seed=0).data, effort=0),
        has_limit=False,
    ),
)


def settle() -> None:
    """Wait for threads that were left behind."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


BY_ITSELF = "ended by itself"
EARLIEST = 0.1


def by_limit(case: Case, call: Call) -> tuple[float, str]:
    """Return by how many seconds a call goes on after its time limit, and how it ends."""
    return _cut(limited_after, case, call)


def by_ctrl_c(case: Case, call: Call) -> tuple[float, str]:
    """Return how many seconds a call goes on after Ctrl-C, and how it ends."""
    return _cut(pressed_after, case, call)


def _cut(run: Callable[[Call, float], str], case: Case, call: Call) -> tuple[float, str]:
    """Cut a call after as long as its case says, or earlier if it would end by itself."""
    after = case.after
    while True:
        began = time.perf_counter()
        end = run(call, after)
        late = time.perf_counter() - began - after
        if end != BY_ITSELF or after / 2 < EARLIEST:
            return late, end
        after /= 2


def limited_after(call: Call, after: float) -> str:
    """Return how a call with a time limit ends."""
    try:
        result = call(after)
    except TimeLimitError:
        return "TimeLimitError"
    if isinstance(result, Result):
        return result.stopped or BY_ITSELF
    return BY_ITSELF if result == 0 else f"exit code {result}"


def pressed_after(call: Call, after: float) -> str:
    """Return how a call ends in which Ctrl-C is pressed."""
    # By the clock of the system: a thread of Python's would have to wait for its turn.
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, after)
    try:
        call(None)
    except KeyboardInterrupt as interrupt:
        return type(interrupt).__name__
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    return BY_ITSELF


def print_table(words: list[str]) -> None:
    """Print a line a case."""
    print(f"{'phase':14}{'score or format':24}{'time limit':>12}  {'':18}{'Ctrl-C':>8}")
    for case in CASES:
        if words and not any(word in case.name for word in words):
            continue
        call = case.prepare()
        late, end = by_limit(case, call) if case.has_limit else (float("nan"), "")
        settle()
        answer, how = by_ctrl_c(case, call)
        shown = f"{late:10.3f} s" if case.has_limit else f"{'-':>12}"
        print(f"{case.phase:14}{case.what:24}{shown}  {end:18}{answer:6.3f} s  {how}", flush=True)
        settle()
        numbers.cache_clear()
        codes.cache_clear()


if __name__ == "__main__":
    print_table(sys.argv[1:])
