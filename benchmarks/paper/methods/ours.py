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
    "XGES": {"search": "xges", "effort": 0},
}


SHORT, REPEATS = 0.1, 5
"""Searches of fewer seconds than this are timed so many times."""


def find(method: str, moments: Moments, alpha: float, limit: float) -> Found:
    """Run one of the searches; of a short one the fastest of several runs counts."""
    result = learn(moments, alpha=alpha, time_limit=limit, **METHODS[method])
    if result.stopped:
        raise too_slow(limit)
    seconds = result.timings["search"]
    for _ in range(REPEATS - 1 if seconds < SHORT else 0):
        again = learn(moments, alpha=alpha, **METHODS[method])
        seconds = min(seconds, again.timings["search"])
    return Found(result.cpdag, seconds, result.counts["score_evaluations"])
