"""The engine of greedag. Private: its names may change without notice."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray

def cpdag_of_dag(
    matrix: Annotated[
        NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None))]:
    """The CPDAG of the class of a DAG."""

def dag_of_cpdag(
    matrix: Annotated[
        NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None))]:
    """A DAG of the class, always the same one."""

def complete(
    matrix: Annotated[
        NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None))]:
    """Completes a PDAG whose directed edges agree with a DAG of its class."""

def derive(
    mpdag: Annotated[
        NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    given: Sequence[tuple[int, int]],
) -> list[tuple[int, int, int, int, int]]:
    """Why each edge is directed: tail, head, rule and up to two nodes, else -1."""

class Knowledge:
    """What is known about the arcs and ancestors in a DAG."""

    def __init__(
        self,
        size: int,
        *,
        required: Sequence[tuple[int, int]] = [],
        forbidden: Sequence[tuple[int, int]] = [],
        tiers: Sequence[int] = [],
        before: Sequence[tuple[int, int]] = [],
    ) -> None: ...
    @property
    def size(self) -> int: ...

def orient(
    cpdag: Annotated[
        NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    knowledge: Knowledge,
) -> (
    tuple[
        Annotated[NDArray[numpy.uint8], dict(shape=(None, None))],
        list[tuple[int, int, int, int]],
    ]
    | None
):
    """The MPDAG of the members that agree with knowledge, and the arcs that it directs itself."""

def close_under_meek(
    mpdag: Annotated[
        NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    arcs: Sequence[tuple[int, int]],
) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None))] | None:
    """Directs one arc of an MPDAG after the other, and what follows by Meek's rules."""

ZERO_VARIANCE: float = 1e-12

MOST_INFLATION: float = 100000000.0

def min_gain(n: float) -> float:
    """The largest gain on n rows that is taken for rounding."""

class Score:
    @property
    def size(self) -> int: ...
    def local_score(self, y: int, parents: Sequence[int]) -> float:
        """The score of a node with its parents."""

    def insert_gains(
        self, y: int, parents: Sequence[int], with_losses: bool
    ) -> list[tuple[int, float]]:
        """The further parents of a node that may gain, or all of them, with their gains."""

    def insert_gains_in_turn(
        self, families: Sequence[tuple[int, Sequence[int]]]
    ) -> list[list[tuple[int, float]]]:
        """Those that may gain, of one family after the other, from one evaluator."""

    def of_dag(
        self,
        dag: Annotated[
            NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
    ) -> float:
        """The total score of a DAG."""

class GaussianBic(Score):
    def __init__(
        self,
        correlation: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        log_variances: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n: float,
        alpha: float,
        extra: float = 0.0,
        rank: int | None = None,
    ) -> None: ...

class DiscreteBic(Score):
    def __init__(
        self,
        codes: Annotated[
            NDArray[numpy.uint32], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        levels: Sequence[int],
        counts: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        alpha: float,
    ) -> None: ...

class BDeu(Score):
    def __init__(
        self,
        codes: Annotated[
            NDArray[numpy.uint32], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        levels: Sequence[int],
        counts: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        equivalent_sample_size: float,
    ) -> None: ...

class TestwiseScore(Score):
    pass

class ByColumn(Score):
    def __init__(self, parts: tuple[Score, ...], part_of: Sequence[int]) -> None: ...

def testwise_bic(
    codes: Annotated[
        NDArray[numpy.uint32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    levels: Sequence[int],
    counts: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    alpha: float,
) -> TestwiseScore:
    """
    The discrete BIC where values, coded by the number of levels, are missing.
    """

def testwise_bdeu(
    codes: Annotated[
        NDArray[numpy.uint32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    levels: Sequence[int],
    counts: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    equivalent_sample_size: float,
) -> TestwiseScore:
    """BDeu where values, coded by the number of levels, are missing."""

class Bge(Score):
    def __init__(
        self,
        correlation: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        log_variances: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n: float,
        *,
        alpha_mu: float,
        alpha_w: float,
        t: float,
        edge_penalty: float,
        least_residual: float,
        has_singular_sets: bool = False,
    ) -> None: ...

class DegenerateGaussian(Score):
    def __init__(
        self,
        correlation: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        log_variances: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        starts: Sequence[int],
        n: float,
        alpha: float,
        rank: int | None = None,
    ) -> None: ...

class ConditionalGaussian(Score):
    def __init__(
        self,
        values: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        codes: Annotated[
            NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        levels: Sequence[int],
        log_variances: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        alpha: float,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
    ) -> None: ...

class AdditiveBic(Score):
    def __init__(
        self,
        gram: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        starts: Sequence[int],
        steps: Sequence[int],
        responses: Sequence[int],
        log_variances: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n: float,
        alpha: float,
    ) -> None: ...
    def chosen(self, y: int, parents: Sequence[int]) -> list[list[int]]:
        """The columns of its block that each parent enters with; none if they are refused."""

    def inserts(self, y: int, parents: Sequence[int]) -> list[tuple[int, float]]:
        """The further parents that may gain, and what each of them gains."""

class CustomScore(Score):
    def __init__(
        self,
        local_score: Callable[[int, tuple[int, ...]], object],
        raise_invalid: Callable[[int, tuple[int, ...], object], object],
        size: int,
        min_gain: float,
    ) -> None: ...

class Refinement:
    """The state of a refinement between two rounds."""

    def __init__(
        self,
        *,
        adjacency: Annotated[
            NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        score: float,
        effort: float,
        evaluations: float,
        work: float,
        round: int,
        kept: int,
        rounds_without_gain: int,
        climbed: int,
        needs_xges: bool,
        counts: Mapping[str, int] | None = None,
        capped_targets: Sequence[int] = ...,
        trace: Sequence[tuple[str, int, int, Sequence[int], Sequence[int], Sequence[int], float]]
        | None = None,
        has_jumped: bool = False,
        is_dag: bool = False,
        is_dense: bool = False,
    ) -> None: ...
    @property
    def adjacency(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None))]: ...
    @property
    def score(self) -> float: ...
    @property
    def effort(self) -> float: ...
    @property
    def evaluations(self) -> float: ...
    @property
    def work(self) -> float: ...
    @property
    def round(self) -> int: ...
    @property
    def kept(self) -> int: ...
    @property
    def rounds_without_gain(self) -> int: ...
    @property
    def climbed(self) -> int: ...
    @property
    def needs_xges(self) -> bool: ...
    @property
    def counts(self) -> dict[str, int]: ...
    @property
    def capped_targets(self) -> tuple[int, ...]: ...
    @property
    def trace(
        self,
    ) -> (
        list[tuple[str, int, int, tuple[int, ...], tuple[int, ...], tuple[int, ...], float]] | None
    ): ...
    @property
    def has_jumped(self) -> bool: ...
    @property
    def is_dag(self) -> bool: ...
    @property
    def is_dense(self) -> bool: ...

class SearchOutcome:
    @property
    def adjacency(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None))]: ...
    @property
    def score(self) -> float: ...
    @property
    def bound(self) -> float: ...
    @property
    def trace(
        self,
    ) -> list[tuple[str, int, int, tuple[int, ...], tuple[int, ...], tuple[int, ...], float]]: ...
    @property
    def has_jumped(self) -> bool: ...
    @property
    def score_evaluations(self) -> int: ...
    @property
    def sweeps(self) -> int: ...
    @property
    def trials(self) -> int: ...
    @property
    def accepted_trials(self) -> int: ...
    @property
    def refinement(self) -> Refinement | None: ...
    @property
    def seconds(self) -> float: ...
    @property
    def stopped(self) -> str: ...
    @property
    def capped_targets(self) -> tuple[int, ...]: ...
    @property
    def capped_trials(self) -> int: ...
    @property
    def refused_singular(self) -> int: ...
    @property
    def cycles(self) -> int: ...

DEFAULT_CLIQUE_CAP: int = 64

DEFAULT_TRIAL_CAP: int = 4

MOST_EXACT: int = 25

MOST_EXACT_OWN_SCORE: int = 20

def search(
    score: Score,
    search: str,
    *,
    time_limit: float | None = None,
    clique_cap: int = 64,
    trial_cap: int = 4,
    keep_forbidden: bool = False,
    jobs: int = 1,
    progress: Callable[[float, float, int, int, int], object] | None = None,
    start: Annotated[
        NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ]
    | None = None,
    effort: float = 0.0,
    seed: int = 0,
    resume: Refinement | None = None,
    checkpoint: Callable[[Refinement], object] | None = None,
    knowledge: Knowledge | None = None,
) -> SearchOutcome:
    """
    Searches for the class that scores best, from the class `start` or the empty graph. "orders"
    and "exact-dag" search for the best DAG, from the DAG `start`.
    """

def valid_operators(
    matrix: Annotated[
        NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    kind: str,
) -> list[tuple[int, int, tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
    """All valid operators (x, y, T, E, F) of one kind."""

def apply(
    matrix: Annotated[
        NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    kind: str,
    x: int,
    y: int,
    T: Sequence[int],
) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None))]:
    """The CPDAG that a valid operator leads to."""

def kept_after(
    matrix: Annotated[
        NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    kind: str,
    x: int,
    y: int,
    T: Sequence[int],
) -> list[tuple[str, int, int, tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
    """
    The valid operators known after an operator was applied and the update table read.
    """

def gain(score: Score, kind: str, x: int, y: int, E: Sequence[int], F: Sequence[int]) -> float:
    """The gain of an operator."""

def least_dependences(
    correlation: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    precision: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    n: float,
    pairs: Sequence[tuple[int, int]],
    enough: Sequence[float],
) -> list[float]:
    """
    For each pair of columns, a bound from below on -n/2 log(1 - r²) given any other columns.
    """

class Posterior:
    @property
    def log_total(self) -> float: ...
    @property
    def log_prior_total(self) -> float: ...
    @property
    def edges(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...
    @property
    def paths(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...
    def sample(
        self, count: int, *, seed: int = 0, time_limit: float | None = None
    ) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None, None))]:
        """Draws DAGs, by matrices; fewer where the time limit runs out."""

MOST_POSTERIOR: int = 20

MOST_PAIRS_OF_SETS: int = 16

def posterior(
    score: Score,
    prior: str,
    *,
    max_parents: int | None = None,
    knowledge: Knowledge | None = None,
    jobs: int = 1,
    time_limit: float | None = None,
    progress: Callable[[float, float], object] | None = None,
) -> Posterior | None:
    """
    Computes probabilities of edges and of paths, over all DAGs; None where the time limit runs out.
    There are no probabilities where no DAG can be scored, and none of paths where there are too
    many columns.
    """

class TurnSearch:
    """Turns edges of a CPDAG, as `turned_classes` does."""

    def __init__(
        self,
        score: Score,
        matrix: Annotated[
            NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def find(
        self, edges: Sequence[tuple[int, int]], *, time_limit: float | None = None
    ) -> list[tuple[float, list[tuple[int, int, str, str]]] | None]:
        """
        What `turned_classes` returns for these edges. The first call sets up what all need.
        """

def turned_classes(
    score: Score,
    matrix: Annotated[
        NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    edges: Sequence[tuple[int, int]],
    *,
    exact: bool = False,
    time_limit: float | None = None,
    knowledge: Knowledge | None = None,
) -> list[tuple[float, list[tuple[int, int, str, str]]] | None]:
    """
    For each directed edge of a CPDAG, the best class found in which it is turned: what that adds
    to the score, and every edge that differs. None where nothing was found in time. With `exact`,
    for few nodes, the best of all.
    """

def open_margins(
    score: Score,
    dag: Annotated[
        NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    *,
    knowledge: Knowledge | None = None,
    arcs: Sequence[tuple[int, int]] = ...,
    least: float = 0.0,
    time_limit: float | None = None,
) -> tuple[
    Annotated[NDArray[numpy.uint8], dict(shape=(None, None))], list[tuple[int, int, float, bool]]
]:
    """
    The best member of the class of a DAG, of those that agree with knowledge and have the arcs; and
    for each edge that these leave undirected, as (tail, head, margin, is_proven), what the best
    member with the edge turned scores less. Margins are not looked at any closer once they are at
    most `least`.
    """

def removed_arcs(
    score: Score,
    dag: Annotated[
        NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    arcs: Sequence[tuple[int, int]],
) -> list[float]:
    """
    What removing each of some arcs of a DAG adds to the score; -inf where that cannot be measured.
    """

def turned_arcs(
    score: Score,
    dag: Annotated[
        NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    arcs: Sequence[tuple[int, int]],
    *,
    knowledge: Knowledge | None = None,
    time_limit: float | None = None,
) -> list[float | None]:
    """
    For each of some arcs of a DAG, what the best DAG found with it turned adds to the score; None
    where nothing was found in time.
    """

def best_operators(
    score: Score,
    matrix: Annotated[
        NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    kind: str,
    pairs: Sequence[tuple[int, int]],
    *,
    clique_cap: int = 64,
) -> list[tuple[str, int, int, tuple[int, ...], tuple[int, ...], tuple[int, ...], float] | None]:
    """
    For each pair of nodes of a CPDAG, the best valid operator of a kind, gain or loss.
    """
