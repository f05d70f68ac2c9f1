"""The page about the penalty: tables of the runs that ``penalty.py`` stored."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from speed.report import table

BASIS, DEFAULT = "2", "auto"
MEANT = {
    "1": "α = 1",
    "2": "α = 2",
    "extended-bic": "extended BIC",
    "auto": "default",
    "stars": "StARS",
    "cv": "CV",
    "ebic": "EBIC along the path",
}
MANY_ROWS, FEW_COLUMNS = 1_000, 200
HEAD = """# Which penalty

Distance of the learned class from the truth (SHD of CPDAGs), and precision and recall of its
adjacencies, by rows n, columns d, mean number of parents ρ and kind of graph. Data are linear with
Gaussian noise (`simulate.linear_gaussian`); the search is that of `learn()`. `runs.csv` has every
run; `python benchmarks/penalty.py --save` adds what is missing and renews this page.

The default, `alpha="auto"`, depends on n and d alone: it is 2, or as much more as keeps the edges
that chance adds among independent columns at one per 50 columns, and four in all. It was chosen on
other seeds than these. Half as many such edges gave shorter distances for ρ = 1 and 2, but lost
edges of dense graphs: for ρ = 4, 1,000 rows of 200 columns, SHD +9.2 ± 3.9 beside α = 2.

Differences are paired: both methods on the same tables, mean ± standard error, without one where
there is one table; 0 means that all are 0. Where tables differ
in size, their mean says little by itself: look at the difference, and at the cells below. A star
marks means with searches that ran out of time, which count with the class that they had by then:
10 s of wall clock up to 500 columns and 15 s beyond, on a busy machine, so that starred cells say
more about time than about the penalty. From 1,000 rows on with up to 200 columns the default is 2
by its definition: its differences of 0 are no finding. Cells that are not listed were not run.
"""


class Regime(NamedTuple):
    """A part of the grid."""

    title: str
    holds: Callable[[Any], bool]


REGIMES = (
    Regime("n ≥ 1,000, d ≤ 200", lambda run: run.n >= MANY_ROWS and run.d <= FEW_COLUMNS),
    Regime("n < 1,000, d ≤ 200", lambda run: run.n < MANY_ROWS and run.d <= FEW_COLUMNS),
    Regime("n ≥ 1,000, d > 200", lambda run: run.n >= MANY_ROWS and run.d > FEW_COLUMNS),
    Regime("n < 1,000, d > 200", lambda run: run.n < MANY_ROWS and run.d > FEW_COLUMNS),
)


class Tables:
    """Runs by the table that they are about, of methods that all of these tables have."""

    def __init__(self, runs: Iterable[Any], methods: Sequence[str]) -> None:
        by_table: dict[Any, dict[str, Any]] = defaultdict(dict)
        for run in runs:
            by_table[run.cell, run.seed][run.method] = run
        self.methods = tuple(methods)
        self.all = [found for found in by_table.values() if found.keys() >= set(methods)]

    def where(self, holds: Callable[[Any], bool]) -> Tables:
        """Return the tables for which something holds."""
        found = (run for runs in self.all for run in runs.values() if holds(run))
        return Tables(found, self.methods)

    def by(self, key: Callable[[Any], Any]) -> Iterator[tuple[Any, Tables]]:
        """Yield the tables by a property, in its order."""
        for value in sorted({key(runs[self.methods[0]]) for runs in self.all}):
            yield value, self.where(lambda run, value=value: key(run) == value)

    def mean(self, method: str, what: str) -> float:
        """Return a mean over the tables; of shares, over those where there is one."""
        values = [getattr(runs[method], what) for runs in self.all]
        return statistics.fmean([value for value in values if not math.isnan(value)] or [math.nan])

    def shd(self, method: str) -> str:
        """Return the mean distance, with a star if a search ran out of time."""
        star = "*" if any(runs[method].stopped for runs in self.all) else ""
        return f"{self.mean(method, 'shd'):.1f}{star}"

    def shares(self, method: str) -> str:
        """Return precision and recall."""
        return f"{self.mean(method, 'precision'):.2f} / {self.mean(method, 'recall'):.2f}"

    def difference(self, method: str, basis: str = BASIS) -> str:
        """Return how much farther a method is from the truth than another."""
        values = [runs[method].shd - runs[basis].shd for runs in self.all]
        if not any(values):
            return "0"
        if len(values) == 1:
            return f"{values[0]:+d}"
        error = statistics.stdev(values) / math.sqrt(len(values))
        return f"{statistics.fmean(values):+.1f} ± {error:.1f}"


def page(
    runs: Iterable[Any], methods: Sequence[str], further: Sequence[str], wide: Sequence[str] = ()
) -> list[str]:
    """Return the lines of the page.

    Parameters
    ----------
    runs : iterable of Run
    methods : sequence of str
        Those that ran on all tables.
    further : sequence of str
        Those that ran on some.
    wide : sequence of str
        Lines on a table of very many columns.
    """
    runs = list(runs)
    tables = Tables(runs, methods)
    lines = [*HEAD.splitlines(), "", "## Summary by regime", "", *summary(tables)]
    lines += ["", "## Default minus α = 2, by rows and columns", "", *differences(tables)]
    some = Tables(runs, (*methods, *further))
    if further and some.all:
        lines += ["", f"## {' and '.join(MEANT[at] for at in further)}", "", *compared(some)]
    if wide:
        lines += ["", "## 20,000 columns", "", *wide]
    return [*lines, *cells(tables)]


def summary(tables: Tables) -> list[str]:
    """Return a table of the regimes, by density."""
    others = [method for method in tables.methods if method != BASIS]
    header = ["regime", "ρ", "tables", "SHD of α = 2"]
    header += [f"{MEANT[at]} − α = 2" for at in others]
    header += [f"precision / recall, {MEANT[at]}" for at in (BASIS, DEFAULT)]
    rows = []
    for regime in REGIMES:
        for rho, some in tables.where(regime.holds).by(lambda run: run.rho):
            row = [regime.title, rho, len(some.all), some.shd(BASIS)]
            row += [some.difference(at) for at in others]
            rows.append([*row, some.shares(BASIS), some.shares(DEFAULT)])
    return table(header, rows)


def differences(tables: Tables) -> list[str]:
    """Return a table of paired differences of the default, a row for each size."""
    parents = [rho for rho, _ in tables.by(lambda run: run.rho)]
    header = ["d", "n", "alpha", *(f"ρ = {rho}" for rho in parents), "all"]
    rows = []
    for (d, n), some in tables.by(lambda run: (run.d, run.n)):
        found = dict(some.by(lambda run: run.rho))
        by_rho = [found[rho].difference(DEFAULT) if rho in found else "" for rho in parents]
        alpha = f"{some.mean(DEFAULT, 'alpha'):.2f}"
        rows.append([f"{d:,}", f"{n:,}", alpha, *by_rho, some.difference(DEFAULT)])
    return table(header, rows)


def compared(tables: Tables) -> list[str]:
    """Return a table of all methods on the tables that all of them have, a row for each size."""
    said = (
        f"{len(tables.all)} tables, those that all methods ran on: up to 2,000 rows, since these "
        "two need rows, and few columns, since they search many times. Seeds are fewer, and not "
        "all kinds of graphs have as many; a choice that ran out of time is left out. "
        "SHD, precision / recall:"
    )
    methods = tables.methods
    rows = []
    for (d, n), some in tables.by(lambda run: (run.d, run.n)):
        found = [f"{some.shd(at)}, {some.shares(at)}" for at in methods]
        rows.append([f"{d:,}", f"{n:,}", len(some.all), *found])
    lines = [said, "", *table(["d", "n", "tables", *(MEANT[at] for at in methods)], rows)]
    further = [at for at in methods if at != DEFAULT]
    rows = [
        [f"{n:,}", len(some.all), *(some.difference(at, DEFAULT) for at in further)]
        for n, some in tables.by(lambda run: run.n)
    ]
    lines += ["", "SHD minus that of the default, over all d:", ""]
    lines += table(["n", "tables", *(MEANT[at] for at in further)], rows)
    seconds = [f"{tables.mean(at, 'seconds'):.2f}" for at in methods]
    return [
        *lines,
        "",
        "CPU seconds a table:",
        "",
        *table([MEANT[at] for at in methods], [seconds]),
    ]


def cells(tables: Tables) -> Iterator[str]:
    """Yield a table for each kind of graph and density, a row for each size."""
    for (graph, rho), some in tables.by(lambda run: (run.graph, run.rho)):
        yield from ("", f"## {graph.capitalize()} graphs, ρ = {rho}", "")
        yield from ("SHD, precision / recall:", "")
        rows = []
        for (d, n), here in some.by(lambda run: (run.d, run.n)):
            found = [f"{here.shd(at)}, {here.shares(at)}" for at in here.methods]
            alpha = f"{here.mean(DEFAULT, 'alpha'):.2f}"
            rows.append([f"{d:,}", f"{n:,}", len(here.all), alpha, *found])
        header = ["d", "n", "tables", "default alpha", *(MEANT[at] for at in some.methods)]
        yield from table(header, rows)
