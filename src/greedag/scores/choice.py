"""From what a caller says about the score to a score."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from greedag.data import opened
from greedag.errors import OptionError, quoted
from greedag.levels import Levels, holds_levels
from greedag.moments import Moments
from greedag.options import checked_alpha
from greedag.scores.base import Objective, Option
from greedag.scores.discrete import BDeu, DiscreteBIC
from greedag.scores.gaussian import GaussianBIC

SCORES: dict[str, Any] = {kind.name: kind for kind in (GaussianBIC, DiscreteBIC, BDeu)}


@dataclass(frozen=True, slots=True)
class Choice:
    """A score, and what to note about its choice."""

    objective: Objective
    notes: tuple[str, ...] = ()


def checked_score(score: object, alpha: float | None) -> Objective | None:
    """Return the score that a caller asks for, None if it depends on the data.

    Parameters
    ----------
    score : str or score
        ``"auto"``, a name, or a score with its options.
    alpha : float, optional
        Weight of the penalty, for names of scores that have one.

    Raises
    ------
    OptionError
        If there is no such score, or it has no alpha, or has its own.
    """
    weight = None if alpha is None else checked_alpha(alpha)
    if isinstance(score, str):
        return None if score == "auto" else _named(score, weight)
    if not all(hasattr(score, part) for part in ("name", "options", "count", "engine")):
        raise OptionError(
            f"score must be 'auto', one of {', '.join(SCORES)}, or an object of greedag.scores; "
            f"got {quoted(score)}"
        )
    if isinstance(score, type):
        raise OptionError(f"score must be an object, such as {score.__name__}(), not its class")
    if weight is not None:
        raise OptionError(
            f"alpha must be given to the score itself, as in {type(score).__name__}(alpha={alpha}),"
            f" not beside it; got {quoted(alpha)}"
        )
    return score  # type: ignore[return-value]


def chosen(data: Any, score: Objective | None, alpha: float | None) -> Choice:
    """Return the score to use, chosen by the kinds of the columns if the caller left it open."""
    if score is not None:
        return Choice(score)
    if _is_discrete(data):
        if alpha is not None:
            raise OptionError(
                "alpha must be left out: these columns are discrete, and BDeu has no alpha; pass "
                f"score='discrete-bic' for a BIC with one; got {quoted(alpha)}"
            )
        return Choice(BDeu(), ("scored by BDeu, because all columns are discrete",))
    return Choice(GaussianBIC() if alpha is None else GaussianBIC(alpha))


def restored(settings: Mapping[str, Option]) -> Objective | None:
    """Return the score that the settings of a result describe, None if they name no known one."""
    kind = SCORES.get(str(settings.get("score", GaussianBIC.name)))
    if kind is None:
        return None
    fields = kind.__dataclass_fields__
    objective: Objective = kind(**{name: settings[name] for name in fields if name in settings})
    return objective


def _named(name: str, alpha: float | None) -> Objective:
    kind = SCORES.get(name)
    if kind is None:
        near = difflib.get_close_matches(name.lower(), [*SCORES, "auto"], n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise OptionError(
            f"unknown score {quoted(name)}{hint}; choose one of auto, {', '.join(SCORES)}"
        )
    if alpha is None:
        objective: Objective = kind()
    elif "alpha" in kind.__dataclass_fields__:
        objective = kind(alpha=alpha)
    else:
        raise OptionError(f"alpha must be left out: {name} has none; got {quoted(alpha)}")
    return objective


def _is_discrete(data: Any) -> bool:
    if isinstance(data, Levels):
        return True
    if isinstance(data, Moments):
        return False
    source = opened(data)
    if isinstance(source, np.ndarray):
        columns = [source] if source.dtype.kind != "O" else list(source.T)
        return bool(columns) and all(holds_levels(column) for column in columns)
    return all(holds_levels(series) for series in source.iter_columns())
