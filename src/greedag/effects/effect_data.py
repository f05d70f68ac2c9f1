"""The data that effects are estimated from, and by what they are fitted."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from greedag._options import DataOptions
from greedag.effects.counts import CountedFits
from greedag.effects.linear import LinearFits
from greedag.errors import DataError, OptionError, option, quoted
from greedag.result.result import Result, data_of, no_data
from greedag.result.serialization import as_recorded
from greedag.scores.mixed import ConditionalGaussian
from greedag.scores.select import prepare
from greedag.statistics.basis import BasisMoments
from greedag.statistics.environments import Environments
from greedag.statistics.fingerprint import difference
from greedag.statistics.levels import Levels
from greedag.statistics.mixed import MixedTable
from greedag.statistics.moments import Moments

_PURPOSE = "estimating effects"


def statistics_of(result: Result, data: Any) -> tuple[Any, bool]:
    """Return the statistics to estimate from, and whether these are other rows than the graph's.

    Rows in which nothing was set, where rows come from experiments.
    """
    if data is None:
        is_held_out = result.held_out is not None
        statistics: Any = result.held_out if is_held_out else result.statistics
        if statistics is None:
            raise no_data(result, _PURPOSE)
    else:
        statistics = _counted(result, data)
        is_held_out = not _is_known(result, statistics)
    if isinstance(statistics, Environments):
        statistics = _observed(statistics)
    if statistics.names != result.cpdag.names:
        raise DataError("the data have other columns than the result", code="other-columns")
    return statistics, is_held_out


def _is_known(result: Result, statistics: Any) -> bool:
    """Return whether the graph was learned from these rows."""
    known, given = data_of(result), statistics.fingerprint()
    return known is not None and given is not None and not difference(known, given)


def _counted(result: Result, data: Any) -> Any:
    score = getattr(result.objective, "by_column", None) or result.objective
    if score is None:
        raise no_data(result, _PURPOSE)
    table, about = as_recorded(result, data, DataOptions(missing=None))
    found, prepared = prepare(table, score, None, replace(about, interventions=None))
    if result.settings.get("hold_out") is None:
        return prepared.statistics
    # The table of the search holds rows that chose the graph, which do not count here.
    from greedag.scores.hold_out import not_learned_from

    return not_learned_from(found, prepared, result.settings, data_of(result)).statistics


def _observed(statistics: Environments) -> Any:
    for targets, counted in zip(statistics.targets, statistics.counted, strict=True):
        if not targets:
            return counted
    raise DataError(
        f"{_PURPOSE} needs rows in which nothing was set, and there are none",
        remedy="pass such rows as data",
        code="no-effects",
    )


def fits_of(result: Result, statistics: Any, of: Hashable | None = None) -> Any:
    """Return by what effects are fitted to statistics; `of` is a level of the outcome."""
    if isinstance(statistics, Levels):
        return CountedFits(statistics, of)
    if of is not None:
        raise OptionError(f"of is a level of a discrete column; got {quoted(of)}")
    if isinstance(statistics, Moments):
        return LinearFits(statistics, statistics.names)
    if isinstance(statistics, MixedTable) and not isinstance(result.objective, ConditionalGaussian):
        moments, starts = statistics.embedded()
        discrete = [i for i, kind in enumerate(statistics.kinds) if kind == "discrete"]
        labels = dict(zip(discrete, statistics.labels, strict=True))
        return LinearFits(moments, statistics.names, starts, labels)
    raise _refusal(result, statistics)


def _refusal(result: Result, statistics: Any) -> DataError:
    score = result.settings.get("score")
    if isinstance(statistics, BasisMoments):
        return DataError(
            f"{_PURPOSE} takes effects to be linear, and this result has curves; "
            "result.curve(x, y) is the direct effect of a parent",
            remedy=("for linear effects, learn with ", option("score", "gaussian-bic")),
            code="no-effects",
        )
    return DataError(
        f"{_PURPOSE} needs moments or counts; this result was scored by {score}",
        remedy=("learn with ", option("score", "degenerate-gaussian")),
        code="no-effects",
    )
