"""Numbers as the results page words them."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from paper.sample import Floats, Sample, bootstrapped
from paper.style import in_order
from speed.report import table

SETTINGS = ("d", "rho", "n", "alpha", "noise_max", "negative", "seed")
"""What makes a data set and its score."""


def figure(value: float) -> str:
    """Write a number with two or three digits."""
    if math.isnan(value):
        return "–"
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 1 else f"{value:.2g}"


def power(n: float) -> str:
    """Write a number of rows as a power of ten, or as it is."""
    exponent = math.log10(n)
    if abs(exponent - round(exponent)) < 1e-9:
        digits = str(round(exponent)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
        return f"10{digits}"
    return f"{n:,}"


def mean_and_interval(sample: Sample, quantity: str) -> str:
    """Write a mean with its bootstrapped 95 % interval."""
    if not len(sample.ended().rows):
        return "–"
    low, high = sample.interval(quantity)
    return f"{figure(sample.mean(quantity))} [{figure(low)}, {figure(high)}]"


def places(sample: Sample) -> list[tuple[int, float]]:
    """Return the combinations of d and ρ that occur."""
    return sorted({(row["d"], row["rho"]) for row in sample.rows})


def paired(sample: Sample, first: str, second: str, quantity: str) -> Floats:
    """Differences, first method minus second, over the data sets that both have results for."""
    by_method = []
    for method in (first, second):
        rows = sample.where(method=method).ended()
        keys = [tuple(row[name] for name in SETTINGS) for row in rows.rows]
        one_by_one = (Sample((row,)).mean(quantity) for row in rows.rows)
        by_method.append(dict(zip(keys, one_by_one, strict=True)))
    ours, theirs = by_method
    return np.array([ours[key] - theirs[key] for key in sorted(ours.keys() & theirs.keys())])


def difference(values: Floats) -> str:
    """Write a mean difference with its interval."""
    low, high = bootstrapped(values)
    return f"{values.mean():+.1f} [{low:+.1f}, {high:+.1f}]"


def table_of_means(sample: Sample, quantity: str, along: Iterable[str]) -> list[str]:
    """A row a combination of settings, a column a method."""
    settings = tuple(along)
    methods = in_order(sample.levels("method"))
    places = sorted({tuple(row[name] for name in settings) for row in sample.rows})
    lines = []
    for place in places:
        part = sample.where(**dict(zip(settings, place, strict=True)))
        cells = [mean_and_interval(part.where(method=method), quantity) for method in methods]
        lines.append([", ".join(map(_setting, settings, place)), *cells])
    return table([", ".join(_SYMBOLS[name] for name in settings), *methods], lines)


_SYMBOLS = {"d": "d", "rho": "ρ", "n": "n", "alpha": "α", "noise_max": "ε_max"}


def _setting(name: str, value: float) -> str:
    return power(value) if name == "n" else f"{value:g}"
