"""Columns that are far from normal, and how to transform them."""

from __future__ import annotations

import numpy as np

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


def look_at_shapes(draft: Draft) -> None:
    """Find skewed columns, heavy tails and outliers among continuous columns."""
    rows = complete_rows(draft) if draft.missing == "drop" else None
    looked = [p for p in draft.continuous() if p.distinct > 2]
    columns = {p.name: _present(p, rows) for p in looked}
    columns = {name: x for name, x in columns.items() if len(x) >= _LEAST_ROWS and np.ptp(x) > 0}
    if not columns:
        return
    shapes = np.stack([shapes_of(x[np.newaxis])[:, 0] for x in columns.values()], axis=1)
    fewest = min(map(len, columns.values()))
    skewed, heavy = unusual_shapes(shapes, fewest)
    names = list(columns)
    by_name = dict(zip(names, shapes.T.tolist(), strict=True))
    _skewed(
        draft, {n: columns[n] for n, is_so in zip(names, skewed, strict=True) if is_so}, by_name
    )
    _heavy(draft, {n: columns[n] for n, is_so in zip(names, heavy, strict=True) if is_so}, by_name)
    usual = ~(skewed | heavy)
    _outliers(draft, [p for p, is_so in zip(_of(looked, names), usual, strict=True) if is_so])


def _of(profiles: list[Profile], names: list[str]) -> list[Profile]:
    return [p for p in profiles if p.name in names]


def _present(profile: Profile, rows: np.ndarray | None) -> Floats:
    numbers = profile.numbers if rows is None else profile.numbers[rows]
    return numbers[~np.isnan(numbers)]


def _skewed(draft: Draft, found: dict[str, Floats], shapes: dict[str, list[float]]) -> None:
    if not found:
        return
    words = {name: word for name, x in found.items() if (word := transform_for(x))}
    draft.transform.update(words)
    draft.add(
        "skewed",
        "warning",
        list(found),
        with_counts([(name, f"skewness {shapes[name][0]:.3g}") for name in found]),
        why="scores for normal columns miss curved effects, and can turn edges",
        remedy="transform such columns: by their logarithms, or normal scores (transform)",
        fix={"transform": words} if words else None,
    )


def _heavy(draft: Draft, found: dict[str, Floats], shapes: dict[str, list[float]]) -> None:
    if not found:
        return
    words = {name: "normal-scores" for name, x in found.items() if _helps(normal_scores(x))}
    draft.transform.update(words)
    draft.add(
        "heavy-tails",
        "warning",
        list(found),
        with_counts([(name, f"kurtosis {shapes[name][1]:.3g}, 3 if normal") for name in found]),
        why="few rows far out decide about all covariances",
        remedy="look for outliers, or take normal scores (transform)",
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


def _outliers(draft: Draft, profiles: list[Profile]) -> None:
    found = []
    for profile in profiles:
        ascending = profile.ascending
        middle = ascending[len(ascending) // 2]
        away = np.abs(ascending - middle)
        scale = 1.4826 * float(np.median(away))
        if profile.distinct > 10 and scale > 0.0 and away.max() > _OUTLYING * scale:
            far = ascending[away > _OUTLYING * scale]
            found.append((profile.name, far))
    if found:
        draft.add(
            "outliers",
            "warning",
            [name for name, _ in found],
            with_counts(
                [
                    (name, f"{len(far)}, such as {far[np.abs(far).argmax()]:g}")
                    for name, far in found
                ]
            ),
            why="a value far from all others can make or hide an edge",
            remedy="check these values; correct mistakes, or take normal scores (transform)",
        )
