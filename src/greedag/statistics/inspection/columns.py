"""What is wrong or doubtful in single columns."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from greedag.data.kinds import Kind
from greedag.statistics.inspection.draft import Draft, examples, plural, with_counts
from greedag.statistics.inspection.profile import Profile, is_number

_NO_VARIABLE = "it is the index of a saved table and carries no information"
_INDEX = re.compile(r"|unnamed: ?\d+|index|level_0|row_?names?|row|x|\.\.\.1", re.IGNORECASE)
_IDENTIFIER = re.compile(
    r"(.*[_. -])?(id|ids|uuid|guid|key|index|serial|number|no|nr|identifier|code|case|subject)"
    r"|.*[a-z]I[Dd]",
    re.IGNORECASE,
)
# Levels beyond which one column would take most parameters, and rows that a level should have.
MOST_LEVELS = 50
_ROWS_PER_LEVEL = 5
_RARE = 5
_LEAST_ROWS = 20
# Whole numbers with so many values are taken as levels, more as quantities.
_MOST_CODES = 5
_NEARLY_CONSTANT = 0.995
_ORDERED = (
    {"low", "medium", "high"},
    {"small", "medium", "large"},
    {"never", "rarely", "sometimes", "often", "always"},
    {"bad", "fair", "good", "very good", "excellent", "poor"},
    {"strongly disagree", "disagree", "neutral", "agree", "strongly agree"},
    {"very low", "low", "moderate", "high", "very high"},
    {"none", "mild", "moderate", "severe"},
    {"ideal", "premium", "very good", "good", "fair"},
    {"not at all", "a little", "somewhat", "very", "extremely"},
    {"mon", "tue", "wed", "thu", "fri", "sat", "sun"},
)


def look_at_columns(draft: Draft) -> None:
    """Look at columns one by one; what is to be left out is not looked at further."""
    for look in (_index, _empty, _dates, _identifiers, _constants, _unreadable, _spelled_numbers):
        look(draft)
    for look in (_infinite, _codes, _levels, _ordered):
        look(draft)


def _index(draft: Draft) -> None:
    for note in draft.source.notes:
        if note.code == "index-column":
            draft.add(
                "index", "info", note.columns, str(note), why=_NO_VARIABLE, remedy="nothing to do"
            )
    first = draft.profiles[0]
    if not _INDEX.fullmatch(first.name.strip()) or not _counts_up(first):
        return
    draft.add(
        "index",
        "warning",
        [first.name],
        f"the first column, {first.name!r}, numbers the rows",
        why=_NO_VARIABLE,
        remedy="drop it",
        fix=draft.leave_out([first.name], "index"),
    )


def _counts_up(profile: Profile) -> bool:
    """Whether a column holds 0, 1, … or 1, 2, … in this order."""
    if profile.holds == "numbers" and not profile.n_missing:
        numbers = profile.numbers
        return bool(numbers[0] in (0.0, 1.0) and (np.diff(numbers) == 1.0).all())
    if profile.holds == "text" and profile.n == len(profile.levels):
        texts = [str(level) for level in profile.levels]
        return texts[0] in ("0", "1") and texts == [
            str(int(texts[0]) + i) for i in range(len(texts))
        ]
    return False


def _empty(draft: Draft) -> None:
    names = [p.name for p in draft.kept() if p.holds == "nothing"]
    if names:
        draft.add(
            "empty",
            "error",
            names,
            f"no values in {_named(names)}",
            why="without values nothing can be learned, and no row is complete",
            remedy="drop such columns",
            fix=draft.leave_out(names, "empty"),
        )


def _dates(draft: Draft) -> None:
    found = [p for p in draft.kept() if p.name not in draft.stated and p.is_date]
    if not found:
        return
    are_refused = any(p.holds == "dates" or draft.is_refused(p) for p in found)
    names = [p.name for p in found]
    draft.add(
        "dates",
        "error" if are_refused else "warning",
        names,
        with_counts([(p.name, f"such as {_example(p)}") for p in found]),
        why="dates and times are neither quantities nor categories",
        remedy="drop them, or convert them to numbers, such as days since a start date",
        fix=draft.leave_out(names, "dates"),
    )


def _identifiers(draft: Draft) -> None:
    found = [
        p
        for p in draft.kept()
        if (draft.is_refused(p) if p.name in draft.stated else _is_identifier(p))
    ]
    if found:
        names = [p.name for p in found]
        draft.add(
            "identifiers",
            "error" if any(map(draft.is_refused, found)) else "warning",
            names,
            with_counts(
                [
                    (
                        p.name,
                        f"{plural(p.distinct, 'value')} in {p.n:,} rows, such as {_example(p)}",
                    )
                    for p in found
                ]
            ),
            why="a column with a different value in (nearly) every row only tells rows apart",
            remedy="drop such columns",
            fix=draft.leave_out(names, "identifier"),
        )


def _is_identifier(profile: Profile) -> bool:
    n = profile.n
    if n < _LEAST_ROWS:
        return profile.holds == "text" and n > 2 and profile.distinct == n
    if profile.holds == "text":
        return profile.distinct >= 0.9 * n and profile.spelled_numbers < 0.8
    if profile.holds != "numbers" or not profile.is_whole or profile.distinct < n:
        return False
    first, last = profile.ascending[0], profile.ascending[-1]
    is_named = _IDENTIFIER.fullmatch(profile.name.strip()) is not None
    return bool(last - first == n - 1) or is_named


def _constants(draft: Draft) -> None:
    found = [
        p for p in draft.kept() if p.distinct == 1 and p.holds != "other" and not _has_infinite(p)
    ]
    if found:
        names = [p.name for p in found]
        draft.add(
            "constant",
            "error",
            names,
            with_counts([(p.name, f"always {_example(p)}") for p in found]),
            why="nothing can depend on a column that does not vary",
            remedy="drop such columns",
            fix=draft.leave_out(names, "constant"),
        )
    nearly = [(p, _most_common(p)) for p in draft.kept() if p.n >= _LEAST_ROWS]
    shown = [(p, k) for p, k in nearly if k >= _NEARLY_CONSTANT * p.n and p.distinct > 1]
    if shown:
        draft.add(
            "nearly-constant",
            "warning",
            [p.name for p, _ in shown],
            with_counts([(p.name, f"one value in {k:,} of {p.n:,} rows") for p, k in shown]),
            why="a handful of rows determines all edges of such a column",
            remedy="drop it unless those rows matter",
        )


def _most_common(profile: Profile) -> int:
    """Return how many rows have the most frequent value."""
    if profile.holds == "numbers":
        ends = np.flatnonzero(np.diff(profile.ascending, append=np.inf) != 0.0)
        return int(np.diff(ends, prepend=-1).max(initial=0))
    return int(profile.counts.max(initial=0))


def _unreadable(draft: Draft) -> None:
    found = [p for p in draft.kept() if p.holds in ("mixed", "other")]
    if found:
        names = [p.name for p in found]
        draft.add(
            "mixed-types",
            "error",
            names,
            with_counts(
                [(p.name, " and ".join(p.type_names) or str(p.values.dtype)) for p in found]
            ),
            why="values of different types are neither numbers nor categories",
            remedy="convert the column to one type, or drop it",
            fix=draft.leave_out(names, "types"),
        )


def _spelled_numbers(draft: Draft) -> None:
    for profile in draft.kept():
        if profile.is_category or not 0.8 <= profile.spelled_numbers <= 1.0:
            continue
        odd = [v for v in profile.levels if not is_number(str(v))]
        if not odd and profile.distinct <= 10:
            continue
        fix = None
        if profile.name not in draft.stated and profile.distinct > 10:
            fix = draft.leave_out([profile.name], "text")
        draft.add(
            "numbers-as-text",
            "error" if draft.is_refused(profile) or draft.is_misread(profile) else "warning",
            [profile.name],
            f"{profile.name!r} is text, {profile.spelled_numbers:.0%} of it numbers, such as "
            f"{_example(profile)}" + (f"; the rest: {examples(odd)}" if odd else ""),
            why="as text, every number is a level of its own",
            remedy="convert the column to numbers; list markers of missing values in na",
            fix=fix,
        )


def _infinite(draft: Draft) -> None:
    found = [p for p in draft.kept() if _has_infinite(p)]
    if found:
        names = [p.name for p in found]
        counts = [(p.name, plural(int(np.isinf(p.numbers).sum()), "value")) for p in found]
        draft.add(
            "infinite",
            "error",
            names,
            with_counts(counts),
            why="the mean of infinite values does not exist",
            remedy="find out where they come from, such as a division by 0 or log(0); correct them "
            "or drop the column",
            fix=draft.leave_out(names, "infinite"),
        )


def _has_infinite(profile: Profile) -> bool:
    return profile.holds == "numbers" and bool(np.isinf(profile.numbers).any())


def _codes(draft: Draft) -> None:
    found = [p for p in draft.kept() if p.has_few and p.name not in draft.stated]
    if not found:
        return
    kinds: dict[str, Kind] = {}
    for profile in found:
        is_code = profile.distinct == 2 or (profile.is_whole and profile.distinct <= _MOST_CODES)
        kinds[profile.name] = "discrete" if is_code else "continuous"
    draft.kinds.update(kinds)
    draft.add(
        "codes",
        "warning",
        [p.name for p in found],
        with_counts([(p.name, f"only {_values(p)}") for p in found]),
        why="numbers with few distinct values may be codes, whose means are meaningless",
        remedy="declare them discrete or continuous with kinds; here, columns of up to "
        f"{_MOST_CODES} whole numbers are treated as discrete",
        fix={"kinds": kinds},
    )
    if draft.given.are_numbers:
        draft.take_as_numbers()


def _values(profile: Profile) -> str:
    values = np.unique(profile.ascending)
    return ", ".join(f"{value:g}" for value in values)


def _levels(draft: Draft) -> None:
    many = [p for p in draft.discrete() if _has_too_many(p) and p.name not in draft.stated]
    if many:
        names = [p.name for p in many]
        draft.add(
            "many-levels",
            "error" if any(map(draft.is_refused, many)) else "warning",
            names,
            with_counts([(p.name, f"{p.distinct:,} levels in {p.n:,} rows") for p in many]),
            why="each level costs parameters, and there are too few rows to estimate them",
            remedy="merge levels, or drop the column",
            fix=draft.leave_out(names, "levels"),
        )
    rare = [(p, _rare_levels(p)) for p in draft.discrete()]
    shown = [(p, k) for p, k in rare if k]
    if shown:
        draft.add(
            "rare-levels",
            "info",
            [p.name for p, _ in shown],
            with_counts(
                [
                    (p.name, f"{k} of {p.distinct} levels in fewer than {_RARE} rows")
                    for p, k in shown
                ]
            ),
            why="rare levels cost parameters and carry little information",
            remedy="merge them with others",
        )


def _has_too_many(profile: Profile) -> bool:
    levels = profile.distinct
    return levels > MOST_LEVELS or (levels > 10 and profile.n < _ROWS_PER_LEVEL * levels)


def _rare_levels(profile: Profile) -> int:
    return int((profile.counts < _RARE).sum()) if profile.n >= 4 * _RARE else 0


def _ordered(draft: Draft) -> None:
    found = [p for p in draft.discrete() if p.distinct > 2 and _is_ordered(p)]
    if found:
        draft.add(
            "ordered",
            "info",
            [p.name for p in found],
            with_counts([(p.name, examples(p.levels)) for p in found]),
            why="discrete scores ignore the order of levels, which costs power",
            remedy="if the steps are about equal, number the levels and treat them as continuous",
        )


def _is_ordered(profile: Profile) -> bool:
    if profile.is_ordered:
        return True
    if profile.holds != "text":
        return False
    words = {str(level).strip().lower() for level in profile.levels}
    return any(words <= scale and len(words) > 2 for scale in _ORDERED)


def _named(names: list[str]) -> str:
    return ", ".join(map(repr, names))


def _example(profile: Profile) -> str:
    value: Any = profile.first
    if isinstance(value, (float, np.floating)):
        return f"{value:g}"
    return repr(str(value)) if profile.holds in ("text", "dates") else str(value)
