"""What is wrong or doubtful in columns together, and in the rows."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag.data.source import Floats
from greedag.errors import CollinearError, DataError, all_listed
from greedag.statistics.collinearity import check_collinear
from greedag.statistics.inspection.draft import Draft, plural, with_counts
from greedag.statistics.inspection.profile import Profile
from greedag.statistics.moments import Moments

# Comparing pairs takes time that grows with the square of their number.
MOST_COMPARED = 1000
# What holds in all rows holds in some: only what these show is looked at in all.
SCREENED_ROWS = 10_000
_COPY = 1.0 - 1e-6
_LEAST_ROWS = 20
_MOST_SETS = 200
_MOST_PAIRS = 20_000
_LEAST_CORRELATION = 0.1
_FALSE_ALARMS = 0.002
_SHOWN = 8
_MOST_STEPS = 50_000


def look_at_pairs(draft: Draft) -> None:
    """Find columns that are copies of others, and leave out all but the first."""
    copies = _firsts([*_relabelled(draft), *_correlated(draft)])
    for exact, words in ((True, "duplicates"), (False, "is nearly the same as")):
        found = [(one, copy) for one, copy, is_exact in copies if is_exact == exact]
        if found:
            draft.add(
                "duplicates",
                "error" if exact and draft.has_continuous else "warning",
                list(dict.fromkeys(name for pair in found for name in pair)),
                ", ".join(f"{copy!r} {words} {one!r}" for one, copy in found),
                why="of two equivalent columns, either could replace the other in every edge",
                remedy="keep one of each",
                fix=draft.leave_out([copy for _, copy in found], "duplicate"),
            )


def _firsts(copies: list[tuple[str, str, bool]]) -> list[tuple[str, str, bool]]:
    return list({copy: (one, copy, exact) for one, copy, exact in reversed(copies)}.values())[::-1]


def _relabelled(draft: Draft) -> Iterator[tuple[str, str, bool]]:
    """Give pairs of columns with the same levels under any names."""
    seen: dict[bytes, str] = {}
    for profile in draft.kept():
        if draft.kind(profile) == "discrete" and profile.distinct > 1:
            key = profile.codes.tobytes()
            first = seen.setdefault(key, profile.name)
            if first != profile.name:
                yield first, profile.name, True


def _correlated(draft: Draft) -> Iterator[tuple[str, str, bool]]:
    """Give pairs of columns of numbers that are linear in each other, to a millionth."""
    found = [p for p in draft.kept() if p.holds == "numbers" and p.distinct > 1]
    if len(found) > MOST_COMPARED:
        draft.add(
            "not-compared",
            "info",
            [],
            f"only the first {MOST_COMPARED:,} of {len(found):,} columns of numbers were compared",
            why="duplicates among the others are found only by learn",
            remedy="inspect the other columns separately",
        )
        found = found[:MOST_COMPARED]
    if len(found) < 2:
        return
    # Copies are copies in some of the rows, too.
    every = -(-draft.n // SCREENED_ROWS)
    rows = np.stack([_standardised(p.numbers[::every]) for p in found])
    size = np.abs(rows @ rows.T) / rows.shape[1]
    has_missing = any(p.n_missing for p in found)
    close = np.argwhere(np.triu(size > (0.5 if has_missing else 0.999999 - 1e-9), 1))
    taken: set[int] = set()
    for i, j in close[:_MOST_PAIRS].tolist():
        if i not in taken and j not in taken and _are_copies(found[i], found[j]):
            taken.add(j)
            yield found[i].name, found[j].name, _are_exact(found[i], found[j])


def _are_exact(one: Profile, other: Profile) -> bool:
    """Whether `learn` would refuse one column beside the other."""
    both = ~(one.missing | other.missing)
    try:
        _check_independent({p.name: p.numbers[both] for p in (one, other)})
    except DataError:
        return True
    return False


def _standardised(column: Floats) -> Floats:
    """Return a column with mean 0 and variance 1, missing values at the mean."""
    is_there = np.isfinite(column)
    if not is_there.any():
        return np.zeros(len(column))
    with np.errstate(all="ignore"):
        numbers = np.where(is_there, column - column[is_there].mean(), 0.0)
        units: Floats = numbers / np.sqrt((numbers @ numbers) / is_there.sum())
    return np.where(np.isfinite(units), units, 0.0)


def _are_copies(one: Profile, other: Profile) -> bool:
    both = ~(one.missing | other.missing)
    if both.sum() < 3:
        return False
    with np.errstate(all="ignore"):
        correlation = np.corrcoef(one.numbers[both], other.numbers[both])[0, 1]
    return bool(abs(correlation) > _COPY)


def look_at_missing(draft: Draft) -> None:
    """Count missing values, see which go together, and decide what to do about them."""
    lacking = [p for p in draft.kept() if p.n_missing]
    if not lacking:
        return
    n = draft.n
    complete = int((~_missing_rows(draft.kept(), n)).sum())
    patterns: dict[bytes, list[str]] = defaultdict(list)
    for profile in lacking:
        patterns[np.packbits(profile.missing).tobytes()].append(profile.name)
    together = [names for names in patterns.values() if len(names) > 1]
    shown = sorted(lacking, key=lambda p: -p.n_missing)
    where = with_counts([(p.name, f"{p.n_missing:,}") for p in shown[:_SHOWN]])
    if len(shown) > _SHOWN:
        where += f" and {len(shown) - _SHOWN} more columns"
    where += f"; {complete:,} of {n:,} rows are complete"
    if together:
        where += f"; missing in the same rows: {' and '.join(map(repr, together[0][:_SHOWN]))}"
    fix, what = _treatment(draft)
    draft.add(
        "missing",
        "error" if any(p.name in draft.lacking for p in lacking) else "warning",
        [p.name for p in shown],
        where,
        why="unless values are missing at random, dropping rows biases the result",
        remedy=what,
        fix=fix or None,
    )


def _missing_rows(profiles: Sequence[Profile], n: int) -> NDArray[np.bool_]:
    missing = np.zeros(n, dtype=bool)
    for profile in profiles:
        missing |= profile.missing
    return missing


def _treatment(draft: Draft) -> tuple[dict[str, Any], str]:
    """Decide how missing values are treated: rows dropped, if enough are left."""
    fix: dict[str, Any] = {}
    given = draft.given.missing
    if given == "em":
        fix, text = _by_em(draft)
        return {name: value for name, value in fix.items() if name != "missing"}, text
    if given != "error":
        draft.missing = given
        return {}, f"nothing to do: missing={given!r} is given"
    if not _are_enough(draft):
        kept = draft.kept()
        are_numbers = all(
            p.holds == "numbers" and draft.stated.get(p.name) != "discrete" for p in kept
        )
        if are_numbers and draft.n >= 5 * len(kept):
            return _by_em(draft)
        if all(draft.kind(p) == "discrete" for p in kept):
            draft.missing = "test-wise"
            return {"missing": "test-wise"}, (
                "too few rows are complete: missing='test-wise' computes each gain from the rows "
                "in which all of its columns are observed"
            )
        fix = draft.leave_out(_worst(draft), "missing")
    if any(p.n_missing for p in draft.kept()):
        draft.missing = "drop"
        fix["missing"] = "drop"
        return fix, "drop rows with missing values by missing='drop'" + (
            f", after the columns with most missing values: {all_listed(fix['drop'])}"
            if fix.get("drop")
            else ""
        )
    return fix, f"drop the columns with missing values: {all_listed(fix['drop'])}"


def _by_em(draft: Draft) -> tuple[dict[str, Any], str]:
    """Estimate moments, for which every column is continuous, but leave out nearly empty ones."""
    fix: dict[str, Any] = {}
    thin = [p.name for p in draft.kept() if p.n_missing > 0.8 * draft.n]
    thin += _apart([p for p in draft.kept() if p.name not in thin])
    if thin:
        fix = draft.leave_out(thin, "missing")
    draft.take_as_numbers()
    draft.missing = "em"
    text = "missing='em' estimates the moments from the observed values"
    if draft.given.missing != "em":
        text = f"too few rows are complete: {text}"
    if thin:
        text += f", after dropping {all_listed(thin)}, where too much is missing"
    return {**fix, "missing": "em"}, text


def _apart(profiles: Sequence[Profile]) -> list[str]:
    """Return columns to leave out, so that any two have rows with both values."""
    left, out = list(profiles), []
    there = {p.name: (~p.missing).astype(np.float32) for p in left}
    while len(left) > 2:
        present = np.stack([there[p.name] for p in left])
        common = present @ present.T
        if common.min() >= _LEAST_ROWS:
            break
        lacking = (common < _LEAST_ROWS).sum(axis=1)
        worst = max(range(len(left)), key=lambda j: (lacking[j], left[j].n_missing))
        out.append(left.pop(worst).name)
    return out


def give_up_em(draft: Draft) -> None:
    """Leave out columns that lack most and then rows, where EM cannot tell what is missing."""
    names = _worst(draft)
    draft.missing = "drop"
    fix = draft.leave_out(names, "missing")
    draft.findings = [f for f in draft.findings if f.code != "missing"]
    draft.add(
        "missing",
        "error",
        names,
        f"too much is missing in {', '.join(map(repr, names)) or 'all columns'}",
        why="too few rows are complete, and EM cannot estimate the moments",
        remedy="drop the columns with most missing values, then rows by missing='drop'",
        fix={**fix, "missing": "drop"},
    )


def _are_enough(draft: Draft) -> bool:
    kept = draft.kept()
    rows = int((~_missing_rows(kept, draft.n)).sum())
    d = len(kept)
    return rows >= max(100, 10 * d) or (rows >= draft.n / 2 and rows >= max(_LEAST_ROWS, 3 * d))


def _worst(draft: Draft) -> list[str]:
    """Return columns to leave out, most missing values first, until enough rows are complete."""
    kept, out = draft.kept(), []
    while len(kept) > 3:
        worst = max(kept, key=lambda p: p.n_missing)
        rows = int((~_missing_rows(kept, draft.n)).sum())
        if not worst.n_missing or rows >= max(_LEAST_ROWS, 5 * len(kept), draft.n / 2):
            break
        out.append(worst.name)
        kept.remove(worst)
    return out


def complete_rows(draft: Draft) -> NDArray[np.bool_]:
    """Return which rows are complete in the columns that are kept."""
    return ~_missing_rows(draft.kept(), draft.n)


def look_for_collinear_sets(draft: Draft) -> None:
    """Find columns of numbers that others determine, one minimal set after the other."""
    rows = complete_rows(draft)
    found = [p for p in draft.kept() if p.holds == "numbers"][:MOST_COMPARED]
    found = [p for p in found if draft.kind(p) == "continuous" or p.distinct == 2]
    if rows.sum() < 3 or len(found) < 2:
        return
    values = {p.name: p.numbers[rows] for p in found}
    for names, last in _dependent_sets(values):
        draft.add(
            "collinear",
            "error",
            names,
            f"{', '.join(map(repr, names))} determine each other exactly",
            why="any column of the set could replace another in every edge",
            remedy="drop one of them",
            fix=draft.leave_out([last], "collinear"),
        )


def _dependent_sets(values: dict[str, Floats]) -> Iterator[tuple[list[str], str]]:
    """Give minimal dependent sets with the column to leave out, the last of each."""
    left = {name: column for name, column in values.items() if np.ptp(column) > 0.0}
    for _ in range(_MOST_SETS):
        if len(left) < 2:
            return
        try:
            _check_independent(left)
            return
        except CollinearError as error:
            names = [name for name in left if name in error.columns]
            yield names, names[-1]
            del left[names[-1]]
        except DataError as error:  # a column that varies less than its rounding
            if not error.columns:
                return
            for name in error.columns:
                left.pop(name, None)


def _check_independent(columns: dict[str, Floats]) -> None:
    """Raise if columns determine each other, in some of the rows first and then in all."""
    names, table = list(columns), np.stack(list(columns.values()), axis=1)
    every = -(-len(table) // SCREENED_ROWS)
    try:
        check_collinear(Moments.from_data(table[::every], names=names))
    except DataError:
        if every == 1:
            raise
        check_collinear(Moments.from_data(table, names=names))


def look_at_rows(draft: Draft) -> None:
    """Look at the number of rows, at equal rows, and at rows that depend on each other."""
    _number_of_rows(draft)
    _equal_rows(draft)
    _dependent_rows(draft)


def _number_of_rows(draft: Draft) -> None:
    rows, d = int(complete_rows(draft).sum()) if draft.missing == "drop" else draft.n, 0
    for profile in draft.kept():
        d += max(profile.distinct - 1, 1) if draft.kind(profile) == "discrete" else 1
    if rows >= 5 * d:
        return
    draft.add(
        "few-rows",
        "warning",
        [],
        f"{plural(rows, 'row')} for {plural(d, 'column')}"
        + (", levels counted as columns" if d > len(draft.kept()) else ""),
        why="with fewer than five rows per column, edges found by chance are common"
        if rows > d
        else "with at most as many rows as columns, some columns are fitted exactly by chance",
        remedy="choose fewer columns"
        + ("" if draft.discrete() else ", or score='extended-bic', which adds fewer edges"),
    )


def _equal_rows(draft: Draft) -> None:
    if not any(p.distinct > 20 for p in draft.continuous()):
        return
    total, is_empty = np.zeros(draft.n, dtype=np.uint64), np.ones(draft.n, dtype=bool)
    for profile in draft.profiles:
        total = _mixed(total ^ _bits(profile)) + np.uint64(1)
        is_empty &= profile.missing
    total = total[~is_empty]
    equal = len(total) - len(np.unique(total))
    if equal and (equal >= 0.01 * draft.n or _are_unlikely(draft)):
        draft.add(
            "equal-rows",
            "info",
            [],
            f"{equal:,} of {draft.n:,} rows repeat an earlier one",
            why="rows that were entered twice count twice",
            remedy="drop the copies if they are errors",
        )


def _bits(profile: Profile) -> NDArray[np.uint64]:
    """Return values as whole numbers that are equal where the values are."""
    if profile.holds != "numbers":
        return profile.codes.view(np.uint64)
    if profile.values.dtype.kind in "iu":
        return np.where(profile.missing, 0, profile.values).astype(np.uint64) ^ _marks(profile)
    # Adding 0 makes -0 and 0 the same.
    return np.where(profile.missing, 0.0, profile.numbers + 0.0).view(np.uint64) ^ _marks(profile)


def _marks(profile: Profile) -> NDArray[np.uint64]:
    """Return a number that hardly any value has where values are missing, 0 elsewhere."""
    return profile.missing * np.uint64(0x7FF8_5A5A_1234_5678)


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread the bits of numbers over all of their bits, different ones differently."""
    for shift, factor in ((30, 0xBF58_476D_1CE4_E5B9), (27, 0x94D0_49BB_1331_11EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))


def _are_unlikely(draft: Draft) -> bool:
    """Whether columns have so many values that equal rows are no chance."""
    logs = sum(math.log(max(p.distinct, 1)) for p in draft.profiles)
    return logs > 3.0 * math.log(draft.n + 1)


def _dependent_rows(draft: Draft) -> None:
    ordering = [p.name for p in draft.kept() if p.n > _LEAST_ROWS and p.is_sorted]
    dates = [n for n, why in draft.drop.items() if why == "dates" and _is_sorted(draft, n)]
    ordering += dates
    if ordering:
        draft.add(
            "sorted",
            "info",
            ordering,
            f"the rows are in order of {', '.join(map(repr, ordering))}",
            why="if the order is one of time or place, neighbouring rows may depend on each other",
            remedy="if so, treat the table as a time series; otherwise nothing is wrong",
        )
    looked = [
        p for p in draft.continuous() if p.distinct > 10 and p.n > 50 and p.name not in ordering
    ]
    found = [(p, _lag_correlation(p)) for p in looked]
    limit = _chance_correlation(len(looked))
    serial = [(p, r) for p, r in found if abs(r) > max(_LEAST_CORRELATION, limit / math.sqrt(p.n))]
    if serial:
        serial.sort(key=lambda item: -abs(item[1]))
        draft.add(
            "dependent-rows",
            "info" if ordering and not dates else "warning",
            [p.name for p, _ in serial],
            with_counts([(p.name, f"correlation {r:.2f}") for p, r in serial[:_SHOWN]])
            + (f" and {len(serial) - _SHOWN} more" if len(serial) > _SHOWN else "")
            + " with the previous row",
            why="scores treat rows as independent; dependent rows overstate the evidence, so too "
            "many edges are found",
            remedy="if rows follow each other in time, use differences or every k-th row; if the "
            "table is merely sorted, nothing is wrong",
        )


def _is_sorted(draft: Draft, name: str) -> bool:
    profile = next(p for p in draft.profiles if p.name == name)
    return profile.n > _LEAST_ROWS and profile.is_sorted


def _lag_correlation(profile: Profile) -> float:
    """Return the correlation of values with those of the row before, outliers drawn in."""
    ascending = profile.ascending
    low, high = ascending[len(ascending) // 20], ascending[-1 - len(ascending) // 20]
    numbers = np.clip(profile.numbers[:_MOST_STEPS], low, high) - ascending[len(ascending) // 2]
    if profile.n_missing:
        numbers = np.where(np.isnan(numbers), 0.0, numbers)
    scale = max(-low, high, high - low) or 1.0
    numbers = numbers / scale
    numbers -= numbers.mean()
    square = float(numbers @ numbers)
    return float(numbers[:-1] @ numbers[1:]) / square if square > 0.0 else 0.0


def _chance_correlation(columns: int) -> float:
    """Return what the largest of so many correlations may be by chance, times √n."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(1.0 - _FALSE_ALARMS / (2.0 * max(columns, 1)))
