"""What it takes to repeat a result: settings, versions, a fingerprint of the data, code."""

from __future__ import annotations

import hashlib
import json
import platform
from datetime import datetime
from typing import Any

import numpy as np

from greedag.fingerprint import fingerprint_of
from greedag.moments import Moments
from greedag.report.numbers import amount
from greedag.result import Result


def settings_part(result: Result, when: datetime, version: str) -> dict[str, Any]:
    """Return the values of the section on settings."""
    given = result.settings
    limit = given.get("time_limit")
    rows = [
        ("Search", result.search),
        ("Penalty α", f"{given['alpha']:g}"),
        ("Time limit", "none" if limit is None else f"{limit:g} s"),
        ("Clique cap", str(given.get("clique_cap"))),
        ("Ended", f"stopped: {result.stopped}" if result.stopped else "by itself"),
        ("Score evaluations", f"{result.counts.get('score_evaluations', 0):,}"),
        ("Reading and counting", f"{amount(result.timings['moments'], 2)} s"),
        ("Searching", f"{amount(result.timings['search'], 2)} s"),
        ("Fingerprint of the data", fingerprint(result.moments) if result.moments else "not known"),
        ("greedag", version),
        ("Python, NumPy", f"{platform.python_version()}, {np.__version__}"),
        ("Report written", f"{when:%Y-%m-%d %H:%M} UTC"),
    ]
    return {"settings": rows, "python": _python(result), "shell": _shell(result)}


def fingerprint(moments: Moments) -> str:
    """Return a hash by which a reader can tell whether two reports are about the same data.

    Numbers are rounded first: counted in another order of rows, or by another BLAS, they differ
    in their last digits, which changes the hash only by rare chance.
    """
    known = fingerprint_of(moments)
    hashed = hashlib.sha256(json.dumps([known.n, *known.names]).encode("ascii"))
    for part in (known.log_variances, known.mixtures):
        # Adding 0 makes 0 of -0.
        hashed.update((np.round(part, 6) + 0.0).astype("<f8").tobytes())
    return hashed.hexdigest()


def _python(result: Result) -> str:
    options = [f"search={result.search!r}", *(f"{k}={v!r}" for k, v in _given(result))]
    return (
        "import greedag\n\n"
        f"result = greedag.learn(table, {', '.join(options)})\n"
        'result.report("report.html")'
    )


def _shell(result: Result) -> str:
    options = [f"--search {result.search}"]
    options += [f"--{k.replace('_', '-')} {v!r}" for k, v in _given(result)]
    return f"greedag learn table.csv {' '.join(options)} --report report.html"


def _given(result: Result) -> list[tuple[str, float]]:
    return [(name, value) for name, value in result.settings.items() if value is not None]
