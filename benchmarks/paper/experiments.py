"""The table of experiments: for every figure of the paper, the cells it is drawn from.

A grid is the product of its lists; a figure has a quick version, for a look within minutes, and a
full one. Where the paper states its grid, the full one is the paper's; where it does not, the
comment says what was chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from paper.cells import Cell

PAPER = ("GES", "GES-r", "fGES", "XGES-0", "XGES")
"""The methods of the paper's main figure."""
OURS = ("GES", "GES-r", "OPS", "fGES", "XGES-0", "XGES")
OPS = ("GES", "OPS", "XGES-0", "XGES")
PLAIN_OPS = ("OPS, no reversals",)
WITH_FLOP = (*OURS, "FLOP")
FAST_PEERS = ("FLOP", "FLOP, no restarts")
ORDER_PEERS = ("BOSS (causal-learn)", "GRaSP (causal-learn)")
COMPILED = ("XGES (xges)",)
SLOW_PEERS = ("GES-r (ges)", "GES (causal-learn)", "GES (pgmpy)")


@dataclass(frozen=True, slots=True)
class Grid:
    """All combinations of these, `seeds` data sets each."""

    methods: tuple[str, ...]
    d: tuple[int, ...]
    rho: tuple[float, ...]
    seeds: int
    n: tuple[int, ...] = (10_000,)
    alpha: tuple[float, ...] = (2.0,)
    noise_max: tuple[float, ...] = (0.5,)
    negative: tuple[bool, ...] = (False,)

    def cells(self) -> Iterator[Cell]:
        """All cells of the grid."""
        lists = (self.methods, self.d, self.rho, self.n, self.alpha, self.noise_max, self.negative)
        for *settings, seed in product(*lists, range(self.seeds)):
            yield Cell(*settings, seed)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Experiment:
    """A figure, and the grids that it is drawn from.

    Attributes
    ----------
    key : str
        Its name on the command line and that of its file.
    label : str
        The paper's label of the figure; empty for what the paper has not.
    quick, full : tuple of Grid
    """

    key: str
    label: str
    quick: tuple[Grid, ...]
    full: tuple[Grid, ...]

    def cells(self, *, quick: bool) -> set[Cell]:
        """The cells of one of the two versions."""
        return {cell for grid in (self.quick if quick else self.full) for cell in grid.cells()}


def decades(first: int, last: int, *, halves: bool) -> tuple[int, ...]:
    """Powers of ten between two exponents, with √10 between them if asked for."""
    steps = 2 if halves else 1
    return tuple(round(10 ** (e / steps)) for e in range(steps * first, steps * last + 1))


MAIN = (
    (Grid(WITH_FLOP, (25, 50), (2, 3, 4), seeds=5),),
    (Grid(WITH_FLOP, (25, 50), (2, 3, 4), seeds=30),),
)
# The paper fixes d = 50, ρ = 3 and goes up to 10⁷ or so; the moments let us go to 10⁸.
ROWS_50 = (
    (Grid(PAPER, (50,), (3,), seeds=3, n=decades(2, 8, halves=False)),),
    (Grid(PAPER, (50,), (3,), seeds=30, n=decades(2, 8, halves=True)),),
)
# The text speaks of α from 1 to 10 and beyond.
ALPHAS = (
    (Grid(PAPER, (50,), (3,), seeds=3, alpha=(0.5, 1, 2, 5, 10, 20, 50)),),
    (Grid(PAPER, (50,), (3,), seeds=30, alpha=(0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50)),),
)
# The paper says "a wide range of d".
SPEED = (
    (
        Grid((*PAPER, "FLOP"), (10, 25, 50), (2, 4), seeds=3),
        Grid((*PAPER, "FLOP"), (100,), (2,), seeds=3),
        Grid(PAPER, (100,), (4,), seeds=3),
        Grid(PAPER, (200,), (2,), seeds=3),
    ),
    (
        Grid((*PAPER, "FLOP"), (10, 25, 50, 100, 200), (2, 4), seeds=5),
        Grid(PAPER, (500,), (2, 4), seeds=5),
        Grid(PAPER, (1000,), (2,), seeds=5),
    ),
)

EXPERIMENTS = (
    Experiment("main", "fig:simulation_main", *MAIN),
    # "90 datasets": three d, three ρ, ten seeds each.
    Experiment(
        "failure",
        "fig:ges_fail",
        (Grid(("GES", "XGES"), (10, 50, 100), (2, 3, 4), seeds=3),),
        (Grid(("GES", "XGES"), (10, 50, 100), (2, 3, 4), seeds=10),),
    ),
    Experiment(
        "score-shd",
        "fig:simulation_correlation_speed (left)",
        (Grid(WITH_FLOP, (50,), (3,), seeds=5),),
        (Grid(WITH_FLOP, (50,), (3,), seeds=30),),
    ),
    Experiment("runtime", "fig:simulation_correlation_speed (right)", *SPEED),
    Experiment("rows", "fig:simulation_n_and_alpha (left)", *ROWS_50),
    Experiment("alpha", "fig:simulation_n_and_alpha (right)", *ALPHAS),
    Experiment(
        "edges",
        "fig:simulation_n_and_alpha_edges",
        (*ROWS_50[0], *ALPHAS[0]),
        (*ROWS_50[1], *ALPHAS[1]),
    ),
    Experiment("precision-recall", "fig:simulation_main_precision_recall", *MAIN),
    Experiment("score-difference", "fig:simulation_main_score_diff", *MAIN),
    # The paper names only n, α and five seeds.
    Experiment(
        "grid",
        "fig:simulation_d_and_rho",
        (
            Grid(PAPER, (10, 25, 50, 100), (1, 2, 3, 4), seeds=3),
            Grid(PAPER, (200,), (1, 2), seeds=3),
        ),
        (Grid(PAPER, (10, 25, 50, 100, 200), (1, 2, 3, 4), seeds=5),),
    ),
    Experiment(
        "evaluations",
        "fig:simulation_number_of_calls",
        tuple(replace(grid, methods=PAPER) for grid in SPEED[0]),
        tuple(replace(grid, methods=PAPER) for grid in SPEED[1]),
    ),
    Experiment(
        "ops",
        "fig:simulation_ops",
        (
            Grid(OPS, (25, 50), (2, 3, 4), seeds=5),
            Grid(PLAIN_OPS, (25,), (2, 3, 4), seeds=5),
            Grid(PLAIN_OPS, (50,), (2, 3, 4), seeds=1),
        ),
        (
            Grid(OPS, (25, 50), (2, 3, 4), seeds=30),
            Grid(PLAIN_OPS, (25,), (2, 3, 4), seeds=30),
            Grid(PLAIN_OPS, (50,), (2, 3, 4), seeds=10),
        ),
    ),
    # The paper has d = 15, ρ = 2 and 30 seeds; a denser graph is added, and seeds for certainty.
    Experiment(
        "double-descent",
        "fig:simulation_double_descent",
        (
            Grid(PAPER, (15,), (2,), seeds=30, n=decades(2, 8, halves=False)),
            Grid(PAPER, (20,), (3,), seeds=15, n=decades(2, 8, halves=False)),
        ),
        (
            Grid(PAPER, (15,), (2,), seeds=50, n=decades(2, 8, halves=False)),
            Grid(PAPER, (20,), (3,), seeds=50, n=decades(2, 8, halves=False)),
        ),
    ),
    # The paper shows neither its d nor its values of ε_max in the text.
    Experiment(
        "noise",
        "fig:simulation_epsilon",
        (Grid(PAPER, (50,), (3,), seeds=3, noise_max=(0.1, 0.5, 1.0, 2.0, 5.0)),),
        (Grid(PAPER, (50,), (3,), seeds=30, noise_max=(0.1, 0.5, 1.0, 2.0, 5.0)),),
    ),
    Experiment(
        "negative",
        "fig:simulation_main_negative",
        (Grid(PAPER, (25, 50), (2, 3, 4), seeds=5, negative=(True,)),),
        (Grid(PAPER, (25, 50), (2, 3, 4), seeds=30, negative=(True,)),),
    ),
    # A constructed example, which needs no runs: see missed_insert.py.
    Experiment("missed-insert", "appendix:subsec:fast_ges", (), ()),
    # Not in the paper. The slow ones are tried where they may end; compiling takes a minute a run.
    Experiment(
        "peers",
        "",
        (
            Grid((*OURS, *FAST_PEERS, *ORDER_PEERS, *SLOW_PEERS), (5,), (1,), seeds=2),
            Grid((*OURS, *FAST_PEERS, *ORDER_PEERS, *SLOW_PEERS), (10,), (2,), seeds=2),
            Grid(COMPILED, (10,), (2,), seeds=1),
            Grid((*OURS, *FAST_PEERS, *ORDER_PEERS), (25,), (3,), seeds=2),
        ),
        (
            Grid((*OURS, *FAST_PEERS, *ORDER_PEERS, *SLOW_PEERS), (5,), (1,), seeds=5),
            Grid((*OURS, *FAST_PEERS, *ORDER_PEERS, *SLOW_PEERS), (10,), (2,), seeds=5),
            Grid((*OURS, *FAST_PEERS, *ORDER_PEERS), (25,), (2, 3, 4), seeds=5),
            Grid((*OURS, *FAST_PEERS, *ORDER_PEERS), (50,), (3,), seeds=3),
            Grid(COMPILED, (10, 25), (2,), seeds=2),
            Grid(COMPILED, (25,), (3, 4), seeds=2),
            Grid(SLOW_PEERS, (25,), (2,), seeds=1),
        ),
    ),
)
BY_KEY = {experiment.key: experiment for experiment in EXPERIMENTS}


def cells(keys: tuple[str, ...] = tuple(BY_KEY), *, quick: bool) -> list[Cell]:
    """All cells of some figures, each once, those that take longest first."""
    wanted = set().union(*(BY_KEY[key].cells(quick=quick) for key in keys))
    return sorted(wanted, key=lambda cell: (-cell.expected_seconds, cell))
