"""How far the score of a result can still rise at most.

With few columns the best score of all is found. With more, there is a bound for Gaussian scores.
The log-likelihood L(W) of the complete graph over columns W is, up to constants, -n/2 log det of
their covariances, and a DAG in the order of its columns scores

    L(V) - Σ_y (n I(y; earlier columns that are no parents | parents) + penalties of y's parents)

with the mutual information I. Taking these columns one by one, each pair x, y that is not adjacent
costs n I(x; y | S) for some set S, and each that is adjacent costs the penalty of an edge. So no
DAG scores more than L(V) less the penalties of the columns themselves, less, for each pair, the
smaller of an edge's penalty and the least n I(x; y | S) of all S.
"""

from __future__ import annotations

import math
import time
from itertools import pairwise

import numpy as np

from greedag import _core
from greedag._options import EXACT
from greedag._progress import LOGGER, interruptible
from greedag.graph.cpdag import CPDAG
from greedag.result.result import Result, distance, engine_of, known_by
from greedag.scores.gaussian import ExtendedBIC, GaussianBIC
from greedag.scores.mixed import DegenerateGaussian
from greedag.statistics.levels import Levels
from greedag.statistics.mixed import MixedTable
from greedag.statistics.moments import Moments

# All sets of so many columns are scored within a second: from moments, by rows, or by the user.
_FEW_BY_MOMENTS = 20
_MOST_ROWS_OF_SETS = 5e7
_FEW = 12


def gap(result: Result) -> float:
    """Return by how much the score can rise at most; see :attr:`Result.gap`."""
    is_best = result._dag is not None or _is_equivalent(result)
    if result.search == EXACT and not result.stopped and is_best:
        return 0.0
    started = time.perf_counter()
    score = engine_of(result, "the gap")
    bound = _best(result, score) if result.cpdag.d <= _few(result) else _bound(result)
    LOGGER.info("bounded the score by %.10g in %.3f s", bound, time.perf_counter() - started)
    return distance(bound, result.score)


def _is_equivalent(result: Result) -> bool:
    """Whether all DAGs of a class score the same, so that no DAG exceeds the best class."""
    incomplete = isinstance(result.statistics, Levels) and bool(result.statistics.missing)
    return result.settings.get("score") != "custom" and not incomplete


def _few(result: Result) -> int:
    if isinstance(result.statistics, Moments):
        return _FEW_BY_MOMENTS
    if not isinstance(result.statistics, (Levels, MixedTable)):
        return _FEW
    by_rows = int(math.log2(_MOST_ROWS_OF_SETS / result.n))
    return min(max(_FEW, by_rows), _FEW_BY_MOMENTS)


def _best(result: Result, score: _core.Score) -> float:
    outcome = _core.search(score, EXACT, knowledge=known_by(result))
    if outcome.stopped:
        raise KeyboardInterrupt
    return outcome.bound


def _bound(result: Result) -> float:
    """Return a score that no graph exceeds, infinity if none is known."""
    objective, statistics = result.objective, result.statistics
    if isinstance(objective, (GaussianBIC, ExtendedBIC)) and isinstance(statistics, Moments):
        moments, starts = statistics, list(range(statistics.d + 1))
        extra = objective.extra(moments.d) if isinstance(objective, ExtendedBIC) else 0.0
    elif isinstance(objective, DegenerateGaussian) and isinstance(statistics, MixedTable):
        (moments, starts), extra = statistics.embedded(), 0.0
    else:
        return math.inf
    penalty = objective.alpha / 2.0 * math.log(moments.n)
    return _gaussian_bound(result.cpdag, moments, starts, penalty, penalty + extra)


def _gaussian_bound(
    cpdag: CPDAG, moments: Moments, starts: list[int], penalty: float, of_edge: float
) -> float:
    """Bound the scores of graphs whose node i stands for the columns from starts[i] on.

    `penalty` is that of a parameter of a node itself, `of_edge` that of one of an edge.
    """
    correlation = moments.correlation
    try:
        sign, log_det, precision = interruptible(
            "computing the gap", moments.d**3 // 1024, _inverted, correlation
        )
    except np.linalg.LinAlgError:
        return math.inf
    if sign <= 0 or precision.diagonal().min() <= 0 or precision.diagonal().max() > 1e11:
        return math.inf
    sizes = np.array([last - first for first, last in pairwise(starts)])
    total = -moments.n / 2.0 * (moments.d + float(moments.log_variances.sum()) + float(log_det))
    own = penalty * float((sizes * (sizes + 1) / 2).sum())
    pairs, enough = _adjacent(cpdag, starts, sizes, correlation, of_edge)
    of_pairs = _core.least_dependences(correlation, precision, moments.n, pairs, enough)
    return total - own - math.fsum(of_pairs)


def _inverted(correlation: np.ndarray) -> tuple[float, float, np.ndarray]:
    sign, log_det = np.linalg.slogdet(correlation)
    return sign, log_det, np.ascontiguousarray(np.linalg.inv(correlation))


def _adjacent(
    cpdag: CPDAG, starts: list[int], sizes: np.ndarray, correlation: np.ndarray, of_edge: float
) -> tuple[list[tuple[int, int]], list[float]]:
    """Return, for each edge, two columns of its nodes, and the penalty of the edge.

    The information of two nodes is at least that of any two of their columns. Pairs that are not
    adjacent may be left out of the sum: of these, the least information is next to nothing.
    """
    matrix = cpdag.to_matrix()
    pairs, enough = [], []
    for a, b in zip(*np.nonzero(np.triu(matrix | matrix.T)), strict=True):
        block = np.abs(correlation[starts[a] : starts[a + 1], starts[b] : starts[b + 1]])
        i, j = np.unravel_index(int(block.argmax()), block.shape)
        pairs.append((starts[a] + int(i), starts[b] + int(j)))
        enough.append(of_edge * float(sizes[a] * sizes[b]))
    return pairs, enough
