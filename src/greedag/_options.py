"""The options of a search, checked."""

from __future__ import annotations

import difflib
import math
import numbers
import os
from dataclasses import dataclass, fields
from typing import Any, Final, Literal

import numpy as np

from greedag import _core
from greedag.errors import OptionError, argument, only_python, quoted

SearchName = Literal["xges", "xges0", "ges", "ges-r", "ops", "fges", "orders", "exact"]
SEARCHES: tuple[SearchName, ...] = ("xges", "xges0", "ges", "ges-r", "ops", "fges")
# Not greedy: it leaves no trace, and takes few columns.
EXACT: Final = "exact"
# Among DAGs, not classes: for scores that tell the members of a class apart.
ORDERS: Final = "orders"
ALL_SEARCHES = (*SEARCHES, ORDERS, EXACT)
# What belongs to the search and not to the score, in the settings of a result.
SEARCH_OPTIONS = ("effort", "seed", "time_limit", "clique_cap", "hold_out")
# What was said about the table, there.
DATA_OPTIONS = ("kinds", "missing", "sample_weight", "drop", "transform", "na", "interventions")
RUN_OPTIONS = (*SEARCH_OPTIONS, *DATA_OPTIONS)
# So much never ends, and is still a number that a file can hold.
_ENDLESS = 1e300
# A larger one would make the penalty overflow, and no edge survives a far smaller one.
LARGEST_ALPHA = 1e300
_MOST_JOBS = 1024
_QUOTA = "/sys/fs/cgroup/cpu.max"


@dataclass(frozen=True, slots=True)
class DataOptions:
    """What a caller says about a table; checked against it when it is opened.

    See :func:`greedag.learn`.
    """

    kinds: Any = None
    missing: Any = "error"
    sample_weight: Any = None
    drop: Any = None
    transform: Any = None
    na: Any = None
    interventions: Any = None


AS_IT_IS = DataOptions()


@dataclass(frozen=True, slots=True)
class LearnOptions:
    """The options of `learn` beside the data, checked; the score's own are checked by it.

    See :func:`greedag.learn`. Once made, `effort`, `clique_cap` and `n_jobs` are numbers, whatever
    was left out, and a `time_limit` of infinity is none.
    """

    search: SearchName = "xges"
    score: Any = "auto"
    alpha: float | str | None = None
    table: DataOptions = AS_IT_IS
    knowledge: Any = None
    effort: Any = None
    seed: int = 0
    time_limit: float | None = None
    clique_cap: Any = None
    hold_out: float | None = None
    n_jobs: Any = None
    progress: Any = None
    checkpoint: Any = None

    def __post_init__(self) -> None:
        check_search(self.search)
        limit = checked_time_limit(self.time_limit)
        for name, value in (
            ("time_limit", limit),
            ("effort", checked_effort(self.effort, self.search, limit)),
            ("seed", checked_seed(self.seed)),
            ("clique_cap", checked_clique_cap(self.clique_cap)),
            ("hold_out", checked_hold_out(self.hold_out)),
            ("n_jobs", checked_n_jobs(self.n_jobs)),
        ):
            object.__setattr__(self, name, value)

    def settings(self) -> dict[str, Any]:
        """Return those that belong to the search, as results list them."""
        return {name: getattr(self, name) for name in SEARCH_OPTIONS}


def fields_by_name(record: Any) -> dict[str, Any]:
    """Return what a record of options holds, by name."""
    return {field.name: getattr(record, field.name) for field in fields(record)}


def as_real(value: object) -> float:
    """Return a real number as a float; NaN for anything else, booleans among it."""
    if not isinstance(value, numbers.Real) or isinstance(value, (bool, np.bool_)):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value == abs(value) else -math.inf


def check_search(search: str) -> None:
    """Raise unless there is a search of this name."""
    if isinstance(search, str) and search in ALL_SEARCHES:
        return
    near = difflib.get_close_matches(str(search).lower(), ALL_SEARCHES, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise OptionError(f"unknown search {search!r}{hint}; choose one of {', '.join(ALL_SEARCHES)}")


def checked_alpha(alpha: float) -> float:
    """Return the weight of the penalty, if it is in range."""
    number = as_real(alpha)
    if not 0.0 < number <= LARGEST_ALPHA:
        raise OptionError(f"alpha must be a number above 0, at most 1e300; got {quoted(alpha)}")
    return number


def checked_time_limit(time_limit: float | None) -> float | None:
    """Return a number of seconds, None for no limit."""
    if time_limit is None:
        return None
    seconds = as_real(time_limit)
    if not seconds >= 0.0:
        raise OptionError(
            argument("time_limit"),
            " must be a number of seconds, 0 or more",
            only_python(", or None"),
            f"; got {quoted(time_limit)}",
        )
    # No limit and an infinite one are the same; the engine knows the former only.
    return None if math.isinf(seconds) else seconds


def checked_effort(effort: float | None, search: str, time_limit: float | None) -> float:
    """Return how much work to spend on refining; for None 1 with XGES and orders, else 0.

    Raises
    ------
    OptionError
        If it is not a number from 0, or nothing would ever end it.
    """
    if effort is None:
        return 1.0 if search in ("xges", ORDERS) else 0.0
    number = as_real(effort)
    if not number >= 0.0:
        raise OptionError(
            argument("effort"),
            " must be a number, 0 or more",
            only_python(", or None"),
            f"; got {quoted(effort)}",
        )
    if number >= _ENDLESS and time_limit is None:
        raise OptionError(
            "an infinite effort never stops on its own; set a ", argument("time_limit")
        )
    if number > 0.0 and search == EXACT:
        raise OptionError("an exact search leaves nothing to refine; leave effort out")
    return min(number, _ENDLESS)


def checked_seed(seed: int) -> int:
    """Return the seed, if it is one."""
    whole = isinstance(seed, numbers.Integral) and not isinstance(seed, (bool, np.bool_))
    if not whole or not 0 <= seed < 2**64:
        raise OptionError(f"seed must be a whole number from 0 to 2^64 - 1; got {quoted(seed)}")
    return int(seed)


def checked_clique_cap(clique_cap: int | None) -> int:
    """Return the cap, the default for None."""
    if clique_cap is None:
        return _core.DEFAULT_CLIQUE_CAP
    whole = isinstance(clique_cap, numbers.Integral) and not isinstance(clique_cap, bool)
    if not whole or not 0 <= clique_cap < 2**31:
        raise OptionError(
            argument("clique_cap"),
            " must be a whole number from 0 (no cap) to 2147483647",
            only_python(", or None"),
            f"; got {clique_cap!r}",
        )
    return int(clique_cap)


def checked_hold_out(hold_out: float | None) -> float | None:
    """Return the share of rows to hold out, None for none."""
    if hold_out is None:
        return None
    share = as_real(hold_out)
    if not 0.0 < share < 1.0:
        raise OptionError(
            argument("hold_out"),
            " must be a share of the rows between 0 and 1, such as 0.5",
            only_python(", or None"),
            f"; got {quoted(hold_out)}",
        )
    return share


def checked_whole(name: str, value: int, *, least: int) -> int:
    """Return a whole number, if it is not too small."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise OptionError(f"{name} must be a whole number, {least} or more; got {quoted(value)}")
    return int(value)


def checked_flag(name: str, value: bool) -> bool:
    """Return True or False, if the value is one of them."""
    if not isinstance(value, (bool, np.bool_)):
        raise OptionError(f"{name} must be True or False; got {value!r}")
    return bool(value)


def checked_n_jobs(n_jobs: int | None) -> int:
    """Return a number of threads, from 1 for None and one per core for -1."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, numbers.Integral) and not isinstance(n_jobs, bool):
        if n_jobs == -1:
            return min(usable_cores(), _MOST_JOBS)
        if 1 <= n_jobs <= _MOST_JOBS:
            return int(n_jobs)
    raise OptionError(
        argument("n_jobs"),
        f" must be a number of threads from 1 to {_MOST_JOBS}, -1 for one per core",
        only_python(", or None"),
        f"; got {quoted(n_jobs)}",
    )


def usable_cores() -> int:
    """Return the number of processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    return max(1, min(cores, _cores_by_quota(_QUOTA)))


def _cores_by_quota(path: str) -> int:
    """Return the whole cores that a container may use, many if nothing limits it."""
    try:
        with open(path, encoding="ascii") as file:
            quota, period = file.read().split()
        return math.ceil(int(quota) / int(period))
    except (OSError, ValueError, ZeroDivisionError):
        return _MOST_JOBS
