"""Normal scores by their definition, value by value."""

from __future__ import annotations

import statistics


def slow_normal_scores(values: list[float]) -> list[float]:
    """Return the normal quantile of each value's mean rank, NaN where it is missing."""
    present = [value for value in values if value == value]
    quantile = statistics.NormalDist().inv_cdf
    scores = []
    for value in values:
        below = sum(other < value for other in present)
        same = sum(other == value for other in present)
        ranks = range(below + 1, below + same + 1)
        share = statistics.fmean(ranks) / (len(present) + 1) if same else float("nan")
        scores.append(quantile(share) if same else share)
    return scores
