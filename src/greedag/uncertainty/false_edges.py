"""How many false edges to expect among those that many halves of the rows agree on.

Shah & Samworth ("Variable selection with error control: another look at stability selection",
JRSS B 2013). Let q be the mean number of pairs that a half finds adjacent, p the number of all
pairs, and θ = q/p. The bounds are on the expected number of pairs that are found in a share τ of
the halves or more, although a half finds them with probability at most θ: no better than chance.

Theirs of an r-concave law would be about four times lower. Searches do not bear it out: on a tenth
of simulated tables there are more false edges (``benchmarks/stability/bound.py``), for some
false edges are found by most halves.
"""

from __future__ import annotations

import math


def expected_false(q: float, p: int, threshold: float, pairs: int) -> float:
    """Return the least of the bounds on the expected number of false edges.

    Parameters
    ----------
    q : float
        Mean number of edges that a half finds.
    p : int
        Number of pairs of columns.
    threshold : float
        Share of the halves, above 1/2 and at most 1.
    pairs : int
        Number of pairs of halves.

    Returns
    -------
    float
        At most p.
    """
    theta = q / p if p else 0.0
    halves = 2 * pairs
    share = math.ceil(threshold * halves - 1e-9) / halves
    bounds = [p * 1.0, q / share, theta * q / (2.0 * share - 1.0)]
    if _is_in_range(theta, share, pairs):
        bounds.append(_unimodal(share, pairs) * theta * q)
    return min(bounds)


def _is_in_range(theta: float, share: float, pairs: int) -> bool:
    """Return whether the bound for unimodal laws holds at this share."""
    least = min(0.5 + theta**2, 0.5 + 0.5 / pairs + 0.75 * theta**2)
    return theta <= 1.0 / math.sqrt(3.0) and share > least and share >= 0.5 + 1.0 / pairs


def _unimodal(share: float, pairs: int) -> float:
    """Return the factor of θq if the share of pairs in which both halves agree is unimodal."""
    if share <= 0.75:
        return 0.5 / (2.0 * share - 1.0 - 0.5 / pairs)
    return 4.0 * (1.0 - share + 0.5 / pairs) / (1.0 + 1.0 / pairs)
