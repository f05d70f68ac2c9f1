"""The searches of this package; each is `greedag.learn` with the options that stand here."""

from __future__ import annotations

from typing import Any

from greedag import Moments, learn
from paper.methods.base import Found, too_slow

METHODS: dict[str, dict[str, Any]] = {
    "GES": {"search": "ges"},
    "GES-r": {"search": "ges-r"},
    "OPS": {"search": "ops"},
    "fGES": {"search": "fges"},
    "XGES-0": {"search": "xges0"},
    "XGES": {"search": "xges"},
}


def find(method: str, moments: Moments, alpha: float, limit: float) -> Found:
    """Run one of the searches."""
    result = learn(moments, alpha=alpha, time_limit=limit, **METHODS[method])
    if result.stopped:
        raise too_slow(limit)
    return Found(result.cpdag, result.timings["search"], result.counts["score_evaluations"])
