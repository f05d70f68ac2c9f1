"""What every method returns, and why one may return nothing."""

from __future__ import annotations

from dataclasses import dataclass

from greedag import CPDAG


@dataclass(frozen=True, slots=True)
class Found:
    """The class that a method found.

    Attributes
    ----------
    cpdag : CPDAG
    seconds : float
        Of the search alone for ours, which get moments; of the whole call for peers, which get
        rows.
    evaluations : int or None
        How many gains were looked at, where a method tells.
    """

    cpdag: CPDAG
    seconds: float
    evaluations: int | None = None


class NothingFound(Exception):
    """A method has no class to show; `status` says why in a word, the message in more."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


def absent(message: str) -> NothingFound:
    """Say that a program is not installed."""
    return NothingFound("absent", message)


def failed(message: str) -> NothingFound:
    """Say that a program ended without a class."""
    return NothingFound("failed", message)


def too_slow(seconds: float) -> NothingFound:
    """Say that a program took longer than it may."""
    return NothingFound("time limit", f"took more than {seconds:g} s")
