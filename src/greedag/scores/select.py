"""From what a caller says about the score to a score."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import ArrayLike

from greedag._options import checked_alpha
from greedag.data.kinds import Kind, Kinds, check_kinds, kinds_of
from greedag.data.rows import chosen_rows
from greedag.data.table import Floats, is_distributed, opened
from greedag.data.weights import check_scaled
from greedag.errors import DataTypeError, OptionError, check_size, listed, option, quoted
from greedag.scores.base import Counted, Objective, Option
from greedag.scores.bge import BGe
from greedag.scores.custom import Columns, Custom, is_custom
from greedag.scores.discrete import BDeu, DiscreteBIC
from greedag.scores.extended import ExtendedBIC
from greedag.scores.gaussian import GaussianBIC
from greedag.scores.mixed import ConditionalGaussian, DegenerateGaussian
from greedag.statistics.levels import Levels
from greedag.statistics.mixed import MixedTable
from greedag.statistics.moments import Moments

_CONTINUOUS = (GaussianBIC, ExtendedBIC, BGe)
_DISCRETE = (DiscreteBIC, BDeu)
_MIXED = (DegenerateGaussian, ConditionalGaussian)
SCORES: dict[str, Any] = {kind.name: kind for kind in (*_CONTINUOUS, *_DISCRETE, *_MIXED)}
_STATISTICS = (Moments, Levels, MixedTable)


@dataclass(frozen=True, slots=True)
class Choice:
    """A score, and what to note about its choice."""

    objective: Objective
    notes: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] | None = None
    """Of the columns, if they were looked at and differ."""


def checked_score(score: object, alpha: float | None) -> Objective | None:
    """Return the score that a caller asks for, None if it depends on the data.

    Parameters
    ----------
    score : str or score
        ``"auto"``, a name, a score with its options, or an object with ``local_score``.
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
    if is_custom(score):
        if weight is not None:
            raise OptionError(f"alpha must be left out: the score is your own; got {alpha}")
        return Custom(score)
    if not all(hasattr(score, part) for part in ("name", "options", "count", "engine")):
        raise OptionError(
            f"score must be 'auto', one of {', '.join(SCORES)}, an object of greedag.scores, or "
            f"one with a method local_score(y, parents); got {quoted(score)}"
        )
    if isinstance(score, type):
        raise OptionError(f"score must be an object, such as {score.__name__}(), not its class")
    if weight is not None:
        raise OptionError(
            f"alpha must be given to the score itself, as in {type(score).__name__}(alpha={alpha}),"
            f" not beside it; got {quoted(alpha)}"
        )
    return score  # type: ignore[return-value]


def counted(
    data: Any,
    score: Objective | None,
    alpha: float | None = None,
    kinds: Kinds | None = None,
    *,
    missing: str = "error",
    weights: ArrayLike | None = None,
    is_batch: bool = False,
) -> tuple[Objective, Counted]:
    """Return the score to use, chosen by the kinds of the columns if it is None, and what it needs.

    Parameters
    ----------
    data : table, array_like of shape (n, d), or what was counted of one
    score : score or None
        What :func:`checked_score` returns.
    alpha, kinds, missing, weights
        As `learn` is given them; the weights are its ``sample_weight``.
    is_batch : bool
        Whether the rows are added to earlier ones, so that one is enough.

    Raises
    ------
    OptionError
        If `kinds` says something of a column that the score does not take it for.
    DataTypeError
        If the data are counted already, and not as the score needs them.
    """
    is_read = isinstance(data, (*_STATISTICS, Columns)) or is_distributed(data)
    rows = chosen_rows(data if is_read else opened(data), weights=weights, missing=missing)
    with rows.numbered():
        choice = _chosen(rows.source, score, alpha, kinds)
        if not (is_read or is_batch):
            _check_some(rows.source, choice.objective)
            check_scaled(rows.weights, least=least_size(choice.objective)[0])
        counts = _counted(rows.source, choice, kinds, weights=rows.weights, missing=missing)
    notes = (*choice.notes, *rows.notes, *counts.notes)
    return choice.objective, replace(counts, notes=notes)


def least_size(objective: Objective) -> tuple[int, int]:
    """Return the fewest rows and columns that a score takes."""
    if isinstance(objective, (GaussianBIC, ExtendedBIC, *_MIXED)):
        return 3, 2
    return (2, 1) if isinstance(objective, (BGe, *_DISCRETE)) else (1, 1)


def _check_some(source: Any, objective: Objective) -> None:
    """Raise if there are no rows or no columns, and say how many a score takes."""
    if len(source.shape) == 2 and 0 in source.shape:
        least_n, least_d = least_size(objective)
        check_size(*source.shape, least_n=least_n, least_d=least_d)


def _chosen(data: Any, score: Objective | None, alpha: float | None, kinds: Kinds | None) -> Choice:
    """Return the score to use, chosen by the kinds of the columns if the caller left it open."""
    if score is not None:
        return Choice(score)
    found = _kinds_of(data, kinds)
    is_mixed = isinstance(data, MixedTable)
    if set(found) == {"discrete"} and not is_mixed:
        if alpha is not None:
            raise OptionError(
                "alpha must be left out: these columns are discrete, and BDeu has no alpha; pass ",
                option("score", "discrete-bic"),
                f" for a BIC with one; got {quoted(alpha)}",
            )
        return Choice(BDeu(), ("scored by BDeu, because all columns are discrete",))
    if "discrete" in found or is_mixed:
        why = "the data are a MixedTable" if is_mixed else "some columns are discrete"
        return Choice(
            DegenerateGaussian() if alpha is None else DegenerateGaussian(alpha),
            (f"scored by the degenerate Gaussian, because {why}",),
            found,
        )
    return Choice(GaussianBIC() if alpha is None else GaussianBIC(alpha))


def _counted(
    data: Any, choice: Choice, kinds: Kinds | None, *, weights: Floats | None, missing: str
) -> Counted:
    """Return what a score needs of a table, whose columns are of certain kinds."""
    objective = choice.objective
    _check_statistics(data, objective)
    if isinstance(objective, _MIXED):
        told = choice.kinds or _told(data, kinds)
        return objective.count(data, kinds=told, weights=weights, missing=missing)
    if kinds is not None:
        _check_kinds(data, objective, kinds)
    return objective.count(data, weights=weights, missing=missing)


def _check_statistics(data: Any, objective: Objective) -> None:
    """Raise if what was counted of a table is not what a score needs."""
    if not isinstance(data, _STATISTICS):
        return
    for scores, needed in ((_CONTINUOUS, Moments), (_DISCRETE, Levels), (_MIXED, MixedTable)):
        if isinstance(objective, scores) and not isinstance(data, needed):
            raise DataTypeError(
                f"{objective.name} needs a table or {needed.__name__}, and got "
                f"{type(data).__name__}; pass the table itself or {needed.__name__}.from_data("
                "table), or leave the score out"
            )


def _check_kinds(data: Any, objective: Objective, kinds: Kinds) -> None:
    """Raise if a score takes columns for something else than the caller does."""
    if isinstance(objective, Custom):
        raise OptionError(
            "kinds must be left out: a score of your own knows what its columns hold; "
            f"got {quoted(kinds)}"
        )
    check_kinds(_looked_at(data), _told(data, kinds))
    needed = "discrete" if isinstance(objective, _DISCRETE) else "continuous"
    said = {"all columns": kinds} if isinstance(kinds, str) else kinds
    odd = [name for name, kind in said.items() if kind != needed]
    if odd and isinstance(objective, (*_CONTINUOUS, *_DISCRETE)):
        raise OptionError(
            f"kinds must not say otherwise of {listed(odd)}: {objective.name} takes every column "
            f"as {needed}; leave kinds out, or choose another score"
        )


def _kinds_of(data: Any, kinds: Kinds | None) -> tuple[Kind, ...]:
    """Return the kinds of the columns of a table, or of what was counted of one."""
    told = _told(data, kinds)
    if isinstance(data, MixedTable):
        return data.kinds
    if isinstance(data, Moments):
        return ("continuous",)
    if isinstance(data, Levels):
        return ("discrete",)
    return kinds_of(_looked_at(data), told)


def _looked_at(data: Any) -> Any:
    """Return the table that shows names and types of the columns."""
    if not is_distributed(data):
        return data
    from greedag.statistics.dask import sample

    return sample(data)


def _told(data: Any, kinds: Kinds | None) -> Kinds | None:
    if kinds is not None and isinstance(data, _STATISTICS):
        raise OptionError(
            f"kinds must be left out: {type(data).__name__} knows the kinds of its columns; "
            f"got {quoted(kinds)}"
        )
    return kinds


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
