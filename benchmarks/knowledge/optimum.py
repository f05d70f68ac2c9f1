"""How often searches with background knowledge reach the best class that agrees with it.

``python benchmarks/knowledge/optimum.py [--sets 400] [--jobs 2] [--seed 0]`` prints what this run
measured.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
from statements import KINDS, Matrix, Statements, draw

from greedag import Moments, _core
from greedag.scores import GaussianBIC
from greedag.simulate import linear_gaussian

SIZES, ROWS, DENSITIES = range(8, 16), (500, 2_000), (1.5, 3.0)
NAMES = (*KINDS, "mixture")
FIRST_SEED, ALPHA, ROUNDING = 160_000, 2.0, 1e-9
MOST_FOR_PROOF = 12
"""Up to so many columns the default computes the optimum instead of refining."""
WAYS = ("XGES-0", "XGES", "orders", "default")


@dataclass(frozen=True, slots=True)
class Found:
    """What was found with one set of statements."""

    kind: str
    d: int
    seed: int
    below: dict[str, float]
    """By how much the score of each way is below the optimum."""
    violations: dict[str, int]
    seconds: dict[str, float]
    cost: float
    """By how much the optimum with knowledge is below that without."""


def refined(score: _core.Score, knowledge: _core.Knowledge, n: int) -> _core.SearchOutcome:
    """Run XGES and refine through orders, at any number of columns.

    A custom score of the same values is not looked at exhaustively.
    """
    if score.size > MOST_FOR_PROOF:
        return _core.search(score, "xges", effort=1.0, knowledge=knowledge)
    custom = _core.CustomScore(
        lambda y, parents: score.local_score(y, list(parents)),
        lambda y, parents, value: None,
        score.size,
        _core.min_gain(n),
    )
    return _core.search(custom, "xges", effort=1.0, knowledge=knowledge)


def member(cpdag: Matrix, known: Statements) -> Matrix | None:
    """Return a DAG of the class that the engine directs by the statements."""
    oriented = _core.orient(cpdag, known.engine)
    graph = None if oriented is None else oriented[0]
    while graph is not None and (graph & graph.T).any():
        x, y = np.argwhere(graph & graph.T)[0]
        graph = _core.close_under_meek(graph, [(int(x), int(y))])
    return graph


def violations(cpdag: Matrix, known: Statements) -> int:
    """Return how many statements the directed class breaks; 1 if it cannot be directed."""
    dag = member(cpdag, known)
    if dag is None or not np.array_equal(_core.cpdag_of_dag(dag), cpdag):
        return 1
    return known.broken_by(dag)


def measure(seed: int) -> Found:
    """Draw a table and statements; run every way and the exact search."""
    rng = np.random.default_rng(seed)
    kind, d = NAMES[seed % len(NAMES)], int(rng.choice(SIZES))
    n, rho = int(rng.choice(ROWS)), float(rng.uniform(*DENSITIES))
    drawn = linear_gaussian(d, rho, n, seed=seed)
    known = draw(kind, rng, np.asarray(drawn.dag, dtype=np.uint8))
    score, knowledge = GaussianBIC(alpha=ALPHA).bind(Moments.from_data(drawn.data)), known.engine
    best = _core.search(score, "exact", knowledge=knowledge)
    free = _core.search(score, "exact")
    runs = {
        "XGES-0": lambda: _core.search(score, "xges0", knowledge=knowledge),
        "XGES": lambda: _core.search(score, "xges", knowledge=knowledge),
        "orders": lambda: refined(score, knowledge, n),
        "default": lambda: _core.search(score, "xges", effort=1.0, knowledge=knowledge),
    }
    below, broken, seconds = {}, {"exact": violations(best.adjacency, known)}, {}
    for way, run in runs.items():
        started = time.perf_counter()
        found = run()
        seconds[way] = time.perf_counter() - started
        below[way] = best.score - found.score
        broken[way] = violations(found.adjacency, known)
    return Found(kind, d, seed, below, broken, seconds, free.score - best.score)


def is_reached(found: Found, way: str) -> bool:
    """Whether a way reached the optimum, up to rounding."""
    return found.below[way] <= 1e-6


def line(name: str, sets: list[Found]) -> str:
    """Return a row of the table."""
    shares = [f"{100 * np.mean([is_reached(s, way) for s in sets]):.1f} %" for way in WAYS]
    cost = f"{np.median([s.cost for s in sets]):.1f}"
    broken = sum(sum(s.violations.values()) for s in sets)
    cells = [name, str(len(sets)), *shares, cost, str(broken)]
    return "| " + " | ".join(cells) + " |"


def report(sets: list[Found]) -> list[str]:
    """Return the table by kind of statements and by number of columns."""
    header = ["", "sets", *WAYS, "median cost", "violations"]
    lines = ["| " + " | ".join(header) + " |", "| :-- |" + " --: |" * (len(header) - 1)]
    lines += [line(kind, [s for s in sets if s.kind == kind]) for kind in NAMES]
    counts = Counter(s.d for s in sets)
    lines += [line(f"d = {d}", [s for s in sets if s.d == d]) for d in sorted(counts)]
    lines.append(line("all", sets))
    above = sum(any(gap < -ROUNDING * 1e4 for gap in s.below.values()) for s in sets)
    lines += ["", f"Above the exact search: {above} sets."]
    missed = sorted(
        (s for s in sets if not is_reached(s, "default")), key=lambda s: -s.below["default"]
    )
    lines += [
        f"Missed by the default: {s.kind}, d = {s.d}, seed {s.seed}, "
        f"{s.below['default']:.2f} below the optimum"
        for s in missed[:20]
    ]
    return lines


def main() -> None:
    """Measure and print."""
    options = ArgumentParser(description=__doc__)
    options.add_argument("--sets", type=int, default=400, help="data sets with statements")
    options.add_argument("--jobs", type=int, default=2, help="processes")
    options.add_argument("--seed", type=int, default=0, help="added to the first seed")
    chosen = options.parse_args()
    first = FIRST_SEED + chosen.seed
    sets: list[Found] = []
    with ProcessPoolExecutor(chosen.jobs) as pool:
        for k, found in enumerate(pool.map(measure, range(first, first + chosen.sets)), 1):
            sets.append(found)
            if k % 50 == 0:
                print(f"{k} of {chosen.sets}", file=sys.stderr, flush=True)
    print(
        f"Seeds from {first}, {chosen.sets} sets, d from {SIZES[0]} to {SIZES[-1]}, n "
        f"{' or '.join(map(str, ROWS))}, ρ from {DENSITIES[0]} to {DENSITIES[1]}, Gaussian BIC, "
        f"alpha {ALPHA:g}. Share of sets on which the score of the exact search is reached: by the "
        "classes alone (XGES-0; XGES with its trials), with orders added (effort 1; up to "
        f"{MOST_FOR_PROOF} columns forced by a custom score), and by default (up to "
        f"{MOST_FOR_PROOF} columns the optimum is computed). Cost: what knowledge takes from the "
        "best score.\n"
    )
    print("\n".join(report(sets)))


if __name__ == "__main__":
    main()
