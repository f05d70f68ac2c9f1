"""Values that likely stand for missing ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from greedag.data.markers import checked_markers, marked, number_in
from greedag.statistics.inspection.draft import Draft, examples, with_counts
from greedag.statistics.inspection.profile import Profile, profiles_of

_WORDS = frozenset(
    (
        *("", "*", "?", ".", "-", "--", "na", "n/a", "n.a.", "nan", "null", "none", "nil"),
        *("missing", "unknown", "#n/a", "(null)", "<na>", "not available", "#value!", "#div/0!"),
    )
)
# Among levels these may mean something.
_MAY_BE_LEVELS = frozenset(("none", "unknown", "nil", "-", "--", "*", "."))
_NUMBERS = (-9.0, -99.0, -999.0, -9999.0, -99999.0, 99.0, 999.0, 9999.0, 99999.0)
_SURE = 999.0


def look_for_markers(draft: Draft) -> None:
    """Find markers of missing values, and take them as missing from here on."""
    texts = {p.name: _text_markers(p) for p in draft.profiles if p.holds in ("text", "mixed")}
    numbers = {p.name: _number_markers(p) for p in draft.profiles if p.holds == "numbers"}
    found = {name: marks for name, marks in (texts | numbers).items() if marks}
    if not found:
        return
    sure = [mark for mark in _distinct(found) if not _is_elsewhere(mark, draft.profiles, found)]
    draft.na += sure
    draft.add(
        "markers",
        "error"
        if any(draft.is_misread(p) for p in draft.profiles if p.name in found)
        else "warning",
        list(found),
        with_counts([(name, f"{examples(marks)}") for name, marks in found.items()]),
        why="a marker of missing values would be taken for a level or a number",
        remedy="list these values in na"
        + ("" if len(sure) == len(_distinct(found)) else "; some may be real values elsewhere"),
        fix={"na": sure} if sure else None,
    )
    if sure:
        source, _ = marked(draft.source, checked_markers(sure))
        draft.source = source.in_memory()
        draft.profiles = profiles_of(draft.source)


def _distinct(found: dict[str, list[str | float]]) -> list[str | float]:
    return list(dict.fromkeys(mark for marks in found.values() for mark in marks))


def _text_markers(profile: Profile) -> list[str | float]:
    """Return the levels that likely stand for missing values."""
    levels = [level for level in profile.levels if isinstance(level, str)]
    others = [level for level in profile.levels if _plain(level) not in _WORDS]
    if not others:
        return []
    spelled = sum(number_in(str(level)) is not None for level in others)
    are_numbers = spelled > 0.8 * len(others)
    may_mean = set() if are_numbers else _MAY_BE_LEVELS
    if not are_numbers and any(set(str(level)) <= set("*+-.") for level in others):
        may_mean = _MAY_BE_LEVELS | {"?"}
    marks: list[str | float] = [
        level.strip()
        for level in levels
        if _plain(level) in _WORDS and _plain(level) not in may_mean
    ]
    if are_numbers and spelled < len(others):
        odd = [level for level in others if number_in(str(level)) is None]
        # A few words among numbers, such as "refused".
        rows = sum(int(profile.counts[profile.levels.index(level)]) for level in odd)
        if len(odd) <= 3 and rows <= 0.2 * profile.n and all(_is_word(level) for level in odd):
            marks += [str(level).strip() for level in odd]
    return list(dict.fromkeys(marks))


def _plain(level: object) -> str:
    return str(level).strip().lower()


def _is_word(level: object) -> bool:
    return isinstance(level, str) and not any(letter.isdigit() for letter in level)


def _number_markers(profile: Profile) -> list[str | float]:
    """Return the numbers far outside all others that are often used for missing values."""
    ascending = profile.ascending
    if ascending.size < 10:
        return []
    ends = (ascending[0], ascending[-1])
    marks: list[str | float] = []
    for mark in _NUMBERS:
        if mark in ends and _stands_out(mark, ascending):
            marks.append(int(mark))
            ascending = ascending[ascending != mark]
            ends = (ascending[0], ascending[-1])
    return marks


def _stands_out(mark: float, ascending: np.ndarray) -> bool:
    others = ascending[ascending != mark]
    count = ascending.size - others.size
    if others.size < 5 or count > 0.9 * ascending.size or (count < 2 and abs(mark) < _SURE):
        return False
    span = max(others[-1] - others[0], abs(others[-1]), abs(others[0])) if mark > 0 else 0.0
    gap = max(others[0] - mark, mark - others[-1])
    is_beyond = others[0] >= 0.0 if mark < 0 else True
    wide = others[-1] - others[0]
    return bool(gap > max(span, 0.5 * wide) and (is_beyond or gap > 2.0 * wide))


def _is_elsewhere(
    mark: str | float, profiles: Sequence[Profile], found: dict[str, list[str | float]]
) -> bool:
    """Whether a marker may be a true value of another column."""
    for profile in profiles:
        if mark in found.get(profile.name, []):
            continue
        if isinstance(mark, str):
            if profile.holds == "text" and any(_same(mark, level) for level in profile.levels):
                return True
        elif profile.holds == "numbers" and bool((profile.ascending == mark).any()):
            return True
    return False


def _same(mark: str, level: object) -> bool:
    return str(level).strip() == mark
