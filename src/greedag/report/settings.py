"""What it takes to repeat a result: settings, versions, a fingerprint of the data, code."""

from __future__ import annotations

import hashlib
import json
import platform
import shlex
from datetime import datetime
from typing import Any

import numpy as np

from greedag._options import SEARCH_OPTIONS
from greedag.report.numbers import amount
from greedag.result.result import Result
from greedag.result.serialization import data_of


def settings_part(result: Result, when: datetime, version: str) -> dict[str, Any]:
    """Return the values of the section on settings."""
    given = result.settings
    limit = given.get("time_limit")
    rows = [
        ("Search", result.search),
        *_score_rows(result),
        ("Effort, seed", f"{given.get('effort', 0.0):g}, {given.get('seed', 0)}"),
        ("Time limit", "none" if limit is None else f"{limit} s"),
        ("Clique cap", str(given.get("clique_cap"))),
        ("Ended", f"stopped: {result.stopped}" if result.stopped else "by itself"),
        ("Score evaluations", f"{result.counts.get('score_evaluations', 0):,}"),
        ("Reading and counting", _seconds(result, "moments")),
        ("Searching", _seconds(result, "search")),
        ("Fingerprint of the data", fingerprint(result)),
        ("greedag", version),
        ("Python, NumPy", f"{platform.python_version()}, {np.__version__}"),
        ("Report written", f"{when:%Y-%m-%d %H:%M} UTC"),
    ]
    return {"settings": rows, "python": _python(result), "shell": _shell(result)}


def _seconds(result: Result, what: str) -> str:
    spent = result.timings.get(what)
    return "not known" if spent is None else f"{amount(spent, 2)} s"


def is_gaussian(result: Result) -> bool:
    """Whether the score is the Gaussian BIC, as in files from before there were others."""
    return result.settings.get("score", "gaussian-bic") == "gaussian-bic"


def score_in_words(result: Result) -> str:
    """Say what the score is."""
    options = ", ".join(f"{name} = {value}" for name, value in _options(result))
    words = _IN_WORDS.get(str(result.settings.get("score", "gaussian-bic")))
    here = (
        f" (here {options.replace('alpha', 'α').replace('gamma', 'γ').replace('_', ' ')})"
        if options
        else ""
    )
    return f"{words or result.settings.get('score')}{here}"


_IN_WORDS = {
    "gaussian-bic": "The Gaussian BIC: how well linear equations with these edges fit, minus "
    "α/2 · log(rows) for each parameter",
    "extended-bic": "The extended BIC: the Gaussian BIC minus 2 · γ · log(columns) for each edge",
    "bge": "BGe: the logarithm of the probability of the data under these edges, given a "
    "normal-Wishart prior",
    "degenerate-gaussian": "The degenerate Gaussian: a Gaussian BIC in which every level of a "
    "discrete column but one is a column of zeros and ones",
    "conditional-gaussian": "The conditional Gaussian BIC: how well linear equations fit for each "
    "combination of levels, and tables of probabilities for the levels, minus α/2 · log(rows) for "
    "each parameter",
    "discrete-bic": "The discrete BIC: how well tables of probabilities with these edges fit, "
    "minus α/2 · log(rows) for each probability",
    "bdeu": "BDeu: the logarithm of the probability of the data under these edges, all tables of "
    "probabilities taken for equally likely",
}


def _options(result: Result) -> list[tuple[str, str]]:
    return [
        (name, f"{value:g}" if isinstance(value, (int, float)) else str(value))
        for name, value in result.settings.items()
        if name not in ("score", *SEARCH_OPTIONS)
    ]


def _score_rows(result: Result) -> list[tuple[str, str]]:
    if is_gaussian(result):
        return [("Penalty α", value) for _, value in _options(result)]
    named = [(name.replace("_", " ").capitalize(), value) for name, value in _options(result)]
    return [("Score", str(result.settings["score"])), *named]


def fingerprint(result: Result) -> str:
    """Return a hash by which a reader can tell whether two reports are about the same data.

    Numbers are rounded first: counted in another order of rows, or by another BLAS, they differ
    in their last digits, which changes the hash only by rare chance.
    """
    known = data_of(result)
    if known is None:
        return "not known"
    hashed = hashlib.sha256(json.dumps([known.n, *known.names]).encode("ascii"))
    for part in (known.log_variances, known.mixtures):
        # Adding 0 makes 0 of -0.
        hashed.update((np.round(part, 6) + 0.0).astype("<f8").tobytes())
    return hashed.hexdigest()


def _python(result: Result) -> str:
    options = [f"search={result.search!r}", *(f"{k}={v!r}" for k, v in _given(result))]
    if not is_gaussian(result) and result.objective is not None:
        options.append(f"score=greedag.scores.{result.objective!r}")
    return (
        "import greedag\n\n"
        f"result = greedag.learn(table, {', '.join(options)})\n"
        'result.report("report.html")'
    )


def _shell(result: Result) -> str:
    words = ["greedag", "learn", "table.csv", "--search", result.search]
    if not is_gaussian(result):
        words += ["--score", str(result.settings["score"])]
    for name, value in _given(result):
        words += [f"--{name.replace('_', '-')}", repr(value)]
    # Quoted, because a result may come from a file that someone else wrote.
    return shlex.join([*words, "--report", "report.html"])


def _given(result: Result) -> list[tuple[str, object]]:
    """Return the options to be passed again; those of a score other than the default's inside."""
    names = ("alpha", *SEARCH_OPTIONS) if is_gaussian(result) else SEARCH_OPTIONS
    told = ((name, result.settings.get(name)) for name in names)
    return [(name, value) for name, value in told if value is not None]
