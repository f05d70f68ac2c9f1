"""Columns that are far from normal, and how to transform them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from greedag.data.source import Floats
from greedag.data.transforms import normal_scores
from greedag.statistics.inspection.draft import Draft, with_counts
from greedag.statistics.inspection.profile import Profile
from greedag.statistics.inspection.tables import complete_rows
from greedag.statistics.shapes import MOST_KURTOSIS, MOST_SKEWNESS, shapes_of, unusual_shapes

_NEARLY_SYMMETRIC = 1.0
# Deviations from the median, in units that are standard deviations of normal columns.
_OUTLYING = 10.0
_LEAST_ROWS = 20
# Part of the rows that may be outliers; more are a tail.
_FEW = 0.005


def look_at_shapes(draft: Draft) -> None:
    """Find skewed columns, heavy tails and outliers among continuous columns."""
    rows = complete_rows(draft) if draft.missing == "drop" else None
    looked = [p for p in draft.continuous() if not draft.given.transforms(p.name)]
    columns = {p.name: _present(p, rows) for p in looked if p.distinct > 2}
    columns = {name: x for name, x in columns.items() if len(x) >= _LEAST_ROWS and np.ptp(x) > 0}
    if not columns:
        return
    far = {name: _outlying(x) for name, x in columns.items()}
    shapes = {name: shapes_of(x[np.newaxis])[:, 0] for name, x in columns.items()}
    unusual = _unusual(columns)
    # Without a few outliers, the rest of a column may be as usual.
    rest = {name: columns[name][~far[name]] for name in unusual if far[name].any()}
    mended = {name for name in rest if name not in _unusual(rest)}
    found = {
        what: {n: columns[n] for n, is_so in unusual.items() if is_so == what and n not in mended}
        for what in ("skewed", "heavy")
    }
    _skewed(draft, found["skewed"], shapes)
    _heavy(draft, found["heavy"], shapes)
    outlying = {n: columns[n][far[n]] for n in columns if far[n].any()}
    _outliers(draft, {n: x for n, x in outlying.items() if n not in unusual or n in mended})


def _unusual(columns: dict[str, Floats]) -> dict[str, str]:
    """Return which columns are skewed, and which have heavy tails."""
    if not columns:
        return {}
    shapes = np.stack([shapes_of(x[np.newaxis])[:, 0] for x in columns.values()], axis=1)
    skewed, heavy = unusual_shapes(shapes, min(map(len, columns.values())))
    words = np.where(skewed, "skewed", np.where(heavy, "heavy", "")).tolist()
    return {name: word for name, word in zip(columns, words, strict=True) if word}


def _present(profile: Profile, rows: NDArray[np.bool_] | None) -> Floats:
    numbers = profile.numbers if rows is None else profile.numbers[rows]
    return numbers[~np.isnan(numbers)] if profile.n_missing else numbers


def _outlying(values: Floats) -> NDArray[np.bool_]:
    """Return which values are far from nearly all others; none if they are more than a few."""
    low, middle, high = np.partition(values, _quarters(len(values)))[_quarters(len(values))]
    limit = _OUTLYING * (high - low) / 1.349
    far: NDArray[np.bool_] = np.abs(values - middle) > limit
    return far if limit > 0.0 and far.sum() <= max(2, _FEW * len(values)) else np.zeros_like(far)


def _quarters(n: int) -> list[int]:
    return [n // 4, n // 2, n - 1 - n // 4]


def _skewed(draft: Draft, found: dict[str, Floats], shapes: dict[str, Floats]) -> None:
    if not found:
        return
    words = {name: word for name, x in found.items() if (word := transform_for(x))}
    draft.transform.update(words)
    draft.add(
        "skewed",
        "warning",
        list(found),
        with_counts([(name, f"skewness {shapes[name][0]:.3g}") for name in found]),
        why="scores for normal columns miss non-linear effects and may reverse edges",
        remedy="transform such columns to logarithms or normal scores (transform)",
        fix={"transform": words} if words else None,
    )


def _heavy(draft: Draft, found: dict[str, Floats], shapes: dict[str, Floats]) -> None:
    if not found:
        return
    words = {name: "normal-scores" for name, x in found.items() if _helps(normal_scores(x))}
    draft.transform.update(words)
    draft.add(
        "heavy-tails",
        "warning",
        list(found),
        with_counts([(name, f"kurtosis {shapes[name][1]:.3g}, 3 if normal") for name in found]),
        why="a few extreme rows determine all covariances",
        remedy="check for outliers, or use normal scores (transform)",
        fix={"transform": words} if words else None,
    )


def transform_for(values: Floats) -> str:
    """Return the transformation that makes a skewed column nearly symmetric, "" if none does."""
    low = values.min()
    if low > 0.0 and _helps(np.log(values), _NEARLY_SYMMETRIC):
        return "log"
    if low >= 0.0 and _helps(np.log1p(values), _NEARLY_SYMMETRIC):
        return "log1p"
    return "normal-scores" if _helps(normal_scores(values)) else ""


def _helps(values: Floats, most: float = MOST_SKEWNESS) -> bool:
    skewness, kurtosis = shapes_of(values[np.newaxis])[:, 0]
    return bool(abs(skewness) < most and kurtosis < MOST_KURTOSIS)


def _outliers(draft: Draft, found: dict[str, Floats]) -> None:
    if not found:
        return
    words = dict.fromkeys(found, "normal-scores")
    draft.transform.update(words)
    draft.add(
        "outliers",
        "warning",
        list(found),
        with_counts(
            [(name, f"{len(x)}, such as {x[np.abs(x).argmax()]:g}") for name, x in found.items()]
        ),
        why="a value far from all others can create or hide an edge",
        remedy="check these values; correct errors, or use normal scores (transform)",
        fix={"transform": words},
    )
