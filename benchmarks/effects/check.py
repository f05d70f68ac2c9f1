"""Model checks: uniform p-values and false alarms on true models, power against misfits.

``python benchmarks/effects/check.py [--sets 500] [--power 200] [--rows 5000] [--save]`` prints what
this run measured.

Linear Gaussian models of ten columns with three edges for two columns, noise with deviations of 0.5
to 1, checked on rows that nothing was learned from. A misfit is found if the check fails, or gives
a sign, and named if the right kind is named with the right columns: the pair, the column, or at
least three of the four columns with a hidden cause and at most one other. The graph is the class of
the true one, or learned from as many rows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))
from greedag import CPDAG, Result, learn, simulate
from greedag.effects.check_records import ModelCheck
from greedag.statistics.tails import uniformity
from page import publish
from report import parser, table

FIRST_SEED = 190_000
D, RHO = 10, 1.5
Drawn = tuple[Any, Callable[[int], Any], Callable[[ModelCheck], bool]]


def rows_of(
    model: simulate.Simulation, noise: Any, bent: tuple[int, int, float] | None = None
) -> Any:
    """Return rows of a model with given noise; one edge may bend."""
    values = np.zeros_like(noise)
    left = set(range(D))
    while left:
        y = next(y for y in sorted(left) if not left & set(np.flatnonzero(model.dag[:, y])))
        left.remove(y)
        values[:, y] = values @ model.weights[:, y] + noise[:, y]
        if bent is not None and bent[1] == y:
            x = values[:, bent[0]] / values[:, bent[0]].std()
            values[:, y] += bent[2] * model.noise_sd[y] * np.tanh(x**2 - 1.0)
    return values


def named(check: ModelCheck, kind: str, columns: set[str]) -> bool:
    """Whether a kind of misfit is named with these columns."""
    return any(one.kind == kind and set(one.columns) == columns for one in check.misfits)


def truth(model: simulate.Simulation, random: np.random.Generator) -> Drawn:
    """Return the class of a true model, how to draw rows, and what must be named."""

    def draw(n: int) -> Any:
        return rows_of(model, random.normal(size=(n, D)) * model.noise_sd)

    return model.dag, draw, lambda check: True


def missing_edge(model: simulate.Simulation, random: np.random.Generator) -> Drawn:
    """Leave out an edge of the true graph."""
    dag = model.dag.copy()
    x, y = random.permutation(np.argwhere(dag))[0]
    dag[x, y] = 0
    columns = {model.names[x], model.names[y]}
    return dag, truth(model, random)[1], lambda check: named(check, "missing edge", columns)


def hidden_cause(model: simulate.Simulation, random: np.random.Generator) -> Drawn:
    """Add a cause of four columns that is not among the columns."""
    children = random.choice(D, 4, replace=False)
    loadings = np.zeros(D)
    loadings[children] = random.uniform(0.6, 1.0, 4) * random.choice([-1.0, 1.0], 4)
    columns = {model.names[j] for j in children}

    def draw(n: int) -> Any:
        shared = random.normal(size=(n, 1)) * loadings
        return rows_of(model, (random.normal(size=(n, D)) + shared) * model.noise_sd)

    def is_named(check: ModelCheck) -> bool:
        found = [set(one.columns) for one in check.misfits if one.kind == "hidden cause"]
        return any(len(each & columns) >= 3 and len(each - columns) <= 1 for each in found)

    return model.dag, draw, is_named


def curve(model: simulate.Simulation, random: np.random.Generator) -> Drawn:
    """Let one edge bend: besides its line, a valley of a third to a whole deviation of noise."""
    x, y = random.permutation(np.argwhere(model.dag))[0]
    depth = random.uniform(0.33, 1.0)
    columns = {model.names[x], model.names[y]}

    def draw(n: int) -> Any:
        return rows_of(model, random.normal(size=(n, D)) * model.noise_sd, (x, y, depth))

    return model.dag, draw, lambda check: named(check, "curve", columns)


def heavy_tails(model: simulate.Simulation, random: np.random.Generator) -> Drawn:
    """Let the noise of one column have Student's t distribution with five degrees of freedom."""
    y = int(random.integers(D))

    def draw(n: int) -> Any:
        noise = random.normal(size=(n, D))
        noise[:, y] = random.standard_t(5, n) * np.sqrt(0.6)
        return rows_of(model, noise * model.noise_sd)

    return model.dag, draw, lambda check: named(check, "heavy tails", {model.names[y]})


def checked(
    misfit: Callable[[simulate.Simulation, np.random.Generator], Drawn],
    seed: int,
    n: int,
    *,
    learned: bool,
) -> tuple[ModelCheck, bool]:
    """Check one model, and say whether the misfit is named."""
    random = np.random.default_rng([FIRST_SEED, seed])
    drawn = simulate.linear_gaussian(D, RHO, 2, seed=FIRST_SEED + seed)
    # Of the noise that it draws some is so small, and some edges with it, that nobody could see it.
    model = replace(drawn, noise_sd=random.uniform(0.5, 1.0, D))
    dag, draw, is_named = misfit(model, random)
    result: Result = learn(draw(n))
    if not learned:
        result = replace(result, cpdag=CPDAG.from_dag(dag))
    check = result.check(draw(n))
    return check, is_named(check)


def calibration(sets: int, n: int) -> list[str]:
    """Return a row on true models checked on so many rows."""
    found = [checked(truth, seed, n, learned=False)[0] for seed in range(sets)]
    random = np.random.default_rng([FIRST_SEED, n])
    one_each = [check.tests[random.integers(len(check.tests))].p_value for check in found]
    alarms = [not check.passed for check in found]
    failed = np.array([[not kind.passed for kind in check.kinds] for check in found])
    by_kind = [f"{100 * share:.1f}" for share in failed.mean(axis=0)]
    return [
        f"{n:,}",
        f"{uniformity(one_each)[1]:.2f}",
        f"{uniformity([check.p_value for check in found])[1]:.2f}",
        f"{np.mean([check.share_below for check in found]) * 100:.2f}",
        f"{100 * np.mean(alarms):.1f} %",
        " / ".join(by_kind),
    ]


def power(sets: int, n: int) -> list[list[str]]:
    """Return a row on each misfit."""
    rows = []
    for misfit in (missing_edge, hidden_cause, curve, heavy_tails):
        for learned in (False, True) if misfit is not missing_edge else (False,):
            runs = [checked(misfit, 10_000 + s, n, learned=learned) for s in range(sets)]
            named_in = np.mean([is_named for _, is_named in runs])
            others = np.mean([len(check.misfits) for check, _ in runs]) - named_in
            found = np.mean([not c.passed or bool(c.misfits) for c, _ in runs])
            rows.append(
                [
                    misfit.__name__.replace("_", " "),
                    "learned" if learned else "true class",
                    f"{100 * np.mean([not check.passed for check, _ in runs]):.1f} %",
                    f"{100 * found:.1f} %",
                    f"{100 * named_in:.1f} %",
                    f"{others:.2f}",
                ]
            )
    return rows


def main() -> None:
    """Measure, and print the tables."""
    options = parser(__doc__)
    options.add_argument("--sets", type=int, default=500)
    options.add_argument("--power", type=int, default=200)
    options.add_argument("--rows", type=int, default=5000)
    chosen = options.parse_args()
    true = table(
        [
            "rows",
            "KS p, one test of each set",
            "KS p, deviance",
            "tests below 5 %, %",
            "false alarms",
            "by kind, %",
        ],
        [calibration(chosen.sets, n) for n in (200, 1000, chosen.rows)] if chosen.sets else [],
    )
    false = table(
        ["misfit", "graph", "failed", "found", "named", "others"],
        power(chosen.power, chosen.rows) if chosen.power else [],
    )
    heading = f"True models, {chosen.sets} sets for each number of rows; kinds: markov, deviance, "
    publish(
        "Model checks",
        [
            f"{heading}linearity, normality, spread.",
            "",
            *true,
            "",
            f"Misfits, {chosen.power} sets of {chosen.rows:,} rows; others: their mean number.",
            "",
            *false,
        ],
        save=chosen.save,
    )


if __name__ == "__main__":
    main()
