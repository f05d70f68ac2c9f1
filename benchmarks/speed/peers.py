"""Seconds and scores of greedag beside programs that one can install instead.

``python benchmarks/speed/peers.py [FOLDER] [--rounds 3] [--timeout 300] [--save]``: every program
gets the same rows, one thread and a process of its own, in turn. Each peer is installed into its
own environment, build/peers/<name>, on first use.
"""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from environments import PEERS, python_of, rows_with
from greedag import CPDAG
from greedag.errors import DataError
from report import Section, parser, publish, table
from stored import DATA, Case, stored_cases

Fact = dict[str, Any]
WARM_UP = 60.0
"""Seconds that a program may take before its clock starts, beyond the timeout."""
LONG = 30.0
"""Seconds after which a program has only one round."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run that ended in time."""

    seconds: float
    search_seconds: float | None
    matrix: NDArray[np.uint8]


def interpreters() -> dict[str, str]:
    """Return the interpreter of each program; a peer that cannot be installed is left out."""
    found = {"greedag": sys.executable}
    for peer in PEERS:
        try:
            found[peer.name] = python_of(peer)
        except subprocess.CalledProcessError:
            print(f"{peer.name} cannot be installed here and is left out", file=sys.stderr)
    return found


def run_once(program: str, python: str, rows: Path, timeout: float) -> Run | None:
    """Run a program on rows; none if it takes too long."""
    driver, matrix = Path(__file__).with_name("peer_driver.py"), rows.with_name("matrix.npy")
    command = [python, str(driver), program, str(rows), str(matrix)]
    try:
        done = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, timeout=timeout + WARM_UP
        )
    except subprocess.TimeoutExpired:
        return None
    said = json.loads(done.stdout.splitlines()[-1])
    return Run(said["seconds"], said["search_seconds"], np.load(matrix))


def rounds_of(
    case: Case, programs: dict[str, str], rounds: int, timeout: float
) -> dict[str, list[Run]]:
    """Run the programs in turn; one that takes too long has no runs, one that fails no entry."""
    runs: dict[str, list[Run]] = {program: [] for program in programs}
    left = dict(programs)
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.npy"
        np.save(rows, rows_with(case.moments))
        for _ in range(rounds):
            for program, python in list(left.items()):
                try:
                    run = run_once(program, python, rows, timeout)
                except subprocess.CalledProcessError:
                    print(f"{program} failed on {case.name}", file=sys.stderr)
                    del left[program], runs[program]
                    continue
                if run is not None:
                    runs[program].append(run)
                if run is None or run.seconds > LONG:
                    del left[program]
    return runs


def class_score(case: Case, matrix: NDArray[np.uint8]) -> float:
    """Score of the class a program returned; NaN if the matrix is not that of a class."""
    try:
        return case.score(CPDAG.from_matrix(matrix).to_dag())
    except DataError:
        return math.nan


def facts_about(case: Case, peer: str, theirs: list[Run], ours: list[Run]) -> Fact:
    """Return the facts about a peer on a case; no seconds if it took too long."""
    fact: Fact = {"case": case.name, "d": case.d, "rho": case.rho, "peer": peer}
    fact["greedag_seconds"] = statistics.median(run.seconds for run in ours)
    fact["search_seconds"] = statistics.median(run.search_seconds or 0.0 for run in ours)
    fact["peer_seconds"] = statistics.median(run.seconds for run in theirs) if theirs else None
    # The last run's: a program that draws at random has no typical class.
    gap = class_score(case, theirs[-1].matrix) if theirs else math.nan
    gap -= class_score(case, ours[-1].matrix)
    fact["score_above_greedag"] = None if math.isnan(gap) else gap
    return fact


def peers_for(case: Case, facts: list[Fact]) -> set[str]:
    """Return the peers to try: neither too slow for the size nor on an easier case."""
    hopeless = {
        fact["peer"]
        for fact in facts
        if fact["peer_seconds"] is None and fact["d"] <= case.d and fact["rho"] <= case.rho
    }
    return {peer.name for peer in PEERS if case.d <= peer.largest} - hopeless


def measure(folder: Path, rounds: int, timeout: float) -> list[Fact]:
    """Compare on all cases that some peer is tried on."""
    programs = interpreters()
    facts: list[Fact] = []
    for case in stored_cases(folder):
        tried = {"greedag", *peers_for(case, facts)}
        chosen = {name: python for name, python in programs.items() if name in tried}
        if len(chosen) == 1:
            continue
        runs = rounds_of(case, chosen, rounds, timeout)
        ours = runs.pop("greedag")
        facts += [facts_about(case, peer, theirs, ours) for peer, theirs in runs.items()]
        print(f"{case.name} done", file=sys.stderr, flush=True)
    return facts


def lines(facts: list[Fact], rounds: int, timeout: float) -> list[str]:
    """Return the section's Markdown."""
    about = (
        "Seconds of the whole of `learn(rows)` with its defaults (XGES, effort 1), of its search "
        "alone, and of the peer, on the same "
        f"10,000 rows with the case's covariance: medians of {rounds} round(s) in turn (one, where "
        f"it takes more than {LONG:g} s), one thread, imports and compilation left out. Ratios: "
        "the peer's seconds over each of greedag's. Score: greedag's score of the class that the "
        "peer found in the last round, minus that of greedag's own. A peer that passed the "
        "timeout is not tried on cases with as many columns and parents or more."
    )
    header = ["case", "peer", "peer, s", "greedag, s", "ratio", "search, s", "ratio", "score"]
    pinned = ", ".join(peer.requirements[0] for peer in PEERS)
    summary = [_summary(peer.name, facts) for peer in PEERS]
    rows = [_cells(fact, timeout) for fact in facts]
    return [about, "", f"Versions: {pinned}.", "", *table(header, rows), "", *filter(None, summary)]


def _cells(fact: Fact, timeout: float) -> list[str]:
    theirs, whole, search = fact["peer_seconds"], fact["greedag_seconds"], fact["search_seconds"]
    least, more = (timeout, "> ") if theirs is None else (theirs, "")
    above = fact["score_above_greedag"]
    score = "" if theirs is None else "no class" if above is None else f"{above:+.2f}"
    ours = [f"{whole:.4f}", f"{more}{least / whole:,.0f}"]
    ours += [f"{search:.4f}", f"{more}{least / search:,.0f}", score]
    return [fact["case"], fact["peer"], f"{more}{least:.3g}", *ours]


def _summary(peer: str, facts: list[Fact]) -> str:
    ended = [fact for fact in facts if fact["peer"] == peer and fact["peer_seconds"]]
    if not ended:
        return ""
    mean = statistics.geometric_mean(
        fact["peer_seconds"] / fact["greedag_seconds"] for fact in ended
    )
    scored = [fact["score_above_greedag"] or 0.0 for fact in ended]
    below, above = (sum(sign * gap > 1e-3 for gap in scored) for sign in (-1, 1))
    return (
        f"- {peer}: {mean:,.0f} times greedag's seconds in the geometric mean of the {len(ended)} "
        f"cases it ended in time; scores lower on {below} of them, higher on {above}."
    )


def main() -> None:
    """Measure and publish."""
    options = parser(__doc__)
    options.add_argument("folder", type=Path, nargs="?", default=DATA, help="where the cases are")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--timeout", type=float, default=300.0, help="seconds a run may take")
    chosen = options.parse_args()
    facts = measure(chosen.folder, chosen.rounds, chosen.timeout)
    text = lines(facts, chosen.rounds, chosen.timeout)
    section = Section("peers", "Beside other programs", text, facts)
    publish(section, save=chosen.save)


if __name__ == "__main__":
    main()
